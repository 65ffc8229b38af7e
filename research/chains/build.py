"""Builds a model folder from a recipe and the corpora: fitting, choices on val, export."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from research.chains.data import ChainPage, SourcePage, read_sources
from research.chains.kinds import CHAIN_KINDS, ChainKind, ChainSystem
from research.chains.labeler import to_potentials
from research.chains.recipe import ChainRecipe
from research.leaf_scores import BlockScores, confusion_counts
from research.pages import viterbi
from research.web2text.calibration import Calibration, calibrate
from scrapy_web2text.training.calibration import Potentials
from scrapy_web2text.training.corpora import Track, no_progress
from scrapy_web2text.training.export import write_model
from scrapy_web2text.training.fitting import evaluate_chain, fit_epochs


@dataclass(frozen=True, slots=True, eq=False)
class _Candidate:
    """The model of one seed, with its calibration and its scores on val."""

    seed: int
    system: ChainSystem
    curve: list[float]
    calibration: Calibration
    minutes: float


def build_chain(
    recipe: ChainRecipe,
    splits: Path,
    data: Path,
    *,
    seeds: Sequence[int],
    out: Path,
    files: dict[str, str],
    track: Track = no_progress,
) -> dict[str, Any]:
    """Train the model of *recipe* with each seed, write the best one on val into *out*, and return its scores.

    :param splits: JSON file of page ids by split and part; paths in the recipe are relative to its folder.
    :param files: texts of further files in the folder, by file name: recipe and page ids.
    :raises ValueError: if a corpus, a split or a page does not exist, or the training diverges.
    :raises ModelError: if the training cannot start from the model that the recipe names.
    """
    kind = CHAIN_KINDS[recipe.labeler]
    train, val = (read_sources(recipe.corpora, part, splits, data, kind.segment, track) for part in ("train", "val"))
    candidates = [_train(recipe, kind, train, val, splits.parent, seed, track) for seed in seeds]
    best = max(candidates, key=lambda each: max(each.curve))
    calibration = best.calibration
    scores = {
        "val": {
            "leaf_f1": round(max(best.curve), 4),
            **{name: round(value, 4) for name, value in asdict(calibration.scores).items()},
            "log_loss": round(calibration.log_loss, 4),
            "epoch": len(best.curve) - best.curve[::-1].index(max(best.curve)),
            "epochs": [round(value, 4) for value in best.curve],
        },
        "val_leaf_f1_by_seed": {str(each.seed): round(max(each.curve), 4) for each in candidates},
    }
    manifest = {
        "name": recipe.name,
        "labeler": recipe.labeler,
        "segmentation": kind.segmentation.name,
        **best.system.manifest,
        "lam": calibration.lam,
        "decoder": recipe.decoding.decoder,
        "threshold": recipe.decoding.threshold,
        "temperature": round(calibration.temperature, 4),
        "corpora": [asdict(corpus) for corpus in recipe.corpora],
        "seeds": [best.seed],
        "n_weights": sum(weights.numel() for weights in best.system.network.parameters()),
        "training_minutes": round(best.minutes, 1),
        "scores": scores,
    }
    write_model(out, best.system.to_tensors(), manifest, files)
    return scores


def chain_loss(network: nn.Module, pages: Sequence[ChainPage[Any]]) -> Tensor:
    """Return the negative log-likelihood of the labels of *pages* under the chain, in nats per block."""
    unary, pairwise = network([page.features for page in pages])
    labels = pad_sequence([torch.from_numpy(page.labels) for page in pages], batch_first=True)
    lengths = torch.tensor([page.n_blocks for page in pages])
    mask = torch.arange(labels.shape[1]) < lengths[:, None]
    _, surprise = evaluate_chain(unary, pairwise, mask, labels)
    return surprise.sum() / lengths.sum()


def page_potentials(network: nn.Module, pages: Sequence[ChainPage[Any]]) -> Potentials:
    """Return the potentials that *network* gives to *pages*, page by page.

    :raises ValueError: if they are not finite: the training has diverged.
    """
    potentials = []
    with torch.inference_mode():
        for page in pages:
            odds, pairs = network([page.features])
            if not (odds.isfinite().all() and pairs.isfinite().all()):
                raise ValueError("the training has diverged: expected a smaller training.learning_rate")
            potentials.append(to_potentials(odds, pairs))
    return potentials


def leaf_f1(network: nn.Module, pages: Sequence[ChainPage[Any]]) -> float:
    """Return the F1 of the leaves of *pages*; each leaf has the label of its block in the best labeling.

    All systems have the same leaves, but not the same blocks.
    """
    chains = zip(page_potentials(network, pages), pages, strict=True)
    labels = [viterbi(*potentials)[page.leaf_blocks] for potentials, page in chains]
    counts = confusion_counts(np.concatenate(labels), np.concatenate([page.leaf_labels for page in pages]))
    return BlockScores.of(counts).f1


def _train(
    recipe: ChainRecipe,
    kind: ChainKind,
    train: Sequence[SourcePage],
    val: Sequence[SourcePage],
    folder: Path,
    seed: int,
    track: Track,
) -> _Candidate:
    start = time.monotonic()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        system = kind.make(recipe, train, folder)
        network = system.network
        pages, judged = _read_features(system, train), _read_features(system, val)
        curve = fit_epochs(
            network,
            pages,
            lambda drawn: chain_loss(network, drawn),
            lambda candidate: leaf_f1(candidate, judged),
            recipe.training,
            seed=seed,
            track=track,
        )
    labels = np.concatenate([page.labels for page in judged])
    calibration = calibrate(page_potentials(network, judged), labels, recipe.decoding)[0]
    return _Candidate(seed, system, curve, calibration, (time.monotonic() - start) / 60)


def _read_features(system: ChainSystem, sources: Sequence[SourcePage]) -> list[ChainPage[Any]]:
    return [
        ChainPage(
            system.features(source.page, source.blocks), source.labels, source.blocks.leaf_blocks, source.leaf_labels
        )
        for source in sources
    ]
