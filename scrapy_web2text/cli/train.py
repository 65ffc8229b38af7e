"""``web2text train``: trains a model from a recipe and the corpora, or cross-validates it."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from scrapy_web2text.training.recipe import read_labeler


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to *parser*."""
    add = parser.add_argument
    add("recipe", type=Path, metavar="RECIPE", help="a recipe.toml with a splits.json next to it")
    add("--data", required=True, type=Path, metavar="DIR", help="the folder of the corpora")
    add("--out", required=True, type=Path, metavar="FOLDER", help="the model folder to write")
    seed = "seed of the training (0); with several seeds, the best model on val is written"
    add("--seed", type=int, nargs="+", default=[0], help=seed)
    folds = "modern models: cross-validate over the sites of the val corpus instead, and write FOLDER/folds.json"
    add("--folds", type=int, metavar="N", help=folds)
    choices = "modern models: train on the pages of val too, and take threshold and calibration from a folds.json"
    add("--choices", type=Path, metavar="FILE", help=choices)
    threads = "threads of torch (%(default)s; more can be slower on a busy machine)"
    add("--threads", type=int, default=1, help=threads)


def run(args: argparse.Namespace) -> int:
    """Train the model that *args* describe, write its folder, print its scores on val, and return the exit status."""
    if min(args.seed) < 0:
        raise ValueError(f"--seed: expected numbers from 0, got {min(args.seed)}")
    if args.threads < 1:
        raise ValueError(f"--threads: expected a number above 0, got {args.threads}")
    if args.folds is not None and args.folds < 2:
        raise ValueError(f"--folds: expected a number above 1, got {args.folds}")
    try:
        # Only a training needs torch; the help does not.
        from scrapy_web2text.cli.trainings import SEEDED, TRAININGS, cross_validate_recipe
        from scrapy_web2text.training.fitting import torch_threads
    except ModuleNotFoundError as error:
        raise ValueError(f"needs {error.name}: pip install 'scrapy-web2text[train]'") from error
    splits = args.recipe.parent / "splits.json"
    labeler = read_labeler(args.recipe, TRAININGS)
    if (args.folds and labeler != "modern") or (len(args.seed) > 1 and labeler not in SEEDED):
        kinds = ", ".join(sorted(SEEDED))
        raise ValueError(f"--folds requires a modern model, several seeds one of {kinds}, got the kind {labeler!r}")
    if args.choices and (args.folds or labeler != "modern" or len(args.seed) > 1):
        raise ValueError("--choices requires a modern model and one seed, without --folds")
    with torch_threads(args.threads):
        scores = cross_validate_recipe(args, splits) if args.folds else TRAININGS[labeler](args, splits)
    sys.stdout.write(json.dumps(scores, allow_nan=False, indent=1) + "\n")
    return 0
