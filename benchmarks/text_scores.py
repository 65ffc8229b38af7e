"""The word F1 of extracted texts, page by page."""

from __future__ import annotations

from statistics import mean, median
from typing import NamedTuple

__all__ = ["TextScores"]


class TextScores(NamedTuple):
    """The word F1 of a rule on each page, in percent, by the name of the clean texts."""

    name: str
    pages: dict[str, list[float]]

    @property
    def means(self) -> dict[str, float]:
        """The means over the pages."""
        return {title: mean(scores) for title, scores in self.pages.items()}

    @property
    def medians(self) -> dict[str, float]:
        """The medians over the pages."""
        return {title: median(scores) for title, scores in self.pages.items()}
