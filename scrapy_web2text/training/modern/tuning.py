"""Tunes a model to labeled pages of a few sites, and keeps its answers for other sites.

In each fold, some labeled pages and some pages of other sites are held out. The scores of all folds choose the number
of rounds, and a last tuning uses all pages.

All weights but the embeddings are fitted. The loss is the training loss on labeled pages, plus the distance from the
answers of the base model on other pages.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Final, NamedTuple, cast

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from scrapy_web2text.common.arrays import AnyArray
from scrapy_web2text.common.display import format_share
from scrapy_web2text.labelers.weights import Model
from scrapy_web2text.training.corpora import Track, no_progress
from scrapy_web2text.training.fitting import draw_batches, evaluate_chain
from scrapy_web2text.training.modern.batches import Batch, collate
from scrapy_web2text.training.modern.data import JudgedPage, page_word_scores
from scrapy_web2text.training.modern.decoding import decode_pages
from scrapy_web2text.training.modern.network import Member, ModernNetwork
from scrapy_web2text.training.modern.recipe import NetworkChoice
from scrapy_web2text.training.modern.train import TYPE_WEIGHT, batch_loss, mean_by_words

# Of the rounds whose F1 is this close to the best, the first is taken, since it is the closest to the base model.
_CLOSE: Final = 0.001
_MOST_FOLDS: Final = 4
_WARM_UP: Final = 5
_LARGEST_GRADIENT: Final = 3.0
_FIXED: Final = ("names", "words", "style", "page_type.weight", "page_type.bias")


@dataclass(frozen=True, slots=True)
class TuningChoice:
    """The options for tuning a network.

    :param rounds: largest number of rounds; the network is scored after each round.
    :param patience: number of rounds without a better F1 after which the tuning ends.
    :param batch: number of labeled pages in a step.
    :param kept_batch: number of pages of other sites in a step, whose answers are kept.
    :param kept_weight: weight of the loss on pages of other sites.
    :param most_lost: largest loss of word F1 on held-out pages of other sites.
    """

    rounds: int = 24
    patience: int = 3
    steps: int = 10
    batch: int = 4
    kept_batch: int = 8
    kept_weight: float = 8.0
    learning_rate: float = 5e-4
    most_lost: float = 0.003


class TuningScore(NamedTuple):
    """Mean word F1 after a number of rounds, of labeled pages and of other sites; NaN if there are no such pages."""

    own: float
    kept: float


@dataclass(frozen=True, slots=True, eq=False)
class TunedModel:
    """The tuned weights, and the scores of the tuning.

    :param before: the scores of the base model.
    :param after: the scores on held-out pages; each page is scored by a network that was tuned without it.
    :param n_folds: number of folds; 1 for a single labeled page, which is not held out.
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
    :raises ValueError: if held-out pages do not get better scores, or pages of other sites get worse scores.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        curve, n_folds = _cross_validate(model, pages, kept, choice, seed, track)
        rounds = _choose(curve, choice)
        if not rounds:
            raise ValueError(_explain(curve, "held-out pages" if n_folds > 1 else "the page"))
        tuning = Adaptation(model, pages, kept, choice, seed)
        for _ in track(range(rounds), rounds, title="all pages", unit="rounds"):
            tuning.advance()
    kept_after = _mean(tuning.score(kept))
    if kept_after < curve[0].kept - choice.most_lost:
        raise ValueError(_describe_loss(curve[0].kept, kept_after))
    tensors = {**model.tensors, **tuning.network.to_arrays()}
    return TunedModel(tensors, curve[0], curve[rounds], n_folds, rounds)


def _cross_validate(
    model: Model,
    pages: Sequence[JudgedPage],
    kept: Sequence[JudgedPage],
    choice: TuningChoice,
    seed: int,
    track: Track,
) -> tuple[list[TuningScore], int]:
    """Return the scores of held-out pages after each round, and the number of folds.

    The folds are tuned side by side, so that all of them end when their scores no longer get better.
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
    """Return the number of rounds with the best F1 that keeps the answers for other sites; 0 if no number does."""
    least = curve[0].kept - choice.most_lost
    return _first_best(curve, [i for i, score in enumerate(curve) if not score.kept < least])


def _first_best(curve: Sequence[TuningScore], rounds: Sequence[int]) -> int:
    """Return the first of *rounds* that is about as good as the best."""
    best = max(curve[i].own for i in rounds)
    return next(i for i in rounds if curve[i].own >= best - _CLOSE)


def _explain(curve: Sequence[TuningScore], which: str) -> str:
    """Return why no round of *curve* is better than the base model."""
    before, best = curve[0], curve[_first_best(curve, range(len(curve)))]
    if best is before:
        return f"F1 of {which} is {format_share(before.own)}, and no round of tuning improves it"
    return (
        f"F1 of {which} would rise from {format_share(before.own)} to {format_share(best.own)}, but "
        + _describe_loss(before.kept, best.kept)
    )


def _describe_loss(before: float, after: float) -> str:
    return f"F1 of other sites would fall from {format_share(before)} to {format_share(after)}"


def _mean(scores: Sequence[float]) -> float:
    return float(np.mean(scores)) if scores else math.nan


class Adaptation:
    """A network during its tuning, with the state of its optimizer."""

    def __init__(
        self, model: Model, pages: Sequence[JudgedPage], kept: Sequence[JudgedPage], choice: TuningChoice, seed: int
    ) -> None:
        self.network = _load_network(model)
        self._model = model
        self._choice = choice
        self._n_steps = 0
        random = np.random.default_rng(seed)
        own = [page.page for page in pages]
        self._batches = (batch for _ in count() for batch in draw_batches(own, choice.batch, random))
        members = self._members = [cast("Member", member) for member in self.network.members]
        kept_batches = [*draw_batches([page.page for page in kept], choice.kept_batch, random)] if kept else []
        self._kept = [(batch, [_targets(member, batch) for member in members]) for batch in map(collate, kept_batches)]
        self._weights = [
            weight
            for member in members
            for name, weight in member.named_parameters()
            if weight.requires_grad_(name not in _FIXED).requires_grad
        ]
        self._optimizer = torch.optim.Adam(self._weights, choice.learning_rate)

    def advance(self) -> None:
        """Do the steps of one round."""
        self.network.train()
        for _ in range(self._choice.steps):
            self._step()
        self.network.eval()

    def score(self, pages: Sequence[JudgedPage]) -> list[float]:
        """Return the word F1 of each page."""
        answers = decode_pages(self._model, self.network.to_arrays(), pages)
        return [page_word_scores(page, answer.labels).f1 for page, answer in zip(pages, answers, strict=True)]

    def _step(self) -> None:
        for group in self._optimizer.param_groups:
            group["lr"] = self._choice.learning_rate * min(1.0, (self._n_steps + 1) / _WARM_UP)
        batch = collate(next(self._batches))
        loss = torch.stack([batch_loss(member, batch) for member in self._members]).sum()
        if self._kept:
            kept, targets = self._kept[self._n_steps % len(self._kept)]
            losses = [_kept_loss(*pair, kept) for pair in zip(self._members, targets, strict=True)]
            loss = loss + self._choice.kept_weight * torch.stack(losses).sum()
        self._optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self._weights, _LARGEST_GRADIENT)
        self._optimizer.step()
        self._n_steps += 1


def _targets(member: Member, batch: Batch) -> tuple[Tensor, Tensor]:
    """Return the probability of each block, and the logits of the page types, by the base model."""
    with torch.no_grad():
        unary, pairwise, types = member(batch)
        log_odds, _ = evaluate_chain(unary, pairwise, batch.mask, batch.labels)
    return torch.sigmoid(log_odds), types


def _kept_loss(member: Member, targets: tuple[Tensor, Tensor], batch: Batch) -> Tensor:
    """Return how far the answers of *member* are from *targets*: cross-entropy, weighted as in `batch_loss`."""
    unary, pairwise, types = member(batch)
    log_odds, _ = evaluate_chain(unary, pairwise, batch.mask, batch.labels)
    entropy = functional.binary_cross_entropy_with_logits(log_odds, targets[0], reduction="none")
    of_types = functional.mse_loss(types, targets[1])
    return mean_by_words(entropy, batch).mean() + TYPE_WEIGHT * of_types


def _load_network(model: Model) -> ModernNetwork:
    """Return the network of *model*, with less dropout than in its training."""
    tensors = model.tensors
    n_members, width, _ = tensors["unary.weight"].shape
    choice = NetworkChoice(
        width=width,
        embedding=tensors["names"].shape[1] // n_members,
        dilations=tuple(model.manifest["dilations"]),
        pooled=tuple(model.manifest["pooled"]),
        grouped=tuple(model.manifest["grouped"]),
        dropout=0.1,
        input_dropout=0.1,
        word_dropout=0.3,
        bag_dropout=0.15,
        without=(),
        members=n_members,
    )
    return ModernNetwork.from_arrays(tensors, choice)
