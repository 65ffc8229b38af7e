"""What the scripts and the microdata of a page hold: JSON-LD, which describes it, and the state of its program."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator
from itertools import islice
from typing import Any, Final

from lxml import etree

from scrapy_web2text.common.budget import check_time, watched
from scrapy_web2text.exceptions import PageTimeout
from scrapy_web2text.metadata.title import replace_references

JSON_LD: Final = "application/ld+json"
STATE: Final = "application/json"

_MOST_VALUES: Final = 200_000

_find_anywhere: Final = etree.XPath("//script[@type=$kind]")
_find_below: Final = etree.XPath("descendant-or-self::script[@type=$kind]")
_script_text: Final = etree.XPath("string()", smart_strings=False)


def read_json_scripts(
    root: etree._Element,
    kind: str = JSON_LD,
    *,
    whole_document: bool = True,
    longest: int | None = None,
    repair: Callable[[etree._Element], Any] | None = None,
) -> Iterator[Any]:
    """Yield the value of each script of the *kind*, in document order.

    :param whole_document: whether to read scripts outside *root* too: libxml2 puts those after ``</html>`` there.
    :param longest: length of the longest script that is read, in characters; None sets no limit.
    :param repair: function that returns the value of a script that is not valid JSON; None skips such scripts.
    """
    for script in (_find_anywhere if whole_document else _find_below)(root, kind=kind):
        check_time()
        text = _script_text(script)
        if longest is not None and len(text) > longest:
            continue
        try:
            value = json.loads(text, strict=False)
        except (ValueError, RecursionError):
            if repair is None:
                continue
            value = repair(script)
        yield value


def walk_json(value: Any, *, into: Collection[str] | None = None) -> Iterator[tuple[str, Any]]:
    """Yield pairs of key and value for *value* and all values inside it, in document order.

    The key of *value* is empty; the parts of a list have the key of the list. At most 200,000 values are visited.

    :param into: the keys of a dict to descend into, in this order; None descends into all.
    """
    waiting = [("", value)]  # not recursive: hostile pages nest deeply
    for _ in watched(range(_MOST_VALUES)):
        if not waiting:
            return
        key, value = waiting.pop()
        yield key, value
        if isinstance(value, dict):
            waiting += reversed(
                value.items() if into is None else [(name, value[name]) for name in into if name in value]
            )
        elif isinstance(value, list):
            waiting += [(key, part) for part in reversed(value)]


Item = dict[str, Any]

_ARTICLES: Final = re.compile(r"Article$|Posting$|^Report$|Review$|^HowTo$|^Recipe$|^QAPage$|^TechArticle$")
_THINGS: Final = re.compile(r"Page$|^Product$|^Event$|^Book$|^Course$|^Movie$|^SoftwareApplication$|^VideoObject$")
_NESTED_ITEMS: Final = ("@graph", "mainEntity", "itemReviewed", "breadcrumb")
_MOST_ITEMS: Final = 500
_MOST_SCOPES: Final = 100

_scopes = etree.XPath("//*[@itemscope]")
_deep_scopes = etree.XPath("//*[@itemscope][count(ancestor::*[@itemscope]) > 6]")


def described_items(root: etree._Element, url: str | None, *, with_microdata: bool) -> list[Item]:
    """Return the items in the JSON-LD of a page, nested ones included; if none of them is a main item, microdata too.

    :param with_microdata: whether microdata may be read.
    """
    from extruct.jsonld import JsonLdExtractor
    from extruct.w3cmicrodata import MicrodataExtractor

    # extruct repairs JSON with comments.
    repair = JsonLdExtractor().extract_items
    found = safely(lambda: [*read_json_scripts(root, whole_document=False, repair=repair)])
    items = _list_items(found or [])
    if main_item(items) or not with_microdata:
        return items
    if not 0 < len(_scopes(root)) <= _MOST_SCOPES or _deep_scopes(root):
        return items  # extruct searches the page again below each item
    microdata = safely(lambda: MicrodataExtractor().extract_items(root, base_url=url))
    plain = ({"@type": item.get("type"), **(item.get("properties") or {})} for item in microdata or ())
    return [*items, *_list_items([*plain])]


def _list_items(values: list[Any]) -> list[Item]:
    """Return the items in *values* and those nested in them."""
    items = (value for _, value in walk_json(values, into=_NESTED_ITEMS) if isinstance(value, dict))
    return [*islice(items, _MOST_ITEMS)]


def item_types(item: Item) -> list[str]:
    """Return the names of an item's types, without the URL of their vocabulary."""
    return [text.rpartition("/")[2] for text in plain_texts(item.get("@type"))]


def main_item(items: list[Item]) -> Item:
    """Return the first item that describes the page's subject, preferably an article; empty if there is none."""
    for wanted in (_ARTICLES, _THINGS):
        for item in items:
            if any(wanted.search(name) for name in item_types(item)):
                return item
    return {}


def plain_texts(value: Any) -> list[str]:
    """Return the texts in *value*, a text or a list of texts."""
    values = value if isinstance(value, list) else [value]
    return [" ".join(replace_references(text).split()) for text in values if isinstance(text, str) and text.strip()]


def item_names(value: Any, items: list[Item]) -> list[str]:
    """Return the names in *value*: its texts, the names of its items, and the names of *items* that it refers to."""
    names: list[str] = []
    for one in value if isinstance(value, list) else [value]:
        thing: Any = one
        if isinstance(thing, dict) and "@id" in thing and "name" not in thing:
            thing = next((item for item in items if item.get("@id") == thing["@id"] and "name" in item), thing)
        names += plain_texts(item_properties(thing).get("name") if isinstance(thing, dict) else thing)
    return names


def item_properties(thing: Any) -> Item:
    """Return the properties of a *thing*: of one from microdata, in a dict of their own; empty if it is not a dict."""
    if not isinstance(thing, dict):
        return {}
    properties = thing.get("properties")
    return properties if isinstance(properties, dict) else thing


def safely(find: Callable[[], Any]) -> Any:
    """Return the result of *find*; None if it raises, as third-party libraries do on unusual pages.

    :raises PageTimeout: if the time is used up.
    """
    check_time()
    try:
        return find()
    except PageTimeout:
        raise
    except Exception:  # noqa: BLE001
        return None
