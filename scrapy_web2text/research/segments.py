"""Search-and-Combine Segmentation: the blocks of SemText (Zhang, Wang), section III-A of its paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from scrapy_web2text.arrays import IntArray
from scrapy_web2text.page.arrays import COMMENT, TAG_NAMES, Page, tag_ids
from scrapy_web2text.page.blocks import BlockSequence, Segmentation, segment

__all__ = ["SEMTEXT_BLOCKS", "block_owners", "container_parents", "read_names", "search_and_combine"]


# The paper names examples of its three groups of tags; these lists follow the sections of the HTML standard that it
# names: group 1 (metadata, scripting, embedded content, controls of forms) is dropped with its text, the tags of group
# 2 (text-level semantics, parts of tables) are taken away from around theirs, group 3 is the rest. A `form` is in group
# 3, though: on many a page it holds everything.
SEMTEXT_BLOCKS: Final = Segmentation(
    "semtext",
    dropped=frozenset(
        """audio base button canvas checkbox embed head iframe img input label legend link meta meter noscript object
        optgroup option output param picture progress radio script select source style svg template textarea title
        track video""".split()
    ),
    transparent=frozenset(
        """a abbr acronym b bdi bdo big blink br cite code col colgroup data del dfn em font i ins kbd mark marquee math
        nobr q rp rt ruby s samp small span strike strong sub sup tbody tfoot thead time tt u var wbr""".split()
    )
    | {""},
)


@dataclass(frozen=True, slots=True)
class _Run:
    """Some leaves in a row.

    :param start: position among the kept leaves of the first; *end* is one past the last.
    :param owner: the element of group 3 that holds them, the first of several siblings.
    :param is_leaf: whether *owner*, or each of the siblings, holds nothing else.
    """

    start: int
    end: int
    owner: int
    is_leaf: bool


def search_and_combine(page: Page) -> BlockSequence:
    """Return the blocks of *page*.

    The search cuts at each tag of group 3. Of the four cases of combining, the last one says that what follows is
    combined first; so the blocks are gone through from the end, each being compared with what has become of those
    behind it: siblings with the same tag and the same names are joined (case 1), and so are a text and all that is
    below it, if that is one nameless child or several that have been joined (case 2); others stay apart (case 3).
    """
    searched = segment(page, SEMTEXT_BLOCKS)
    if not searched.n_blocks:
        return searched
    parents = container_parents(page).tolist()
    owners = block_owners(page, searched).tolist()
    firsts, lasts = (each.tolist() for each in page.leaf_ranges(searched.leaves))
    names = _Names(page)
    combined: list[_Run] = []
    for start, end, owner in zip(
        reversed(searched.starts.tolist()), reversed(searched.ends.tolist()), reversed(owners), strict=True
    ):
        run = _Run(start, end, owner, firsts[owner] == start and lasts[owner] == end)
        while combined:
            behind = combined[-1]
            if behind.owner == owner or _are_alike(page, names, parents, run, behind):
                covers = behind.is_leaf and run.is_leaf
            elif (
                behind.is_leaf
                and parents[behind.owner] == owner
                and (firsts[owner], lasts[owner]) == (run.start, behind.end)
                and not names[behind.owner]
            ):
                covers = True
            else:
                break
            combined.pop()
            whole = (firsts[owner], lasts[owner]) == (run.start, behind.end)
            run = _Run(run.start, behind.end, owner, covers or whole)
        combined.append(run)
    return BlockSequence(searched.leaves, np.array([run.start for run in reversed(combined)], dtype=np.int64))


def block_owners(page: Page, blocks: BlockSequence) -> IntArray:
    """Return the element of group 3 that holds each block's first leaf, 0 for the page's own text. *Shape:* ``(n,)``"""
    slots = page.leaf_slots[blocks.leaves[blocks.starts]]
    return _nearest_containers(page)[page.slot_owners(page.parents())[slots]]


def container_parents(page: Page) -> IntArray:
    """Return the next element of group 3 around each element, -1 for the first one. *Shape:* ``(n,)``"""
    parents = page.parents()
    around = _nearest_containers(page)[parents]
    around[parents < 0] = -1
    return around


def read_names(page: Page, element: int) -> tuple[str, ...]:
    """Return class and id of an element, as far as it has them."""
    node = page.elements[element]
    return tuple(value for value in (node.get("class"), node.get("id")) if value and value.strip())


class _Names(dict[int, tuple[str, ...]]):
    """Class and id of the elements that were asked for."""

    def __init__(self, page: Page) -> None:
        self._page = page

    def __missing__(self, element: int) -> tuple[str, ...]:
        self[element] = read_names(self._page, element)
        return self[element]


def _are_alike(page: Page, names: _Names, parents: list[int], run: _Run, behind: _Run) -> bool:
    """Return whether two runs are leaf siblings with the same tags and names, which on the path above are the same."""
    one, other = run.owner, behind.owner
    return (
        run.is_leaf
        and behind.is_leaf
        and parents[one] == parents[other]
        and page.tags[one] == page.tags[other]
        and names[one] == names[other]
    )


def _nearest_containers(page: Page) -> IntArray:
    """Return for each element itself if it is in group 3, else the next one around it that is. *Shape:* ``(n,)``"""
    is_container = np.ones(len(TAG_NAMES), dtype=bool)
    is_container[[COMMENT, *tag_ids(SEMTEXT_BLOCKS.transparent or ())]] = False
    are_containers = is_container[page.tags].tolist()
    nearest: list[int] = []
    for element, (parent, is_one) in enumerate(zip(page.parents().tolist(), are_containers, strict=True)):
        nearest.append(element if is_one or parent < 0 else nearest[parent])
    return np.array(nearest, dtype=np.int64)
