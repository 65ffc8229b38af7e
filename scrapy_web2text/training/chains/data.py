"""The pages of the corpora as chains of blocks with labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from tqdm import tqdm

from scrapy_web2text.alignment.characters import align_leaves, label_counts, leaves_to_blocks
from scrapy_web2text.evaluation import open_corpus, read_split
from scrapy_web2text.training.cnn_hmm.data import cut_page

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from scrapy_web2text.arrays import IntArray
    from scrapy_web2text.evaluation import LabeledPage
    from scrapy_web2text.page.arrays import Page
    from scrapy_web2text.page.blocks import BlockSequence
    from scrapy_web2text.training.recipe import CorpusChoice


__all__ = ["ChainPage", "SourcePage", "read_sources"]

_Features = TypeVar("_Features")


@dataclass(frozen=True, slots=True, eq=False)
class SourcePage:
    """A page of n blocks and k kept leaves with its answer, before a network's features are read of it.

    :param labels: of the blocks. *Shape:* ``(n,)``
    :param leaf_labels: of the kept leaves, each for itself. *Shape:* ``(k,)``
    """

    page: Page
    blocks: BlockSequence
    labels: IntArray
    leaf_labels: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class ChainPage(Generic[_Features]):
    """What a network reads of a page of n blocks and k kept leaves, and the answer.

    :param leaf_blocks: the block of each leaf. *Shape:* ``(k,)``

    The labels are those of `SourcePage`.
    """

    features: _Features
    labels: IntArray
    leaf_blocks: IntArray
    leaf_labels: IntArray

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        return len(self.labels)


def read_sources(
    corpora: Sequence[CorpusChoice], part: str, splits: Path, data: Path, segment: Callable[[Page], BlockSequence]
) -> list[SourcePage]:
    """Return the pages that *corpora* have in *part*, ``train`` or ``val``; those without blocks are left out.

    :param splits: JSON file of the page ids.
    :param segment: how a page is cut into blocks.
    :raises ValueError: if a corpus, a split or a page is not there, or no page has blocks.
    """
    sources = []
    for choice in corpora:
        ids = read_split(splits, choice.split, getattr(choice, part))
        pages = open_corpus(choice.name, data).pages(ids)
        for labeled in tqdm(pages, total=len(ids), desc=f"{choice.name} {part}", unit="page", disable=None):
            source = _read_source(labeled, segment)
            if source is not None:
                sources.append(source)
    if not sources:
        raise ValueError("expected one or more pages with blocks, found none")
    return sources


def _read_source(labeled: LabeledPage, segment: Callable[[Page], BlockSequence]) -> SourcePage | None:
    cut = cut_page(labeled, segment)
    if cut is None:
        return None
    page, blocks = cut
    counts = align_leaves(page.texts, labeled.text)
    return SourcePage(page, blocks, leaves_to_blocks(blocks, *counts), label_counts(*counts)[blocks.leaves])
