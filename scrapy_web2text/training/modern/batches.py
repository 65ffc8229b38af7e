"""Labeled pages, and how some of them become one batch for the network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import torch

from scrapy_web2text.arrays import FloatArray, IntArray

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from scrapy_web2text.features.modern import ModernFeatures

__all__ = ["N_STYLES", "PAGE_TYPES", "Batch", "TrainingPage", "collate"]

# Annotation habits: number 0 is that of the corpus whose habits users get; the others by what their clean texts hold:
# titles or not, comments or not, a person's choice or a template's container.
N_STYLES: Final = 1 + 8
PAGE_TYPES: Final = ("article", "documentation", "forum", "service", "listing", "collection", "product")


@dataclass(frozen=True, slots=True, eq=False)
class TrainingPage:
    """A page of n blocks with its answer.

    :param labels: 1 for CONTENT. *Shape:* ``(n,)``
    :param targets: the probability of CONTENT that the network should give, in [0, 1]; None for the labels themselves.
        *Shape:* ``(n,)``
    :param style: annotation habit of its corpus, below `N_STYLES`.
    :param page_type: number of its type in `PAGE_TYPES`, -1 where nobody knows.
    :param weight: how much it counts.
    """

    id: str
    features: ModernFeatures
    labels: IntArray
    style: int = 0
    page_type: int = -1
    weight: float = 1.0
    targets: FloatArray | None = None

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        return len(self.labels)


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Several pages as tensors: blocks of all pages one after another, and padded where the mask is named.

    :param dense: *Shape:* ``(blocks, F)``
    :param pages: page of each block. *Shape:* ``(blocks,)``
    :param places: place of each block in its page. *Shape:* ``(blocks,)``
    :param mask: *Shape:* ``(pages, length)``
    :param labels: *Shape:* ``(pages, length)``
    :param targets: *Shape:* ``(pages, length)``
    :param n_tokens: *Shape:* ``(pages, length)``
    :param groups: *Shape:* ``(2, blocks)``

    The other tensors are those of `ModernFeatures`, with indices that count through all pages.
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
    targets: Tensor
    n_tokens: Tensor
    styles: Tensor
    page_types: Tensor
    weights: Tensor


def collate(pages: Sequence[TrainingPage]) -> Batch:
    """Return *pages* as one batch."""
    features = [page.features for page in pages]
    n_blocks = [page.n_blocks for page in pages]
    n_elements = [len(each.n_names) for each in features]
    blocks_before = np.cumsum([0, *n_blocks[:-1]])
    elements_before = np.cumsum([0, *n_elements[:-1]])

    def join(name: str, before: IntArray | None = None, times: int = 1) -> Tensor:
        parts = [getattr(each, name) for each in features]
        if before is not None:
            parts = [part + times * offset for part, offset in zip(parts, before, strict=True)]
        return torch.from_numpy(np.concatenate(parts))

    page_of_block = torch.from_numpy(np.repeat(np.arange(len(pages)), n_blocks))
    places = torch.from_numpy(np.concatenate([np.arange(n) for n in n_blocks]))
    shape = (len(pages), max(n_blocks))

    def pad(rows: Tensor) -> Tensor:
        return torch.zeros(shape, dtype=rows.dtype).index_put((page_of_block, places), rows)

    headings = [
        np.where(each.headings >= 0, each.headings + before, -1)
        for each, before in zip(features, blocks_before, strict=True)
    ]
    return Batch(
        dense=join("dense"),
        names=join("names"),
        n_names=join("n_names"),
        open_slots=join("open_slots", elements_before, 2),
        close_slots=join("close_slots", elements_before, 2),
        owners=join("owners", elements_before),
        containers=join("containers", elements_before),
        words=join("words"),
        n_words=join("n_words"),
        headings=torch.from_numpy(np.concatenate(headings)),
        title_words=join("title_words"),
        n_title_words=torch.tensor([len(each.title_words) for each in features]),
        page_names=join("page_names"),
        n_page_names=torch.tensor([len(each.page_names) for each in features]),
        groups=torch.from_numpy(
            # Pages have fewer groups than blocks.
            np.concatenate([each.groups + before for each, before in zip(features, blocks_before, strict=True)], axis=1)
        ),
        pages=page_of_block,
        places=places,
        mask=pad(torch.ones(len(places), dtype=torch.bool)),
        labels=pad(torch.from_numpy(np.concatenate([page.labels for page in pages]))),
        targets=pad(torch.from_numpy(np.concatenate([_targets(page) for page in pages]))),
        n_tokens=pad(join("n_tokens").float()),
        styles=torch.tensor([page.style for page in pages]),
        page_types=torch.tensor([page.page_type for page in pages]),
        weights=torch.tensor([page.weight for page in pages]),
    )


def _targets(page: TrainingPage) -> FloatArray:
    return page.labels.astype(np.float32) if page.targets is None else page.targets
