"""Teasers: shortened copies of texts that the content has in full, with their "read more"; and links to other texts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import BoolArray
from scrapy_web2text.common.budget import watched
from scrapy_web2text.content.content import Content
from scrapy_web2text.content.structure import Line, cut_lines, find_line_starts, nearest_elements
from scrapy_web2text.labelers.fragment.furniture import READ_MORE, any_of
from scrapy_web2text.page.reader import collapse_each

_ELLIPSES: Final = ("...", "…")
_SHORTEST: Final = 30  # characters; shorter texts begin alike by chance
_LONGEST: Final = 5_000  # characters
_MOST: Final = 100  # teasers, since each is searched for in the whole text
_LONGEST_READ_MORE: Final = 60  # characters
# In these, a text is shortened on purpose.
_QUOTES: Final = frozenset({"blockquote", "pre", "q"})
# What introduces the link to another text between two paragraphs, in lower case: to ignore case would take longer.
_INTRODUCTION: Final = re.compile(
    r"\W{0,4}(?:"
    + any_of(
        r"read (?:more|also|next|this next|related)|also read",
        r"related(?: (?:story|stories|articles?|reading|coverage))?",
        r"lesen sie (?:auch|hier)|lies auch|mehr zum thema|lire aussi|à lire(?: aussi)?|leggi anche",
        r"l[ae]e (?:también|más)|(?:te|le) puede interesar|leia (?:também|mais)|veja (?:também|mais)|saiba mais",
        r"lees ook|läs (?:också|även)|les også|læs også|lue myös",
        r"(?:czytaj|zobacz|przeczytaj) (?:też|także|również)|čtěte také|přečtěte si|čítajte aj|citește și",
        r"читайте (?:также|ещё|еще)|читать также|читайте також|также по теме|материалы по теме",
        r"διαβάστε (?:επίσης|ακόμη)|ayrıca oku|ilgili haber|baca juga|xem thêm",
        r"延伸閱讀|延伸阅读|相关阅读|相關新聞|相关新闻|関連記事",
    )
    + r")(?:\s*[:：|>»–—-]\W*|\s*$)"
)
_LONGEST_INTRODUCED: Final = 250  # characters


def in_teasers(content: Content) -> BoolArray:
    """Return which slots are in teasers, or say "read more". *Shape:* ``(2n,)``

    A teaser is a line that ends with an ellipsis, or with an ellipsis and "read more". Another line begins with its
    text.
    """
    page, slots = content.page, content.slots
    omitted = np.zeros(2 * page.n_elements, dtype=bool)
    texts = content.texts
    whole = "\n".join(texts.values())
    if not any(ellipsis in whole for ellipsis in _ELLIPSES):
        return omitted
    lines = cut_lines(page, slots)
    written = collapse_each([_write_line(line, texts) for line in watched(lines)])
    first = np.array([line.slots[0] for line in lines])
    teasers = _find_teasers(written, (nearest_elements(page, first, _QUOTES) >= 0).tolist())
    if not teasers:
        return omitted
    for i, line in enumerate(watched(lines)):
        last = line.slots[-1]
        if i in teasers or _is_read_more(written[i]):
            omitted[line.slots] = True
        elif _is_read_more(texts[last]):
            omitted[last] = True
    return omitted


def in_links_elsewhere(content: Content) -> BoolArray:
    """Return which slots are in lines that only introduce a link to another text: "Read also: …". *Shape:* ``(2n,)``"""
    page, slots, texts = content.page, content.slots, content.texts
    omitted = np.zeros(2 * page.n_elements, dtype=bool)
    first = slots[find_line_starts(page, slots)].tolist()
    short = [slot for slot in first if len(texts[slot]) <= _LONGEST_INTRODUCED]
    introductions = {slot for slot in watched(short) if _INTRODUCTION.match(texts[slot].lower())}
    if not introductions:  # as on most pages
        return omitted
    introduced = [line for line in watched(cut_lines(page, slots)) if line.slots[0] in introductions]
    in_link = page.count_enclosing(page.tags_in({"a"})) > 0
    for line in watched(introduced):
        linked = [slot for slot in line.slots if in_link[slot]]
        others = "".join([texts[slot] for slot in line.slots if not in_link[slot]]).strip().lower()
        is_short = sum(len(texts[slot]) for slot in line.slots) <= _LONGEST_INTRODUCED
        omitted[line.slots] = is_short and bool(linked) and (not others or _INTRODUCTION.fullmatch(others) is not None)
    return omitted if not omitted[slots].all() else np.zeros_like(omitted)


def _write_line(line: Line, texts: Mapping[int, str]) -> str:
    slots = zip(line.slots, line.gaps, strict=True)
    return "".join([f" {texts[slot]}" if has_gap else texts[slot] for slot, has_gap in slots])


def _find_teasers(lines: list[str], in_quotes: list[bool]) -> set[int]:
    """Return which *lines* are teasers of other lines."""
    stems = {i: stem for i, line in watched([*enumerate(lines)]) if not in_quotes[i] and (stem := _find_stem(line))}
    whole = "\n".join(["", *(line for i, line in enumerate(lines) if i not in stems and not in_quotes[i])])
    return {i for i, stem in watched([*stems.items()][:_MOST]) if f"\n{stem}" in whole}


def _find_stem(line: str) -> str:
    """Return the text of a shortened line without a word that may be cut; empty if *line* is not shortened."""
    if not _SHORTEST < len(line) <= _LONGEST:
        return ""
    start, _, end = line.replace(_ELLIPSES[0], _ELLIPSES[1]).rpartition("…")
    if end.strip(" .)]") and not _is_read_more(end):
        return ""
    start = start.rstrip("[(")
    stem = start.rpartition(" ")[0]
    if len(stem) < _SHORTEST:  # in scripts without spaces, no word is cut
        stem = start
    return stem if len(stem) >= _SHORTEST else ""


def _is_read_more(text: str) -> bool:
    return len(text) <= _LONGEST_READ_MORE and READ_MORE.fullmatch(text) is not None
