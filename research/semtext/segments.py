"""Search-and-Combine Segmentation: the blocks of SemText (Zhang, Wang), section III-A of its paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import IntArray
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence, Segmentation, segment

# The paper gives examples of its three groups of tags; these lists follow the sections of the HTML standard that it
# names. Group 1 (metadata, scripting, embedded content, form controls) is dropped with its text. Group 2 (text-level
# semantics, parts of tables) is transparent. Group 3 is the rest, and includes `form`, which on many pages contains the
# whole page.
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
    """A run of consecutive leaves.

    :param start: position of the first leaf among the kept leaves; *end* is one past the last.
    :param owner: the element of group 3 around the leaves, or the first of several siblings.
    :param is_leaf: whether *owner*, or each of the siblings, has no other leaves.
    """

    start: int
    end: int
    owner: int
    is_leaf: bool


def search_and_combine(page: Page, *, with_ids: bool = True) -> BlockSequence:
    """Return the blocks of *page*.

    The search cuts at each tag of group 3. Then runs are combined from the last to the first, since by case 4 of the
    paper the following runs are combined first. A run is compared with the combined run that follows it. Siblings with
    the same tag and the same names are joined (case 1). A text is joined with all text below it, if that is one child
    without a name, or several joined children (case 2). Other runs are not joined (case 3).

    :param with_ids: whether ids are names, too. The paper compares classes, and says that ids may be added to them.
    """
    searched = segment(page, SEMTEXT_BLOCKS)
    if not searched.n_blocks:
        return searched
    parents = container_parents(page).tolist()
    owners = block_owners(page, searched).tolist()
    firsts, lasts = (each.tolist() for each in page.leaf_ranges(searched.leaves))
    names = _Names(page, with_ids=with_ids)
    combined: list[_Run] = []
    for start, end, owner in zip(
        reversed(searched.starts.tolist()), reversed(searched.ends.tolist()), reversed(owners), strict=True
    ):
        run = _Run(start, end, owner, firsts[owner] == start and lasts[owner] == end)
        while combined:
            after = combined[-1]
            if after.owner == owner or _has_same_names(page, names, parents, run, after):
                covers = after.is_leaf and run.is_leaf
            elif (
                after.is_leaf
                and parents[after.owner] == owner
                and (firsts[owner], lasts[owner]) == (run.start, after.end)
                and not names[after.owner]
            ):
                covers = True
            else:
                break
            combined.pop()
            whole = (firsts[owner], lasts[owner]) == (run.start, after.end)
            run = _Run(run.start, after.end, owner, covers or whole)
        combined.append(run)
    return BlockSequence(searched.leaves, np.array([run.start for run in reversed(combined)], dtype=np.int64))


def block_owners(page: Page, blocks: BlockSequence) -> IntArray:
    """Return the element of group 3 around the first leaf of each block, 0 for text of the body. *Shape:* ``(n,)``"""
    slots = page.leaf_slots[blocks.leaves[blocks.starts]]
    return _nearest_containers(page)[page.slot_owners()[slots]]


def container_parents(page: Page) -> IntArray:
    """Return the nearest element of group 3 around each element, -1 for the first element. *Shape:* ``(n,)``"""
    parents = page.parents
    around = _nearest_containers(page)[parents]
    around[parents < 0] = -1
    return around


def read_names(page: Page, element: int, *, with_id: bool = True) -> tuple[str, ...]:
    """Return class and id of an element, without empty ones."""
    node = page.elements[element]
    names = (node.get("class"), node.get("id") if with_id else None)
    return tuple(value for value in names if value and value.strip())


class _Names(dict[int, tuple[str, ...]]):
    """Class and id of elements, read on first use."""

    def __init__(self, page: Page, *, with_ids: bool) -> None:
        self._page = page
        self._with_ids = with_ids

    def __missing__(self, element: int) -> tuple[str, ...]:
        self[element] = read_names(self._page, element, with_id=self._with_ids)
        return self[element]


def _has_same_names(page: Page, names: _Names, parents: list[int], run: _Run, after: _Run) -> bool:
    """Return whether two runs are leaf siblings with the same tag and names; siblings share the path above them."""
    one, other = run.owner, after.owner
    return (
        run.is_leaf
        and after.is_leaf
        and parents[one] == parents[other]
        and page.tags[one] == page.tags[other]
        and names[one] == names[other]
    )


def _nearest_containers(page: Page) -> IntArray:
    """Return for each element itself if it is in group 3, else the nearest one around it. *Shape:* ``(n,)``"""
    flags = (~page.tags_in({"#comment", *(SEMTEXT_BLOCKS.transparent or ())})).tolist()
    nearest: list[int] = []
    for element, (parent, is_one) in enumerate(zip(page.parents.tolist(), flags, strict=True)):
        nearest.append(element if is_one or parent < 0 else nearest[parent])
    return np.array(nearest, dtype=np.int64)
