"""Synthetic labeled pages and a small recipe for the tests of training."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from places import MODELS

from scrapy_web2text.training.cnn_hmm.data import LabeledRows
from scrapy_web2text.training.recipe import CnnHmmRecipe, read_recipe

SHIPPED_RECIPE = MODELS / "web2text-2018" / "recipe.toml"
TINY_SPLITS = {"web2text": {"train": list(range(9)), "val": [9, 10, 11]}}
_LINE = "It was on the {} day of our journey that the river, which we had followed so far, left its valley. "


def write_tiny_corpus(folder: Path) -> None:
    """Write the pages of `TINY_SPLITS`, each a story between links and an imprint."""
    for name in ("html", "text"):
        (folder / name).mkdir(parents=True)
    for number in range(12):
        story = [_LINE.format(f"{number}{i}th") * (1 + i % 3) for i in range(8)]
        links = "".join(f"<li><a href=/{i}>Link {i}</a>" for i in range(5 + number))
        html = f"<body><ul>{links}</ul>{''.join(f'<p>{line}</p>' for line in story)}<p>Imprint</p>"
        (folder / "html" / f"{number}.html").write_text(html, encoding="utf-8")
        (folder / "text" / f"{number}.txt").write_text("\n".join(story), encoding="utf-8")


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
