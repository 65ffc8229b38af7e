"""The corpora for training: facts about each corpus, the pages of each of its parts, and the parsed pages."""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal, Protocol, TypeVar
from urllib.parse import urlsplit

from scrapy_web2text.evaluation.corpora import CorpusPage, open_corpus, read_split
from scrapy_web2text.exceptions import PageError, escape_line
from scrapy_web2text.page.arrays import Page, tree_to_page
from scrapy_web2text.page.parse import to_tree

logger = logging.getLogger(__name__)

_T = TypeVar("_T")
Part = Literal["train", "val", "test"]

_ARCHIVE: Final = re.compile(r"\A.*\barchive\.org/web/\w+/(?=http)")
_N_FOLDS: Final = 10
_PARTS: Final[tuple[Part, ...]] = ("train",) * 8 + ("val", "test")


@dataclass(frozen=True, slots=True)
class CorpusFacts:
    """Annotation habits of one corpus.

    :param habits: ``titles`` if the clean texts include the main heading of the page; ``comments`` if they include
        readers' comments below an article (forum posts are always content); ``container`` if they were copied from an
        element of the template, which is less reliable than annotation by people or by rules for each site.
    :param site: regular expression whose first group is the site in a page id, for pages without a URL; None if the ids
        do not contain the site.
    """

    name: str
    habits: tuple[Literal["titles", "comments", "container"], ...] = ()
    site: str | None = None


# The habits were measured on the pages. A corpus has titles if the clean text contains the first h1 on more than half
# of its pages. It has comments if the same is true of the text in elements with names of comments.
_CORPORA: Final = (
    CorpusFacts("wcxb"),
    CorpusFacts("cleaneval", ("titles", "comments")),
    CorpusFacts("articles", site=r"readability-(.*?)(?:-\d+)?$"),
    CorpusFacts("seeds/dragnet1381", ("titles",)),
    CorpusFacts("seeds/l3s_gn1", ("titles",)),
    CorpusFacts("more/utomo720", ("titles",)),
    CorpusFacts("more/magic_html_forum", ("titles", "comments")),
    CorpusFacts("more/magic_html_article"),
    CorpusFacts("more/forum_archives", ("comments", "container"), site=r"([^-]+)-"),
    CorpusFacts("more/docs_builders", ("titles", "container"), site=r"([^-]+)-"),
    CorpusFacts("more/misinfo_crawler"),
    CorpusFacts("more/cleanportaleval", ("titles",)),
    CorpusFacts("more/daniel5", ("titles",), site=r"\d+_([^_]+)_"),
    CorpusFacts("more/wwwxmu_zh_news", site=r"([^-]+)-"),
)
CORPORA: Final[Mapping[str, CorpusFacts]] = MappingProxyType({facts.name: facts for facts in _CORPORA})


def corpus_facts(name: str) -> CorpusFacts:
    """Return the facts about a corpus. An unknown corpus counts as annotated by people, in the style of the model."""
    return CORPORA.get(name, CorpusFacts(name))


def corpus_ids(name: str, part: str, data: Path, splits: Path | None) -> tuple[str, ...]:
    """Return the ids of the pages in one part of a corpus.

    :param part: ``train``, ``val``, ``test``, or ``all`` for a corpus that is split by site.
    :param splits: JSON file of page ids by corpus and part; a corpus that it does not list is split by site.
    """
    if splits is not None and name in json.loads(splits.read_text(encoding="utf-8")):
        return read_split(splits, name, part)
    by_part = split_by_site(corpus_facts(name), open_corpus(name, data).pages())
    if part == "all":
        return tuple(page_id for ids in by_part.values() for page_id in ids)
    if part not in by_part:
        raise ValueError(f"corpus {name}: expected part all, {', '.join(by_part)}, got {part!r}")
    return by_part[part]


def split_by_site(facts: CorpusFacts, pages: Iterable[CorpusPage]) -> dict[Part, tuple[str, ...]]:
    """Return the page ids of each part: of ten sites, about eight are in train, one is in val and one in test."""
    parts: dict[Part, list[str]] = {"train": [], "val": [], "test": []}
    for page in pages:
        parts[_PARTS[fold_of_site(site_of(facts, page))]].append(page.id)
    return {part: tuple(ids) for part, ids in parts.items()}


def site_of(facts: CorpusFacts, page: CorpusPage) -> str:
    """Return the site of a page, such as ``bbc.co.uk``; all pages of unknown origin share one site."""
    named = re.match(facts.site, page.id) if facts.site else None
    if named:
        return _host_to_site(named[1])
    host = urlsplit(_ARCHIVE.sub("", page.url or "")).hostname
    return _host_to_site(host) if host else facts.name


def fold_of_site(site: str, n_folds: int = _N_FOLDS) -> int:
    """Return the fold of a site, from 0 to ``n_folds - 1``, the same in every run."""
    return number_of_text(site) * n_folds >> 64


def number_of_text(text: str) -> int:
    """Return a number below ``2**64`` for *text*, the same in every run."""
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big")


def _host_to_site(host: str) -> str:
    """Return the registered part of a host name, guessed from the lengths of its parts, without a list of suffixes."""
    labels = host.lower().split(".")
    n = 3 if len(labels) > 2 and len(labels[-1]) == 2 and len(labels[-2]) <= 3 else 2
    return ".".join(labels[-n:])


def parse_page(source: CorpusPage) -> Page | None:
    """Return the parsed page; None, after a warning, if it cannot be parsed."""
    try:
        return tree_to_page(to_tree(source.html))
    except PageError as error:
        logger.warning("Ignoring page %s: %s", escape_line(source.id), error)
        return None


class Track(Protocol):
    """Returns the items of a loop, and shows how many are done. *title* names the loop, *unit* the items."""

    def __call__(self, items: Iterable[_T], n_items: int, /, *, title: str = ..., unit: str = ...) -> Iterable[_T]: ...


def no_progress(items: Iterable[_T], _n_items: int, /, *, title: str = "", unit: str = "pages") -> Iterable[_T]:  # noqa: ARG001
    """Return *items* without showing progress."""
    return items
