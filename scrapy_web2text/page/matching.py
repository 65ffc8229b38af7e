"""Whether a selector of CSS matches one element: for style sheets, whose many selectors match few elements each."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from cssselect import parser
from lxml import etree

# Hostile pages nest elements by the thousand.
_MOST_AROUND: Final = 100
_MOST_BEFORE: Final = 50


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
