"""The paragraphs of the main content, each with the blocks that it was made from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Final

import numpy as np
from msgspec.structs import replace

from scrapy_web2text.common.budget import watched
from scrapy_web2text.content.content import Content
from scrapy_web2text.content.escaping import Allowance
from scrapy_web2text.content.links import link_url
from scrapy_web2text.content.places import Group
from scrapy_web2text.content.structure import nearest_elements
from scrapy_web2text.content.text import write_code, write_lines
from scrapy_web2text.extraction import Paragraph, ParagraphKind
from scrapy_web2text.labelers.base import Labeling
from scrapy_web2text.labelers.roles import name_roles
from scrapy_web2text.options import Role
from scrapy_web2text.page.paths import common_elements, find_paths
from scrapy_web2text.page.tags import HEADING_TAGS

_KINDS: Final[dict[str, ParagraphKind]] = {
    **dict.fromkeys(HEADING_TAGS, "heading"),
    "li": "list-item",
    "td": "table-cell",
    "th": "table-cell",
    "blockquote": "quote",
    "pre": "code",
    "figcaption": "caption",
    "caption": "caption",
    "dt": "definition",
    "dd": "definition",
}
_LONGEST_HEADING: Final = 200  # characters; a longer one is text that only looks like a heading


def content_paragraphs(
    content: Content, allowance: Allowance | None = None, labeling: Labeling | None = None
) -> tuple[Paragraph, ...]:
    """Return the content as paragraphs, in document order.

    :param allowance: the length of their chunks; links, paths and headings above that do not fit are left out.
    :param labeling: tells the roles of the blocks; None if they are unknown.
    """
    if not content.lines:
        return ()
    block_of = dict(zip(content.slots.tolist(), content.leaf_blocks.tolist(), strict=True))  # images have none
    roles = None if labeling is None else name_roles(labeling)
    paragraphs = []
    written = iter(write_lines(content))
    all_groups = content.paragraphs(content.lines)
    for groups in watched(all_groups):
        place = groups[0][0]
        kind = _KINDS.get(place[-1].tag, "paragraph") if place else "paragraph"
        lines = [line for _, lines in groups for line in lines]
        separator = "\n" if len(groups) == 1 else " "
        cells = [separator.join(islice(written, len(lines))) for _, lines in groups]
        text = write_code(content, lines) if kind == "code" else "\t".join(cells)
        weights: Counter[int] = Counter()
        for slot in (slot for line in lines for slot in line.slots if slot in block_of):
            weights[block_of[slot]] += len(content.texts[slot])
        paragraphs.append(_write_paragraph(content, text, kind, weights, roles))
    placed = _place_paragraphs(content, paragraphs, all_groups, allowance or Allowance())
    if not content.title:
        return tuple(placed)
    title = _write_paragraph(content, content.title, "heading", dict.fromkeys(content.title_blocks, 1), roles)
    return (replace(title, level=1), *placed)


def _write_paragraph(
    content: Content, text: str, kind: ParagraphKind, weights: Mapping[int, int], roles: Sequence[Role] | None
) -> Paragraph:
    """Return a paragraph; *weights* gives the share of each block in it."""
    probability, blocks = None, tuple(weights)
    if content.probabilities is not None and len(blocks) == 1:  # most; numpy would take a quarter of their time
        probability = float(content.probabilities[blocks[0]])
    elif content.probabilities is not None and blocks:
        probability = float(np.average(content.probabilities[[*blocks]], weights=[*weights.values()]))
    blocks = () if content.is_hidden else blocks
    return Paragraph(text, kind, blocks, probability, role=roles[blocks[0]] if roles and blocks else None)


def _place_paragraphs(
    content: Content, paragraphs: list[Paragraph], all_groups: list[list[Group]], allowance: Allowance
) -> Iterator[Paragraph]:
    """Yield *paragraphs*, made from *all_groups*, with their links and with what tells where they are."""
    page, slots = content.page, content.slots
    ends = np.array([(groups[0][1][0].slots[0], groups[-1][1][-1].slots[-1]) for groups in watched(all_groups)])
    starts, stops = slots.searchsorted(ends[:, 0]), slots.searchsorted(ends[:, 1], side="right")
    first, last = content.leaves.take(starts, mode="clip"), content.leaves.take(stops - 1, mode="clip")
    paths = find_paths(page, common_elements(page, first, last), first, last)
    links = nearest_elements(page, slots, {"a"} if content.options.links == "keep" else ()).tolist()
    find_url = cache(lambda link: link_url(page.elements[link], content.base) if link >= 0 else None)
    n_cells, rows = page.tags_in({"td", "th"}).cumsum(), dict[int, int]()
    above = [(1, content.title)] if 0 < len(content.title) <= _LONGEST_HEADING else []
    # A chunk can repeat each text and link once, and has the path of its only paragraph twice.
    allowance.n_left -= 3 * (len(content.title) + sum(len(paragraph.text) for paragraph in paragraphs))
    columns = zip(paragraphs, all_groups, paths, starts.tolist(), stops.tolist(), strict=True)
    for paragraph, ((place, _), *_), path, start, stop in watched(columns, len(paragraphs)):
        row, *cells = [step.element for step in place if step.tag in ("tr", "td", "th")] or [0]
        level = int(place[-1].tag[1]) if paragraph.kind == "heading" else None
        if level is not None and not cells:
            above = [heading for heading in above if heading[0] < level]
        heading_path = tuple(text for _, text in above)
        length = 2 * len(path or "")
        has_path = bool(paragraph.block_indices) and length <= allowance.n_left and allowance.take(length)
        urls = dict.fromkeys(map(find_url, links[start:stop]))
        yield replace(
            paragraph,
            level=level,
            heading_path=heading_path if allowance.take(sum(map(len, heading_path))) else (),
            path=path if has_path else None,
            links=tuple(url for url in urls if url is not None and allowance.take(2 * len(url))),
            cell=(rows.setdefault(row, len(rows)), int(n_cells[cells[0]] - n_cells[row]) - 1) if cells else None,
        )
        if level is not None and not cells and len(paragraph.text) <= _LONGEST_HEADING:
            above.append((level, " ".join(paragraph.text.split())))
