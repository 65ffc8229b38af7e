"""``web2text train``: a recipe and the folder of the corpora in, a model folder out."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from scrapy_web2text.evaluation import open_corpus, read_split
from scrapy_web2text.training.cache import default_cache, load_rows
from scrapy_web2text.training.calibration import Calibration, calibrate, make_potentials
from scrapy_web2text.training.data import LabelledRows
from scrapy_web2text.training.export import export_model
from scrapy_web2text.training.modern.build import build_modern
from scrapy_web2text.training.modern.recipe import read_modern_recipe
from scrapy_web2text.training.recipe import read_labeler, read_recipe
from scrapy_web2text.training.rules import build_rules, read_rules_recipe
from scrapy_web2text.training.train import TrainedNetwork, torch_threads, train_pairwise, train_unary

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from scrapy_web2text.training.recipe import Recipe

__all__ = ["add_arguments", "run"]

RECIPE_FILE: Final = "recipe.toml"
SPLITS_FILE: Final = "splits.json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to *parser*."""
    parser.add_argument("recipe", type=Path, metavar="RECIPE", help="a recipe.toml with a splits.json beside it")
    parser.add_argument("--data", required=True, type=Path, metavar="DIR", help="the folder of the corpora")
    parser.add_argument("--out", required=True, type=Path, metavar="FOLDER", help="the model folder to be written")
    parser.add_argument("--seed", type=int, default=0, help="seed of weights and excerpts (%(default)s)")
    parser.add_argument(
        "--cache", type=Path, default=default_cache(), metavar="DIR", help="for features and labels (%(default)s)"
    )
    parser.add_argument(
        "--teacher",
        action="append",
        default=[],
        metavar="MODEL",
        help="a modern model that labels the recipe's pages without clean text; may be given several times",
    )
    parser.add_argument(
        "--threads", type=int, default=1, help="threads of torch (%(default)s; more are slower on a busy machine)"
    )


def run(args: argparse.Namespace) -> int:
    """Train the model that *args* describe, write its folder, print its scores on val, and return the exit status.

    :raises ValueError: if the recipe or an argument is wrong, or a corpus or a split is not there.
    """
    if args.seed < 0:
        raise ValueError(f"--seed: expected a number from 0, got {args.seed}")
    if args.threads < 1:
        raise ValueError(f"--threads: expected a number above 0, got {args.threads}")
    splits = args.recipe.parent / SPLITS_FILE
    labeler = read_labeler(args.recipe)
    files = {RECIPE_FILE: args.recipe.read_text(encoding="utf-8"), SPLITS_FILE: splits.read_text(encoding="utf-8")}
    if labeler == "rules":
        scores = build_rules(read_rules_recipe(args.recipe), splits, args.data, out=args.out, files=files)
    else:
        with torch_threads(args.threads):
            scores = (_train_modern if labeler == "modern" else _train_2018)(args, splits, files)
    sys.stdout.write(json.dumps(scores, indent=1) + "\n")
    return 0


def _train_modern(args: argparse.Namespace, splits: Path, files: dict[str, str]) -> dict[str, Any]:
    recipe = read_modern_recipe(args.recipe)
    return build_modern(
        recipe, splits, args.data, args.cache, seed=args.seed, out=args.out, files=files, teachers=args.teacher
    )


def _train_2018(args: argparse.Namespace, splits: Path, files: dict[str, str]) -> dict[str, Any]:
    recipe = read_recipe(args.recipe)
    train, val = (_load_part(recipe, part, splits, args.data, args.cache) for part in ("train", "val"))
    unary = train_unary(recipe, train, val, seed=args.seed)
    pairwise = train_pairwise(recipe, train, val, seed=args.seed)
    potentials = make_potentials(unary.network, pairwise.network, val)
    calibrations = calibrate(potentials, recipe.decoding)
    manifest = _make_manifest(recipe, args.seed, calibrations, unary, pairwise)
    export_model(args.out, unary.network, pairwise.network, manifest, files)
    return dict(manifest["scores"])


def _load_part(recipe: Recipe, part: str, splits: Path, data: Path, cache: Path) -> LabelledRows:
    """Return the rows of the pages that the corpora of *recipe* have in *part*, ``train`` or ``val``."""
    rows = []
    for choice in recipe.corpora:
        ids = read_split(splits, choice.split, getattr(choice, part))
        rows.append(load_rows(open_corpus(choice.name, data), ids, cache, f"{choice.name} {part}"))
    return LabelledRows.join(rows)


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
