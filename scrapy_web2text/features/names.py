"""The pattern of a word in the names that pages use: classes, ids, roles."""

from __future__ import annotations

from typing import Final

__all__ = ["NAME_WORD"]

# A regular expression. It splits camelCase, kebab-case and snake_case, and skips digits.
NAME_WORD: Final = r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\d_a-zA-Z]+"
