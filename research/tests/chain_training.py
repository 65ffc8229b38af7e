"""Small recipes of chain models, and their training from the command line."""

from __future__ import annotations

import json

from labeled_pages import TINY_SPLITS
from places import MODELS

from research.__main__ import main

_LOUD = [("warm_up = 50", "warm_up = 3"), ("averaged = 0.99", "averaged = 0.0")]
SMALL = {
    "crf-2018": [
        ("epochs = 40", "epochs = 10"),
        ("warm_up = 50", "warm_up = 3"),
        ("learning_rate = 2e-3", "learning_rate = 5e-2"),
    ],
    "boilernet": [
        *_LOUD,
        ("epochs = 14", "epochs = 10"),
        ("learning_rate = 2e-3", "learning_rate = 2e-2"),
        ("width = 96", "width = 12"),
        ("units = 96", "units = 8"),
    ],
    "semtext": [
        *_LOUD,
        ("epochs = 12", "epochs = 14"),
        ("learning_rate = 1e-3", "learning_rate = 2e-2"),
        ("buckets = 8192", "buckets = 200"),
        ("size = 32 ", "size = 8"),
        ("filters = [128, 128, 256]", "filters = [8, 8, 8]"),
        ("units = 128", "units = 8"),
        ("dropout = 0.5", "dropout = 0.0"),
    ],
}
KINDS = list(SMALL)


def write_recipe(folder, name, *changes):
    text = (MODELS / name / "recipe.toml").read_text(encoding="utf-8")
    for old, new in [('name = "cleaneval"', 'name = "tiny"'), *SMALL[name], *changes]:
        assert old in text
        text = text.replace(old, new)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "recipe.toml").write_text(text, encoding="utf-8")
    (folder / "splits.json").write_text(json.dumps(TINY_SPLITS), encoding="utf-8")
    return folder / "recipe.toml"


def train(recipe, data, out, *seeds):
    return main(["train", str(recipe), "--data", str(data), "--out", str(out), "--seed", *map(str, seeds or (0,))])
