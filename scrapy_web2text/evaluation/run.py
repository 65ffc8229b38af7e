"""From labelers, other extractors and pages with a clean text to reports."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import lxml.html
import numpy as np
from lxml import etree

from scrapy_web2text.alignment.characters import align_leaves, label_counts
from scrapy_web2text.arrays import DoubleArray, IntArray
from scrapy_web2text.content.selection import select_content
from scrapy_web2text.content.text import content_text
from scrapy_web2text.evaluation.scores import (
    COUNT_NAMES,
    BlockScores,
    WordScores,
    block_scores,
    bootstrap_block_scores,
    bootstrap_means,
    confusion_counts,
    interval,
    word_scores,
    word_tokens,
)
from scrapy_web2text.exceptions import PageError
from scrapy_web2text.page.arrays import Page, tree_to_page
from scrapy_web2text.page.blocks import TEXT_LEAVES, mark_kept_leaves, segment
from scrapy_web2text.page.parse import decode, to_tree

if TYPE_CHECKING:
    from scrapy_web2text.evaluation.corpora import LabelledPage
    from scrapy_web2text.evaluation.peers import Peer
    from scrapy_web2text.labelers.base import Labeler
    from scrapy_web2text.options import Decoder

__all__ = ["N_SAMPLES", "PageResult", "Report", "evaluate", "evaluate_all"]


N_SAMPLES: Final = 2000


@dataclass(frozen=True, slots=True, eq=False)
class PageResult:
    """What a labeler's answer for one page is worth.

    :param counts: numbers of leaves in the order of `COUNT_NAMES`. *Shape:* ``(4,)``
    :param words: scores of the extracted text.
    :param error: why the labeler had no answer; None if it had one.
    :param kind: page type, where the corpus knows it.
    :param is_empty: whether the page has no main content.
    :param snippets: number of the snippets that should be in the text and are, that should be, that should not be and
        are, and that should not be.
    :param seconds: CPU time from the source to the text.
    :param parse_seconds: CPU time of lxml's parse of the page alone.
    """

    id: str
    counts: IntArray
    words: WordScores
    error: str | None = None
    kind: str | None = None
    is_empty: bool = False
    snippets: tuple[int, int, int, int] = (0, 0, 0, 0)
    seconds: float = 0.0
    parse_seconds: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """What a labeler's answers for a set of pages are worth.

    :param name: the labeler, and what was changed about it.
    """

    name: str
    pages: tuple[PageResult, ...]

    @property
    def counts(self) -> IntArray:
        """The counts of each page, in the order of `COUNT_NAMES`. *Shape:* ``(n_pages, 4)``"""
        return np.array([page.counts for page in self.pages])

    @property
    def blocks(self) -> BlockScores:
        """The scores of all labels together, each block weighing the same, as in Table 1 of Web2Text."""
        return BlockScores(*block_scores(self.counts.sum(axis=0)).tolist())

    @property
    def words(self) -> WordScores:
        """The means over the pages of the scores of the extracted texts, as in WCXB."""
        return WordScores(*self._word_values().mean(axis=0).tolist())

    @property
    def cost(self) -> float:
        """CPU time of all pages relative to their parse."""
        return sum(page.seconds for page in self.pages) / max(sum(page.parse_seconds for page in self.pages), 1e-9)

    @property
    def snippets(self) -> tuple[float, float]:
        """The share of the snippets that should be in the texts and are, and of those that should not be and are."""
        held, wanted, intruding, unwanted = np.sum([page.snippets for page in self.pages], axis=0).tolist()
        return held / max(wanted, 1), intruding / max(unwanted, 1)

    def word_f1_by_kind(self) -> dict[str, tuple[int, float]]:
        """Return number of pages and mean word F1 of all pages, of those with main content, and of each page type."""
        groups: dict[str, list[float]] = {"all": [], "not empty": []}
        for page in self.pages:
            kinds = ["all", *([] if page.is_empty else ["not empty"]), *([page.kind] if page.kind else [])]
            for kind in kinds:
                groups.setdefault(kind, []).append(page.words.f1)
        return {kind: (len(f1), float(np.mean(f1))) for kind, f1 in groups.items() if f1}

    def difference(self, other: Report, *, n_samples: int = N_SAMPLES, seed: int = 0) -> tuple[float, float, float]:
        """Return how much better the other's word F1 is, page by page, with the ends of its 95 % interval."""
        differences = (other._word_values() - self._word_values())[:, 2:]
        low, high = interval(bootstrap_means(differences, n_samples=n_samples, seed=seed))[:, 0].tolist()
        return float(differences.mean()), low, high

    def intervals(self, *, n_samples: int = N_SAMPLES, seed: int = 0) -> dict[str, tuple[float, float]]:
        """Return the 95 % intervals of a page bootstrap: of the block scores by name, and of ``word_f1``.

        They say how the scores would vary over other pages of the kind; two systems are compared page by page instead.
        """
        blocks = interval(bootstrap_block_scores(self.counts, n_samples=n_samples, seed=seed)).T.tolist()
        words = interval(bootstrap_means(self._word_values(), n_samples=n_samples, seed=seed)).T.tolist()
        names = ("accuracy", "precision", "recall", "f1", "word_f1")
        return {name: (low, high) for name, (low, high) in zip(names, [*blocks, words[2]], strict=True)}

    def to_dict(self, *, n_samples: int = N_SAMPLES, seed: int = 0) -> dict[str, Any]:
        """Return everything as JSON-ready plain data, page by page too."""
        total = self.counts.sum(axis=0)
        return {
            "name": self.name,
            "n_pages": len(self.pages),
            "n_blocks": int(total.sum()),
            "n_content": int(total[0] + total[2]),
            "blocks": self.blocks.to_dict(),
            "words": self.words.to_dict(),
            "word_f1_by_kind": {kind: list(values) for kind, values in self.word_f1_by_kind().items()},
            "snippets": list(self.snippets),
            "cost": self.cost,
            "intervals": {name: list(ends) for name, ends in self.intervals(n_samples=n_samples, seed=seed).items()},
            "pages": [
                {
                    "id": page.id,
                    **dict(zip(COUNT_NAMES, page.counts.tolist(), strict=True)),
                    "words": page.words.to_dict(),
                    "kind": page.kind,
                    "snippets": list(page.snippets),
                    "error": page.error,
                }
                for page in self.pages
            ],
        }

    def _word_values(self) -> DoubleArray:
        return np.array([[page.words.precision, page.words.recall, page.words.f1] for page in self.pages])


def evaluate(
    labeler: Labeler,
    pages: Iterable[LabelledPage],
    *,
    threshold: float | None = None,
    decoder: Decoder | None = None,
) -> Report:
    """Return what *labeler* is worth on *pages*.

    :param threshold: least content probability, in (0, 1); None takes the labeler's own.
    :param decoder: how labels come out of potentials; None takes the labeler's own.
    :raises ValueError: if there are no pages.
    """
    return evaluate_all({labeler.name: labeler}, pages, threshold=threshold, decoder=decoder)[0]


def evaluate_all(
    labelers: Mapping[str, Labeler],
    pages: Iterable[LabelledPage],
    *,
    threshold: float | None = None,
    decoder: Decoder | None = None,
    peers: Mapping[str, Peer] | None = None,
) -> list[Report]:
    """Return what each of the *labelers* and *peers*, given by name, is worth; each page is read and aligned once.

    What is compared are text leaves, each weighing the same: those that are the blocks of Web2Text (`TEXT_LEAVES`) and
    those that the labeler keeps. A leaf that it does not keep is BOILERPLATE to it. The expected labels come from
    aligning all leaves of the page with its clean text, and those of a peer from aligning them with its text. Whoever
    has no answer for a page has selected nothing.

    :raises ValueError: if there are no pages.
    """
    peers = peers or {}
    results: dict[str, list[PageResult]] = {name: [] for name in [*labelers, *peers]}
    for labelled in pages:
        expected = _Expected.of(labelled)
        for name, labeler in labelers.items():
            results[name].append(expected.judge(labeler, threshold, decoder))
        for name, peer in peers.items():
            results[name].append(expected.judge_peer(peer))
    reports = [Report(name, tuple(pages)) for name, pages in results.items()]
    if not all(report.pages for report in reports):
        raise ValueError("expected one or more pages to evaluate on, got none")
    return reports


@dataclass(frozen=True, slots=True, eq=False)
class _Expected:
    """What is expected of an extractor on one page.

    :param page: None if the page cannot be parsed.
    :param labels: of all leaves of the page. *Shape:* ``(m,)``
    :param error: why the page cannot be parsed.
    :param source: the page as text.
    :param parse_seconds: CPU time of lxml's parse alone.
    :param seconds: CPU time from the source to the page's arrays.
    """

    labelled: LabelledPage
    page: Page | None
    labels: IntArray
    error: str | None = None
    source: str = ""
    parse_seconds: float = 0.0
    seconds: float = 0.0

    @classmethod
    def of(cls, labelled: LabelledPage) -> _Expected:
        start = time.thread_time()
        try:
            page = tree_to_page(to_tree(labelled.html))
        except PageError as error:
            return cls(labelled, None, np.zeros(0, dtype=np.int64), error.reason)
        seconds = time.thread_time() - start
        source = labelled.html if isinstance(labelled.html, str) else decode(labelled.html)
        start = time.thread_time()
        with contextlib.suppress(ValueError, etree.LxmlError):  # what lxml alone refuses, such as XML declarations
            lxml.html.fromstring(source)
        parse_seconds = time.thread_time() - start
        labels = label_counts(*align_leaves(page.texts, labelled.text))
        return cls(labelled, page, labels, None, source, parse_seconds, seconds)

    def judge(self, labeler: Labeler, threshold: float | None, decoder: Decoder | None) -> PageResult:
        """Return what the labeler's answer is worth."""
        if self.page is None:
            return self._result(np.zeros(4, dtype=np.int64), "", self.error, 0.0)
        is_judged = mark_kept_leaves(self.page, segment(self.page, TEXT_LEAVES))
        predicted = np.zeros(self.page.n_leaves, dtype=np.int64)
        text, error = "", None
        start = time.thread_time()
        try:
            answer = labeler.label(self.page, threshold=threshold, decoder=decoder)
        except PageError as page_error:
            error = page_error.reason
        else:
            text = content_text(select_content(self.page, answer.blocks, answer.labels))
            is_judged |= mark_kept_leaves(self.page, answer.blocks)
            predicted[answer.blocks.leaves] = answer.labels[answer.blocks.leaf_blocks]
        seconds = time.thread_time() - start
        counts = confusion_counts(predicted[is_judged], self.labels[is_judged])
        return self._result(counts, text, error, self.seconds + seconds)

    def judge_peer(self, peer: Peer) -> PageResult:
        """Return what the text of another extractor is worth."""
        if self.page is None:
            return self._result(np.zeros(4, dtype=np.int64), "", self.error, 0.0)
        text, error = "", None
        start = time.thread_time()
        try:
            text = peer(self.source)
        except Exception as peer_error:  # noqa: BLE001 - their faults are counted, and end nothing
            error = type(peer_error).__name__
        seconds = time.thread_time() - start
        is_judged = mark_kept_leaves(self.page, segment(self.page, TEXT_LEAVES))
        predicted = label_counts(*align_leaves(self.page.texts, text))
        return self._result(confusion_counts(predicted[is_judged], self.labels[is_judged]), text, error, seconds)

    def _result(self, counts: IntArray, text: str, error: str | None, seconds: float) -> PageResult:
        labelled = self.labelled
        return PageResult(
            labelled.id,
            counts,
            word_scores(text, labelled.text),
            error,
            labelled.kind,
            is_empty=not word_tokens(labelled.text),
            snippets=(
                *_count_snippets(text, labelled.with_snippets),
                *_count_snippets(text, labelled.without_snippets),
            ),
            seconds=seconds,
            parse_seconds=self.parse_seconds,
        )


def _count_snippets(text: str, snippets: Sequence[str]) -> tuple[int, int]:
    """Return how many of the *snippets* are in *text*, all blanks being one, and their number."""
    squeezed = " ".join(text.split())
    return sum(" ".join(snippet.split()) in squeezed for snippet in snippets), len(snippets)
