"""The page itself as safe HTML, with each text marked by the number of its block.

Nothing of the page is copied: all tags and attributes are written here, and texts are escaped.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from html import escape
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import BoolArray
from scrapy_web2text.common.budget import watched
from scrapy_web2text.content.links import describe_image
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence
from scrapy_web2text.page.tags import COMMENT, TAG_NAMES, tag_ids

# The elements that keep their names. A parser of HTML5 moves other elements if they are nested in odd ways. So these
# become `div` and `span`, with their name in an attribute for the styles.
KEPT: Final = frozenset(
    """h1 h2 h3 h4 h5 h6 ul ol li dl dt dd table caption thead tbody tfoot tr td th pre blockquote hr br""".split()
)
INLINE: Final = frozenset(
    """a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label map mark nobr q rp rt ruby s samp
    small span strike strong sub sup time tt u var button""".split()
)
VOID: Final = frozenset({"br", "hr"})
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

    return write_elements(page, blocks, shown, partial(_write_tags, page), write_space, "span")


def write_elements(
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
    if tag in VOID:
        return f"<{tag}>", ""
    if tag in ("td", "th"):
        return f"<{tag}{_write_spans(page, element)}>", f"</{tag}>"
    if tag in KEPT:
        return f"<{tag}>", f"</{tag}>"
    name = "span" if tag in INLINE or not tag else "div"
    return f'<{name} data-t="{tag}">', f"</{name}>"


def _write_spans(page: Page, element: int) -> str:
    values = {name: page.elements[element].get(name) or "" for name in ("colspan", "rowspan")}
    return "".join(
        f' {name}="{value}"'
        for name, value in values.items()
        if value.isascii() and value.isdigit() and len(value) < 4 and 1 < int(value) <= _LONGEST_SPAN
    )
