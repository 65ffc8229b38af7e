"""Alignment by words, for any segmentation: which words of a page are in its clean text.

Runs of tokens that occur once in the page and once in the clean text are matched first (anchors). The gaps between them
are aligned by dynamic programming. A clean text is made by leaving out whole leaves of the page, so skipping from one
leaf to another costs less than skipping inside a leaf. Further rounds find text whose order differs.
"""

from __future__ import annotations

from scrapy_web2text.alignment.tokens.align import align_tokens
from scrapy_web2text.alignment.tokens.coverage import LeafCoverage, cover_leaves
from scrapy_web2text.alignment.tokens.labels import label_blocks
from scrapy_web2text.alignment.tokens.token_text import TokenText, read_tokens

__all__ = ["LeafCoverage", "TokenText", "align_tokens", "cover_leaves", "label_blocks", "read_tokens"]
