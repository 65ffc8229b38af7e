"""Labels of a reading for a page that may have changed since, or whose blocks are cut in another way."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from scrapy_web2text.readings.matching import match_in_order
from scrapy_web2text.readings.reading import find_runs, hash_prefixes, hash_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_web2text.arrays import IntArray
    from scrapy_web2text.readings.reading import Reading

__all__ = ["UNKNOWN", "Fit", "fit_hashes", "fit_reading", "label_all"]

# The label of a block that the reader did not see.
UNKNOWN: Final = -1
# With fewer blocks in common, the page is another one, or was cut by another rule.
_LEAST_IN_COMMON: Final = 0.9
# Blocks that one block of the reading may have become.
_MOST_PARTS: Final = 20


@dataclass(frozen=True, slots=True)
class Fit:
    """The labels of a page by a reading of it.

    :param labels: the label of each block; `UNKNOWN` for a block that the reader did not see. *Shape:* ``(n,)``
    :param lost: the numbers of the blocks of the reading that the page no longer has.
    """

    labels: IntArray
    lost: tuple[int, ...]

    @property
    def n_unknown(self) -> int:
        """Number of blocks that the reader did not see."""
        return int(np.count_nonzero(self.labels == UNKNOWN))

    @property
    def is_complete(self) -> bool:
        """Whether all blocks are labeled, and none is lost."""
        return not self.lost and not self.n_unknown


def fit_reading(reading: Reading, texts: Sequence[str], paths: Sequence[str] = ()) -> Fit:
    """Return the labels of blocks with *texts* by a reading of the page. No label is guessed.

    A block gets a label if the reader saw a block with its text, in the same order; of blocks with equal texts, the one
    with the same path is preferred. A block that has moved keeps its label if all blocks with its text have the same
    one. The parts of a block that is now cut into several get its label.

    :param paths: XPath of each block, as in the reading; empty if unknown.
    """
    hashes = [*map(hash_text, texts)]
    fit = fit_hashes(reading, hashes, paths)
    if not fit.lost or not fit.n_unknown:
        return fit
    labels, lost = fit.labels.copy(), set(fit.lost)
    wanted = {reading.hashes[number]: number for number in fit.lost}
    known = reading.labels
    for start, end, number in _find_parts(texts, labels, wanted):
        if number in lost:
            labels[start:end] = known[number]
            lost.discard(number)
    return Fit(labels, tuple(sorted(lost)))


def label_all(reading: Reading, texts: Sequence[str]) -> IntArray | None:
    """Return a label for every block of a page by a reading of it, to train or to judge by; None if one is in doubt.

    Where one of ten texts at most has changed in place, the reader's labels hold. Otherwise, a new block gets the label
    that the blocks on both sides have, if all blocks that the page has lost had this label, too.

    :returns: None also if fewer than nine of ten blocks are in common. *Shape:* ``(len(texts),)``
    """
    hashes = [*map(hash_text, texts)]
    n_equal = sum(map(str.__eq__, hashes, reading.hashes))
    if len(hashes) == reading.n_blocks and n_equal >= _LEAST_IN_COMMON * reading.n_blocks:
        return reading.labels
    fit = fit_reading(reading, texts)
    if len(texts) - fit.n_unknown < _LEAST_IN_COMMON * max(len(texts), reading.n_blocks):
        return None
    labels, lost = fit.labels.copy(), reading.labels[list(fit.lost)]
    for first, last in find_runs(fit.labels == UNKNOWN):
        possible = {*fit.labels[max(first - 1, 0) : last + 2].tolist(), *lost.tolist()} - {UNKNOWN}
        if len(possible) != 1:
            return None
        labels[first : last + 1] = possible.pop()
    return labels


def fit_hashes(reading: Reading, hashes: Sequence[str], paths: Sequence[str] = ()) -> Fit:
    """Return the labels of blocks by the hashes of their texts, see `fit_reading`."""
    labels = np.full(len(hashes), UNKNOWN, dtype=np.int64)
    lost = set(range(reading.n_blocks))
    known = reading.labels
    for number, place in _match(reading, hashes, paths):
        labels[place] = known[number]
        lost.discard(number)
    for number, place in _match_moved(reading, known, hashes, labels, lost):
        labels[place] = known[number]
        lost.discard(number)
    return Fit(labels, tuple(sorted(lost)))


def _match_moved(
    reading: Reading, known: IntArray, hashes: Sequence[str], labels: IntArray, lost: set[int]
) -> list[tuple[int, int]]:
    """Return the numbers of lost blocks whose text is elsewhere, and their numbers there, if the text has one label."""
    labels_of: dict[str, set[int]] = {}
    for text, label in zip(reading.hashes, known.tolist(), strict=True):
        labels_of.setdefault(text, set()).add(label)
    places: dict[str, deque[int]] = {}
    for place in np.flatnonzero(labels == UNKNOWN).tolist():
        places.setdefault(hashes[place], deque()).append(place)
    moved = [(number, reading.hashes[number]) for number in sorted(lost)]
    clear = [(number, text) for number, text in moved if len(labels_of[text]) == 1]
    return [(number, places[text].popleft()) for number, text in clear if places.get(text)]


def _match(reading: Reading, hashes: Sequence[str], paths: Sequence[str]) -> list[tuple[int, int]]:
    """Return the number of each block of the reading that the page still has, and its number there.

    Blocks with the same path are matched first, unless that leaves more of them without a match, as it does where new
    elements have moved the paths of blocks with equal texts.
    """
    by_text = match_in_order(reading.hashes, hashes)
    if len(paths) != len(hashes) or len(reading.paths) != reading.n_blocks or not hashes:
        return by_text
    old, new = [*zip(reading.hashes, reading.paths, strict=True)], [*zip(hashes, paths, strict=True)]
    by_path: list[tuple[int, int]] = []
    first = last = 0
    for number, place in [*match_in_order(old, new), (len(old), len(new))]:
        found = match_in_order(reading.hashes[first:number], hashes[last:place])
        by_path += [(first + i, last + k) for i, k in found]
        by_path += [(number, place)]
        first, last = number + 1, place + 1
    by_path.pop()
    return by_path if len(by_path) >= len(by_text) else by_text


def _find_parts(texts: Sequence[str], labels: IntArray, wanted: dict[str, int]) -> Iterator[tuple[int, int, int]]:
    """Yield the first and the last number plus one of unknown blocks that together are a block of the reading."""
    start = 0
    is_unknown = (labels == UNKNOWN).tolist()
    while start < len(texts):
        end = start
        while end < min(start + _MOST_PARTS, len(texts)) and is_unknown[end]:
            end += 1
        found = None
        for space in ("", " "):  # blocks that were cut within a line had none
            for n_parts, prefix in enumerate(hash_prefixes(texts[start:end], space), 1):
                if prefix in wanted and n_parts > max(1, found[1] - start if found else 1):
                    found = (start, start + n_parts, wanted[prefix])
        if found:
            yield found
        start = found[1] if found else start + 1
