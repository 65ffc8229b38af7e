"""Pages of one's own, with labels by blocks, as pages to tune and to judge a network with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scrapy_web2text.features.modern import ColumnPlan, find_families, modern_features, plan_columns, read_hints
from scrapy_web2text.labelers.modern.repeats import collapsed_texts, is_in_code_or_table
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, segment
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.readings.fit import label_all
from scrapy_web2text.training.modern.batches import TrainingPage
from scrapy_web2text.training.modern.data import MOST_BLOCKS, JudgedPage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_web2text.arrays import BoolArray, IntArray
    from scrapy_web2text.labelers.weights import Model
    from scrapy_web2text.readings.reading import Reading

__all__ = ["judge_by_labels", "plan_of", "read_own_page"]


def plan_of(model: Model) -> ColumnPlan:
    """Return the plan of the dense columns of *model*."""
    return plan_columns(find_families(model.manifest["features"]))


def read_own_page(html: bytes, name: str, reading: Reading | None, plan: ColumnPlan) -> JudgedPage:
    """Return a page with the labels of its reading; without a reading, all blocks are boilerplate.

    :raises PageError: if the page cannot be parsed.
    :raises ValueError: if it has no blocks or too many, or the reading does not fit it.
    """
    page = tree_to_page(to_tree(html))
    blocks = segment(page, MODERN_BLOCKS)
    if not 0 < blocks.n_blocks <= MOST_BLOCKS:
        raise ValueError(f"expected 1 to {MOST_BLOCKS:,} blocks, got {blocks.n_blocks:,}")
    every = np.arange(blocks.n_blocks)
    texts = collapsed_texts(page, blocks, every)
    labels: IntArray | None = np.zeros(blocks.n_blocks, dtype=np.int64)
    weight = 1.0
    if reading is not None:
        labels, weight = label_all(reading, texts), reading.certainty
    if labels is None:
        raise ValueError("the labels no longer fit the page")
    features = modern_features(page, blocks, read_hints(page.document_landmarks), plan)
    own = TrainingPage(name, features, labels, weight=weight)
    return judge_by_labels(own, texts, is_in_code_or_table(page, blocks, every))


def judge_by_labels(
    page: TrainingPage, texts: Sequence[str] = (), is_exempt: BoolArray | None = None, *, site: str = ""
) -> JudgedPage:
    """Return *page* judged by its labels: each word of a block counts as found if the block is.

    :param texts: see `JudgedPage`; without them, the page has no repeats.
    :param is_exempt: which blocks are in code or tables. *Shape:* ``(n,)``
    """
    every = np.arange(page.n_blocks)
    n_words = page.features.n_tokens
    words = np.repeat(every, n_words)
    gold = np.where(page.labels, n_words, 0)
    return JudgedPage(
        page,
        texts=tuple(texts) or tuple(map(str, every)),
        is_in_code_or_table=np.zeros(page.n_blocks, dtype=bool) if is_exempt is None else is_exempt,
        words=words,
        n_words=n_words,
        gold=gold,
        published=gold,
        is_good=True,
        site=site,
    )
