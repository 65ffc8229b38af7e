"""How the elements of a page look, by its own style sheets, inline styles and the class names of frameworks.

Only what can hide text is computed, as browsers do for a page without scripts. Text counts as hidden if it is hidden on
phones and on desktops.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Set
from functools import cache, cached_property, partial
from operator import itemgetter
from typing import Any, Final, NamedTuple

import numpy as np
from cssselect import SelectorSyntaxError, parse

from scrapy_web2text.common.arrays import IntArray
from scrapy_web2text.common.budget import share, watched
from scrapy_web2text.exceptions import PageTimeout
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.declarations import Declared, expand, read_declarations, resolve
from scrapy_web2text.page.reader import empty_rules
from scrapy_web2text.page.sheet_selectors import (
    Known,
    can_match,
    last_tag,
    list_last_names,
    matches,
    to_known_syntax,
)
from scrapy_web2text.page.sheets import CssRule, empty_others, holds, list_rules
from scrapy_web2text.page.styles import (
    INHERITED,
    SUSPECT,
    hides_box,
    is_invisible,
    is_transparent,
)
from scrapy_web2text.page.tags import TAG_NAMES

_WIDTHS: Final = (375, 1280)  # pixels of a phone and of a desktop
_LARGEST_SHEETS: Final = 300_000  # characters of all style sheets of a page that are read
_SHARE: Final = 0.1  # of the time of a page
# Pairs of an element and a selector that are tried: for each element, and for a page of any size.
_MOST_TRIES: Final = 20
_FREE_TRIES: Final = 100_000
_TRIES_PER_MATCH: Final = 4  # the rules of an element have to be sorted
_VARIABLE: Final = re.compile(r"(?<![\w-])(--[\w-]++)\s*+:([^;{}]*)")
# Names of Tailwind, Bootstrap and Bulma, whose sheets are mostly in other files.
_FRAMEWORKS: Final = {
    "d-none": "display:none",
    "h-0": "height:0",
    "hidden": "display:none",
    "invisible": "visibility:hidden",
    "is-hidden": "display:none",
    "is-invisible": "visibility:hidden",
    "max-h-0": "max-height:0",
    "opacity-0": "opacity:0",
    "overflow-hidden": "overflow:hidden",
    "w-0": "width:0",
}
# Names that show elements on some screens, or in some states, although other names hide them.
_RESPONSIVE: Final = re.compile(r"\w:[\w-]|(?<![\w-])(?:d|visible)-(?:sm|md|lg|xl|xxl|block|flex|inline)")
# Elements that browsers do not show, or whose text is only for browsers that do not know the element.
_NOT_SHOWN: Final = frozenset(
    """annotation annotation-xml clippath datalist defs filter lineargradient marker mask meter noembed pattern progress
    radialgradient rp symbol""".split()
)
_IMAGES: Final = frozenset({"foreignobject", "g", "svg", "switch"})
# Attributes of SVG images that hide, as declarations.
_PRESENTATION: Final = {
    "display": "display:{}",
    "font-size": "font-size:{}px",
    "height": "height:{}px;overflow:hidden",
    "opacity": "opacity:{}",
    "transform": "transform:{}",
    "visibility": "visibility:{}",
    "width": "width:{}px;overflow:hidden",
    "x": "margin-left:{}px",
    "y": "margin-top:{}px",
    "overflow": "overflow:{}",
}
# Each rule that can change what is hidden contains one of these words.
_RELEVANT: Final = re.compile(
    r"display|visib|opac|clip|font|height|width|overflow|position|float|margin|inset|left|right|top|bottom|trans"
    r"|scale|filter|indent|flex|padding|size|zoom|rotate|mask|color|background|shadow|stroke|white-space|\ball\b",
    re.IGNORECASE,
)
_ROOT: Final = frozenset({":root", "html", "body", "*", ":host"})
_SHOWING: Final = re.compile(r"display|visib", re.IGNORECASE)
# Some declarations hide an element only together with these properties, which another rule can set.
_COMPANIONS: Final = {"position": "absolute", "overflow-x": "hidden"}


class Entry(NamedTuple):
    """A rule that applies to elements, on some screen.

    :param specificity: the specificity of its selector that the elements match.
    :param place: the number of the sheet, and of the rule in it.
    :param is_hiding: whether the rule can hide an element.
    """

    rule: CssRule
    specificity: tuple[int, ...]
    place: tuple[int, int]
    is_hiding: bool


NumberedRule = tuple[tuple[int, int], CssRule]  # with the place of its sheet, and its place in the sheet


class _TooManyTries(Exception):
    """The sheets of a page have too many selectors for its number of elements."""


class Looks:
    """The styles of the *elements* that may be hidden, on a phone and on a desktop.

    Style sheets are not read if they take more than a tenth of the time of the page, or if many of their rules can
    hide most elements.
    """

    def __init__(self, page: Page, elements: IntArray) -> None:
        self._page, self._elements = page, elements
        names = "style class id hidden popover open".split()
        self.inline, self.classes, self._ids, hidden, popover, is_open = page.read_attributes(elements, *names)
        self._hiding: dict[str, bool] = {}
        self._declared: dict[str, list[Declared]] = {}
        self._entries: dict[int, list[Entry]] = {}
        self._n_tries_left = _FREE_TRIES + _MOST_TRIES * len(elements)
        self._has_hidden = bool(hidden)
        self._closed = {i for i, value in hidden.items() if value.lower() != "until-found"} | popover.keys()
        self._closed |= {i for i in self._tagged({"dialog"}) if i not in is_open} | self._tagged(_NOT_SHOWN)
        # In an image, HTML without a width of its own has no room.
        sized = {"width", "style", "class"}
        self._closed |= {i for i in self._tagged({"foreignobject"}) if sized.isdisjoint(page.elements[i].keys())}
        self._sheets = self._list_sheets()
        self._rules: list[NumberedRule] = []
        self._variables: dict[str, str] = {}  # the values of custom properties that all elements inherit
        self._hints = self._find_frameworks() | self._find_presentation()
        self.styles: dict[int, list[dict[str, str]]] = {}
        suspects = self._closed | self._hints.keys() | self._list_hiding_inline()
        try:
            with share(_SHARE):
                styled = self._read_sheets({*suspects}) if self._sheets else suspects
                self.styles = {i: self.of(i) for i in watched(sorted(styled))}
        except (PageTimeout, _TooManyTries):
            self._entries = {}
            self.styles = {i: self.of(i) for i in watched(sorted(suspects))}

    def tag(self, i: int) -> str:
        """Return the tag of an element: for a rare tag, its name."""
        return TAG_NAMES[int(self._page.tags[i])] or self._page.names[int(self._page.name_numbers[i])]

    def of(self, i: int) -> list[dict[str, str]]:
        """Return the properties of an element, on a phone and on a desktop if its rules have conditions."""
        entries = self._entries.get(i, [])
        widths = _WIDTHS if any(entry.rule.block.conditions for entry in entries) else _WIDTHS[:1]
        return [self._cascade(i, entries, width) for width in widths]

    def is_always(self, i: int, test: Callable[[Mapping[str, str]], bool | None]) -> bool:
        """Return whether *test* is true for an element on all screens."""
        return i in self.styles and all(map(test, self.styles[i]))

    def is_faded(self, i: int) -> bool:
        """Return whether its own markup makes an element transparent; scripts undo transparency by style sheets."""
        own = f"{self.inline.get(i, '')};{self._hints.get(i, '')}".lower()
        return ("opacity" in own or "\\" in own) and self.is_always(i, is_transparent)

    @cached_property
    def _toggled(self) -> set[str]:
        """The classes whose elements a rule of a sheet can show, perhaps in another state."""
        rules = self._list_rules(self._could_match, partial(empty_others, wanted=_SHOWING))
        shown = [rule for _, rule in watched(rules) if _SHOWING.search(rule.declarations)]
        selectors = {
            selector for rule in shown if not self._can_hide(rule.declarations) for selector in rule.block.selectors
        }
        return {name for selector in selectors for name in list_last_names(selector)}

    def is_toggled(self, i: int) -> bool:
        """Return whether a rule of a sheet shows a class that this element has, perhaps in another state."""
        return not self._toggled.isdisjoint([f".{name}" for name in self.classes.get(i, "").split()])

    def list_styled(self, elements: Iterable[int]) -> list[int]:
        """Return which of *elements* have a style."""
        links = self._tagged({"a"})
        styled = {*self.inline, *self._entries, *self._hints, *links}
        return [i for i in watched(elements) if i in styled]

    def _tagged(self, tags: Collection[str]) -> set[int]:
        numbers = [number for number, name in enumerate(self._page.names) if name in tags]
        is_tagged = np.isin(self._page.name_numbers[self._elements], numbers)
        return {*self._elements[is_tagged].tolist()}

    def _list_sheets(self) -> list[tuple[str, str]]:
        """Return the text and the media of each style sheet for pages with scripts; none if they are too long."""
        sheets = [
            (sheet.text or "", sheet.get("media", "").lower())
            for sheet in watched(self._page.document_landmarks.styles)
            if sheet.get("type", "").lower() in ("", "text/css")
            and next(sheet.iterancestors("noscript", "template"), None) is None
        ]
        return sheets if sum(len(text) for text, _ in sheets) <= _LARGEST_SHEETS else []

    def _find_frameworks(self) -> dict[int, str]:
        """Return the declarations of the names of frameworks, for the elements that have some."""
        values = {*self.classes.values()}
        if _FRAMEWORKS.keys().isdisjoint(" ".join(values).split()):
            return {}
        sheets = " ".join(text for text, _ in self._sheets)
        foreign = {name: style for name, style in _FRAMEWORKS.items() if f".{name}" not in sheets}
        styles = {
            value: ";".join(foreign[name] for name in sorted(foreign.keys() & value.split()))
            for value in watched(values)
            if not foreign.keys().isdisjoint(value.split()) and not _RESPONSIVE.search(value)
        }
        return {i: style for i, value in self.classes.items() if (style := styles.get(value))}

    def _find_presentation(self) -> dict[int, str]:
        """Return the declarations of the attributes of SVG images, where an image holds HTML."""
        images = self._tagged(_IMAGES) if self._tagged({"foreignobject"}) else ()
        attributes = {i: dict(self._page.elements[i].attrib) for i in images}
        return {
            i: ";".join([style.format(values[name]) for name, style in _PRESENTATION.items() if name in values])
            for i, values in attributes.items()
        }

    def _read_sheets(self, suspects: set[int]) -> set[int]:
        """Return *suspects* and the elements that a rule of a sheet can hide."""
        self._rules = self._list_rules(self._can_match, partial(empty_rules, names=self._names))
        self._variables = self._find_variables()
        if self._variables:
            self._hiding.clear()
            suspects |= self._list_hiding_inline()
        self._match(self._rules, self._names, self._tags, self._elements.tolist(), is_hiding=True)
        suspects |= self._entries.keys()
        if suspects:
            asked = suspects | self._list_inside(suspects)
            names = {name for i in asked for name in self._list_names(i)}
            styles = [style for i in suspects for style in self.of(i)]
            is_plain = all(style.get("display") == "none" or is_invisible(style) for style in styles)
            can_show = _SHOWING if is_plain else _RELEVANT
            rules = [each for each in self._rules if can_show.search(each[1].declarations)]
            self._match(rules, names, {self.tag(i) for i in asked}, sorted(asked), is_hiding=False)
        return suspects

    def _list_inside(self, suspects: Iterable[int]) -> set[int]:
        """Return the elements inside *suspects* with an inherited value that hides: they can undo it."""
        outer = [i for i in suspects if any(hides(each) for each in self.of(i) for hides in INHERITED)]
        is_inside = self._page.mark_inside(outer)[self._page.open_slots[self._elements]]
        return {*self._elements[is_inside].tolist()}

    def _can_match(self, selector: str) -> bool:
        """Return whether *selector* can match one of the elements, or the root, whose custom properties all have."""
        return selector in _ROOT or can_match(selector, self._names, self._tags)

    def _could_match(self, selector: str) -> bool:
        """Return whether *selector* can match one of the elements after scripts have changed what is around it."""
        return self._names.issuperset(list_last_names(selector))

    def _list_hiding_inline(self) -> set[int]:
        """Return the elements that their own style can hide, by the custom properties that are known so far."""
        hiding = {value for value in watched({*self.inline.values()}) if self._can_hide(value)}
        return {i for i, value in self.inline.items() if value in hiding}

    def _find_variables(self) -> dict[str, str]:
        texts = [
            rule.declarations
            for _, rule in self._rules
            if "--" in rule.declarations
            and not _ROOT.isdisjoint(rule.block.selectors)
            and holds(rule.block.conditions, _WIDTHS[0], unsure=False)
        ]
        return {name: value for text in watched(texts) for name, value in _VARIABLE.findall(text)}

    def _list_rules(self, keep: Callable[[str], bool], shorten: Callable[[str], str]) -> list[NumberedRule]:
        """Return the rules of the sheets, with their places; see `list_rules`."""
        keep = cache(keep)
        return [
            ((number, place), rule)
            for number, (text, media) in enumerate(self._sheets)
            for place, rule in enumerate(list_rules(text, media, keep, shorten))
        ]

    def _list_names(self, i: int) -> list[str]:
        names = [f".{name}" for name in self.classes.get(i, "").split()]
        return [f"#{self._ids[i]}", *names] if i in self._ids else names

    def _match(
        self, rules: Iterable[NumberedRule], names: Set[str], tags: Set[str], elements: list[int], *, is_hiding: bool
    ) -> None:
        """Find which of *elements* match the rules that can hide an element (*is_hiding*) or the rules that cannot.

        :param names: the classes and ids of *elements*.
        :param tags: the tags of *elements*.
        """
        group_by_tag = cache(partial(self._group_by_tag, elements))  # many sheets need no groups

        @cache
        def find_candidates(selector: str) -> list[int]:
            last = list_last_names(selector)
            if (last and names.isdisjoint(last)) or not can_match(selector, self._names, tags):
                return []
            named = [self._elements_of_name.get(name, []) for name in last]
            return min(named, key=len) if named else group_by_tag().get(last_tag(selector), elements)

        @cache
        def select(selector: str) -> tuple[list[int], tuple[int, ...]]:
            candidates = find_candidates(selector)
            self._count_tries(len(candidates))
            return self._select(selector, candidates)

        for place, rule in watched(rules):
            selectors = [*filter(find_candidates, rule.block.selectors)]
            if not selectors or self._can_hide(rule.declarations) != is_hiding:
                continue
            for chosen, specificity in map(select, selectors):
                self._count_tries(_TRIES_PER_MATCH * len(chosen))
                entry = Entry(rule, specificity, place, is_hiding)
                for i in chosen:
                    self._entries.setdefault(i, []).append(entry)

    def _group_by_tag(self, elements: list[int]) -> dict[str, list[int]]:
        groups = defaultdict[str, list[int]](list)
        for i in watched(elements):
            groups[self.tag(i)].append(i)
        return dict(groups)

    def _count_tries(self, n: int) -> None:
        self._n_tries_left -= n
        if self._n_tries_left < 0:
            raise _TooManyTries

    def _select(self, selector: str, candidates: list[int]) -> tuple[list[int], tuple[int, ...]]:
        """Return which of *candidates* the *selector* matches, and its specificity; none if it is not valid."""
        try:
            (parsed,) = parse(to_known_syntax(selector))
            elements, tree, known = self._page.elements, parsed.parsed_tree, Known()
            chosen = [i for i in watched(candidates) if matches(tree, elements[i], known)]
        except (SelectorSyntaxError, ValueError, RuntimeError):  # cssselect and lxml raise others for some escapes
            return [], ()
        return chosen, parsed.specificity() if chosen else ()

    @cached_property
    def _elements_of_name(self) -> dict[str, list[int]]:
        """The elements that have each class and id."""
        found = defaultdict[str, list[int]](list)
        for i in watched({*self.classes, *self._ids}):
            for name in self._list_names(i):
                found[name].append(i)
        return dict(found)

    @cached_property
    def _tags(self) -> set[str]:
        """The tags of the elements."""
        counts = np.bincount(self._page.tags[self._elements], minlength=len(TAG_NAMES))
        return {TAG_NAMES[i] for i in counts.nonzero()[0].tolist()}

    @cached_property
    def _names(self) -> set[str]:
        """The classes and ids of all elements, and the classes of the root."""
        values = {*self.classes.values(), self._page.root.get("class") or ""}
        names = {f".{name}" for value in values for name in value.split()}
        names.update([f"#{value}" for value in self._ids.values()])
        return names | {"[hidden]"} if self._has_hidden else names

    def _can_hide(self, text: str) -> bool:
        """Return whether declarations can hide an element, perhaps together with others."""
        answer = self._hiding.get(text)
        if answer is None:
            answer = self._hiding[text] = SUSPECT.search(text.lower()) is not None and self._is_hiding(text)
        return answer

    def _is_hiding(self, text: str) -> bool:
        style = {**_COMPANIONS, **self._resolve(_choose(self._declare(text)))}
        return any(hides(style) for hides in (*INHERITED, is_transparent)) or hides_box(style, "")

    def _cascade(self, i: int, entries: Iterable[Entry], width: int) -> dict[str, str]:
        """Return the strongest values: inline styles override sheets, then frameworks, then the browser.

        Of two sheets, the layer decides, then the specificity, then the place. Of important values, those of the
        earlier layer are stronger.
        """
        browser = "display:none" if i in self._closed else "color:blue" * (self.tag(i) == "a")
        sources: list[tuple[tuple[Any, ...], str]] = [((-2, 0), browser), ((-1, 0), self._hints.get(i, ""))]
        for entry in entries:
            block = entry.rule.block
            if holds(block.conditions, width, unsure=not entry.is_hiding):
                sources.append(((0, block.layer, entry.specificity, entry.place), entry.rule.declarations))
        sources.append(((1, 0), self.inline.get(i, "")))
        sources.sort(key=itemgetter(0))
        declared = [each for _, text in sources for each in self._declare(text)]
        if any(is_important for *_, is_important in declared):
            sources.sort(key=lambda source: (source[0][0], -source[0][1], *source[0][2:]))
            declared += [each for _, text in sources for each in self._declare(text) if each[2]]
        return self._resolve(_choose(declared))

    def _resolve(self, values: dict[str, str]) -> dict[str, str]:
        """Return the *values* of properties with the values of custom properties and of calculations."""
        if not any("(" in value for value in values.values()):
            return values
        variables = {**self._variables, **values}
        resolved = {name: resolve(value, variables) for name, value in values.items()}
        return dict(pair for name, value in resolved.items() for pair in expand(name, value))

    def _declare(self, text: str) -> list[Declared]:
        found = self._declared.get(text)
        if found is None:
            found = self._declared[text] = [*read_declarations(text)]
        return found


def _choose(declared: Iterable[Declared]) -> dict[str, str]:
    """Return the value of each property: the last important one, or else the last one."""
    values = {name: value for name, value, _ in declared}
    return values | {name: value for name, value, is_important in declared if is_important}
