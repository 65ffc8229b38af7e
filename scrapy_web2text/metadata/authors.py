"""The authors of a page, from its structured data, its meta elements and its byline."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from itertools import chain, compress, islice
from typing import Final

from lxml import etree

from scrapy_web2text.common.budget import watched
from scrapy_web2text.metadata.structured_data import MOST_PARTS, DataItem, find_items, item_names, item_types
from scrapy_web2text.metadata.title import fold_title
from scrapy_web2text.page.tree import find_bodies, iter_texts

_AUTHOR_NAMES: Final = tuple(
    """author article:author dc.creator dcterms.creator dc.author parsely-author sailthru.author citation_author
    citation_authors authors twitter:creator:name byl""".split()
)
_WRITTEN: Final = re.compile(r"\A.*?\b(?:written|words|story)(?: and \w+)? by:?\s", re.IGNORECASE | re.DOTALL)
# What is before a name: "by", or a word of another language at the start, or any word with a colon.
_BYLINE: Final = re.compile(
    r"(?:(?<!\s)\s+)?(?:(?:written|posted|reviewed|published|edited|updated)\s*)?\bby\b:?\s+"
    r"|\A(?:publi\w*\s)?(?:af|autor|av|di|door|od|par|por|przez|von|автор)\s?:?\s+(?=\S+\s+\S)"
    r"|\A[^\W\d]{1,12}\s?[:：]\s*|\A(?:记者|作者)\s?",
    re.IGNORECASE,
)
_BRANDS: Final = frozenset({"Brand", "NewsMediaOrganization", "Organization", "WebSite"})
_ACCOUNTS: Final = frozenset(
    "admin administrator anonymous editor guest redaktion root staff unknown user webmaster".split()
)
# What readers wrote, and the media of a page, have other authors and dates.
OF_OTHERS: Final = frozenset(
    "Answer AudioObject Comment ImageObject MediaObject Review UserComments UserReview VideoObject".split()
)
# No name: a URL, a path, a handle, a template that was not filled in, or a value that a program wrote for none.
_NOT_STATED: Final = re.compile(
    r"^(?:https?:)?/|^@|\.(?:com|org|net)\b|\{\{|\[\[|^(?:undefined|null|none|false|n/a)$", re.IGNORECASE
)
_LONGEST_NAME: Final = 120  # characters
_MOST_TEXTS: Final = 200  # texts of an element with a name

_MOST_AROUND: Final = 50  # elements around an element, in which marks of comments are searched
_LONGEST_MARK: Final = 200  # characters of an attribute
_MOST_MARKED: Final = 6  # elements with the same mark
_MOST_AFTER: Final = 60  # elements after a headline in which a byline without a mark is looked for
_AUTHOR: Final = re.compile(r"(?<![^ \t\r\n])author(?![^ \t\r\n])")
_USER: Final = re.compile(r"(?<!\S)(?:(?:big)?username|hnuser|postauthor|PostUser-name|person-listing)(?!\S)")
_STARTS: Final = re.compile(
    r"\s*(?:(?:story|text|words|written|posted|published)\s)?(?:by|von|par|por)\b", re.IGNORECASE
)
_MARKED: Final = re.compile(r"auth?or(?!i[sz]|efs)|auteur|byline")
_NO_MARK: Final = re.compile(r"avatar|caption|credit|image|photo|picture", re.IGNORECASE)
_LETTER: Final = r"[^\W\d_a-zß-öø-ÿ]"  # that a name begins with
_PERSON: Final = re.compile(
    rf"(?:Dr\.? )?{_LETTER}[\w.'’-]*"
    rf"(?:\s(?:(?:van|von|de|der|den|del|della|di|da|la|le|bin|al|ter|ten|dos|du)\s){{0,2}}{_LETTER}[\w.'’-]*){{1,3}}"
)
# A name ends before a date, a number, a separator, a role, a place or a word such as "updated".
_NAME_END: Final = re.compile(
    r"(?:(?<!\s)\s+)?(?:[|•·»/(<\[]|\s[-–—]\s|\b(?:on|in)\s+[A-Z\d]|(?<=[a-z]{2})\.\s|\b[\w.+-]{1,60}@|\s@\w"
    r"|,\s(?i:(?:translated|edited|reviewed|photographed)\sby)\b|\b(?:of|for)\sthe\s|\b[Ss]pecial\sto\b|\bFollow\b"
    r"|\b(?:am|den|dnia|el|em|il|le|op)\s+\d"
    r"|\b(?:last\s)?(?:[Uu]pdated|[Pp]ublished|[Pp]osted)\b"
    r"|(?<!\S)(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*\W{1,2})?"
    r"(?:(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sep|Oct|Nov|Dec)[a-z]*\W{1,2})?\d)"
)
_ROLE: Final = re.compile(
    r",\s(?:[\w-]+\s){0,3}(?:writer|reporter|editor|correspondent|contributor|columnist|producer|news|press|times)s?\b"
    r"|\s\|\s.*",
    re.IGNORECASE,
)
_CONTINUED: Final = re.compile(r"[,;/&|]|(?:and|und|et|y|e|en|och|og)\b")  # the next line has another name
_AND: Final = re.compile(r",(?: and)?\s|;\s?|\s/\s|\s(?:and|AND|&|und|et|y|e|en|och|og)\s")
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


def find_authors(
    main: DataItem, items: list[DataItem], metas: dict[str, list[str]], root: etree._Element, *, is_thread: bool = False
) -> tuple[str, ...]:
    """Return the names of the authors that the markup states or, if it states none, that a byline names.

    The name of the site, of an organization or of an account is an author only if the page names no person.

    :param is_thread: whether the page is a thread, whose author is the first user that it names.
    """
    brands = _ACCOUNTS | {fold_title(name) for name in metas.get("og:site_name", [])}
    for item in islice(chain(find_items([main.get("author"), main.get("publisher")]), items), 2 * MOST_PARTS):
        if not _BRANDS.isdisjoint(item_types(item)):
            brands |= {fold_title(name) for name in item_names(item, items)}
    brand: tuple[str, ...] = ()
    stated: tuple[str, ...] = ()
    for names in _list_stated(main, items, metas):
        good = [name for name in names[:MOST_PARTS] if len(name) <= _LONGEST_NAME and not _NOT_STATED.search(name)]
        found = (_find_name(_ELEMENT.sub("", text)).strip(" ,") for text in good)
        people = (name for names in found for name in _list_people(names, brands) if any(map(str.isalpha, name)))
        authors = tuple(dict.fromkeys(people))
        if authors and not brands.issuperset(map(fold_title, authors)):
            # A source can state the first author alone, and another source all of them in the same order.
            stated = authors if authors[: len(stated)] == stated else stated
        brand = brand or authors
    if stated:
        return stated
    byline = _find_byline(root, brands, is_thread=is_thread)
    return byline if not brand or any(map(_PERSON.fullmatch, byline)) else brand


def _list_stated(main: DataItem, items: list[DataItem], metas: dict[str, list[str]]) -> Iterator[list[str]]:
    """Yield the names of authors that each source states, the most reliable source first."""
    yield item_names(main.get("author"), items) or item_names(main.get("creator"), items)
    for name in _AUTHOR_NAMES:
        is_catalog = name.startswith(("citation", "dc"))
        parts = (part.strip() for text in metas.get(name, []) for part in text.split(";"))
        yield [_INVERTED.sub(r"\2 \1", part) if is_catalog else part for part in parts]
    others = (item for item in items[:MOST_PARTS] if OF_OTHERS.isdisjoint(item_types(item)))
    yield from (item_names(item.get("author"), items) for item in others)


def _find_name(byline: str) -> str:
    """Return the name in a *byline*: after "by" or, as in "Ada Penn, reviewed by Ben Lee", at its start."""
    before, *after = _BYLINE.split(_WRITTEN.sub("by ", byline), maxsplit=1)
    words = before.split()
    is_name = len(words) > 1 and words[0][0].isupper() and words[-1][0].isupper()
    return _ROLE.sub("", before if not after or (is_name and not any(map(str.isdigit, before))) else after[0])


def _place_of(element: etree._Element) -> tuple[object, ...]:
    """Return what an element shares with the elements beside it that name other authors in the same way.

    This is its kind and its parent or, if the class of the parent tells of an author, the kind of the parent.
    """
    parent = element.getparent()
    name = "" if parent is None else parent.get("class", "")
    around = parent if parent is None or not _MARKED.search(name) else parent.getparent()
    return around, name, element.tag, element.get("class"), element.get("rel")


def _list_people(names: str, brands: Container[str]) -> list[str]:
    """Return the people that *names* lists by their full names, without *brands*; else *names* as one name."""
    people = _AND.split(names)
    own = [name for name in people if fold_title(name) not in brands]
    return own if own and all(map(_PERSON.fullmatch, own)) else [names]


def _find_byline(root: etree._Element, brands: Container[str], *, is_thread: bool) -> tuple[str, ...]:
    """Return the names in the first element marked as the author, and in others of its kind beside it."""
    names: dict[str, None] = {}
    place: tuple[object, ...] = ()
    for element, is_marked in watched(_list_marked(root, is_thread=is_thread)):
        if names and _place_of(element) != place:
            continue
        texts = (" ".join(text.split()) for text in islice(iter_texts(element), _MOST_TEXTS))
        words = "\n".join(filter(None, texts))
        if len(words) > 2 * _LONGEST_NAME or is_in_comments(element):
            continue
        name = _NAME_END.split(_find_name(words), maxsplit=1)[0].strip(" \n,.:")
        first, _, rest = name.partition("\n")  # the name, and on other lines the role of its owner
        is_whole = any(map(_PERSON.fullmatch, _AND.split(first))) and not _CONTINUED.match(rest)
        people = _list_people(first if is_whole else " ".join(name.split()), brands)
        is_short = all(1 < len(each) <= _LONGEST_NAME // 2 and len(each.split()) <= 8 for each in people)
        is_name = any(map(str.isalpha, name)) and (is_marked or all(map(_PERSON.fullmatch, people)))
        if is_short and is_name and not _NOT_A_NAME.match(name):
            names.update(dict.fromkeys(people))
            place = _place_of(element)
    return (*names,)


def _list_marked(root: etree._Element, *, is_thread: bool) -> Iterator[tuple[etree._Element, bool]]:
    """Return the first elements with each mark of an author, the most reliable mark first, and whether it is sure."""
    marked: list[list[etree._Element]] = [[] for _ in range(8)]
    n_after = _MOST_AFTER  # elements after the last headline
    # A single walk takes a sixth of the time of one XPath for each mark.
    for element in watched(chain.from_iterable(body.iterdescendants(etree.Element) for body in find_bodies(root))):
        names, href = element.get("class", ""), element.get("href", "")
        n_after = 0 if element.tag == "h1" else n_after + 1
        is_author = "author" in (element.get("rel"), element.get("itemprop"))
        is_plain = n_after < _MOST_AFTER and _STARTS.match(element.text or "") is not None
        is_user = is_thread and _USER.search(names) is not None
        if not (is_author or is_plain or is_user or _MARKED.search(names) or "/author" in href):
            continue
        marks = (
            is_author,
            element.tag == "a" and ("/author/" in href or "/authors/" in href),
            any(map(names.__contains__, ("author-name", "author_name", "author__name"))),
            _AUTHOR.search(names) is not None,
            "byline" in names,
            _MARKED.search(names) and len(names) < 60 and not _NO_MARK.search(names),
            is_user,
            is_plain,
        )
        for elements in compress(marked, marks):
            elements.append(element)
    return ((each, elements is not marked[-1]) for elements in marked for each in elements[:_MOST_MARKED])


def is_in_comments(element: etree._Element) -> bool:
    """Return whether an element is in a comment or a review of a reader, or in a list of these."""
    around = chain([element], islice(element.iterancestors(), _MOST_AROUND))
    names = (node.get(name, "")[:_LONGEST_MARK] for node in around for name in ("class", "id", "itemprop", "itemtype"))
    return any(map(_COMMENTS.search, watched(names)))
