"""The pages of the corpora as chains of blocks with labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from research.alignment.characters import align_leaves, counts_to_labels
from research.pages import leaf_counts_to_labels, segment_page
from research.web2text.recipe import CorpusChoice
from scrapy_web2text.common.arrays import IntArray
from scrapy_web2text.evaluation.corpora import CorpusPage, open_corpus, read_split
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence
from scrapy_web2text.training.corpora import Track, no_progress

_Features = TypeVar("_Features")


@dataclass(frozen=True, slots=True, eq=False)
class SourcePage:
    """A page of n blocks and k kept leaves with its labels, before a network reads features from it.

    :param labels: labels of the blocks. *Shape:* ``(n,)``
    :param leaf_labels: labels of the kept leaves, each by its own text. *Shape:* ``(k,)``
    """

    page: Page
    blocks: BlockSequence
    labels: IntArray
    leaf_labels: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class ChainPage(Generic[_Features]):
    """The features and labels of a page of n blocks and k kept leaves.

    :param labels: see `SourcePage`.
    :param leaf_blocks: the block of each leaf. *Shape:* ``(k,)``
    :param leaf_labels: see `SourcePage`.
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
    corpora: Sequence[CorpusChoice],
    part: str,
    splits: Path,
    data: Path,
    segment: Callable[[Page], BlockSequence],
    track: Track = no_progress,
) -> list[SourcePage]:
    """Return the pages of *corpora* in *part*, ``train`` or ``val``, except those without blocks.

    :param splits: JSON file of page ids by split and part.
    :param segment: cuts a page into blocks.
    :raises ValueError: if a corpus, a split or a page does not exist, or no page has blocks.
    """
    sources: list[SourcePage] = []
    for choice in corpora:
        ids = read_split(splits, choice.split, getattr(choice, part))
        pages = open_corpus(choice.name, data).pages(ids)
        read = (_read_source(page, segment) for page in track(pages, len(ids), title=f"{choice.name} {part}"))
        sources += [source for source in read if source is not None]
    if not sources:
        raise ValueError("expected one or more pages with blocks, found none")
    return sources


def _read_source(labeled: CorpusPage, segment: Callable[[Page], BlockSequence]) -> SourcePage | None:
    segmented = segment_page(labeled, segment)
    if segmented is None:
        return None
    page, blocks = segmented
    counts = align_leaves(page.texts, labeled.text)
    return SourcePage(page, blocks, leaf_counts_to_labels(blocks, *counts), counts_to_labels(*counts)[blocks.leaves])
