"""The tree that browsers build of a page, if it differs from the tree of libxml2.

The HTML Standard (section 13.2.6) ends the head before the first element that it cannot have, and an SVG image or a
formula before the first element of HTML inside it; libxml2 does neither. A shadow root that is written into the page
takes the place of the children of its host, which are shown where it has a ``slot`` for them (DOM Standard, 4.2.2).
Few pages are like this. They are read a second time, and their tags are put into another order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from lxml import etree

from scrapy_web2text.common.arrays import IntArray
from scrapy_web2text.common.budget import check_time, watched
from scrapy_web2text.page import reader
from scrapy_web2text.page.tags import TEMPLATE, tag_ids, tag_table
from scrapy_web2text.page.tree import find_shown, local_name

_FOREIGN: Final = frozenset({"math", "svg"})
# HTML Standard, 13.2.6.5: the start tags that end an SVG image or a formula; `font` does so with one of its attributes.
_BREAKOUTS: Final = frozenset(
    """b big blockquote body br center code dd div dl dt em embed font h1 h2 h3 h4 h5 h6 head hr i img li menu meta nobr
    ol p pre ruby s small span strike strong sub sup table tt u ul var""".split()
)
_FONT_ATTRIBUTES: Final = frozenset({"color", "face", "size"})
# The elements that contain HTML.
_INTEGRATION_POINTS: Final = {
    "svg": frozenset({"desc", "foreignobject", "title"}),
    "math": frozenset({"mi", "mn", "mo", "ms", "mtext"}),
}
_SHADOW_MODES: Final = frozenset({"closed", "open"})
# DOM Standard, 4.9: the elements that can have a shadow root, besides elements with a hyphen in their name.
_HOSTS: Final = frozenset(
    "article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span".split()
)
_N_BETWEEN_CHECKS: Final = 1_000  # items


class ParsedArrays(NamedTuple):
    """The arrays of a document, or of a part of one, as libxml2 has read it.

    :param fields: the fields of `Page` that are read from the elements.
    """

    elements: Sequence[etree._Element]
    names: list[str]
    fields: dict[str, Any]


def differs_in_browsers(source: ParsedArrays) -> bool:
    """Return whether a browser may build another tree of the elements of *source*."""
    if "template" in source.names and _find_shadows(source):
        return True
    if _FOREIGN.isdisjoint(source.names):
        return False
    tags, open_slots = source.fields["tags"], source.fields["open_slots"]
    is_foreign = tag_table(_FOREIGN)[tags]
    is_inside = reader.count_enclosing(is_foreign, open_slots, source.fields["close_slots"])[open_slots] > is_foreign
    return bool((is_inside & tag_table(_BREAKOUTS)[tags]).any())


def _find_shadows(source: ParsedArrays) -> dict[int, int]:
    """Return the shadow roots by their hosts."""
    (templates,) = (source.fields["tags"] == TEMPLATE).nonzero()
    (modes,) = reader.read_values(source.elements, templates, ("shadowrootmode",))
    shadows: dict[int, int] = {}
    for template, mode in watched([*modes.items()]):
        host = int(source.fields["parents"][template])
        name = local_name(source.names[source.fields["name_numbers"][host]]) if host >= 0 else ""
        if mode.lower() in _SHADOW_MODES and (name in _HOSTS or "-" in name):
            shadows.setdefault(host, template)
    return shadows


def order_like_browsers(
    source: ParsedArrays, is_leaf: Callable[[str], bool]
) -> tuple[IntArray, IntArray, dict[str, Any]]:
    """Return the elements and the texts of a whole document in the order of a browser.

    :param source: the document, with the texts in its templates.
    :param is_leaf: function that says whether a text is more than whitespace.
    :returns: the elements that are shown, as indices; the slot of *source* whose text each slot has, -1 for none or
        several; and the fields of `Page`. *Shapes:* ``(n,)``, ``(2n,)``
    """
    walk = _Walk(source)
    walk.read_document()
    return walk.order, walk.slots, walk.to_fields(is_leaf)


class _Open:
    """An element that a walk is inside of.

    :param index: its new index.
    :param items: what is left of its content.
    :param language: ``html``, ``svg`` or ``math``: what its content is.
    """

    def __init__(self, index: int, items: list[int], language: str) -> None:
        self.index = index
        self.items = iter(items)
        self.language = language
        self.is_closed = False  # by an element inside it


class _Walk:
    """Lists the tags of a document as a browser nests them.

    An *item* is an element, by its index, or the text at a slot, by the complement ``~slot``.
    """

    def __init__(self, source: ParsedArrays) -> None:
        self._source = source
        fields = source.fields
        self._ends, self._open_slots, self._close_slots = (
            fields[name].tolist() for name in ("ends", "open_slots", "close_slots")
        )
        local_names = [*map(local_name, source.names)]
        self._names = [local_names[number] for number in fields["name_numbers"].tolist()]
        self._has_text = fields["slot_has_text"].tolist()
        self._texts = dict(zip(fields["leaf_slots"].tolist(), fields["texts"], strict=True))
        self._shadows = _find_shadows(source)
        self._slotted = self._fill_slots()
        # The elements in their new order.
        self._order: list[int] = []
        self._tags = reader.TagColumns()
        self._slot_texts: list[list[int]] = []  # the slots of the source
        self._open: list[_Open] = []  # without closed elements
        self._n_templates = 0

    def _fill_slots(self) -> dict[int, list[int]]:
        """Return the children of a host that each slot of its shadow root shows; other slots show their own content."""
        source, tags = self._source, self._source.fields["tags"]
        offered = {template: self._list_offered(host) for host, template in watched([*self._shadows.items()])}
        (slots,) = (tags == tag_ids(("slot",))[0]).nonzero()
        templates = reader.find_nearest(tags == TEMPLATE, source.fields["parents"], slots)
        (names,) = reader.read_values(source.elements, slots, ("name",))
        slotted = {}
        for slot, template in watched([*zip(slots.tolist(), templates.tolist(), strict=True)]):
            items = offered.get(template, {}).pop(names.get(slot, ""), None)
            if items:
                slotted[slot] = items
        return slotted

    def _list_offered(self, host: int) -> dict[str, list[int]]:
        """Return the children of *host* by the names of their slots; the slot of texts has the name ""."""
        offered: dict[str, list[int]] = defaultdict(list)
        for item in self._list_content(host):
            if item < 0 and self._has_text[~item]:
                offered[""].append(item)
            elif item >= 0 and self._names[item] not in ("", "template"):
                offered[self._source.elements[item].get("slot", "")].append(item)
        return offered

    def _list_content(self, element: int) -> list[int]:
        """Return the children of *element* in the tree, with the text before the first and after each."""
        items = [~self._open_slots[element]]
        child, end = element + 1, self._ends[element]
        while child < end:
            items += (child, ~self._close_slots[child])
            child = self._ends[child]
        return items

    def read_document(self) -> None:
        """Read the body or, if it is missing, the root. The rest that a browser shows comes before and after it."""
        if self._names[0] != "html":
            self._read(0, self._list_shown(0))
            return
        items = self._list_content(0)
        # The elements after the root can have a body, too.
        end = min(self._source.fields["strays"].tolist(), default=len(self._names))
        body = next((item for item in items if 0 <= item < end and self._names[item] == "body"), -1)
        before: list[int] = []
        after: list[int] = []
        found = before
        for item in items:
            if item == body:
                found = after
            elif item >= 0 and self._names[item] == "head":
                found += self._list_shown_of_head(item)
            else:
                after.append(item)
        if body < 0:
            self._read(0, before + after)
        else:
            self._read(body, before + self._list_shown(body) + after)

    def _list_shown_of_head(self, head: int) -> list[int]:
        shown = reader.mark_elements(self._source.elements, find_shown(self._source.elements[head])).nonzero()[0]
        return [item for child in shown.tolist() for item in (child, ~self._close_slots[child])]

    def _list_shown(self, element: int) -> list[int]:
        """Return what a browser shows inside *element*."""
        slotted = self._slotted.get(element)
        return self._list_content(self._shadows.get(element, element)) if slotted is None else slotted

    def _read(self, first: int, items: list[int]) -> None:
        """Read an element that contains *items*."""
        self._start(first, items)
        inside = [self._open[0]]
        n_read = 0
        while inside:
            n_read += 1
            if n_read % _N_BETWEEN_CHECKS == 0:
                check_time()
            item = next(inside[-1].items, None)
            if item is None:
                if not inside.pop().is_closed:
                    self._end()
            elif item >= 0:
                self._start(item, self._list_shown(item))
                inside.append(self._open[-1])
            elif self._has_text[~item] and not self._n_templates:
                self._slot_texts[-1].append(~item)

    def _start(self, element: int, items: list[int]) -> None:
        name = self._names[element]
        is_plain_font = name == "font" and _FONT_ATTRIBUTES.isdisjoint(self._source.elements[element].keys())
        if name in _BREAKOUTS and not is_plain_font:
            while len(self._open) > 1 and self._language != "html":
                self._end().is_closed = True
        index = self._tags.start(self._open[-1].index if self._open else -1)
        self._order.append(element)
        self._slot_texts.append([])
        self._n_templates += name == "template"
        self._open.append(_Open(index, items, self._language_inside(element, name)))

    def _end(self) -> _Open:
        ended = self._open.pop()
        self._n_templates -= self._names[self._order[ended.index]] == "template"
        self._tags.end(ended.index)
        self._slot_texts.append([])
        return ended

    @property
    def _language(self) -> str:
        return self._open[-1].language if self._open else "html"

    def _language_inside(self, element: int, name: str) -> str:
        language = self._language
        if language == "html":
            return name if name in _FOREIGN else "html"
        if name == "annotation-xml":
            return "html" if "html" in self._source.elements[element].get("encoding", "").lower() else language
        return "html" if name in _INTEGRATION_POINTS[language] else language

    @property
    def order(self) -> IntArray:
        """The elements that are shown, as indices. *Shape:* ``(n,)``"""
        return np.array(self._order, dtype=np.int64)

    @property
    def slots(self) -> IntArray:
        """The slot of the source whose text each slot has; -1 for none or several. *Shape:* ``(2n,)``"""
        known = ([slot for slot in slots if slot in self._texts] for slots in watched(self._slot_texts))
        return np.array([slots[0] if len(slots) == 1 else -1 for slots in known], dtype=np.int64)

    def to_fields(self, is_leaf: Callable[[str], bool]) -> dict[str, Any]:
        """Return the fields of `Page` that are read from the elements."""
        fields, order = self._source.fields, self.order
        # The source lacks texts of whitespace, although they separate other texts.
        texts = ["".join([self._texts.get(slot, " ") for slot in slots]) for slots in watched(self._slot_texts)]
        leaf_slots = [slot for slot, text in enumerate(texts) if text and is_leaf(text)]
        columns = {**self._tags.columns, "leaf_slots": leaf_slots, "strays": []}
        return {
            **{name: np.array(values, dtype=np.int64) for name, values in columns.items()},
            "name_numbers": fields["name_numbers"][order],
            "tags": fields["tags"][order],
            "slot_has_text": np.array([*map(bool, texts)], dtype=bool),
            "texts": [texts[slot] for slot in leaf_slots],
        }
