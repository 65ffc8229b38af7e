"""Columns of a block's position: how far down the page, how deep, and near which images, inputs and links."""

from __future__ import annotations

from typing import Final

import numpy as np

from scrapy_web2text.arrays import IntArray
from scrapy_web2text.features.modern.context import Context
from scrapy_web2text.features.modern.table import Rows, Table, log1p, ratio, value
from scrapy_web2text.page.arrays import TAG_NAMES, tag_ids

__all__ = ["POSITIONS"]


_COLUMNS: Final = (
    value("position", "place"),
    log1p("log_position", "position", scale=5, why="147 blocks give 1"),
    log1p("log_from_end", "from_end", scale=5, why="147 blocks give 1"),
    ratio("words_before", "words_before", "page_words"),
    log1p("log_words_before", "words_before", scale=6, why="402 words give 1"),
    log1p("log_words_after", "words_after", scale=6, why="402 words give 1"),
    value("depth", scale=20, why="20 elements give 1; few blocks are deeper"),
    log1p("log_images_since", "images"),
    log1p("log_inputs_since", "inputs"),
    value("breaks_since", scale=2, why="2 breaks, an empty line, give 1"),
    value("rules_since"),
    log1p("log_links", "links"),
    ratio("links_inside", "links_inside", "links"),
    ratio("links_outside", "links_outside", "links"),
)
# Elements that are counted between the first text of the block before, if any, and that of the block.
_BETWEEN: Final = (
    ("img", "picture", "svg", "video", "iframe"),
    ("input", "select", "textarea"),
    ("br",),
    ("hr",),
)
_KINDS: Final = np.zeros(len(TAG_NAMES), dtype=np.int64)
for _kind, _tags in enumerate(_BETWEEN, 1):
    _KINDS[tag_ids(_tags)] = _kind


def _measure(context: Context, rows: Rows) -> None:
    n, position, words = context.n_blocks, context.position, context.words_before
    rows["position"] = position
    rows["place"] = position / n
    rows["from_end"] = n - 1 - position
    rows["page_words"] = words[-1]
    rows["words_before"] = words[:-1]
    rows["words_after"] = words[-1] - words[1:]
    rows["depth"] = np.minimum(context.depths[context.containers], 40)
    images, inputs, breaks, rules = _count_between(context)
    rows["images"] = images
    rows["inputs"] = inputs
    rows["breaks_since"] = np.minimum(breaks, 3)
    rows["rules_since"] = np.minimum(rules, 1)
    _measure_links(context, rows)


def _count_between(context: Context) -> IntArray:
    """Return the number of elements of each kind before each block. *Shape:* ``(4, n)``"""
    page, n = context.page, context.n_blocks
    first_slots = page.leaf_slots[context.blocks.leaves[context.blocks.starts]]
    kinds = _KINDS[page.tags]
    elements = kinds.nonzero()[0]
    blocks = first_slots.searchsorted(page.open_slots[elements], "right")  # n for elements after the last text
    counts = np.bincount(kinds[elements] * (n + 1) + blocks, minlength=(len(_BETWEEN) + 1) * (n + 1))
    return counts.reshape(-1, n + 1)[1:, :-1]


def _measure_links(context: Context, rows: Rows) -> None:
    """Measure the links in the block or between the block before and this one."""
    page, n, attributes = context.page, context.n_blocks, context.attributes
    last_slots = page.leaf_slots[context.blocks.leaves[context.blocks.ends - 1]]
    links = page.tags_in({"a"}).nonzero()[0]
    blocks = np.minimum(last_slots.searchsorted(page.open_slots[links]), n - 1)
    rows["links"] = np.bincount(blocks, minlength=n)
    rows["links_inside"] = np.bincount(blocks[attributes.leads_inside[links]], minlength=n)
    rows["links_outside"] = np.bincount(blocks[attributes.leads_outside[links]], minlength=n)


POSITIONS: Final = Table("positions", _measure, _COLUMNS)
