"""Which texts of a page a reader does not see, by what the page itself says.

Style sheets in other files and scripts can hide and show more: neither is read. What a reader opens counts as seen: the
answer below its question, the panel of a tab, a spoiler.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

import numpy as np
from lxml import etree

from scrapy_web2text.common.arrays import BoolArray, IntArray
from scrapy_web2text.common.budget import watched
from scrapy_web2text.page.arrays import HEADING_TAGS, Page

_LONGEST: Final = 1_000  # characters of an attribute that are read
_LARGEST_SHEETS: Final = 500_000  # characters of all style sheets of a page that are read
_HIDING: Final = re.compile(
    r"""(?<![\w-])(?:
        display\s*:\s*none(?![\w-])
        |font-size\s*:\s*0(?:\.0*)?(?:[a-z]{2,4}|%)?\s*(?:[;!]|$)
        |(?:left|right|top|margin-left|margin-top)\s*:\s*-\d{4,}
        |clip\s*:\s*rect\(\s*(?:[01](?:px)?[\s,]*){4}\)
        |clip-path\s*:\s*inset\(\s*(?:50|100)%
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_INVISIBLE: Final = re.compile(r"(?<![\w-])visibility\s*:\s*(?:hidden|collapse)", re.IGNORECASE)
_INDENTED: Final = re.compile(r"(?<![\w-])text-indent\s*:\s*-\d{3,}", re.IGNORECASE)
_EMPTY_BOX: Final = re.compile(r"(?<![\w-])(?:max-)?(?:width|height)\s*:\s*[01](?:px)?\s*(?:[;!]|$)", re.IGNORECASE)
_CLIPPED: Final = re.compile(r"(?<![\w-])overflow(?:-[xy])?\s*:\s*(?:hidden|clip)", re.IGNORECASE)
# Class names of text that is written for screen readers alone.
_UNSEEN_NAMES: Final = frozenset(
    """a11y-hidden assistive-text element-invisible screen-reader screen-reader-only screen-reader-text
    screenreader-only show-for-sr sr-only u-hidden-visually u-visually-hidden visually-hidden visuallyhidden""".split()
)
_SIGNS: Final = {name: i for i, name in enumerate(("style", "hidden", "aria-hidden", "open", "role"))}
_OPENER_ATTRIBUTES: Final = dict.fromkeys(("aria-controls", "data-target", "data-bs-target", "href"), 0)
# What screen readers skip is often shown: prices, icons, links, titles of cards.
_INLINE: Final = frozenset(
    "a abbr b button cite code del em i img ins label s small span strike strong sub sup".split()
)
# The text of these is indented away where an image takes its place.
_WITH_IMAGE: Final = frozenset({"a", "button", *HEADING_TAGS})
_PANEL_NAME: Final = re.compile(
    r"accordion|carousel|collaps|full-?text|read-?more|slick|slide|spoiler|swiper|tab-?(?:content|pane|panel)",
    re.IGNORECASE,
)
_MOST_PANELS: Final = 200  # elements whose surroundings are looked at
_PANEL_TAGS: Final = frozenset("article dd div li ol section ul".split())
_MENUS: Final = frozenset({"nav", "header", "footer", "dialog"})
_LONGEST_OPENER: Final = 300  # characters of its text
# The id of a part that React streams: a script moves it to its place.
_STREAMED: Final = re.compile(r"S:[0-9a-f]+")

_OPENERS: Final = etree.XPath(
    "boolean(descendant-or-self::*[self::button or self::summary or self::input or @onclick or @aria-expanded"
    " or @role = 'button'])"
)
_HEADINGS: Final = etree.XPath(
    f"boolean(descendant-or-self::*[{' or '.join(f'self::{tag}' for tag in ('dt', *HEADING_TAGS))}])"
)
_SHOWING: Final = re.compile(r"(?<![\w-])(?:display|visibility)\s*:", re.IGNORECASE)
_SCREENS: Final = ("", "all", "screen")
_MOST_NAMES: Final = 200  # that sheets are searched for
_SIMPLE_SELECTOR: Final = re.compile(r"[.#][A-Za-z_][\w-]*")
_IN_NAME: Final = re.compile(r"[\w-]")
_HIDING_TEXTS: Final = ("display:none", "display: none", "visibility:hidden", "visibility: hidden")


def mark_hidden_slots(page: Page, leaves: IntArray) -> BoolArray | None:
    """Return which slots of *page* are inside a hidden element; None if no element around *leaves* is hidden.

    *Shapes:* ``(k,)`` -> ``(2 * n_elements,)``
    """
    first, stop = page.leaf_ranges(leaves)
    hidden = _find_hidden(page, np.flatnonzero(first < stop))
    if not hidden:
        return None
    chosen = np.zeros(page.n_elements, dtype=bool)
    chosen[hidden] = True
    is_inside: BoolArray = page.count_enclosing(chosen) > 0
    return is_inside


def _find_hidden(page: Page, elements: IntArray) -> list[int]:
    """Return those of *elements* that are hidden by themselves, not by one around them. *Shape:* ``(h,)``"""
    style, hidden, aria_hidden, is_open, role = values = [dict[int, str]() for _ in _SIGNS]
    rows = page.attribute_values(elements, _SIGNS)
    for owner, number, value in watched(zip(*rows, strict=True), len(rows[0])):
        values[number][owner] = value[:_LONGEST]
    with_image, inline = page.tags_in(_WITH_IMAGE), page.tags_in(_INLINE)
    classes = _read_column(page, elements, "class")
    all_names = "\n".join(classes.values())
    unseen = set[int]()
    if any(name in all_names for name in _UNSEEN_NAMES):  # on one page of four
        unseen = {i for i, value in classes.items() if not _UNSEEN_NAMES.isdisjoint(value.split())}
    closed = {i for i, value in style.items() if _hides(value, has_image=bool(with_image[i]))}
    closed -= {i for i in closed if _is_undone(i, style, page)}
    closed |= {i for i, value in hidden.items() if value.lower() != "until-found"}
    closed |= {i for i in np.flatnonzero(page.tags_in({"dialog"})).tolist() if i not in is_open}
    by_sheet = _find_in_sheets(page, classes, elements)
    closed |= {i for i in by_sheet if _SHOWING.search(style.get(i, "")) is None}
    # Scripts show these when they animate a page, and readers may see what screen readers skip; but not a single one.
    unclear = {i for i, value in style.items() if _INVISIBLE.search(value)}
    unclear |= {i for i, value in aria_hidden.items() if value.lower() == "true" and not (inline[i] or with_image[i])}
    if not closed and not unclear:
        return sorted(unseen)
    tags = page.tags.tolist()
    n_alike = Counter((tags[i], classes.get(i)) for i in closed | unclear)
    is_single = {i: n_alike[tags[i], classes.get(i)] == 1 for i in closed | unclear}
    closed |= {i for i in unclear if is_single[i] and "-" not in page.names[page.name_numbers[i]]}
    panels = _find_panels(page, closed, classes, _read_column(page, elements, "id"), is_single)
    panels |= {i for i, value in role.items() if value == "tabpanel"}
    in_menu = page.count_enclosing(page.tags_in(_MENUS))[page.open_slots] > 0
    in_details = page.count_enclosing(page.tags_in({"details"}))[page.open_slots] > 0
    return sorted(unseen | {i for i in closed if in_menu[i] or not (in_details[i] or i in panels)})


def _find_panels(
    page: Page, closed: set[int], classes: dict[int, str], ids: dict[int, str], is_single: dict[int, bool]
) -> set[int]:
    """Return which of the elements *closed* a reader or a script opens, by their names and what is before them.

    :param is_single: whether no other closed element has the same tag and class.
    """
    panels = {i for i in closed if _PANEL_NAME.search(classes.get(i, "")) or _STREAMED.fullmatch(ids.get(i, ""))}
    panels |= _find_controlled(page, {i: ids[i] for i in closed if i in ids})
    may_open = page.tags_in(_PANEL_TAGS)
    near = [i for i in sorted(closed) if may_open[i]][:_MOST_PANELS]
    return panels | {i for i in watched(near) if _follows_opener(page.elements[i], is_single=is_single[i])}


def _read_column(page: Page, elements: IntArray, name: str) -> dict[int, str]:
    """Return the attribute *name* of each of *elements* that has it. *Shape:* ``(h,)``"""
    owners, _, values = page.attribute_values(elements, {name: 0})
    return {owner: value[:_LONGEST] for owner, value in zip(owners, values, strict=True)}


def _is_undone(element: int, style: dict[int, str], page: Page) -> bool:
    """Return whether an element without a size of letters has one inside that sets it, as in e-mails."""
    if "font-size" not in style[element].lower() or "none" in style[element]:
        return False
    inside = range(element + 1, min(int(page.ends[element]), element + _MOST_PANELS))
    return any("font-size" in style.get(i, "").lower() for i in inside)


def _hides(style: str, *, has_image: bool) -> bool:
    """Return whether the inline *style* of an element hides its text.

    :param has_image: whether text that is indented away has an image in its place.
    """
    if _HIDING.search(style) or (_INDENTED.search(style) and not has_image):
        return True
    return _EMPTY_BOX.search(style) is not None and _CLIPPED.search(style) is not None and "min-" not in style


def _find_in_sheets(page: Page, classes: dict[int, str], elements: IntArray) -> set[int]:
    """Return the elements that a rule of a style sheet in the page hides on all screens, if no rule shows them."""
    sheets = [
        _drop_comments(sheet.text)
        for sheet in watched(page.document_landmarks.styles)
        if sheet.text and sheet.get("media", "all").lower() in _SCREENS and _is_read(sheet)
    ]
    names = (
        {name for sheet in sheets for name in _list_hiding(sheet)} if sum(map(len, sheets)) <= _LARGEST_SHEETS else ()
    )
    if not names:
        return set()
    ids = {i: f"#{value}" for i, value in _read_column(page, elements, "id").items()} if "#" in "".join(names) else {}
    used = {f".{name}" for value in {*classes.values()} for name in value.split()}.union(ids.values())
    common = sorted(used.intersection(names))[:_MOST_NAMES]
    hiding = {name for name in watched(common) if all(_hides_always(sheet, name) for sheet in sheets)}
    if not hiding:  # on most pages
        return set()
    found = {i for i, value in classes.items() if not hiding.isdisjoint([f".{name}" for name in value.split()])}
    return found | {i for i, name in ids.items() if name in hiding}


def _drop_comments(sheet: str) -> str:
    start, *others = sheet.split("/*")
    return start + "".join(other.partition("*/")[2] for other in others)


def _is_read(sheet: etree._Element) -> bool:
    """Return whether browsers read a style sheet: not for pages without scripts."""
    return next(sheet.iterancestors("noscript"), None) is None


def _list_hiding(sheet: str) -> Iterator[str]:
    """Yield the simple selectors of all rules that hide something, found without reading the other rules."""
    for text in _HIDING_TEXTS:
        end = sheet.find(text)
        while end >= 0:
            start = sheet.rfind("{", max(end - _LONGEST, 0), end)
            selector = sheet[max(start - _LONGEST, 0) : max(start, 0)].rpartition("}")[2].rpartition(";")[2]
            yield from filter(_SIMPLE_SELECTOR.fullmatch, map(str.strip, selector.split(",")))
            end = sheet.find(text, end + 1)


def _hides_always(sheet: str, name: str) -> bool:
    """Return whether all rules with the simple selector *name* that show or hide something hide it on all screens."""
    depth = end = 0
    while (start := sheet.find(name, end)) >= 0:
        depth += sheet.count("{", end, start) - sheet.count("}", end, start)
        end = start + len(name)
        if _IN_NAME.match(sheet, end):
            continue
        opening = sheet.find("{", end, end + _LONGEST)
        declarations = sheet[opening + 1 : opening + _LONGEST].partition("}")[0] if opening >= 0 else ""
        if _HIDING.search(declarations) or _INVISIBLE.search(declarations):
            if depth:  # in a rule such as @media
                return False
        elif "display" in declarations or "visibility" in declarations:
            return False
    return True


def _find_controlled(page: Page, ids: dict[int, str]) -> set[int]:
    """Return the elements that a link or button opens, by their ids."""
    if not ids:
        return set()
    _, _, values = page.attribute_values(np.arange(page.n_elements), _OPENER_ATTRIBUTES)
    opened = {name.lstrip("#") for value in watched(values) for name in value[:_LONGEST].split()}
    return {i for i, value in ids.items() if value in opened}


def _follows_opener(element: etree._Element, *, is_single: bool) -> bool:
    """Return whether what is before *element*, or before its parent, opens it: a button, or headings of several."""
    before = _previous(element)
    if before is None and (parent := element.getparent()) is not None:
        before = _previous(parent)
    if before is None or len("".join(before.itertext()).strip()) > _LONGEST_OPENER:
        return False
    return bool(_OPENERS(before)) or (not is_single and bool(_HEADINGS(before)))


def _previous(element: etree._Element) -> etree._Element | None:
    """Return the sibling before *element*, except for scripts, style sheets and comments."""
    siblings = element.itersiblings("*", preceding=True)
    return next((node for node in siblings if node.tag not in ("script", "style")), None)
