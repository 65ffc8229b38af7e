"""The trainings of the comparison systems, for ``python -m research train``. This module needs torch."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from research.chains.build import build_chain
from research.chains.kinds import CHAIN_KINDS
from research.dragnet.fit import DragnetRecipe
from research.dragnet.training import build_dragnet
from research.kohlschuetter.probabilities import RulesRecipe, build_rules
from research.web2text.recipe import CnnHmmRecipe
from research.web2text.train import build_cnn_hmm
from scrapy_web2text.cli.output import show_progress
from scrapy_web2text.cli.train import TRAININGS, read_files
from scrapy_web2text.training.recipe import read_labeler, read_recipe


def register_trainings() -> None:
    """Add the kinds of the comparison systems to those that the command trains."""
    TRAININGS.update({"cnn-hmm": _train_cnn_hmm, "dragnet": _train_dragnet, "rules": _train_rules})
    TRAININGS.update(dict.fromkeys(CHAIN_KINDS, _train_chain))


def _train_rules(args: argparse.Namespace, splits: Path) -> dict[str, Any]:
    _only_seed(args)
    files = read_files(args.recipe, splits)
    return build_rules(
        read_recipe(RulesRecipe, args.recipe), splits, args.data, out=args.out, files=files, track=show_progress
    )


def _train_cnn_hmm(args: argparse.Namespace, splits: Path) -> dict[str, Any]:
    recipe, files = read_recipe(CnnHmmRecipe, args.recipe), read_files(args.recipe, splits)
    return build_cnn_hmm(
        recipe, splits, args.data, seed=_only_seed(args), out=args.out, files=files, track=show_progress
    )


def _train_dragnet(args: argparse.Namespace, splits: Path) -> dict[str, Any]:
    recipe, files = read_recipe(DragnetRecipe, args.recipe), read_files(args.recipe, splits)
    return build_dragnet(
        recipe, splits, args.data, seed=_only_seed(args), out=args.out, files=files, track=show_progress
    )


def _train_chain(args: argparse.Namespace, splits: Path) -> dict[str, Any]:
    kind = CHAIN_KINDS[read_labeler(args.recipe, CHAIN_KINDS)]
    recipe, files = read_recipe(kind.recipe, args.recipe), read_files(args.recipe, splits)
    return build_chain(recipe, splits, args.data, seeds=args.seed, out=args.out, files=files, track=show_progress)


def _only_seed(args: argparse.Namespace) -> int:
    """Return the seed of a training that does not choose among several."""
    if len(args.seed) > 1:
        raise ValueError(f"--seed: expected one seed for a model of this kind, got {len(args.seed)}")
    return args.seed[0]
