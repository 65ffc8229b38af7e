"""Block labels from a clean text: which characters of a page came into it (Web2Text, section 4.1.1).

Runs of characters that occur once in the page are looked up in the clean text (anchors); what lies between them (gaps)
is aligned by dynamic programming; a block is content if more than two thirds of its characters are aligned. Differences
from the authors' program, whose labels are reproduced for 99.7 % of the blocks of CleanEval:

- The source is not the masked HTML but the page's text leaves with masks between them, since lxml knows no offsets.
  So entities, which that program masks, are characters like any other.
- Blanks, U+00A0 among them, are left out on both sides instead of being scored.
- Of anchors that contradict each other in their order the heaviest chain is kept, not the latest.
- Work and memory are bounded, see `labels.align`.
"""

from __future__ import annotations

from scrapy_web2text.alignment.characters.labels import (
    align_blocks,
    align_leaves,
    align_page,
    label_counts,
    leaves_to_blocks,
)

__all__ = ["align_blocks", "align_leaves", "align_page", "label_counts", "leaves_to_blocks"]
