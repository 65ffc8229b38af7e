"""Scores of the labels of text leaves, as in Table 1 of Web2Text.

The expected labels come from an alignment of all leaves with the clean text of the page, by characters; the labels of
another extractor from an alignment with its text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Final

import numpy as np

from research.alignment.characters import align_leaves, counts_to_labels
from scrapy_web2text.common.arrays import DoubleArray, IntArray
from scrapy_web2text.evaluation.corpora import CorpusPage
from scrapy_web2text.evaluation.peers import Peer
from scrapy_web2text.evaluation.run import Answers, answer_all
from scrapy_web2text.evaluation.scores import N_SAMPLES, PageResult, Report, interval, sample_pages
from scrapy_web2text.extraction import Label
from scrapy_web2text.labelers.base import Labeler
from scrapy_web2text.options import Decoder
from scrapy_web2text.page.blocks import TEXT_LEAVES, mark_kept_leaves, segment

COUNT_NAMES: Final = ("true_positives", "false_positives", "false_negatives", "true_negatives")


@dataclass(frozen=True, slots=True)
class BlockScores:
    """Scores of labels, with CONTENT as the positive class; each in [0, 1], 0 if the divisor is 0."""

    accuracy: float
    precision: float
    recall: float
    f1: float

    @classmethod
    def of(cls, counts: IntArray) -> BlockScores:
        """Return the scores of one system, by its numbers in the order of `COUNT_NAMES`. *Shape:* ``(4,)``"""
        return cls(*block_scores(counts).tolist())


def confusion_counts(predicted: IntArray, expected: IntArray) -> IntArray:
    """Return the numbers of true and false positives, false and true negatives. *Shapes:* ``(n,)`` -> ``(4,)``"""
    return np.bincount(2 * (1 - predicted) + (1 - expected), minlength=4).astype(np.int64)


def block_scores(counts: IntArray) -> DoubleArray:
    """Return accuracy, precision, recall and F1. *Shapes:* ``(…, 4)`` -> ``(…, 4)``

    :param counts: numbers in the order of `COUNT_NAMES`, summed over all pages.
    """
    positives, false_positives, false_negatives, negatives = np.moveaxis(counts, -1, 0)
    return np.stack(
        [
            _divide(positives + negatives, counts.sum(axis=-1)),
            _divide(positives, positives + false_positives),
            _divide(positives, positives + false_negatives),
            _divide(2 * positives, 2 * positives + false_positives + false_negatives),
        ],
        axis=-1,
    )


def _divide(part: IntArray, whole: IntArray) -> DoubleArray:
    return np.where(whole > 0, part / np.maximum(whole, 1), 0.0)


def bootstrap_block_scores(counts: IntArray, *, n_samples: int, seed: int) -> DoubleArray:
    """Return the block scores of bootstrap samples of the pages. *Shapes:* ``(n_pages, 4)`` -> ``(n_samples, 4)``"""
    return block_scores(sample_pages(len(counts), n_samples, seed) @ counts)


@dataclass(frozen=True, slots=True, eq=False)
class LeafReport(Report):
    """The scores of a labeler or peer, those of leaves included.

    :param counts: numbers of leaves of each page in the order of `COUNT_NAMES`. *Shape:* ``(n_pages, 4)``
    """

    counts: IntArray

    @property
    def blocks(self) -> BlockScores:
        """The scores of the leaves of all pages together, as in Table 1 of Web2Text."""
        return BlockScores.of(self.counts.sum(axis=0))

    def scores(self) -> dict[str, float]:
        """Return the scores of leaves and of words, by name."""
        return asdict(self.blocks) | Report.scores(self)

    def intervals(self, *, n_samples: int = N_SAMPLES, seed: int = 0) -> dict[str, tuple[float, float]]:
        """Return the 95 % intervals of the scores, by name."""
        samples = bootstrap_block_scores(self.counts, n_samples=n_samples, seed=seed)
        ends = zip(asdict(self.blocks), interval(samples).T.tolist(), strict=True)
        leaves = {name: (low, high) for name, (low, high) in ends}
        return leaves | Report.intervals(self, n_samples=n_samples, seed=seed)


def evaluate_leaves(
    labelers: Mapping[str, Labeler],
    pages: Iterable[CorpusPage],
    *,
    threshold: float | None = None,
    decoder: Decoder | None = None,
    peers: Mapping[str, Peer] | None = None,
) -> list[LeafReport]:
    """Return the scores of all *labelers* and *peers*, given by name; each page is read and aligned once.

    Text leaves are compared, all with the same weight: the blocks of Web2Text (`TEXT_LEAVES`), and further leaves that
    the labeler keeps. A leaf that the labeler does not keep has the label BOILERPLATE. A system without an answer for a
    page has selected nothing.

    :raises ValueError: if *pages* is empty.
    """
    results: dict[str, list[PageResult]] = {name: [] for name in [*labelers, *(peers or {})]}
    counts: dict[str, list[IntArray]] = {name: [] for name in results}
    for answers in answer_all(labelers, pages, threshold=threshold, decoder=decoder, peers=peers):
        for name, found in _count_leaves(answers, peers or {}).items():
            results[name].append(answers.score(name))
            counts[name].append(found)
    return [LeafReport(name, tuple(results[name]), np.array(counts[name])) for name in results]


def _count_leaves(answers: Answers, peers: Mapping[str, Peer]) -> dict[str, IntArray]:
    """Return the numbers of leaves of each system in the order of `COUNT_NAMES`. *Shape:* ``(4,)`` each"""
    page = answers.page
    if page is None:
        return {name: np.zeros(4, np.int64) for name in answers.by_name}
    expected = counts_to_labels(*align_leaves(page.texts, answers.source.text))
    is_in_blocks = mark_kept_leaves(page, segment(page, TEXT_LEAVES))
    counts = {}
    for name, answer in answers.by_name.items():
        is_compared, predicted = is_in_blocks, np.full(page.n_leaves, int(Label.BOILERPLATE), dtype=np.int64)
        if name in peers:
            predicted = counts_to_labels(*align_leaves(page.texts, answer.text))
        elif answer.labeling is not None:
            is_compared = is_compared | mark_kept_leaves(page, answer.labeling.blocks)
            predicted[answer.labeling.blocks.leaves] = answer.labeling.labels[answer.labeling.blocks.leaf_blocks]
        counts[name] = confusion_counts(predicted[is_compared], expected[is_compared])
    return counts
