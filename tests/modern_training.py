"""Synthetic pages for the tests of modern models, and the changes that make the shipped recipe small."""

from __future__ import annotations

import numpy as np
from places import MODELS

from scrapy_web2text.features.modern.page import modern_features
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, segment
from scrapy_web2text.page.parse import to_tree

RECIPE = MODELS / "web2text-2026" / "recipe.toml"
LINE = "It was on the {} day of our journey that the river, which we had followed so far, left its valley. "
SMALL = (
    ("width = 24", "width = 8"),
    ("embedding = 8", "embedding = 3"),
    ("dilations = [1, 2, 4, 8, 16]", "dilations = [1, 2]"),
    ("pooled = [1, 3]", "pooled = [0]"),
    ("grouped = [0, 2]", "grouped = [1]"),
    ("epochs = 6", "epochs = 2"),
    ("least_steps = 200", "least_steps = 0"),
    ("warm_up = 100", "warm_up = 2"),
    ("members = 3", "members = 2"),
)


def story_of(number):
    return [LINE.format(f"{number}{i}th") * (1 + i % 3) for i in range(6)]


def html_of(number, depth=0):
    links = "".join(f"<li class='nav item-{i}'><a href=/{i}>Link {i}</a>" for i in range(4 + number % 3))
    story = "".join(f"<p>{line}</p>" for line in story_of(number))
    around = "".join(f"<div class='row column-{'ab' * i}'>" for i in range(depth))
    return f"<title>Day {number}</title><body><ul>{links}</ul>{around}<h1>Day {number}</h1>{story}<p>Imprint</p></body>"


def training_page(number, depth=0, **values):
    from scrapy_web2text.training.modern.batches import TrainingPage

    page = tree_to_page(to_tree(html_of(number, depth)))
    blocks = segment(page, MODERN_BLOCKS)
    labels = np.array([int("journey" in page.texts[leaf]) for leaf in blocks.leaves[blocks.starts]])
    return TrainingPage(str(number), modern_features(page, blocks), labels, **values)


def judged_page(number, **values):
    """Return a page whose labels are the truth, as a model is tuned to it."""
    from scrapy_web2text.labels.files import PageLabels, find_runs, hash_text
    from scrapy_web2text.labels.pages import read_blocks
    from scrapy_web2text.training.modern.tuning import read_own_page

    texts = read_blocks(html_of(number)).texts
    content = find_runs("journey" in text for text in texts)
    given = PageLabels("", str(number), content, tuple(map(hash_text, texts)), **values)
    return read_own_page(html_of(number).encode(), given)
