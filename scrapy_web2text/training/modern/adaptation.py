"""A network that is fitted to labeled pages of a few sites, and keeps its answers for pages of others.

All weights but the embeddings are fitted, by the loss of a training on the labeled pages, and at the same time by the
distance from the answers of the base model on the other pages. Models that were tuned for different sites so share the
embeddings, most of their bytes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, cast

import numpy as np
import torch
from torch.nn import functional

from scrapy_web2text.labelers.chain import odds_to_potentials
from scrapy_web2text.labelers.modern.network import ModernNetwork as NumpyNetwork
from scrapy_web2text.training.calibration import Potentials
from scrapy_web2text.training.fitting import draw_batches, evaluate_chain
from scrapy_web2text.training.modern.batches import collate
from scrapy_web2text.training.modern.data import page_word_scores
from scrapy_web2text.training.modern.decoding import Answer, Choice
from scrapy_web2text.training.modern.network import Member, ModernNetwork
from scrapy_web2text.training.modern.recipe import NetworkChoice
from scrapy_web2text.training.modern.train import TYPE_WEIGHT, batch_loss, mean_by_words
from scrapy_web2text.training.modern.tuning_pages import judge_by_labels

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from torch import Tensor

    from scrapy_web2text.common.arrays import AnyArray
    from scrapy_web2text.labelers.weights import Model
    from scrapy_web2text.training.modern.batches import Batch, TrainingPage
    from scrapy_web2text.training.modern.data import JudgedPage


_WARM_UP: Final = 5
_LARGEST_GRADIENT: Final = 3.0
_FIXED: Final = ("names", "words", "style", "page_type.weight", "page_type.bias")


@dataclass(frozen=True, slots=True)
class TuningChoice:
    """How a network is tuned.

    :param rounds: largest number of rounds, after each of which the network is judged.
    :param patience: rounds without a better F1 after which the tuning ends.
    :param steps: steps of a round.
    :param batch: pages of a step, of those that are labeled.
    :param kept_batch: pages of a step, of those whose answers are kept.
    :param kept_weight: weight of the loss of the latter.
    :param most_lost: the F1 that held-out pages of the latter may lose.
    """

    rounds: int = 24
    patience: int = 3
    steps: int = 10
    batch: int = 4
    kept_batch: int = 8
    kept_weight: float = 8.0
    learning_rate: float = 5e-4
    most_lost: float = 0.003


def label_by_model(model: Model, pages: Sequence[JudgedPage]) -> list[JudgedPage]:
    """Return *pages* with the answers of *model* as their labels."""
    answers = _answer(model, model.tensors, pages)
    return [
        judge_by_labels(replace(page.page, labels=answer.labels), page.texts, page.is_in_code_or_table)
        for page, answer in zip(pages, answers, strict=True)
    ]


def _answer(model: Model, tensors: dict[str, AnyArray], pages: Sequence[JudgedPage]) -> Iterator[Answer]:
    """Yield the answer for each of *pages* by *model* with *tensors* as its weights."""
    network = NumpyNetwork(tensors, *(model.manifest[key] for key in ("dilations", "pooled", "grouped")))
    found = [odds_to_potentials(*network(page.page.features)[:2]) for page in pages]
    potentials = Potentials([unary for unary, _ in found], [pairwise for _, pairwise in found])
    return Choice.from_manifest(model.manifest).answers(potentials, pages)


class Adaptation:
    """A network that is tuned, with the state of its optimizer.

    :param pages: the pages that it is fitted to.
    :param kept: the pages whose answers by *model* are kept.
    """

    def __init__(
        self, model: Model, pages: Sequence[JudgedPage], kept: Sequence[JudgedPage], choice: TuningChoice, seed: int
    ) -> None:
        self.network = _load_network(model)
        self._model = model
        self._choice = choice
        self._n_steps = 0
        random = np.random.default_rng(seed)
        self._batches = _draw_forever([page.page for page in pages], choice.batch, random)
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
        answers = _answer(self._model, self.network.to_arrays(), pages)
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


def _draw_forever(
    pages: Sequence[TrainingPage], size: int, random: np.random.Generator
) -> Iterator[list[TrainingPage]]:
    while True:
        yield from draw_batches(pages, size, random)


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
