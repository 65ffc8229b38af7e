"""How the names that programmers give to elements, their classes and ids, fall into words."""

from __future__ import annotations

from typing import Final

__all__ = ["NAME_WORD"]

# A regular expression: camelCase, kebab-case and snake_case fall apart, and digits are left out.
NAME_WORD: Final = r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\d_a-zA-Z]+"
