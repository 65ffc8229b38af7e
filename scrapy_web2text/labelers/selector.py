"""Labels by selectors of elements that are content or are not, and labels without hidden text."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import BoolArray
from scrapy_web2text.extraction import Label
from scrapy_web2text.features.texts import count_tokens
from scrapy_web2text.labelers.base import Labeler, Labeling
from scrapy_web2text.options import Decoder, HiddenText
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, block_texts, labels_to_mask, mask_to_labels, segment
from scrapy_web2text.page.hidden import mark_hidden_slots
from scrapy_web2text.page.selection import mark_selected_slots

_FEWEST_WORDS: Final = 10  # of a text whose copies are looked for


class SelectorLabeler(Labeler):
    """Labels the text inside the elements that a user selects as content. Blocks that are only partly inside are cut.

    The answers have neither probabilities nor a confidence, since nothing is estimated.

    :param include: the selectors of the elements.
    """

    name = method = "selector"
    segmentation = MODERN_BLOCKS

    def __init__(self, include: Collection[str]) -> None:
        self._include = include

    def label(self, page: Page, *, threshold: float | None = None, decoder: Decoder | None = None) -> Labeling:  # noqa: ARG002
        """Return the labels of the blocks of *page*; *threshold* and *decoder* are ignored."""
        selected = mark_selected_slots(page, self._include)
        blocks = segment(page, self.segmentation)
        chosen = selected[page.leaf_slots[blocks.leaves]]
        blocks = blocks.cut(chosen)
        n_tokens = count_tokens(block_texts(page, blocks))
        return Labeling(blocks, mask_to_labels(chosen[blocks.starts]), None, n_tokens, selected=selected)


def exclude_elements(page: Page, labeling: Labeling, exclude: Collection[str]) -> Labeling:
    """Return *labeling* without content inside the elements that *exclude* selects.

    The blocks inside get the probability 0, since the user knows that they are not content. Probabilities that are
    None stay None. Blocks that are only partly inside are cut.
    """
    if not exclude or not labeling.blocks.n_blocks:
        return labeling
    omitted = mark_selected_slots(page, exclude)
    return _omit(page, labeling, omitted) if omitted.any() else labeling


def drop_hidden(page: Page, labeling: Labeling, hidden: HiddenText) -> Labeling:
    """Return *labeling* with its hidden slots, and without hidden content if the option *hidden* drops it.

    ``auto`` drops it only if at least half of the words remain, since scripts show the whole text of some pages. If one
    element hides most of the text, what is hidden inside of it is dropped.
    """
    blocks, is_content = labeling.blocks, labels_to_mask(labeling.labels)
    leaves = blocks.leaves[is_content[blocks.leaf_blocks]]
    for in_whole in (False, True):
        slots = mark_hidden_slots(page, leaves, in_whole=in_whole) if len(leaves) else None
        if slots is None:
            return labeling
        labeling = replace(labeling, hidden=slots)
        if hidden == "keep":
            return labeling
        shown = _show_copies(page, labeling, _omit(page, labeling, slots), slots)
        n_shown, n_words = (int(each.n_tokens[labels_to_mask(each.labels)].sum()) for each in (shown, labeling))
        if hidden == "drop" or 2 * n_shown >= n_words:
            return shown
    return labeling


def _show_copies(page: Page, before: Labeling, labeling: Labeling, hidden: BoolArray) -> Labeling:
    """Return *labeling* with CONTENT for shown copies of hidden content: a model keeps the first copy of a text.

    :param before: the labeling with the hidden content.
    :param hidden: which slots a reader does not see. *Shape:* ``(2n,)``
    """
    first = labeling.blocks.starts
    was_content = labels_to_mask(before.labels)[before.blocks.leaf_blocks[first]]
    is_hidden = hidden[page.leaf_slots[labeling.blocks.leaves[first]]]
    lost = was_content & is_hidden & (labeling.n_tokens >= _FEWEST_WORDS)
    if not lost.any():
        return labeling
    texts = block_texts(page, labeling.blocks)
    copied = {texts[i] for i in lost.nonzero()[0].tolist()}
    labels = labeling.labels.copy()
    labels[[i for i in (~is_hidden).nonzero()[0].tolist() if texts[i] in copied]] = Label.CONTENT
    return replace(labeling, labels=labels)


def _omit(page: Page, labeling: Labeling, omitted: BoolArray) -> Labeling:
    """Return *labeling* without content at the slots *omitted*. *Shape:* ``(2n,)``"""
    blocks = labeling.blocks
    excluded = omitted[page.leaf_slots[blocks.leaves]]
    cut = blocks.cut(excluded)
    origin, is_excluded = blocks.leaf_blocks[cut.starts], excluded[cut.starts]
    labels, probabilities = labeling.labels[origin], labeling.probabilities
    labels[is_excluded] = Label.BOILERPLATE
    if probabilities is not None:
        probabilities = np.where(is_excluded, 0.0, probabilities[origin])
    n_tokens, roles = labeling.n_tokens[origin], labeling.roles
    if cut.n_blocks > blocks.n_blocks:
        n_tokens = count_tokens(block_texts(page, cut))
    omitted = omitted if labeling.omitted is None else omitted | labeling.omitted
    return replace(
        labeling,
        blocks=cut,
        labels=labels,
        probabilities=probabilities,
        n_tokens=n_tokens,
        roles=None if roles is None else lambda: roles()[origin],
        omitted=omitted,
    )
