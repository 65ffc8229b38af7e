"""Evaluation of labelers and other extractors on pages with a clean text."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import lxml.html
import numpy as np
from lxml import etree

from scrapy_web2text.alignment.characters import align_leaves, counts_to_labels
from scrapy_web2text.arrays import IntArray
from scrapy_web2text.content.selection import select_content
from scrapy_web2text.content.text import content_text
from scrapy_web2text.evaluation.paragraphs import content_paragraphs, count_split
from scrapy_web2text.evaluation.report import PageResult, Report
from scrapy_web2text.evaluation.scores import confusion_counts, word_scores, word_tokens
from scrapy_web2text.exceptions import PageError
from scrapy_web2text.page.arrays import Page, tree_to_page
from scrapy_web2text.page.blocks import TEXT_LEAVES, Label, mark_kept_leaves, segment
from scrapy_web2text.page.encoding import decode
from scrapy_web2text.page.parse import to_tree

if TYPE_CHECKING:
    from scrapy_web2text.evaluation.corpora import LabeledPage
    from scrapy_web2text.evaluation.peers import Peer
    from scrapy_web2text.labelers.base import Labeler
    from scrapy_web2text.options import Decoder

__all__ = ["evaluate", "evaluate_all"]


def evaluate(
    labeler: Labeler,
    pages: Iterable[LabeledPage],
    *,
    threshold: float | None = None,
    decoder: Decoder | None = None,
) -> Report:
    """Return the scores of *labeler* on *pages*.

    :param threshold: least probability of content, in (0, 1); None for the default of the labeler.
    :param decoder: None for the default of the labeler.
    :raises ValueError: if *pages* is empty.
    """
    return evaluate_all({labeler.name: labeler}, pages, threshold=threshold, decoder=decoder)[0]


def evaluate_all(
    labelers: Mapping[str, Labeler],
    pages: Iterable[LabeledPage],
    *,
    threshold: float | None = None,
    decoder: Decoder | None = None,
    peers: Mapping[str, Peer] | None = None,
) -> list[Report]:
    """Return the scores of all *labelers* and *peers*, given by name; each page is read and aligned once.

    Text leaves are compared, all with the same weight: the blocks of Web2Text (`TEXT_LEAVES`), and further leaves that
    the labeler keeps. A leaf that the labeler does not keep has the label BOILERPLATE. The expected labels come from an
    alignment of all leaves with the clean text of the page, the labels of a peer from an alignment with its text. A
    system without an answer for a page has selected nothing.

    :raises ValueError: if *pages* is empty.
    """
    peers = peers or {}
    results: dict[str, list[PageResult]] = {name: [] for name in [*labelers, *peers]}
    for source in pages:
        expected = _Expected.of(source)
        for name, labeler in labelers.items():
            results[name].append(expected.score(labeler, threshold, decoder))
        for name, peer in peers.items():
            results[name].append(expected.score_peer(peer))
    reports = [Report(name, tuple(pages)) for name, pages in results.items()]
    if not all(report.pages for report in reports):
        raise ValueError("expected one or more pages to evaluate on, got none")
    return reports


@dataclass(frozen=True, slots=True, eq=False)
class _Expected:
    """A page with the expected labels of its leaves.

    :param page: None if the page cannot be parsed.
    :param labels: labels of all leaves of the page. *Shape:* ``(m,)``
    :param error: the reason why the page cannot be parsed, or None.
    :param html: the page as text.
    :param parse_seconds: CPU time of lxml for parsing the page.
    :param seconds: CPU time from the source to the arrays of the page.
    :param paragraphs: the leaves of each paragraph that is content.
    """

    source: LabeledPage
    page: Page | None
    labels: IntArray
    error: str | None = None
    html: str = ""
    parse_seconds: float = 0.0
    seconds: float = 0.0
    paragraphs: Sequence[IntArray] = ()

    @classmethod
    def of(cls, source: LabeledPage) -> _Expected:
        start = time.thread_time()
        try:
            page = tree_to_page(to_tree(source.html))
        except PageError as error:
            return cls(source, None, np.zeros(0, dtype=np.int64), error.reason)
        seconds = time.thread_time() - start
        html = source.html if isinstance(source.html, str) else decode(source.html)
        start = time.thread_time()
        with contextlib.suppress(ValueError, etree.LxmlError):  # lxml rejects XML declarations in text, for example
            lxml.html.fromstring(html)
        parse_seconds = time.thread_time() - start
        labels = counts_to_labels(*align_leaves(page.texts, source.text))
        return cls(source, page, labels, None, html, parse_seconds, seconds, content_paragraphs(page, labels))

    def score(self, labeler: Labeler, threshold: float | None, decoder: Decoder | None) -> PageResult:
        """Return the scores of the answer of *labeler*."""
        if self.page is None:
            return self._result(np.zeros(4, dtype=np.int64), "", self.error, 0.0, (0, 0))
        is_compared = mark_kept_leaves(self.page, segment(self.page, TEXT_LEAVES))
        predicted = np.full(self.page.n_leaves, int(Label.BOILERPLATE), dtype=np.int64)
        text, error = "", None
        start = time.thread_time()
        try:
            answer = labeler.label(self.page, threshold=threshold, decoder=decoder)
        except PageError as page_error:
            error = page_error.reason
        else:
            text = content_text(select_content(self.page, answer.blocks, answer.labels))
            is_compared |= mark_kept_leaves(self.page, answer.blocks)
            predicted[answer.blocks.leaves] = answer.labels[answer.blocks.leaf_blocks]
        seconds = time.thread_time() - start
        counts = confusion_counts(predicted[is_compared], self.labels[is_compared])
        paragraphs = (count_split(self.paragraphs, predicted), len(self.paragraphs))
        return self._result(counts, text, error, self.seconds + seconds, paragraphs)

    def score_peer(self, peer: Peer) -> PageResult:
        """Return the scores of the text of another extractor."""
        if self.page is None:
            return self._result(np.zeros(4, dtype=np.int64), "", self.error, 0.0)
        text, error = "", None
        start = time.thread_time()
        try:
            text = peer(self.html)
        except Exception as peer_error:  # noqa: BLE001  errors of peers are counted
            error = type(peer_error).__name__
        seconds = time.thread_time() - start
        is_compared = mark_kept_leaves(self.page, segment(self.page, TEXT_LEAVES))
        predicted = counts_to_labels(*align_leaves(self.page.texts, text))
        counts = confusion_counts(predicted[is_compared], self.labels[is_compared])
        return self._result(counts, text, error, seconds)

    def _result(
        self, counts: IntArray, text: str, error: str | None, seconds: float, paragraphs: tuple[int, int] | None = None
    ) -> PageResult:
        source = self.source
        return PageResult(
            source.id,
            counts,
            word_scores(text, source.text),
            error,
            source.kind,
            is_empty=not word_tokens(source.text),
            snippets=(
                *_count_snippets(text, source.with_snippets),
                *_count_snippets(text, source.without_snippets),
            ),
            paragraphs=paragraphs,
            seconds=seconds,
            parse_seconds=self.parse_seconds,
        )


def _count_snippets(text: str, snippets: Sequence[str]) -> tuple[int, int]:
    """Return how many of the *snippets* are in *text*, regardless of whitespace, and their number."""
    squeezed = " ".join(text.split())
    return sum(" ".join(snippet.split()) in squeezed for snippet in snippets), len(snippets)
