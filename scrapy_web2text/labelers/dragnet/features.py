"""The feature sets of Dragnet by name, as columns of numbers.

- ``st``, shallow text: text density and link density of the previous, the current and the next block; 0 beyond both
  ends of the page.
- ``cetr``: the smoothed tag ratio, the smoothed absolute derivative, and the label by CETR.
- ``ic``: for each word of a list, whether an id or a class of the block's elements contains it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from scrapy_web2text.arrays import DoubleArray, IntArray
from scrapy_web2text.labelers.dragnet.cetr import absolute_derivative, cetr_prediction, smooth
from scrapy_web2text.labelers.dragnet.names import (
    ATTRIBUTES,
    BlockElements,
    BlockName,
    block_elements,
    block_names,
    find_names,
)
from scrapy_web2text.labelers.shallow.measures import ShallowBlocks, shallow_blocks
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence, block_texts

__all__ = [
    "FEATURE_SETS",
    "DragnetFeatures",
    "DragnetMeasures",
    "FeatureChoice",
    "cetr_columns",
    "measure_blocks",
    "shallow_columns",
]


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
        assert density is not None  # noqa: S101 - it was requested
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
