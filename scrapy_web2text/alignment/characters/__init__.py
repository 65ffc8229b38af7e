"""Alignment by characters, which gives the labels of the paper (Web2Text, section 4.1.1).

Runs of characters that occur once in the page are looked up in the clean text (anchors). The gaps between them are
aligned by dynamic programming. A block is content if more than two thirds of its characters are aligned. The authors'
program differs in these points, but gives the same label to 99.7 % of the blocks of CleanEval:

- It aligns the masked HTML. Here the page is its text leaves with masks between them, as lxml does not give offsets.
  Entities, which that program masks, are therefore characters like any other.
- It scores whitespace, U+00A0 included. Here whitespace is removed from both texts.
- Of anchors that contradict each other in their order, it keeps the latest. Here the heaviest chain is kept.
- Its time and memory are not bounded. Here they are, see `align`.
"""

from __future__ import annotations

from scrapy_web2text.alignment.characters.labels import (
    align_blocks,
    align_leaves,
    align_page,
    counts_to_labels,
    leaf_counts_to_labels,
)

__all__ = ["align_blocks", "align_leaves", "align_page", "counts_to_labels", "leaf_counts_to_labels"]
