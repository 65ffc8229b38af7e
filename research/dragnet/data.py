"""The pages that Dragnet is fitted to: measures of their blocks, and how much of each block is in the clean text."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from research.dragnet.features import DragnetMeasures, cut_at_starts, measure_blocks
from research.pages import segment_page
from scrapy_web2text.alignment.token_matches import align_tokens
from scrapy_web2text.alignment.tokens import read_tokens
from scrapy_web2text.common.arrays import IntArray
from scrapy_web2text.evaluation.corpora import CorpusPage, open_corpus
from scrapy_web2text.extraction import Label
from scrapy_web2text.page.blocks import block_texts, mask_to_labels
from scrapy_web2text.training.corpora import Track, no_progress

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class DragnetPage:
    """A page with n blocks, at least one.

    :param n_found: number of tokens of each block that are also in the clean text, in order. *Shape:* ``(n,)``
    :param n_tokens: number of tokens of each block. *Shape:* ``(n,)``
    :param n_gold: number of tokens of the clean text.
    """

    measures: DragnetMeasures
    n_found: IntArray
    n_tokens: IntArray
    n_gold: int

    def labels(self, least_share: float) -> IntArray:
        """Return CONTENT where more than *least_share* of a block's tokens are in the clean text. *Shape:* ``(n,)``"""
        return mask_to_labels(self.n_found > least_share * self.n_tokens)

    def token_f1(self, labels: IntArray) -> float:
        """Return the F1 of the selected text, "where each word in the document is distinct" (section 5).

        The position of a word matters: a hit is a token of the common subsequence.

        :param labels: *Shape:* ``(n,)``
        """
        is_content = labels == Label.CONTENT
        n_hits, n_selected = int(self.n_found[is_content].sum()), int(self.n_tokens[is_content].sum())
        return 2 * n_hits / max(n_selected + self.n_gold, 1)


def mean_token_f1(pages: Sequence[DragnetPage], labels: Iterable[IntArray]) -> float:
    """Return the mean F1 of the pages; pages with an empty clean text have no F1 and do not count."""
    scores = [page.token_f1(answer) for page, answer in zip(pages, labels, strict=True) if page.n_gold]
    return float(np.mean(scores))


def read_page(source: CorpusPage) -> DragnetPage | None:
    """Return a page with its measures, or None if it cannot be parsed or has no blocks."""
    segmented = segment_page(source, cut_at_starts)
    if segmented is None:
        return None
    page, blocks = segmented
    numbers: dict[str, int] = {}
    tokens, gold = read_tokens(block_texts(page, blocks), numbers), read_tokens([source.text], numbers).tokens
    cuts = np.zeros(len(tokens.tokens) + 1, dtype=bool)
    cuts[tokens.starts] = True
    n_found = tokens.count(align_tokens(tokens.tokens, gold, cuts) >= 0)
    return DragnetPage(measure_blocks(page, blocks), n_found, tokens.counts, len(gold))


def load_pages(name: str, ids: Sequence[str], data: Path, track: Track = no_progress) -> list[DragnetPage]:
    """Return some pages of a corpus; pages without blocks are skipped, and their number is logged.

    Where the corpus has the readers' comments below an article, they are content, as in the paper.

    :raises ValueError: if the corpus does not exist or lacks a page.
    """
    pages = []
    for source in track(open_corpus(name, data).pages(ids), len(ids), title=name):
        comments = _read_comments(data, name, source.id)
        pages.append(read_page(replace(source, text=f"{source.text}\n{comments}")))
    found = [page for page in pages if page is not None]
    logger.info("%s: ignored %d of %d pages", name, len(pages) - len(found), len(pages))
    return found


def _read_comments(data: Path, corpus: str, page_id: str) -> str:
    """Return the readers' comments of a page if the corpus has them in separate files, else an empty string."""
    path = data / corpus / "text_comments" / f"{page_id}.txt"
    return path.read_text(encoding="utf-8", errors="ignore") if path.exists() else ""
