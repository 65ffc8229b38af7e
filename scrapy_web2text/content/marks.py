"""Texts in a line that are not read as they are written: ruby, marks of notes, sidenotes, cents, tips, boxes."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import IntArray
from scrapy_web2text.common.budget import watched
from scrapy_web2text.content.code_blocks import find_values
from scrapy_web2text.content.content import Content
from scrapy_web2text.content.structure import count_ends, elements_around, find_gaps, innermost, nearest_elements
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.invisible import is_unseen
from scrapy_web2text.page.tags import TAG_NAMES, tag_ids

_SUPERSCRIPT, _PLAIN = tag_ids(("sup", "span")).tolist()

_LONGEST_MARK: Final = 5  # characters
_LONGEST_READING: Final = 100  # characters
_BEFORE_MARK: Final = re.compile(r"(?:[^\s(\[{<,–-]|[^\d\s],)\Z")  # not in a list or a range of numbers
_MARK: Final = re.compile(r"[0-9]{1,3}|[*†‡§]|\[[0-9a-z*†‡§]{1,3}\]")

_CENTS: Final = re.compile("[0-9]{2}")
_SMALL: Final = re.compile(r"(?i)cent|decimal|fraction|\bsup\b")
_CURRENCY: Final = r"(?:[$£€¥₹]|\b[A-Z]{3}\b)"
_PRICE: Final = re.compile(rf"{_CURRENCY}\s*[0-9][0-9.,]{{0,12}}$")
_AMOUNT: Final = re.compile(r"(?<![0-9.,])[0-9][0-9.,]{0,12}$")
_CURRENCY_AFTER: Final = re.compile(rf"\s*{_CURRENCY}")
_LONGEST_PRICE: Final = 20  # characters

# A line break in the source between two characters of Chinese or Japanese, after a text long enough to be wrapped.
_EAST_ASIAN: Final = (
    "\u2014\u2018\u2019\u201c\u201d\u2026\u3001-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff\uff01-\uff9f"
    "\U00020000-\U0003ffff"
)
_WRAPPED: Final = re.compile(rf"\r?\n(?<=[{_EAST_ASIAN}\r]{{8}}\n)[ \t\r\n]*+(?=[{_EAST_ASIAN}])")

_SIDENOTE: Final = re.compile(r"(?i)(?<![\w-])(?:side|margin)-?note(?:-?(?:text|content|body))?(?![\w-])")
_MOST_NOTES: Final = 100
_TIP: Final = re.compile(
    r"(?i)(?:tool-?tip|pop-?(?:up|over)|hover)(?:-?(?:text|content|container|card|info|body))?|tip"
)


def rewrite_marks(content: Content) -> Content:
    """Return *content* with marks and insertions rewritten as a person reads them.

    - Pronunciations in ``ruby``, the tips of code and invisible texts are left out.
    - Lines of Chinese and Japanese that are wrapped in the source are joined without a space.
    - A link to a note becomes a superscript if its text is a number or a sign right after a word.
    - Cents that are only written smaller get a separator before them.
    - A note beside the text is put in parentheses, or left out if the content has it twice.
    - The box of a task is written before the task.
    """
    page = content.page
    marks = _Marks(content)
    marks.join_wrapped()
    marks.rewrite_short()
    marks.rewrite_notes()
    marks.write_task_boxes()
    marks.omit_readings()
    marks.omitted[_find_tips(page, content.slots)] = True
    return marks.result()


class _Marks:
    """The texts of *content*, and the changes of the texts and of the elements around them."""

    def __init__(self, content: Content) -> None:
        self._content = content
        self._page = content.page
        self._texts = [content.page.texts[leaf] for leaf in content.leaves.tolist()]
        self._changed: set[int] = set()  # the indices of changed texts
        self._tags: dict[int, int] = {}  # the new tags, by element
        self.omitted = np.zeros(content.page.n_elements, dtype=bool)

    def join_wrapped(self) -> None:
        """Join the lines of a text in a script without spaces, except in code."""
        broken = [i for i, text in enumerate(self._texts) if not text.isascii() and "\n" in text]
        wrapped = [i for i in broken if _WRAPPED.search(self._texts[i])]
        if not wrapped:
            return
        in_code = nearest_elements(self._page, self._content.slots[wrapped], {"pre", "textarea"}) >= 0
        for i, is_code in zip(wrapped, in_code.tolist(), strict=True):
            if not is_code:
                self._set(i, _WRAPPED.sub("", self._texts[i]))

    def rewrite_short(self) -> None:
        """Turn the marks of notes into superscripts, and put separators before cents."""
        texts = self._texts
        short = [
            i
            for i, text in enumerate(texts)
            if i and len(text) <= _LONGEST_MARK and not text[0].isspace() and _BEFORE_MARK.search(texts[i - 1][-2:])
        ]
        if not short:
            return
        slots = self._content.slots
        gaps, ends, owners = find_gaps(self._page, slots), count_ends(self._page, slots), self._page.owners(slots)
        for i in watched(short):
            if gaps[i] or ends[i] != ends[i - 1] or owners[i] == owners[i - 1]:
                continue
            element = int(owners[i])
            if self._is_note_mark(i, element):
                self._tags[element] = _SUPERSCRIPT
            elif self._is_cents(i, element):
                self._tags[element] = _PLAIN
                separator = "," if "." in texts[i - 1] else "."
                self._set(i, texts[i] if texts[i - 1][-1] in ".," else separator + texts[i])

    def _is_note_mark(self, i: int, element: int) -> bool:
        if TAG_NAMES[self._page.tags[element]] != "a" or not _MARK.fullmatch(self._texts[i]):
            return False
        is_superscript = self._page.tags[self._page.parents[element]] == _SUPERSCRIPT
        return not is_superscript and (self._page.elements[element].get("href") or "").startswith("#")

    def _is_cents(self, i: int, element: int) -> bool:
        if not _CENTS.fullmatch(self._texts[i]):
            return False
        is_small = TAG_NAMES[self._page.tags[element]] in ("sup", "small")
        if not is_small and not _SMALL.search(self._page.elements[element].get("class") or ""):
            return False
        before = "".join(self._texts[max(i - 3, 0) : i])[-_LONGEST_PRICE:]
        after = self._texts[i + 1] if i + 1 < len(self._texts) else ""
        if _PRICE.search(before):
            return True
        return _AMOUNT.search(before) is not None and _CURRENCY_AFTER.match(after) is not None

    def rewrite_notes(self) -> None:
        """Put notes beside the text in parentheses, or leave them out if the content has them twice."""
        page, slots = self._page, self._content.slots
        spans = elements_around(page, slots, {"small", "span"})
        marked = [i for i, _ in find_values(page, spans, _SIDENOTE.search, "class")]
        notes = innermost(page, marked)[:_MOST_NOTES]  # each is searched for in the whole text
        if not notes:
            return
        whole = "".join(self._texts)
        for element in watched(notes):
            start, stop = slots.searchsorted([page.open_slots[element], page.close_slots[element]]).tolist()
            self.omitted[element] = whole.count("".join(self._texts[start:stop]).strip()) > 1
            self._set(start, f" ({self._texts[start].lstrip()}")
            self._set(stop - 1, f"{self._texts[stop - 1].rstrip()}) ")

    def omit_readings(self) -> None:
        """Leave out the pronunciations of words, and the parentheses around them.

        Only short pronunciations on one line are left out: an ``rp`` without an end tag holds the rest of the page.
        """
        page, slots = self._page, self._content.slots
        if not len(elements_around(page, slots, {"ruby"})):
            return
        readings = page.tags_in({"rp", "rt"}).nonzero()[0]  # also those without content, which would leave spaces
        ends = np.append(count_ends(page, slots), -1)
        n_characters = np.cumsum([0, *map(len, self._texts)])
        first = slots.searchsorted(page.open_slots[readings])
        stop = slots.searchsorted(page.close_slots[readings])
        is_short = n_characters[stop] - n_characters[first] <= _LONGEST_READING
        self.omitted[readings[is_short & ((first == stop) | (ends[first] == ends[stop - 1]))]] = True

    def write_task_boxes(self) -> None:
        """Write the box at the beginning of each task as text, with its state.

        Renderers of Markdown disable the boxes of tasks. Other boxes are for the reader to tick, as in recipes.
        """
        page, slots = self._page, self._content.slots
        if "input" not in page.tag_names:
            return
        boxes = page.tags_in({"input"}).nonzero()[0]
        items = nearest_elements(page, page.open_slots[boxes], {"li"})
        for box, item in watched([*zip(boxes.tolist(), items.tolist(), strict=True)]):
            node = page.elements[box]
            first, stop = slots.searchsorted([page.open_slots[item], page.close_slots[item]]).tolist()
            is_first = item >= 0 and first < stop and page.open_slots[box] < slots[first]
            is_task = node.get("disabled") is not None or "task" in (node.get("class") or "")
            if is_first and is_task and (node.get("type") or "").lower() == "checkbox":
                self._set(first, f"[{' ' if node.get('checked') is None else 'x'}] {self._texts[first].lstrip()}")

    def _set(self, i: int, text: str) -> None:
        self._texts[i] = text
        self._changed.add(i)

    def result(self) -> Content:
        """Return the content with all changes."""
        page, content = self._page, self._content
        if self._tags:
            tags = page.tags.copy()
            tags[[*self._tags]] = [*self._tags.values()]
            page = replace(page, tags=tags)
        if self._changed:
            texts = page.texts.copy()
            for i in self._changed:
                texts[content.leaves[i]] = self._texts[i]
            page = replace(page, texts=texts)
        unseen = [i for i, text in enumerate(self._texts) if not text.isascii() and is_unseen(text)]
        if unseen or self.omitted.any():  # these texts leave no trace, not even a space
            omitted = page.count_enclosing(self.omitted) > 0
            omitted[content.slots[unseen]] = True
            page = replace(page, slot_has_text=page.slot_has_text & ~omitted)
            return replace(content, page=page).without(omitted)
        return content if page is content.page else replace(content, page=page)


def _find_tips(page: Page, slots: IntArray) -> IntArray:
    """Return the elements in code whose text is shown when the mouse is over another element. *Shape:* ``(s,)``"""
    pres = elements_around(page, slots, {"pre"})
    if not len(pres):
        return pres
    is_part = page.tags_in({"div", "span"})
    is_part &= page.count_enclosing(page.tags_in({"pre"}))[page.open_slots] > 0
    parts = is_part.nonzero()[0]
    classes, roles = page.read_attributes(parts, "class", "role")
    marked = {i for i, value in classes.items() if any(map(_TIP.fullmatch, value.split()))}
    # An element with a tip and the tip inside can have the same class name. Only the inner element is a tip.
    tips = {i for i in marked if int(page.parents[i]) in marked} | {i for i, role in roles.items() if role == "tooltip"}
    return np.array(sorted(tips), dtype=np.int64)
