"""Two texts side by side: rows of lines, with the words that changed."""

from __future__ import annotations

import re
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from scrapy_web2text.readings.matching import match_in_order

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Piece", "Row", "align_texts"]

# A part of a line, and whether it is on this side only.
Piece = tuple[str, bool]
# The lines of both sides, each with its line break and cut into pieces; None for lines that are equal on both sides,
# which the first side has, without the last line break.
Row = tuple[list[Piece], list[Piece] | None]

# A word, a character of a script that is written without spaces, or another character; with the space after it.
_WORD: Final = re.compile(r"(?:[\u2e80-\u9fff\uf900-\ufaff]|[^\W\u2e80-\u9fff\uf900-\ufaff]+|\W)[^\S\n]*")
_LONGEST: Final = 500_000  # characters of a text that are shown
_CUT: Final = "\n[…]"


def align_texts(before: str, after: str) -> list[Row]:
    """Return the texts as rows. Neighboring lines that are equal are one row, and so are those between them.

    Of each text, no more than half a million characters are shown.
    """
    old, new = _shorten(before).split("\n"), _shorten(after).split("\n")
    matches = [*match_in_order(old, new), (len(old), len(new))]
    rows: list[Row] = []
    equal: list[str] = []
    first = second = 0
    for i, k in matches:
        if (i > first or k > second) and equal:
            rows.append(([("\n".join(equal), False)], None))
            equal = []
        if i > first or k > second:
            rows.append(_compare_lines(old[first:i], new[second:k]))
        equal += old[i : i + 1]
        first, second = i + 1, k + 1
    if equal:
        rows.append(([("\n".join(equal), False)], None))
    return rows


def _shorten(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST] + _CUT


def _compare_lines(*sides: Sequence[str]) -> Row:
    old, new = (_WORD.findall("".join(f"{line}\n" for line in lines)) for lines in sides)
    pairs = {*match_in_order(*([word.rstrip() or word[0] for word in words] for words in (old, new)))}
    # A full stop alone between words that changed is only like the other one.
    kept = [
        (i, k) for i, k in pairs if old[i][0].isalnum() or {(i - 1, k - 1), (i + 1, k + 1), (i, k)} & pairs != {(i, k)}
    ]
    return _mark(old, {i for i, _ in kept}), _mark(new, {k for _, k in kept})


def _mark(words: Sequence[str], in_both: set[int]) -> list[Piece]:
    """Return *words* as pieces: neighbors that are both on one side only, or both on both, are one piece."""
    marked = [(word, number not in in_both) for number, word in enumerate(words)]
    return [("".join(word for word, _ in group), changed) for changed, group in groupby(marked, key=itemgetter(1))]
