"""The pages of the corpora as training pages."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import numpy as np

from scrapy_web2text.alignment.tokens import label_blocks
from scrapy_web2text.arrays import BoolArray, IntArray
from scrapy_web2text.evaluation.corpora import LabeledPage, open_corpus
from scrapy_web2text.evaluation.scores import WordScores, word_tokens
from scrapy_web2text.features.modern import ALL_COLUMNS, ColumnPlan, ModernFeatures, modern_features, read_hints
from scrapy_web2text.labelers.modern.repeats import collapsed_texts, is_in_code_or_table
from scrapy_web2text.page.blocks import MODERN_BLOCKS, Label, block_texts, mark_kept_leaves, segment
from scrapy_web2text.readings.fit import label_all
from scrapy_web2text.training.corpus_facts import CORPORA, corpus_facts
from scrapy_web2text.training.modern.batches import PAGE_TYPES, TrainingPage
from scrapy_web2text.training.modern.cuts import cut_page, random_of
from scrapy_web2text.training.modern.label_cache import LabelCache
from scrapy_web2text.training.pages import segment_page
from scrapy_web2text.training.progress import no_progress
from scrapy_web2text.training.splits import site_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from scrapy_web2text.page.arrays import Page
    from scrapy_web2text.page.blocks import BlockSequence
    from scrapy_web2text.readings.reading import Reading
    from scrapy_web2text.training.corpus_facts import CorpusFacts
    from scrapy_web2text.training.progress import Track

__all__ = ["MOST_BLOCKS", "JudgedPage", "corpus_style", "load_pages", "page_word_scores", "training_pages"]

# A page with more blocks would fill most of a batch.
MOST_BLOCKS: Final = 4000
# The corpus whose annotation habits users get: style 0.
_MODEL_CORPUS: Final = "wcxb"

logger = logging.getLogger(__name__)

NO_READINGS: Final[Mapping[str, Reading]] = MappingProxyType({})

_segment = partial(segment, segmentation=MODERN_BLOCKS)


@dataclass(frozen=True, slots=True, eq=False)
class JudgedPage:
    """A training page with the data that its answers are scored with.

    :param texts: the texts of the blocks, as `labelers.modern.repeats` compares them.
    :param is_in_code_or_table: which blocks are in code or tables, where equal lines recur. *Shape:* ``(n,)``
    :param words: ids of the words of all blocks, block by block. *Shape:* ``(w,)``
    :param n_words: number of words of each block. *Shape:* ``(n,)``
    :param gold: number of occurrences of each word in the text that answers are judged by: the content of the reading
        if the page has one, else the published clean text. The last entry counts the words of no block.
    :param published: the same of the published clean text; all 0 if the corpus has none.
    :param is_good: whether the page is fit for training: the clean text matches it, and it is not too long.
    :param site: the site of the page.
    :param is_read: whether labels and *gold* come from a reading.
    :param cut: a short page cut from it, which is trained on, too, but never scored; None if there is none.
    """

    page: TrainingPage
    texts: tuple[str, ...]
    is_in_code_or_table: BoolArray
    words: IntArray
    n_words: IntArray
    gold: IntArray
    published: IntArray
    is_good: bool
    site: str
    is_read: bool = False
    cut: TrainingPage | None = None

    def chosen_words(self, labels: IntArray) -> IntArray:
        """Return the ids of the words of all blocks that are content by *labels*. *Shapes:* ``(n,)`` -> ``(c,)``"""
        words: IntArray = self.words[np.repeat(labels == Label.CONTENT, self.n_words)]
        return words


def page_word_scores(page: JudgedPage, labels: IntArray, gold: IntArray | None = None) -> WordScores:
    """Return the word scores of a page with *labels*, as WCXB defines them. *Shape:* ``(n,)``

    :param gold: the counts to judge by; None for ``page.gold``.
    """
    gold = page.gold if gold is None else gold
    chosen = page.chosen_words(labels)
    n_gold = int(gold.sum())
    if not n_gold or not len(chosen):
        score = float(len(chosen) == n_gold)
        return WordScores(score, score, score)
    n_hit = float(np.minimum(np.bincount(chosen, minlength=len(gold)), gold).sum())
    return WordScores(n_hit / len(chosen), n_hit / n_gold, 2 * n_hit / (len(chosen) + n_gold))


def training_pages(pages: Iterable[JudgedPage]) -> list[TrainingPage]:
    """Return the pages that a network is fitted to: *pages*, each followed by what was cut from it."""
    return [each for page in pages for each in (page.page, page.cut) if each is not None]


def corpus_style(facts: CorpusFacts) -> int:
    """Return the annotation style of a corpus, below `N_STYLES`; 0 is the style of the model's answers."""
    if facts.name == _MODEL_CORPUS or facts.name not in CORPORA:
        return 0
    return 1 + int(facts.has_titles) + 2 * int(facts.has_comments) + 4 * int(facts.is_weak)


def load_pages(
    name: str,
    ids: Sequence[str],
    data: Path,
    cache: Path,
    *,
    weight: float = 1.0,
    keep_all: bool = False,
    plan: ColumnPlan = ALL_COLUMNS,
    readings: Mapping[str, Reading] = NO_READINGS,
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
    labels = LabelCache(cache / f"labels-{name.replace('/', '-')}.npz")
    pages = []
    n_unfit = 0
    corpus = open_corpus(name, data, needs_texts=not readings)
    for source in track(corpus.pages(ids), len(ids), title=name):
        judged = _judge(source, labels, facts, weight, plan)
        if judged is not None and source.id in readings:
            read = _read(judged, readings[source.id], by_certainty=by_certainty)
            n_unfit += read is None
            judged = read or judged
        if judged is not None and judged.is_good and random_of(source.id).random() < share_of_cuts:
            judged = replace(judged, cut=_cut(source, judged, plan))
        if judged is not None and (keep_all or judged.is_good):
            pages.append(judged)
    labels.save()
    _warn_of_readings(name, n_unfit, len(readings.keys() - {*corpus.ids}), len(readings))
    if len(pages) < len(ids):
        message = "%s: ignored %d of %d pages: too long, without text, or without most of the clean text"
        logger.warning(message, name, len(ids) - len(pages), len(ids))
    return pages


def _warn_of_readings(name: str, n_unfit: int, n_unknown: int, n: int) -> None:
    if n_unfit:
        logger.warning("%s: %d of %d readings no longer fit their pages", name, n_unfit, n)
    if n_unknown:
        logger.warning("%s: %d of %d readings are of pages that the corpus lacks", name, n_unknown, n)


def _features(page: Page, blocks: BlockSequence, plan: ColumnPlan) -> ModernFeatures:
    return modern_features(page, blocks, read_hints(page.document_landmarks), plan)


def _read(judged: JudgedPage, reading: Reading, *, by_certainty: bool) -> JudgedPage | None:
    """Return *judged* with the labels of its reading, or None if the reading does not fit the page."""
    labels = label_all(reading, judged.texts)
    if labels is None:
        return None
    named = PAGE_TYPES.index(reading.type) if reading.type in PAGE_TYPES else -1
    page = replace(
        judged.page,
        labels=labels,
        style=0,  # the guide for readers follows the corpus whose habits users get
        page_type=judged.page.page_type if judged.page.page_type >= 0 else named,
        weight=judged.page.weight * (reading.certainty if by_certainty else 1.0),
    )
    gold = np.bincount(judged.chosen_words(labels), minlength=len(judged.gold))
    return replace(judged, page=page, gold=gold, is_read=True, is_good=len(labels) <= MOST_BLOCKS)


def _cut(source: LabeledPage, judged: JudgedPage, plan: ColumnPlan) -> TrainingPage | None:
    """Return a short page cut from a page; its type is unknown, since a part of a forum need not look like one."""
    cut_id = f"{source.id} cut"
    cut = cut_page(source.html, judged.page.labels, judged.page.features.n_tokens, _segment, seed=cut_id)
    if cut is None:
        return None
    features = _features(cut.page, cut.blocks, plan)
    return replace(judged.page, id=cut_id, features=features, labels=cut.labels, page_type=-1)


def _judge(
    source: LabeledPage, labels: LabelCache, facts: CorpusFacts, weight: float, plan: ColumnPlan
) -> JudgedPage | None:
    """Return one page with its labels, or None if it cannot be parsed or has no blocks."""
    segmented = segment_page(source, _segment)
    if segmented is None:
        return None
    page, blocks = segmented
    coverage = labels.cover(source.id, page.texts, source.text, mark_kept_leaves(page, blocks))
    every = np.arange(blocks.n_blocks)
    numbers: dict[str, int] = {}
    words = [
        [numbers.setdefault(word, len(numbers)) for word in word_tokens(text)] for text in block_texts(page, blocks)
    ]
    gold = np.zeros(len(numbers) + 1, dtype=np.int64)
    for word in word_tokens(source.text):
        gold[numbers.get(word, len(numbers))] += 1
    return JudgedPage(
        TrainingPage(
            source.id,
            _features(page, blocks, plan),
            label_blocks(blocks, coverage),
            style=corpus_style(facts),
            page_type=PAGE_TYPES.index(source.kind) if source.kind in PAGE_TYPES else -1,
            weight=weight,
        ),
        texts=tuple(collapsed_texts(page, blocks, every)),
        is_in_code_or_table=is_in_code_or_table(page, blocks, every),
        words=np.array([number for block in words for number in block], dtype=np.int64),
        n_words=np.array([len(block) for block in words], dtype=np.int64),
        gold=gold,
        published=gold,
        is_good=coverage.is_good and blocks.n_blocks <= MOST_BLOCKS,
        site=site_of(facts, source),
    )
