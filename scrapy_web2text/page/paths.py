"""XPaths of elements and text nodes, from the arrays of a page.

lxml's `getpath` counts all siblings for each path, which is quadratic in their number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import numpy as np
from lxml import etree

from scrapy_web2text.common.arrays import BoolArray, DoubleArray, IntArray, mark_changes
from scrapy_web2text.common.budget import check_time, watched
from scrapy_web2text.extraction import Block, Label
from scrapy_web2text.options import Role
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence, labels_to_mask

# Characters of one path, and of all paths to elements of a page. Only hostile pages have longer paths.
_LONGEST: Final = 10_000
_MOST_CHARACTERS: Final = 10_000_000
_MOST_STRAYS: Final = 100  # elements beside the body whose paths lxml writes, which takes quadratic time
# XPath allows other letters too, but not all that Python knows.
_XPATH_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
# lxml does not escape names, and replaces names with a namespace by an asterisk.
_LXML_PATH: Final = re.compile(r"(?:/(?:\*|[A-Za-z_][A-Za-z0-9_.-]*)(?:\[\d+\])?)+")


def find_paths(
    page: Page, elements: IntArray, first: IntArray, last: IntArray, n_left: float = _MOST_CHARACTERS
) -> list[str | None]:
    """Return the XPath of each run of leaves: of the leaf if the run has only one, else of the element around all.

    A path is None if it would not lead to its element or text: the tree has texts outside the body in other places. It
    is also None if it has more than 10,000 characters, or if the paths to elements together have 10 million, and for
    texts in elements beside the body, after the first hundred of these elements.

    :param n_left: limit of the characters of all paths.
    :param elements: the result of :func:`common_elements` for the *first* and the *last* leaves. *Shape:* ``(k,)`` each
    """
    if page.original is not None:
        return _find_source_paths(page.original.page, page.original.slots[page.leaf_slots], first, last, n_left)
    element_paths = _element_paths(page, elements)
    slots = page.leaf_slots[last]
    ranks = np.where(first == last, _text_ranks(page)[slots], 0)
    if page.formulas:  # whose texts the tree does not have
        leaves = watched(zip(last.tolist(), slots.tolist(), strict=True), len(last))
        ranks[[page.texts[leaf] != page.text_at(slot) for leaf, slot in leaves]] = 0
    images = [number for number, name in enumerate(page.names) if name == "img"]
    ranks[np.isin(page.name_numbers[elements], images)] = 0  # an emoji is a text of the page alone, too
    end = page.open_slots[page.strays[0]] if len(page.strays) else len(page.slot_elements)
    is_outside = (elements == 0) & (slots >= end)
    check_time()
    paths: list[str | None] = [None] * len(elements)
    rows = zip(range(len(elements)), elements.tolist(), ranks.tolist(), is_outside.tolist(), strict=True)
    for i, element, rank, is_lost in watched(rows, len(elements)):
        path = element_paths[element]
        if path is None or is_lost:
            continue
        path = f"{path}/text()[{rank}]" if rank else path
        if len(path) <= _LONGEST and len(path) <= n_left:
            n_left -= len(path)
            paths[i] = path
    return paths


def _find_source_paths(
    source: Page, slots: IntArray, first: IntArray, last: IntArray, n_left: float
) -> list[str | None]:
    """Return the paths of runs of leaves in the tree of the document, as `find_paths` does. *Shapes:* ``(k,)`` each

    A path is None if this tree does not have the same text.

    :param slots: the slot of *source* with each leaf of the page; -1 for none. *Shape:* ``(m,)``
    """
    numbers = {slot: leaf for leaf, slot in enumerate(source.leaf_slots.tolist())}
    leaves = np.array([numbers.get(slot, -1) for slot in watched(slots.tolist())], dtype=np.int64)
    is_known: BoolArray = (leaves[first] >= 0) & (leaves[last] >= 0)
    first, last = np.sort([leaves[first[is_known]], leaves[last[is_known]]], axis=0)
    paths = iter(find_paths(source, common_elements(source, first, last), first, last, n_left))
    return [next(paths) if each else None for each in is_known.tolist()]


def common_elements(page: Page, first: IntArray, last: IntArray) -> IntArray:
    """Return the innermost element that contains the leaves from each *first* to each *last*. *Shapes:* ``(k,)``"""
    elements = page.owners(page.leaf_slots[first])
    slots = page.leaf_slots[last]
    rising = (page.close_slots[elements] <= slots).nonzero()[0]
    while len(rising):
        check_time()
        elements[rising] = page.parents[elements[rising]]
        rising = rising[page.close_slots[elements[rising]] <= slots[rising]]
    return elements


def _element_paths(page: Page, elements: IntArray) -> list[str | None]:
    """Return the paths of *elements* and of all above them, each from the path of its parent; None for others."""
    is_chosen = np.zeros(page.n_elements + 1, dtype=np.int64)
    is_chosen[elements + 1] = 1
    n_before = is_chosen.cumsum()
    needed = (n_before[page.ends] > n_before[:-1]).nonzero()[0]
    ranks, n_alike = _rank_within(page.parents * len(page.names) + page.name_numbers)
    # The position among the siblings of the same name, from 1; 0 for an element without such siblings.
    positions = (ranks[needed] + 1) * (n_alike[needed] > 1)
    steps = [*map(_name_test, page.names)]  # to each name, without a position
    check_time()
    columns = needed, page.parents[needed], page.name_numbers[needed], positions
    rows = zip(*(column.tolist() for column in columns), strict=True)
    n_left = _MOST_CHARACTERS
    paths: list[str | None] = [None] * page.n_elements
    # The arrays do not have the places of elements beside the body.
    tops, lost = {0, *page.strays[:_MOST_STRAYS].tolist()}, {*page.strays[_MOST_STRAYS:].tolist()}
    for element, parent, step_number, position in watched(rows, len(needed)):
        above, step = paths[parent], steps[step_number]
        if element in tops:
            path = _lxml_path(page.elements[element])
        elif above is None or step is None or element in lost:
            path = None
        else:
            path = f"{above}/{step}[{position}]" if position else f"{above}/{step}"
        if path is not None and len(path) <= min(_LONGEST, n_left):
            n_left -= len(path)
            paths[element] = path
    return paths


def _lxml_path(element: etree._Element) -> str | None:
    path: str = element.getroottree().getpath(element)
    return path if _LXML_PATH.fullmatch(path) else None


def _text_ranks(page: Page) -> IntArray:
    """Return the position of each text among the texts of its element, from 1; 0 for no text. *Shape:* ``(2n,)``"""
    (slots,) = page.slot_has_text.nonzero()
    ranks = np.zeros(2 * page.n_elements, dtype=np.int64)
    ranks[slots] = _rank_within(page.owners(slots))[0] + 1
    return ranks


def _name_test(tag: str) -> str | None:
    """Return the XPath step to children by their name; None if a path cannot have the name.

    Names that are invalid in XPath, such as ``o:p``, and names in a namespace are compared as strings. A path cannot
    have names with quotes, or with characters that lxml refuses or that are dropped from all values.
    """
    if _XPATH_NAME.fullmatch(tag):
        return tag
    if '"' in tag or not tag.isprintable():
        return None
    namespace, is_qualified, name = tag.removeprefix("{").rpartition("}")
    return f'*[local-name()="{name}"][namespace-uri()="{namespace}"]' if is_qualified else f'*[name()="{tag}"]'


def _rank_within(groups: IntArray) -> tuple[IntArray, IntArray]:
    """Return the rank of each item within its group, and the size of the group. *Shapes:* ``(n,)`` each"""
    check_time()
    order = np.argsort(groups, kind="stable")
    check_time()
    ordered = groups[order]
    is_first = mark_changes(ordered)
    starts = is_first.nonzero()[0]
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
    texts: Sequence[str],
    roles: Sequence[Role] | None = None,
    *,
    hidden: BoolArray | None = None,
    content_only: bool,
    path_characters: int = _MOST_CHARACTERS,
) -> tuple[Block, ...]:
    """Return the n *blocks* as plain data. *Shapes:* ``(n,)`` twice

    :param probabilities: probability of CONTENT of each block; None if the labeler has none.
    :param texts: the text of each block.
    :param roles: role of each block; None if they are unknown.
    :param hidden: which slots a reader does not see; None for none. *Shape:* ``(2 * page.n_elements,)``
    :param content_only: whether to drop blocks of boilerplate.
    :param path_characters: length of all XPaths together; 0 for none.
    """
    if not blocks.n_blocks:
        return ()
    chosen = labels_to_mask(labels).nonzero()[0] if content_only else np.arange(blocks.n_blocks)
    first, last = blocks.leaves[blocks.starts[chosen]], blocks.leaves[blocks.ends[chosen] - 1]
    elements = common_elements(page, first, last)
    names = [name[:_LONGEST_TAG] for name in page.names]
    if hidden is not None:
        is_hidden = np.logical_and.reduceat(hidden[page.leaf_slots[blocks.leaves]], blocks.starts.astype(np.intp))
    columns = (
        chosen.tolist(),
        [texts[i] for i in chosen.tolist()],
        [_LABELS[label] for label in labels[chosen].tolist()],
        [None] * len(chosen) if probabilities is None else probabilities[chosen].tolist(),
        [names[number] for number in page.name_numbers[elements].tolist()],
        find_paths(page, elements, first, last, path_characters) if path_characters else [None] * len(chosen),
        [False] * len(chosen) if hidden is None else is_hidden[chosen].tolist(),
        [None] * len(chosen) if roles is None else [roles[i] for i in chosen.tolist()],
    )
    return tuple(map(Block, *columns))
