"""Pages as Dragnet learns from them: measures of their blocks, and how much of each block is in the clean text."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from tqdm import tqdm

from scrapy_web2text.alignment.tokens import align_tokens, read_tokens
from scrapy_web2text.arrays import IntArray
from scrapy_web2text.evaluation import open_corpus
from scrapy_web2text.exceptions import PageError
from scrapy_web2text.labelers.dragnet.features import DragnetMeasures, measure_blocks
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import DRAGNET_BLOCKS, block_texts, segment
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.training.corpus_facts import CORPORA, read_comments

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["DragnetPage", "load_pages", "mean_token_f1", "read_page"]


logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class DragnetPage:
    """A page with its n blocks, of which there is one at least.

    :param n_found: tokens of each block that are in the clean text as well, in the same order. *Shape:* ``(n,)``
    :param n_tokens: tokens of each block. *Shape:* ``(n,)``
    :param n_gold: tokens of the clean text.
    """

    measures: DragnetMeasures
    n_found: IntArray
    n_tokens: IntArray
    n_gold: int

    def labels(self, least_share: float) -> IntArray:
        """Return CONTENT where more than *least_share* of a block's tokens are in the clean text. *Shape:* ``(n,)``"""
        return (self.n_found > least_share * self.n_tokens).astype(np.int64)

    def token_f1(self, labels: IntArray) -> float:
        """Return the F1 of what *labels* select, "where each word in the document is distinct" (section 5).

        So a word counts only where it stands: a hit is a token of the common subsequence. *Shape:* ``(n,)``
        """
        n_hits, n_selected = int(self.n_found[labels == 1].sum()), int(self.n_tokens[labels == 1].sum())
        return 2 * n_hits / max(n_selected + self.n_gold, 1)


def mean_token_f1(pages: Sequence[DragnetPage], labels: Iterable[IntArray]) -> float:
    """Return the mean of the pages' F1; pages without a clean text, for which it has no meaning, do not count."""
    scores = [page.token_f1(answer) for page, answer in zip(pages, labels, strict=True) if page.n_gold]
    return float(np.mean(scores))


def read_page(html: str | bytes, clean: str) -> DragnetPage | None:
    """Return a page with its *clean* text, None if it cannot be parsed or has no blocks."""
    try:
        page = tree_to_page(to_tree(html))
    except PageError:
        return None
    blocks = segment(page, DRAGNET_BLOCKS)
    if not blocks.n_blocks:
        return None
    numbers: dict[str, int] = {}
    tokens, gold = read_tokens(block_texts(page, blocks), numbers), read_tokens([clean], numbers).tokens
    cuts = np.zeros(len(tokens.tokens) + 1, dtype=bool)
    cuts[tokens.starts] = True
    n_found = tokens.count(align_tokens(tokens.tokens, gold, cuts) >= 0)
    return DragnetPage(measure_blocks(page, blocks), n_found, tokens.counts, len(gold))


def load_pages(name: str, ids: Sequence[str], data: Path) -> list[DragnetPage]:
    """Return some pages of a corpus; those without any block are left out, and how many is logged.

    What readers wrote below an article is content, as it is to the paper, where the corpus has it apart.

    :raises ValueError: if the corpus is not there or lacks a page.
    """
    pages = []
    for source in tqdm(open_corpus(name, data).pages(ids), total=len(ids), desc=name, unit="page", disable=None):
        comments = read_comments(data, CORPORA[name], source.id) if name in CORPORA else ""
        pages.append(read_page(source.html, f"{source.text}\n{comments}"))
    found = [page for page in pages if page is not None]
    logger.info("%s: %d of %d pages are left out", name, len(pages) - len(found), len(pages))
    return found
