"""Fits labels to a page that has changed or whose blocks are cut in another way.

Blocks are matched by the hashes of their texts, at a cost in proportion to their number. `difflib.SequenceMatcher`
takes minutes for pages on which a thousand equal texts, such as the names of buttons, are between texts that changed.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from scrapy_web2text.alignment.anchors import find_heaviest_chain
from scrapy_web2text.common.arrays import IntArray
from scrapy_web2text.labels.files import PageLabels, find_runs, hash_text

# The label of a block that the reader did not see.
UNKNOWN: Final = -1
# With fewer blocks in common, the labels are for another page, or the page was cut by another rule.
_LEAST_IN_COMMON: Final = 0.9
_Pair = tuple[int, int]
# How often the values between two matches are matched again.
_MOST_ROUNDS: Final = 12


@dataclass(frozen=True, slots=True)
class Fit:
    """The labels of a page, taken over from older labels.

    :param labels: the label of each block; `UNKNOWN` for a block that the reader did not see. *Shape:* ``(n,)``
    :param lost: the numbers of the labeled blocks that the page no longer has.
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


def fit_labels(given: PageLabels, texts: Sequence[str], paths: Sequence[str] = ()) -> Fit:
    """Return the labels of blocks with *texts* by the labels that a reader gave to the page. No label is guessed.

    A block gets a label if the reader saw a block with its text, in the same order; of blocks with equal texts, the one
    with the same path is preferred. A block that has moved keeps its label if all blocks with its text have the same
    label.
    """
    hashes = [*map(hash_text, texts)]
    labels = np.full(len(hashes), UNKNOWN, dtype=np.int64)
    lost = set(range(given.n_blocks))
    known = given.labels
    for number, place in _match(given, hashes, paths):
        labels[place] = known[number]
        lost.discard(number)
    for number, place in _match_moved(given, known, hashes, labels, lost):
        labels[place] = known[number]
        lost.discard(number)
    return Fit(labels, tuple(sorted(lost)))


def label_all(given: PageLabels, texts: Sequence[str]) -> IntArray | None:
    """Return a label for every block of a page, to train or to judge by; None if a label is in doubt.

    If at least nine of ten texts are unchanged in their places, the reader's labels are returned. Otherwise, a new
    block gets the label that the blocks on both sides have, if all blocks that the page has lost had this label, too.

    :returns: None also if fewer than nine of ten blocks are in common. *Shape:* ``(len(texts),)``
    """
    hashes = [*map(hash_text, texts)]
    n_equal = sum(map(str.__eq__, hashes, given.hashes))
    if len(hashes) == given.n_blocks and n_equal >= _LEAST_IN_COMMON * given.n_blocks:
        return given.labels
    fit = fit_labels(given, texts)
    if len(texts) - fit.n_unknown < _LEAST_IN_COMMON * max(len(texts), given.n_blocks):
        return None
    labels, lost = fit.labels.copy(), given.labels[list(fit.lost)]
    for first, last in find_runs(fit.labels == UNKNOWN):
        possible = {*fit.labels[max(first - 1, 0) : last + 2].tolist(), *lost.tolist()} - {UNKNOWN}
        if len(possible) != 1:
            return None
        labels[first : last + 1] = possible.pop()
    return labels


def _match_moved(
    given: PageLabels, known: IntArray, hashes: Sequence[str], labels: IntArray, lost: set[int]
) -> list[tuple[int, int]]:
    """Return the old and new numbers of lost blocks whose text is elsewhere now, except texts with several labels."""
    labels_of: dict[str, set[int]] = {}
    for text, label in zip(given.hashes, known.tolist(), strict=True):
        labels_of.setdefault(text, set()).add(label)
    places: dict[str, deque[int]] = {}
    for place in np.flatnonzero(labels == UNKNOWN).tolist():
        places.setdefault(hashes[place], deque()).append(place)
    moved = [(number, given.hashes[number]) for number in sorted(lost)]
    clear = [(number, text) for number, text in moved if len(labels_of[text]) == 1]
    return [(number, places[text].popleft()) for number, text in clear if places.get(text)]


def _match(given: PageLabels, hashes: Sequence[str], paths: Sequence[str]) -> list[tuple[int, int]]:
    """Return the old and the new number of each labeled block that the page still has.

    Blocks are matched by text and path. If texts alone match more blocks, paths are ignored; this happens where new
    elements have changed the paths of blocks with equal texts.
    """
    by_text = match_in_order(given.hashes, hashes)
    if len(paths) != len(hashes) or len(given.paths) != given.n_blocks:
        return by_text
    old, new = zip(given.hashes, given.paths, strict=True), zip(hashes, paths, strict=True)
    by_path = match_in_order([*old], [*new])
    return by_path if len(by_path) >= len(by_text) else by_text


def match_in_order(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[_Pair]:
    """Return the places of equal values in both sequences, both in ascending order.

    Equal beginnings and ends are matched first, then values that occur once in both, then the values between two
    matches in the same way. Where no value occurs once, values that occur equally often are matched, then all others.
    """
    found: list[_Pair] = []
    gaps = [([*range(len(old))], [*range(len(new))], _MOST_ROUNDS)]
    while gaps:
        first, second, rounds = gaps.pop()
        common = {old[i] for i in first} & {new[k] for k in second}
        first = [i for i in first if old[i] in common]
        second = [k for k in second if new[k] in common]
        start, stop = _count_ends([old[i] for i in first], [new[k] for k in second])
        end, last = len(first) - stop, len(second) - stop
        found += [*zip(first[:start], second[:start], strict=True), *zip(first[end:], second[last:], strict=True)]
        first, second = first[start:end], second[start:last]
        pairs, is_final = _pair_values([old[i] for i in first], [new[k] for k in second])
        if not pairs:
            continue
        places = np.array([*pairs, (len(first), len(second))])  # the last one ends the chain, and is not a pair
        longest = find_heaviest_chain(places, places + 1, np.ones(len(places), dtype=np.int64))
        chain = [pairs[number] for number in longest[:-1]]
        found += [(first[i], second[k]) for i, k in chain]
        if rounds and not is_final:
            borders = [(-1, -1), *chain, (len(first), len(second))]
            for (i, k), (next_i, next_k) in pairwise(borders):
                gaps.append((first[i + 1 : next_i], second[k + 1 : next_k], rounds - 1))
    return sorted(found)


def _count_ends(first: Sequence[Hashable], second: Sequence[Hashable]) -> _Pair:
    """Return how many values at the beginning are equal, and how many of the others at the end."""
    most = min(len(first), len(second))
    start = next((n for n in range(most) if first[n] != second[n]), most)
    most -= start
    return start, next((n for n in range(most) if first[-1 - n] != second[-1 - n]), most)


def _pair_values(first: Sequence[Hashable], second: Sequence[Hashable]) -> tuple[list[_Pair], bool]:
    """Return pairs of places with equal values: the n-th occurrence in *first* with the n-th in *second*.

    Only values that occur once in both are paired; if there are none, values that occur equally often; else all.

    :returns: the pairs in order of their first place, and whether no value occurs equally often in both.
    """
    counts, others = Counter(first), Counter(second)
    equal = {value: n for value, n in counts.items() if n == others[value]}
    chosen = {value for value, n in equal.items() if n == 1} or {*equal} or {*counts}
    places: dict[Hashable, list[int]] = {}
    for k in reversed(range(len(second))):
        places.setdefault(second[k], []).append(k)
    pairs = [(i, places[value].pop()) for i, value in enumerate(first) if value in chosen and places.get(value)]
    return pairs, not equal
