"""Whether markup is a whole page or a fragment: a part of a page, without html, head and body elements."""

from __future__ import annotations

import re
from typing import Final

from lxml import etree

from scrapy_web2text.page.elements import local_name

__all__ = ["is_part", "lacks_page_tags"]

# A tag of a whole page, or the start of something that can contain the same characters without being one.
_SIGN: Final = re.compile(
    rb"<(?:(?P<page>!doctype|html|head|body|frameset|title|base)|(?P<meta>meta)|(?P<raw>script|style|svg|textarea|xmp))"
    rb"(?=[\s/>])|<!--",
    re.IGNORECASE,
)
_END_OF_RAW: Final = {
    name: re.compile(rb"</%b(?=[\s/>])" % name, re.IGNORECASE)
    for name in (b"script", b"style", b"svg", b"textarea", b"xmp")
}
# Microdata in a part of a page; other meta elements are in the head of a page.
_MICRODATA: Final = re.compile(rb"\sitemprop\s*=", re.IGNORECASE)
_LONGEST_META: Final = 2_000  # bytes
_PAGE_TAGS: Final = frozenset({"html", "head", "body", "frameset"})


def lacks_page_tags(page: bytes) -> bool:
    """Return whether *page*, in UTF-8, has no tag that only whole pages have: doctype, html, head, body, title, meta.

    Tags in comments, scripts, style sheets and SVG images do not count. The first tag of an ordinary page decides.
    """
    place = 0
    while (sign := _SIGN.search(page, place)) is not None:
        if sign["page"]:
            return False
        if sign["meta"]:
            place = page.find(b">", sign.end(), sign.end() + _LONGEST_META)
            if place < 0 or not _MICRODATA.search(page, sign.end(), place):
                return False
            continue
        if sign["raw"]:
            end = _END_OF_RAW[sign["raw"].lower()].search(page, sign.end())
            place = -1 if end is None else end.end()
        else:
            place = page.find(b"-->", sign.start() + 2)
        if place < 0:
            return True  # the rest of the page is in this element or comment
    return True


def is_part(root: etree._Element) -> bool:
    """Return whether *root* is an element inside the body of a page, or the two elements that parsers put around one.

    Parsers put html and body elements around a part of a page, but no head and no attributes.
    """
    name = local_name(root.tag)
    if name != "html":
        return name not in _PAGE_TAGS
    children = [child for child in root if isinstance(child.tag, str)]
    return [local_name(child.tag) for child in children] == ["body"] and not root.attrib and not children[0].attrib
