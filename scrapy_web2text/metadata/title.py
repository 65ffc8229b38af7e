"""The title of a page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import unescape
from itertools import chain
from typing import TYPE_CHECKING, Final

from lxml import etree

from scrapy_web2text.common.budget import check_time, watched
from scrapy_web2text.page.tree import Landmarks, shown_texts

if TYPE_CHECKING:
    from scrapy_web2text.page.arrays import Page


# Documentation generators add one of these to each heading, as a link to itself.
PERMALINK_SIGNS: Final = "¶#🔗"

# Separates a title from the name of its site. With the lookbehinds, the time is linear in a run of whitespace.
_SEPARATOR: Final = re.compile(r"(?<!\s)\s+[|\-–—·:»•~/]+\s+|(?:(?<!\s)\s+)?[|»]\s*")
_WORD: Final = re.compile(r"\w+")
# Least share of the words of a headline that the titles must contain too.
_LEAST_SHARED: Final = 0.34
_MOST_HEADINGS: Final = 20


def find_title(landmarks: Landmarks) -> str:
    """Return the ``og:title`` of a page, else its first ``h1``, else its ``title``, else an empty text."""
    shown = map(landmarks.text_of, chain(landmarks.headings[:1], landmarks.titles))
    titles = (" ".join(text.split()).rstrip(" " + PERMALINK_SIGNS) for text in chain(_og_titles(landmarks), shown))
    return next(filter(None, titles), "")


def _og_titles(landmarks: Landmarks) -> Iterator[str]:
    return (meta.get("content") or "" for meta in _metas(landmarks, "og:title"))


def _metas(landmarks: Landmarks, name: str) -> Iterator[etree._Element]:
    return (meta for meta in landmarks.metas if meta.get("property") == name)


def _split(title: str) -> list[str]:
    """Return the parts of a title, such as the name of the page and that of the site."""
    return [part for part in _SEPARATOR.split(title) if part.strip()]


def find_headline(landmarks: Landmarks) -> str:
    """Return the headline of a page: the ``h1`` that resembles its titles, else a title without the name of the site.

    Its titles are the ``og:title`` and the ``title``. An ``h1`` that is only the name of the site does not count.
    """
    og_title = _first(_og_titles(landmarks))
    title = _first(map(landmarks.text_of, landmarks.titles))
    headings = [_tidy(landmarks.text_of(heading)) for heading in landmarks.headings[:_MOST_HEADINGS]]
    check_time()
    named = og_title or title
    parts = _split(named)
    sites = {fold_title(names[-1]) for names in (parts, _split(title)) if len(names) > 1}  # usually after the title
    sites |= {fold_title(meta.get("content") or "") for meta in _metas(landmarks, "og:site_name")}
    own = max([part for part in parts if fold_title(part) not in sites] or parts, key=len, default="")
    words = {*_words(og_title), *_words(title)}
    candidates = [heading for heading in headings if heading and fold_title(heading) not in sites]
    best = max(candidates, key=lambda heading: (_shared(heading, words), len(heading)), default="")
    if best and (not named or _shared(best, words) >= _LEAST_SHARED):
        return best
    return own or best


def select_headline(page: Page, selector: str) -> str:
    """Return the text of the first match of *selector* that has one; empty if there is none.

    The text of a ``meta`` is its content. An XPath may also select attributes and texts, or return a string.
    """
    from scrapy_web2text.page.selection import select_nodes  # loads numpy

    return _first(map(_node_text, watched(select_nodes(page, selector))))


def _node_text(node: object) -> str:
    if isinstance(node, str):
        return node
    if not isinstance(node, etree._Element):  # a namespace
        return ""
    if not isinstance(node.tag, str):  # a comment or a processing instruction
        return node.text or ""
    return node.get("content") or "" if node.tag == "meta" else " ".join(shown_texts(node))


def _first(texts: Iterable[str]) -> str:
    """Return the first of *texts* that is not empty when it is tidy; empty if there is none."""
    return next(filter(None, map(_tidy, texts)), "")


def _tidy(text: str) -> str:
    # Some pages escape their titles twice.
    return " ".join(replace_references(text).split()).rstrip(" " + PERMALINK_SIGNS)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def fold_title(text: str) -> str:
    """Return the letters and digits of a title in lower case, to compare it with other texts."""
    return "".join(_words(text))


def _shared(heading: str, words: set[str]) -> float:
    own = {*_words(heading)}
    return len(own & words) / max(1, len(own))


# Python converts only short digits (`sys.set_int_max_str_digits`, at least 640), and Unicode needs seven.
_TOO_LONG: Final = re.compile("&#[0-9]{600,};?")


def replace_references(text: str) -> str:
    """Return *text* with the characters that its references name; U+FFFD for numbers that Unicode does not have."""
    return unescape(_TOO_LONG.sub("\ufffd", text) if "&#" in text else text)
