"""Fits one network to rows of features, and keeps the weights of the best step."""

from __future__ import annotations

import copy
import logging
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.nn import functional

from scrapy_web2text.arrays import IntArray
from scrapy_web2text.evaluation.scores import BlockScores, confusion_counts
from scrapy_web2text.training.cnn_hmm.potentials import page_logits
from scrapy_web2text.training.networks import SequenceNetwork
from scrapy_web2text.training.progress import no_progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from scrapy_web2text.training.cnn_hmm.data import LabeledRows, Sequences
    from scrapy_web2text.training.cnn_hmm.recipe import CnnHmmRecipe, TrainingChoice
    from scrapy_web2text.training.progress import Track

__all__ = ["TrainedNetwork", "draw_excerpts", "train_pairwise", "train_unary"]

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class TrainedNetwork:
    """A network with the weights of its best step.

    :param step: the step with the best score on val.
    :param score: that score, in [0, 1]: F1 of CONTENT for blocks, accuracy for edges.
    :param curve: step and score of each evaluation on val.
    """

    network: SequenceNetwork
    step: int
    score: float
    curve: tuple[tuple[int, float], ...]


def train_unary(
    recipe: CnnHmmRecipe, train: LabeledRows, val: LabeledRows, *, seed: int, track: Track = no_progress
) -> TrainedNetwork:
    """Return the network with two logits per block, chosen by the F1 of its own labels on val.

    :raises ValueError: if no page of *train* is long enough for an excerpt.
    """
    fit = _Fit(recipe, train.blocks, recipe.training.excerpt, 2, seed)
    return fit.run("unary", lambda network: _content_f1(_best_class(network, val.blocks), val.blocks.targets), track)


def train_pairwise(
    recipe: CnnHmmRecipe, train: LabeledRows, val: LabeledRows, *, seed: int, track: Track = no_progress
) -> TrainedNetwork:
    """Return the network with four logits per edge, chosen by its accuracy on val.

    :raises ValueError: if no page of *train* is long enough for an excerpt.
    """
    fit = _Fit(recipe, train.edges, recipe.training.excerpt - 1, 4, seed)
    return fit.run("pairwise", lambda network: _accuracy(_best_class(network, val.edges), val.edges.targets), track)


def draw_excerpts(sequences: Sequences, length: int, choice: TrainingChoice, generator: torch.Generator) -> Tensor:
    """Return the first row of every excerpt of a training.

    As in the original (Web2Text, section 4.1.2 and its code), pages come from a queue that is refilled and shuffled
    when it is empty, so all pages have the same weight. The first and the last row of a page are never drawn.

    *Shapes:* result ``(steps, batch)``.

    :param length: rows per excerpt.
    :raises ValueError: if no page is long enough.
    """
    lengths = torch.from_numpy(sequences.lengths)
    pages = torch.nonzero(lengths >= length + 2).flatten()
    if not len(pages):
        raise ValueError(f"expected pages of at least {length + 2} rows for excerpts of {length} rows, found none")
    n_excerpts = choice.steps * choice.batch
    queues = [torch.randperm(len(pages), generator=generator) for _ in range(math.ceil(n_excerpts / len(pages)))]
    drawn = pages[torch.cat(queues)[:n_excerpts]]
    n_positions = lengths[drawn] - length - 1
    positions = 1 + (torch.rand(n_excerpts, generator=generator, dtype=torch.float64) * n_positions).long()
    first = torch.from_numpy(sequences.starts)[drawn] + positions
    return first.view(choice.steps, choice.batch)


class _Fit:
    """The state of the fitting of one network."""

    def __init__(self, recipe: CnnHmmRecipe, train: Sequences, length: int, n_outputs: int, seed: int) -> None:
        self.choice = recipe.training
        self.generator = torch.Generator().manual_seed(seed)
        self.network = SequenceNetwork(train.features.shape[1], n_outputs, recipe.networks, self.generator)
        self.excerpts = draw_excerpts(train, length, self.choice, self.generator)
        self.window = torch.arange(length)
        self.features = torch.from_numpy(train.features)
        self.targets = torch.from_numpy(train.targets)
        biases = [bias for bias in self.network.biases if bias.requires_grad]
        groups: list[dict[str, Any]] = [
            {"params": list(self.network.weights), "weight_decay": self.choice.weight_decay},
            {"params": biases},
        ]
        self.optimizer = torch.optim.Adam(groups, lr=self.choice.learning_rate)

    def run(self, name: str, score: Callable[[SequenceNetwork], float], track: Track) -> TrainedNetwork:
        """Return the network after all steps, with the weights of the best evaluation on val."""
        curve: list[tuple[int, float]] = []
        best, best_state = -1.0, self.network.state_dict()
        steps = track(self.excerpts, len(self.excerpts), title=name, unit="steps")
        for step, first in enumerate(steps, start=1):
            self.step(first)
            if step % self.choice.eval_every == 0 or step == self.choice.steps:
                curve.append((step, score(self.network)))
                logger.info("%s, step %d: %.4f on val", name, *curve[-1])
                if curve[-1][1] > best:
                    best, best_state = curve[-1][1], copy.deepcopy(self.network.state_dict())
        self.network.load_state_dict(best_state)
        best_step = next(step for step, value in curve if value == best)
        return TrainedNetwork(self.network, best_step, best, tuple(curve))

    def step(self, first: Tensor) -> None:
        """Update the weights by the loss on the excerpts that begin at the rows *first*."""
        rows = first[:, None] + self.window
        logits = self.network(self.features[rows], keep=self.choice.keep, generator=self.generator)
        loss = functional.cross_entropy(logits.flatten(0, 1), self.targets[rows].flatten())
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()


def _best_class(network: SequenceNetwork, sequences: Sequences) -> IntArray:
    classes: IntArray = page_logits(network, sequences).argmax(dim=1).numpy()
    return classes


def _accuracy(classes: IntArray, targets: IntArray) -> float:
    return float(np.mean(classes == targets))


def _content_f1(classes: IntArray, targets: IntArray) -> float:
    return BlockScores.of(confusion_counts(classes, targets)).f1
