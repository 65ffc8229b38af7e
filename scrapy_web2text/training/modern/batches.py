"""Labeled pages, and batches of them for the network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from torch import Tensor

from scrapy_web2text.common.arrays import IntArray
from scrapy_web2text.features.modern.page import ModernFeatures

# Number of styles of annotation. Style 0 has the habits of the corpus that answers follow. The other eight differ in
# three habits: clean texts have titles or not, have comments or not, and were copied from an element of the template or
# not.
N_STYLES: Final = 1 + 8


@dataclass(frozen=True, slots=True, eq=False)
class TrainingPage:
    """A page of n blocks with its labels.

    :param labels: the label of each block. *Shape:* ``(n,)``
    :param style: style of annotation of its corpus, below `N_STYLES`.
    :param page_type: index of its type in `PAGE_TYPES`; -1 if it is unknown.
    """

    id: str
    features: ModernFeatures
    labels: IntArray
    style: int = 0
    page_type: int = -1
    weight: float = 1.0

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        return len(self.labels)


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Several pages as tensors, with the blocks of all pages one after another, or padded to the longest page.

    :param dense: *Shape:* ``(blocks, F)``
    :param groups: *Shape:* ``(2, blocks)``
    :param pages: page of each block. *Shape:* ``(blocks,)``
    :param places: place of each block in its page. *Shape:* ``(blocks,)``
    :param mask: which places hold blocks. *Shape:* ``(pages, length)``
    :param labels: *Shape:* ``(pages, length)``
    :param n_tokens: *Shape:* ``(pages, length)``

    The other tensors are the arrays of `ModernFeatures`, joined. Their indices count through all pages.
    """

    dense: Tensor
    names: Tensor
    n_names: Tensor
    open_slots: Tensor
    close_slots: Tensor
    owners: Tensor
    containers: Tensor
    words: Tensor
    n_words: Tensor
    headings: Tensor
    title_words: Tensor
    n_title_words: Tensor
    page_names: Tensor
    n_page_names: Tensor
    groups: Tensor
    pages: Tensor
    places: Tensor
    mask: Tensor
    labels: Tensor
    n_tokens: Tensor
    styles: Tensor
    page_types: Tensor
    weights: Tensor


def collate(pages: Sequence[TrainingPage]) -> Batch:
    """Return *pages* as one batch."""
    features = [page.features for page in pages]
    n_blocks = [page.n_blocks for page in pages]
    blocks_before = np.cumsum([0, *n_blocks[:-1]])
    elements_before = np.cumsum([0, *[len(each.n_names) for each in features][:-1]])
    page_of_block = torch.from_numpy(np.repeat(np.arange(len(pages)), n_blocks))
    places = torch.from_numpy(np.concatenate([np.arange(n) for n in n_blocks]))
    shape = (len(pages), max(n_blocks))

    def join(name: str, before: IntArray | None = None, times: int = 1, axis: int = 0) -> Tensor:
        """Return an array of all pages.

        :param before: a number for each page, which is added to its values, except to -1.
        :param times: factor of the numbers in *before*.
        """
        parts = [getattr(each, name) for each in features]
        if before is not None:
            parts = [np.where(part >= 0, part + times * n, -1) for part, n in zip(parts, before, strict=True)]
        return torch.from_numpy(np.concatenate(parts, axis=axis))

    def pad(rows: Tensor) -> Tensor:
        return torch.zeros(shape, dtype=rows.dtype).index_put((page_of_block, places), rows)

    return Batch(
        **{name: join(name) for name in ("dense", "names", "n_names", "words", "n_words", "title_words", "page_names")},
        **{name: join(name, elements_before, 2) for name in ("open_slots", "close_slots")},
        **{name: join(name, elements_before) for name in ("owners", "containers")},
        headings=join("headings", blocks_before),
        n_title_words=torch.tensor([len(each.title_words) for each in features]),
        n_page_names=torch.tensor([len(each.page_names) for each in features]),
        groups=join("groups", blocks_before, axis=1),  # a page has no more groups than blocks, so numbers stay unique
        pages=page_of_block,
        places=places,
        mask=pad(torch.ones(len(places), dtype=torch.bool)),
        labels=pad(torch.from_numpy(np.concatenate([page.labels for page in pages]))),
        n_tokens=pad(join("n_tokens").float()),
        styles=torch.tensor([page.style for page in pages]),
        page_types=torch.tensor([page.page_type for page in pages]),
        weights=torch.tensor([page.weight for page in pages]),
    )
