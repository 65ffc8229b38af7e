"""Which part of the text is from which block."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from scrapy_web2text.budget import watched

__all__ = ["Piece", "link_text"]

# A part of the text, and the number of its block; -1 for a part that is from none.
Piece = tuple[int, str]

# Characters between two blocks that are in no block, such as the descriptions of images.
_REACH: Final = 2_000
# Characters after the last block that was found. Hostile pages could otherwise make a search of every one of many
# blocks that are missing in a long text.
_FARTHEST: Final = 50_000


def link_text(text: str, texts: Sequence[tuple[int, str]]) -> list[Piece]:
    """Return *text*, cut into the parts that are from one block each. Joined, they are the text again.

    A block is found by its characters without whitespace, after the block before it. The beginning of its first line,
    such as the mark of a list item, belongs to it.

    :param texts: number and text of each block of content, in document order.
    """
    positions = [i for i, character in enumerate(text) if not character.isspace()]
    dense = "".join(map(text.__getitem__, positions))
    cuts: list[tuple[int, int]] = []  # where a part begins, and its block
    cursor = n_missed = end = 0
    for number, block_text in watched(texts, len(texts)):
        wanted = "".join(block_text.split())
        start = dense.find(wanted, cursor, cursor + len(wanted) + min(_REACH + n_missed, _FARTHEST)) if wanted else -1
        if start < 0:
            n_missed += len(wanted)
            continue
        begin = positions[start]
        cuts.append((text.rfind("\n", end, begin) + 1 or (begin if cuts else 0), number))
        cursor, n_missed = start + len(wanted), 0
        end = positions[cursor - 1] + 1
    cuts = [(0, -1), *cuts, (len(text), -1)]
    return [(number, text[begin:end]) for (begin, number), (end, _) in pairwise(cuts) if begin < end]
