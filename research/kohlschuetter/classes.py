"""The six classes of text in L3S-GN1, the news corpus of Kohlschütter et al. 2010.

Its annotator wrapped texts in ``<span class="x-nc-selN">``, in which N is the class. Text outside of such an element
was not selected by the assessor, so it is boilerplate.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from scrapy_web2text.page.arrays import Page, tree_to_page
from scrapy_web2text.page.blocks import SHALLOW_BLOCKS, BlockSequence, Segmentation, segment
from scrapy_web2text.page.parse import to_tree

CORPUS = Path("seeds") / "l3s_gn1_classes" / "html"
_MARK = re.compile(r"x-nc-sel([0-5])")


class TextClass(IntEnum):
    """What a text is; the values are those of the annotator.

    Table 1 of the paper has the last two the other way round: there, 9 % of the words are related content and 1 % are
    comments. But texts of class 5 are signed and dated by readers, and those of class 4 are lists of links.
    """

    BOILERPLATE = 0
    HEADLINE = 1
    FULL_TEXT = 2
    SUPPLEMENTAL = 3
    RELATED = 4
    COMMENTS = 5


# Comments are content, as in the paper; related content is not, without which ZeroR would not have the paper's recall.
CONTENT = (TextClass.HEADLINE, TextClass.FULL_TEXT, TextClass.SUPPLEMENTAL, TextClass.COMMENTS)


@dataclass(frozen=True, eq=False)
class LabeledBlocks:
    """A page without the marks of the annotator, and the class of each block.

    :param classes: values of `TextClass`; of a block with several, that of most characters. *Shape:* ``(n,)``
    """

    page: Page
    blocks: BlockSequence
    classes: NDArray[np.int64]


def read_pages(data: Path, segmentation: Segmentation = SHALLOW_BLOCKS) -> Iterator[LabeledBlocks]:
    """Return the pages of the corpus below *data*, by file name."""
    for path in sorted((data / CORPUS).iterdir()):
        page, characters = remove_marks(to_tree(path.read_bytes()))
        blocks = segment(page, segmentation)
        yield LabeledBlocks(page, blocks, _vote(page, blocks, characters))


def remove_marks(tree: Any) -> tuple[Page, NDArray[np.int64]]:
    """Remove the elements of the annotator from *tree*, and return the page and the class of each of its characters.

    The page is cut at tags, so these elements must not remain. *Shape:* ``(number of characters, whitespace apart,)``
    """
    marked = tree_to_page(tree)
    leaf_classes = np.full(marked.n_leaves, int(TextClass.BOILERPLATE))
    for number, element in enumerate(marked.elements):  # in preorder: marks within others replace them
        mark = _MARK.fullmatch((element.get("class") or "").strip()) if element.tag == "span" else None
        if mark:
            inside = (marked.open_slots[number] <= marked.leaf_slots) & (marked.leaf_slots < marked.close_slots[number])
            leaf_classes[inside] = int(mark[1])
            element.tag = "x-nc-sel"
    characters = np.repeat(leaf_classes, _count_characters(marked))
    etree.strip_tags(tree, "x-nc-sel")
    return tree_to_page(tree), characters


def _count_characters(page: Page) -> NDArray[np.int64]:
    """Return the number of characters of each leaf, whitespace apart. *Shape:* ``(m,)``"""
    return np.array([len("".join(text.split())) for text in page.texts], dtype=np.int64)


def _vote(page: Page, blocks: BlockSequence, characters: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the class of most characters of each block. *Shape:* ``(n,)``"""
    leaves = np.repeat(np.arange(page.n_leaves), _count_characters(page))
    counts = np.zeros((page.n_leaves, len(TextClass)), dtype=np.int64)
    np.add.at(counts, (leaves, characters), 1)
    sums = np.add.reduceat(counts[blocks.leaves], blocks.starts, axis=0) if blocks.n_blocks else counts[:0]
    return sums.argmax(axis=1)
