"""Equal values of two sequences, in order, at a cost in proportion to their lengths.

`difflib.SequenceMatcher` takes minutes for pages on which a thousand equal texts, such as the names of buttons, are
between texts that changed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

__all__ = ["match_in_order"]

_Pair = tuple[int, int]
# How often the values between two matches are matched again.
_MOST_ROUNDS: Final = 12


def match_in_order(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[_Pair]:
    """Return the places of equal values in both sequences, both in ascending order.

    Equal beginnings and ends are matched first, then values that occur once in both, then the values between two
    matches in the same way. Where no value occurs once, those are matched that occur equally often, then all others.
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
        chain = _longest_chain(pairs)
        found += [(first[i], second[k]) for i, k in chain]
        if chain and rounds and not is_final:
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
    """Return pairs of places with equal values: each occurrence with the one of its rank, of the clearest values.

    :returns: the pairs by their first place, and whether they are of values that do not occur equally often.
    """
    counts, others = Counter(first), Counter(second)
    equal = {value: n for value, n in counts.items() if n == others[value]}
    chosen = {value for value, n in equal.items() if n == 1} or {*equal} or {*counts}
    places: dict[Hashable, list[int]] = {}
    for k in reversed(range(len(second))):
        places.setdefault(second[k], []).append(k)
    pairs = [(i, places[value].pop()) for i, value in enumerate(first) if value in chosen and places.get(value)]
    return pairs, not equal


def _longest_chain(pairs: Sequence[_Pair]) -> list[_Pair]:
    """Return the longest part of *pairs* whose second places ascend, as their first ones do."""
    ends: list[int] = []  # the least last place of a chain of each length
    numbers: list[int] = []  # its pair
    before: list[int] = []  # the pair before each pair in its chain; -1 for the first one
    for number, (_, k) in enumerate(pairs):
        length = bisect_left(ends, k)
        before.append(numbers[length - 1] if length else -1)
        ends[length : length + 1] = [k]
        numbers[length : length + 1] = [number]
    chain: list[_Pair] = []
    number = numbers[-1] if numbers else -1
    while number >= 0:
        chain.append(pairs[number])
        number = before[number]
    return chain[::-1]
