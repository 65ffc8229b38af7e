"""Labels by selectors: the elements that are content, and those that are not."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

import numpy as np

from scrapy_web2text.arrays import BoolArray
from scrapy_web2text.features.characters import count_tokens
from scrapy_web2text.labelers.base import Labeling
from scrapy_web2text.options import Decoder
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, Label, block_texts, mask_to_labels, segment
from scrapy_web2text.page.selection import mark_selected_slots

__all__ = ["SELECTOR", "SelectorLabeler", "exclude_elements"]


class SelectorLabeler:
    """Labels the blocks of a page by the elements that a user selects.

    There are no probabilities, and so there is no confidence: nothing was estimated.
    """

    name: Final = "selector"
    is_model: Final = False
    segmentation: Final = MODERN_BLOCKS
    block_bytes: Final = 0
    presets: Final[Mapping[str, float]] = MappingProxyType({})

    def label(
        self,
        page: Page,
        *,
        threshold: float | None = None,  # noqa: ARG002
        decoder: Decoder | None = None,  # noqa: ARG002
    ) -> Labeling:
        """Return the labels by which the whole *page* is content; *threshold* and *decoder* are ignored."""
        return _label(page, np.ones(2 * page.n_elements, dtype=bool))

    def label_elements(self, page: Page, include: Collection[str]) -> Labeling | None:
        """Return the labels by which all text inside the elements that *include* selects is content; None without text.

        Blocks that are only partly inside are cut.
        """
        labeling = _label(page, mark_selected_slots(page, include))
        return labeling if labeling.labels.any() else None


def _label(page: Page, selected: BoolArray) -> Labeling:
    blocks = segment(page, MODERN_BLOCKS)
    chosen = selected[page.leaf_slots[blocks.leaves]]
    blocks = blocks.cut(chosen)
    n_tokens = count_tokens(block_texts(page, blocks))
    return Labeling(blocks, mask_to_labels(chosen[blocks.starts]), None, n_tokens, selected=selected)


def exclude_elements(page: Page, labeling: Labeling, exclude: Collection[str]) -> Labeling:
    """Return *labeling* without content inside the elements that *exclude* selects.

    Their blocks have the probability 0, if the others have any, since the user knows that they are not content. Blocks
    that are only partly inside are cut.
    """
    if not exclude or not labeling.blocks.n_blocks:
        return labeling
    omitted = mark_selected_slots(page, exclude)
    if not omitted.any():
        return labeling
    blocks = labeling.blocks
    excluded = omitted[page.leaf_slots[blocks.leaves]]
    cut = blocks.cut(excluded)
    origin, is_excluded = blocks.leaf_blocks[cut.starts], excluded[cut.starts]
    labels, probabilities = labeling.labels[origin], labeling.probabilities
    labels[is_excluded] = Label.BOILERPLATE
    if probabilities is not None:
        probabilities = np.where(is_excluded, 0.0, probabilities[origin])
    n_tokens = labeling.n_tokens[origin]
    if cut.n_blocks > blocks.n_blocks:
        n_tokens = count_tokens(block_texts(page, cut))
    return replace(labeling, blocks=cut, labels=labels, probabilities=probabilities, n_tokens=n_tokens, omitted=omitted)


SELECTOR: Final = SelectorLabeler()
