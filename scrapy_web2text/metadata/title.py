"""The title of a page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import accumulate, chain, islice
from typing import TYPE_CHECKING, Final

from lxml import etree

from scrapy_web2text.common.budget import check_time, watched
from scrapy_web2text.page.invisible import replace_references
from scrapy_web2text.page.tree import Landmarks, shown_texts

if TYPE_CHECKING:
    from scrapy_web2text.page.arrays import Page

# Documentation generators add one of these signs to each heading, as a link to the heading.
PERMALINK_SIGNS: Final = "¶#🔗"
LONGEST_TEXT: Final = 10_000  # characters of a title and of other metadata; the rest is cut off

# Separates a title from the name of its site. The lookbehinds keep the time linear for a run of whitespace.
_SEPARATOR: Final = re.compile(
    r"(?<!\s)\s+[|\-–—·:»«‹←•~/\\⋆⁄]+\s+|(?:(?<!\s)\s+)?[|»]\s*|(?<=[\u3001-\u9fff\uff00-\uffef%)])[-_—]{1,2}(?=[\u3001-\u9fff])"
)
_START: Final = re.compile(r"^(?:[|–—·•»-] )+")  # the separator of a part of the title that is empty
# Words that boards and blogs put before the title of a page.
_BOARD_WORDS: Final = frozenset(
    {
        "blogarchive",
        "viewtopic",
        "viewingtopic",
        "themaanzeigen",
        "voirlesujet",
        "vertema",
        "leggiargomento",
        "просмотртемы",
    }
)
_WORD: Final = re.compile(r"\w+")
# Least share of the words of a headline that the titles contain, too.
_LEAST_SHARED: Final = 0.34
_LEAST_COVERED: Final = 0.2  # of the words of the title
_MOST_HEADINGS: Final = 20
_OTHER_TITLES: Final = ("twitter:title", "citation_title", "DC.title", "dc.title")
_MOST_SITE_WORDS: Final = 4
_LEAST_TITLE_WORDS: Final = 3
_HOST: Final = re.compile(r"(?:[\w-]+\.)+(?:com|org|net|info|tv|ca|de|uk|au|in)", re.IGNORECASE)
_HOST_NAME: Final = re.compile(r"https?://(?:www\.)?([\w-]{3,63})\.", re.IGNORECASE)
_HOME: Final = re.compile(r"\.?/|(?:https?:)?//[^/?#]+/?", re.IGNORECASE)


def find_title(landmarks: Landmarks) -> str:
    """Return the first of a page's ``og:title``, first ``h1`` and ``title`` that exists; empty if none does."""
    shown = map(landmarks.text_of, chain(landmarks.headings[:1], landmarks.titles))
    named = chain(_contents(landmarks, "og:title"), shown)
    titles = (" ".join(text[:LONGEST_TEXT].split()).rstrip(" " + PERMALINK_SIGNS) for text in named)
    return next(filter(None, titles), "")


def _contents(landmarks: Landmarks, *names: str) -> Iterator[str]:
    """Return the contents of the meta elements with one of the *names*, in this order."""
    kinds = ((name, {meta.get("property"), meta.get("name")}, meta) for name in names for meta in landmarks.metas)
    return (meta.get("content") or "" for name, own, meta in kinds if name in own)


def _split(title: str) -> list[str]:
    """Return the parts of a title, such as the name of the page and the name of the site."""
    return [part for part in _SEPARATOR.split(title) if part.strip()]


def find_headline(landmarks: Landmarks, url: str | None = None) -> str:
    """Return the headline of a page: the ``h1`` that resembles its titles, else a title without the name of the site.

    The titles of a page are its ``og:title`` and its ``title``. An ``h1`` that is only the name of the site does not
    count. Text around the title in the ``h1``, such as a date in an element of its own, is not part of the headline.
    """
    og_title = _first(_contents(landmarks, "og:title"))
    title = _first(map(landmarks.text_of, landmarks.titles))
    headings = {heading: _tidy(landmarks.text_of(heading)) for heading in landmarks.headings[:_MOST_HEADINGS]}
    check_time()
    parts = _split(og_title or title or _first(_contents(landmarks, *_OTHER_TITLES)))
    host = _find_host(landmarks, url)
    is_inner = url is not None and _HOME.fullmatch(url) is None
    known = _list_sites(landmarks, headings).union([host] if host and is_inner else ())
    board = next((i for i, part in enumerate(parts[:-1], 1) if fold_title(part) in _BOARD_WORDS), None)
    if board is not None:
        known |= {fold_title(part) for part in parts} - {fold_title(parts[board])}
        parts = [parts[board]]
    shown = [heading for heading in map(fold_title, headings.values()) if heading not in known]
    sites = known | {fold_title(names[-1]) for names in (parts, _split(title)) if len(names) > 1}
    if not og_title and len(parts) > 1:
        sites = known | {fold_title(_site_end(parts, known, shown, landmarks, host))}
    own = max([part for part in parts if fold_title(part) not in sites] or parts, key=len, default="")
    words = {*_words(og_title), *_words(title)}
    ranks = {
        heading: (_shared(text, words), len(text))
        for heading, text in headings.items()
        if text and fold_title(text) not in sites
    }
    best = max(ranks, key=ranks.__getitem__, default=None)
    is_title = not (is_inner and fold_title(own) in known)
    if best is None or (own and is_title and (ranks[best][0] < _LEAST_SHARED or _is_section(headings[best], own))):
        return own
    return own if _decorates(best, own, known) else headings[best]


def _find_host(landmarks: Landmarks, url: str | None) -> str:
    """Return the name of the host of a page, folded; empty if it is unknown."""
    found = _HOST_NAME.match(url or _first(_contents(landmarks, "og:url")))
    return fold_title(found[1]) if found else ""


def _list_sites(landmarks: Landmarks, headings: dict[etree._Element, str]) -> set[str]:
    """Return the names of the site that the page states, and those in headings that lead to its start page, folded."""
    logos = {fold_title(text) for heading, text in headings.items() if _leads_home(heading)}
    return logos.union(map(fold_title, _contents(landmarks, "og:site_name")))


def _is_section(heading: str, title: str) -> bool:
    """Return whether a heading has so few of the words of the *title* that it is that of a section."""
    return len(_words(heading)) < _LEAST_COVERED * len(_words(title))


def _leads_home(heading: etree._Element) -> bool:
    """Return whether the whole heading is a link to the start page of a site, like a logo."""
    link = next(chain(heading.iter("{*}a"), heading.iterancestors("{*}a")), None)
    if link is None or _HOME.fullmatch((link.get("href") or "").strip()) is None:
        return False
    return fold_title("".join(shown_texts(link))) == fold_title("".join(shown_texts(heading)))


def _site_end(parts: list[str], known: set[str], shown: list[str], landmarks: Landmarks, host: str) -> str:
    """Return the first or the last of the *parts* of a title, whichever is the name of the site.

    :param known: names of the site.
    :param shown: the headings of the page, in order.
    :param host: the name of its host.
    """
    first, last = parts[0], parts[-1]
    if {fold_title(first), fold_title(last)} <= {*shown}:  # the name of the site is above the headline
        return min(first, last, key=lambda part: shown.index(fold_title(part)))
    if fold_title(last) in known or _HOST.fullmatch(last.strip()) or fold_title(first) in shown:
        return last
    if fold_title(last) in shown:
        lesser = (heading for body in landmarks.bodies[:1] for heading in islice(body.iter("{*}h2"), _MOST_HEADINGS))
        is_site = fold_title(first) in (fold_title(landmarks.text_of(heading)) for heading in lesser)
        return last if is_site else first  # some sites have their name in an h1 of each page
    begins = [
        len(name := fold_title(part)) > 2 and (host.startswith(name) or name.startswith(host or "\0"))
        for part in (first, last)
    ]
    if sum(begins) == 1:
        return first if begins[0] else last
    is_short = len(_words(first)) <= _MOST_SITE_WORDS < len(_words(last)) - 1
    return first if is_short or _HOST.fullmatch(first.strip()) else last


def _decorates(heading: etree._Element, title: str, sites: set[str]) -> bool:
    """Return whether a heading is the *title* followed by the name of the site, or with text of other elements."""
    texts = [fold_title(text) for text in watched(shown_texts(heading))]
    whole, folded = "".join(texts), fold_title(title)
    start = whole.find(folded)
    if start == 0 and whole[len(folded) :] in sites - {""}:
        return True
    edges = {0, *accumulate(map(len, texts))}
    is_long = len(_words(title)) >= _LEAST_TITLE_WORDS and 2 * len(folded) >= len(whole)
    return is_long and folded != whole and {start, start + len(folded)} <= edges


def select_headline(page: Page, selector: str) -> str:
    """Return the text of the first match of *selector* that has text; empty if there is none.

    The text of a ``meta`` is its ``content``. An XPath may also select attributes and texts, or return a string.
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
    return node.get("content") or "" if node.tag == "meta" else "".join(shown_texts(node))


def _first(texts: Iterable[str]) -> str:
    """Return the first of *texts* that still has text after `_tidy`; empty if there is none."""
    return next(filter(None, map(_tidy, texts)), "")


def _tidy(text: str) -> str:
    # Some pages escape their titles twice.
    tidied = " ".join(replace_references(text[:LONGEST_TEXT]).split()).rstrip(" " + PERMALINK_SIGNS)
    return _START.sub("", tidied)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def fold_title(text: str) -> str:
    """Return the letters and digits of a title in lower case, to compare it with other texts."""
    return "".join(_words(text))


def _shared(heading: str, words: set[str]) -> float:
    own = {*_words(heading)}
    return len(own & words) / max(1, len(own))
