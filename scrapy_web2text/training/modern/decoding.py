"""Choices made after the fitting: temperature, decoder, thresholds, and the weights that predict the F1 of a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Annotated, Final, NamedTuple

import numpy as np

from scrapy_web2text.common.arrays import AnyArray, DoubleArray, IntArray
from scrapy_web2text.common.checks import FRACTION, Rule
from scrapy_web2text.evaluation.scores import WordScores
from scrapy_web2text.labelers.chain import TEMPERATURE, THRESHOLDS_BY_NAME, decode, odds_to_potentials
from scrapy_web2text.labelers.confidence import (
    CONFIDENCE_STATISTICS,
    WordSums,
    confidence_statistics,
    predict_f1,
)
from scrapy_web2text.labelers.modern.decisions import decide
from scrapy_web2text.labelers.modern.network import ModernNetwork
from scrapy_web2text.labelers.weights import Model
from scrapy_web2text.options import Decoder
from scrapy_web2text.page.blocks import mask_to_labels
from scrapy_web2text.training.calibration import Potentials, best_temperature, scale
from scrapy_web2text.training.modern.data import JudgedPage, page_word_scores
from scrapy_web2text.training.modern.network import Member, TorchNetwork
from scrapy_web2text.training.modern.recipe import DecodingChoice
from scrapy_web2text.training.modern.train import predict

# The named thresholds besides the model's own: each is the best for an F-measure with this weight of recall.
_PRESETS: Final = {"precision": 0.5, "recall": 2.0}
# Thresholds whose mean word F1 is this close to the best are about as good. Of these, the threshold closest to 0.5 is
# taken: on corpora without training pages, 0.5 was better than 0.4 and 0.45, the best thresholds of the folds.
_CLOSE: Final = 0.0015
_CONFIDENCE: Final = Rule(f"numbers for {', '.join(CONFIDENCE_STATISTICS)}", {*CONFIDENCE_STATISTICS}.issubset)


class DecodedPage(NamedTuple):
    """The labels and probabilities of one page. *Shapes:* ``(n,)``"""

    labels: IntArray
    probabilities: DoubleArray


@dataclass(frozen=True, slots=True, eq=False)
class Decoding:
    """The entries of a manifest by which labels, probabilities and confidence are computed from potentials.

    :param presets: thresholds by name.
    :param confidence: weights by the names of `CONFIDENCE_STATISTICS`.
    """

    temperature: Annotated[float, TEMPERATURE]
    decoder: Decoder
    threshold: Annotated[float, FRACTION]
    presets: Annotated[dict[str, float], THRESHOLDS_BY_NAME]
    confidence: Annotated[dict[str, float], _CONFIDENCE]

    def answers(self, potentials: Potentials, pages: Sequence[JudgedPage]) -> Iterator[DecodedPage]:
        """Yield the answer for each of *pages*."""
        calibrated = scale(potentials, temperature=self.temperature)
        return _find_answers(calibrated, pages, self.decoder, self.threshold)

    def predict_f1(self, page: JudgedPage, answer: DecodedPage) -> float:
        """Return the confidence in the *answer* for *page*."""
        return predict_f1(_statistics(page, answer), self.confidence)


def page_potentials(network: Member | TorchNetwork, pages: Sequence[JudgedPage]) -> Potentials:
    """Return the potentials that *network* gives to each page."""
    return [predict(network, page.page) for page in pages]


def decode_pages(model: Model, tensors: dict[str, AnyArray], pages: Sequence[JudgedPage]) -> Iterator[DecodedPage]:
    """Yield the answer for each of *pages* by *model* with *tensors* as its weights."""
    network = ModernNetwork(tensors, *(model.manifest[key] for key in ("dilations", "pooled", "grouped")))
    potentials = [odds_to_potentials(*network(page.page.features)[:2]) for page in pages]
    decoding = Decoding(**{field.name: model.manifest[field.name] for field in fields(Decoding)})
    return decoding.answers(potentials, pages)


def _find_answers(
    potentials: Potentials, pages: Sequence[JudgedPage], decoder: Decoder, threshold: float
) -> Iterator[DecodedPage]:
    """Yield the answer of the labeler for each of *pages*."""
    for page, (unary, pairwise) in zip(pages, potentials, strict=True):
        is_content, probabilities = decode(unary, pairwise, decoder=decoder, threshold=threshold)
        labels = mask_to_labels(is_content)
        answer = decide(labels, probabilities, page.page.features, page.evidence, threshold)
        yield DecodedPage(answer.labels, probabilities)


def score_answers(
    potentials: Potentials, pages: Sequence[JudgedPage], decoder: Decoder, threshold: float
) -> list[WordScores]:
    """Return the word scores of the answer for each of *pages*."""
    answers = _find_answers(potentials, pages, decoder, threshold)
    return [page_word_scores(page, answer.labels) for page, answer in zip(pages, answers, strict=True)]


def choose_decoding(choice: DecodingChoice, potentials: Potentials, pages: Sequence[JudgedPage]) -> Decoding:
    """Return the temperature with the least log loss per word, and the decoder and thresholds with the best word F1.

    The word F1 of the threshold may be lower than the best by up to `_CLOSE`.
    """
    temperature = round(best_temperature(potentials, *labels_and_words(pages)), 4)
    calibrated = scale(potentials, temperature=temperature)
    results = {
        (decoder, threshold): score_answers(calibrated, pages, decoder, threshold)
        for decoder in choice.decoders
        for threshold in choice.thresholds
    }
    means = {key: mean_f1(scores) for key, scores in results.items()}
    decoder, best = max(means, key=lambda key: means[key])
    close = [each for each in choice.thresholds if means[decoder, each] >= means[decoder, best] - _CLOSE]
    threshold = min(close, key=lambda each: abs(each - 0.5))
    presets = {"balanced": threshold}
    for name, beta in _PRESETS.items():
        presets[name] = max(choice.thresholds, key=lambda each: _f_measure(results[decoder, each], beta))
    answers = _find_answers(calibrated, pages, decoder, threshold)
    statistics = [_statistics(page, answer) for page, answer in zip(pages, answers, strict=True)]
    reached = np.array([score.f1 for score in results[decoder, threshold]])
    weights = fit_logistic(np.stack(statistics), reached)
    confidence = dict(zip(CONFIDENCE_STATISTICS, weights.round(4).tolist(), strict=True))
    return Decoding(temperature, decoder, threshold, presets, confidence)


def _statistics(page: JudgedPage, answer: DecodedPage) -> DoubleArray:
    n_tokens = page.page.features.n_tokens
    sums = WordSums(answer.labels, answer.probabilities, n_tokens)
    return confidence_statistics(answer.labels, answer.probabilities, n_tokens, sums)


def labels_and_words(pages: Sequence[JudgedPage]) -> tuple[IntArray, DoubleArray]:
    """Return the label and the number of words of each block of all *pages*: probabilities are calibrated per word.

    *Shapes:* ``(n_blocks,)``
    """
    labels = np.concatenate([page.page.labels for page in pages])
    return labels, np.concatenate([page.page.features.n_tokens for page in pages]).astype(np.float64)


def mean_f1(scores: Sequence[WordScores]) -> float:
    """Return the mean word F1 of pages."""
    return float(np.mean([score.f1 for score in scores]))


def _f_measure(scores: Sequence[WordScores], beta: float) -> float:
    """Return the F-measure of mean precision and mean recall, with recall *beta* times as important."""
    precision = float(np.mean([score.precision for score in scores]))
    recall = float(np.mean([score.recall for score in scores]))
    return (1 + beta**2) * precision * recall / max(beta**2 * precision + recall, 1e-9)


_NEWTON_STEPS: Final = 25


def fit_logistic(columns: DoubleArray, targets: DoubleArray, *, penalty: float = 1.0) -> DoubleArray:
    """Return the weights of a logistic regression to targets in [0, 1], by Newton's method. *Shape:* ``(k,)``

    :param columns: one row per sample; the first column is constant and not penalized. *Shape:* ``(n, k)``
    :param targets: *Shape:* ``(n,)``
    :param penalty: factor of half the sum of the squared weights.
    """
    weights = np.zeros(columns.shape[1])
    penalties = np.full(len(weights), penalty)
    penalties[0] = 1e-6
    for _ in range(_NEWTON_STEPS):
        fitted = 1 / (1 + np.exp(-(columns @ weights)))
        gradient = columns.T @ (fitted - targets) + penalties * weights
        curvature = (columns * (fitted * (1 - fitted))[:, None]).T @ columns + np.diag(penalties)
        weights -= np.linalg.solve(curvature, gradient)
    return weights
