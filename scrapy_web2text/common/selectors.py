"""CSS selectors and XPath expressions that choose elements of a page, checked and compiled once.

A selector that begins with ``/``, ``./`` or ``(`` is XPath; all other selectors are CSS. XPath may use the regular
expressions of EXSLT, as in Scrapy: ``//p[re:test(@class, "^story")]``.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final, NamedTuple

from cssselect import ExpressionError, HTMLTranslator, SelectorError, parse
from cssselect.parser import CombinedSelector, Function, Tree
from cssselect.xpath import XPathExpr
from lxml import etree

_MOST_SELECTORS: Final = 4096
_XPATH_STARTS: Final = ("/", "./", "(")
# The prefixes that parsel defines, and one more.
_NAMESPACES: Final = {
    "re": "http://exslt.org/regular-expressions",
    "set": "http://exslt.org/sets",
    "web2text": "urn:web2text",  # functions of this module
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

    def xpath_lang_function(self, xpath: XPathExpr, function: Function) -> XPathExpr:
        """Write ``:lang`` without a search of all ancestors of each element."""
        if function.argument_types() not in (["STRING"], ["IDENT"]):
            raise ExpressionError(f"expected a single string or name in :lang(), got {function.arguments!r}")
        prefix = self.xpath_literal(f"{function.arguments[0].value}-".lower())
        return xpath.add_condition(f"starts-with(concat(web2text:language(), '-'), {prefix})")


def _find_language(context: Any) -> str:
    """Return the language that an element or the nearest element around it states. Each element is read once."""
    known: dict[Any, str] = context.eval_context
    node, inside = context.context_node, []
    while node is not None and node not in known:
        inside.append(node)
        node = node.getparent() if node.get("lang") is None else None
    language = (inside[-1].get("lang") or "").lower() if node is None else known[node]
    known.update(dict.fromkeys(inside, language))
    return language


_translator: Final = _Translator()
_EXTENSIONS: Final = {(_NAMESPACES["web2text"], "language"): _find_language}


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
    return etree.XPath(xpath, namespaces=_NAMESPACES, extensions=_EXTENSIONS, smart_strings=False)
