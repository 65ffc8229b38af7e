"""The leaves of a fragment that a reader does not see, or that only lead elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Final

import numpy as np

from scrapy_web2text.arrays import BoolArray, IntArray
from scrapy_web2text.budget import watched
from scrapy_web2text.labelers.fragment.phrases import is_call_to_read
from scrapy_web2text.labelers.fragment.signs import read_signs
from scrapy_web2text.page.arrays import HEADING_TAGS, Page

__all__ = ["Furniture"]

_LINKS: Final = frozenset({"a"})
# Words. A longer element is not furniture, whatever its name or target is.
_MOST_WORDS: Final = 40
_MOST_PLUGIN_WORDS: Final = 100
_MOST_SHARE_LINK_WORDS: Final = 12
_LONGEST_LINK: Final = 300  # characters
# A form with more of the words is the frame of the whole text, as ASP.NET writes it.
_MOST_FORM_SHARE: Final = 0.5


class Furniture:
    """What a reader of a fragment does not see, its navigation, its forms, and its links to share and read more.

    Each part is read when it is first asked for.

    :param page: the fragment.
    """

    def __init__(self, page: Page) -> None:
        self._page = page
        self._signs = read_signs(page)

    @cached_property
    def links(self) -> IntArray:
        """The links to other pages, in document order, also those of furniture. *Shape:* any"""
        away = np.array(self._signs.leading_away, dtype=np.int64)
        links: IntArray = away[self._page.tags_in(_LINKS)[away]]
        return links

    @cached_property
    def shares(self) -> BoolArray:
        """Which elements are links and buttons to share and to follow, or are around these alone. *Shape:* ``(n,)``"""
        signs, shares = self._signs, np.zeros(self._page.n_elements, dtype=bool)
        if signs.plugins or signs.links or signs.shares:
            words, linked_words = self._sum_inside(self.n_words), self._sum_inside(self.n_words * self.in_links)
            shares |= _mark(signs.plugins, words <= _MOST_PLUGIN_WORDS)
            shares |= _mark(signs.links, (words <= _MOST_WORDS) & (2 * linked_words >= words))
            shares |= _mark(signs.shares, words <= _MOST_SHARE_LINK_WORDS)
        return shares

    def find_calls_to_read(self, links: IntArray) -> Iterator[bool]:
        """Yield for each of *links* whether its whole text is a form of "read more"."""
        texts, (first, stop) = self._page.texts, self._ranges
        for start, end in watched(zip(first[links].tolist(), stop[links].tolist(), strict=True), len(links)):
            parts = texts[start:end] if end - start <= _LONGEST_LINK else []
            is_short = 0 < sum(map(len, parts)) <= _LONGEST_LINK
            yield is_short and is_call_to_read(" ".join("".join(parts).split()))

    @cached_property
    def leaves(self) -> BoolArray:
        """Which leaves are in furniture, or hidden. *Shape:* ``(m,)``

        The first element never counts, as the caller has chosen it.
        """
        page, signs = self._page, self._signs
        chosen = self.shares | page.tags_in({"nav"})
        links = np.flatnonzero(page.tags_in(_LINKS))
        chosen[links[np.fromiter(self.find_calls_to_read(links), bool, len(links))]] = True
        chosen[[*signs.hidden, *signs.frames]] = True
        words = self._sum_inside(self.n_words)
        chosen |= page.tags_in({"form"}) & (words <= max(_MOST_WORDS, _MOST_FORM_SHARE * words[0]))
        # The questions of a list of questions are often buttons.
        in_heading = page.count_enclosing(page.tags_in({*HEADING_TAGS, "dt", "summary"}))[page.open_slots] > 0
        buttons = page.tags_in({"button"}) & ~in_heading
        buttons[[*signs.openers]] = False
        chosen |= buttons
        chosen[0] = False
        is_inside: BoolArray = page.count_enclosing(chosen)[page.leaf_slots] > 0
        return is_inside

    @cached_property
    def n_words(self) -> IntArray:
        """Number of words of each leaf. *Shape:* ``(m,)``"""
        return np.array([len(text.split()) for text in watched(self._page.texts)], dtype=np.int64)

    @cached_property
    def in_links(self) -> BoolArray:
        """Which leaves are in links and buttons. *Shape:* ``(m,)``"""
        page = self._page
        is_inside: BoolArray = page.count_enclosing(page.tags_in({"a", "button"}))[page.leaf_slots] > 0
        return is_inside

    @cached_property
    def _ranges(self) -> tuple[IntArray, IntArray]:
        return self._page.leaf_ranges(np.arange(self._page.n_leaves))

    def _sum_inside(self, values: IntArray) -> IntArray:
        """Return the sum of *values* over the leaves inside each element. *Shapes:* ``(m,)`` -> ``(n,)``"""
        first, stop = self._ranges
        sums = np.zeros(len(values) + 1, dtype=np.int64)
        values.cumsum(out=sums[1:])
        inside: IntArray = sums[stop] - sums[first]
        return inside


def _mark(elements: list[int], allowed: BoolArray) -> BoolArray:
    """Return which elements are among *elements* and *allowed*. *Shapes:* ``(n,)`` twice"""
    marked = np.zeros(len(allowed), dtype=bool)
    marked[elements] = True
    marked &= allowed
    return marked
