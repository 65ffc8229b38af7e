"""The pages of the corpora as training pages."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from tqdm import tqdm

from scrapy_web2text.alignment.tokens import label_blocks
from scrapy_web2text.arrays import BoolArray, IntArray
from scrapy_web2text.evaluation.corpora import open_corpus, read_split
from scrapy_web2text.evaluation.scores import WordScores, word_tokens
from scrapy_web2text.exceptions import PageError
from scrapy_web2text.features.modern import modern_features, read_hints
from scrapy_web2text.labelers.modern.repeats import collapsed_texts, is_in_code_or_table
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, block_texts, mark_kept_leaves, segment
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.training.corpus_facts import CORPORA, corpus_facts, site_of, split_by_site
from scrapy_web2text.training.modern.batches import PAGE_TYPES, TrainingPage
from scrapy_web2text.training.modern.label_cache import LabelCache

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from scrapy_web2text.evaluation.corpora import LabelledPage
    from scrapy_web2text.training.corpus_facts import CorpusFacts

__all__ = ["JudgedPage", "corpus_ids", "load_pages", "load_unlabelled", "page_word_scores"]

# Pages with more blocks than this would fill a whole batch with one kind of page.
_MOST_BLOCKS: Final = 4000
# The corpus whose annotation habits users get; its style is number 0.
_MODEL_CORPUS: Final = "wcxb"

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class JudgedPage:
    """A training page with what its answers are judged by.

    :param words: numbers of the words of all blocks, block by block. *Shape:* ``(w,)``
    :param n_words: number of them of each block. *Shape:* ``(n,)``
    :param gold: how often each word is in the clean text; the last number stands for all that no block has.
    :param texts: the texts of the blocks, as `labelers.modern.repeats` compares them.
    :param may_recur: which blocks lie where lines recur. *Shape:* ``(n,)``
    :param is_good: whether the clean text belongs to the page, so that a network may learn from it.
    :param site: the site that it is from.
    """

    page: TrainingPage
    texts: tuple[str, ...]
    may_recur: BoolArray
    words: IntArray
    n_words: IntArray
    gold: IntArray
    is_good: bool
    site: str


def page_word_scores(page: JudgedPage, labels: IntArray) -> WordScores:
    """Return the word scores of a page with *labels*, by WCXB's measure. *Shape:* ``(n,)``"""
    chosen = page.words[np.repeat(labels == 1, page.n_words)]
    n_gold = int(page.gold.sum())
    if not n_gold or not len(chosen):
        score = float(len(chosen) == n_gold)
        return WordScores(score, score, score)
    n_hit = float(np.minimum(np.bincount(chosen, minlength=len(page.gold)), page.gold).sum())
    return WordScores(n_hit / len(chosen), n_hit / n_gold, 2 * n_hit / (len(chosen) + n_gold))


def corpus_style(facts: CorpusFacts) -> int:
    """Return the number of a corpus's annotation habits, below `N_STYLES`; 0 is how the model is to answer."""
    if facts.name == _MODEL_CORPUS or facts.name not in CORPORA:
        return 0
    return 1 + int(facts.has_titles) + 2 * int(facts.has_comments) + 4 * int(facts.is_weak)


def corpus_ids(name: str, part: str, data: Path, splits: Path) -> tuple[str, ...]:
    """Return the ids of the pages of one part of a corpus.

    :param splits: JSON file of page ids by corpus and part, for the corpora that it knows; others are split by site.
    :raises ValueError: if the corpus or the part is not there.
    """
    known = json.loads(splits.read_text(encoding="utf-8"))
    if name in known:
        return read_split(splits, name, part)
    by_part = split_by_site(corpus_facts(name), open_corpus(name, data).pages())
    if part == "all":
        return tuple(page_id for ids in by_part.values() for page_id in ids)
    if part not in by_part:
        raise ValueError(f"corpus {name}: expected part all, {', '.join(by_part)}, got {part!r}")
    return by_part[part]


def load_pages(
    name: str, ids: Sequence[str], data: Path, cache: Path, *, weight: float = 1.0, keep_all: bool = False
) -> list[JudgedPage]:
    """Return some pages of a corpus with features and labels; the labels are kept in the folder *cache*.

    Pages without any block are left out, and how many is logged.

    :param keep_all: also return pages that are only good to be judged: those that do not belong to their clean text,
        or have very many blocks.
    :raises ValueError: if the corpus is not there or lacks a page.
    """
    facts = corpus_facts(name)
    labels = LabelCache(cache / f"labels-{name.replace('/', '-')}.npz")
    pages = []
    for source in tqdm(open_corpus(name, data).pages(ids), total=len(ids), desc=name, unit="page", disable=None):
        judged = _judge(source, labels, facts, weight)
        if judged is not None and (keep_all or judged.is_good):
            pages.append(judged)
    labels.save()
    logger.info("%s: %d of %d pages are left out", name, len(ids) - len(pages), len(ids))
    return pages


def load_unlabelled(folder: Path, *, weight: float) -> list[TrainingPage]:
    """Return the pages below *folder*, of which nobody knows the main content; their labels are all 0.

    :raises ValueError: if there are no HTML files.
    """
    paths = sorted(folder.rglob("*.html"))
    if not paths:
        raise ValueError(f"{folder}: expected HTML files below it, got none")
    pages = []
    for path in tqdm(paths, desc=folder.name, unit="page", disable=None):
        try:
            root = to_tree(path.read_bytes())
        except PageError:
            continue
        page = tree_to_page(root)
        blocks = segment(page, MODERN_BLOCKS)
        if 0 < blocks.n_blocks <= _MOST_BLOCKS:
            features = modern_features(page, blocks, read_hints(root))
            pages.append(TrainingPage(path.stem, features, np.zeros(blocks.n_blocks, dtype=np.int64), weight=weight))
    return pages


def _judge(source: LabelledPage, labels: LabelCache, facts: CorpusFacts, weight: float) -> JudgedPage | None:
    """Return one page with its answer, None if it has no blocks."""
    try:
        root = to_tree(source.html)
    except PageError:
        return None
    page = tree_to_page(root)
    blocks = segment(page, MODERN_BLOCKS)
    coverage = labels.cover(source.id, page.texts, source.text, mark_kept_leaves(page, blocks))
    if not blocks.n_blocks:
        return None
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
            modern_features(page, blocks, read_hints(root)),
            label_blocks(blocks, coverage),
            style=corpus_style(facts),
            page_type=PAGE_TYPES.index(source.kind) if source.kind in PAGE_TYPES else -1,
            weight=weight,
        ),
        texts=tuple(collapsed_texts(page, blocks, every)),
        may_recur=is_in_code_or_table(page, blocks, every),
        words=np.array([number for block in words for number in block], dtype=np.int64),
        n_words=np.array([len(block) for block in words], dtype=np.int64),
        gold=gold,
        is_good=coverage.is_good and blocks.n_blocks <= _MOST_BLOCKS,
        site=site_of(facts, source),
    )
