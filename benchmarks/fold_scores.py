"""The scores of a cross-validation: the pages of each fold, and what the networks make of them."""

from __future__ import annotations

import json
import lzma
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

from scrapy_web2text.common.arrays import AnyArray, DoubleArray
from scrapy_web2text.evaluation.corpora import Corpus
from scrapy_web2text.evaluation.scores import N_SAMPLES, WordScores, bootstrap_means, interval, word_scores
from scrapy_web2text.labelers.confidence import TEXTLESS_PAGE_F1
from scrapy_web2text.training.calibration import Potentials
from scrapy_web2text.training.corpora import corpus_facts, site_of
from scrapy_web2text.training.modern.data import JudgedPage, page_word_scores
from scrapy_web2text.training.modern.decoding import Decoding
from scrapy_web2text.verdicts.kinds import PAGE_TYPES

_N_BINS: Final = 20
_DETAILS: Final = ("choice", "bins", "pages")
PageTypes: TypeAlias = Sequence[tuple[str, float] | tuple[None, None]]


@dataclass(frozen=True, slots=True)
class FoldPage:
    """The scores of the answer of one network to one page.

    :param fold: fold of the page, -1 for a page without blocks.
    :param is_read: whether it is judged by a reading, and not by the published clean text.
    :param published_f1: F1 of the words by the published clean text.
    :param page_type: the type that the model predicted, None if it tells no types; and its probability.
    """

    id: str
    kind: str
    site: str
    fold: int
    seed: int
    is_empty: bool
    is_read: bool
    precision: float
    recall: float
    f1: float
    published_f1: float
    confidence: float
    page_type: str | None = None
    page_type_probability: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """The pages of one fold, and what the network of each seed, trained on other sites, makes of them.

    :param by_corpus: the pages of each corpus.
    :param potentials: what the networks make of these pages, by corpus and seed.
    :param page_types: the types that the network of each seed predicts for the pages of the val corpus.
    """

    number: int
    by_corpus: dict[str, list[JudgedPage]]
    potentials: dict[str, dict[int, Potentials]]
    page_types: dict[int, PageTypes]


def score_folds(
    corpus: str, folds: Sequence[Fold], choices: Mapping[tuple[int, int], Decoding]
) -> tuple[list[FoldPage], DoubleArray]:
    """Return the scores of all pages of the val *corpus* with each seed, and the words in bins of their probability.

    :param choices: fold and seed -> the best choices for the other folds.
    """
    pages = []
    bins = np.zeros((3, _N_BINS))
    for fold in folds:
        inside = fold.by_corpus[corpus]
        for seed, potentials in fold.potentials[corpus].items():
            decoding = choices[fold.number, seed]
            answers = decoding.answers(potentials, inside)
            for page, answer, (page_type, chance) in zip(inside, answers, fold.page_types[seed], strict=True):
                bins += _fill_bins(answer.probabilities, page.page.labels, page.page.features.n_tokens)
                scored = FoldPage(
                    page.page.id,
                    PAGE_TYPES[page.page.page_type] if page.page.page_type >= 0 else "unknown",
                    page.site,
                    fold.number,
                    seed,
                    is_empty=not page.gold.sum(),
                    is_read=page.has_reader_labels,
                    **asdict(page_word_scores(page, answer.labels)),
                    published_f1=page_word_scores(page, answer.labels, page.published).f1,
                    confidence=decoding.predict_f1(page, answer),
                    page_type=page_type,
                    page_type_probability=chance,
                )
                pages.append(scored)
    return pages, bins


def score_others(
    corpus: str, folds: Sequence[Fold], choices: Mapping[tuple[int, int], Decoding]
) -> dict[str, dict[str, float]]:
    """Return the mean scores of the answers to the pages of each corpus except *corpus*."""
    scores: dict[str, list[WordScores]] = defaultdict(list)
    for fold in folds:
        for name in fold.by_corpus.keys() - {corpus}:
            inside = fold.by_corpus[name]
            for seed, potentials in fold.potentials[name].items():
                answers = choices[fold.number, seed].answers(potentials, inside)
                scores[name] += [
                    page_word_scores(page, each.labels) for page, each in zip(inside, answers, strict=True)
                ]
    return {
        name: {"answers": len(found)}
        | {
            key: round(float(np.mean([getattr(each, key) for each in found])), 4)
            for key in ("f1", "precision", "recall")
        }
        for name, found in sorted(scores.items())
    }


def score_pages_without_blocks(corpus: Corpus, answered: set[str], seeds: Sequence[int]) -> Iterator[FoldPage]:
    """Yield the scores of the pages without blocks, whose answer is always empty."""
    for page in corpus.pages([page_id for page_id in corpus.ids if page_id not in answered]):
        scores = word_scores("", page.text)
        kind, site = page.kind or "unknown", site_of(corpus_facts(corpus.name), page)
        for seed in seeds:
            yield FoldPage(
                page.id,
                kind,
                site,
                fold=-1,
                seed=seed,
                is_empty=not page.text.strip(),
                is_read=False,
                **asdict(scores),
                published_f1=scores.f1,
                confidence=TEXTLESS_PAGE_F1,
            )


def summarize(pages: Sequence[FoldPage], bins: DoubleArray) -> dict[str, Any]:
    """Return mean word F1 by page type, how well types are told, and how far probabilities can be trusted."""
    f1 = np.array([page.f1 for page in pages])
    confidence = np.array([page.confidence for page in pages])
    groups = {"all": pages, "not empty": [page for page in pages if not page.is_empty]}
    groups |= {kind: [page for page in pages if page.kind == kind] for kind in PAGE_TYPES}
    groups = {name: group for name, group in groups.items() if group}
    return {
        "word_f1": {name: _describe_scores(group, "f1") for name, group in groups.items()},
        "published_word_f1": {name: _describe_scores(group, "published_f1") for name, group in groups.items()},
        "pages_read": len({page.id for page in pages if page.is_read}),
        "expected_calibration_error": _calibration_error(bins),
        "correlation_of_confidence": round(float(np.corrcoef(confidence, f1)[0, 1]), 4),
        "page_types": _describe_types(pages),
    }


def _describe_types(pages: Sequence[FoldPage]) -> dict[str, Any] | None:
    """Return how well the types of the pages are told whose type is known; None if the model tells none."""
    told = [page for page in pages if page.page_type is not None and page.kind in PAGE_TYPES]
    if not told:
        return None
    right = np.array([page.page_type == page.kind for page in told])
    chances = np.array([page.page_type_probability for page in told], dtype=np.float64)
    kinds = np.array([page.kind for page in told])
    return {
        "pages": len({page.id for page in told}),
        "accuracy": round(float(right.mean()), 4),
        "mean_probability": round(float(chances.mean()), 4),
        "expected_calibration_error": _calibration_error(_fill_bins(chances, right, np.ones(len(told)))),
        "recall": {name: round(float(right[kinds == name].mean()), 4) for name in PAGE_TYPES if name in kinds},
    }


def _fill_bins(probabilities: DoubleArray, outcomes: AnyArray, weights: AnyArray) -> DoubleArray:
    """Return the sums in 20 equal bins of the probability: of weights, expected outcomes and outcomes, by weight.

    *Shapes:* ``(k,)`` each -> ``(3, 20)``
    """
    numbers = np.minimum((probabilities * _N_BINS).astype(np.int64), _N_BINS - 1)
    rows = (weights, probabilities * weights, outcomes * weights)
    return np.stack([np.bincount(numbers, row, minlength=_N_BINS) for row in rows])


def _calibration_error(bins: DoubleArray) -> float:
    """Return the expected calibration error of *bins*: the mean gap of their outcomes, by weight."""
    weights, expected, found = bins
    return round(float(np.abs(expected - found).sum() / max(weights.sum(), 1)), 4)


def _describe_scores(pages: Sequence[FoldPage], name: str) -> dict[str, Any]:
    """Return the mean over pages of the mean over seeds, its bootstrap interval, and the mean of each seed."""
    by_page: dict[str, list[float]] = {}
    by_seed: dict[int, list[float]] = {}
    for page in pages:
        by_page.setdefault(page.id, []).append(getattr(page, name))
        by_seed.setdefault(page.seed, []).append(getattr(page, name))
    means = np.array([np.mean(values) for values in by_page.values()])
    low, high = interval(bootstrap_means(means[:, None], n_samples=N_SAMPLES, seed=0))[:, 0].tolist()
    described = {
        "pages": len(means),
        "mean": round(float(means.mean()), 4),
        "interval": [round(low, 4), round(high, 4)],
    }
    if len(by_seed) > 1:
        described["seeds"] = {str(seed): round(float(np.mean(values)), 4) for seed, values in sorted(by_seed.items())}
    return described


def read_folds(path: Path) -> dict[str, Any]:
    """Return what `cross_validate` returned, from a ``folds.json``, which may be compressed as ``.xz``."""
    try:
        with lzma.open(path) if path.suffix == ".xz" else path.open("rb") as file:
            folds = json.load(file)
    except (ValueError, lzma.LZMAError, EOFError):
        folds = None
    if not isinstance(folds, dict):
        raise ValueError(f"expected {path} to be a folds.json of benchmarks/cross_validation.py")
    return folds


def summary_of(folds: Mapping[str, Any]) -> dict[str, Any]:
    """Return the summary of what `cross_validate` returned, without the pages and the choices."""
    return {name: value for name, value in folds.items() if name not in _DETAILS}
