"""From a recipe and the corpora to a model of the paper's kind: fitting, choices on val, export."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from scrapy_web2text.evaluation import open_corpus, read_split
from scrapy_web2text.training.calibration import calibrate, make_potentials
from scrapy_web2text.training.cnn_hmm.cache import load_rows
from scrapy_web2text.training.cnn_hmm.data import LabeledRows
from scrapy_web2text.training.cnn_hmm.train import train_pairwise, train_unary
from scrapy_web2text.training.export import export_model

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from scrapy_web2text.training.calibration import Calibration
    from scrapy_web2text.training.cnn_hmm.train import TrainedNetwork
    from scrapy_web2text.training.recipe import Recipe

__all__ = ["build_cnn_hmm"]


def build_cnn_hmm(
    recipe: Recipe, splits: Path, data: Path, cache: Path, *, seed: int, out: Path, files: dict[str, str]
) -> dict[str, Any]:
    """Train the model of *recipe*, write it into the folder *out*, and return its scores.

    :param splits: JSON file of the page ids.
    :param cache: folder for features and labels.
    :param files: texts that lie beside the model: recipe and split ids.
    :raises ValueError: if a corpus, a split or a page is not there.
    """
    train, val = (_load_part(recipe, part, splits, data, cache) for part in ("train", "val"))
    unary = train_unary(recipe, train, val, seed=seed)
    pairwise = train_pairwise(recipe, train, val, seed=seed)
    potentials = make_potentials(unary.network, pairwise.network, val)
    calibrations = calibrate(potentials, recipe.decoding)
    manifest = _make_manifest(recipe, seed, calibrations, unary, pairwise)
    export_model(out, unary.network, pairwise.network, manifest, files)
    return dict(manifest["scores"])


def _load_part(recipe: Recipe, part: str, splits: Path, data: Path, cache: Path) -> LabeledRows:
    """Return the rows of the pages that the corpora of *recipe* have in *part*, ``train`` or ``val``."""
    rows = []
    for choice in recipe.corpora:
        ids = read_split(splits, choice.split, getattr(choice, part))
        rows.append(load_rows(open_corpus(choice.name, data), ids, cache, f"{choice.name} {part}"))
    return LabeledRows.join(rows)


def _make_manifest(
    recipe: Recipe, seed: int, calibrations: Sequence[Calibration], unary: TrainedNetwork, pairwise: TrainedNetwork
) -> dict[str, Any]:
    """Return all that the manifest says beside the networks' form; fractions with four digits."""
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
    }
