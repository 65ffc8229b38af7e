"""What a page's JSON-LD and microdata describe, as extruct reads them (extra ``metadata``)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import unescape
from itertools import islice
from typing import Any, Final

from lxml import etree

__all__ = ["Item", "described_items", "item_names", "item_types", "main_item", "plain_texts", "safely"]

Item = dict[str, Any]

_ARTICLES: Final = re.compile(r"Article$|Posting$|^Report$|Review$|^HowTo$|^Recipe$|^QAPage$|^TechArticle$")
_THINGS: Final = re.compile(r"Page$|^Product$|^Event$|^Book$|^Course$|^Movie$|^SoftwareApplication$|^VideoObject$")
_MOST_ITEMS: Final = 500
_MOST_SCOPES: Final = 100

_scopes = etree.XPath("//*[@itemscope]")
_deep_scopes = etree.XPath("//*[@itemscope][count(ancestor::*[@itemscope]) > 6]")


def described_items(root: etree._Element, url: str | None, *, with_microdata: bool) -> list[Item]:
    """Return the items of the page's JSON-LD, those in graphs too; of its microdata where that describes nothing."""
    from extruct.jsonld import JsonLdExtractor  # noqa: PLC0415
    from extruct.w3cmicrodata import MicrodataExtractor  # noqa: PLC0415

    found = safely(lambda: JsonLdExtractor().extract_items(root, base_url=url))
    items = [*islice(_flatten(found or []), _MOST_ITEMS)]
    if main_item(items) or not with_microdata:
        return items
    if not 0 < len(_scopes(root)) <= _MOST_SCOPES or _deep_scopes(root):
        return items  # extruct searches the page below each item anew
    microdata = safely(lambda: MicrodataExtractor().extract_items(root, base_url=url))
    plain = ({"@type": item.get("type"), **(item.get("properties") or {})} for item in microdata or ())
    return [*items, *islice(_flatten([*plain]), _MOST_ITEMS)]


def _flatten(value: Any) -> Iterator[Item]:
    waiting = [value]
    while waiting:
        value = waiting.pop(0)
        if isinstance(value, list):
            waiting = value + waiting
        elif isinstance(value, dict):
            yield value
            waiting = [value[key] for key in ("@graph", "mainEntity", "itemReviewed") if key in value] + waiting


def item_types(item: Item) -> list[str]:
    """Return the names of an item's types, without the address of their vocabulary."""
    return [text.rpartition("/")[2] for text in plain_texts(item.get("@type"))]


def main_item(items: list[Item]) -> Item:
    """Return the item that the page is about: an article before all else."""
    for wanted in (_ARTICLES, _THINGS):
        for item in items:
            if any(wanted.search(name) for name in item_types(item)):
                return item
    return {}


def plain_texts(value: Any) -> list[str]:
    """Return the texts in *value*, a text or a list of texts."""
    values = value if isinstance(value, list) else [value]
    return [" ".join(unescape(text).split()) for text in values if isinstance(text, str) and text.strip()]


def item_names(value: Any, items: list[Item]) -> list[str]:
    """Return the names in *value*: texts, things with a name, and references to such things."""
    names: list[str] = []
    for one in value if isinstance(value, list) else [value]:
        thing: Any = one
        if isinstance(thing, dict) and "@id" in thing and "name" not in thing:
            thing = next((item for item in items if item.get("@id") == thing["@id"] and "name" in item), thing)
        if isinstance(thing, dict):
            properties = thing.get("properties")
            thing = properties.get("name") if isinstance(properties, dict) else thing.get("name")
        names += plain_texts(thing)
    return names


def safely(find: Callable[[], Any]) -> Any:
    """Return what *find* returns, None where it fails: other people's libraries, on other people's pages."""
    try:
        return find()
    except Exception:  # noqa: BLE001
        return None
