"""Teasers: shortened copies of texts that the content has in full, and "read more" between a teaser and its text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import BoolArray
from scrapy_web2text.common.budget import watched
from scrapy_web2text.content.content import Content
from scrapy_web2text.content.structure import Line, cut_lines, nearest_elements
from scrapy_web2text.labelers.fragment.furniture import READ_MORE
from scrapy_web2text.page.reader import collapse_each

_ELLIPSES: Final = ("...", "…")
_SHORTEST: Final = 30  # characters; shorter texts begin alike by chance
_LONGEST: Final = 5_000  # characters
_MOST: Final = 100  # teasers, since each is searched for in the whole text
_LONGEST_READ_MORE: Final = 60  # characters
# In these, a text is shortened on purpose.
_QUOTES: Final = frozenset({"blockquote", "pre", "q"})


def in_teasers(content: Content) -> BoolArray:
    """Return which slots are in teasers, or say "read more". *Shape:* ``(2n,)``

    A teaser is a line that ends with an ellipsis, or with an ellipsis and "read more". Another line begins with its
    text.
    """
    page, slots = content.page, content.slots
    omitted = np.zeros(2 * page.n_elements, dtype=bool)
    texts = content.texts
    if not any(ellipsis in text for text in texts.values() for ellipsis in _ELLIPSES):
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
