"""The pages that a recipe names, read from the folder of the corpora."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from scrapy_web2text.features.modern import ALL_COLUMNS, ColumnPlan
from scrapy_web2text.readings.files import read_readings
from scrapy_web2text.training.modern.data import load_pages
from scrapy_web2text.training.modern.recipe import READ
from scrapy_web2text.training.progress import no_progress
from scrapy_web2text.training.splits import corpus_ids

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from scrapy_web2text.readings.reading import Reading
    from scrapy_web2text.training.modern.data import JudgedPage
    from scrapy_web2text.training.modern.recipe import CorpusChoice, ModernRecipe
    from scrapy_web2text.training.progress import Track

__all__ = ["Sources"]

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class Sources:
    """Where the pages of a recipe and their labels are.

    :param splits: JSON file of page ids by corpus and part.
    :param data: the folder of the corpora.
    :param cache: folder for leaf coverages.
    :param plan: the dense columns of the pages.
    :param by_certainty: whether the certainty of a reading is a factor of the weight of its page.
    :param share_of_cuts: share of the pages from which a short page is cut, see `training.modern.cuts`.
    :param readings: the readings in use, by corpus and page id.
    :param track: shows the progress over the pages.
    """

    splits: Path
    data: Path
    cache: Path
    plan: ColumnPlan = ALL_COLUMNS
    by_certainty: bool = False
    share_of_cuts: float = 0.0
    readings: Mapping[str, Mapping[str, Reading]] = field(default_factory=dict)
    track: Track = no_progress

    @classmethod
    def of(cls, recipe: ModernRecipe, splits: Path, data: Path, cache: Path, track: Track = no_progress) -> Sources:
        """Return the sources with the readings of *recipe*, whose files are next to *splits*.

        Readings of corpora that *recipe* does not name are logged as a warning.

        :raises ValueError: if a file is not a file of readings.
        """
        choice = recipe.readings
        found = {}
        for name in choice.files:
            try:
                found.update(read_readings(splits.parent / name))
            except ValueError as error:
                raise ValueError(f"readings.files: {error}") from None
        readings: dict[str, dict[str, Reading]] = {}
        for (corpus, page_id), reading in found.items():
            if reading.certainty >= choice.least_certainty:
                readings.setdefault(corpus, {})[page_id] = reading
        for corpus in sorted(readings.keys() - {recipe.val, *(each.name for each in recipe.corpora)}):
            logger.warning("%r: ignored %d readings: the recipe has no such corpus", corpus, len(readings[corpus]))
        cuts = recipe.training.share_of_cuts
        return cls(splits, data, cache, recipe.network.plan, choice.by_certainty, cuts, readings, track)

    def load_labeled(self, corpora: Sequence[CorpusChoice]) -> list[JudgedPage]:
        """Return the pages of *corpora* that a network can be trained on.

        :raises ValueError: if a corpus or a part does not exist.
        """
        pages: list[JudgedPage] = []
        for choice in corpora:
            pages += self._load(choice.name, self._find_ids(choice.name, choice.part), choice.weight)
        return pages

    def load_part(self, corpus: str, part: str) -> list[JudgedPage]:
        """Return all pages of one part of a corpus that have blocks, also those that are not fit for training.

        :raises ValueError: if the corpus or the part does not exist.
        """
        return self.load_all(corpus, self._find_ids(corpus, part))

    def load_all(self, corpus: str, ids: Sequence[str]) -> list[JudgedPage]:
        """Return the pages with *ids* that have blocks, also those that are not fit for training.

        :raises ValueError: if the corpus does not exist or lacks a page.
        """
        return self._load(corpus, ids, keep_all=True)

    def _find_ids(self, corpus: str, part: str) -> tuple[str, ...]:
        if part == READ:
            ids = tuple(self.readings.get(corpus, ()))
            if not ids:
                raise ValueError(f"corpus {corpus}: expected readings of its pages for the part read, found none")
            return ids
        return corpus_ids(corpus, part, self.data, self.splits)

    def _load(
        self, corpus: str, ids: Sequence[str], weight: float = 1.0, *, keep_all: bool = False
    ) -> list[JudgedPage]:
        return load_pages(
            corpus,
            ids,
            self.data,
            self.cache,
            weight=weight,
            keep_all=keep_all,
            plan=self.plan,
            readings=self.readings.get(corpus, {}),
            by_certainty=self.by_certainty,
            share_of_cuts=self.share_of_cuts,
            track=self.track,
        )
