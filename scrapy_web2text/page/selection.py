"""The elements of a page that selectors match."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import Any, Final

import numpy as np
from cssselect import parser
from lxml import etree

from scrapy_web2text.common.arrays import BoolArray, IntArray
from scrapy_web2text.common.budget import check_time
from scrapy_web2text.common.selectors import Step, compile_selector
from scrapy_web2text.page import reader
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.tags import COMMENT

# Hostile pages nest elements by the thousand.
_MOST_AROUND: Final = 100
_MOST_BEFORE: Final = 50


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
    """Return which elements have the *relation* to one of those that are selected. *Shapes:* ``(n,)`` twice"""
    if relation == " ":
        is_related = page.count_enclosing(is_selected)[page.open_slots] > is_selected
    elif relation == ">":
        is_related = is_selected[page.parents]
    else:
        return _follows(page, is_selected, at_once=relation == "+")
    is_related[0] = is_selected[0]  # by an element around the page
    return is_related


def _follows(page: Page, is_selected: BoolArray, *, at_once: bool) -> BoolArray:
    """Return which elements come after a selected one with the same parent. *Shapes:* ``(n,)`` twice"""
    parents = page.parents
    siblings = (page.tags != COMMENT).nonzero()[0]
    siblings = siblings[np.argsort(parents[siblings], kind="stable")]  # families, in document order
    selected = is_selected[siblings]
    is_first = np.diff(parents[siblings], prepend=-2) != 0
    is_related = np.zeros(page.n_elements, dtype=bool)
    if at_once:
        is_related[siblings[1:]] = selected[:-1] & ~is_first[1:]
        return is_related
    n_before: IntArray = np.cumsum(selected) - selected
    starts = is_first.nonzero()[0]
    n_before_family: IntArray = np.repeat(n_before[starts], np.diff(starts, append=len(siblings)).astype(np.intp))
    is_related[siblings] = n_before > n_before_family
    return is_related


def matches(selector: Any, element: etree._Element) -> bool:
    """Return whether the parsed tree of a *selector* matches *element*; False for parts that are not known here."""
    match selector:
        case parser.Element():
            return selector.element in (None, "*", element.tag)
        case parser.Class():
            is_own = selector.class_name in (element.get("class") or "").split()
        case parser.Hash():
            is_own = selector.id == element.get("id")
        case parser.Attrib():
            is_own = _has_attribute(selector, element)
        case parser.Pseudo():
            is_own = selector.ident == "root" and element.getparent() is None
        case parser.Negation():
            is_own = not matches(selector.subselector, element)
        case parser.Matching() | parser.SpecificityAdjustment():
            is_own = any(matches(each, element) for each in selector.selector_list)
        case parser.CombinedSelector():
            is_own = matches(selector.subselector, element)
            return is_own and any(matches(selector.selector, other) for other in _others(selector.combinator, element))
        case _:
            return False
    return is_own and matches(selector.selector, element)


def _has_attribute(selector: Any, element: etree._Element) -> bool:
    value = element.get(selector.attrib)
    if value is None or selector.operator == "exists":
        return value is not None
    wanted: str = selector.value.value or ""
    answers = {
        "=": value == wanted,
        "~=": wanted in value.split(),
        "^=": value.startswith(wanted),
        "$=": value.endswith(wanted),
        "*=": wanted in value,
        "|=": value == wanted or value.startswith(f"{wanted}-"),
    }
    return bool(answers.get(selector.operator))


def _others(combinator: str, element: etree._Element) -> Iterator[etree._Element]:
    """Return the elements that a combinator leads to from *element*."""
    if combinator == " ":
        return islice(element.iterancestors(), _MOST_AROUND)
    if combinator == ">":
        return islice(element.iterancestors(), 1)
    return islice(element.itersiblings(etree.Element, preceding=True), 1 if combinator == "+" else _MOST_BEFORE)
