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
from scrapy_web2text.page.tags import HEADING_TAGS

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
        r"(?:czytaj|zobacz|przeczytaj) (?:też|także|również)|polecamy|čtěte také|přečtěte si|čítajte aj|citește și",
        r"читайте (?:также|ещё|еще)|читать также|читайте також|также по теме|материалы по теме",
        r"διαβάστε (?:επίσης|ακόμη)|ayrıca oku|ilgili haber|baca juga|xem thêm",
        r"延伸閱讀|延伸阅读|相关阅读|相關新聞|相关新闻|関連記事",
    )
    + r")(?:\s*[:：|>»–—-]\W*|\s*$)"
)
# A line between two paragraphs, in lower case, that only tells that there is, or was, something else.
_INTERRUPTION: Final = re.compile(
    r"[^\w:\"'«»“”„‘’]*(?:"
    + any_of(
        r"(?:advertisement|sponsored content|promoted stories)(?: - .{1,40})?|skip advertisement",
        r"(?:article|story)(?: content)? continues (?:below|after)(?: (?:this|the))?"
        r"(?: (?:ad(?:vert(?:isement)?)?|break|form|gallery|message|newsletter|photos?|promo(?:tion)?|video))?",
        r"scroll to continue(?: with content)?",
        r"anzeige|werbung|publicité|publicidad|publicidade|pubblicità|advertentie|annonse?|reklama?|mainos",
        r"реклама|διαφήμιση|advertensi|iklan|quảng cáo|广告|廣告|広告|광고",
    )
    + r")[^\w:\"'«»“”„‘’]*"
)
_LONGEST_INTRODUCED: Final = 250  # characters
# In these, "Advertisement" is a subject or a term.
_STRUCTURED: Final = {*HEADING_TAGS, "dd", "dt", "li", "pre", "td", "th"}


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
    """Return which slots are in lines that only interrupt the text: "Advertisement", or "Read also" and links.

    The links are in the same line or, each alone in its line, right after it. *Shape:* ``(2n,)``
    """
    page, slots, texts = content.page, content.slots, content.texts
    omitted = np.zeros(2 * page.n_elements, dtype=bool)
    first = slots[find_line_starts(page, slots)].tolist()
    short = {slot: texts[slot].lower() for slot in watched(first) if len(texts[slot]) <= _LONGEST_INTRODUCED}
    introductions = {slot for slot, text in short.items() if _INTRODUCTION.match(text) or _INTERRUPTION.match(text)}
    if not introductions:  # as on most pages
        return omitted
    in_link = page.count_enclosing(page.tags_in({"a"})) > 0
    in_heading = page.count_enclosing(page.tags_in(HEADING_TAGS)) > 0
    is_part = page.count_enclosing(page.tags_in(_STRUCTURED)) > 0
    lines = cut_lines(page, slots)
    is_list = False
    for line, following in watched(zip(lines, [*lines[1:], None], strict=True), len(lines)):
        others = "".join([texts[slot] for slot in line.slots if not in_link[slot]]).strip().lower()
        is_short = sum(len(texts[slot]) for slot in line.slots) <= _LONGEST_INTRODUCED
        is_whole, is_linked = bool(_INTRODUCTION.fullmatch(others)), bool(in_link[line.slots].any())
        leads = is_whole and not is_linked and following is not None and bool(in_link[following.slots].all())
        is_list = (is_list and not others) or (leads and not in_heading[line.slots[0]])
        is_call = line.slots[0] in introductions and is_linked and (not others or is_whole)
        interrupts = not is_part[line.slots[0]] and _INTERRUPTION.fullmatch(others) is not None
        omitted[line.slots] = is_short and (is_call or is_list or interrupts)
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
