"""The elements of a page that selectors match."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import numpy as np

from scrapy_web2text.common.arrays import BoolArray, IntArray, mark_changes
from scrapy_web2text.common.budget import check_time
from scrapy_web2text.common.selectors import Step, compile_selector
from scrapy_web2text.page import reader
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.tags import COMMENT


def mark_selected_slots(page: Page, selectors: Iterable[str]) -> BoolArray:
    """Return which slots are inside an element that one of *selectors* matches. *Shape:* ``(2 * n_elements,)``"""
    return page.count_enclosing(select_elements(page, selectors)) > 0


def select_elements(page: Page, selectors: Iterable[str]) -> BoolArray:
    """Return which elements of *page* one of *selectors* matches. *Shape:* ``(n_elements,)``

    The time is linear for CSS, except for conditions that compare siblings, such as ``:nth-child``. XPath can
    take any time, and cannot be interrupted.
    """
    if page.original is not None:
        source = page.original.page
        (found,) = select_elements(source, selectors).nonzero()
        return reader.mark_elements(page.elements, [source.elements[i] for i in found.tolist()])
    is_selected = np.zeros(page.n_elements, dtype=bool)
    for selector in selectors:
        for steps in compile_selector(selector):
            is_selected |= _select(page, steps)
    return is_selected


def select_nodes(page: Page, selector: str) -> list[Any]:
    """Return the elements that *selector* matches; of an XPath, also the attributes, the texts or the string.

    They are in document order. Elements of the head are found by XPath, and by CSS of a single step such as ``title``.
    """
    ((first, *more), *others) = compile_selector(selector)
    if more or others:
        return [page.elements[i] for i in select_elements(page, (selector,)).nonzero()[0].tolist()]
    found = first.find(page.document_root)
    return found if isinstance(found, list) else [found]


def _select(page: Page, steps: Iterable[Step]) -> BoolArray:
    """Return which elements match the last of *steps*. *Shape:* ``(n_elements,)``"""
    is_selected = np.zeros(page.n_elements, dtype=bool)
    for step in steps:
        check_time()
        found = step.find(page.document_root)
        check_time()
        is_found = _mark(page, found)
        is_selected = is_found & _related(page, is_selected, step.relation) if step.relation else is_found
    return is_selected


def _mark(page: Page, found: Collection[object]) -> BoolArray:
    """Return which elements of *page* are in *found*; elements around the page count as its first. *Shape:* ``(n,)``"""
    chosen = {*found}
    is_found = reader.mark_elements(page.elements, chosen)
    is_found[0] |= any(ancestor in chosen for ancestor in page.elements[0].iterancestors())
    return is_found


def _related(page: Page, is_selected: BoolArray, relation: str) -> BoolArray:
    """Return which elements have the *relation* to a selected element. *Shapes:* ``(n,)`` twice"""
    if relation == " ":
        is_related = page.count_enclosing(is_selected)[page.open_slots] > is_selected
    elif relation == ">":
        is_related = is_selected[page.parents]
    else:
        return _follows(page, is_selected, at_once=relation == "+")
    is_related[0] = is_selected[0]  # by an element around the page
    return is_related


def _follows(page: Page, is_selected: BoolArray, *, at_once: bool) -> BoolArray:
    """Return which elements come after a selected element with the same parent. *Shapes:* ``(n,)`` twice"""
    parents = page.parents
    siblings = (page.tags != COMMENT).nonzero()[0]
    siblings = siblings[np.argsort(parents[siblings], kind="stable")]  # families, in document order
    selected = is_selected[siblings]
    is_first = mark_changes(parents[siblings])
    is_related = np.zeros(page.n_elements, dtype=bool)
    if at_once:
        is_related[siblings[1:]] = selected[:-1] & ~is_first[1:]
        return is_related
    n_before: IntArray = np.cumsum(selected) - selected
    starts = is_first.nonzero()[0]
    n_before_family: IntArray = np.repeat(n_before[starts], np.diff(starts, append=len(siblings)).astype(np.intp))
    is_related[siblings] = n_before > n_before_family
    return is_related
