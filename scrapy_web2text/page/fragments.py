"""How much of a page some markup is, by its tags: all of it, or perhaps a fragment."""

from __future__ import annotations

import html
import re
from typing import Final, Literal

from lxml import etree

from scrapy_web2text.page.elements import local_name

__all__ = ["Extent", "extent_of_tree", "find_extent", "has_markup", "unwrap"]

# A whole page; markup without its tags, which may be a whole page nevertheless; an element inside the body of a page.
Extent = Literal["page", "markup", "element"]

# A tag of a whole page, or the start of something that can contain the same characters without being one. The first
# letters are sets, so that `re` tries a word only after one of them.
_SIGN: Final = re.compile(
    rb"<(?:!(?:(?=--)|(?i:doctype)(?=[\s/>]))|(?:[hH](?i:tml|ead)|[bB](?i:ody|ase)|[fF](?i:rameset)|[tT](?i:itle|extarea)"
    rb"|[mM](?i:eta)|[sS](?i:cript|tyle|vg)|[xX](?i:mp))(?=[\s/>]))"
)
_PAGE_SIGNS: Final = frozenset({b"!doctype", b"html", b"head", b"body", b"frameset", b"title", b"base"})
_END_OF_RAW: Final = re.compile(rb"</(script|style|svg|textarea|xmp)(?=[\s/>])", re.IGNORECASE)
# Microdata in a part of a page; other meta elements are in the head of a page.
_MICRODATA: Final = re.compile(rb"\sitemprop\s*=", re.IGNORECASE)
_LONGEST_META: Final = 2_000  # bytes
# The element of a feed around its text, and the text itself: HTML in a CDATA section, or HTML that is escaped.
_WRAPPED: Final = re.compile(rb"\s*(?:<[\w:.-]{1,99}(?:\s[^<>]{0,999})?>\s*)?(?:<!\[CDATA\[|(?=&lt;[a-zA-Z!]))")
_END_OF_ELEMENT: Final = re.compile(rb"</[\w:.-]{1,99}>")
_TAG: Final = re.compile(r"<[a-zA-Z/!][^<>]*>")
_PAGE_TAGS: Final = frozenset({"html", "head", "body", "frameset"})


def extent_of_tree(root: etree._Element) -> Extent:
    """Return how much of a page the tree of *root* is: an element inside the body, or a page.

    A tree with an html element is a page, although parsers put html and body elements around every fragment.
    """
    return "page" if local_name(root.tag) in _PAGE_TAGS else "element"


def find_extent(page: bytes) -> Extent:
    """Return how much of a page *page*, in UTF-8, is: ``markup`` if it lacks the tags that only whole pages have.

    These are doctype, html, head, body, frameset, title, base and meta, outside of comments, scripts, style sheets and
    SVG images. The first tag of an ordinary page decides.
    """
    place = 0
    while (sign := _SIGN.search(page, place)) is not None:
        name = sign[0][1:].lower()
        if name in _PAGE_SIGNS:
            return "page"
        if name == b"!":
            place = page.find(b"-->", sign.start() + 2)
        elif name == b"meta":
            place = page.find(b">", sign.end(), sign.end() + _LONGEST_META)
            if place < 0 or not _MICRODATA.search(page, sign.end(), place):
                return "page"
        else:
            ends = (end for end in _END_OF_RAW.finditer(page, sign.end()) if end[1].lower() == name)
            place = next((end.end() for end in ends), -1)
        if place < 0:  # the rest of the page is in this element or comment
            break
    return "markup"


def has_markup(text: str | None) -> bool:
    """Return whether *text*, of an element of an XML feed, contains tags."""
    return text is not None and _TAG.search(text) is not None


def unwrap(page: bytes) -> bytes:
    """Return the HTML in *page*, in UTF-8, if it is an element of a feed or its text; else *page* itself.

    Feeds contain HTML in a CDATA section, or with its angle brackets escaped. A parser of HTML would take the first for
    a comment, and would show the tags of the second.
    """
    found = _WRAPPED.match(page)
    if found is None:
        return page
    inner = page[found.end() :].rstrip()
    if inner.endswith(b">"):  # the end tag of the element
        start = inner.rfind(b"<")
        inner = inner[:start].rstrip() if _END_OF_ELEMENT.fullmatch(inner, start) else inner
    if found[0].endswith(b"["):
        sections = inner.removesuffix(b"]]>").split(b"]]><![CDATA[")  # two of them are how "]]>" is written
        is_whole = inner.endswith(b"]]>") and not any(b"]]>" in section for section in sections)
        return b"".join(sections) if is_whole else page
    if b"<" in inner or not inner.endswith(b"&gt;"):
        return page
    return html.unescape(inner.decode()).encode("utf-8", "replace")
