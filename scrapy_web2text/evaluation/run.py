"""From labelers and pages with a clean text to reports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from scrapy_web2text.alignment import align_leaves, label_counts
from scrapy_web2text.blocks import TEXT_LEAVES, segment
from scrapy_web2text.dom import to_tree
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
)
from scrapy_web2text.exceptions import PageError
from scrapy_web2text.page import Page, tree_to_page
from scrapy_web2text.render import content_text

if TYPE_CHECKING:
    from scrapy_web2text.evaluation.corpora import LabelledPage
    from scrapy_web2text.labelers.base import Labeler
    from scrapy_web2text.options import Decoder

__all__ = ["N_SAMPLES", "PageResult", "Report", "evaluate", "evaluate_all"]

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]

N_SAMPLES: Final = 2000


@dataclass(frozen=True, slots=True, eq=False)
class PageResult:
    """What a labeler's answer for one page is worth.

    :param counts: numbers of leaves in the order of `COUNT_NAMES`. *Shape:* ``(4,)``
    :param words: scores of the extracted text.
    :param error: why the labeler had no answer; None if it had one.
    """

    id: str
    counts: IntArray
    words: WordScores
    error: str | None = None


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
            "intervals": {name: list(ends) for name, ends in self.intervals(n_samples=n_samples, seed=seed).items()},
            "pages": [
                {
                    "id": page.id,
                    **dict(zip(COUNT_NAMES, page.counts.tolist(), strict=True)),
                    "words": page.words.to_dict(),
                    "error": page.error,
                }
                for page in self.pages
            ],
        }

    def _word_values(self) -> FloatArray:
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
) -> list[Report]:
    """Return what each of the *labelers*, given by name, is worth; each page is read and aligned once.

    What is compared are text leaves, each weighing the same: those that are the blocks of Web2Text (`TEXT_LEAVES`) and
    those that the labeler keeps. A leaf that it does not keep is BOILERPLATE to it. The expected labels come from
    aligning all leaves of the page with its clean text. A labeler without an answer for a page has selected nothing.

    :raises ValueError: if there are no pages.
    """
    results: dict[str, list[PageResult]] = {name: [] for name in labelers}
    for labelled in pages:
        expected = _Expected.of(labelled)
        for name, labeler in labelers.items():
            results[name].append(expected.judge(labeler, threshold, decoder))
    reports = [Report(name, tuple(pages)) for name, pages in results.items()]
    if not all(report.pages for report in reports):
        raise ValueError("expected one or more pages to evaluate on, got none")
    return reports


@dataclass(frozen=True, slots=True, eq=False)
class _Expected:
    """What is expected of a labeler on one page.

    :param page: None if the page cannot be parsed.
    :param labels: of all leaves of the page. *Shape:* ``(m,)``
    :param error: why the page cannot be parsed.
    """

    id: str
    text: str
    page: Page | None
    labels: IntArray
    error: str | None = None

    @classmethod
    def of(cls, labelled: LabelledPage) -> _Expected:
        try:
            page = tree_to_page(to_tree(labelled.html))
        except PageError as error:
            return cls(labelled.id, labelled.text, None, np.zeros(0, dtype=np.int64), error.reason)
        return cls(labelled.id, labelled.text, page, label_counts(*align_leaves(page.texts, labelled.text)))

    def judge(self, labeler: Labeler, threshold: float | None, decoder: Decoder | None) -> PageResult:
        """Return what the labeler's answer is worth."""
        if self.page is None:
            return PageResult(self.id, np.zeros(4, dtype=np.int64), word_scores("", self.text), self.error)
        is_judged = np.zeros(self.page.n_leaves, dtype=bool)
        is_judged[segment(self.page, TEXT_LEAVES).leaves] = True
        predicted = np.zeros(self.page.n_leaves, dtype=np.int64)
        text, error = "", None
        try:
            answer = labeler.label(self.page, threshold=threshold, decoder=decoder)
        except PageError as page_error:
            error = page_error.reason
        else:
            is_judged[answer.blocks.leaves] = True
            predicted[answer.blocks.leaves] = answer.labels[answer.blocks.leaf_blocks]
            text = content_text(self.page, answer.blocks, answer.labels)
        counts = confusion_counts(predicted[is_judged], self.labels[is_judged])
        return PageResult(self.id, counts, word_scores(text, self.text), error)
