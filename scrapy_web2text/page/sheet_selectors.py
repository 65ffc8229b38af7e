"""The selectors of style sheets: which elements they match, and which they can match by a quick look."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from itertools import islice
from typing import Any, Final, TypeAlias

from cssselect import parser
from lxml import etree

from scrapy_web2text.common.budget import check_time
from scrapy_web2text.page.reader import SELECTOR_NAMES
from scrapy_web2text.page.tags import TAG_NAMES

_SPECIAL: Final = frozenset({"[hidden]", ":root", ""})
_KNOWN_TAGS: Final = frozenset((*TAG_NAMES[3:], "from", "to"))
_COMBINATORS: Final = re.compile(r"[\s>+~]+")
_PUNCTUATION: Final = frozenset("\\[(>+~\t\n\r\f")
_NEVER: Final = re.compile(r"::|:(?:hover|focus|active|before|after|target|visited|checked)")
_FUNCTION: Final = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
# Browsers ignore a rule if they do not know one of its selectors.
_KNOWN_PSEUDOS: Final = """
    active after any-link autofill backdrop before blank buffering checked closed cue current default defined
    details-content dir disabled empty enabled file-selector-button first first-child first-letter first-line
    first-of-type focus focus-visible focus-within fullscreen future grammar-error has highlight host host-context
    hover in-range indeterminate invalid is lang last-child last-of-type left link local-link marker modal muted not
    nth-child nth-last-child nth-last-of-type nth-of-type only-child only-of-type open optional out-of-range part past
    paused picture-in-picture placeholder placeholder-shown playing popover-open read-only read-write required right
    root scope selection slotted spelling-error state target target-current target-text target-within user-invalid
    user-valid valid view-transition view-transition-group view-transition-image-pair view-transition-new
    view-transition-old visited where
"""
_UNKNOWN_PSEUDO: Final = re.compile(rf"(?<!\\):(?!:|-webkit-|(?:{'|'.join(_KNOWN_PSEUDOS.split())})(?![\w-]))")
_NOT_ANY: Final = re.compile(r":not\(([^()]*,[^()]*)\)")
# Hostile pages nest elements by the thousand.
_MOST_AROUND: Final = 100
_MOST_BEFORE: Final = 50

_DECIDED: Final[dict[str, Callable[[etree._Element], bool]]] = {
    **dict.fromkeys("active focus focus-visible focus-within hover target".split(), lambda _: False),
    "root": lambda element: element.getparent() is None,
    "first-child": lambda element: next(element.itersiblings(etree.Element, preceding=True), None) is None,
    "last-child": lambda element: next(element.itersiblings(etree.Element), None) is None,
}

# Whether combined selectors match elements. Without it, to try all ways to match takes exponential time.
Known: TypeAlias = dict[tuple[parser.CombinedSelector, etree._Element], bool]


def split_selectors(text: str) -> list[str]:
    """Return the selectors of a list, which commas divide outside of parentheses."""
    if "(" not in text:
        return text.split(",")
    parts = [""]
    for part in text.split(","):
        if parts[-1].count("(") == parts[-1].count(")"):
            parts.append(part)
        else:
            parts[-1] += f",{part}"
    return parts[1:]


def is_known(selectors: str) -> bool:
    """Return whether browsers know a list of selectors, by the names of its pseudo-classes and pseudo-elements."""
    if ":" in selectors:
        return _UNKNOWN_PSEUDO.search(_drop_functions(selectors).lower()) is None
    return selectors[:1] != "," and selectors[-1:] not in ("", ",")


def to_known_syntax(selector: str) -> str:
    """Return *selector* as cssselect reads it: it loses what follows a comma without a space, and the list of a not."""
    return _NOT_ANY.sub(r":not(:is(\1))", selector if "[" in selector else selector.replace(",", ", "))


def _drop_functions(selector: str) -> str:
    """Return *selector* without parentheses and brackets and what is in them, which may have parentheses, too."""
    before = ""
    while selector != before:
        before, selector = selector, _FUNCTION.sub("", selector)
    return selector


def last_tag(selector: str) -> str:
    """Return the tag at the end of *selector*; if there is none, something that is not a known tag."""
    return _COMBINATORS.split(selector)[-1].partition(":")[0].lower()


def can_match(selector: str, names: AbstractSet[str], tags: AbstractSet[str]) -> bool:
    """Return whether a page can have an element that *selector* matches.

    :param names: all classes and ids of the page, as ``.class`` and ``#id``, and ``[hidden]`` if there is one.
    :param tags: the tags of the page that are known by name.
    """
    if "\\" in selector:
        return True
    if selector in _SPECIAL:
        return selector in names
    plain = _drop_functions(selector) if "(" in selector or "[" in selector else selector
    if not names >= {*SELECTOR_NAMES.findall(plain)} or _NEVER.search(plain):  # most fail by their names
        return False
    tag = last_tag(plain)
    return tag in tags or (tag not in _KNOWN_TAGS and not tag[:1].isdigit())


def list_last_names(selector: str) -> list[str]:
    """Return the classes and ids at the end of *selector*, which the elements that it matches have; none if unsure."""
    if not _PUNCTUATION.isdisjoint(selector):
        if "\\" in selector or "[" in selector:
            return []
        selector = _COMBINATORS.split(_drop_functions(selector))[-1]
    else:
        selector = selector.rpartition(" ")[2]
    return SELECTOR_NAMES.findall(selector)


def matches(selector: Any, element: etree._Element, known: Known) -> bool:
    """Return whether the parsed tree of a *selector* matches *element*; False for parts that are not known here.

    :param known: what is known of the parts of the selector; answers are added.
    """
    match selector:
        case parser.Element():
            return (selector.element or "*").lower() in ("*", element.tag)
        case parser.Class():
            is_own = selector.class_name in (element.get("class") or "").split()
        case parser.Hash():
            is_own = selector.id == element.get("id")
        case parser.Attrib():
            is_own = _has_attribute(selector, element)
        case parser.Pseudo():
            is_own = selector.ident in _DECIDED and _DECIDED[selector.ident](element)
        case parser.Negation():
            is_own = is_decided(selector.subselector) and not matches(selector.subselector, element, known)
        case parser.Matching() | parser.SpecificityAdjustment():
            is_own = any(matches(each, element, known) for each in selector.selector_list)
        case parser.CombinedSelector():
            if (selector, element) not in known:
                check_time()
                known[selector, element] = matches(selector.subselector, element, known) and any(
                    matches(selector.selector, other, known) for other in _others(selector.combinator, element)
                )
            return known[selector, element]
        case _:
            return False
    return is_own and matches(selector.selector, element, known)


def is_decided(selector: Any) -> bool:
    """Return whether a static page decides what a parsed tree matches, as far as it is known here."""
    if isinstance(selector, parser.Function | parser.Relation):
        return False
    if isinstance(selector, parser.Pseudo) and selector.ident not in _DECIDED:
        return False
    parts = [getattr(selector, name, None) for name in ("selector", "subselector")]
    return all(is_decided(each) for each in [*filter(None, parts), *getattr(selector, "selector_list", ())])


def _has_attribute(selector: Any, element: etree._Element) -> bool:
    value = element.get(selector.attrib.lower())
    if value is None or selector.operator == "exists":
        return value is not None
    wanted: str = selector.value.value or ""
    answers = {
        "=": value == wanted,
        "~=": wanted in value.split(),
        "^=": wanted and value.startswith(wanted),
        "$=": wanted and value.endswith(wanted),
        "*=": wanted and wanted in value,
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
