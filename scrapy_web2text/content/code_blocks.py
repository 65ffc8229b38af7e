"""Finds the elements that hold code, and their parts that are not code: line numbers, prompts and buttons."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import BoolArray, IntArray, sum_spans
from scrapy_web2text.common.budget import watched
from scrapy_web2text.content.structure import count_slots, cut_lines, elements_around, innermost, nearest_elements
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.tags import HEADING_TAGS, tag_ids

_PRE, _DIVISION, _BREAK = tag_ids(("pre", "div", "br")).tolist()
# Class names that highlighters give to line numbers, which are beside a ``pre`` or in it.
_LINE_NUMBERS: Final = frozenset(
    """blob-num gl gutter hljs-ln-n hljs-ln-numbers line-number linenodiv lineno linenos linenumber lnt
    react-syntax-highlighter-line-number rouge-gutter""".split()
)
_MOST_DIGITS: Final = 6
# Styles and classes of text that browsers do not copy, and of hidden lines and run buttons of code in Rust.
_NOT_SELECTED: Final = re.compile(r"user-select\s*:\s*none|(?:^|\s)(?:boring|run|select-none|test-arrow)(?:\s|$)")
_CODE_TABLE: Final = re.compile(r"(?:^|\s)(?:highlight|diff-table)(?:\s|$)")  # the class names of GitHub
_CODE_CELL: Final = re.compile(r"(?:^|\s)(?:[a-z]{1,20}-)*(code|gutter|nums)(?:\s|$)")
# Classes and styles of elements other than ``pre`` that hold code of several lines.
_BLOCK_CLASS: Final = re.compile(r"(?i)(?:^|\s)(?:code-?(?:block|snippet|listing)|source-?code)(?:\s|$)")
_BLOCK_STYLE: Final = re.compile(r"(?i)display\s*:\s*block|white-space\s*:\s*(?:pre|break-spaces)")
_NOT_IN_CODE: Final = frozenset({*HEADING_TAGS, "dl", "form", "ol", "p", "pre", "table", "ul"})


def in_marks(page: Page, slots: IntArray) -> BoolArray:
    """Return which slots are in the line numbers or prompts of code, or in buttons that copy the code.

    Prompts that distinguish input from other lines do not count. *Shapes:* ``(k,)`` -> ``(2n,)``
    """
    pres = elements_around(page, slots, {"pre"})
    if not len(pres):
        return np.zeros(2 * page.n_elements, dtype=bool)
    in_code = page.count_enclosing(page.tags == _PRE)[page.open_slots] > 0
    labels = page.tags_in({"button", "div"}) & in_code
    labels[labels] = count_slots(page, page.leaf_slots, labels.nonzero()[0]) <= 2  # only a label, not code
    chosen = page.tags_in({"button"}) & labels
    prompts = []
    # Only small parts: some sites forbid selecting any code.
    is_part = (page.tags_in({"a", "span", "td"}) & in_code) | labels
    elements = elements_around(page, slots, {"a", "code", "div", "pre", "span", "td"})
    for i, value in find_values(page, elements, _marks_no_code, "class", "style"):
        if value == "gp" and is_part[i]:  # the class of prompts in Pygments
            prompts.append(i)
        elif not _LINE_NUMBERS.isdisjoint(value.split()):
            chosen[i] = in_code[i] or _holds_only_numbers(page, slots, i)  # outside code, a "gutter" can be layout
        elif is_part[i] and _NOT_SELECTED.search(value):
            chosen[i] = True
    chosen[_find_redundant_prompts(page, prompts)] = True
    chosen[_find_line_numbers(page, slots, pres)] = True
    return page.count_enclosing(chosen) > 0


def _marks_no_code(value: str) -> bool:
    return value == "gp" or not _LINE_NUMBERS.isdisjoint(value.split()) or _NOT_SELECTED.search(value) is not None


def _holds_only_numbers(page: Page, slots: IntArray, element: int) -> bool:
    """Return whether the first two texts in an element, or its only text, are numbers."""
    start, stop = slots.searchsorted([page.open_slots[element], page.close_slots[element]]).tolist()
    return all("".join(page.text_at(slot).split()).isdigit() for slot in slots[start : min(stop, start + 2)].tolist())


def _find_line_numbers(page: Page, slots: IntArray, pres: IntArray) -> list[int]:
    """Return the elements of line numbers in *pres*: most lines begin with successive numbers."""
    found: list[int] = []
    n_around = page.count_enclosing(page.tags == _PRE)
    opened = page.open_slots[pres]
    opened = opened[n_around[opened] == 1]  # those of the outermost, so that each line is read once
    line_starts = [line.slots[0] for line in cut_lines(page, slots[n_around[slots] > 0])]
    places = opened.searchsorted(line_starts, side="right").tolist()
    for _, lines in groupby(watched([*zip(places, line_starts, strict=True)]), key=itemgetter(0)):
        starts = [slot for _, slot in lines]
        firsts = [slot for slot in starts if page.text_at(slot).strip().isdecimal()]
        numbers = [int(page.text_at(slot)[-_MOST_DIGITS:]) for slot in firsts]
        if 2 * len(firsts) >= max(len(starts), 4) and all(after == before + 1 for before, after in pairwise(numbers)):
            found += firsts
    owners = page.owners(np.array(found, dtype=np.int64)).tolist()
    return [element for element in owners if page.tags[element] != _PRE]


def _find_redundant_prompts(page: Page, prompts: list[int]) -> list[int]:
    """Return the *prompts* in code whose lines all have a prompt. After a backslash, the next line needs none."""
    if not prompts:
        return []
    pres = nearest_elements(page, page.open_slots[prompts], {"pre"}).tolist()
    texts: dict[int, list[str]] = {pre: [] for pre in pres}
    slots = page.slot_has_text.nonzero()[0]
    around = nearest_elements(page, slots, {"pre"})
    in_code = around >= 0
    for slot, pre in watched([*zip(slots[in_code].tolist(), around[in_code].tolist(), strict=True)]):
        if pre in texts:
            texts[pre].append(page.text_at(slot))
    n_prompts = Counter(pres)
    for pre, pieces in texts.items():
        lines = "".join(pieces).replace("\\\n", "").split("\n")
        n_prompts[pre] -= sum(map(bool, map(str.strip, lines)))
    return [prompt for prompt, pre in zip(prompts, pres, strict=True) if not n_prompts[pre]]


def retag_code(page: Page, slots: IntArray) -> Page:
    """Return *page* with each block of code of several lines as a ``pre``.

    Blocks of code are tables whose rows are lines of code, and elements whose class, style or language attribute marks
    them as code. An empty row of a table of code becomes a ``br``.
    """
    tags = page.tags.copy()
    for retag in (_retag_tables, _retag_blocks):
        retag(page, slots, tags)
    return page if (tags == page.tags).all() else replace(page, tags=tags)


def _retag_tables(page: Page, slots: IntArray, tags: IntArray) -> None:
    tables = elements_around(page, slots, {"table"})
    if not len(tables):
        return
    values = find_values(page, page.tags_in({"td"}).nonzero()[0], _CODE_CELL.search, "class")
    cells = {i: _CODE_CELL.findall(value) for i, value in values}
    if not cells:  # as in most tables
        return
    of_github = {i for i, _ in find_values(page, tables, _CODE_TABLE.search, "class")}
    gutters = {int(page.parents[i]) for i, names in cells.items() if "code" not in names}
    lines = np.array([i for i, names in cells.items() if "code" in names], dtype=np.int64)
    rows, tables = page.parents[lines], nearest_elements(page, page.open_slots[lines], {"table"})
    is_line = np.isin(tables, [*of_github]) | np.isin(rows, [*gutters])
    is_code = np.zeros(page.n_elements, dtype=bool)
    is_code[tables[is_line & (tables >= 0)]] = True
    tags[page.tags_in({"tbody", "tr", "td"}) & (page.count_enclosing(is_code)[page.open_slots] > 0)] = _DIVISION
    tags[is_code] = _PRE
    rows = rows[is_line]
    tags[rows[count_slots(page, slots, rows) == 0]] = _BREAK


def _retag_blocks(page: Page, slots: IntArray, tags: IntArray) -> None:
    likely = np.unique(nearest_elements(page, slots, {"code", "div", "pre"}))
    likely = likely[(likely >= 0) & (page.tags[likely] != _PRE)]
    if not len(likely):
        return
    holds_text = sum_spans(page.tags_in(_NOT_IN_CODE), likely, page.ends[likely]) > 0
    likely = likely[~holds_text & (nearest_elements(page, page.open_slots[likely], {"pre"}) < 0)]
    names, styles, *languages = page.read_attributes(likely, "class", "style", "data-lang", "data-language")
    marked = {i for i, value in names.items() if _BLOCK_CLASS.search(value)}.union(*languages)
    marked |= {i for i, value in styles.items() if page.tags[i] != _DIVISION and _BLOCK_STYLE.search(value)}
    # Of blocks inside each other, the innermost is code, so that each text is read once.
    for i in watched(innermost(page, sorted(marked.intersection(likely.tolist())))):
        start, stop = int(page.open_slots[i]), int(page.close_slots[i])
        texts = map(page.text_at, (page.slot_has_text[start:stop].nonzero()[0] + start).tolist())
        if "\n" in "".join(texts).strip():
            tags[i] = _PRE


def find_values(
    page: Page, elements: IntArray, matches: Callable[[str], object], *names: str
) -> Iterator[tuple[int, str]]:
    """Yield each element and value of one of the attributes *names* for which *matches* is true."""
    for column in page.read_attributes(elements, *names):
        chosen = {*filter(matches, watched([*{*column.values()}]))}  # most elements share their values
        if chosen:
            yield from ((i, value) for i, value in watched(column.items(), len(column)) if value in chosen)
