"""The data in the markup of a page: JSON-LD and microdata, which describe it, and the state of its program."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from decimal import Decimal
from itertools import islice, repeat
from typing import Any, Final

from lxml import etree

from scrapy_web2text.common.budget import check_time, watched
from scrapy_web2text.exceptions import PageTimeout
from scrapy_web2text.metadata.title import LONGEST_TEXT
from scrapy_web2text.page.invisible import replace_references
from scrapy_web2text.page.tree import walk_nodes
from scrapy_web2text.page.urls import web_url

JSON_LD: Final = "application/ld+json"
STATE: Final = "application/json"

_LONGEST_SCRIPT: Final = 5_000_000  # characters
_LONGEST_BROKEN: Final = 500_000  # characters; mending takes 36 times the script's memory, and cannot be interrupted
_MOST_VALUES: Final = 200_000
MOST_PARTS: Final = 1000  # parts of a value that are read

_find_scripts: Final = etree.XPath("//script[starts-with(translate(@type, 'ADILJNOPST', 'adiljnopst'), $kind)]")
_script_text: Final = etree.XPath("string()", smart_strings=False)
# A string, which is kept, or syntax that only JavaScript allows: a comment, a comma after the last value, or the end of
# the statement.
_EXTRAS: Final = re.compile(
    r'("(?:[^"\\]|\\.)*+"?)|//[^\n]*|/\*.*?(?:\*/|\Z)|<!--|-->|,(?=\s*+[\]}])|;(?=\s*+\Z)', re.DOTALL
)


def is_json_ld(script: etree._Element) -> bool:
    """Return whether a script is JSON-LD, as `read_json_scripts` decides it."""
    kind: str = script.get("type", "")
    return kind.lower().startswith(JSON_LD)


def read_json_scripts(root: etree._Element, kind: str = JSON_LD) -> Iterator[Any]:
    """Yield the value of each script of the *kind* in the document of *root*; long and broken scripts are skipped."""
    for script in _find_scripts(root, kind=kind):
        text = _script_text(script)
        for is_broken, longest in ((False, _LONGEST_SCRIPT), (True, _LONGEST_BROKEN)):
            check_time()
            if len(text) > longest:
                break
            with suppress(ValueError, RecursionError):
                yield json.loads(_EXTRAS.sub(r"\1 ", text) if is_broken else text, strict=False)
                break


def walk_json(value: Any, *, into: Collection[str] | None = None) -> Iterator[tuple[str, Any]]:
    """Yield pairs of key and value for *value* and all values inside it, in document order.

    The key of *value* is empty; the parts of a list have the key of the list. The walk ends after 200,000 steps.

    :param into: the keys of a dict to descend into, in this order; None descends into all.
    """
    waiting: list[Iterator[tuple[str, Any]]] = [iter([("", value)])]  # not recursive: hostile pages nest deeply
    for _ in watched(range(_MOST_VALUES)):
        if not waiting:
            return
        pair = next(waiting[-1], None)
        if pair is None:
            waiting.pop()
            continue
        yield pair
        key, value = pair
        if isinstance(value, dict):
            items = [*value.items()] if into is None else [(name, value[name]) for name in into if name in value]
            waiting.append(iter(items))
        elif isinstance(value, list):
            waiting.append(zip(repeat(key), value, strict=False))


_LINE_TAG: Final = re.compile(r"</?(?:p|br|div|li|ul|ol|h[1-6])\b[^<>]*>", re.IGNORECASE)
_INLINE_TAG: Final = re.compile(r"</?(?:a|b|code|em|font|i|img|small|span|strong|su[bp]|u)\b[^<>]*>", re.IGNORECASE)

DataItem = dict[str, Any]

_ARTICLES: Final = re.compile(r"Article$|Posting$|^Report$|Review$|^HowTo$|^Recipe$|^QAPage$|^TechArticle$")
_THINGS: Final = re.compile(r"Page$|^Product$|^Event$|^Book$|^Course$|^Movie$|^SoftwareApplication$|^VideoObject$")
_NESTED_ITEMS: Final = ("@graph", "mainEntity", "itemReviewed", "breadcrumb")
_MOST_ITEMS: Final = 500
_MOST_OPEN: Final = 4  # properties around a text that the text is part of

_find_scope: Final = etree.XPath("boolean(//*[@itemscope])")
# The attribute with the value of a property, by element. Other elements have the value in ``content`` or as text.
_ATTRIBUTES: Final = {
    **dict.fromkeys(("a", "area", "link"), "href"),
    **dict.fromkeys(("audio", "embed", "iframe", "img", "source", "track", "video"), "src"),
    **dict(zip(("object", "data", "meter", "time"), ("data", "value", "value", "datetime"), strict=True)),
}
_LINKS: Final = ("url", "item", "image")  # a link with another property has its value as text


def described_items(root: etree._Element, base: str | None) -> list[DataItem]:
    """Return the items in the JSON-LD of a page, with nested items. If none is a main item, microdata are added."""
    scripts = read_json_scripts(root)
    items = [*islice((item for value in scripts for item in find_items(value, into=_NESTED_ITEMS)), _MOST_ITEMS)]
    if main_item(items) or not _find_scope(root):
        return items
    return [*items, *islice(find_items(read_microdata(root, base), into=_NESTED_ITEMS), _MOST_ITEMS)]


def find_items(value: Any, into: Collection[str] = ()) -> Iterator[DataItem]:
    """Return the dicts in *value*, a dict or lists of dicts, and the dicts inside them under the keys *into*."""
    return (part for _, part in walk_json(value, into=into) if isinstance(part, dict))


def read_microdata(root: etree._Element, base: str | None) -> list[DataItem]:
    """Return the top-level items in the microdata of a page; ``itemref`` is ignored.

    The last one has the items that are properties of no item, such as an author who is beside the article.
    """
    items: list[DataItem] = []
    loose: DataItem = {}
    scopes: list[tuple[etree._Element, DataItem]] = []  # the items around an element
    texts: list[tuple[etree._Element, list[str]]] = []  # the properties around an element, with their texts
    for is_start, node in walk_nodes(root):
        if not is_start:
            if texts and texts[-1][0] is node:
                _add_property(scopes[-1][1], node, _stated_value(texts.pop(), base))
            elif scopes and scopes[-1][0] is node:
                scopes.pop()
        elif node.get("itemscope") is not None:
            item: DataItem = {"@type": (node.get("itemtype") or "").split()}
            outer = scopes[-1][1] if scopes else loose
            _add_property(outer, node, item)
            if outer is loose or not node.get("itemprop"):
                items.append(item)
            scopes.append((node, item))
        elif scopes and node.get("itemprop"):
            texts.append((node, []))
        text = node.text if is_start else node.tail
        is_code = is_start and node.tag in ("script", "style")
        if texts and text and not is_code and not text.isspace():
            for _, parts in texts[-_MOST_OPEN:]:  # a limit, so that the time is linear
                parts.append(text)
    return [*items, loose] if loose else items


def _add_property(item: DataItem, element: etree._Element, value: str | DataItem) -> None:
    for name in dict.fromkeys(element.get("itemprop", "").split()):
        item.setdefault(name, []).append(value)


def _stated_value(found: tuple[etree._Element, list[str]], base: str | None) -> str:
    element, texts = found
    is_text = element.tag == "a" and element.get("itemprop") not in _LINKS
    name = "content" if is_text else _ATTRIBUTES.get(element.tag, "content")
    value = (element.get(name) or "").strip()[:LONGEST_TEXT]
    if value and name in ("href", "src", "data"):
        value = web_url(base, value) or ""
    words = (" ".join(text.split()) for text in texts)
    return value or "".join(text if text[0] in ",:;.!?)" else f" {text}" for text in words)


def item_types(item: DataItem) -> list[str]:
    """Return the types of an item, without the URL or the prefix of their vocabulary."""
    return [text.rpartition("/")[2].rpartition(":")[2] for text in plain_texts(item.get("@type"))]


def main_item(items: list[DataItem]) -> DataItem:
    """Return the first item that describes the page's subject, preferably an article; empty if there is none."""
    for wanted in (_ARTICLES, _THINGS):
        for item in items:
            if any(wanted.search(name) for name in item_types(item)):
                return item
    return {}


def is_article(item: DataItem) -> bool:
    """Return whether an item is an article or the like."""
    return any(map(_ARTICLES.search, item_types(item)))


def plain_texts(value: Any) -> list[str]:
    """Return the texts in *value*, a text or a list of texts; long texts are cut."""
    parts = value[:MOST_PARTS] if isinstance(value, list) else [value]
    texts = (one[:LONGEST_TEXT] for one in parts if isinstance(one, str) and not one.isspace())
    return [" ".join(replace_references(text).split()) for text in texts if text]


def strip_markup(text: str) -> str:
    """Return *text* without its elements and on one line."""
    return " ".join(_INLINE_TAG.sub("", _LINE_TAG.sub(" ", text)).split())


def plain_urls(value: Any) -> list[str]:
    """Return the first URL in *value*, a text, an item with a URL, or a list of these; empty if there is none."""
    one = value[0] if isinstance(value, list) and value else value
    return plain_texts(one.get("url") or one.get("contentUrl") if isinstance(one, dict) else one)


def item_names(value: Any, items: list[DataItem]) -> list[str]:
    """Return the names in *value*: its texts, the names of its items, and the names of *items* that it refers to."""
    names: list[str] = []
    known = {item["@id"]: item for item in reversed(items) if isinstance(item.get("@id"), str) and "name" in item}
    for one in value[:MOST_PARTS] if isinstance(value, list) else [value]:
        thing = {"name": one} if not isinstance(one, dict) else one
        if "name" not in thing and isinstance(thing.get("@id"), str):
            thing = known.pop(thing["@id"], thing)  # only once, even if many values refer to it
        parts = [" ".join(plain_texts(thing.get(part))[:1]) for part in ("givenName", "familyName")]
        names += plain_texts(thing.get("name")) or [*filter(None, [" ".join(filter(None, parts))])]
    return names


def first_text(value: Any) -> str | None:
    """Return the first text, number or name in *value*."""
    one = value[0] if isinstance(value, list) and value else value
    one = one.get("name", one.get("@id")) if isinstance(one, dict) else one
    if isinstance(one, int | float) and not isinstance(one, bool):
        return format(Decimal(repr(one)), "f") if isinstance(one, int) or math.isfinite(one) else None
    return next(iter(plain_texts(one)), None)


def safely(find: Callable[[], Any]) -> Any:
    """Return the result of *find*; None if it raises an exception, as libraries do on unusual pages."""
    check_time()
    try:
        return find()
    except PageTimeout:
        raise
    except Exception:  # noqa: BLE001
        return None
