"""Synthetic rows of Web2Text 2018 and a small recipe."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from places import MODELS

from research.web2text.data import LabeledRows
from research.web2text.recipe import CnnHmmRecipe
from scrapy_web2text.training.recipe import read_recipe

SHIPPED_RECIPE = MODELS / "web2text-2018" / "recipe.toml"


def small_recipe(**training: object) -> CnnHmmRecipe:
    recipe = read_recipe(CnnHmmRecipe, SHIPPED_RECIPE)
    choice = replace(recipe.training, **{"steps": 30, "batch": 16, "eval_every": 10, **training})
    return replace(recipe, training=choice)


def make_page(n_blocks: int, seed: int) -> LabeledRows:
    """Return a page whose labels are its first feature, and whose label pairs are the first two of each edge."""
    random = np.random.default_rng(seed)
    labels = np.cumsum(random.random(n_blocks) < 0.3) % 2
    block_features = random.normal(size=(n_blocks, 128)).astype(np.float32)
    block_features[:, 0] = 6 * labels - 3
    edge_features = random.normal(size=(n_blocks - 1, 25)).astype(np.float32)
    edge_features[:, 0], edge_features[:, 1] = 6 * labels[:-1] - 3, 6 * labels[1:] - 3
    return LabeledRows(np.array([n_blocks]), labels, block_features, edge_features)


def make_pages(*sizes: int, seed: int = 0) -> LabeledRows:
    return LabeledRows.join([make_page(n, 100 * seed + i) for i, n in enumerate(sizes)])
