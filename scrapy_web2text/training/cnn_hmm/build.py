"""Builds a model of Web2Text 2018 from a recipe and the corpora: fitting, choices on val, export."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from scrapy_web2text.evaluation import open_corpus, read_split
from scrapy_web2text.training.calibration import calibrate
from scrapy_web2text.training.cnn_hmm.cache import load_rows
from scrapy_web2text.training.cnn_hmm.data import LabeledRows
from scrapy_web2text.training.cnn_hmm.potentials import make_potentials
from scrapy_web2text.training.cnn_hmm.train import train_pairwise, train_unary
from scrapy_web2text.training.export import write_model
from scrapy_web2text.training.networks import describe_networks, networks_to_tensors
from scrapy_web2text.training.progress import no_progress

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from scrapy_web2text.training.calibration import Calibration
    from scrapy_web2text.training.cnn_hmm.recipe import CnnHmmRecipe
    from scrapy_web2text.training.cnn_hmm.train import TrainedNetwork
    from scrapy_web2text.training.progress import Track

__all__ = ["build_cnn_hmm"]


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
