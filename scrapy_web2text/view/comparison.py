"""Compares two answers for the same pages.

It compares the words of each page, counts changes over all pages, and lays out two texts as rows that are shown side by
side.
"""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from scrapy_web2text.common.display import round_number
from scrapy_web2text.evaluation.scores import WordScores, word_tokens
from scrapy_web2text.labels.fit import match_in_order
from scrapy_web2text.view.seen import facts_of_item


@dataclass(frozen=True, slots=True)
class TextChange:
    """The change between two texts, as bags of lower-case words.

    :param f1: word F1 of one text against the other, in [0, 1]; 1 for two texts without words.
    :param gained: words that the second text has more often, and how much more.
    :param lost: words that the first text has more often.
    :param is_equal: whether the texts are the same, character by character.
    :param lines: each line that only one text has -> whether the second text has it.
    """

    f1: float
    gained: Counter[str]
    lost: Counter[str]
    is_equal: bool = False
    lines: Mapping[str, bool] = field(default_factory=dict)

    @property
    def is_layout(self) -> bool:
        """Whether the words are the same, but their order or the characters between them differ."""
        return not self.is_equal and not self.gained and not self.lost


def compare_texts(before: str, after: str) -> TextChange:
    """Return what changed from the text *before* to the text *after*."""
    if before == after:
        return TextChange(1.0, Counter(), Counter(), is_equal=True)
    first, second = Counter(word_tokens(before)), Counter(word_tokens(after))
    scores = WordScores.of((first & second).total(), first.total(), second.total())
    old, new = ({line.strip()[:_LINE] for line in text.split("\n")} - {""} for text in (before, after))
    return TextChange(scores.f1, second - first, first - second, lines={line: line in new for line in old ^ new})


# The facts about an answer that are shown for each side.
_FACTS: Final = ("model", "method", "page_kind", "page_type", "confidence", "reason", "n_blocks", "n_content")
_MOST_LISTED: Final = 10  # lines
_LINE: Final = 100  # characters of a line that are compared and listed
_MOST_LINES: Final = 200_000  # counted lines; beyond that, the half with the fewest pages is forgotten


@dataclass(frozen=True, slots=True)
class PageChange:
    """The change of a page."""

    page: str
    f1: float
    n_gained: int
    n_lost: int

    def to_dict(self) -> dict[str, Any]:
        """Return the change as JSON-ready data."""
        return {"page": self.page, "f1": round_number(self.f1), "gained": self.n_gained, "lost": self.n_lost}


class PageChanges:
    """Counts changes page by page.

    :param most: number of pages that are kept: the pages with the greatest changes, and the first pages of each side
        that the other side lacks.
    """

    def __init__(self, most: int) -> None:
        self.n_equal = self.n_changed = self.n_layout = 0
        self.n_only_before = self.n_only_after = 0
        self.only_before: list[str] = []
        self.only_after: list[str] = []
        self.n_gained = self.n_lost = 0
        self._f1 = 0.0  # summed over changed pages
        self._most = most
        self._greatest: list[tuple[float, int, int, PageChange]] = []
        self._n_pages: Counter[str] = Counter()  # of each site
        self._lines: Counter[tuple[str, str, bool]] = Counter()  # each with its site, and whether it was gained

    def add(self, page: str, change: TextChange) -> None:
        """Count a page that both sides have."""
        host = page.partition("://")[2]
        site = host.partition("/")[0]
        self._n_pages[site] += 1
        if change.is_equal:
            self.n_equal += 1
            return
        self.n_changed += 1
        self.n_layout += change.is_layout
        self._f1 += change.f1
        n_gained, n_lost = change.gained.total(), change.lost.total()
        self.n_gained += n_gained
        self.n_lost += n_lost
        self._lines.update((site, line, is_gained) for line, is_gained in change.lines.items())
        if len(self._lines) > _MOST_LINES:
            self._lines = Counter(dict(self._lines.most_common(_MOST_LINES // 2)))
        entry = (1 - change.f1, n_gained + n_lost, -self.n_changed, PageChange(page, change.f1, n_gained, n_lost))
        heapq.heappush(self._greatest, entry)
        if len(self._greatest) > self._most:
            heapq.heappop(self._greatest)

    def add_only(self, page: str, *, is_before: bool) -> None:
        """Count a page that only one side has."""
        self.n_only_before += is_before
        self.n_only_after += not is_before
        names = self.only_before if is_before else self.only_after
        if len(names) < self._most:
            names.append(page)

    @property
    def n_both(self) -> int:
        """Number of pages that both sides have."""
        return self.n_equal + self.n_changed

    @property
    def mean_f1(self) -> float | None:
        """Mean word F1 of the pages that both sides have; None if there are no such pages."""
        return (self.n_equal + self._f1) / self.n_both if self.n_both else None

    @property
    def changed_f1(self) -> float | None:
        """Mean word F1 of the changed pages; None if no page has changed."""
        return self._f1 / self.n_changed if self.n_changed else None

    @property
    def greatest(self) -> list[PageChange]:
        """The pages that changed most, in this order: by F1, then by the number of words."""
        return [entry[-1] for entry in sorted(self._greatest, key=lambda entry: entry[:-1], reverse=True)]

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The lines that the largest numbers of pages of a site, two or more, gained or lost."""
        ranked = sorted(self._lines.items(), key=lambda item: (-item[1], item[0]))[:_MOST_LISTED]
        return [
            {"line": line, "gained": is_gained, "site": site, "pages": n_pages, "of": self._n_pages[site]}
            for (site, line, is_gained), n_pages in ranked
            if n_pages > 1
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return all counts and pages as JSON-ready data."""
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
            "lines": self.lines,
            "pages": [change.to_dict() for change in self.greatest],
            "pages_only_before": self.only_before,
            "pages_only_after": self.only_after,
        }


# A part of a line, and whether it is on this side only.
Piece = tuple[str, bool]
# The lines of both sides, each with its line break and cut into pieces. Lines that are equal on both sides are only in
# the first list, without the last line break; the second is None.
Row = tuple[list[Piece], list[Piece] | None]

# A word, a character of a script that is written without spaces, or another character; with the space after it.
_WORD: Final = re.compile(r"(?:[\u2e80-\u9fff\uf900-\ufaff]|[^\W\u2e80-\u9fff\uf900-\ufaff]+|\W)[^\S\n]*")
_LONGEST: Final = 500_000  # characters of a text that are shown
_CUT: Final = "\n[…]"


def align_texts(before: str, after: str) -> list[Row]:
    """Return the texts as rows. Neighboring equal lines are one row, and so are the lines between equal lines.

    At most half a million characters of each text are shown.
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
    first, second = ([word.rstrip() or word[0] for word in words] for words in (old, new))
    pairs = {*match_in_order(first, second)}
    kept = []
    for i, k in pairs:
        is_alone = pairs.isdisjoint({(i - 1, k - 1), (i + 1, k + 1)})
        # A full stop alone between changed words equals a full stop of the other side by chance.
        if old[i][0].isalnum() or not is_alone:
            kept.append((i, k))
    return _mark(old, {i for i, _ in kept}), _mark(new, {k for _, k in kept})


def _mark(words: Sequence[str], in_both: set[int]) -> list[Piece]:
    """Return *words* as pieces: neighbors are one piece if both are on one side only, or both on both sides."""
    marked = [(word, number not in in_both) for number, word in enumerate(words)]
    return [("".join(word for word, _ in group), changed) for changed, group in groupby(marked, key=itemgetter(1))]


def compare_page(
    change: PageChange,
    before: tuple[Mapping[str, Any], str],
    after: tuple[Mapping[str, Any], str],
    names: Sequence[str],
) -> dict[str, Any]:
    """Return what the document shows of a page, given the item and the text of each side."""
    seen = [facts_of_item(item, change.page) for item, _ in (before, after)]
    sides = [
        {"name": name, "facts": {key: each["facts"][key] for key in _FACTS if key in each["facts"]}}
        for name, each in zip(names, seen, strict=True)
    ]
    return {
        "name": change.page,
        "title": seen[1]["title"] or seen[0]["title"],
        "change": change.to_dict(),
        "before": sides[0],
        "after": sides[1],
        "blocks": [[*zip(each["texts"], each["probabilities"] or (), strict=False)] for each in seen],
        "rows": align_texts(before[1], after[1]),
    }
