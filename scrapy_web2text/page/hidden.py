"""Which texts of a page a reader does not see, by what the page itself says.

Scripts, and style sheets in other files, are not read, although they can hide and show more. Text that a reader opens
counts as seen: the answer below its question, the panel of a tab, a spoiler.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping
from functools import cached_property
from itertools import islice
from typing import Final

import numpy as np
from lxml import etree

from scrapy_web2text.common.arrays import BoolArray, IntArray
from scrapy_web2text.common.budget import watched
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.looks import Looks
from scrapy_web2text.page.styles import INHERITED, UNSIZED_TAGS, hides_box, is_indented, is_invisible
from scrapy_web2text.page.tags import HEADING_TAGS
from scrapy_web2text.page.tree import iter_texts

_LONGEST: Final = 1_000  # characters of an attribute that are read
# Class names of text that is written for screen readers alone, in the frameworks that have them.
_UNSEEN_NAMES: Final = frozenset(
    """a11y-hidden assistive-text bx--visually-hidden cdk-visually-hidden cds--visually-hidden element-invisible
    govuk-visually-hidden is-sr-only nhsuk-u-visually-hidden pf-u-screen-reader pf-v5-u-screen-reader screen-reader
    screen-reader-only screen-reader-text screenreader-only show-for-sr slds-assistive-text sr-only u-hidden-visually
    u-visually-hidden ui-helper-hidden-accessible usa-sr-only visually-hidden visually-hidden-focusable
    visuallyhidden""".split()
)
_SEEN_NAME: Final = re.compile(r"(?<!focus:)(?<![\w-])not-sr-only")
# They tell what the columns of a table are, although a reader who sees the table knows it.
_HEADS: Final = frozenset({"caption", "th", "thead", "tr"})
_OPENER_ATTRIBUTES: Final = "aria-controls data-bs-target data-tab data-target href popovertarget".split()
# Elements that screen readers skip but that are often shown: prices, icons, links, titles of cards.
_OFTEN_SHOWN: Final = frozenset(
    "a abbr b button cite code del em h1 h2 h3 h4 h5 h6 i img ins label s small span strike strong sub sup".split()
)
# The text of these elements is indented away where an image takes its place.
_WITH_IMAGE: Final = frozenset({"a", "button", *HEADING_TAGS, *UNSIZED_TAGS})
_PANEL_NAME: Final = re.compile(
    r"accordion|carousel|collaps|full-?text|read-?more|slick|slide|spoiler|swiper|tab-?(?:content|pane|panel)",
    re.IGNORECASE,
)
_MOST: Final = 0.8  # share of the leaves
_MOST_PANELS: Final = 200  # elements whose surroundings are looked at
_MOST_OPENERS: Final = 100  # openers of a panel that are looked at
_MOST_AROUND: Final = 3  # elements around a panel, in which its opener can be
_MOST_INSIDE: Final = 10_000  # elements inside hidden elements, which may be shown
_CLICKED: Final = "onclick aria-controls data-toggle data-bs-toggle data-target data-bs-target data-tab".split()
_CLICKED_TAGS: Final = frozenset({"button", "label", "summary"})
_PANEL_TAGS: Final = frozenset("article dd div li ol section ul".split())
_MORE_TAGS: Final = frozenset({"p", "span", *_PANEL_TAGS})  # that can be the rest of a text, before its button
_MENUS: Final = frozenset({"nav", "header", "footer", "dialog"})
_SILENT: Final = ("script", "style")
_LONGEST_OPENER: Final = 300  # characters of its text, and elements in it
# The id of a part that React streams: a script moves it to its place.
_STREAMED: Final = re.compile(r'"(S:[0-9a-f]+)"')

# Buttons and the like, or a question that is a link to nothing or the label of a checkbox.
_OPENERS: Final = etree.XPath(
    "boolean(descendant-or-self::*[self::button or self::summary or self::input or @onclick or @aria-expanded"
    " or @role = 'button'] | (self::* | self::*[count(*) = 1]/*)[self::label or self::a[starts-with(@href, '#')]])"
)
_BUTTONS: Final = etree.XPath(
    "boolean(self::button[not(@type = 'submit')] | self::*[@onclick or @role = 'button' or starts-with(@href, '#')])"
)
_HEADINGS: Final = etree.XPath("descendant-or-self::*[contains(' dt h1 h2 h3 h4 h5 h6 ', concat(' ', name(), ' '))]")
Hides = Callable[[Mapping[str, str]], bool | None]


def mark_hidden_slots(page: Page, leaves: IntArray, *, in_whole: bool = False) -> BoolArray | None:
    """Return which slots of *page* are inside a hidden element; None if no element around *leaves* is hidden.

    *Shapes:* ``(k,)`` -> ``(2 * n_elements,)``

    :param in_whole: whether to look inside hidden elements with most of the leaves, which do not count then. If there
        is no such element, the result is None.
    """
    first, stop = page.leaf_ranges(leaves)
    (elements,) = (first < stop).nonzero()
    elements = elements[elements > 0]  # scripts show pages that are hidden as a whole
    looks = Looks(page, elements)
    hidden = _find_hidden(page, elements, looks)
    whole = {i for i in hidden if stop[i] - first[i] > _MOST * len(leaves)} if in_whole else set[int]()
    hidden -= whole
    if not hidden or (in_whole and not whole):
        return None
    inherited = {
        each: [i for i in hidden if looks.is_always(i, each) and not _is_closed(looks, i)] for each in INHERITED
    }
    is_inside = page.mark_inside(hidden.difference(*inherited.values()))
    for each, outer in inherited.items():
        if outer:
            is_inside |= _mark_inherited(page, looks, outer, each)
    return is_inside


def _mark_inherited(page: Page, looks: Looks, outer: Collection[int], hides: Hides) -> BoolArray:
    """Return which slots inside the hidden elements *outer* are hidden, too, as elements inside them can show text."""
    (inside,) = page.mark_inside(outer)[page.open_slots].nonzero()
    is_hidden = np.zeros(2 * page.n_elements, dtype=bool)
    for i in watched(sorted({*outer, *looks.list_styled(inside.tolist())[:_MOST_INSIDE]})):
        answers = {hides(style) for style in looks.of(i)}
        if answers != {None}:
            is_hidden[page.open_slots[i] : page.close_slots[i]] = answers == {True}
    return is_hidden


def _find_hidden(page: Page, elements: IntArray, looks: Looks) -> set[int]:
    """Return which of *elements* are hidden themselves, rather than by an element around them. *Shape:* ``(h,)``"""
    aria_hidden, role = page.read_attributes(elements, "aria-hidden", "role")
    classes = looks.classes
    unseen = set[int]()
    if not _UNSEEN_NAMES.isdisjoint(" ".join({*classes.values()}).split()):  # on one page of four
        seen = {value for value in {*classes.values()} if _SEEN_NAME.search(value)}
        unseen = {
            i for i, value in classes.items() if value not in seen and not _UNSEEN_NAMES.isdisjoint(value.split())
        }
        unseen -= {i for i in unseen if looks.tag(i) in _HEADS}
    closed = {i for i in looks.styles if _is_closed(looks, i) or _has_unseen_letters(looks, i)}
    # Scripts show transparent elements in animations, and readers may see aria-hidden elements. So such an element is
    # hidden only if no other has its tag and class, and a transparent element only if no other is transparent.
    transparent = {i for i in looks.styles if looks.is_faded(i)}
    unclear = transparent if len(transparent) == 1 else set()
    unclear |= {i for i, value in aria_hidden.items() if value.lower() == "true" and looks.tag(i) not in _OFTEN_SHOWN}
    if not closed and not unclear:
        return unseen
    n_alike = Counter((looks.tag(i), classes.get(i)) for i in closed | unclear)
    is_single = {i: n_alike[looks.tag(i), classes.get(i)] == 1 for i in closed | unclear}
    closed |= {i for i in unclear if is_single[i] and looks.tag(i) != "#custom"}
    in_menu = page.count_enclosing(page.tags_in(_MENUS))[page.open_slots] > 0
    unsure = {i for i in closed if not in_menu[i]}
    if unsure:
        panels = {i for i in unsure if role.get(i) == "tabpanel" or _PANEL_NAME.search(classes.get(i, ""))}
        closed -= _Openers(page, closed, looks).find_panels(unsure, panels, is_single)
    return unseen | closed


def _is_closed(looks: Looks, i: int) -> bool:
    tag = looks.tag(i)
    return looks.is_always(i, lambda style: hides_box(style, tag))


def _has_unseen_letters(looks: Looks, i: int) -> bool:
    """Return whether the letters of an element are not seen, although its box is."""
    tag = looks.tag(i)
    exceptions = {is_indented: tag in _WITH_IMAGE, is_invisible: tag == "#custom"}
    return any(looks.is_always(i, each) and not exceptions.get(each) for each in INHERITED)


class _Openers:
    """What a reader opens text with: elements that can be clicked, have a text, and are seen.

    :param closed: the elements that are hidden.
    """

    def __init__(self, page: Page, closed: Collection[int], looks: Looks) -> None:
        self._page, self._looks = page, looks
        self._is_closed = page.mark_inside(closed)[page.open_slots]
        self._has_text: dict[int, bool] = {}

    def find_panels(self, closed: set[int], named: Collection[int], is_single: Mapping[int, bool]) -> set[int]:
        """Return which of the elements *closed* a reader or a script opens.

        :param named: the elements with a role or a name of panels.
        :param is_single: whether no other closed element has the same tag and class.
        """
        elements = self._page.elements
        ids = {i: elements[i].get("id") for i in closed}
        # All scripts are searched only where an id is of this kind, as on few pages.
        panels = {i for i, name in ids.items() if name and name.startswith("S:") and name in self._streamed}
        targets = {i: {ids[i], elements[i].get("data-tab")} - {None, ""} for i in closed - panels}
        panels |= {
            i
            for i, names in watched(targets.items())
            if any(self._opens(i, j) for name in names for j in self._named[name][:_MOST_OPENERS])
        }
        named = {i for i in closed - panels if i in named or self._looks.is_toggled(i) or self._has_shown_sibling(i)}
        panels |= {i for i in sorted(named)[:_MOST_PANELS] if self._has_tab(i)}
        near = [i for i in sorted(closed - panels) if self._looks.tag(i) in _MORE_TAGS][:_MOST_PANELS]
        return panels | {i for i in watched(near) if _has_opener(elements[i], is_single=is_single[i])}

    @cached_property
    def _streamed(self) -> set[str]:
        """The ids in scripts."""
        scripts = self._page.document_landmarks.scripts
        return {name for script in watched(scripts) for name in _STREAMED.findall(script.text or "")}

    @cached_property
    def _named(self) -> Mapping[str, list[int]]:
        """Name of an element -> the elements that have it in an attribute of openers."""
        found = defaultdict[str, list[int]](list)
        for column in self._page.read_attributes(np.arange(self._page.n_elements), *_OPENER_ATTRIBUTES):
            for i, value in watched(column.items()):
                for name in value[:_LONGEST].split():
                    found[name.lstrip("#")].append(i)
        return found

    @cached_property
    def _clickable(self) -> list[int]:
        """The elements that can be clicked, in document order."""
        page = self._page
        columns = page.read_attributes(np.arange(page.n_elements), *_CLICKED, "role", "href", "class")
        *found, roles, hrefs, classes = columns
        clicked = set(page.tags_in(_CLICKED_TAGS).nonzero()[0].tolist()).union(*found)
        clicked |= {i for i, value in roles.items() if value in ("button", "tab")}
        clicked |= {i for i, value in hrefs.items() if value[:1] in "#j"}
        panels = {value for value in watched({*classes.values()}) if _PANEL_NAME.search(value)}
        return sorted(clicked | {i for i, value in classes.items() if value in panels})

    def _opens(self, panel: int, opener: int) -> bool:
        """Return whether an element outside of *panel* is seen and has a text."""
        if self._is_closed[opener] or panel <= opener < self._page.ends[panel]:
            return False
        if opener not in self._has_text:
            text = "".join(islice(iter_texts(self._page.elements[opener]), _LONGEST_OPENER))
            self._has_text[opener] = any(map(str.isalnum, text[:_LONGEST]))
        return self._has_text[opener]

    @cached_property
    def _shown(self) -> Counter[tuple[int, str]]:
        """The number of the elements that are shown, by their parent and each class."""
        classes = self._looks.classes.items()
        shown = [(i, value) for i, value in watched(classes) if not self._is_closed[i]]
        return Counter((int(self._page.parents[i]), name) for i, value in shown for name in {*value.split()})

    def _has_shown_sibling(self, panel: int) -> bool:
        """Return whether a single element beside *panel* with one of its classes is shown, as an open tab is."""
        parent = int(self._page.parents[panel])
        return any(self._shown[parent, name] == 1 for name in self._looks.classes.get(panel, "").split())

    def _has_tab(self, panel: int) -> bool:
        """Return whether something can be clicked inside one of the three elements around *panel*."""
        around = panel
        for _ in range(_MOST_AROUND):
            around = max(int(self._page.parents[around]), 0)
        first, stop = (bisect_left(self._clickable, end) for end in (around, int(self._page.ends[around])))
        return any(self._opens(panel, i) for i in self._clickable[first:stop][:_MOST_OPENERS])


def _has_opener(element: etree._Element, *, is_single: bool) -> bool:
    """Return whether a neighbor of *element* or of its parent opens it: a button, or one of several headings."""
    if any(text and _BUTTONS(node) for node, text in _neighbor(element, preceding=False)):
        return True
    is_panel = element.tag in _PANEL_TAGS
    return any(
        (is_panel and text and _OPENERS(node))
        or (not is_single and (text.endswith(("?", "\uff1f")) or (is_panel and _HEADINGS(node))))
        for node, text in _neighbor(element, preceding=True)
    )


def _neighbor(element: etree._Element, *, preceding: bool) -> list[tuple[etree._Element, str]]:
    """Return the element beside *element*, or else beside its parent, with its text, if the text is short.

    Scripts, style sheets and comments are passed over.
    """
    for node in (element, element.getparent()):
        siblings = () if node is None else node.itersiblings("*", preceding=preceding)
        for sibling in siblings:
            if sibling.tag not in _SILENT:
                parts = [*islice(sibling.iter("*"), _LONGEST_OPENER + 1)]
                texts = [part.text or "" for part in parts if part.tag not in _SILENT]
                text = "".join(texts).strip()
                return [(sibling, text)] if max(len(parts), len(text)) <= _LONGEST_OPENER else []
    return []
