"""The content of a page as its options want it: without parts that no form shows, and with the title before it."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import BoolArray
from scrapy_web2text.common.budget import watched
from scrapy_web2text.content.code_blocks import in_marks, retag_code
from scrapy_web2text.content.content import Content
from scrapy_web2text.content.layout import LISTS, find_layout_lists, find_layout_quotes
from scrapy_web2text.content.links import link_url
from scrapy_web2text.content.marks import rewrite_marks
from scrapy_web2text.content.notes import find_notes
from scrapy_web2text.content.structure import count_slots, cut_lines, elements_around, nearest_elements
from scrapy_web2text.content.teasers import in_links_elsewhere, in_teasers
from scrapy_web2text.metadata.title import fold_title
from scrapy_web2text.page.tags import HEADING_TAGS, tag_ids
from scrapy_web2text.page.urls import is_share_url

(_DIVISION,) = tag_ids(("div",)).tolist()
# A line that repeats the title is the headline if it is among the first lines. An ``h1`` that repeats the title is the
# headline anywhere.
_FIRST_LINES: Final = 3
_LONGEST_LINE: Final = 8  # texts of such a line or ``h1``
_LONGEST_HEADING: Final = 32
_LONGEST_TITLE: Final = 2_000  # characters; a longer title has no headline
_FIRST_TEXTS: Final = 40  # texts of the content in which bars of links are searched
_FEW_WORDS: Final = re.compile(r"[^\W\d_]{2}[^\n]{0,60}")  # the trimmed text of a link in such a bar
_SEPARATOR: Final = re.compile(r"[^\w$]{1,20}")  # the trimmed text between such links
# What boards write before the signature of a post.
_SIGNATURE_LINE: Final = re.compile(r"\s*_{8,}\s*")
_EXPANDER: Final = re.compile("(?i)quote-?expand|expand-?link")  # classes of boards
_MOST_SPACES: Final = 100  # characters around a headline that are not part of it


def arrange_content(content: Content, title: str) -> Content:
    """Return *content* as its options want it.

    Lists of share links, links back from notes, shortened copies of texts, links after words such as "Read also", and
    buttons inside headings are left out. Lists and quotes that only lay out the page become plain elements. Tables that
    lay out code become a ``pre``, without line numbers, prompts and buttons.

    :param title: the title of the page; it is written before the content if the options include it.
    """
    options = content.options
    if not len(content.leaves):
        return content
    if options.title != "auto":
        content = _drop_headline(content, title)
    page = retag_code(content.page, content.slots)
    notes = find_notes(page, content.slots)
    content = rewrite_marks(replace(content, page=page, notes=notes))
    omitted = _find_omitted(content)
    if omitted.any():
        content = content.without(omitted)
    if not len(content.leaves):
        return replace(content, title="")  # a title alone is not content
    layout = np.concatenate([find(content.page, content.slots) for find in (find_layout_lists, find_layout_quotes)])
    if not len(layout):
        return content
    tags = content.page.tags.copy()
    tags[layout] = _DIVISION
    return replace(content, page=replace(content.page, tags=tags))


def _find_omitted(content: Content) -> BoolArray:
    """Return which slots are left out, whatever their labels. *Shape:* ``(2 * n_elements,)``"""
    omitted = _in_share_lists(content) | _in_jump_bars(content) | in_marks(content.page, content.slots)
    omitted |= in_teasers(content) | in_links_elsewhere(content) | _in_heading_tools(content) | _in_expanders(content)
    omitted[[slot for slot, text in content.texts.items() if _SIGNATURE_LINE.fullmatch(text)]] = True
    if content.notes.in_back_links is not None:
        omitted |= content.notes.in_back_links
    if content.options.tables == "drop":
        omitted |= content.tables.in_data_tables()
    if content.options.links == "drop":
        omitted |= _in_links(content)
    return omitted


def _drop_headline(content: Content, title: str) -> Content:
    """Return *content* without the lines that repeat *title*, and with *title* if the options include it.

    Content that consists of its headline alone keeps the headline.
    """
    kept = title if content.options.title == "include" else ""
    folded = fold_title(title[:_LONGEST_TITLE])
    if not folded:
        return content
    found = _find_headline(content, folded)
    if found.all():
        return content
    if not found.any():
        return replace(content, title=kept) if kept else content
    omitted = np.zeros(2 * content.page.n_elements, dtype=bool)
    omitted[content.slots[found]] = True
    blocks = tuple(np.unique(content.leaf_blocks[found]).tolist())
    return content.without(omitted, title=kept, title_blocks=blocks)


def _find_headline(content: Content, folded: str) -> BoolArray:
    """Return which texts are the headline: first lines, and any ``h1``, that repeat the title *folded*.

    *Shape:* ``(k,)``
    """
    page, slots = content.page, content.slots
    lines = cut_lines(page, slots[: _FIRST_LINES * _LONGEST_LINE])[:_FIRST_LINES]
    ranges = [*pairwise([0, *np.cumsum([len(line.slots) for line in lines]).tolist()])]
    headings = page.tags_in({"h1"}).nonzero()[0]
    starts, stops = (slots.searchsorted(bounds[headings]).tolist() for bounds in (page.open_slots, page.close_slots))
    found = np.zeros(len(slots), dtype=bool)
    for start, stop in watched([*ranges, *zip(starts, stops, strict=True)]):
        if 0 < stop - start <= _LONGEST_HEADING:
            text = "".join([page.texts[leaf] for leaf in content.leaves[start:stop].tolist()])
            is_short = len(text) <= 2 * len(folded) + _MOST_SPACES  # nested h1 elements can share a long text
            found[start:stop] |= is_short and fold_title(text) == folded
    return found


def _in_share_lists(content: Content) -> BoolArray:
    """Return which slots are in lists that hold only share links. *Shape:* ``(2n,)``"""
    page, slots = content.page, content.slots
    lists = elements_around(page, slots, LISTS)
    links = elements_around(page, slots, {"a"})
    links = links[nearest_elements(page, page.open_slots[links], LISTS) >= 0]
    urls = page.read_attributes(links, "href")[0]
    shares = [link for link, url in watched(urls.items(), len(urls)) if is_share_url(url)]
    others = slots[~page.mark_inside(shares)[slots]]
    return page.mark_inside(lists[count_slots(page, others, lists) == 0])


def _in_heading_tools(content: Content) -> BoolArray:
    """Return which slots are in buttons, links to edit and permalinks in a heading that has other text.

    *Shape:* ``(2n,)``. The text of such a permalink is its ``href``, as in ``#section``.
    """
    page, slots = content.page, content.slots
    parts = elements_around(page, slots, {"a", "button", "span"})
    headings = nearest_elements(page, page.open_slots[parts], HEADING_TAGS)
    parts, headings = parts[headings >= 0], headings[headings >= 0]
    if not len(parts):
        return np.zeros(2 * page.n_elements, dtype=bool)
    classes, urls = page.read_attributes(parts, "class", "href")
    named = {i for i, url in urls.items() if url[:1] == "#" and (page.elements[i].text or "").strip() == url}
    named |= {i for i, value in classes.items() if "editsection" in value}
    is_tool = page.tags_in({"button"})[parts] | np.isin(parts, [*named])
    others = slots[~page.mark_inside(parts[is_tool])[slots]]
    return page.mark_inside(parts[is_tool & (count_slots(page, others, headings) > 0)])


def _in_expanders(content: Content) -> BoolArray:
    """Return which slots are in the buttons and links that expand a long quote. *Shape:* ``(2n,)``"""
    page = content.page
    quotes = elements_around(page, content.slots, {"blockquote"})
    parts = page.mark_inside(quotes)[page.open_slots].nonzero()[0]
    classes = page.read_attributes(parts, "class")[0]
    return page.mark_inside([i for i, value in classes.items() if _EXPANDER.search(value)])


def _in_jump_bars(content: Content) -> BoolArray:
    """Return which slots are in lines that consist of two or more links, some of which lead to a part of the page.

    *Shape:* ``(2n,)``. The text of each link is a few words, such as "Jump to recipe", and not a number, a letter or a
    sign. Only the first texts are read.
    """
    page, slots = content.page, content.slots[:_FIRST_TEXTS]
    omitted = np.zeros(2 * page.n_elements, dtype=bool)
    urls = page.read_attributes(elements_around(page, slots, {"a"}), "href")[0]
    jumps = {link for link, url in urls.items() if url[:1] == "#" and len(url) > 1}
    if not jumps:
        return omitted
    link_of = dict(zip(slots.tolist(), nearest_elements(page, slots, {"a"}).tolist(), strict=True))
    for line in watched(cut_lines(page, slots)):
        links = {link_of[slot] for slot in line.slots}
        if len(links - {-1}) > 1 and not jumps.isdisjoint(links):
            signs = {slot: _SEPARATOR if link_of[slot] < 0 else _FEW_WORDS for slot in line.slots}
            omitted[line.slots] = all(sign.fullmatch(content.texts[slot].strip()) for slot, sign in signs.items())
    return omitted if not omitted[content.slots].all() else np.zeros_like(omitted)


def _in_links(content: Content) -> BoolArray:
    """Return which slots are the text of links that would be kept. *Shape:* ``(2n,)``"""
    page, base = content.page, content.base
    links = watched(elements_around(page, content.slots, {"a"}).tolist())
    kept = [link for link in links if link_url(page.elements[link], base) is not None]
    return page.mark_inside(kept) & page.slot_has_text
