"""The pages of the corpora as training pages; their alignments are kept in files, which a change of features spares."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from scrapy_web2text.alignment.tokens import LeafCoverage, cover_leaves, label_blocks
from scrapy_web2text.common.arrays import AnyArray, BoolArray, IntArray
from scrapy_web2text.evaluation.corpora import LabeledPage
from scrapy_web2text.evaluation.scores import WordScores, word_tokens
from scrapy_web2text.features.modern import ColumnPlan, ModernFeatures, modern_features, read_hints
from scrapy_web2text.labelers.modern.repeats import is_in_code_or_table
from scrapy_web2text.labels.fit import label_all
from scrapy_web2text.labels.pages import PageBlocks
from scrapy_web2text.page.blocks import MODERN_BLOCKS, Label, block_texts, mark_kept_leaves, segment
from scrapy_web2text.training.corpora import (
    CORPORA,
    parse_page,
    read_cache,
    site_of,
    write_cache,
)
from scrapy_web2text.training.modern.batches import PAGE_TYPES, TrainingPage
from scrapy_web2text.training.modern.cuts import cut_page

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from scrapy_web2text.labels.files import PageLabels
    from scrapy_web2text.page.arrays import Page
    from scrapy_web2text.page.blocks import BlockSequence
    from scrapy_web2text.training.corpora import CorpusFacts


# A page with more blocks would fill most of a batch.
MOST_BLOCKS: Final = 4000
# The corpus whose annotation habits users get: style 0.
_MODEL_CORPUS: Final = "wcxb"
_HABITS: Final = {1: "titles", 2: "comments", 4: "container"}

logger = logging.getLogger(__name__)


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
    return 1 + sum(number for number, habit in _HABITS.items() if habit in facts.habits)


def _features(page: Page, blocks: BlockSequence, plan: ColumnPlan) -> ModernFeatures:
    return modern_features(page, blocks, read_hints(page.document_landmarks), plan)


def use_labels(judged: JudgedPage, given: PageLabels, *, by_certainty: bool) -> JudgedPage | None:
    """Return *judged* with the labels *given*, or None if they do not fit the page."""
    labels = label_all(given, judged.texts)
    if labels is None:
        return None
    named = PAGE_TYPES.index(given.type) if given.type in PAGE_TYPES else -1
    page = replace(
        judged.page,
        labels=labels,
        style=0,  # the guide for readers follows the corpus whose habits users get
        page_type=judged.page.page_type if judged.page.page_type >= 0 else named,
        weight=judged.page.weight * (given.certainty if by_certainty else 1.0),
    )
    gold = np.bincount(judged.chosen_words(labels), minlength=len(judged.gold))
    return replace(judged, page=page, gold=gold, is_read=True, is_good=len(labels) <= MOST_BLOCKS)


def cut_short(source: LabeledPage, judged: JudgedPage, plan: ColumnPlan) -> TrainingPage | None:
    """Return a short page cut from a page; its type is unknown, since a part of a forum need not look like one."""
    cut_id = f"{source.id} cut"
    cut = cut_page(source.html, judged.page.labels, judged.page.features.n_tokens, _segment, seed=cut_id)
    if cut is None:
        return None
    features = _features(cut.page, cut.blocks, plan)
    return replace(judged.page, id=cut_id, features=features, labels=cut.labels, page_type=-1)


def judge_page(
    source: LabeledPage, cache: CoverageCache, facts: CorpusFacts, weight: float, plan: ColumnPlan
) -> JudgedPage | None:
    """Return one page with its labels, or None if it cannot be parsed or has no blocks."""
    page = parse_page(source)
    if page is None:
        return None
    found = PageBlocks.of(page)
    blocks = found.blocks
    if not blocks.n_blocks:
        logger.debug("Ignoring page %s: no blocks", source.id)
        return None
    coverage = cache.cover(source.id, page.texts, source.text, mark_kept_leaves(page, blocks))
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
        texts=found.texts,
        is_in_code_or_table=is_in_code_or_table(page, blocks, np.arange(blocks.n_blocks)),
        words=np.array([number for block in words for number in block], dtype=np.int64),
        n_words=np.array([len(block) for block in words], dtype=np.int64),
        gold=gold,
        published=gold,
        is_good=coverage.is_good and blocks.n_blocks <= MOST_BLOCKS,
        site=site_of(facts, source),
    )


_VERSION: Final = "5"  # of the alignment: entries of other versions are ignored


class CoverageCache:
    """The leaf coverages of the pages of one corpus, computed on first use.

    An entry belongs to a page id. It is computed again if leaf texts, clean text or choice of leaves change.

    :param path: an ``.npz`` file, read if it exists and written by :meth:`save`. A damaged file is ignored.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._entries: dict[str, tuple[str, LeafCoverage]] = _read(path)
        self._is_changed = False

    def cover(self, page_id: str, texts: Sequence[str], clean: str, is_shown: BoolArray | None = None) -> LeafCoverage:
        """Return the share of each text leaf that is in the clean text, see `cover_leaves`."""
        digest = _digest(texts, clean, is_shown)
        known, coverage = self._entries.get(page_id, ("", None))
        if coverage is None or known != digest:
            coverage = cover_leaves(texts, clean, is_shown)
            self._entries[page_id] = digest, coverage
            self._is_changed = True
        return coverage

    def save(self) -> None:
        """Write the file if an entry is new."""
        if not self._is_changed:
            return
        digests = [digest for digest, _ in self._entries.values()]
        coverages = [coverage for _, coverage in self._entries.values()]
        empty = [np.zeros(0, dtype=np.int64)]
        arrays: dict[str, AnyArray] = {
            "ids": np.array(list(self._entries), dtype=np.str_),
            "digests": np.array(digests, dtype=np.str_),
            "n_leaves": np.array([len(coverage.n_tokens) for coverage in coverages], dtype=np.int64),
            "n_covered": np.concatenate(empty + [coverage.n_covered for coverage in coverages]),
            "n_tokens": np.concatenate(empty + [coverage.n_tokens for coverage in coverages]),
            "coverage": np.array([coverage.coverage for coverage in coverages], dtype=np.float64),
        }
        write_cache(self._path, arrays)
        self._is_changed = False


def _read(path: Path) -> dict[str, tuple[str, LeafCoverage]]:
    try:
        return _split_entries(read_cache(path))
    except (KeyError, ValueError):
        return {}


def _split_entries(arrays: dict[str, AnyArray]) -> dict[str, tuple[str, LeafCoverage]]:
    """Return the entries by page id.

    :raises KeyError: if an array is missing.
    :raises ValueError: if the arrays do not agree.
    """
    bounds = np.cumsum(arrays["n_leaves"])[:-1]
    coverages = map(
        LeafCoverage,
        np.split(arrays["n_covered"], bounds),
        np.split(arrays["n_tokens"], bounds),
        arrays["coverage"].tolist(),
    )
    entries = zip(arrays["digests"].tolist(), coverages, strict=True)
    return dict(zip(arrays["ids"].tolist(), entries, strict=True))


def _digest(texts: Sequence[str], clean: str, is_shown: BoolArray | None) -> str:
    joined = "\0".join([_VERSION, clean, *texts])
    shown = b"" if is_shown is None else np.packbits(is_shown).tobytes()
    return hashlib.blake2b(joined.encode("utf-8", "surrogatepass") + shown, digest_size=16).hexdigest()
