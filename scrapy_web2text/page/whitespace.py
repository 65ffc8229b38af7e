"""Whitespace, collapsed in many texts at once."""

from __future__ import annotations

from collections.abc import Sequence

from scrapy_web2text.budget import batches
from scrapy_web2text.page.reader import READER

__all__ = ["collapse_each"]


def collapse_each(texts: Sequence[str]) -> list[str]:
    """Return each of *texts* with its runs of whitespace as one space, and none at its ends."""
    return [text for batch in batches(texts) for text in READER.collapse_texts(batch)]
