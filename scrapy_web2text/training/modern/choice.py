"""Choices made after the fitting: temperature, decoder, thresholds, and the weights that predict the F1 of a page."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from scrapy_web2text.labelers.confidence import (
    CONFIDENCE_STATISTICS,
    confidence_statistics,
    drop_unlikely_content,
    predict_f1,
)
from scrapy_web2text.labelers.hmm import marginals, max_marginal_log_odds
from scrapy_web2text.labelers.modern.repeats import find_repeats
from scrapy_web2text.page.blocks import Label
from scrapy_web2text.training.calibration import find_temperature
from scrapy_web2text.training.modern.data import page_word_scores
from scrapy_web2text.training.modern.logistic import fit_logistic
from scrapy_web2text.training.modern.train import predict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_web2text.arrays import DoubleArray, IntArray
    from scrapy_web2text.evaluation.scores import WordScores
    from scrapy_web2text.training.modern.data import JudgedPage
    from scrapy_web2text.training.modern.network import ModernNetwork
    from scrapy_web2text.training.modern.recipe import DecodingChoice


__all__ = ["Answer", "Choice", "Potentials", "choose", "mean_f1", "page_potentials", "word_log_loss"]

# The weight of recall in the F-measure for which the threshold of each preset is the best.
_PRESETS: Final = {"precision": 0.5, "balanced": 1.0, "recall": 2.0}


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """The labels and probabilities of one page. *Shapes:* ``(n,)``"""

    labels: IntArray
    probabilities: DoubleArray


@dataclass(frozen=True, slots=True, eq=False)
class Potentials:
    """The potentials of pages, page by page, and the answers decoded from them.

    *Shapes:* per page of n blocks: unary ``(n, 2)``, pairwise ``(n - 1, 2, 2)``.
    """

    unary: Sequence[DoubleArray]
    pairwise: Sequence[DoubleArray]
    temperature: float = 1.0

    def probabilities(self) -> Iterator[DoubleArray]:
        """Yield the probabilities of CONTENT of each page."""
        for unary, pairwise in zip(self.unary, self.pairwise, strict=True):
            yield marginals(unary / self.temperature, pairwise / self.temperature)

    def answers(self, pages: Sequence[JudgedPage], decoder: str, threshold: float) -> Iterator[Answer]:
        """Yield the answer of the labeler for each page."""
        least = np.log(threshold / (1 - threshold))
        chains = zip(self.unary, self.pairwise, strict=True)
        for page, (unary, pairwise), probabilities in zip(pages, chains, self.probabilities(), strict=True):
            if decoder == "viterbi":
                is_content = max_marginal_log_odds(unary / self.temperature, pairwise / self.temperature) > least
            else:
                is_content = probabilities >= threshold
            content = np.flatnonzero(is_content)
            n_tokens = page.page.features.n_tokens
            repeats = find_repeats(
                [page.texts[i] for i in content], page.is_in_code_or_table[content], n_tokens[content]
            )
            labels = np.zeros(len(is_content), dtype=np.int64)
            labels[content[~repeats]] = Label.CONTENT
            yield Answer(drop_unlikely_content(labels, probabilities, n_tokens), probabilities)

    def scores(self, pages: Sequence[JudgedPage], decoder: str, threshold: float) -> list[WordScores]:
        """Return the word scores of each page."""
        answers = self.answers(pages, decoder, threshold)
        return [page_word_scores(page, answer.labels) for page, answer in zip(pages, answers, strict=True)]


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """How labels, probabilities and confidence are computed from potentials.

    :param presets: thresholds by name.
    :param confidence: weights by the names of `CONFIDENCE_STATISTICS`.
    """

    temperature: float
    decoder: str
    threshold: float
    presets: dict[str, float]
    confidence: dict[str, float]

    def answers(self, potentials: Potentials, pages: Sequence[JudgedPage]) -> Iterator[Answer]:
        """Yield the answer for each of *pages*."""
        calibrated = replace(potentials, temperature=self.temperature)
        return calibrated.answers(pages, self.decoder, self.threshold)

    def predict_f1(self, page: JudgedPage, answer: Answer) -> float:
        """Return the confidence in the *answer* for *page*."""
        statistics = confidence_statistics(answer.labels, answer.probabilities, page.page.features.n_tokens)
        return predict_f1(statistics, self.confidence)

    def to_manifest(self) -> dict[str, Any]:
        """Return the entries of the manifest that the labeler reads."""
        return {
            "temperature": self.temperature,
            "decoder": self.decoder,
            "threshold": self.threshold,
            "presets": self.presets,
            "confidence": self.confidence,
        }


def page_potentials(network: ModernNetwork, pages: Sequence[JudgedPage]) -> Potentials:
    """Return the potentials that *network* gives to each page."""
    unary, pairwise = [], []
    for page in pages:
        logits, pair_logits = predict(network, page.page)
        row = logits.numpy().astype(np.float64)
        unary.append(np.stack([np.zeros_like(row), row], axis=1))
        pairwise.append(pair_logits.numpy().astype(np.float64).reshape(-1, 2, 2))
    return Potentials(unary, pairwise)


def choose(decoding: DecodingChoice, potentials: Potentials, pages: Sequence[JudgedPage]) -> Choice:
    """Return the temperature with the least log loss per word, and the decoder and thresholds with the best word F1."""
    temperature = round(find_temperature(lambda each: word_log_loss(replace(potentials, temperature=each), pages)), 4)
    calibrated = replace(potentials, temperature=temperature)
    results = {
        (decoder, threshold): calibrated.scores(pages, decoder, threshold)
        for decoder in decoding.decoders
        for threshold in decoding.thresholds
    }
    decoder, threshold = max(results, key=lambda key: mean_f1(results[key]))
    presets = {
        name: max(decoding.thresholds, key=lambda each: _f_measure(results[decoder, each], beta))
        for name, beta in _PRESETS.items()
    }
    statistics = [
        confidence_statistics(answer.labels, answer.probabilities, page.page.features.n_tokens)
        for page, answer in zip(pages, calibrated.answers(pages, decoder, threshold), strict=True)
    ]
    reached = np.array([score.f1 for score in results[decoder, threshold]])
    weights = fit_logistic(np.stack(statistics), reached)
    confidence = dict(zip(CONFIDENCE_STATISTICS, weights.round(4).tolist(), strict=True))
    return Choice(temperature, decoder, threshold, presets, confidence)


def word_log_loss(potentials: Potentials, pages: Sequence[JudgedPage]) -> float:
    """Return the mean log loss of the labels per word; probabilities are calibrated per word, too."""
    labels = np.concatenate([page.page.labels for page in pages])
    words = np.concatenate([page.page.features.n_tokens for page in pages]).astype(np.float64)
    probabilities = np.concatenate([*potentials.probabilities()])
    right = np.clip(np.where(labels == Label.CONTENT, probabilities, 1 - probabilities), 1e-12, 1)
    return float(-np.log(right) @ words / words.sum())


def mean_f1(scores: Sequence[WordScores]) -> float:
    """Return the mean word F1 of pages."""
    return float(np.mean([score.f1 for score in scores]))


def _f_measure(scores: Sequence[WordScores], beta: float) -> float:
    """Return the F-measure of mean precision and mean recall, with recall *beta* times as important."""
    precision, recall = np.mean([score.precision for score in scores]), np.mean([score.recall for score in scores])
    return float((1 + beta**2) * precision * recall / max(beta**2 * precision + recall, 1e-9))
