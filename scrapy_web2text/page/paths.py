"""XPaths of elements and text nodes, from the arrays of a page.

lxml's `getpath` counts all siblings for each path, which is quadratic in their number.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

import numpy as np
from lxml import etree

from scrapy_web2text.common.arrays import DoubleArray, IntArray
from scrapy_web2text.common.budget import batches, check_time, watched
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import Block, BlockSequence, Label, block_texts, labels_to_mask, make_blocks
from scrapy_web2text.page.bounds import is_flattened

# Characters of one path, and of all paths of a page that are built. Only hostile pages have longer ones.
_LONGEST: Final = 10_000
_MOST_CHARACTERS: Final = 20_000_000
# XPath allows other letters too, but not all that Python knows.
_XPATH_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_LXML_STEP: Final = re.compile(r"(.*?)(\[\d+\])?", re.DOTALL)


class ElementFinder:
    """Finds the elements around the text leaves of one page."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._parents: list[int] = page.parents.tolist()
        self._close_slots: list[int] = page.close_slots.tolist()
        self._leaf_slots: list[int] = page.leaf_slots.tolist()
        self._owners = page.slot_owners()
        self._leaf_owners: list[int] = self._owners[page.leaf_slots].tolist()
        check_time()

    def owner(self, leaf: int) -> int:
        """Return the element that directly contains text leaf *leaf*."""
        return self._leaf_owners[leaf]

    def common_element(self, first: int, last: int) -> int:
        """Return the innermost element that contains the leaves *first* to *last*."""
        element = self._leaf_owners[first]
        if first != last:
            while self._close_slots[element] <= self._leaf_slots[last]:
                element = self._parents[element]
        return element


class PathFinder(ElementFinder):
    """Finds the paths of one page; the path of an element is built once, from that of its parent.

    A path is None if it would not lead to its element or text. So is one of more than 10,000 characters, and one that
    follows 20 million characters of other paths. The paths of a page that was too deep for libxml2 are None.
    """

    def __init__(self, page: Page) -> None:
        super().__init__(page)
        ranks, n_alike = _rank_within(page.parents * len(page.names) + page.name_numbers)
        # The position of each element among those of the same name, from 1; 0 for one without such siblings.
        self._positions: list[int] = ((ranks + 1) * (n_alike > 1)).tolist()
        # The step to each name without its position; None for what is not written from the arrays.
        self._steps = [None if test is None else f"/{test}" for test in map(_name_test, page.names)] + [None]
        step_numbers = page.name_numbers.copy()
        step_numbers[page.strays] = len(page.names)
        self._step_numbers: list[int] = step_numbers.tolist()
        check_time()
        text_slots = np.flatnonzero(page.slot_has_text)
        text_ranks = np.zeros(2 * page.n_elements, dtype=np.int64)
        text_ranks[text_slots] = _rank_within(self._owners[text_slots])[0]
        self._leaf_ranks: list[int] = (text_ranks[page.leaf_slots] + 1).tolist()
        self._strays = frozenset(page.strays.tolist())
        self._n_left = 0 if is_flattened(page.root) else _MOST_CHARACTERS
        self._paths: dict[int, str | None] = {0: self._bounded(_lxml_path(page.elements[0]))}
        self._first_stray = int(page.open_slots[page.strays[0]]) if len(page.strays) else 2 * page.n_elements
        self._lxml_paths: dict[etree._Element, str | None] = {}
        self._child_steps: dict[etree._Element, dict[etree._Element, str]] = {}

    def block_path(self, first: int, last: int, element: int) -> str | None:
        """Return the XPath of the text leaf *first* if it is also the *last* of a block, else of their common element.

        It is None if no element of the tree contains both, as one of them is outside the body.

        :param element: the result of :meth:`common_element`.
        """
        if first == last:
            return self.text_path(first)
        if element == 0 and self._leaf_slots[last] >= self._first_stray:
            return None
        return self.element_path(element)

    def element_path(self, element: int) -> str | None:
        """Return the XPath of an element; None if it is too long or cannot be written."""
        paths = self._paths
        chain = []
        while element not in paths:
            chain.append(element)
            element = self._parents[element]
        path = paths[element]
        while chain and path is not None:
            element = chain.pop()
            step, position = self._steps[self._step_numbers[element]], self._positions[element]
            if step is None:
                path = self._rare_path(path, element)
            else:
                path = f"{path}{step}[{position}]" if position else path + step
            path = paths[element] = self._bounded(path)
        paths.update(dict.fromkeys(chain))  # nothing is found below an element without a path
        return path

    def text_path(self, leaf: int) -> str | None:
        """Return the XPath of a text leaf; None if it is too long or cannot be written, or the text is in no element.

        Texts outside the body have none: the tree has them at other places than the page.
        """
        owner = self._leaf_owners[leaf]
        if owner == 0 and self._leaf_slots[leaf] > self._first_stray:
            return None
        path = self.element_path(owner)
        return None if path is None else self._bounded(f"{path}/text()[{self._leaf_ranks[leaf]}]")

    def _bounded(self, path: str | None) -> str | None:
        """Return *path*, and count its characters; None if it or the sum is too long."""
        if path is None:
            return None
        n_characters = len(path)
        if n_characters > _LONGEST or n_characters > self._n_left:
            return None
        self._n_left -= n_characters
        return path

    def _outer_path(self, node: etree._Element) -> str | None:
        """Return the path of an element outside of the arrays; lxml counts all its siblings."""
        if node not in self._lxml_paths:
            self._lxml_paths[node] = _lxml_path(node)
        return self._lxml_paths[node]

    def _rare_path(self, parent_path: str, element: int) -> str | None:
        """Return the path of an element that is outside the body, or whose name XPath cannot hold."""
        node = self._page.elements[element]
        if element not in self._strays:
            return f"{parent_path}/{self._counted_step(node)}"
        outer = self._outer_path(node.getparent())  # it counts as a child of the body, but has another parent
        return None if outer is None else f"{outer}/{self._counted_step(node)}"

    def _counted_step(self, node: etree._Element) -> str:
        """Return the last step of the path to an element whose position is not in the arrays.

        The children of each parent are counted once.
        """
        parent = node.getparent()
        if parent not in self._child_steps:
            self._child_steps[parent] = _child_steps(parent)
        return self._child_steps[parent][node]


def _child_steps(parent: etree._Element) -> dict[etree._Element, str]:
    """Return the XPath step to each child element; as in lxml's paths, some names become ``*``."""
    steps: dict[etree._Element, str] = {}
    n_alike = Counter[str]()
    for batch in batches(enumerate(parent.iterchildren("*"), 1)):
        for number, child in batch:
            n_alike[child.tag] += 1
            test = _name_test(child.tag)
            steps[child] = f"*[{number}]" if test is None else f"{test}[{n_alike[child.tag]}]"
    return steps


def _name_test(tag: str) -> str | None:
    """Return the XPath step to children by their name; None if a path cannot have the name.

    Some names in HTML, such as ``o:p``, are invalid in XPath and have to be compared. Others are in a namespace, have
    both kinds of quotes, or have characters that lxml refuses or that are dropped from all values.
    """
    if _XPATH_NAME.fullmatch(tag):
        return tag
    if "}" in tag or not tag.isprintable() or ('"' in tag and "'" in tag):
        return None
    quote = "'" if '"' in tag else '"'
    return f"*[name()={quote}{tag}{quote}]"


def _lxml_path(element: etree._Element) -> str | None:
    steps = [*map(_lxml_step, element.getroottree().getpath(element).split("/"))]
    return None if None in steps else "/".join(step for step in steps if step is not None)


def _lxml_step(step: str) -> str | None:
    """Return *step*, from a path by lxml, as valid XPath: lxml does not escape names; ``*`` replaces qualified ones."""
    name, position = _LXML_STEP.fullmatch(step).groups("")  # type: ignore[union-attr]
    test = name if name in {"", "*"} else _name_test(name)
    return None if test is None else test + position


def _rank_within(groups: IntArray) -> tuple[IntArray, IntArray]:
    """Return the rank of each item within its group, and the size of the group. *Shapes:* ``(n,)`` each"""
    check_time()
    order = np.argsort(groups, kind="stable")
    check_time()
    ordered = groups[order]
    is_first = np.ones(len(groups), dtype=bool)
    is_first[1:] = ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(is_first)
    group_numbers = np.cumsum(is_first) - 1
    ranks, sizes = np.empty((2, len(groups)), dtype=np.int64)
    ranks[order] = np.arange(len(groups)) - starts[group_numbers]
    sizes[order] = np.diff(starts, append=len(groups))[group_numbers]
    return ranks, sizes


_LABELS: Final = tuple(Label)  # by their values
_LONGEST_TAG: Final = 100  # characters; hostile pages give many blocks one name of thousands


def export_blocks(
    page: Page,
    blocks: BlockSequence,
    labels: IntArray,
    probabilities: DoubleArray | None,
    *,
    content_only: bool,
    paths: bool = True,
) -> tuple[Block, ...]:
    """Return the blocks as plain data.

    :param labels: label of each block. *Shape:* ``(n,)``
    :param probabilities: probability of CONTENT of each block; None if the labeler has none. *Shape:* ``(n,)``
    :param content_only: whether to drop blocks of boilerplate.
    :param paths: whether each has its XPath.
    """
    if not blocks.n_blocks:
        return ()
    finder = PathFinder(page) if paths else ElementFinder(page)
    texts = block_texts(page, blocks)
    first_leaves, last_leaves = blocks.leaves[blocks.starts].tolist(), blocks.leaves[blocks.ends - 1].tolist()
    chosen = np.flatnonzero(labels_to_mask(labels)) if content_only else np.arange(blocks.n_blocks)
    names, numbers = [name[:_LONGEST_TAG] for name in page.names], page.name_numbers.tolist()
    tags, found_paths = [], []
    for i in watched(chosen.tolist()):
        first, last = first_leaves[i], last_leaves[i]
        element = finder.common_element(first, last)
        tags.append(names[numbers[element]])
        found_paths.append(finder.block_path(first, last, element) if isinstance(finder, PathFinder) else None)
    return make_blocks(
        chosen.tolist(),
        [texts[i] for i in chosen.tolist()],
        [_LABELS[label] for label in labels[chosen].tolist()],
        [None] * len(chosen) if probabilities is None else probabilities[chosen].tolist(),
        tags,
        found_paths,
    )
