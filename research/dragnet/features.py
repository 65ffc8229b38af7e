"""The feature sets of Dragnet by name, as columns of numbers.

- ``st``, shallow text: text density and link density of the previous, the current and the next block; 0 beyond both
  ends of the page.
- ``cetr``: the smoothed tag ratio, the smoothed absolute derivative, and the label by CETR.
- ``ic``: for each word of a list, whether an id or a class of the block's elements contains it: Peters, Lecocq 2013,
  section 4.1: "all tokens in the id and class attributes in each block, including the outer most tag that separates
  the block from the surrounding blocks".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from research.dragnet.cetr import absolute_derivative, cetr_prediction, smooth
from scrapy_web2text.common.arrays import DoubleArray, IntArray, mark_changes
from scrapy_web2text.common.budget import watched
from scrapy_web2text.labelers.shallow.measures import ShallowBlocks, shallow_blocks
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence, Segmentation, block_texts, segment
from scrapy_web2text.page.reader import NAME_WORD
from scrapy_web2text.page.tags import COMMENT, TAG_NAMES

# Peters, Lecocq 2013, section 3: a new block at each tag of a set that modifies the layout on the screen. The paper
# names only div and h1; the full set and the dropped tags are from the authors' program, restricted to `TAG_NAMES`.
DRAGNET_BLOCKS: Final = Segmentation(
    "dragnet",
    dropped=frozenset(
        """base bdo button caption fieldset head iframe img input legend link menu meta noframes noscript object
        optgroup option param script select style textarea title var""".split()
    ),
    transparent=frozenset(TAG_NAMES) - frozenset("div h1 h2 h3 h4 h5 h6 map p table".split()),
)
ATTRIBUTES: Final = ("id", "class")
_WORD: Final = re.compile(NAME_WORD)


class BlockElements(NamedTuple):
    """The e elements that begin in a block, and the block of each. *Shapes:* ``(e,)`` each"""

    elements: IntArray
    blocks: IntArray


class BlockName(NamedTuple):
    """An attribute of an element that begins in a block.

    :param attribute: one of `ATTRIBUTES`.
    """

    attribute: str
    value: str
    block: int

    @property
    def words(self) -> set[str]:
        """Lower-case words of the value: camelCase, kebab-case and snake_case are split, digits dropped."""
        return {word.lower() for word in _WORD.findall(self.value)}


def cut_at_starts(page: Page) -> BlockSequence:
    """Return the blocks of `DRAGNET_BLOCKS`, joined where only end tags separate them, as Dragnet does."""
    leaves = segment(page, DRAGNET_BLOCKS).leaves
    counts = _count_starts(page)[page.leaf_slots[leaves]]
    return BlockSequence(leaves, mark_changes(counts).nonzero()[0])


def _count_starts(page: Page) -> IntArray:
    """Return the number of start tags that separate blocks, up to each slot. *Shape:* ``(2 * n_elements,)``"""
    is_start = np.zeros(2 * page.n_elements, dtype=np.int64)
    is_start[page.open_slots[~page.tags_in({"#comment", *(DRAGNET_BLOCKS.transparent or ())})]] = 1
    return np.cumsum(is_start)


def block_elements(page: Page, blocks: BlockSequence) -> BlockElements:
    """Return the elements that begin in one of the *blocks*, without comments and dropped elements."""
    counts = _count_starts(page)
    n_around = page.count_enclosing(page.tags_in(DRAGNET_BLOCKS.dropped))
    elements = np.flatnonzero((n_around[page.open_slots] == 0) & (page.tags != COMMENT))
    of_blocks = counts[page.leaf_slots[blocks.leaves[blocks.starts]]]
    of_elements = counts[page.open_slots[elements]]
    found = np.searchsorted(of_blocks, of_elements).clip(max=blocks.n_blocks - 1)
    is_inside = of_blocks[found] == of_elements
    return BlockElements(elements[is_inside], found[is_inside])


def block_names(page: Page, inside: BlockElements) -> list[BlockName]:
    """Return the id and class attributes of the elements that begin in blocks."""
    found = []
    places = zip(inside.elements.tolist(), inside.blocks.tolist(), strict=True)
    for element, block in watched(places, len(inside.elements)):
        node = page.elements[element]
        for attribute in ATTRIBUTES:
            value = node.get(attribute)
            if value:
                found.append(BlockName(attribute, value, block))
    return found


def find_names(names: Sequence[BlockName], n_blocks: int, wanted: dict[str, Sequence[str]]) -> DoubleArray:
    """Return 1 for each block and each *wanted* word that is in one of its *names*, else 0.

    *Shape:* ``(n_blocks, number of words)``: the words of ids, then those of classes, in the given order

    :param wanted: the words to find, by attribute.
    """
    columns: dict[tuple[str, str], int] = {}
    for attribute in ATTRIBUTES:
        for word in wanted[attribute]:
            columns[attribute, word] = len(columns)
    rows = np.zeros((n_blocks, len(columns)))
    known: dict[tuple[str, str], list[int]] = {}  # most names occur often
    for name in watched(names, len(names)):
        key = name.attribute, name.value
        if key not in known:
            words = ((name.attribute, word) for word in name.words)
            known[key] = [columns[word] for word in words if word in columns]
        for column in known[key]:  # usually none
            rows[name.block, column] = 1
    return rows


FEATURE_SETS: Final = ("st", "cetr", "ic")
_COLUMNS: Final = {
    "st": tuple(
        f"{side}.{density}" for density in ("text_density", "link_density") for side in ("prev", "curr", "next")
    ),
    "cetr": ("tag_ratio", "tag_ratio_change", "cetr"),
}


@dataclass(frozen=True, slots=True)
class FeatureChoice:
    """The columns that a model uses.

    :param sets: some of `FEATURE_SETS`.
    :param ids: the words of ``ic`` to find in ids.
    :param classes: the words of ``ic`` to find in classes.
    """

    sets: tuple[str, ...]
    ids: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, in order."""
        columns = {**_COLUMNS, "ic": tuple(f"{key}:{word}" for key in ATTRIBUTES for word in self.words[key])}
        return tuple(name for each in FEATURE_SETS if each in self.sets for name in columns[each])

    @property
    def words(self) -> dict[str, Sequence[str]]:
        """Words of ``ic`` by attribute."""
        return {"id": self.ids, "class": self.classes}


@dataclass(frozen=True, slots=True, eq=False)
class DragnetMeasures:
    """The measures of the n blocks of a page from which all feature choices take their columns.

    :param n_words: number of words of each block. *Shape:* ``(n,)``
    :param columns: the columns of ``st`` and ``cetr``, if requested. *Shapes:* ``(n, 6)``, ``(n, 3)``
    :param names: ids and classes, if ``ic`` was requested.
    """

    n_words: IntArray
    columns: dict[str, DoubleArray]
    names: list[BlockName]

    def rows(self, choice: FeatureChoice) -> DoubleArray:
        """Return the columns of *choice*. *Shape:* ``(n, len(choice.names))``"""
        n_blocks = len(self.n_words)
        parts = [
            find_names(self.names, n_blocks, choice.words) if each == "ic" else self.columns[each]
            for each in FEATURE_SETS
            if each in choice.sets
        ]
        return np.concatenate(parts, axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class DragnetFeatures:
    """The features of the n blocks of a page.

    :param rows: the feature columns. *Shape:* ``(n, F)``
    :param n_tokens: number of words of each block. *Shape:* ``(n,)``
    """

    rows: DoubleArray
    n_tokens: IntArray


def measure_blocks(page: Page, blocks: BlockSequence, sets: Collection[str] = FEATURE_SETS) -> DragnetMeasures:
    """Return the measures of *blocks*, at least one, that the feature *sets* need."""
    shallow = shallow_blocks(page, blocks, with_text_density="st" in sets)
    inside = block_elements(page, blocks)
    columns = {}
    if "st" in sets:
        columns["st"] = shallow_columns(shallow)
    if "cetr" in sets:
        columns["cetr"] = cetr_columns(page, blocks, inside)
    return DragnetMeasures(shallow.n_words, columns, block_names(page, inside) if "ic" in sets else [])


def shallow_columns(measures: ShallowBlocks) -> DoubleArray:
    """Return the densities of each block and its neighbors. *Shape:* ``(n, 6)``"""
    columns = []
    for density in (measures.text_density, measures.link_density):
        assert density is not None
        padded = np.pad(density, 1)
        columns += [padded[:-2], density, padded[2:]]
    return np.stack(columns, axis=1)


def cetr_columns(page: Page, blocks: BlockSequence, inside: BlockElements) -> DoubleArray:
    """Return smoothed tag ratio, smoothed absolute derivative and the label by CETR. *Shape:* ``(n, 3)``

    The tag ratio is the length of the text, with whitespace collapsed, divided by the number of tags, or by 1.
    """
    lengths = np.array([len(text) for text in block_texts(page, blocks)], dtype=np.float64)
    n_tags = np.bincount(inside.blocks, minlength=blocks.n_blocks)
    ratios = lengths / np.maximum(n_tags, 1)
    points = np.stack([smooth(ratios), smooth(absolute_derivative(ratios))], axis=1)
    return np.concatenate([points, cetr_prediction(points)[:, None]], axis=1)
