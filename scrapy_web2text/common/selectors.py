"""CSS selectors and XPath expressions that choose elements of a page, checked and compiled once.

A selector that begins with ``/``, ``./`` or ``(`` is XPath; all other selectors are CSS. XPath may use the regular
expressions of EXSLT, as in Scrapy: ``//p[re:test(@class, "^story")]``.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from cssselect import HTMLTranslator, SelectorError, parse
from cssselect.parser import CombinedSelector, Tree
from cssselect.xpath import XPathExpr
from lxml import etree

_MOST_SELECTORS: Final = 4096
_XPATH_STARTS: Final = ("/", "./", "(")
# The prefixes that parsel defines.
_NAMESPACES: Final = {
    "re": "http://exslt.org/regular-expressions",
    "set": "http://exslt.org/sets",
}
# The end of an XPath that selects attributes, texts or comments, possibly with an index.
_VALUE: Final = re.compile(r"(?:@[\w.:*-]+|\b(?:text|comment)\(\))(?:\s*\[\d+\]|\s*\))*\s*$")
_EMPTY_PAGE: Final = b"<html><head><title>x</title></head><body></body></html>"


class Step(NamedTuple):
    """One step of a selector. It selects elements that have a relation to an element of the step before.

    :param relation: a combinator of CSS: ``" "`` (inside of), ``">"`` (child of), ``"+"`` (next after) or ``"~"``
        (after); empty for the first step.
    :param find: returns the candidates anywhere in the document; an XPath may also return values.
    """

    relation: str
    find: etree.XPath


@lru_cache(_MOST_SELECTORS)
def compile_selector(text: str) -> tuple[tuple[Step, ...], ...]:
    """Return the steps of each alternative of the selector *text*. Each step of CSS is found in linear time.

    :raises ValueError: if *text* is not a selector; the message says where the error is.
    """
    try:
        if text.lstrip().startswith(_XPATH_STARTS):
            return ((Step("", _compile(text.strip())),),)
        selectors = parse(text)
        if any(selector.pseudo_element is not None for selector in selectors):
            raise SelectorError("a pseudo-element, such as ::text, is not an element")
        return tuple(_steps(selector.parsed_tree) for selector in selectors)
    except (SelectorError, etree.XPathError) as error:
        raise ValueError(f"expected a CSS selector or an XPath, got {text!r}: {error}") from error
    except RecursionError as error:  # cssselect reads nested parts by recursion
        raise ValueError(f"expected a shorter CSS selector or XPath, got {text[:100]!r} and more") from error


def check_selector(text: str, *, with_values: bool = False) -> None:
    """Raise a ValueError if *text* does not select elements.

    :param with_values: whether an XPath may also select attributes and texts, or return a string.
    """
    (first, *_), *_ = compile_selector(text)
    try:
        found = first.find(etree.fromstring(_EMPTY_PAGE, etree.HTMLParser()))
    except etree.XPathError as error:
        raise ValueError(f"expected a CSS selector or an XPath, got {text!r}: {error}") from error
    is_xpath = text.lstrip().startswith(_XPATH_STARTS)
    selects_values = not isinstance(found, list) or (is_xpath and _VALUE.search(text) is not None)
    if selects_values and not (with_values and isinstance(found, list | str)):
        raise ValueError(f"expected a selector of elements, got {text!r}")


class _Translator(HTMLTranslator):
    """Translates ``:first-child`` and ``:last-child`` without counting siblings, which would take quadratic time."""

    def xpath_first_child_pseudo(self, xpath: XPathExpr) -> XPathExpr:
        return xpath.add_condition("not(preceding-sibling::*[1])")

    def xpath_last_child_pseudo(self, xpath: XPathExpr) -> XPathExpr:
        return xpath.add_condition("not(following-sibling::*[1])")


_translator: Final = _Translator()


def _steps(tree: Tree) -> tuple[Step, ...]:
    """Return the steps of one selector.

    A single XPath for ``main .story`` would search nested ``main`` elements again and again.
    """
    if isinstance(tree, CombinedSelector):
        before, relation, tree = _steps(tree.selector), tree.combinator, tree.subselector
    else:
        before, relation = (), ""
    return (*before, Step(relation, _compile(f"/descendant::{_translator.xpath(tree)}")))


def _compile(xpath: str) -> etree.XPath:
    return etree.XPath(xpath, namespaces=_NAMESPACES, smart_strings=False)
