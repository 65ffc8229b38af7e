"""The links and the images of the main content, and their URLs."""

from __future__ import annotations

import re
from typing import Final

import numpy as np
from lxml import etree

from scrapy_web2text.common.arrays import BoolArray, IntArray
from scrapy_web2text.common.budget import watched
from scrapy_web2text.content.layout import LISTS
from scrapy_web2text.content.structure import count_slots, nearest_elements
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence, labels_to_mask
from scrapy_web2text.page.urls import is_share_url, join_url

ALLOWED_SCHEMES: Final = frozenset({"http", "https", "mailto", "tel"})
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*+):")
_HOSTLESS: Final = re.compile(r"https?:[/\\]*+(?:[?#].*)?", re.IGNORECASE)
_ORDINARY: Final = re.compile(r"https?://[A-Za-z0-9]")
_IGNORED: Final = re.compile(r"[\x00-\x20]+")  # characters that browsers ignore in a scheme
_HOST: Final = re.compile(r"https?://(?:www\.)?([^/?#]{1,253})")
# The URL of a home page, with or without a file name such as index.html.
_HOME: Final = re.compile(
    r"(?!#|\Z)(?:(?:https?:)?//(?:www\.)?([^/?#]{1,253}))?(?:/?|/(?:index|default|home)\.\w{2,5})(?:#.{0,200})?"
)


def link_url(link: etree._Element, base: str | None) -> str | None:
    """Return the URL of a link, joined to *base*; None if only the text of the link is kept.

    Only the text is kept if the link leads nowhere, within the page, or to a scheme that is not allowed.
    """
    href = (link.get("href") or "").strip()
    url = join_url(base, href) if href and not href.startswith(("#", "javascript:")) else None
    return url if url and is_allowed(url) else None


def is_allowed(url: str) -> bool:
    """Return whether *url* is relative, or has an allowed scheme and a host, however browsers read it."""
    if _ORDINARY.match(url):  # as most URLs do
        return True
    url = _IGNORED.sub("", url)
    scheme = _SCHEME.match(url)
    return (scheme is None or scheme[1].lower() in ALLOWED_SCHEMES) and _HOSTLESS.fullmatch(url) is None


def _leads_home(link: etree._Element, base: str | None) -> bool:
    """Return whether a link leads to the home page of the site whose URL is *base*."""
    target, own = _HOME.fullmatch((link.get("href") or "").strip()), _HOST.match(base or "")
    return target is not None and target[1] in (None, own and own[1])


_LOGO: Final = re.compile(r"(?:^|[\s_-])(?:logo|masthead|brand)(?:$|[\s_-])", re.IGNORECASE)
# The attributes in which lazy loaders put the URL of an image, and what they show before it.
_LAZY: Final = re.compile(r"data-(?:[a-z]+-)*(?:actual)?(?:src|original|lazy)")
_PLACEHOLDER: Final = re.compile(
    r"(?i)data:|(?:[^?#]*/)?(?:[\w-]*[_-])?(?:1x1|blank|lazy|loading|pixel|placeholder|spacer|transparent)(?:[_-][\w-]*)?"
    r"\.(?:gif|jpe?g|png|svg|webp)\b"
)
_SOURCE_SETS: Final = ("data-srcset", "data-lazy-srcset", "srcset")
_CANDIDATE: Final = re.compile(r"([^\s,]\S*)(?:\s++([0-9][0-9.]{0,8})[wx](?![^\s,]))?+")
_LONGEST_SOURCE_SET: Final = 10_000  # characters
_TINY: Final = re.compile(r"\s*[012](?:px)?\s*")
_SMALL: Final = re.compile(r"\s*(?:1?[0-9]|20)(?:px)?\s*")
# In the class of a small image that is read as text.
_SIGN: Final = re.compile(r"(?i)emoji|emote|smil|\b(?:la)?tex\b|math|formula")


def find_images(page: Page, blocks: BlockSequence, labels: IntArray, slots: IntArray, base: str | None) -> IntArray:
    """Return the images of the content: images between content, and images of a figure next to content or the title.

    Images in lists without text are left out, and so are linked logos and share icons.

    :param labels: label of each block, some of them CONTENT. *Shape:* ``(n,)``
    :param slots: the slots of the texts that are written. *Shape:* ``(k,)``
    :param base: URL of the page.
    :returns: indices of elements, in document order. *Shape:* ``(number of images,)``
    """
    leaf_slots = page.leaf_slots[blocks.leaves]
    is_content = labels_to_mask(labels)[blocks.leaf_blocks]
    start, end = _bounds(page, leaf_slots[is_content][[0, -1]])
    images = page.tags_in({"img"}).nonzero()[0]
    images = images[(page.open_slots[images] >= start) & (page.open_slots[images] < end)]
    if not len(images):
        return images
    inside = (leaf_slots >= start) & (leaf_slots < end)
    # Whether a caption is content says nothing of its image; but a link in a figure is a teaser.
    figures, links = (nearest_elements(page, leaf_slots, {name}) for name in ("figure", "a"))
    inside &= is_content | (figures < 0) | (links >= 0)
    leaf_slots, is_content = leaf_slots[inside], is_content[inside]
    # An image before the first or after the last leaf has a single neighbor.
    next_leaf = leaf_slots.searchsorted(page.open_slots[images])
    before, after = np.maximum(next_leaf - 1, 0), np.minimum(next_leaf, len(leaf_slots) - 1)
    is_between = is_content[before] & is_content[after]
    is_beside = is_content[before] | is_content[after] | (nearest_elements(page, leaf_slots[before], {"h1"}) >= 0)
    in_figure = page.count_enclosing(page.tags_in({"figure"}))[page.open_slots[images]] > 0
    images = _with_source(page, images[is_between | (is_beside & in_figure)])
    furniture = _find_furniture(page, images, slots, base)
    return images[~furniture]


def list_images(page: Page, slots: BoolArray) -> IntArray:
    """Return the images at some *slots*, as indices of elements. *Shapes:* ``(2n,)`` -> ``(number of images,)``"""
    images = page.tags_in({"img"}).nonzero()[0]
    return _with_source(page, images[slots[page.open_slots[images]]])


def _with_source(page: Page, images: IntArray) -> IntArray:
    """Return the images with a source, except copies in a ``noscript`` beside an image that a script loads."""
    sources = [image_source(page.elements[image]) for image in watched(images.tolist())]
    in_noscript = (page.count_enclosing(page.tags_in({"noscript"}))[page.open_slots[images]] > 0).tolist()
    real = ["", *("" if inside else source for source, inside in zip(sources, in_noscript, strict=True)), ""]
    chosen = [i for i, source in enumerate(sources) if source and not (in_noscript[i] and source in real[i : i + 3])]
    return images[np.array(chosen, dtype=np.int64)]


def _find_furniture(page: Page, images: IntArray, slots: IntArray, base: str | None) -> BoolArray:
    """Return which of *images* are in a list without text, or are linked as logos and share icons are."""
    lists = nearest_elements(page, page.open_slots[images], LISTS)
    links = nearest_elements(page, page.open_slots[images], {"a"})
    mastheads = nearest_elements(page, page.open_slots[links], {"header", "nav"})
    bodies = nearest_elements(page, page.open_slots[mastheads], {"article", "main"})
    in_masthead = (links >= 0) & (mastheads >= 0) & (bodies < 0)
    is_furniture: BoolArray = ((lists >= 0) & (count_slots(page, slots, lists) == 0)) | in_masthead
    linked = (links >= 0).nonzero()[0].tolist()
    # Each link is judged once, since many images can share a link with long attributes.
    is_sign = {}
    for link in watched([*{*links[linked].tolist()}]):
        element = page.elements[link]
        is_sign[link] = _is_logo(element) or is_share_url(element.get("href") or "") or _leads_home(element, base)
    for i in watched(linked):
        is_furniture[i] |= is_sign[links[i]] or _is_logo(page.elements[images[i]])
    return is_furniture


def _is_logo(element: etree._Element) -> bool:
    return any(_LOGO.search(element.get(name) or "") for name in ("class", "id"))


def describe_image(image: etree._Element) -> str:
    """Return the description of an image, without line breaks."""
    return " ".join((image.get("alt") or "").split())


def image_source(image: etree._Element) -> str:
    """Return the URL of an image; empty for invisible images, icons and data URLs.

    If the source is only a placeholder, the URL is the largest source in the sets of the image and of the ``picture``
    around it.
    """
    sizes = [image.get("width") or "", image.get("height") or ""]
    if any(map(_TINY.fullmatch, sizes)) or (all(map(_SMALL.fullmatch, sizes)) and _is_icon(image)):
        return ""
    lazy = [value for name, value in image.items() if _LAZY.fullmatch(name)]
    urls = [url for value in (*lazy, image.get("src") or "") if (url := value.strip()) and url[:5].lower() != "data:"]
    real = next((url for url in urls if not _PLACEHOLDER.match(url)), "")
    return real or _largest_source(image) or next(iter(urls), "")


def _is_icon(image: etree._Element) -> bool:
    """Return whether a small image is decoration, unlike emojis and formulas, which are signs of the text."""
    alt = "".join((image.get("alt") or "").split())
    is_named = not alt or (len(alt) > 1 and alt.isascii() and alt.isalpha())
    return is_named and not _SIGN.search(image.get("class") or "")


def _largest_source(image: etree._Element) -> str:
    around = image.getparent()
    while around is not None and around.tag == "source":  # libxml2 makes the elements after a source its children
        around = around.getparent()
    others = around.iter("source") if around is not None and around.tag == "picture" else ()
    sets = [each.get(name) or "" for each in (image, *others) for name in _SOURCE_SETS]
    for candidates in sets:
        found = _CANDIDATE.findall(candidates[:_LONGEST_SOURCE_SET])
        sources = [
            (float(".".join(size.split(".")[:2]) or 1), url.rstrip(","))
            for url, size in found
            if not _PLACEHOLDER.match(url)
        ]
        if sources:
            return str(max(sources)[1])
    return ""


def _bounds(page: Page, slots: IntArray) -> tuple[int, int]:
    """Return the first slot in the innermost element around two *slots*, and the first slot after the element."""
    last = slots[1]
    element = int(page.owners(slots)[0])
    while element > 0 and not page.open_slots[element] <= last < page.close_slots[element]:
        element = int(page.parents[element])
    return int(page.open_slots[max(element, 0)]), int(page.close_slots[max(element, 0)])
