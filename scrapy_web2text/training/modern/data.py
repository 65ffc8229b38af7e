"""The pages of a recipe, read from the corpora: their features, their labels, and the words for scoring answers."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Final

import numpy as np

from scrapy_web2text.alignment.tokens import cover_leaves, label_blocks
from scrapy_web2text.common.arrays import IntArray
from scrapy_web2text.evaluation.corpora import CorpusPage, open_corpus
from scrapy_web2text.evaluation.scores import WordScores, word_tokens
from scrapy_web2text.extraction import Label
from scrapy_web2text.features.modern.page import modern_features
from scrapy_web2text.labelers.modern.comments import TYPES_OF_COMMENTS
from scrapy_web2text.labelers.modern.decisions import Evidence
from scrapy_web2text.labelers.modern.parts import Parts
from scrapy_web2text.labelers.modern.repeats import BlockTexts
from scrapy_web2text.labels.files import PageLabels, read_labels
from scrapy_web2text.labels.fit import label_all
from scrapy_web2text.labels.pages import PageBlocks
from scrapy_web2text.page.blocks import block_texts, mark_kept_leaves
from scrapy_web2text.training.corpora import (
    CORPORA,
    CorpusFacts,
    Track,
    corpus_facts,
    corpus_ids,
    no_progress,
    parse_page,
    site_of,
)
from scrapy_web2text.training.modern.batches import TrainingPage
from scrapy_web2text.training.modern.cuts import cut_page, random_of
from scrapy_web2text.training.modern.recipe import READ, CorpusChoice, ModernRecipe
from scrapy_web2text.verdicts.kinds import PAGE_TYPES

logger = logging.getLogger(__name__)

# Blocks. A longer page would fill most of a batch.
MOST_BLOCKS: Final = 4000
# The corpus whose annotation habits the answers follow: style 0.
_MODEL_CORPUS: Final = "wcxb"
_HABITS: Final = {1: "titles", 2: "comments", 4: "container"}


@dataclass(frozen=True, slots=True, eq=False)
class JudgedPage:
    """A training page with the data for scoring its answers.

    :param texts: the texts of the blocks, as labels hash them.
    :param evidence: what the decisions about the page need to know of it.
    :param words: ids of the words of all blocks, block by block. *Shape:* ``(w,)``
    :param n_words: number of words of each block. *Shape:* ``(n,)``
    :param gold: number of occurrences of each word in the true content: by the reader labels, if the page has them,
        else in the published clean text. The last entry counts the words that are in no block.
    :param published: number of occurrences in the published clean text; all 0 if the corpus has none.
    :param is_good: whether the page is fit for training: it matches its clean text, and is not too long.
    :param has_reader_labels: whether a reader labeled the page.
    :param cut: a short page cut from this page, for training only, never scored; None if there is none.
    """

    page: TrainingPage
    texts: tuple[str, ...]
    evidence: Evidence
    words: IntArray
    n_words: IntArray
    gold: IntArray
    published: IntArray
    is_good: bool = True
    site: str = ""
    has_reader_labels: bool = False
    cut: TrainingPage | None = None

    def chosen_words(self, labels: IntArray) -> IntArray:
        """Return the ids of the words of all blocks that are content by *labels*. *Shapes:* ``(n,)`` -> ``(c,)``"""
        return self.words[np.repeat(labels == Label.CONTENT, self.n_words)]


class _KeptTexts(BlockTexts):
    def __init__(self, of_page: BlockTexts, texts: Sequence[str]) -> None:
        self._texts = texts
        self.is_exempt, self.is_quoted = of_page.is_exempt, of_page.is_quoted

    def read(self, chosen: IntArray) -> list[str]:
        return [self._texts[i] for i in chosen.tolist()]


class _KeptParts(Parts):
    def __init__(self, of_page: Parts) -> None:
        vars(self).update(vars(of_page))
        blocks = np.arange(len(of_page.is_formula))[:, None]
        self._boxes = [[*of_page.find_boxes(block)] for block in blocks]
        del self._page

    def find_boxes(self, chosen: IntArray) -> Iterator[tuple[int, int]]:
        return chain.from_iterable(self._boxes[i] for i in chosen.tolist())


def keep_evidence(evidence: Evidence, texts: Sequence[str]) -> Evidence:
    """Return *evidence* without its page: the trees of all pages of a training would take too much memory.

    :param texts: the texts of all blocks of the page.
    """
    return replace(evidence, parts=_KeptParts(evidence.parts), texts=_KeptTexts(evidence.texts, texts))


def page_word_scores(page: JudgedPage, labels: IntArray, gold: IntArray | None = None) -> WordScores:
    """Return the scores of *labels* for a page, as WCXB defines them.

    :param labels: the label of each block. *Shape:* ``(n,)``
    :param gold: number of occurrences of each word in the true content; None for ``page.gold``.
    """
    gold = page.gold if gold is None else gold
    chosen = page.chosen_words(labels)
    n_hit = float(np.minimum(np.bincount(chosen, minlength=len(gold)), gold).sum())
    return WordScores.of(n_hit, len(chosen), int(gold.sum()))


def training_pages(pages: Iterable[JudgedPage]) -> list[TrainingPage]:
    """Return the pages to which a network is fitted: *pages*, each followed by its cut page, if it has one."""
    return [each for page in pages for each in (page.page, page.cut) if each is not None]


def corpus_style(facts: CorpusFacts) -> int:
    """Return the annotation style of a corpus, below `N_STYLES`; 0 is the style of the model's answers."""
    if facts.name == _MODEL_CORPUS or facts.name not in CORPORA:
        return 0
    return 1 + sum(number for number, habit in _HABITS.items() if habit in facts.habits)


@dataclass(frozen=True, slots=True, eq=False)
class Sources:
    """The places of the pages of a recipe.

    :param reader_labels: labels that replace published texts, by corpus and page id.
    """

    data: Path
    splits: Path | None = None
    by_certainty: bool = False
    share_of_cuts: float = 0.0
    reader_labels: Mapping[str, Mapping[str, PageLabels]] = field(default_factory=dict)
    track: Track = no_progress

    @classmethod
    def of(cls, recipe: ModernRecipe, splits: Path, data: Path, track: Track = no_progress) -> Sources:
        """Return the sources of *recipe*, with its labels files, which are next to *splits*.

        A warning is logged for labels of corpora that *recipe* does not name.
        """
        choice = recipe.readings
        found = {}
        for name in choice.files:
            try:
                found.update(read_labels(splits.parent / name))
            except ValueError as error:
                raise ValueError(f"readings.files: {error}") from None
        reader_labels: dict[str, dict[str, PageLabels]] = {}
        for (corpus, page_id), given in found.items():
            if given.certainty >= choice.least_certainty:
                reader_labels.setdefault(corpus, {})[page_id] = given
        for corpus in sorted(reader_labels.keys() - {recipe.val, *(each.name for each in recipe.corpora)}):
            logger.warning(
                "%r: ignored the labels of %d pages: the recipe has no such corpus", corpus, len(reader_labels[corpus])
            )
        cuts = recipe.training.share_of_cuts
        return cls(data, splits, choice.by_certainty, cuts, reader_labels, track)

    def load_labeled(self, corpora: Sequence[CorpusChoice]) -> list[JudgedPage]:
        """Return the pages of *corpora* that a network can be trained on."""
        pages: list[JudgedPage] = []
        for choice in corpora:
            pages += self.load(choice.name, self.find_ids(choice.name, choice.part), choice.weight)
        return pages

    def find_ids(self, corpus: str, part: str) -> tuple[str, ...]:
        """Return the ids of the pages in one part of a corpus."""
        if part != READ:
            return corpus_ids(corpus, part, self.data, self.splits)
        if corpus not in self.reader_labels:
            raise ValueError(f"corpus {corpus}: expected labels of its pages for the part read, found none")
        return tuple(self.reader_labels[corpus])

    def load(self, name: str, ids: Sequence[str], weight: float = 1.0, *, keep_all: bool = False) -> list[JudgedPage]:
        """Return the pages of a corpus with *ids* that have blocks.

        Warnings give the number of pages that are left out, and the number of labels that fit no page.

        :param keep_all: whether to return also pages that are not fit for training.
        """
        labeled = self.reader_labels.get(name, {})
        corpus = open_corpus(name, self.data, needs_texts=not labeled)
        pages = []
        n_unfit = 0
        for source in self.track(corpus.pages(ids), len(ids), title=name):
            judged = read_judged_page(source, corpus_facts(name), weight)
            if judged is None:
                continue
            if source.id in labeled:
                read = use_labels(judged, labeled[source.id], by_certainty=self.by_certainty)
                n_unfit += read is None
                judged = read or judged
            if judged.is_good and random_of(source.id).random() < self.share_of_cuts:
                judged = replace(judged, cut=_make_cut_page(source, judged))
            if keep_all or judged.is_good:
                pages.append(judged)
        if n_unfit:
            logger.warning("%s: the labels of %d of %d pages no longer fit them", name, n_unfit, len(labeled))
        n_unknown = len(labeled.keys() - {*corpus.ids})
        if n_unknown:
            message = "%s: the labels of %d of %d pages are ignored: the corpus lacks the pages"
            logger.warning(message, name, n_unknown, len(labeled))
        if len(pages) < len(ids):
            message = "%s: ignored %d of %d pages: too long, without text, or without most of the clean text"
            logger.warning(message, name, len(ids) - len(pages), len(ids))
        return pages


def read_judged_page(source: CorpusPage, facts: CorpusFacts, weight: float) -> JudgedPage | None:
    """Return a page with its labels; None if it cannot be parsed or has no blocks."""
    page = parse_page(source)
    if page is None:
        return None
    found = PageBlocks.of(page)
    blocks = found.blocks
    if not blocks.n_blocks:
        logger.debug("Ignoring page %s: no blocks", source.id)
        return None
    coverage = cover_leaves(page.texts, source.text, mark_kept_leaves(page, blocks))
    numbers: dict[str, int] = {}
    words = [
        [numbers.setdefault(word, len(numbers)) for word in word_tokens(text)] for text in block_texts(page, blocks)
    ]
    gold = np.zeros(len(numbers) + 1, dtype=np.int64)
    for word in word_tokens(source.text):
        gold[numbers.get(word, len(numbers))] += 1
    features = modern_features(page, blocks)
    return JudgedPage(
        TrainingPage(
            source.id,
            features,
            label_blocks(blocks, coverage),
            style=corpus_style(facts),
            page_type=PAGE_TYPES.index(source.kind) if source.kind in PAGE_TYPES else -1,
            weight=weight,
        ),
        texts=found.texts,
        evidence=keep_evidence(
            Evidence.of(page, blocks, features, comments_are_content=source.kind in TYPES_OF_COMMENTS), found.texts
        ),
        words=np.array([number for block in words for number in block], dtype=np.int64),
        n_words=np.array([len(block) for block in words], dtype=np.int64),
        gold=gold,
        published=gold,
        is_good=coverage.is_good and blocks.n_blocks <= MOST_BLOCKS,
        site=site_of(facts, source),
    )


def use_labels(judged: JudgedPage, given: PageLabels, *, by_certainty: bool) -> JudgedPage | None:
    """Return *judged* with the labels *given*; None if they do not fit the page."""
    labels = label_all(given, judged.texts)
    if labels is None:
        return None
    named = PAGE_TYPES.index(given.type) if given.type in PAGE_TYPES else -1
    page = replace(
        judged.page,
        labels=labels,
        style=0,  # the guide for readers has the habits of style 0
        page_type=judged.page.page_type if judged.page.page_type >= 0 else named,
        weight=judged.page.weight * (given.certainty if by_certainty else 1.0),
    )
    gold = np.bincount(judged.chosen_words(labels), minlength=len(judged.gold))
    return replace(judged, page=page, gold=gold, has_reader_labels=True, is_good=len(labels) <= MOST_BLOCKS)


def _make_cut_page(source: CorpusPage, judged: JudgedPage) -> TrainingPage | None:
    """Return a short page cut from a page. Its type is unknown, since a part of a forum may not look like a forum."""
    cut_id = f"{source.id} cut"
    cut = cut_page(source.html, judged.page.labels, judged.page.features.n_tokens, seed=cut_id)
    if cut is None:
        return None
    page, blocks, labels = cut
    features = modern_features(page, blocks)
    return replace(judged.page, id=cut_id, features=features, labels=labels, page_type=-1)
