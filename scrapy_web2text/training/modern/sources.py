"""The pages that a recipe names, read from the folder of the corpora, and their alignments, which are kept in files."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from scrapy_web2text.evaluation.corpora import open_corpus
from scrapy_web2text.features.modern import ALL_COLUMNS, ColumnPlan
from scrapy_web2text.labels.files import read_labels
from scrapy_web2text.training.corpora import corpus_facts, corpus_ids, no_progress
from scrapy_web2text.training.modern.cuts import random_of
from scrapy_web2text.training.modern.data import CoverageCache, cut_short, judge_page, use_labels
from scrapy_web2text.training.modern.recipe import READ

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy_web2text.labels.files import PageLabels
    from scrapy_web2text.training.corpora import Track
    from scrapy_web2text.training.modern.data import JudgedPage
    from scrapy_web2text.training.modern.recipe import CorpusChoice, ModernRecipe

logger = logging.getLogger(__name__)
NO_LABELS: Final[Mapping[str, PageLabels]] = MappingProxyType({})


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
    readings: Mapping[str, Mapping[str, PageLabels]] = field(default_factory=dict)
    track: Track = no_progress

    @classmethod
    def of(cls, recipe: ModernRecipe, splits: Path, data: Path, cache: Path, track: Track = no_progress) -> Sources:
        """Return the sources with the labels files of *recipe*, which are next to *splits*.

        Labels of corpora that *recipe* does not name are logged as a warning.

        :raises ValueError: if a file is not a labels file.
        """
        choice = recipe.readings
        found = {}
        for name in choice.files:
            try:
                found.update(read_labels(splits.parent / name))
            except ValueError as error:
                raise ValueError(f"readings.files: {error}") from None
        readings: dict[str, dict[str, PageLabels]] = {}
        for (corpus, page_id), reading in found.items():
            if reading.certainty >= choice.least_certainty:
                readings.setdefault(corpus, {})[page_id] = reading
        for corpus in sorted(readings.keys() - {recipe.val, *(each.name for each in recipe.corpora)}):
            logger.warning(
                "%r: ignored the labels of %d pages: the recipe has no such corpus", corpus, len(readings[corpus])
            )
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
                raise ValueError(f"corpus {corpus}: expected labels of its pages for the part read, found none")
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


def load_pages(
    name: str,
    ids: Sequence[str],
    data: Path,
    cache: Path,
    *,
    weight: float = 1.0,
    keep_all: bool = False,
    plan: ColumnPlan = ALL_COLUMNS,
    readings: Mapping[str, PageLabels] = NO_LABELS,
    by_certainty: bool = False,
    share_of_cuts: float = 0.0,
    track: Track = no_progress,
) -> list[JudgedPage]:
    """Return some pages of a corpus with features and labels; the labels are kept in the folder *cache*.

    Pages without blocks are skipped, and the number of skipped pages is logged as a warning.

    :param keep_all: whether to return pages that are not fit for training, too.
    :param plan: the dense columns.
    :param readings: labels by page id that take the place of the published clean text; the number of those that no
        longer fit their pages, or have none in the corpus, is logged as a warning.
    :param by_certainty: whether the certainty of a reading is a factor of the weight of its page.
    :param share_of_cuts: share of the pages fit for training from which a short page is cut.
    :raises ValueError: if the corpus does not exist or lacks a page.
    """
    facts = corpus_facts(name)
    coverages = CoverageCache(cache / f"labels-{name.replace('/', '-')}.npz")
    pages = []
    n_unfit = 0
    corpus = open_corpus(name, data, needs_texts=not readings)
    for source in track(corpus.pages(ids), len(ids), title=name):
        judged = judge_page(source, coverages, facts, weight, plan)
        if judged is not None and source.id in readings:
            read = use_labels(judged, readings[source.id], by_certainty=by_certainty)
            n_unfit += read is None
            judged = read or judged
        if judged is not None and judged.is_good and random_of(source.id).random() < share_of_cuts:
            judged = replace(judged, cut=cut_short(source, judged, plan))
        if judged is not None and (keep_all or judged.is_good):
            pages.append(judged)
    coverages.save()
    _warn_of_readings(name, n_unfit, len(readings.keys() - {*corpus.ids}), len(readings))
    if len(pages) < len(ids):
        message = "%s: ignored %d of %d pages: too long, without text, or without most of the clean text"
        logger.warning(message, name, len(ids) - len(pages), len(ids))
    return pages


def _warn_of_readings(name: str, n_unfit: int, n_unknown: int, n: int) -> None:
    if n_unfit:
        logger.warning("%s: the labels of %d of %d pages no longer fit them", name, n_unfit, n)
    if n_unknown:
        logger.warning("%s: the labels of %d of %d pages are ignored: the corpus lacks the pages", name, n_unknown, n)
