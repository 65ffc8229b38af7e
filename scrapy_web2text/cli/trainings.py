"""The trainings of ``web2text train``, by the kind of model. This module needs torch."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from scrapy_web2text.cli.output import show_progress
from scrapy_web2text.exceptions import say
from scrapy_web2text.training.modern.build import build_modern, compare_with_default, describe_comparison
from scrapy_web2text.training.modern.data import Sources
from scrapy_web2text.training.modern.folds import cross_validate, read_folds, summary_of
from scrapy_web2text.training.modern.recipe import ModernRecipe
from scrapy_web2text.training.recipe import read_recipe

_RECIPE_FILE: Final = "recipe.toml"
_FOLDS_FILE: Final = "folds.json"


def read_files(args: argparse.Namespace, splits: Path) -> dict[str, str]:
    return {_RECIPE_FILE: args.recipe.read_text(encoding="utf-8"), splits.name: splits.read_text(encoding="utf-8")}


def cross_validate_recipe(args: argparse.Namespace, splits: Path) -> dict[str, Any]:
    """Cross-validate the recipe that *args* name, write the scores of all pages, and return a summary."""
    recipe = read_recipe(ModernRecipe, args.recipe)
    sources = Sources.of(recipe, splits, args.data, show_progress)
    result = cross_validate(recipe, sources, n_folds=args.folds, seeds=args.seed, track=show_progress)
    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / _FOLDS_FILE).write_text(json.dumps(result, allow_nan=False, indent=1) + "\n", encoding="utf-8")
    return summary_of(result)


def _train_modern(args: argparse.Namespace, splits: Path) -> dict[str, Any]:
    recipe, files = read_recipe(ModernRecipe, args.recipe), read_files(args, splits)
    sources = Sources.of(recipe, splits, args.data, show_progress)
    folds = None if args.choices is None else read_folds(args.choices)
    scores = build_modern(recipe, sources, seeds=args.seed, out=args.out, files=files, folds=folds, track=show_progress)
    comparison = compare_with_default(args.out, recipe, splits, args.data, track=show_progress)
    say(f"web2text train: {describe_comparison(comparison, str(args.out))}")
    return scores if comparison is None else {**scores, "held_out": comparison}


# `research` adds its own.
TRAININGS: Final[dict[str, Callable[[argparse.Namespace, Path], dict[str, Any]]]] = {"modern": _train_modern}
# The kinds that can be trained with several seeds, of which the best on val is kept.
SEEDED: Final = {"modern"}
