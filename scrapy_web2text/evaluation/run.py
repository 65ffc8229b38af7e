"""Evaluation of labelers and other extractors on pages with a clean text."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import lxml.html
import numpy as np
from lxml import etree

from scrapy_web2text.content.content import select_content
from scrapy_web2text.content.text import content_text
from scrapy_web2text.evaluation.corpora import CorpusPage
from scrapy_web2text.evaluation.peers import Peer
from scrapy_web2text.evaluation.scores import PageResult, Report, word_scores, word_tokens
from scrapy_web2text.exceptions import PageError
from scrapy_web2text.labelers.base import Labeler, Labeling
from scrapy_web2text.labels.files import PageLabels
from scrapy_web2text.labels.fit import label_all
from scrapy_web2text.labels.pages import read_blocks
from scrapy_web2text.options import Decoder
from scrapy_web2text.page.arrays import Page, tree_to_page
from scrapy_web2text.page.encoding import decode_html
from scrapy_web2text.page.parse import to_tree

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """The answer of a labeler or peer for a page.

    :param labeling: the labels; None for a peer, or if there is no answer.
    :param error: the reason why there is no answer, or None.
    :param seconds: CPU time from the source to the text.
    """

    text: str = ""
    labeling: Labeling | None = None
    error: str | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """The answers of all labelers and peers for a page, by their names.

    :param page: the parsed page; None if it cannot be parsed.
    :param parse_seconds: CPU time of lxml for parsing the page.
    """

    source: CorpusPage
    page: Page | None
    by_name: Mapping[str, Answer]
    parse_seconds: float = 0.0

    def score(self, name: str) -> PageResult:
        """Return the scores of the text of the labeler or peer *name*."""
        answer, source = self.by_name[name], self.source
        return PageResult(
            source.id,
            word_scores(answer.text, source.text),
            answer.error,
            source.kind,
            is_empty=not word_tokens(source.text),
            seconds=answer.seconds,
            parse_seconds=self.parse_seconds,
        )


def evaluate_all(
    labelers: Mapping[str, Labeler],
    pages: Iterable[CorpusPage],
    *,
    threshold: float | None = None,
    decoder: Decoder | None = None,
    peers: Mapping[str, Peer] | None = None,
) -> list[Report]:
    """Return the scores of the texts of all *labelers* and *peers*, given by name; see `answer_all`."""
    results: dict[str, list[PageResult]] = {name: [] for name in [*labelers, *(peers or {})]}
    for answers in answer_all(labelers, pages, threshold=threshold, decoder=decoder, peers=peers):
        for name, scores in results.items():
            scores.append(answers.score(name))
    return [Report(name, tuple(scores)) for name, scores in results.items()]


def answer_all(
    labelers: Mapping[str, Labeler],
    pages: Iterable[CorpusPage],
    *,
    threshold: float | None = None,
    decoder: Decoder | None = None,
    peers: Mapping[str, Peer] | None = None,
) -> Iterator[Answers]:
    """Yield the answers of all *labelers* and *peers*, given by name; each page is read once.

    A labeler or peer without an answer for a page gets an empty text.

    :param threshold: least probability of content, in (0, 1); None for the default of each labeler.
    :param decoder: None for the default of each labeler.
    :raises ValueError: if *pages* is empty.
    """
    peers = peers or {}
    has_pages = False
    for source in pages:
        has_pages = True
        start = time.thread_time()
        try:
            page = tree_to_page(to_tree(source.html))
        except PageError as error:
            yield Answers(source, None, dict.fromkeys([*labelers, *peers], Answer(error=error.reason)))
            continue
        seconds = time.thread_time() - start
        html = source.html if isinstance(source.html, str) else decode_html(source.html)
        start = time.thread_time()
        with contextlib.suppress(ValueError, etree.LxmlError):  # lxml rejects XML declarations in text, for example
            lxml.html.fromstring(html)
        parse_seconds = time.thread_time() - start
        by_name = {name: _ask(labeler, page, seconds, threshold, decoder) for name, labeler in labelers.items()}
        by_name |= {name: _ask_peer(peer, html) for name, peer in peers.items()}
        yield Answers(source, page, by_name, parse_seconds)
    if not has_pages:
        raise ValueError("expected one or more pages to evaluate on, got none")


def _ask(labeler: Labeler, page: Page, seconds: float, threshold: float | None, decoder: Decoder | None) -> Answer:
    """Return the answer of a labeler for a page that was read in *seconds*."""
    text, labeling, error = "", None, None
    start = time.thread_time()
    try:
        labeling = labeler.label(page, threshold=threshold, decoder=decoder)
    except PageError as page_error:
        error = page_error.reason
    else:
        text = content_text(select_content(page, labeling.blocks, labeling.labels))
    return Answer(text, labeling, error, seconds + time.thread_time() - start)


def _ask_peer(peer: Peer, html: str) -> Answer:
    text, error = "", None
    start = time.thread_time()
    try:
        text = peer(html)
    except Exception as peer_error:  # noqa: BLE001  errors of peers are counted
        error = type(peer_error).__name__
    return Answer(text, None, error, time.thread_time() - start)


def judge_by_labels(
    pages: Iterable[CorpusPage], corpus: str, labels: Mapping[tuple[str, str], PageLabels]
) -> Iterator[CorpusPage]:
    """Yield each of *pages*. If a page has labels, its content by these labels becomes its clean text.

    At the end, the numbers of pages with labels and of labels that no longer fit their pages are logged.
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


def _label(source: CorpusPage, given: PageLabels) -> str | None:
    """Return the content of a page by the labels *given*, or None if they do not fit it."""
    try:
        texts = read_blocks(source.html).texts
    except PageError:
        return None
    labels = label_all(given, texts)
    return None if labels is None else "\n".join(texts[number] for number in np.flatnonzero(labels))
