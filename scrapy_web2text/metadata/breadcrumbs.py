"""The breadcrumbs of a page: the links that lead from the start of its site down to the page."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from lxml import etree

from scrapy_web2text.common.budget import check_time, watched
from scrapy_web2text.extraction import Breadcrumb
from scrapy_web2text.metadata.structured_data import DataItem, find_items, first_text, item_types, plain_texts
from scrapy_web2text.metadata.title import LONGEST_TEXT
from scrapy_web2text.page.tree import find_bodies, iter_texts
from scrapy_web2text.page.urls import web_url

_MOST_BREADCRUMBS: Final = 20
_MOST_TRAILS: Final = 4
_LONGEST_NAME: Final = 200  # characters


def find_breadcrumbs(root: etree._Element, items: list[DataItem], base: str | None) -> tuple[Breadcrumb, ...]:
    """Return the breadcrumbs in *items*, else the links in an element with "breadcrumb" in its class, id or label."""
    for item in items:
        if "BreadcrumbList" in item_types(item):
            stated = tuple(islice(_read_list(item.get("itemListElement"), base), _MOST_BREADCRUMBS))
            if stated:
                return stated
    return _find_shown(root, base)


def _read_list(elements: Any, base: str | None) -> Iterator[Breadcrumb]:
    parts = [*find_items(elements)]
    positions = [_position(part) for part in parts]
    if None not in positions:
        parts = [part for _, part in sorted(zip(positions, parts, strict=True), key=lambda pair: pair[0] or 0)]
    for part in parts:
        thing = next(find_items(part.get("item")), {})
        names = [*plain_texts(part.get("name")), *plain_texts(thing.get("name"))]
        targets = (part.get("item"), thing.get("@id"), thing.get("url"), part.get("url"))
        urls = (url for target in targets for url in plain_texts(target))
        if names and len(names[0]) <= _LONGEST_NAME:
            yield Breadcrumb(names[0], next(filter(None, (web_url(base, url) for url in urls)), None))


def _position(part: DataItem) -> int | None:
    text = first_text(part.get("position")) or ""
    return int(text) if text.isdecimal() and len(text) <= 9 else None


def _is_trail(element: etree._Element) -> bool:
    return any("readcrumb" in element.get(name, "").lower() for name in ("class", "id", "aria-label"))


def _find_shown(root: etree._Element, base: str | None) -> tuple[Breadcrumb, ...]:
    elements = (each for body in find_bodies(root) for each in body.iterdescendants("nav", "ol", "ul", "div", "p"))
    for trail in islice(filter(_is_trail, watched(elements)), _MOST_TRAILS):
        check_time()
        links = [*islice((link for link in trail.iterdescendants("a") if "href" in link.attrib), _MOST_BREADCRUMBS + 1)]
        if not 0 < len(links) <= _MOST_BREADCRUMBS:
            continue
        names = [" ".join("".join(iter_texts(link)).split()) for link in links]
        named = [(name, link) for name, link in zip(names, links, strict=True) if 0 < len(name) <= _LONGEST_NAME]
        shown = tuple(Breadcrumb(name, web_url(base, link.get("href").strip()[:LONGEST_TEXT])) for name, link in named)
        if shown:
            return shown
    return ()
