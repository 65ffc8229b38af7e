"""Furniture: the leaves of a fragment that only lead elsewhere, found by tags, attributes and the texts of links."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import BoolArray, IntArray, sum_spans
from scrapy_web2text.common.budget import watched
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.tags import HEADING_TAGS
from scrapy_web2text.page.urls import is_share_url


def any_of(*phrases: str) -> str:
    return "|".join(phrases)


# Characters that may follow a call such as "read more": arrows, ellipses, brackets.
END_OF_CALL: Final = r"[\s.…:：!>»›→➔\[\]()…-]*"
# The whole text of a link from an excerpt to the whole text, or back.
READ_MORE: Final = re.compile(
    r"[\s\[(…]*(?:(?:"
    + any_of(
        r"(?:read|view|see|show|click here to read|click to read)(?: the| this)?"
        r"(?: rest| more| less| full| whole| original| entire| complete)+"
        r"(?: of)?(?: the| this)?(?: full| original)?(?: article| story| post| entry| page| here| online)?",
        r"continue reading|keep reading|read on|more",
        r"weiterlesen|(?:mehr|weniger) (?:lesen|anzeigen)|ganzen artikel lesen|zum artikel|mehr",
        r"lire (?:la )?(?:suite|plus|moins)(?: de l[’']article)?|continuer la lecture|(?:voir|afficher) (?:plus|moins)",
        r"(?:leer|ver|mostrar) (?:más|menos)|seguir leyendo|continuar leyendo|sigue leyendo",
        r"leggi (?:tutto|di più|(?:di )?meno)|mostra (?:di più|(?:di )?meno)|continua (?:a leggere|la lettura)",
        r"(?:ler|ver|mostrar) (?:mais|menos)|leia mais|continuar? (?:a ler|lendo)",
        r"lees (?:meer|verder)|verder lezen",
        r"läs (?:mer|vidare)|les mer|læs mere|lue lisää|fortsätt läsa|fortsett å lese",
        r"czytaj (?:dalej|więcej)|číst (?:dál|více)|tovább olvasom|citește mai mult|devamını oku",
        r"читать (?:далее|дальше|полностью)|читати далі|διαβάστε περισσότερα",
        r"続きを読む|もっと読む|阅读(?:更多|全文)|閱讀(?:更多|全文)|继续阅读|繼續閱讀|더 보기|계속 읽기|자세히 보기",
        r"اقرأ المزيد|קרא עוד|המשך לקרוא",
    )
    + rf"){END_OF_CALL}"
    + r"|(?:continue reading|weiterlesen von|continuer la lecture de|seguir leyendo|continua a leggere)\b.{0,200})",
    re.IGNORECASE | re.DOTALL,
)
# The target of a link that a feed adds to each entry.
_FEED_TARGET: Final = re.compile(
    r"(?:https?:)?//(?:feeds\.feedburner\.com/~|feedproxy\.google\.com/~|feeds\.wordpress\.com/1\.0/)", re.IGNORECASE
)
# Words of the class names and ids of elements with links for sharing and following.
_SHARE_WORDS: Final = frozenset(
    "share shares sharing sharer social socials follow follows sharebar sharelinks sharebuttons socialmedia".split()
)
# Class names of links from an excerpt to the page.
_LINK_NAMES: Final = frozenset("more-link read-more readmore read-more-link wp-block-read-more".split())
# Class names that plugins give to their buttons and to the elements around the buttons.
_PLUGIN_NAMES: Final = frozenset(
    """a2a_kit addthis_inline_share_toolbox addthis_toolbox addtoany_content addtoany_share_save_container fb-like
    fb-share-button feedflare heateor_sss_sharing_container jp-relatedposts sd-like shareaholic-canvas sharedaddy
    sharethis-inline-share-buttons ssba twitter-share-button wp-block-social-links""".split()
)
_ATTRIBUTES: Final = ("aria-controls", "aria-expanded", "aria-haspopup", "class", "href", "id", "role")
# Each of the `_SHARE_WORDS` has one of these beginnings, which are rare in other names.
_SHARING: Final = re.compile("shar|social|follow", re.IGNORECASE)
_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_ROLES: Final = frozenset({"menu", "menubar", "navigation", "search", "toolbar"})
_CLASS_NAMES: Final = _PLUGIN_NAMES | _LINK_NAMES
_LONGEST: Final = 300  # characters of an attribute that are read
# Words. A longer element is not furniture, whatever its name or target is.
_MOST_WORDS: Final = 40
_MOST_PLUGIN_WORDS: Final = 100
_MOST_SHARE_LINK_WORDS: Final = 12
_LONGEST_LINK: Final = 300  # characters
# A form with a larger share of the words is a frame around the whole text, as ASP.NET writes it.
_MOST_FORM_SHARE: Final = 0.5


class Furniture:
    """The navigation of a fragment, its forms, and its links to share and read more.

    :param page: the fragment.
    """

    def __init__(self, page: Page) -> None:
        self._page = page
        self._first, self._stop = page.leaf_ranges(np.arange(page.n_leaves))
        found = _read_attributes(page)
        # Hardly any page has these names, so each class and id is split only if one of them occurs.
        classes, names = found["class"], found["class"] + found["id"]
        has_class = not _CLASS_NAMES.isdisjoint(_join_values(classes).split())
        named = [(i, {*value.split()}) for i, value in watched(classes)] if has_class else []
        about = watched(names) if _SHARING.search(_join_values(names)) else ()
        # Elements, by their indices.
        self._urls = {i: url for i, url in found["href"] if url and url[0] != "#"}
        self._share_names = [i for i, value in about if _is_about_sharing(value)]
        self._share_names += [i for i, names in named if names & _LINK_NAMES]
        self._plugins = [i for i, names in named if names & _PLUGIN_NAMES]
        self._navigation = [i for i, role in found["role"] if role.lower() in _ROLES]
        self._openers = {i for i, _ in found["aria-controls"] + found["aria-expanded"]}
        self._openers -= {i for i, _ in found["aria-haspopup"]}

    @cached_property
    def links(self) -> IntArray:
        """The links to other pages, in document order, including those in furniture. *Shape:* any"""
        away = np.array([*self._urls], dtype=np.int64)
        return away[self._page.tags_in({"a"})[away]]

    def keep_other(self, links: IntArray) -> IntArray:
        """Return *links*, in document order, without the links to share and to read more. *Shapes:* any"""
        page, urls = self._page, np.array([*self._urls], dtype=np.int64)
        is_around = links.searchsorted(page.ends[urls]) > links.searchsorted(urls)
        in_shares = page.count_enclosing(self._mark_shares(urls[is_around].tolist()))[page.open_slots[links]] > 0
        return links[~(in_shares | self._mark_calls(links)[links])]

    def _mark_shares(self, leading_away: list[int]) -> BoolArray:
        """Return which elements are links to share or to follow, or hold little else. *Shape:* ``(n,)``

        :param leading_away: the elements whose URLs are tested.
        """
        shares = np.zeros(self._page.n_elements, dtype=bool)
        targets = [i for i in watched(leading_away) if _is_share_target(self._urls[i])]
        if self._plugins or self._share_names or targets:
            words, linked_words = self._sum_inside(self.n_words), self._sum_inside(self.n_words * self.in_links)
            shares |= _mark(self._plugins, words <= _MOST_PLUGIN_WORDS)
            shares |= _mark(self._share_names, (words <= _MOST_WORDS) & (2 * linked_words >= words))
            shares |= _mark(targets, words <= _MOST_SHARE_LINK_WORDS)
        return shares

    def _mark_calls(self, links: IntArray) -> BoolArray:
        """Return which elements are *links* whose whole text is a call such as "read more". *Shape:* ``(n,)``"""
        is_call = np.zeros(self._page.n_elements, dtype=bool)
        bounds = zip(links.tolist(), self._first[links].tolist(), self._stop[links].tolist(), strict=True)
        for link, start, end in watched(bounds, len(links)):
            parts = self._page.texts[start:end] if end - start <= _LONGEST_LINK else []
            is_short = 0 < sum(map(len, parts)) <= _LONGEST_LINK
            is_call[link] = is_short and READ_MORE.fullmatch(" ".join("".join(parts).split())) is not None
        return is_call

    @cached_property
    def leaves(self) -> BoolArray:
        """Which leaves are in furniture. *Shape:* ``(m,)``

        The first element is never furniture, since the caller has chosen it.
        """
        page = self._page
        chosen = self._mark_shares([*self._urls]) | self._mark_calls(page.tags_in({"a"}).nonzero()[0])
        chosen |= page.tags_in({"nav"})
        chosen[self._navigation] = True
        words = self._sum_inside(self.n_words)
        chosen |= page.tags_in({"form"}) & (words <= max(_MOST_WORDS, _MOST_FORM_SHARE * words[0]))
        # In lists of questions and answers, the questions are often buttons.
        in_heading = page.count_enclosing(page.tags_in({*HEADING_TAGS, "dt", "summary"}))[page.open_slots] > 0
        buttons = page.tags_in({"button"}) & ~in_heading
        buttons[[*self._openers]] = False
        chosen |= buttons
        chosen[0] = False
        return page.count_enclosing(chosen)[page.leaf_slots] > 0

    @cached_property
    def n_words(self) -> IntArray:
        """Number of words of each leaf. *Shape:* ``(m,)``"""
        return np.array([len(text.split()) for text in watched(self._page.texts)], dtype=np.int64)

    @cached_property
    def in_links(self) -> BoolArray:
        """Which leaves are in links and buttons. *Shape:* ``(m,)``"""
        page = self._page
        return page.count_enclosing(page.tags_in({"a", "button"}))[page.leaf_slots] > 0

    def _sum_inside(self, values: IntArray) -> IntArray:
        """Return the sum of *values* over the leaves inside each element. *Shapes:* ``(m,)`` -> ``(n,)``"""
        return sum_spans(values, self._first, self._stop)


def _read_attributes(page: Page) -> dict[str, list[tuple[int, str]]]:
    """Return, for each attribute, the elements that have it, with the beginning of its value."""
    columns = page.read_attributes(np.arange(page.n_elements), *_ATTRIBUTES)
    return {
        name: [(i, value[:_LONGEST]) for i, value in watched(column.items(), len(column))]
        for name, column in zip(_ATTRIBUTES, columns, strict=True)
    }


def _join_values(column: list[tuple[int, str]]) -> str:
    return " ".join([value for _, value in watched(column)])


def _is_share_target(url: str) -> bool:
    return ("//" in url or ":?" in url) and (is_share_url(url) or _FEED_TARGET.match(url) is not None)


def _is_about_sharing(names: str) -> bool:
    return bool(_SHARING.search(names)) and not _SHARE_WORDS.isdisjoint(map(str.lower, _WORD.findall(names)))


def _mark(elements: list[int], allowed: BoolArray) -> BoolArray:
    """Return which elements are among *elements* and *allowed*. *Shapes:* ``(n,)`` twice"""
    marked = np.zeros(len(allowed), dtype=bool)
    marked[elements] = True
    return marked & allowed
