"""From a recipe and the corpora to a model folder: training, choices on val, export."""

from __future__ import annotations

import logging
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from scrapy_web2text.blocks import MODERN_BLOCKS
from scrapy_web2text.features.modern import modern_feature_names
from scrapy_web2text.hmm import marginals, max_marginal_log_odds
from scrapy_web2text.registry import get_labeler
from scrapy_web2text.training.calibration import find_temperature
from scrapy_web2text.training.export import write_model
from scrapy_web2text.training.modern.data import N_STYLES, corpus_ids, load_pages, load_pseudo_pages, page_word_scores
from scrapy_web2text.training.modern.train import predict, train_modern

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from scrapy_web2text.evaluation.scores import WordScores
    from scrapy_web2text.training.modern.batches import TrainingPage
    from scrapy_web2text.training.modern.data import JudgedPage
    from scrapy_web2text.training.modern.network import ModernNetwork
    from scrapy_web2text.training.modern.recipe import ModernRecipe

    DoubleArray = NDArray[np.float64]
    IntArray = NDArray[np.int64]

__all__ = ["build_modern"]

PAGE_TYPES: Final = ("article", "documentation", "forum", "service", "listing", "collection", "product")
# A preset is the threshold with the best F-measure of this weight of recall.
_PRESETS: Final = {"precision": 0.5, "balanced": 1.0, "recall": 2.0}

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class _Potentials:
    """The potentials of val pages, and how labels come out of them."""

    unary: Sequence[DoubleArray]
    pairwise: Sequence[DoubleArray]

    def log_odds(self, decoder: str, temperature: float) -> list[DoubleArray]:
        """Return what is compared with the threshold's log-odds, page by page."""
        decode = max_marginal_log_odds if decoder == "viterbi" else _marginal_log_odds
        return [decode(u / temperature, p / temperature) for u, p in zip(self.unary, self.pairwise, strict=True)]


def build_modern(
    recipe: ModernRecipe,
    splits: Path,
    data: Path,
    cache: Path,
    *,
    seed: int,
    out: Path,
    files: dict[str, str],
    teachers: Sequence[str],
) -> dict[str, Any]:
    """Train the model of *recipe*, write its folder *out*, and return its scores.

    :param splits: JSON file of page ids by corpus and part.
    :param files: texts that lie beside the model: recipe and split ids.
    :param teachers: modern models that label the pages without a clean text; none leaves these pages out.
    :raises ValueError: if a corpus or a part is not there.
    """
    pages: list[TrainingPage] = []
    for choice in recipe.corpora:
        ids = corpus_ids(choice.name, choice.part, data, splits)
        judged = load_pages(choice.name, ids, data, cache, weight=choice.weight, page_types=PAGE_TYPES)
        pages += [each.page for each in judged]
    if teachers:
        labelers = [get_labeler(teacher) for teacher in teachers]
        for pseudo in recipe.pseudo:
            pages += load_pseudo_pages(data / pseudo.folder, labelers, weight=pseudo.weight)
    val = load_pages(recipe.val, corpus_ids(recipe.val, "val", data, splits), data, cache, page_types=PAGE_TYPES)

    def score(network: ModernNetwork) -> float:
        log_odds = _potentials(network, val).log_odds("marginal", 1.0)
        return _mean_f1(_judge(val, log_odds, 0.5))

    trained = train_modern(recipe, pages, score, n_styles=N_STYLES, n_types=len(PAGE_TYPES), seed=seed)
    potentials = _potentials(trained.network, val)
    manifest = _choose(recipe, potentials, val)
    manifest["scores"]["val"] |= {"pages": len(val), "epochs": [round(value, 4) for value in trained.curve]}
    manifest |= {
        "name": recipe.name,
        "labeler": recipe.labeler,
        "segmentation": MODERN_BLOCKS.name,
        "features": list(modern_feature_names()),
        "dilations": list(recipe.network.dilations),
        "pooled": list(recipe.network.pooled),
        "lam": 1.0,
        "corpora": [asdict(corpus) for corpus in recipe.corpora],
        "n_pages": len(pages),
        "n_teachers": len(teachers),
        "seeds": [seed],
    }
    write_model(out, trained.network.to_arrays(), manifest, files)
    return dict(manifest["scores"])


def _potentials(network: ModernNetwork, pages: Sequence[JudgedPage]) -> _Potentials:
    unary, pairwise = [], []
    for page in pages:
        logits, pair_logits = predict(network, page.page)
        row = logits.numpy().astype(np.float64)
        unary.append(np.stack([np.zeros_like(row), row], axis=1))
        pairwise.append(pair_logits.numpy().astype(np.float64).reshape(-1, 2, 2))
    return _Potentials(unary, pairwise)


def _choose(recipe: ModernRecipe, potentials: _Potentials, val: Sequence[JudgedPage]) -> dict[str, Any]:
    """Return temperature, decoder and thresholds that are best on *val*, with their scores."""
    labels = np.concatenate([page.page.labels for page in val])
    words = np.concatenate([page.page.features.n_tokens for page in val]).astype(np.float64)

    def loss(temperature: float) -> float:
        log_odds = np.concatenate(potentials.log_odds("marginal", temperature))
        # Each word counts alike: that is what the probabilities are for.
        return float(np.logaddexp(0, np.where(labels == 1, -log_odds, log_odds)) @ words / words.sum())

    temperature = find_temperature(loss)
    results = {
        (decoder, threshold): _judge(val, potentials.log_odds(decoder, temperature), threshold)
        for decoder in recipe.decoding.decoders
        for threshold in recipe.decoding.thresholds
    }
    decoder, threshold = max(results, key=lambda key: _mean_f1(results[key]))
    presets = {
        name: max(recipe.decoding.thresholds, key=lambda each: _f_measure(results[decoder, each], beta))
        for name, beta in _PRESETS.items()
    }
    best = results[decoder, threshold]
    by_type = {
        name: [score.f1 for score, page in zip(best, val, strict=True) if page.page.page_type == number]
        for number, name in enumerate(PAGE_TYPES)
    }
    return {
        "temperature": round(temperature, 4),
        "decoder": decoder,
        "threshold": threshold,
        "presets": presets,
        "scores": {
            "val": {
                "word_f1": round(_mean_f1(best), 4),
                "word_f1_by_type": {name: round(float(np.mean(f1)), 4) for name, f1 in by_type.items() if f1},
                "log_loss": round(loss(temperature), 4),
            }
        },
    }


def _judge(pages: Sequence[JudgedPage], log_odds: Sequence[DoubleArray], threshold: float) -> list[WordScores]:
    least = np.log(threshold / (1 - threshold))
    labels = [(values > least).astype(np.int64) for values in log_odds]
    return [page_word_scores(page, chosen) for page, chosen in zip(pages, labels, strict=True)]


def _mean_f1(scores: Sequence[WordScores]) -> float:
    return float(np.mean([score.f1 for score in scores]))


def _f_measure(scores: Sequence[WordScores], beta: float) -> float:
    """Return the F-measure of mean precision and mean recall, with recall *beta* times as important."""
    precision, recall = np.mean([score.precision for score in scores]), np.mean([score.recall for score in scores])
    return float((1 + beta**2) * precision * recall / max(beta**2 * precision + recall, 1e-9))


def _marginal_log_odds(unary: DoubleArray, pairwise: DoubleArray) -> DoubleArray:
    probabilities = np.clip(marginals(unary, pairwise), 1e-12, 1 - 1e-12)
    return np.log(probabilities) - np.log1p(-probabilities)
