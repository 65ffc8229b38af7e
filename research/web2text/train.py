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

from research.leaf_scores import BlockScores, confusion_counts
from research.web2text.calibration import calibrate
from research.web2text.data import LabeledRows, label_pages
from research.web2text.network import (
    SequenceNetwork,
    describe_networks,
    make_potentials,
    networks_to_tensors,
    page_logits,
)
from scrapy_web2text.common.arrays import IntArray
from scrapy_web2text.evaluation.corpora import open_corpus, read_split
from scrapy_web2text.training.corpora import no_progress
from scrapy_web2text.training.export import write_model

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from torch import Tensor

    from research.web2text.data import Sequences
    from research.web2text.recipe import CnnHmmRecipe, StepChoice
    from scrapy_web2text.training.corpora import Track

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class TrainedNetwork:
    """A network with the weights of its best step.

    :param step: the step with the best score on val, the first of several.
    :param score: that score, in [0, 1]: F1 of CONTENT for blocks, accuracy for edges.
    """

    network: SequenceNetwork
    step: int
    score: float


def train_unary(
    recipe: CnnHmmRecipe, train: LabeledRows, val: LabeledRows, *, seed: int, track: Track = no_progress
) -> TrainedNetwork:
    """Return the network with two logits per block, chosen by the F1 of its own labels on val.

    :raises ValueError: if no page of *train* is long enough for an excerpt.
    """
    length = recipe.training.excerpt
    return _fit(recipe, "unary", train.blocks, val.blocks, length, 2, _content_f1, seed=seed, track=track)


def train_pairwise(
    recipe: CnnHmmRecipe, train: LabeledRows, val: LabeledRows, *, seed: int, track: Track = no_progress
) -> TrainedNetwork:
    """Return the network with four logits per edge, chosen by its accuracy on val.

    :raises ValueError: if no page of *train* is long enough for an excerpt.
    """
    length = recipe.training.excerpt - 1
    return _fit(recipe, "pairwise", train.edges, val.edges, length, 4, _accuracy, seed=seed, track=track)


def _content_f1(classes: IntArray, targets: IntArray) -> float:
    return BlockScores.of(confusion_counts(classes, targets)).f1


def _accuracy(classes: IntArray, targets: IntArray) -> float:
    return float(np.mean(classes == targets))


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


def _fit(
    recipe: CnnHmmRecipe,
    title: str,
    train: Sequences,
    val: Sequences,
    length: int,
    n_outputs: int,
    score: Callable[[IntArray, IntArray], float],
    *,
    seed: int,
    track: Track,
) -> TrainedNetwork:
    """Return a network that is fitted to excerpts of *length* rows, with the weights of the best evaluation on val."""
    choice = recipe.training
    generator = torch.Generator().manual_seed(seed)
    network = SequenceNetwork(train.features.shape[1], n_outputs, recipe.networks, generator)
    excerpts = draw_excerpts(train, length, choice, generator)
    features, targets = torch.from_numpy(train.features), torch.from_numpy(train.targets)
    groups: list[dict[str, Any]] = [
        {"params": list(network.weights), "weight_decay": choice.weight_decay},
        {"params": [bias for bias in network.biases if bias.requires_grad]},
    ]
    optimizer = torch.optim.Adam(groups, lr=choice.learning_rate)
    best, best_step, best_state = -1.0, 0, network.state_dict()
    for step, first in enumerate(track(excerpts, len(excerpts), title=title, unit="step"), start=1):
        rows = first[:, None] + torch.arange(length)
        logits = network(features[rows], keep=choice.keep, generator=generator)
        loss = functional.cross_entropy(logits.flatten(0, 1), targets[rows].flatten())
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        if step % choice.eval_every == 0 or step == choice.steps:
            reached = score(page_logits(network, val).argmax(dim=1).numpy(), val.targets)
            logger.info("%s, step %d: %.4f on val", title, step, reached)
            if reached > best:
                best, best_step, best_state = reached, step, copy.deepcopy(network.state_dict())
    network.load_state_dict(best_state)
    return TrainedNetwork(network, best_step, best)


def build_cnn_hmm(
    recipe: CnnHmmRecipe,
    splits: Path,
    data: Path,
    *,
    seed: int,
    out: Path,
    files: dict[str, str],
    track: Track = no_progress,
) -> dict[str, Any]:
    """Train the model of *recipe*, write it into the folder *out*, and return its scores.

    :param splits: JSON file of page ids by split and part.
    :param files: texts of further files in the folder, by file name: recipe and page ids.
    :raises ValueError: if a corpus, a split or a page does not exist.
    """
    train, val = (_load_part(recipe, part, splits, data, track) for part in ("train", "val"))
    unary = train_unary(recipe, train, val, seed=seed, track=track)
    pairwise = train_pairwise(recipe, train, val, seed=seed, track=track)
    networks = unary.network, pairwise.network
    calibrations = calibrate(make_potentials(*networks, val), val.labels, recipe.decoding)
    best = calibrations[0]
    scores = {
        "val": {
            **{name: round(value, 4) for name, value in asdict(best.scores).items()},
            "log_loss": round(best.log_loss, 4),
            "f1_by_lam": {str(each.lam): round(each.scores.f1, 4) for each in calibrations},
            "unary": {"step": unary.step, "f1": round(unary.score, 4)},
            "pairwise": {"step": pairwise.step, "accuracy": round(pairwise.score, 4)},
        }
    }
    manifest = {
        "name": recipe.name,
        "labeler": recipe.labeler,
        "segmentation": recipe.segmentation,
        "lam": best.lam,
        "decoder": recipe.decoding.decoder,
        "threshold": recipe.decoding.threshold,
        "temperature": round(best.temperature, 4),
        "corpora": [asdict(corpus) for corpus in recipe.corpora],
        "seeds": [seed],
        "scores": scores,
        "networks": describe_networks(*networks),
    }
    write_model(out, networks_to_tensors(*networks), manifest, files)
    return scores


def _load_part(recipe: CnnHmmRecipe, part: str, splits: Path, data: Path, track: Track) -> LabeledRows:
    """Return the rows of the pages in *part*, ``train`` or ``val``, of all corpora of *recipe*."""
    rows = []
    for choice in recipe.corpora:
        ids = read_split(splits, choice.split, getattr(choice, part))
        pages = open_corpus(choice.name, data).pages(ids)
        rows.append(label_pages(track(pages, len(ids), title=f"{choice.name} {part}")))
    return LabeledRows.join(rows)
