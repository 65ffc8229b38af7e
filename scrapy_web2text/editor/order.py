"""The order in which pages are labeled: those whose labels are expected to teach the most are first."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Standing", "order_pages"]

# From this confidence on, a page is expected to be right.
_SURE: Final = 0.9


@dataclass(frozen=True, slots=True)
class Standing:
    """What the order of a page depends on.

    :param confidence: that of its answer; see `least_sure`.
    :param site: its host; empty if unknown.
    :param is_done: whether it is labeled.
    :param is_compared: whether another reader labeled it.
    """

    confidence: float
    site: str = ""
    is_done: bool = False
    is_compared: bool = False


def order_pages(pages: Sequence[Standing]) -> list[int]:
    """Return the numbers of *pages* in the order in which they are labeled.

    Pages that are labeled are last, and pages that another reader labeled first. Of the others, those with a low
    confidence are first, the lowest before all. Then the sites take turns, those with the fewest labeled pages first.
    """
    n_labeled = Counter(page.site for page in pages if page.is_done)
    keys: dict[int, tuple[bool, bool, bool, int, float]] = {}
    for number in sorted(range(len(pages)), key=lambda number: pages[number].confidence):
        page = pages[number]
        is_sure = page.confidence >= _SURE
        turn = n_labeled[page.site] if is_sure else 0
        keys[number] = (page.is_done, not page.is_compared, is_sure, turn, page.confidence)
        if not page.is_done:
            n_labeled[page.site] += 1
    return sorted(keys, key=keys.__getitem__)
