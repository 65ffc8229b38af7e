"""The page itself as safe HTML, with each text marked by the number of its block: as an outline, and as it looks.

Nothing of the page is copied: all tags and attributes are written here, and texts are escaped. No attribute holds a
URL, a name or code. The policy of the viewer allows no styles in the HTML. So styles are data, which the scripts of the
viewer apply. The policy also refuses whatever styles would load.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from html import escape
from typing import Any, Final

import numpy as np
from lxml import etree

from scrapy_web2text.common.arrays import BoolArray
from scrapy_web2text.common.budget import watched
from scrapy_web2text.content.layout import CELLS, read_spans
from scrapy_web2text.content.links import describe_image
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence
from scrapy_web2text.page.tags import COMMENT, TAG_NAMES, tag_ids

# The elements that keep their names. Others become `div` and `span`, with their names in an attribute for the styles,
# since a parser of HTML5 would move them if they are nested in odd ways.
_KEPT: Final = frozenset(
    """h1 h2 h3 h4 h5 h6 ul ol li dl dt dd table caption thead tbody tfoot tr td th pre blockquote hr br""".split()
)
_INLINE: Final = frozenset(
    """a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label map mark nobr q rp rt ruby s samp
    small span strike strong sub sup time tt u var button""".split()
)
_VOID: Final = frozenset({"br", "hr"})
_IMAGE, _PRE, _BREAK, _RULE = tag_ids(("img", "pre", "br", "hr")).tolist()
# Browsers nest no more than 512 elements.
_DEEPEST: Final = 200
_LONGEST_SPAN: Final = 100


def mark_page(page: Page, blocks: BlockSequence) -> str:
    """Return the elements of *page* around its blocks as safe HTML, without links, images, styles and scripts.

    Each text of a block is in a ``span`` with the number of the block as ``data-b``. Text in no block is left out.
    """
    first, stop = page.leaf_ranges(blocks.leaves)
    shown = (stop > first) | np.isin(page.tags, (_IMAGE, _BREAK, _RULE))
    in_pre = page.count_enclosing(page.tags == _PRE)

    def write_space(slot: int) -> str:
        space = page.text_at(slot) if in_pre[slot] else " "
        return space if space.isspace() else " "

    return _write_elements(page, blocks, shown, partial(_write_tags, page), write_space, "span")


def _write_elements(
    page: Page,
    blocks: BlockSequence,
    is_shown: BoolArray,
    write_tags: Callable[[int], tuple[str, str]],
    write_other: Callable[[int], str],
    mark: str,
) -> str:
    """Return elements of *page* as HTML. Each text of a block is in a *mark* with the block's number as ``data-b``.

    :param is_shown: which elements are written; comments never are. *Shape:* ``(n,)``
    :param write_tags: returns the start tag and the end tag of an element.
    :param write_other: returns the HTML for the text at a slot, if the text is in no block.
    """
    texts = dict(zip(page.leaf_slots[blocks.leaves].tolist(), _write_texts(page, blocks, mark), strict=True))
    shown = (is_shown & (page.tags != COMMENT)).tolist()
    slot_elements, open_slots = page.slot_elements.tolist(), page.open_slots.tolist()
    has_text = page.slot_has_text.tolist()
    pieces: list[str] = []
    ends: list[str] = []
    for slot, element in enumerate(watched(slot_elements, len(slot_elements))):
        if shown[element]:
            if open_slots[element] == slot:
                start, end = write_tags(element) if len(ends) < _DEEPEST else (" ", " ")
                pieces.append(start)
                ends.append(end)
            else:
                pieces.append(ends.pop())
        if slot in texts:
            pieces.append(texts[slot])
        elif has_text[slot] and ends:
            pieces.append(write_other(slot))
    return "".join(pieces)


def _write_texts(page: Page, blocks: BlockSequence, mark: str) -> list[str]:
    """Return each leaf of *blocks*, marked with the number of its block."""
    leaves = zip(blocks.leaves.tolist(), blocks.leaf_blocks.tolist(), strict=True)
    return [
        f'<{mark} data-b="{block}">{escape(page.texts[leaf], quote=False)}</{mark}>'
        for leaf, block in watched(leaves, len(blocks.leaves))
    ]


def _write_tags(page: Page, element: int) -> tuple[str, str]:
    """Return the start tag and the end tag of an element; for an image, its description."""
    tag = TAG_NAMES[page.tags[element]]
    if tag == "img":
        text = describe_image(page.elements[element])
        return (f'<span data-t="img">{escape(text)}</span>', "") if text else ("", "")
    if tag in _VOID:
        return f"<{tag}>", ""
    if tag in CELLS:
        return f"<{tag}{_write_spans(page, element)}>", f"</{tag}>"
    if tag in _KEPT:
        return f"<{tag}>", f"</{tag}>"
    name = "span" if tag in _INLINE or not tag else "div"
    return f'<{name} data-t="{tag}">', f"</{name}>"


def _write_spans(page: Page, element: int) -> str:
    spans = zip(("colspan", "rowspan"), read_spans(page.elements[element]), strict=True)
    return "".join([f' {name}="{n_spanned}"' for name, n_spanned in spans if 1 < n_spanned <= _LONGEST_SPAN])


_MOST_ELEMENTS: Final = 20_000
_LONGEST_LOOK: Final = 1_500_000  # characters of HTML and style sheets

_REAL: Final = (_KEPT | _INLINE).union(
    """address article aside body center col colgroup details dialog dir div fieldset figcaption figure footer header
    hgroup legend main menu nav p section summary wbr""".split()
)
_UNSEEN: Final = frozenset("base head link meta noframes noscript option param script style template title".split())
# Elements of both sets that hold a block, such as a noscript, are shown with their structure. Each of these elements
# without a block is shown as a box of its size.
_BOXES: Final = frozenset("audio canvas embed iframe img input object select svg textarea video".split())
_ATTRIBUTES: Final = frozenset(
    """align bgcolor border cellpadding cellspacing class clear color colspan dir face height hidden id lang nowrap open
    reversed rowspan size start type valign width""".split()
)
_DESCRIPTIONS: Final = ("alt", "placeholder", "aria-label", "title", "value")
# URLs that a style would load, and its selectors of links, which match nothing since no link has a URL here.
_UNSAFE: Final = re.compile(
    r"url\(\s*+(?:\"[^\"]*\"|'[^']*'|[^)\"']*+)\s*+\)?|(?P<link>:(?:any-)?link(?![\w-]))", re.IGNORECASE
)


def show_look(page: Page, blocks: BlockSequence) -> dict[str, Any]:
    """Return the page as HTML, the media and text of each style sheet, and the number of style sheets in other files.

    For a page that is too large, return a ``problem`` instead.
    """
    styles = [each for each in watched(page.document_landmarks.styles) if each.getparent().tag != "noscript"]
    sheets = [(style.get("media") or "", _clean(style.text or "")) for style in watched(styles)]
    has_no_block = np.equal(*page.leaf_ranges(blocks.leaves))
    boxes = page.tags_in(_BOXES) & has_no_block
    n_around = page.count_enclosing(page.tags_in(_UNSEEN | _BOXES) & has_no_block)
    shown = n_around[page.open_slots] == boxes

    def write_text(slot: int) -> str:
        return "" if n_around[slot] else escape(page.text_at(slot), quote=False)

    html = _write_elements(page, blocks, shown, partial(_write_look_tags, page, boxes), write_text, "w-b")
    root = page.document_root
    start = f"<html{_write_attributes(root)}>" if root.tag == "html" and root is not page.elements[0] else ""
    length = len(html) + sum(len(text) for _, text in sheets)
    for n, most, what in ((page.n_elements, _MOST_ELEMENTS, "elements"), (length, _LONGEST_LOOK, "characters")):
        if n > most:
            return {"problem": f"it has {n:,} {what}, and at most {most:,} are shown"}
    links = [link for link in watched(root.iter("link")) if "stylesheet" in (link.get("rel") or "").lower().split()]
    return {"html": start + html, "sheets": sheets, "n_missing": len(links)}


def _clean(style: str) -> str:
    return _UNSAFE.sub(lambda match: "[data-link]" if match["link"] else "none", style)


def _write_look_tags(page: Page, boxes: BoolArray, element: int) -> tuple[str, str]:
    source, tag = page.elements[element], TAG_NAMES[page.tags[element]]
    attributes = _write_attributes(source)
    if boxes[element]:
        found = next(filter(None, map(source.get, _DESCRIPTIONS)), "")
        return f'<img data-t="{tag}" alt="{escape(" ".join(found.split()))}"{attributes}>', ""
    if tag in _VOID or tag in ("col", "wbr"):
        return f"<{tag}{attributes}>", ""
    if tag == "a" and source.get("href") is not None:
        attributes += " data-link"
    name = tag
    if tag not in _REAL:
        name = "span" if tag in _INLINE or not tag else "div"
    return f"<{name}{attributes}>", f"</{name}>"


def _write_attributes(element: etree._Element) -> str:
    written = [f' {name}="{escape(value)}"' for name, value in element.attrib.items() if name in _ATTRIBUTES]
    style = element.get("style")
    return "".join(written) + (f' data-style="{escape(_clean(style))}"' if style else "")
