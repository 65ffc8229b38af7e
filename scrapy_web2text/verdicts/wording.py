"""What a page says: its text and its headings, in lower case."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from scrapy_web2text.page.arrays import HEADING_TAGS
from scrapy_web2text.verdicts.markup import Markup
from scrapy_web2text.verdicts.phrases import ACCOUNT_PARTS, bare, fold, has_any
from scrapy_web2text.verdicts.search import find_sentences

if TYPE_CHECKING:
    from collections.abc import Collection

    from scrapy_web2text.arrays import IntArray
    from scrapy_web2text.labelers.base import Labeling
    from scrapy_web2text.page.arrays import Page

__all__ = ["MOST_TEXT", "Wording"]

MOST_TEXT: Final = 4_000  # characters
_MOST_HEADINGS: Final = 8
_MOST_SPACES: Final = 7  # of a heading that is one phrase
_LONGEST_HEADING: Final = 120  # characters
_SEPARATORS: Final = re.compile(r"\s[|–—·•»«›:/-]{1,3}\s|[|»«›·•]")


class Wording(Markup):
    """What a page says.

    :param page: the page.
    :param labeling: the labels of its blocks.
    """

    def __init__(self, page: Page, labeling: Labeling) -> None:
        super().__init__(page)
        self._labeling = labeling

    @cached_property
    def text(self) -> str:
        """The beginning of the text."""
        return self._beginning(self._labeling.blocks.leaves)

    @cached_property
    def headings(self) -> tuple[str, ...]:
        """The title of the page, its parts, and the headings of the highest level, without marks around them."""
        found = []
        for title in self.page.document_landmarks.titles[:1]:
            text = (title.text or "")[:1000]
            found += [text, *_SEPARATORS.split(text), text.rpartition(": ")[2]]
        page = self.page
        for tag in HEADING_TAGS[:3]:
            headings = np.flatnonzero(page.tags_in({tag}))[:_MOST_HEADINGS]
            if not len(headings):
                continue
            first, stop = page.leaf_ranges(np.arange(page.n_leaves))
            for start, end in zip(first[headings].tolist(), stop[headings].tolist(), strict=True):
                found.append(" ".join(page.texts[start : min(end, start + 20)]))
            break
        folded = (bare(fold(text[:1000])) for text in found)
        return tuple(dict.fromkeys(text for text in folded if text and len(text) <= _LONGEST_HEADING))

    def has_heading(self, wanted: Collection[str]) -> bool:
        """Return whether the title, one of its parts or a heading is among *wanted*."""
        return any(heading in wanted for heading in self.headings)

    def has_only_word(self, wanted: Collection[str]) -> bool:
        """Return whether all headings among *wanted* are single words, which can have other meanings."""
        return all(" " not in heading and heading[0] < "\u3000" for heading in self.headings if heading in wanted)

    def says_in_heading(self, phrases: Collection[str]) -> bool:
        """Return whether one of *phrases* is in a heading."""
        return any(
            2 * len(phrase) > len(heading)
            for heading in self.headings
            for phrase in filter(heading.__contains__, phrases)
        )

    def says(self, sentences: Collection[str]) -> bool:
        """Return whether one of *sentences*, which are in `SENTENCES`, is in the text."""
        return not self._said.isdisjoint(sentences)

    def count_said(self, sentences: frozenset[str]) -> int:
        """Return how many of *sentences*, which are in `SENTENCES`, are in the text."""
        return len(self._said & sentences)

    @cached_property
    def _said(self) -> frozenset[str]:
        return find_sentences(self.text)

    @cached_property
    def mentions_account(self) -> bool:
        """Whether a short heading has a phrase of forms for an account as a part."""
        short = [f" {heading} " for heading in self.headings if heading.count(" ") < _MOST_SPACES]
        return any(has_any(ACCOUNT_PARTS, heading) for heading in short)

    def _beginning(self, leaves: IntArray) -> str:
        """Return the beginning of the text of *leaves*. *Shape:* ``(k,)``"""
        texts, n = [], 0
        for leaf in leaves.tolist():
            texts.append(self.page.texts[leaf][:MOST_TEXT])
            n += len(texts[-1])
            if n > MOST_TEXT:
                break
        return fold(" ".join(texts))
