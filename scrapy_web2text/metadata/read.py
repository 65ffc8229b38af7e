"""The metadata of a page (title, author, date, language, site, …), from its structured data and its meta elements.

With the extra ``metadata``, py3langid identifies the language of the text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from functools import cache, partial
from itertools import filterfalse, islice
from typing import Final

from lxml import etree

from scrapy_web2text.common.budget import watched
from scrapy_web2text.extraction import Metadata
from scrapy_web2text.metadata.authors import OF_OTHERS, find_authors, is_in_comments
from scrapy_web2text.metadata.breadcrumbs import find_breadcrumbs
from scrapy_web2text.metadata.dates import DATE_NAMES, Metas, find_dates, is_change
from scrapy_web2text.metadata.product import find_product
from scrapy_web2text.metadata.structured_data import (
    DataItem,
    described_items,
    is_article,
    item_names,
    item_types,
    main_item,
    plain_texts,
    plain_urls,
    safely,
    strip_markup,
)
from scrapy_web2text.metadata.title import LONGEST_TEXT, find_headline
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.urls import canonical_links, find_base, web_url

METADATA_PACKAGES: Final = ("htmldate", "py3langid")
LANGUAGE_PACKAGES: Final = ("py3langid",)

_TAG_NAMES: Final = ("keywords", "news_keywords", "article:tag", "parsely-tags", "sailthru.tags")
_TAG_END: Final = re.compile(r"[,;，、；]")
_HANDLE: Final = re.compile(r"@|https?:", re.IGNORECASE)
_LANGUAGE: Final = re.compile(r"\s*([A-Za-z]{2,3})(?:[-_]|\s*$)")
_MOST_TAGS: Final = 50
_MOST_NAMED: Final = 10  # values of a property of microdata that are read
_MOST_PROPERTIES: Final = 100  # values of microdata in meta elements; what is around each is searched
_LONGEST_NAME: Final = 120  # characters
# Least number of characters in a text, and of letters in the part that is read, for its language to be identified.
_LEAST_TEXT: Final = 100
_LEAST_LETTERS: Final = 50
_READ_TEXT: Final = 2000
_NO_LANGUAGE: Final = "zxx"  # ISO 639-2: no linguistic content


def read_metadata(
    page: Page,
    *,
    url: str | None = None,
    text: str = "",
    title: str = "",
    images: tuple[str, ...] = (),
    is_published: bool = True,
    is_thread: bool = False,
) -> Metadata:
    """Return the metadata of *page*; broken markup is ignored.

    :param text: the main content, from which the language is identified.
    :param title: the headline; empty if it is unknown.
    :param images: URLs of the images in the main content.
    :param is_published: whether the page is published content, which has a date, unlike a login form. Pages of products
        have no date.
    :param is_thread: whether the page is a thread of a board.
    """
    root = page.root
    base = find_base(page.landmarks.bases, url)
    metas = _read_metas(root)
    items = described_items(root, base)
    main = main_item(items)
    authors = find_authors(main, items, metas, root, is_thread=is_thread)
    descriptions = [
        *_named(metas, "description", "og:description"),
        *plain_texts(main.get("description")),
        *_named(metas, "twitter:description", "dc.description"),
    ]
    headline = _find_title(partial(find_headline, page.landmarks, url), items, title)
    product = find_product(root, items, metas, headline, base)
    is_published &= product is None or is_article(main)
    by_authors = [main, *(item for item in items if OF_OTHERS.isdisjoint(item_types(item)))]
    language, score = safely(lambda: identify_language(text)) or (_declared_language(root, metas), None)
    date, modified = find_dates(root, by_authors, metas, url, search=is_published)
    return Metadata(
        title=_first([headline], plain_texts(main.get("headline")), plain_texts(main.get("name"))),
        author=", ".join(authors) or None,
        date=date if is_published else None,
        language=language,
        language_score=score,
        site_name=_first(
            filterfalse(_HANDLE.match, metas.get("og:site_name", [])),
            _site_names(main, items),
            metas.get("application-name", []),
            metas.get("og:site_name", []),
        ),
        description=_first(map(strip_markup, descriptions)),
        canonical_url=_first_url(base, canonical_links(root), metas.get("og:url", [])),
        image=_first_url(
            base,
            _named(metas, "og:image", "og:image:url", "og:image:secure_url"),
            plain_urls(main.get("image")),
            _named(metas, "twitter:image", "twitter:image:src"),
            plain_texts(main.get("thumbnailUrl")),
        ),
        tags=_find_tags(main, metas),
        authors=authors,
        date_modified=modified,
        breadcrumbs=find_breadcrumbs(root, items, base),
        images=images,
        product=product,
    )


def _find_title(find: Callable[[], str], items: list[DataItem], title: str) -> str:
    """Return the title of the page: *title* or, if it is empty, the headline, which *find* returns.

    If the page has a single recipe and *title* is empty or the headline, return the name of the recipe.
    """
    names = {name for item in items if "Recipe" in item_types(item) for name in plain_texts(item.get("name"))[:1]}
    if len(names) != 1:
        return title or find()
    return names.pop() if title in ("", find()) else title


def _read_metas(root: etree._Element) -> Metas:
    """Return the values of meta elements by name, and the values of ``time`` elements with a date of the page."""
    metas: Metas = {}
    n_properties = 0
    for meta in watched(root.iter("{*}meta", "{*}time")):
        content = next(iter(plain_texts(meta.get("content") or meta.get("datetime"))), "")
        if content and meta.get("datetime") and "datemodified" not in metas and is_change(meta):
            metas["datemodified"] = [content]
        for attribute in ("property", "name", "itemprop"):
            name = (meta.get(attribute) or "").strip().lower()
            if not name or not content or (name not in DATE_NAMES and meta.get("datetime") is not None):
                continue
            if attribute == "itemprop":
                n_properties += 1
                is_one_of_many = n_properties > _MOST_PROPERTIES or len(metas.get(name, ())) >= _MOST_NAMED
                if is_one_of_many or is_in_comments(meta):
                    continue
            metas.setdefault(name, []).append(content)
    return metas


def _named(metas: Metas, *names: str) -> list[str]:
    """Return the values of the meta elements called *names*, in this order."""
    return [text for name in names for text in metas.get(name, [])]


def _first(*candidates: Iterable[str]) -> str | None:
    return next((text for texts in candidates for text in texts if text), None)


def _first_url(base: str | None, *candidates: Iterable[str]) -> str | None:
    urls = (text for texts in candidates for text in texts if 0 < len(text) < LONGEST_TEXT)
    return _first(web_url(base, text) or "" for text in urls)


def _declared_language(root: etree._Element, metas: dict[str, list[str]]) -> str | None:
    declared = _first([root.get("lang") or ""], metas.get("og:locale", []), metas.get("language", []))
    match = _LANGUAGE.match(declared or "")
    return None if match is None else match[1].lower()


def _site_names(main: DataItem, items: list[DataItem]) -> list[str]:
    sites = [name for item in items if "WebSite" in item_types(item) for name in plain_texts(item.get("name"))]
    return [*item_names(main.get("publisher"), items), *sites]


def _find_tags(main: DataItem, metas: dict[str, list[str]]) -> tuple[str, ...]:
    texts = [*item_names(main.get("keywords"), []), *_named(metas, *_TAG_NAMES)]
    tags = (tag.strip() for text in texts for tag in _TAG_END.split(text))
    return tuple(islice(dict.fromkeys(tag for tag in tags if 0 < len(tag) <= _LONGEST_NAME), _MOST_TAGS))


def identify_language(text: str) -> tuple[str, float] | None:
    """Return the ISO 639 code of the language of *text*, with its probability; None if it cannot be identified."""
    beginning = text[:_READ_TEXT]
    if len(text) < _LEAST_TEXT or sum(map(str.isalpha, beginning)) < _LEAST_LETTERS:
        return None
    import py3langid  # loads its model

    ranked = py3langid.rank(beginning)
    code, best = ranked[0]
    # Without the root, the probabilities of long texts would all be 1. py3langid 0.4 and later divide by the same root.
    root = math.sqrt(len(beginning.encode(errors="surrogatepass")))
    probability = 1 / sum(math.exp((score - best) / root) for _, score in ranked)
    return None if code == _NO_LANGUAGE else (code, probability)


@cache
def known_languages() -> frozenset[str]:
    """Return the codes of the languages that can be identified."""
    import py3langid  # loads its model

    return frozenset(code for code, _ in py3langid.rank("")) - {_NO_LANGUAGE}
