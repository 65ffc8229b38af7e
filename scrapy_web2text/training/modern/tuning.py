"""Tunes a model to labeled pages of a few sites, as long as cross-validation says.

In each fold, some labeled pages and some pages of other sites are held out. The scores of all folds choose the number
of rounds, and a last tuning uses all pages.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import torch

from scrapy_web2text.training.corpora import no_progress
from scrapy_web2text.training.modern.adaptation import Adaptation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_web2text.common.arrays import AnyArray
    from scrapy_web2text.labelers.weights import Model
    from scrapy_web2text.training.corpora import Track
    from scrapy_web2text.training.modern.adaptation import TuningChoice
    from scrapy_web2text.training.modern.data import JudgedPage


# Of the rounds that come this close to the best F1, the first is taken: it is the closest to the base model.
_CLOSE: Final = 0.001
_MOST_FOLDS: Final = 4


@dataclass(frozen=True, slots=True)
class TuningScore:
    """Mean word F1 after a number of rounds.

    :param own: that of the labeled pages, by their labels.
    :param kept: that of pages of other sites; not a number if there are none.
    """

    own: float
    kept: float


@dataclass(frozen=True, slots=True, eq=False)
class TunedModel:
    """The tuned weights, and the scores of the tuning.

    :param tensors: weights by name, as in a model file.
    :param before: the scores of the base model.
    :param after: those of held-out pages, each by a network that was tuned without the page.
    :param n_folds: number of folds; 1 if there is a single labeled page, which is not held out.
    :param rounds: number of rounds.
    """

    tensors: dict[str, AnyArray]
    before: TuningScore
    after: TuningScore
    n_folds: int
    rounds: int


def tune_model(
    model: Model,
    pages: Sequence[JudgedPage],
    kept: Sequence[JudgedPage],
    *,
    choice: TuningChoice,
    seed: int = 0,
    track: Track = no_progress,
) -> TunedModel:
    """Return *model* tuned to *pages*. The state of torch's own generator does not change.

    :param pages: labeled pages, one or more.
    :param kept: pages of other sites, whose answers by *model* are kept.
    :raises ValueError: if held-out pages do not come out better, or pages of other sites come out worse.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        curve, n_folds = _cross_validate(model, pages, kept, choice, seed, track)
        rounds = _choose(curve, choice)
        if not rounds:
            raise ValueError(_explain(curve, "held-out pages" if n_folds > 1 else "the page"))
        tensors, rounds = _tune_to_all(
            Adaptation(model, pages, kept, choice, seed), kept, curve[: rounds + 1], choice, track
        )
    return TunedModel({**model.tensors, **tensors}, curve[0], curve[rounds], n_folds, rounds)


def _tune_to_all(
    tuning: Adaptation, kept: Sequence[JudgedPage], curve: Sequence[TuningScore], choice: TuningChoice, track: Track
) -> tuple[dict[str, AnyArray], int]:
    """Return the weights after as many rounds as *curve* has, or fewer that keep the answers for other sites.

    :param curve: the scores of the folds.
    :raises ValueError: if no number of rounds is better and keeps the answers.
    """
    tensors, best = None, 0
    kept_after = math.nan
    for number in track(range(1, len(curve)), len(curve) - 1, title="all pages", unit="rounds"):
        tuning.advance()
        kept_after = _mean(tuning.score(kept))
        scores = (curve[number], TuningScore(math.nan, kept_after))
        if curve[number].own > curve[0].own and all(_keeps(curve[0], score, choice) for score in scores):
            tensors, best = tuning.network.to_arrays(), number
    if tensors is None:
        raise ValueError(f"F1 of other sites would fall from {curve[0].kept:.3f} to {kept_after:.3f}")
    return tensors, best


def _cross_validate(
    model: Model,
    pages: Sequence[JudgedPage],
    kept: Sequence[JudgedPage],
    choice: TuningChoice,
    seed: int,
    track: Track,
) -> tuple[list[TuningScore], int]:
    """Return the scores of held-out pages after each round, and the number of folds.

    The folds are tuned side by side, so that all end when none becomes better.
    """
    n_folds = min(len(pages), _MOST_FOLDS)
    n_parts = max(n_folds, 2)
    order = np.random.default_rng(seed).permutation(len(pages)).tolist()
    folds = []
    for fold in range(n_folds):
        own = [pages[i] for i in order[fold::n_folds]]
        rest = [pages[i] for place, i in enumerate(order) if place % n_folds != fold]
        others = [page for place, page in enumerate(kept) if place % n_parts != fold]
        folds.append((Adaptation(model, rest or own, others, choice, seed + fold), own, kept[fold::n_parts]))
    curve = [_score_folds(folds)]
    for _ in track(range(choice.rounds), choice.rounds, title="held-out pages", unit="rounds"):
        for tuning, _, _ in folds:
            tuning.advance()
        curve.append(_score_folds(folds))
        if len(curve) > choice.patience + max(_choose(curve, choice), _first_best(curve, range(len(curve)))):
            break
    return curve, n_folds


def _score_folds(folds: Sequence[tuple[Adaptation, Sequence[JudgedPage], Sequence[JudgedPage]]]) -> TuningScore:
    own = [score for tuning, pages, _ in folds for score in tuning.score(pages)]
    kept = [score for tuning, _, pages in folds for score in tuning.score(pages)]
    return TuningScore(_mean(own), _mean(kept))


def _choose(curve: Sequence[TuningScore], choice: TuningChoice) -> int:
    """Return the number of rounds with the best F1 of those that keep the answers for other sites; 0 for none."""
    return _first_best(curve, [i for i, score in enumerate(curve) if _keeps(curve[0], score, choice)])


def _first_best(curve: Sequence[TuningScore], rounds: Sequence[int]) -> int:
    """Return the first of *rounds* that is about as good as the best."""
    best = max(curve[i].own for i in rounds)
    return next(i for i in rounds if curve[i].own >= best - _CLOSE)


def _keeps(before: TuningScore, after: TuningScore, choice: TuningChoice) -> bool:
    return not after.kept < before.kept - choice.most_lost


def _explain(curve: Sequence[TuningScore], which: str) -> str:
    """Return why no round of *curve* is better than the base model."""
    before, best = curve[0], curve[_first_best(curve, range(len(curve)))]
    if best is before:
        return f"F1 of {which} is {before.own:.3f}, and no round of the tuning has a better one"
    return (
        f"F1 of {which} would rise from {before.own:.3f} to {best.own:.3f}, but that of other sites fall from "
        f"{before.kept:.3f} to {best.kept:.3f}"
    )


def _mean(scores: Sequence[float]) -> float:
    return float(np.mean(scores)) if scores else math.nan
