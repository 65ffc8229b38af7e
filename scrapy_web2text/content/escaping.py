"""Escaping: one function for each context that text of a page is written into."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["escape_comment", "escape_markdown"]

_HYPHENS: Final = re.compile("-(?=-)")
# Characters that Markdown would interpret anywhere. markdownify escapes far more.
_SPECIAL: Final = re.compile(
    r"[\\`*\[<]"
    r"|(?<![^\W_])_|_(?![^\W_])"  # within a word it needs no escape
    r"|&(?=#?\w+;)|~(?=~)|(?<=~)~"
    r"|!$"  # a link after it would become an image
)


def escape_comment(text: str) -> str:
    """Return *text* for an HTML comment with a space at both ends: two hyphens would end it."""
    return _HYPHENS.sub("- ", text)


def escape_markdown(text: str) -> str:
    """Return *text* for a line of Markdown, after its start."""
    return _SPECIAL.sub(r"\\\g<0>", text)
