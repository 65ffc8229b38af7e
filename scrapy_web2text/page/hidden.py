"""Which texts of a page a reader does not see, by what the page itself says.

Style sheets in other files and scripts can hide and show more: neither is read. What a reader opens counts as seen: the
answer below its question, the panel of a tab, a spoiler.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain, islice
from typing import Final

import numpy as np
from lxml import etree

from scrapy_web2text.common.arrays import BoolArray, IntArray
from scrapy_web2text.common.budget import watched
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.tags import HEADING_TAGS, TAG_NAMES

_LONGEST: Final = 1_000  # characters of an attribute that are read
_LARGEST_SHEETS: Final = 500_000  # characters of all style sheets of a page that are read
# One of these is in each style that hides.
_SUSPECT: Final = re.compile(r"none|hid|coll|font-s|opac|clip|-\d{3}", re.IGNORECASE)
_HIDING: Final = re.compile(
    r"""(?<![\w-])(?:
        display\s*:\s*none(?![\w-])
        |font-size\s*:\s*0(?:\.0*)?(?:[a-z]{2,4}|%)?\s*(?:[;!]|$)
        |(?:left|right|top|margin-left|margin-top)\s*:\s*-\d{3,}(?:\d|r?em)
        |clip\s*:\s*rect\(\s*(?:[01](?:px)?[\s,]*){4}\)
        |clip-path\s*:\s*inset\(\s*(?:50|100)%
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_INVISIBLE: Final = re.compile(r"(?<![\w-])visibility\s*:\s*(?:hidden|collapse)", re.IGNORECASE)
_TRANSPARENT: Final = re.compile(r"(?<![\w-])opacity\s*:\s*0(?:\.0*)?%?\s*(?:[;!]|$)", re.IGNORECASE)
_INDENTED: Final = re.compile(r"(?<![\w-])text-indent\s*:\s*-\d{3,}", re.IGNORECASE)
_EMPTY_BOX: Final = re.compile(r"(?<![\w-])(?:max-)?(?:width|height)\s*:\s*[01](?:px)?\s*(?:[;!]|$)", re.IGNORECASE)
_CLIPPED: Final = re.compile(r"(?<![\w-])overflow(?:-[xy])?\s*:\s*(?:hidden|clip)", re.IGNORECASE)
# Class names of text that is written for screen readers alone.
_UNSEEN_NAMES: Final = frozenset(
    """a11y-hidden assistive-text element-invisible screen-reader screen-reader-only screen-reader-text
    screenreader-only show-for-sr sr-only u-hidden-visually u-visually-hidden visually-hidden visuallyhidden""".split()
)
_SIGNS: Final = ("style", "class", "hidden", "aria-hidden", "open", "role")
_OPENER_ATTRIBUTES: Final = ("aria-controls", "data-bs-target", "data-tab", "data-target", "href")
# What screen readers skip is often shown: prices, icons, links, titles of cards.
_OFTEN_SHOWN: Final = frozenset(
    "a abbr b button cite code del em h1 h2 h3 h4 h5 h6 i img ins label s small span strike strong sub sup".split()
)
# The text of these is indented away where an image takes its place.
_WITH_IMAGE: Final = frozenset({"a", "button", *HEADING_TAGS})
_PANEL_NAME: Final = re.compile(
    r"accordion|carousel|collaps|full-?text|read-?more|slick|slide|spoiler|swiper|tab-?(?:content|pane|panel)",
    re.IGNORECASE,
)
_MOST_PANELS: Final = 200  # elements whose surroundings are looked at
_PANEL_TAGS: Final = frozenset("article dd div li ol section ul".split())
_MORE_TAGS: Final = frozenset({"p", "span", *_PANEL_TAGS})  # that can be the rest of a text, before its button
_MENUS: Final = frozenset({"nav", "header", "footer", "dialog"})
_LONGEST_OPENER: Final = 300  # characters of its text
# The id of a part that React streams: a script moves it to its place.
_STREAMED: Final = re.compile(r"S:[0-9a-f]+")

# Buttons and the like, or a question that is a link to nothing or the label of a checkbox.
_OPENERS: Final = etree.XPath(
    "boolean(descendant-or-self::*[self::button or self::summary or self::input or @onclick or @aria-expanded"
    " or @role = 'button'] | (self::* | self::*[count(*) = 1]/*)[self::label or self::a[starts-with(@href, '#')]])"
)
_BUTTONS: Final = etree.XPath(
    "boolean(self::button[not(@type = 'submit')] | self::*[@onclick or @role = 'button' or starts-with(@href, '#')])"
)
_HEADINGS: Final = etree.XPath("descendant-or-self::*[contains(' dt h1 h2 h3 h4 h5 h6 ', concat(' ', name(), ' '))]")
_SHOWING: Final = re.compile(r"(?<![\w-])(?:display|visibility)\s*:", re.IGNORECASE)
_MOST_NAMES: Final = 50  # that sheets are searched for
_SIMPLE_SELECTOR: Final = re.compile(r"([a-z][a-z0-9]*|)([.#][A-Za-z_][\w-]*)")
# After a name: another name, an element inside or after that of this name, or what a sheet adds to its text.
_NOT_IN_NAMES: Final = re.compile(r"[^\w-]")  # sheets write a backslash before these
_FOR_OTHERS: Final = re.compile(r"^[\w-]|[\s>+~]|:before|:after")
_HIDING_TEXTS: Final = ("display:none", "display: none", "visibility:hidden", "visibility: hidden", "-999")


def mark_hidden_slots(page: Page, leaves: IntArray) -> BoolArray | None:
    """Return which slots of *page* are inside a hidden element; None if no element around *leaves* is hidden.

    *Shapes:* ``(k,)`` -> ``(2 * n_elements,)``
    """
    first, stop = page.leaf_ranges(leaves)
    hidden = _find_hidden(page, (first < stop).nonzero()[0])
    if not hidden:
        return None
    is_hidden = np.zeros(page.n_elements, dtype=bool)
    is_hidden[hidden] = True
    is_inside: BoolArray = page.count_enclosing(is_hidden) > 0
    return is_inside


def _find_hidden(page: Page, elements: IntArray) -> list[int]:
    """Return those of *elements* that are hidden by themselves, not by one around them. *Shape:* ``(h,)``"""
    style, classes, hidden, aria_hidden, is_open, role = page.read_attributes(elements, *_SIGNS)
    style = {i: value[:_LONGEST] for i, value in watched(style.items(), len(style))}
    unseen = set[int]()
    if not _UNSEEN_NAMES.isdisjoint(" ".join({*classes.values()}).split()):  # on one page of four
        unseen = {i for i, value in classes.items() if not _UNSEEN_NAMES.isdisjoint(value.split())}
    suspect = {value for value in {*style.values()} if _SUSPECT.search(value)}
    closed = {i for i, value in style.items() if value in suspect and _hides(value, _tag(page, i))}
    closed -= {i for i in closed if _is_undone(i, style, page)}
    closed |= {i for i, value in hidden.items() if value.lower() != "until-found"}
    if "dialog" in page.names:
        closed |= {i for i in elements[page.tags_in({"dialog"})[elements]].tolist() if i not in is_open}
    by_sheet = _find_in_sheets(page, classes, elements)
    closed |= {i for i in by_sheet if _SHOWING.search(style.get(i, "")) is None}
    invisible = {i for i, value in style.items() if value in suspect and _INVISIBLE.search(value)}
    closed |= {i for i in invisible if _tag(page, i) != "#custom"}
    # Scripts show these when they animate a page, and readers may see what screen readers skip; but not a single one.
    transparent = {i for i, value in style.items() if value in suspect and _TRANSPARENT.search(value)}
    unclear = transparent if len(transparent) == 1 else set()
    unclear |= {i for i, value in aria_hidden.items() if value.lower() == "true" and _tag(page, i) not in _OFTEN_SHOWN}
    if not closed and not unclear:
        return sorted(unseen)
    n_alike = Counter((_tag(page, i), classes.get(i)) for i in closed | unclear)
    is_single = {i: n_alike[_tag(page, i), classes.get(i)] == 1 for i in closed | unclear}
    closed |= {i for i in unclear if is_single[i] and _tag(page, i) != "#custom"}
    in_menu, in_details = (
        page.count_enclosing(page.tags_in(tags))[page.open_slots] > 0 for tags in (_MENUS, {"details"})
    )
    unsure = {i for i in closed if not in_menu[i]}
    opened = {i for i in unsure if in_details[i] or role.get(i) == "tabpanel" or _PANEL_NAME.search(classes.get(i, ""))}
    unsure -= opened
    if unsure:
        opened |= _find_panels(page, unsure, page.read_attributes(elements, "id")[0], is_single)
    return sorted(unseen | (closed - opened))


def _tag(page: Page, element: int) -> str:
    return TAG_NAMES[int(page.tags[element])]


def _find_panels(page: Page, closed: set[int], ids: dict[int, str], is_single: dict[int, bool]) -> set[int]:
    """Return which of the elements *closed* a reader or a script opens, by their ids and what is beside them.

    :param is_single: whether no other closed element has the same tag and class.
    """
    panels = {i for i in closed if _STREAMED.fullmatch(ids.get(i, "")) or page.elements[i].get("data-tab")}
    if not closed.isdisjoint(ids):
        columns = page.read_attributes(np.arange(page.n_elements), *_OPENER_ATTRIBUTES)
        values = watched(chain.from_iterable(column.values() for column in columns))
        controlled = {name.lstrip("#") for value in values for name in value[:_LONGEST].split()}
        panels |= {i for i in closed if ids.get(i) in controlled}
    near = [i for i in sorted(closed - panels) if _tag(page, i) in _MORE_TAGS][:_MOST_PANELS]
    return panels | {i for i in watched(near) if _has_opener(page.elements[i], is_single=is_single[i])}


def _is_undone(element: int, style: dict[int, str], page: Page) -> bool:
    """Return whether an element without a size of letters has one inside that sets it, as in e-mails."""
    if "font-size" not in style[element].lower() or "none" in style[element]:
        return False
    inside = range(element + 1, min(int(page.ends[element]), element + _MOST_PANELS))
    return any("font-size" in style.get(i, "").lower() for i in inside)


def _hides(style: str, tag: str) -> bool:
    """Return whether the inline *style* of an element hides its text."""
    if _HIDING.search(style) or (tag not in _WITH_IMAGE and _INDENTED.search(style)):
        return True
    return _EMPTY_BOX.search(style) is not None and _CLIPPED.search(style) is not None and "min-" not in style


def _find_in_sheets(page: Page, classes: dict[int, str], elements: IntArray) -> set[int]:
    """Return which of *elements* a rule of a style sheet in the page hides on all screens, if no rule shows them."""
    text = "\n".join(sheet.text or "" for sheet in watched(page.document_landmarks.styles))
    rules = {*_list_hiding(text)} if 0 < len(text) <= _LARGEST_SHEETS else set()
    if not rules:  # on most pages
        return set()
    ids = {i: f"#{value}" for i, value in page.read_attributes(elements, "id")[0].items()}
    names = {f".{name}" for value in {*classes.values()} for name in value.split()}
    common = sorted(names.union(ids.values()).intersection(name for _, name in rules))
    if not common:
        return set()
    sheets = [  # those for screens, and for pages with scripts
        _drop_comments(sheet.text or "")
        for sheet in watched(page.document_landmarks.styles)
        if sheet.get("media", "all").lower() in ("", "all", "screen")
        and next(sheet.iterancestors("noscript"), None) is None
    ]
    sheet = "\n".join(sheets)
    effects = {name: [*_list_effects(sheet, name)] for name in watched(common[:_MOST_NAMES])}
    hiding = {name: found[-1][1] for name, found in effects.items() if {effect for effect, _ in found} == {"hides"}}
    if not hiding:
        return set()
    used = [*ids.items(), *((i, f".{name}") for i, value in classes.items() for name in value.split())]
    hidden = {i: hiding[name] for i, name in used if name in hiding and {("", name), (_tag(page, i), name)} & rules}
    # Another of their names can show them, if its rule is a later one.
    others = sorted({name for i, name in used if i in hidden and name not in hiding})[:_MOST_NAMES]
    shown = {name: at for name in watched(others) for effect, at in _list_effects(sheet, name) if effect == "shows"}
    return hidden.keys() - {i for i, name in watched(used) if i in hidden and shown.get(name, -1) > hidden[i]}


def _drop_comments(sheet: str) -> str:
    start, *others = sheet.split("/*")
    return start + "".join(other.partition("*/")[2] for other in others)


def _list_hiding(sheet: str) -> Iterator[tuple[str, str]]:
    """Yield the tag and the name in the simple selectors of rules that hide something, without reading the others."""
    for text in _HIDING_TEXTS:
        last = -1
        for end in watched(_find_all(sheet, text)):
            start = sheet.rfind("{", max(end - _LONGEST, 0), end)
            if start > last:
                selectors = sheet[max(start - _LONGEST, 0) : start]
                for sign in ("}", ";", "*/"):
                    selectors = selectors.rpartition(sign)[2]
                matches = (_SIMPLE_SELECTOR.fullmatch(selector.strip()) for selector in selectors.split(","))
                yield from ((match[1], match[2]) for match in matches if match is not None)
            last = start


def _list_effects(sheet: str, name: str) -> Iterator[tuple[str, int]]:
    """Yield for each rule of *name* whether it ``hides`` elements, ``may hide`` or ``shows`` them, and its place."""
    depth = end = 0
    name = name[:1] + _NOT_IN_NAMES.sub(r"\\\g<0>", name[1:])
    for start in watched(_find_all(sheet, name)):
        depth += sheet.count("{", end, start) - sheet.count("}", end, start)
        end = start + len(name)
        opening = sheet.find("{", end, end + _LONGEST)
        if opening < 0 or _FOR_OTHERS.search(sheet[end : min(opening, end + 100)].partition(",")[0].rstrip()):
            continue
        declarations = sheet[opening + 1 : opening + _LONGEST].partition("}")[0]
        if _HIDING.search(declarations) or _INVISIBLE.search(declarations):
            yield "may hide" if depth else "hides", start  # in a rule such as @media
        elif "display" in declarations or "visibility" in declarations:
            yield "shows", start


def _find_all(text: str, part: str) -> Iterator[int]:
    place = text.find(part)
    while place >= 0:
        yield place
        place = text.find(part, place + 1)


def _has_opener(element: etree._Element, *, is_single: bool) -> bool:
    """Return whether what is beside *element*, or beside its parent, opens it: a button, a heading of several."""
    if any(_BUTTONS(node) for node, _ in _neighbor(element, preceding=False)):
        return True
    before = _neighbor(element, preceding=True) if element.tag in _PANEL_TAGS else []
    return any(
        _OPENERS(node) or (not is_single and (text.endswith(("?", "\uff1f")) or _HEADINGS(node)))
        for node, text in before
    )


def _neighbor(element: etree._Element, *, preceding: bool) -> list[tuple[etree._Element, str]]:
    """Return what is beside *element*, or else beside its parent, with its text, if that is short.

    Scripts, style sheets and comments are passed over.
    """
    for node in (element, element.getparent()):
        for sibling in () if node is None else node.itersiblings("*", preceding=preceding):
            if sibling.tag not in ("script", "style"):
                text = "".join(islice(sibling.itertext(), _LONGEST_OPENER)).strip()
                return [(sibling, text)] if len(text) <= _LONGEST_OPENER else []
    return []
