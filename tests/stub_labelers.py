"""Labelers whose labels a test chooses."""

from __future__ import annotations

import numpy as np

from scrapy_web2text.exceptions import PageError
from scrapy_web2text.labelers.base import Labeling
from scrapy_web2text.page.blocks import TEXT_LEAVES, segment


class Stub:
    """A labeler that selects the blocks with the given indices, or all of them."""

    block_bytes = 0

    def __init__(self, segmentation=TEXT_LEAVES, selected=None):
        self.name = "stub"
        self.segmentation = segmentation
        self.selected = selected
        self.asked = []

    def label(self, page, *, threshold=None, decoder=None):
        self.asked.append((threshold, decoder))
        blocks = segment(page, self.segmentation)
        labels = np.full(blocks.n_blocks, int(self.selected is None), dtype=np.int64)
        labels[self.selected or []] = 1
        return Labeling(blocks, labels, None, labels)


class Failing(Stub):
    def label(self, page, **options):
        raise PageError("model_error", "no finite potentials")
