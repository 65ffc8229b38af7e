"""Counts of what changed over many pages."""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from scrapy_web2text.features.stopwords import STOPWORDS
from scrapy_web2text.rounding import round_number

if TYPE_CHECKING:
    from scrapy_web2text.comparison.texts import TextChange

__all__ = ["PageChange", "PageChanges"]

_MOST_WORDS: Final = 10
_SHORTEST: Final = 3  # characters of a word that tells something


@dataclass(frozen=True, slots=True)
class PageChange:
    """What changed on a page.

    :param page: its URL, or the file that it is in.
    :param f1: see `TextChange`.
    """

    page: str
    f1: float
    n_gained: int
    n_lost: int

    def to_dict(self) -> dict[str, Any]:
        """Return the change as JSON-ready data."""
        return {"page": self.page, "f1": round_number(self.f1), "gained": self.n_gained, "lost": self.n_lost}


class PageChanges:
    """Counts changes page by page, and keeps the greatest.

    :param most: how many changed pages are kept, and how many of those that only one side has.
    """

    def __init__(self, most: int) -> None:
        self.n_equal = 0
        self.n_changed = 0
        self.n_layout = 0
        self.n_only_before = 0
        self.n_only_after = 0
        self.only_before: list[str] = []
        self.only_after: list[str] = []
        self.n_gained = 0
        self.n_lost = 0
        self._f1 = 0.0  # summed over changed pages
        self._most = most
        self._greatest: list[tuple[float, int, int, PageChange]] = []
        self._gained: Counter[str] = Counter()
        self._lost: Counter[str] = Counter()

    def add(self, page: str, change: TextChange) -> None:
        """Count a page that both sides have."""
        if change.is_equal:
            self.n_equal += 1
            return
        self.n_changed += 1
        self.n_layout += change.is_layout
        self._f1 += change.f1
        n_gained, n_lost = change.gained.total(), change.lost.total()
        self.n_gained += n_gained
        self.n_lost += n_lost
        for counts, words in ((self._gained, change.gained), (self._lost, change.lost)):
            counts.update(word for word in words if len(word) >= _SHORTEST and word not in STOPWORDS)
        entry = (1 - change.f1, n_gained + n_lost, -self.n_changed, PageChange(page, change.f1, n_gained, n_lost))
        (heapq.heappush if len(self._greatest) < self._most else heapq.heappushpop)(self._greatest, entry)

    def add_only(self, page: str, *, is_before: bool) -> None:
        """Count a page that only one side has."""
        self.n_only_before += is_before
        self.n_only_after += not is_before
        names = self.only_before if is_before else self.only_after
        if len(names) < self._most:
            names.append(page)

    @property
    def n_both(self) -> int:
        """Number of pages of both sides."""
        return self.n_equal + self.n_changed

    @property
    def mean_f1(self) -> float | None:
        """Mean word F1 of the pages of both sides; None if there are none."""
        return (self.n_equal + self._f1) / self.n_both if self.n_both else None

    @property
    def changed_f1(self) -> float | None:
        """Mean word F1 of the changed pages; None if there are none."""
        return self._f1 / self.n_changed if self.n_changed else None

    @property
    def greatest(self) -> list[PageChange]:
        """The pages that changed most, in this order: by F1, then by the number of words."""
        return [entry[-1] for entry in sorted(self._greatest, key=lambda entry: entry[:-1], reverse=True)]

    @property
    def words(self) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
        """The words that most pages gained, and those that most pages lost, each with its number of pages.

        Short words and English stopwords are left out.
        """
        gained, lost = (
            sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_MOST_WORDS]
            for counts in (self._gained, self._lost)
        )
        return gained, lost

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON-ready data."""
        gained, lost = self.words
        return {
            "equal": self.n_equal,
            "changed": self.n_changed,
            "layout_only": self.n_layout,
            "only_before": self.n_only_before,
            "only_after": self.n_only_after,
            "mean_f1": round_number(self.mean_f1),
            "mean_f1_of_changed": round_number(self.changed_f1),
            "gained": self.n_gained,
            "lost": self.n_lost,
            "gained_words": dict(gained),
            "lost_words": dict(lost),
            "pages": [change.to_dict() for change in self.greatest],
            "pages_only_before": self.only_before,
            "pages_only_after": self.only_after,
        }
