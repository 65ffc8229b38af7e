"""The trainings of ``web2text train``, by the kind of model. This module needs torch."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, Final

from scrapy_web2text.cli.progress import show_progress
from scrapy_web2text.research.torch_chain import torch_threads
from scrapy_web2text.training.chains.build import build_chain
from scrapy_web2text.training.chains.kinds import CHAIN_KINDS
from scrapy_web2text.training.cnn_hmm.build import build_cnn_hmm
from scrapy_web2text.training.cnn_hmm.recipe import CnnHmmRecipe
from scrapy_web2text.training.dragnet.build import build_dragnet
from scrapy_web2text.training.dragnet.recipe import DragnetRecipe
from scrapy_web2text.training.modern.build import build_modern, build_with_choices
from scrapy_web2text.training.modern.comparison import compare_with_default, describe_comparison
from scrapy_web2text.training.modern.folds import cross_validate
from scrapy_web2text.training.modern.folds_file import read_folds
from scrapy_web2text.training.modern.recipe import ModernRecipe
from scrapy_web2text.training.modern.sources import Sources
from scrapy_web2text.training.recipe import read_labeler, read_recipe
from scrapy_web2text.training.rules.build import build_rules
from scrapy_web2text.training.rules.recipe import RulesRecipe

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["CHAIN_KINDS", "TRAININGS", "cross_validate_recipe", "torch_threads"]

_RECIPE_FILE: Final = "recipe.toml"
_SPLITS_FILE: Final = "splits.json"
_FOLDS_FILE: Final = "folds.json"


def _read_files(args: argparse.Namespace, splits: Path) -> dict[str, str]:
    return {_RECIPE_FILE: args.recipe.read_text(encoding="utf-8"), _SPLITS_FILE: splits.read_text(encoding="utf-8")}


def cross_validate_recipe(args: argparse.Namespace, splits: Path) -> dict[str, Any]:
    """Cross-validate the recipe that *args* name, write the scores of all pages, and return a summary."""
    recipe = read_recipe(ModernRecipe, args.recipe)
    sources = Sources.of(recipe, splits, args.data, args.cache, show_progress)
    result = cross_validate(recipe, sources, n_folds=args.folds, seeds=args.seed, track=show_progress)
    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / _FOLDS_FILE).write_text(
        json.dumps(result.to_dict(), allow_nan=False, indent=1) + "\n", encoding="utf-8"
    )
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
    sources = Sources.of(recipe, splits, args.data, args.cache, show_progress)
    if args.choices is None:
        scores = build_modern(recipe, sources, seeds=args.seed, out=args.out, files=files, track=show_progress)
    else:
        folds, seed = read_folds(args.choices), args.seed[0]
        scores = build_with_choices(recipe, sources, folds, seed=seed, out=args.out, files=files, track=show_progress)
    comparison = compare_with_default(args.out, recipe, splits, args.data, track=show_progress)
    print(f"web2text train: {describe_comparison(comparison, str(args.out))}", file=sys.stderr)
    return scores if comparison is None else {**scores, "held_out": comparison.to_dict()}


def _train_chain(args: argparse.Namespace, splits: Path) -> dict[str, Any]:
    kind = CHAIN_KINDS[read_labeler(args.recipe, CHAIN_KINDS)]
    recipe, files = read_recipe(kind.recipe, args.recipe), _read_files(args, splits)
    return build_chain(recipe, splits, args.data, seeds=args.seed, out=args.out, files=files, track=show_progress)


def _train_cnn_hmm(args: argparse.Namespace, splits: Path) -> dict[str, Any]:
    recipe, files = read_recipe(CnnHmmRecipe, args.recipe), _read_files(args, splits)
    return build_cnn_hmm(
        recipe, splits, args.data, args.cache, seed=args.seed[0], out=args.out, files=files, track=show_progress
    )


TRAININGS: Final[dict[str, Callable[[argparse.Namespace, Path], dict[str, Any]]]] = {
    "cnn-hmm": _train_cnn_hmm,
    "dragnet": _train_dragnet,
    "modern": _train_modern,
    "rules": _train_rules,
    **dict.fromkeys(CHAIN_KINDS, _train_chain),
}
