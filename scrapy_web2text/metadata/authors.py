"""The authors of a page, from its structured data, its meta elements and its byline."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, compress, islice
from typing import Final

from lxml import etree

from scrapy_web2text.common.budget import watched
from scrapy_web2text.metadata.structured_data import MOST_PARTS, Item, item_names, item_types
from scrapy_web2text.metadata.title import fold_title
from scrapy_web2text.page.tree import find_bodies, iter_texts

_AUTHOR_NAMES: Final = tuple(
    """author article:author dc.creator dcterms.creator dc.author parsely-author sailthru.author citation_author
    authors twitter:creator:name byl""".split()
)
_BYLINE: Final = re.compile(
    r"(?:(?<!\s)\s+)?(?:(?:written|posted|reviewed|published|edited|updated)\s*)?\bby\b:?\s+"
    r"|\A(?:af|autor|av|di|door|od|par|por|przez|von|автор)\s?:?\s+(?=\S+\s+\S)"
    r"|\A(?:author|story|te(?:ks|x)t|texte|texto|words)\s?:\s+",
    re.IGNORECASE,
)
_BRANDS: Final = frozenset({"Brand", "NewsMediaOrganization", "Organization", "WebSite"})
_ACCOUNTS: Final = frozenset({"admin", "administrator", "editor", "redaktion", "root", "staff", "user", "webmaster"})
BY_READERS: Final = frozenset({"Answer", "Comment", "Review", "UserComments", "UserReview"})
_URL_OR_HANDLE: Final = re.compile(r"^(?:https?:)?//|^@|\.(?:com|org|net)\b", re.IGNORECASE)
_LONGEST_NAME: Final = 120  # characters
_MOST_TEXTS: Final = 200  # texts of an element with a name

_MOST_AROUND: Final = 50  # elements around an element, in which marks of comments are searched
_LONGEST_MARK: Final = 200  # characters of an attribute
_MOST_MARKED: Final = 4  # elements with the same mark
_AUTHOR: Final = re.compile(r"(?<![^ \t\r\n])author(?![^ \t\r\n])")
# A name ends before a date, a number, a separator or a word such as "updated".
_NAME_END: Final = re.compile(
    r"(?:(?<!\s)\s+)?(?:[|•·»/(<\[]|\s[-–—]\s|\b(?:on|in)\s+[A-Z\d]|(?<=[a-z]{2})\.\s|\b[\w.+-]{1,60}@"
    r"|,\s(?i:(?:senior |staff |chief |special |contributing )*"
    r"(?:writer|reporter|editor|correspondent|contributor)s?)\b"
    r"|\b(?:am|den|dnia|el|em|il|le|op)\s+\d"
    r"|\b(?:last\s)?(?:[Uu]pdated|[Pp]ublished|[Pp]osted)\b"
    r"|(?<!\S)(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*\W{1,2})?"
    r"(?:(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sep|Oct|Nov|Dec)[a-z]*\W{1,2})?\d)"
)
_PERSON: Final = re.compile(r"[A-Z]\w+(?:\s[A-Z][\w.'’-]*){1,3}")
_AND: Final = re.compile(r",(?: and)?\s|\s(?:and|&|und|et|y|e|en|och|og)\s")
_INVERTED: Final = re.compile(r"\A([A-Z][\w'’-]+), ([A-Z][\w'’.-]*(?: [A-Z]\.?)?)\Z")  # as libraries write it
_ELEMENT: Final = re.compile(r"</?[a-z][^<>]*>")
_NOT_A_NAME: Final = re.compile(
    r"(?i)^(?:(?:the )?author|about|posts?|view|more|all|share|profile|written|by|follow|learn|contributors?)\b"
)
_COMMENTS: Final = re.compile(
    r"(?<![^\s/#])(?:(?:user)?(?:comment|ping|trackback|answer)s?(?:-?(?:list|area|body|author|content|\d+))?|pingback"
    r"|reviews|disqus_thread|testimonials?|related(?:-?(?:posts?|articles?|content|stories))?)(?!\S)",
    re.IGNORECASE,
)


def find_authors(main: Item, items: list[Item], metas: dict[str, list[str]], root: etree._Element) -> tuple[str, ...]:
    """Return the names of the authors that the markup states or, if it states none, that a byline names.

    The name of the site, of an organization or of an account is an author only if the page names no person.
    """
    brands = _ACCOUNTS | {fold_title(name) for name in metas.get("og:site_name", [])}
    stated = main.get("author")
    for item in [*items[:MOST_PARTS], *(stated[:MOST_PARTS] if isinstance(stated, list) else [stated])]:
        if isinstance(item, dict) and not _BRANDS.isdisjoint(item_types(item)):
            brands |= {fold_title(name) for name in item_names(item, items)}
    brand: tuple[str, ...] = ()
    for names in _list_stated(main, items, metas):
        good = [name for name in names[:MOST_PARTS] if len(name) <= _LONGEST_NAME and not _URL_OR_HANDLE.search(name)]
        found = (name for text in good if any(map(str.isalpha, name := _find_name(_ELEMENT.sub("", text)).strip(" ,"))))
        authors = tuple(dict.fromkeys(name for names in found for name in _list_people(names)))
        if authors and not brands.issuperset(map(fold_title, authors)):
            return authors
        brand = brand or authors
    byline = _find_byline(root)
    return byline if not brand or any(map(_PERSON.fullmatch, byline)) else brand


def _list_stated(main: Item, items: list[Item], metas: dict[str, list[str]]) -> Iterator[list[str]]:
    """Yield the names of authors that each source states, the most reliable source first."""
    yield item_names(main.get("author"), items) or item_names(main.get("creator"), items)
    for name in _AUTHOR_NAMES:
        is_catalog = name.startswith(("citation", "dc"))
        yield [_INVERTED.sub(r"\2 \1", text) if is_catalog else text for text in metas.get(name, [])]
    others = (item for item in items[:MOST_PARTS] if BY_READERS.isdisjoint(item_types(item)))
    yield from (item_names(item.get("author"), items) for item in others)


def _find_name(byline: str) -> str:
    """Return the name in a *byline*: after "by" or, as in "Ada Penn, reviewed by Ben Lee", at its start."""
    before, *after = _BYLINE.split(byline, maxsplit=1)
    words = before.split()
    is_name = len(words) > 1 and words[0][0].isupper() and words[-1][0].isupper()
    return before if not after or (is_name and not any(map(str.isdigit, before))) else after[0]


def _place_of(element: etree._Element) -> tuple[object, object]:
    """Return the parent of an element or, if the parent has a class, what it shares with its siblings of this class."""
    parent = element.getparent()
    name = None if parent is None else parent.get("class")
    return (parent, None) if parent is None or name is None else (parent.getparent(), name)


def _list_people(names: str) -> list[str]:
    """Return the people whose full names *names* lists; a list of *names* if it has anything else."""
    people = _AND.split(names)
    return people if all(map(_PERSON.fullmatch, people)) else [names]


def _find_byline(root: etree._Element) -> tuple[str, ...]:
    """Return the names in the first element marked as the author, and in others beside it with ``rel=author``."""
    names: dict[str, None] = {}
    place: tuple[object, object] = (None, None)
    for element in watched(_list_marked(root)):
        if names and not (element.get("rel") == "author" and _place_of(element) == place):
            continue
        words = " ".join(" ".join(islice(iter_texts(element), _MOST_TEXTS)).split())
        if len(words) > 2 * _LONGEST_NAME or is_in_comments(element):
            continue
        name = _NAME_END.split(_find_name(words), maxsplit=1)[0].strip(" ,.:")
        is_short = 1 < len(name) <= _LONGEST_NAME // 2 and len(name.split()) <= 8
        if is_short and any(map(str.isalpha, name)) and not _NOT_A_NAME.match(name):
            names.update(dict.fromkeys(_list_people(name)))
            place = _place_of(element)
    return (*names,)


def _list_marked(root: etree._Element) -> Iterator[etree._Element]:
    """Return the first four elements with each mark of an author, the most reliable mark first."""
    marked: list[list[etree._Element]] = [[] for _ in range(6)]
    # A single walk takes a sixth of the time of one XPath for each mark.
    for element in watched(chain.from_iterable(body.iterdescendants(etree.Element) for body in find_bodies(root))):
        names, href = element.get("class", ""), element.get("href", "")
        is_author = "author" in (element.get("rel"), element.get("itemprop"))
        if not (is_author or "author" in names or "byline" in names or "/author" in href):
            continue
        marks = (
            is_author,
            element.tag == "a" and ("/author/" in href or "/authors/" in href),
            any(map(names.__contains__, ("author-name", "author_name", "author__name"))),
            _AUTHOR.search(names) is not None,
            "byline" in names,
            "author" in names and "avatar" not in names and len(names) < 60,
        )
        for elements in compress(marked, marks):
            elements.append(element)
    return chain.from_iterable(elements[:_MOST_MARKED] for elements in marked)


def is_in_comments(element: etree._Element) -> bool:
    """Return whether an element is in a comment or a review of a reader, or in a list of these."""
    around = chain([element], islice(element.iterancestors(), _MOST_AROUND))
    names = (node.get(name, "")[:_LONGEST_MARK] for node in around for name in ("class", "id", "itemprop", "itemtype"))
    return any(map(_COMMENTS.search, watched(names)))
