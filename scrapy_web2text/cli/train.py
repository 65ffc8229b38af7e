"""``web2text train``: trains a model from a recipe and the corpora, or cross-validates it."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from scrapy_web2text.cli.progress import show_progress
from scrapy_web2text.research.torch_chain import torch_threads
from scrapy_web2text.training.chains.build import build_chain
from scrapy_web2text.training.chains.kinds import CHAIN_KINDS
from scrapy_web2text.training.cnn_hmm.build import build_cnn_hmm
from scrapy_web2text.training.cnn_hmm.recipe import CnnHmmRecipe
from scrapy_web2text.training.dragnet.build import build_dragnet
from scrapy_web2text.training.dragnet.recipe import DragnetRecipe
from scrapy_web2text.training.modern.build import build_modern
from scrapy_web2text.training.modern.folds import cross_validate
from scrapy_web2text.training.modern.recipe import ModernRecipe
from scrapy_web2text.training.recipe import read_labeler, read_recipe
from scrapy_web2text.training.rules.build import build_rules
from scrapy_web2text.training.rules.recipe import RulesRecipe

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

__all__ = ["add_arguments", "default_cache", "run"]

RECIPE_FILE: Final = "recipe.toml"
SPLITS_FILE: Final = "splits.json"
FOLDS_FILE: Final = "folds.json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to *parser*."""
    parser.add_argument("recipe", type=Path, metavar="RECIPE", help="a recipe.toml with a splits.json next to it")
    parser.add_argument("--data", required=True, type=Path, metavar="DIR", help="the folder of the corpora")
    parser.add_argument("--out", required=True, type=Path, metavar="FOLDER", help="the model folder to write")
    parser.add_argument(
        "--seed",
        type=int,
        nargs="+",
        default=[0],
        help="seed of the training (0); with several seeds, the best model on val is written",
    )
    parser.add_argument(
        "--folds",
        type=int,
        metavar="N",
        help="modern models: cross-validate over the sites of the val corpus instead, and write FOLDER/folds.json",
    )
    parser.add_argument(
        "--cache", type=Path, default=default_cache(), metavar="DIR", help="cache of features and labels (%(default)s)"
    )
    parser.add_argument(
        "--threads", type=int, default=1, help="threads of torch (%(default)s; more can be slower on a busy machine)"
    )


def run(args: argparse.Namespace) -> int:
    """Train the model that *args* describe, write its folder, print its scores on val, and return the exit status.

    :raises ValueError: if the recipe or an argument is wrong, or a corpus or a split is missing.
    """
    if min(args.seed) < 0:
        raise ValueError(f"--seed: expected numbers from 0, got {min(args.seed)}")
    if args.threads < 1:
        raise ValueError(f"--threads: expected a number above 0, got {args.threads}")
    if args.folds is not None and args.folds < 2:
        raise ValueError(f"--folds: expected a number above 1, got {args.folds}")
    splits = args.recipe.parent / SPLITS_FILE
    labeler = read_labeler(args.recipe, _TRAININGS)
    takes_seeds = labeler == "modern" or labeler in CHAIN_KINDS
    if (args.folds and labeler != "modern") or (len(args.seed) > 1 and not takes_seeds):
        raise ValueError(
            f"--folds requires a modern model, and several seeds a modern or a chain model, got the kind {labeler!r}"
        )
    with torch_threads(args.threads):
        scores = _cross_validate(args, splits) if args.folds else _TRAININGS[labeler](args, splits)
    sys.stdout.write(json.dumps(scores, allow_nan=False, indent=1) + "\n")
    return 0


def default_cache() -> Path:
    """Return the user's cache folder for this package."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "scrapy-web2text"


def _read_files(args: argparse.Namespace, splits: Path) -> dict[str, str]:
    return {RECIPE_FILE: args.recipe.read_text(encoding="utf-8"), SPLITS_FILE: splits.read_text(encoding="utf-8")}


def _cross_validate(args: argparse.Namespace, splits: Path) -> dict[str, Any]:
    recipe = read_recipe(ModernRecipe, args.recipe)
    result = cross_validate(
        recipe, splits, args.data, args.cache, n_folds=args.folds, seed=args.seed[0], track=show_progress
    )
    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / FOLDS_FILE).write_text(json.dumps(result.to_dict(), allow_nan=False, indent=1) + "\n", encoding="utf-8")
    return result.summary()


def _train_rules(args: argparse.Namespace, splits: Path) -> dict[str, Any]:
    files = _read_files(args, splits)
    return build_rules(
        read_recipe(RulesRecipe, args.recipe), splits, args.data, out=args.out, files=files, track=show_progress
    )


def _train_dragnet(args: argparse.Namespace, splits: Path) -> dict[str, Any]:
    recipe, files = read_recipe(DragnetRecipe, args.recipe), _read_files(args, splits)
    return build_dragnet(recipe, splits, args.data, seed=args.seed[0], out=args.out, files=files, track=show_progress)


def _train_modern(args: argparse.Namespace, splits: Path) -> dict[str, Any]:
    recipe, files = read_recipe(ModernRecipe, args.recipe), _read_files(args, splits)
    return build_modern(
        recipe, splits, args.data, args.cache, seeds=args.seed, out=args.out, files=files, track=show_progress
    )


def _train_chain(args: argparse.Namespace, splits: Path) -> dict[str, Any]:
    kind = CHAIN_KINDS[read_labeler(args.recipe, CHAIN_KINDS)]
    recipe, files = read_recipe(kind.recipe, args.recipe), _read_files(args, splits)
    return build_chain(recipe, splits, args.data, seeds=args.seed, out=args.out, files=files, track=show_progress)


def _train_cnn_hmm(args: argparse.Namespace, splits: Path) -> dict[str, Any]:
    recipe, files = read_recipe(CnnHmmRecipe, args.recipe), _read_files(args, splits)
    return build_cnn_hmm(
        recipe, splits, args.data, args.cache, seed=args.seed[0], out=args.out, files=files, track=show_progress
    )


_TRAININGS: Final[dict[str, Callable[[argparse.Namespace, Path], dict[str, Any]]]] = {
    "cnn-hmm": _train_cnn_hmm,
    "dragnet": _train_dragnet,
    "modern": _train_modern,
    "rules": _train_rules,
    **dict.fromkeys(CHAIN_KINDS, _train_chain),
}
