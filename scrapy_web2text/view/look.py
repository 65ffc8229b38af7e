"""The page as it looks: its elements with their classes and styles as safe HTML, with each text marked by its block.

As in the outline, all tags and attributes are written here, and no attribute holds a URL, a name or code. The policy of
the viewer allows no styles in the HTML. So styles are data, which the scripts of the viewer apply. The policy also
refuses whatever styles would load.
"""

from __future__ import annotations

import re
from functools import partial
from html import escape
from typing import Any, Final

import numpy as np
from lxml import etree

from scrapy_web2text.common.arrays import BoolArray
from scrapy_web2text.common.budget import watched
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence
from scrapy_web2text.page.tags import TAG_NAMES
from scrapy_web2text.view.markup import INLINE, KEPT, VOID, write_elements

_MOST_ELEMENTS: Final = 20_000
_LONGEST: Final = 1_500_000  # characters of HTML and style sheets

_REAL: Final = (KEPT | INLINE).union(
    """address article aside body center col colgroup details dialog dir div fieldset figcaption figure footer header
    hgroup legend main menu nav p section summary wbr""".split()
)
_UNSEEN: Final = frozenset("base head link meta noframes noscript option param script style template title".split())
# Each of these elements is shown as a box of its size, unless it holds a block.
_BOXES: Final = frozenset("audio canvas embed iframe img input object select svg textarea video".split())
_ATTRIBUTES: Final = frozenset(
    """align bgcolor border cellpadding cellspacing class clear color colspan dir face height hidden id lang nowrap open
    reversed rowspan size start type valign width""".split()
)
_DESCRIPTIONS: Final = ("alt", "placeholder", "aria-label", "title", "value")
# What a style would load, and its selectors of links, which have no URL here.
_UNSAFE: Final = re.compile(
    r"url\(\s*+(?:\"[^\"]*\"|'[^']*'|[^)\"']*+)\s*+\)?|(?P<link>:(?:any-)?link(?![\w-]))", re.IGNORECASE
)


def show_look(page: Page, blocks: BlockSequence) -> dict[str, Any]:
    """Return the page as HTML, the media and text of each style sheet, and the number of style sheets in other files.

    For a page that is too large, return a ``problem`` instead.
    """
    styles = [each for each in watched(page.document_landmarks.styles) if each.getparent().tag != "noscript"]
    sheets = [(style.get("media") or "", _clean(style.text or "")) for style in watched(styles)]
    boxes = page.tags_in(_BOXES) & np.equal(*page.leaf_ranges(blocks.leaves))
    n_around = page.count_enclosing(page.tags_in(_UNSEEN) | boxes)
    shown = n_around[page.open_slots] == boxes

    def write_text(slot: int) -> str:
        return "" if n_around[slot] else escape(page.text_at(slot), quote=False)

    html = write_elements(page, blocks, shown, partial(_write_tags, page, boxes), write_text, "w-b")
    root = page.document_root
    start = f"<html{_write_attributes(root)}>" if root.tag == "html" and root is not page.elements[0] else ""
    length = len(html) + sum(len(text) for _, text in sheets)
    for n, most, what in ((page.n_elements, _MOST_ELEMENTS, "elements"), (length, _LONGEST, "characters")):
        if n > most:
            return {"problem": f"it has {n:,} {what}, and at most {most:,} are shown"}
    links = [link for link in watched(root.iter("link")) if "stylesheet" in (link.get("rel") or "").lower().split()]
    return {"html": start + html, "sheets": sheets, "n_missing": len(links)}


def _clean(style: str) -> str:
    return _UNSAFE.sub(lambda match: "[data-link]" if match["link"] else "none", style)


def _write_tags(page: Page, boxes: BoolArray, element: int) -> tuple[str, str]:
    source, tag = page.elements[element], TAG_NAMES[page.tags[element]]
    attributes = _write_attributes(source)
    if boxes[element]:
        found = next(filter(None, map(source.get, _DESCRIPTIONS)), "")
        return f'<img data-t="{tag}" alt="{escape(" ".join(found.split()))}"{attributes}>', ""
    if tag in VOID or tag in ("col", "wbr"):
        return f"<{tag}{attributes}>", ""
    attributes += " data-link" * (tag == "a" and source.get("href") is not None)
    name = tag if tag in _REAL else "span" if tag in INLINE or not tag else "div"
    return f"<{name}{attributes}>", f"</{name}>"


def _write_attributes(element: etree._Element) -> str:
    written = [f' {name}="{escape(value)}"' for name, value in element.attrib.items() if name in _ATTRIBUTES]
    style = element.get("style")
    return "".join(written) + (f' data-style="{escape(_clean(style))}"' if style else "")
