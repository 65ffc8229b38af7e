"""``web2text train``: trains a model from a recipe and the corpora."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from scrapy_web2text.cli.arguments import seed_number, whole_number
from scrapy_web2text.cli.output import show_progress
from scrapy_web2text.training.recipe import read_labeler, read_recipe


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to *parser*."""
    add = parser.add_argument
    add("recipe", type=Path, metavar="RECIPE", help="a recipe.toml with a splits.json next to it")
    add("--data", required=True, type=Path, metavar="DIR", help="the folder of the corpora")
    add("--out", required=True, type=Path, metavar="FOLDER", help="the model folder to write")
    add(
        "--seed",
        type=seed_number,
        nargs="+",
        default=[0],
        metavar="N",
        help="seed of the training (default: 0); with several seeds, the best model on val is written",
    )
    add(
        "--threads",
        type=whole_number,
        default=1,
        metavar="N",
        help="threads of torch; more can be slower on a busy machine (default: %(default)s)",
    )


def run(args: argparse.Namespace) -> int:
    """Train the model that *args* describe, write its folder, print its scores on val, and return the exit status."""
    try:
        from scrapy_web2text.training.fitting import torch_threads  # only a training needs torch; the help does not
    except ModuleNotFoundError as error:
        raise ValueError(f"needs {error.name}: pip install 'scrapy-web2text[train]'") from error
    train = TRAININGS[read_labeler(args.recipe, TRAININGS)]
    with torch_threads(args.threads):
        scores = train(args, args.recipe.parent / "splits.json")
    sys.stdout.write(json.dumps(scores, allow_nan=False, indent=1) + "\n")
    return 0


def _train_modern(args: argparse.Namespace, splits: Path) -> dict[str, Any]:
    from scrapy_web2text.training.modern.build import build_modern
    from scrapy_web2text.training.modern.data import Sources
    from scrapy_web2text.training.modern.recipe import ModernRecipe

    recipe, files = read_recipe(ModernRecipe, args.recipe), read_files(args.recipe, splits)
    sources = Sources.of(recipe, splits, args.data, show_progress)
    return build_modern(recipe, sources, seeds=args.seed, out=args.out, files=files, track=show_progress)


def read_files(recipe: Path, splits: Path) -> dict[str, str]:
    """Return what a model folder has of its training: the recipe and the page ids, by file name."""
    return {"recipe.toml": recipe.read_text(encoding="utf-8"), splits.name: splits.read_text(encoding="utf-8")}


# The trainings by the kind of model; `research` adds its own.
TRAININGS: Final[dict[str, Callable[[argparse.Namespace, Path], dict[str, Any]]]] = {"modern": _train_modern}
