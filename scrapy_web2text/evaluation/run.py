"""Evaluation of labelers and other extractors on pages with a clean text."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import lxml.html
import numpy as np
from lxml import etree

from scrapy_web2text.alignment.characters import align_leaves, counts_to_labels
from scrapy_web2text.common.arrays import BoolArray, IntArray
from scrapy_web2text.content.content import select_content
from scrapy_web2text.content.text import content_text
from scrapy_web2text.evaluation.corpora import LabeledPage
from scrapy_web2text.evaluation.peers import Peer
from scrapy_web2text.evaluation.scores import PageResult, Report, confusion_counts, word_scores, word_tokens
from scrapy_web2text.exceptions import PageError
from scrapy_web2text.labelers.base import Labeler
from scrapy_web2text.labels.files import PageLabels
from scrapy_web2text.labels.fit import label_all
from scrapy_web2text.labels.pages import read_blocks
from scrapy_web2text.options import Decoder
from scrapy_web2text.page.arrays import Page, tree_to_page
from scrapy_web2text.page.blocks import TEXT_LEAVES, Label, mark_kept_leaves, segment
from scrapy_web2text.page.encoding import decode
from scrapy_web2text.page.parse import to_tree

logger = logging.getLogger(__name__)


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

    :param threshold: least probability of content, in (0, 1); None for the default of each labeler, as for *decoder*.
    :raises ValueError: if *pages* is empty.
    """
    peers = peers or {}
    results: dict[str, list[PageResult]] = {name: [] for name in [*labelers, *peers]}
    for source in pages:
        try:
            expected = _Expected.of(source)
        except PageError as error:
            for scores in results.values():
                scores.append(_score(source, np.zeros(4, np.int64), "", error.reason))
            continue
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
    """A page with the expected labels of its m leaves.

    :param labels: *Shape:* ``(m,)``
    :param is_compared: which leaves are in the blocks of Web2Text. *Shape:* ``(m,)``
    :param parse_seconds: CPU time of lxml for parsing the page.
    :param seconds: CPU time from the source to the arrays of the page.
    """

    source: LabeledPage
    page: Page
    labels: IntArray
    is_compared: BoolArray
    html: str
    parse_seconds: float
    seconds: float

    @classmethod
    def of(cls, source: LabeledPage) -> _Expected:
        start = time.thread_time()
        page = tree_to_page(to_tree(source.html))
        seconds = time.thread_time() - start
        html = source.html if isinstance(source.html, str) else decode(source.html)
        start = time.thread_time()
        with contextlib.suppress(ValueError, etree.LxmlError):  # lxml rejects XML declarations in text, for example
            lxml.html.fromstring(html)
        parse_seconds = time.thread_time() - start
        labels = counts_to_labels(*align_leaves(page.texts, source.text))
        is_compared = mark_kept_leaves(page, segment(page, TEXT_LEAVES))
        return cls(source, page, labels, is_compared, html, parse_seconds, seconds)

    def score(self, labeler: Labeler, threshold: float | None, decoder: Decoder | None) -> PageResult:
        is_compared = self.is_compared
        predicted = np.full(self.page.n_leaves, int(Label.BOILERPLATE), dtype=np.int64)
        text, error = "", None
        start = time.thread_time()
        try:
            answer = labeler.label(self.page, threshold=threshold, decoder=decoder)
        except PageError as page_error:
            error = page_error.reason
        else:
            text = content_text(select_content(self.page, answer.blocks, answer.labels))
            is_compared = is_compared | mark_kept_leaves(self.page, answer.blocks)
            predicted[answer.blocks.leaves] = answer.labels[answer.blocks.leaf_blocks]
        seconds = self.seconds + time.thread_time() - start
        counts = confusion_counts(predicted[is_compared], self.labels[is_compared])
        return _score(self.source, counts, text, error, seconds=seconds, parse_seconds=self.parse_seconds)

    def score_peer(self, peer: Peer) -> PageResult:
        """Return the scores of the text of another extractor."""
        text, error = "", None
        start = time.thread_time()
        try:
            text = peer(self.html)
        except Exception as peer_error:  # noqa: BLE001  errors of peers are counted
            error = type(peer_error).__name__
        seconds = time.thread_time() - start
        predicted = counts_to_labels(*align_leaves(self.page.texts, text))
        counts = confusion_counts(predicted[self.is_compared], self.labels[self.is_compared])
        return _score(self.source, counts, text, error, seconds=seconds, parse_seconds=self.parse_seconds)


def _score(source: LabeledPage, counts: IntArray, text: str, error: str | None, **measured: Any) -> PageResult:
    """Return the result of a page; *measured* are more fields of the :class:`PageResult`."""
    return PageResult(
        source.id,
        counts,
        word_scores(text, source.text),
        error,
        source.kind,
        is_empty=not word_tokens(source.text),
        snippets=(*_count_snippets(text, source.with_snippets), *_count_snippets(text, source.without_snippets)),
        **measured,
    )


def _count_snippets(text: str, snippets: Sequence[str]) -> tuple[int, int]:
    """Return how many of the *snippets* are in *text*, regardless of whitespace, and their number."""
    squeezed = " ".join(text.split())
    return sum(" ".join(snippet.split()) in squeezed for snippet in snippets), len(snippets)


def judge_by_labels(
    pages: Iterable[LabeledPage], corpus: str, labels: Mapping[tuple[str, str], PageLabels]
) -> Iterator[LabeledPage]:
    """Yield each of *pages*, with the content of its labels as its clean text if it has some.

    The number of pages that have some, and of labels that no longer fit their pages, is logged at the end.
    """
    n_labeled = n_unfit = n_pages = 0
    for page in pages:
        n_pages += 1
        given = labels.get((corpus, page.id))
        text = _label(page, given) if given else None
        n_labeled += text is not None
        n_unfit += given is not None and text is None
        yield page if text is None else replace(page, text=text)
    if labels:
        message = "%s: %d of %d pages are judged by labels; %d labels do not fit their pages"
        logger.warning(message, corpus, n_labeled, n_pages, n_unfit)


def _label(source: LabeledPage, given: PageLabels) -> str | None:
    """Return the content of a page by the labels *given*, or None if they do not fit it."""
    try:
        texts = read_blocks(source.html).texts
    except PageError:
        return None
    labels = label_all(given, texts)
    return None if labels is None else "\n".join(texts[number] for number in np.flatnonzero(labels))
