"""Trains a model of Web2Text 2018 from a recipe and the corpora: fitting of both networks, choices on val, export."""

from __future__ import annotations

import copy
import logging
import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.nn import functional

from scrapy_web2text.common.arrays import IntArray
from scrapy_web2text.evaluation import open_corpus, read_split
from scrapy_web2text.evaluation.scores import BlockScores, confusion_counts
from scrapy_web2text.training.calibration import calibrate
from scrapy_web2text.training.cnn_hmm.data import LabeledRows, load_rows
from scrapy_web2text.training.cnn_hmm.network import (
    SequenceNetwork,
    describe_networks,
    make_potentials,
    networks_to_tensors,
    page_logits,
)
from scrapy_web2text.training.corpora import no_progress
from scrapy_web2text.training.export import write_model

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from torch import Tensor

    from scrapy_web2text.training.calibration import Calibration
    from scrapy_web2text.training.cnn_hmm.data import Sequences
    from scrapy_web2text.training.corpora import Track
    from scrapy_web2text.training.recipe import CnnHmmRecipe, StepChoice

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


def draw_excerpts(sequences: Sequences, length: int, choice: StepChoice, generator: torch.Generator) -> Tensor:
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


def build_cnn_hmm(
    recipe: CnnHmmRecipe,
    splits: Path,
    data: Path,
    cache: Path,
    *,
    seed: int,
    out: Path,
    files: dict[str, str],
    track: Track = no_progress,
) -> dict[str, Any]:
    """Train the model of *recipe*, write it into the folder *out*, and return its scores.

    :param splits: JSON file of page ids by split and part.
    :param cache: folder for features and labels.
    :param files: texts of further files in the folder, by file name: recipe and page ids.
    :raises ValueError: if a corpus, a split or a page does not exist.
    """
    train, val = (_load_part(recipe, part, splits, data, cache, track) for part in ("train", "val"))
    unary = train_unary(recipe, train, val, seed=seed, track=track)
    pairwise = train_pairwise(recipe, train, val, seed=seed, track=track)
    networks = unary.network, pairwise.network
    calibrations = calibrate(make_potentials(*networks, val), [val.labels], recipe.decoding)
    manifest = _make_manifest(recipe, seed, calibrations, unary, pairwise)
    write_model(out, networks_to_tensors(*networks), manifest, files)
    return dict(manifest["scores"])


def _load_part(recipe: CnnHmmRecipe, part: str, splits: Path, data: Path, cache: Path, track: Track) -> LabeledRows:
    """Return the rows of the pages in *part*, ``train`` or ``val``, of all corpora of *recipe*."""
    rows = []
    for choice in recipe.corpora:
        ids = read_split(splits, choice.split, getattr(choice, part))
        corpus = open_corpus(choice.name, data)
        rows.append(load_rows(corpus, ids, cache, title=f"{choice.name} {part}", track=track))
    return LabeledRows.join(rows)


def _make_manifest(
    recipe: CnnHmmRecipe,
    seed: int,
    calibrations: Sequence[Calibration],
    unary: TrainedNetwork,
    pairwise: TrainedNetwork,
) -> dict[str, Any]:
    """Return the manifest; fractions have four digits."""
    best = calibrations[0]
    return {
        "name": recipe.name,
        "labeler": recipe.labeler,
        "segmentation": recipe.segmentation,
        "lam": best.lam,
        "decoder": recipe.decoding.decoder,
        "threshold": recipe.decoding.threshold,
        "temperature": round(best.temperature, 4),
        "corpora": [asdict(corpus) for corpus in recipe.corpora],
        "seeds": [seed],
        "scores": {
            "val": {
                **{name: round(value, 4) for name, value in best.scores.to_dict().items()},
                "log_loss": round(best.log_loss, 4),
                "f1_by_lam": {str(each.lam): round(each.scores.f1, 4) for each in calibrations},
                "unary": {"step": unary.step, "f1": round(unary.score, 4)},
                "pairwise": {"step": pairwise.step, "accuracy": round(pairwise.score, 4)},
            }
        },
        "networks": describe_networks(unary.network, pairwise.network),
    }
