"""The items that the JSON-LD and the microdata of a page describe (extra ``metadata``)."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice
from typing import Any, Final

from lxml import etree

from scrapy_web2text.budget import check_time
from scrapy_web2text.exceptions import PageTimeout
from scrapy_web2text.metadata.json_scripts import read_json_scripts, walk_json
from scrapy_web2text.metadata.references import replace_references

__all__ = [
    "Item",
    "described_items",
    "item_names",
    "item_properties",
    "item_types",
    "main_item",
    "plain_texts",
    "safely",
]

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
    from extruct.jsonld import JsonLdExtractor  # noqa: PLC0415
    from extruct.w3cmicrodata import MicrodataExtractor  # noqa: PLC0415

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
