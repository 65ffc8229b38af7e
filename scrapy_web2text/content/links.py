"""What the main content refers to: the URLs of links, links that share the page, and images."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

import numpy as np
from lxml import etree

from scrapy_web2text.common.arrays import BoolArray, IntArray
from scrapy_web2text.common.budget import watched
from scrapy_web2text.content.structure import Structure
from scrapy_web2text.page.arrays import Page, tag_ids
from scrapy_web2text.page.blocks import BlockSequence, labels_to_mask
from scrapy_web2text.page.urls import is_share_url, join_url

ALLOWED_SCHEMES: Final = frozenset({"http", "https", "mailto", "tel"})
# The path of a home page; the page's own name is relative to a folder.
_HOME: Final = re.compile(r"/?|/(?:index|default|home)\.\w{2,5}")
_LONGEST_HOME: Final = 300  # characters of a URL


def has_allowed_scheme(url: str) -> bool:
    """Return whether nh3 would keep the ``href`` of a link to *url*; otherwise the link is written as plain text."""
    scheme, colon, _ = url.partition(":")
    return not colon or scheme.lower() in ALLOWED_SCHEMES or not scheme.isalnum()


def link_url(link: etree._Element, base: str | None) -> str | None:
    """Return the URL of a link, joined to *base*; None if it leads nowhere or within the page: its text is kept."""
    href = (link.get("href") or "").strip()
    url = join_url(base, href) if href and not href.startswith("#") else None
    return url if url is not None and has_allowed_scheme(url) else None


def is_share_link(link: etree._Element) -> bool:
    """Return whether a link shares its page on another site or by mail."""
    return is_share_url(link.get("href") or "")


def leads_home(link: etree._Element, base: str | None) -> bool:
    """Return whether a link leads to the home page of the site whose URL is *base*."""
    href = (link.get("href") or "").strip()
    if not href or len(href) > _LONGEST_HOME:
        return False
    try:
        target, own = urlsplit(href), urlsplit(base or "")
    except ValueError:
        return False
    is_own = not target.netloc or target.netloc.removeprefix("www.") == own.netloc.removeprefix("www.")
    return (
        is_own and not target.query and _HOME.fullmatch(target.path) is not None and bool(target.netloc or target.path)
    )


_LINK, _FIGURE = tag_ids(("a", "figure")).tolist()
_LISTS: Final = frozenset(tag_ids(("ul", "ol", "menu", "dir")).tolist())
_MASTHEADS: Final = frozenset(tag_ids(("header", "nav")).tolist())
_BODIES: Final = frozenset(tag_ids(("article", "main")).tolist())
_LOGO: Final = re.compile(r"(?:^|[\s_-])(?:logo|masthead|brand)(?:$|[\s_-])", re.IGNORECASE)
# Lazy loaders put the real URL into one of the first three.
_SOURCES: Final = ("data-src", "data-lazy-src", "data-original", "src")
_TINY: Final = re.compile(r"\s*[012](?:px)?\s*")


def find_images(
    structure: Structure, blocks: BlockSequence, labels: IntArray, slots: IntArray, base: str | None
) -> IntArray:
    """Return the images of the content: those between content, and those in a figure next to content.

    The images of lists without text are left out, and those that link to another place: logos and share icons.

    :param labels: label of each block, some of them CONTENT. *Shape:* ``(n,)``
    :param slots: the slots of the texts that are written. *Shape:* ``(k,)``
    :param base: URL of the page.
    :returns: indices of elements, in document order. *Shape:* ``(number of images,)``
    """
    page = structure.page
    images = np.flatnonzero(page.tags_in({"img"}))
    if not len(images):
        return images
    leaf_slots = page.leaf_slots[blocks.leaves]
    is_content = labels_to_mask(labels)[blocks.leaf_blocks]
    content_slots = leaf_slots[is_content]
    root = _common_element(structure, int(content_slots[0]), int(content_slots[-1]))
    start, end = page.open_slots[root], page.close_slots[root]
    inside = (leaf_slots >= start) & (leaf_slots < end)
    leaf_slots, is_content = leaf_slots[inside], is_content[inside]
    figure_of, furniture = structure.nearest({_FIGURE}), _Furniture(structure, slots, base)
    chosen = []
    image_slots = page.open_slots[images].tolist()
    for image, slot in watched(zip(images.tolist(), image_slots, strict=True), len(image_slots)):
        if not start <= slot < end or not image_source(page.elements[image]):
            continue
        next_leaf = int(np.searchsorted(leaf_slots, slot))
        # An image before the first or after the last leaf has a single neighbor.
        neighbors = [bool(is_content[i]) for i in (next_leaf - 1, next_leaf) if 0 <= i < len(leaf_slots)]
        is_near = all(neighbors) or (any(neighbors) and figure_of(image) >= 0)
        if is_near and not furniture.holds(image):
            chosen.append(image)
    return np.array(chosen, dtype=np.int64)


def list_images(page: Page, slots: BoolArray) -> IntArray:
    """Return the images at some *slots*, as indices of elements. *Shapes:* ``(2n,)`` -> ``(number of images,)``"""
    images = np.flatnonzero(page.tags_in({"img"}))
    images = images[slots[page.open_slots[images]]]
    has_source = [bool(image_source(page.elements[image])) for image in watched(images.tolist())]
    chosen: IntArray = images[np.array(has_source, dtype=bool)]
    return chosen


class _Furniture:
    """Tells the images of a page's content from those of its mastheads, share buttons and lists of icons."""

    def __init__(self, structure: Structure, slots: IntArray, base: str | None) -> None:
        self._page = structure.page
        self._slots = slots
        self._base = base
        self._link_of, self._list_of = structure.nearest({_LINK}), structure.nearest(_LISTS)
        self._masthead_of, self._body_of = structure.nearest(_MASTHEADS), structure.nearest(_BODIES)
        self._has_text: dict[int, bool] = {-1: True}
        self._is_sign: dict[int, bool] = {-1: False}

    def holds(self, image: int) -> bool:
        """Return whether *image* is in a list without text, or is linked as logos and share icons are."""
        items = self._list_of(image)
        if items not in self._has_text:
            bounds = self._page.open_slots[items], self._page.close_slots[items]
            first, stop = np.searchsorted(self._slots, bounds)
            self._has_text[items] = bool(first < stop)
        if not self._has_text[items]:
            return True
        link = self._link_of(image)
        if link not in self._is_sign:  # many images can share a link with long attributes
            self._is_sign[link] = self._holds_signs(link)
        return self._is_sign[link] or (link >= 0 and _is_logo(self._page.elements[image]))

    def _holds_signs(self, link: int) -> bool:
        """Return whether the images in a link are those of mastheads and share buttons."""
        anchor, masthead = self._page.elements[link], self._masthead_of(link)
        in_masthead = masthead >= 0 and self._body_of(masthead) < 0
        return in_masthead or _is_logo(anchor) or is_share_link(anchor) or leads_home(anchor, self._base)


def _is_logo(element: etree._Element) -> bool:
    return any(_LOGO.search(element.get(name) or "") for name in ("class", "id"))


def describe_image(image: etree._Element) -> str:
    """Return the description of an image, without line breaks."""
    return " ".join((image.get("alt") or "").split())


def image_source(image: etree._Element) -> str:
    """Return the URL of an image; empty for invisible images and for data URLs."""
    if any(_TINY.fullmatch(image.get(name) or "") for name in ("width", "height")):
        return ""
    urls = ((image.get(name) or "").strip() for name in _SOURCES)
    return next((url for url in urls if url and not url.lower().startswith("data:")), "")


def _common_element(structure: Structure, first: int, last: int) -> int:
    """Return the innermost element around both slots."""
    page = structure.page
    element = structure.owners[first]
    while element > 0 and not page.open_slots[element] <= last < page.close_slots[element]:
        element = structure.parents[element]
    return max(element, 0)
