"""Notes and their marks: a mark links to a note, and the note links back to the mark."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import BoolArray, IntArray
from scrapy_web2text.common.budget import watched
from scrapy_web2text.content.structure import elements_around, nearest_elements
from scrapy_web2text.extraction import Label
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence, labels_to_mask
from scrapy_web2text.page.tree import iter_texts

_MARK: Final = re.compile(r"[\[(]?(?:\d{1,4}[a-z]?|[a-z]|[*\u2020\u2021\u00a7]{1,3})[\])]?|\[\w{1,8}(?: \w{1,4})?\]")
# Some pages lead to their notes by their whole URL.
_TARGET: Final = re.compile(r"(?:[^#]{1,2000}(?=#[^#]{0,20}(?:cite|fn|ftn|note|ref)))?#(.+)", re.DOTALL)
_LETTER: Final = re.compile(r"[^\W\d_]")
_SIGN: Final = re.compile(r"\w{1,8}")
_LONGEST: Final = 60  # characters of a link
_MOST_AROUND: Final = 4  # elements around a link that can have the name that other links lead to
_MOST_BACK: Final = 5  # links back from a note that are looked at for each mark
_MOST_NOTES: Final = 12  # blocks of notes that belong to the content without evidence of their own
_LONGEST_BACK: Final = 4  # characters of a number or a sign that leads back
_MOST_INSIDE: Final = 10  # elements in an element that holds only a link back
_BACK_CLASS: Final = re.compile(r"(?i)back-?(?:link|ref)")
# The text of a link back: a sign, a letter or a number, or one of several numbers such as 1.0; or words such as "back".
_BACK: Final = re.compile(
    r"[\W_]*\w{0,3}[\W_]*|\D{0,20}\d{1,4}\.\d{1,3}|(?i:.*\b(?:back|jump|return|retour|volver|zurück)\b.*)"
)


@dataclass(frozen=True)
class Notes:
    """The notes in the content of a page.

    :param marks: the name of the note that a link leads to, by the element of the link.
    :param items: the name of each note that is an item of a list, by the element of the item.
    :param starts: the name of each other note, by the slot of its first text.
    :param in_back_links: which slots are in links from notes to their marks; None if there are none.
        *Shape:* ``(2 * n_elements,)``
    """

    marks: Mapping[int, str] = field(default_factory=dict)
    items: Mapping[int, str] = field(default_factory=dict)
    starts: Mapping[int, str] = field(default_factory=dict)
    in_back_links: BoolArray | None = None


def find_notes(page: Page, slots: IntArray, marked: IntArray | None = None) -> Notes:
    """Return the notes among the texts at *slots*, which are in document order. *Shape:* ``(k,)``

    :param marked: the slots of the texts that can be marks; default: *slots*.
    """
    marks = _read_targets(page, elements_around(page, slots if marked is None else marked, {"a"}))
    if not marks:  # as on most pages
        return Notes()
    return _Finder(page, slots, _read_targets(page, page.tags_in({"a"}).nonzero()[0])).find(marks)


def join_notes(page: Page, blocks: BlockSequence, labels: IntArray) -> IntArray:
    """Return *labels* with CONTENT for the notes with a mark in the content. *Shapes:* ``(n,)`` each"""
    block_of, slots = blocks.leaf_blocks, page.leaf_slots[blocks.leaves]
    notes = find_notes(page, slots, slots[labels_to_mask(labels)[block_of]])
    if not notes.marks:  # as on most pages
        return labels
    is_note = np.isin(slots, [*notes.starts]) | page.mark_inside(notes.items)[slots]
    found = np.unique(block_of[is_note])
    if len(found) > _MOST_NOTES and 3 * labels_to_mask(labels[found]).sum() < len(found):
        return labels  # references, which the labels leave out
    joined = labels.copy()
    joined[found] = Label.CONTENT
    return joined


def _read_targets(page: Page, links: IntArray) -> dict[int, str]:
    """Return the name that each of *links* leads to within the page, by the element of the link."""
    urls = page.read_attributes(links, "href")[0]
    found = ((i, _TARGET.fullmatch(url)) for i, url in watched(urls.items(), len(urls)))
    return {i: match[1] for i, match in found if match}


class _Finder:
    """Pairs the links of a page.

    :param targets: the name that each link leads to, by the element of the link.
    """

    def __init__(self, page: Page, slots: IntArray, targets: Mapping[int, str]) -> None:
        self._page, self._slots = page, slots
        self._target_of = self._find_targets(targets)
        self._links_at = defaultdict[int, list[int]](list)  # by the elements that can have their names
        for link in watched(self._target_of):
            for element in self._places(link):
                self._links_at[element].append(link)

    def _find_targets(self, names: Mapping[int, str]) -> dict[int, int]:
        """Return the element that each link leads to, by the element of the link."""
        page, found = self._page, dict[str, int]()
        for column in page.read_attributes(np.arange(page.n_elements), "id", "name"):
            for i, name in watched(column.items(), len(column)):
                found.setdefault(name, i)
        return {link: found[name] for link, name in names.items() if name in found}

    def _places(self, link: int) -> Iterator[int]:
        """Yield the elements that can have the name of *link*: the link, its neighbors, and the elements around it."""
        yield link
        if link + 1 < self._page.ends[link]:
            yield link + 1
        if self._page.parents[link - 1] == self._page.parents[link]:
            yield link - 1
        yield from self._around(link)

    def _around(self, link: int) -> Iterator[int]:
        """Yield the innermost elements around *link*, except the root."""
        around = link
        for _ in range(_MOST_AROUND):
            around = int(self._page.parents[around])
            if around <= 0:
                return
            yield around

    def find(self, marks: Collection[int]) -> Notes:
        """Return the notes that have a text besides the link back.

        :param marks: the links that can be marks.
        """
        pairs = [*self._pair(marks)]
        if not pairs:
            return Notes()
        page, slots = self._page, self._slots
        in_back_links = page.mark_inside([self._widen(back) for _, _, back in watched(pairs)])
        texts = slots[~in_back_links[slots]]
        all_texts = (page.slot_has_text & ~in_back_links).nonzero()[0]  # also texts that are not content
        places = page.open_slots[sorted(back for _, _, back in pairs)]
        names, starts, used = dict[int, str](), dict[int, str](), {""}
        for mark, note, back in watched(pairs):
            first, stop = all_texts.searchsorted([page.open_slots[note], page.close_slots[note]]).tolist()
            start = self._find_start(note, back if first == stop else None, texts, places)
            if start is None:
                continue
            if start not in starts:
                sign = "".join(_SIGN.findall(self._text(mark))[:1])
                starts[start] = sign if sign not in used else f"note-{len(starts) + 1}"
                used.add(starts[start])
            names[mark] = starts[start]
        items = nearest_elements(page, np.array([*starts], dtype=np.int64), {"li"}).tolist()
        placed = [*zip(items, starts.items(), strict=True)]
        return Notes(
            names,
            {item: name for item, (_, name) in placed if item >= 0},
            {start: name for item, (start, name) in placed if item < 0},
            in_back_links,
        )

    def _pair(self, marks: Collection[int]) -> Iterator[tuple[int, int, int]]:
        """Yield each mark with the element of its note and the link back."""
        # A mark in code or in another link is not written as one.
        n_around = self._page.count_enclosing(self._page.tags_in({"a", "code", "pre"}))
        for mark in watched(marks):
            note = self._target_of.get(mark)
            if note is None or n_around[self._page.open_slots[mark]] > 1 or not _MARK.fullmatch(self._text(mark)):
                continue
            places = {*self._places(mark)}
            for back in self._links_at[note][:_MOST_BACK]:
                if back > mark and self._target_of[back] in places and _BACK.fullmatch(self._text(back)):
                    yield mark, note, back
                    break

    def _widen(self, back: int) -> int:
        """Return the outermost element that holds only a link back."""
        for around in self._around(back):
            is_named = _BACK_CLASS.search(self._page.elements[around].get("class") or "") is not None
            # "Jump up" leads back, but "Jump up. The note." is all of a note.
            rest = self._text(around).replace(self._text(back), "", 1)
            is_longer = len(rest) > _LONGEST_BACK or len(_LETTER.findall(rest)) > 1
            if not is_named and (is_longer or not _BACK.fullmatch(self._text(around))):
                break
            back = around
        return back

    def _text(self, element: int) -> str:
        """Return the text of an element, cut off where it is too long for a link."""
        if self._page.ends[element] - element > _MOST_INSIDE:
            return "x" * (_LONGEST + 1)  # no mark, and no link back
        return "".join(iter_texts(self._page.elements[element]))[: _LONGEST + 1].strip()

    def _find_start(self, note: int, back: int | None, texts: IntArray, places: IntArray) -> int | None:
        """Return the slot of the first text in the element *note*, else of the first text after *back*, else None.

        :param back: the link back from a note whose text is not in its own element; else None.
        :param texts: the slots of all texts outside of links back.
        :param places: the slots of all links back.
        """
        page = self._page
        first, stop = texts.searchsorted([page.open_slots[note], page.close_slots[note]]).tolist()
        if first == stop and back is not None:
            following = places.searchsorted(page.open_slots[back], side="right")
            end = places[following] if following < len(places) else 2 * page.n_elements
            first, stop = texts.searchsorted([page.close_slots[back], end]).tolist()
        return int(texts[first]) if first < stop else None
