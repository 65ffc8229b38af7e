"""What training must know of each corpus beside its pages: terms, habits of its texts, and sites to split it by."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_web2text.evaluation.corpora import LabeledPage

__all__ = [
    "CORPORA",
    "CorpusFacts",
    "Gold",
    "Part",
    "Terms",
    "corpus_facts",
    "fold_of_site",
    "part_of_site",
    "site_of",
    "split_by_site",
]

Terms = Literal["permissive", "silent", "research", "copyleft"]
Gold = Literal["human", "rules", "container"]
Part = Literal["train", "val", "test"]


@dataclass(frozen=True, slots=True)
class CorpusFacts:
    """Terms and habits of one corpus.

    :param name: its folder, as `open_corpus` takes it.
    :param terms: what its publishers allow: ``permissive`` and ``silent`` ones may train the default model,
        ``research`` and ``copyleft`` ones may not.
    :param licence: the terms in words.
    :param gold: who made the clean texts: people, rules for each site, or the template's container of the content,
        which is weak.
    :param has_titles: whether the clean texts hold the page's main heading.
    :param has_comments: whether they hold what readers wrote below an article; posts of a forum are content anyway.
    :param site: a regular expression whose first group is the site in a page id, for pages without URL; None if the
        ids do not tell it.
    """

    name: str
    terms: Terms
    licence: str
    gold: Gold
    has_titles: bool
    has_comments: bool
    site: str | None = None

    @property
    def may_train_default(self) -> bool:
        """Whether the shipped default model may learn from it."""
        return self.terms in {"permissive", "silent"}

    @property
    def is_weak(self) -> bool:
        """Whether the clean texts are less reliable than those that people make."""
        return self.gold == "container"


# Habits were measured: in more than half of the pages of the corpus the first h1, or what lies under an element that is
# called a comment, is in the clean text.
_CORPORA: Final = (
    CorpusFacts("wcxb", "permissive", "CC-BY-4.0", "human", has_titles=False, has_comments=False),
    CorpusFacts("cleaneval", "silent", "published by SIGWAC for research", "human", has_titles=True, has_comments=True),
    CorpusFacts(
        "articles",
        "silent",
        "test fixtures; texts belong to their publishers",
        "rules",
        has_titles=False,
        has_comments=False,
        site=r"readability-(.*?)(?:-\d+)?$",
    ),
    CorpusFacts("seeds/dragnet1381", "copyleft", "AGPL-3.0", "human", has_titles=True, has_comments=False),
    CorpusFacts("seeds/l3s_gn1", "research", "research only", "human", has_titles=True, has_comments=False),
    CorpusFacts("more/utomo720", "research", "research only", "human", has_titles=True, has_comments=False),
    CorpusFacts("more/magic_html_forum", "permissive", "Apache-2.0", "human", has_titles=True, has_comments=True),
    CorpusFacts("more/magic_html_article", "permissive", "Apache-2.0", "human", has_titles=False, has_comments=False),
    CorpusFacts(
        "more/forum_archives",
        "silent",
        "none stated",
        "container",
        has_titles=False,
        has_comments=True,
        site=r"([^-]+)-",
    ),
    CorpusFacts(
        "more/docs_builders",
        "permissive",
        "BSD, Apache-2.0, Boost",
        "container",
        has_titles=True,
        has_comments=False,
        site=r"([^-]+)-",
    ),
    CorpusFacts("more/misinfo_crawler", "permissive", "MIT", "rules", has_titles=False, has_comments=False),
    CorpusFacts("more/cleanportaleval", "silent", "none stated", "human", has_titles=True, has_comments=False),
    CorpusFacts(
        "more/daniel5",
        "copyleft",
        "GPL-3.0",
        "human",
        has_titles=True,
        has_comments=False,
        site=r"\d+_([^_]+)_",
    ),
    CorpusFacts(
        "more/wwwxmu_zh_news",
        "silent",
        "none stated",
        "human",
        has_titles=False,
        has_comments=False,
        site=r"([^-]+)-",
    ),
)
CORPORA: Final[Mapping[str, CorpusFacts]] = MappingProxyType({facts.name: facts for facts in _CORPORA})


def corpus_facts(name: str) -> CorpusFacts:
    """Return what is known of a corpus; one of the user's own is made by people, as the model is to answer."""
    own = CorpusFacts(name, "silent", "not stated", "human", has_titles=False, has_comments=False)
    return CORPORA.get(name, own)


def read_comments(data: Path, facts: CorpusFacts, page_id: str) -> str:
    """Return what readers wrote below a page, where a corpus has that apart; else nothing.

    These corpora are of articles, where comments are no content. They may be as long as a forum's thread, though, so
    blocks that are in them are better left out of the loss than learnt as boilerplate.
    """
    path = data / facts.name / "text_comments" / f"{page_id}.txt"
    return path.read_text(encoding="utf-8", errors="ignore") if path.exists() else ""


_ARCHIVE: Final = re.compile(r".*\barchive\.org/web/\w+/(?=http)")
_N_FOLDS: Final = 10
_PARTS: Final[tuple[Part, ...]] = ("train",) * 8 + ("val", "test")


def site_of(facts: CorpusFacts, page: LabeledPage) -> str:
    """Return the site that a page is from, such as ``bbc.co.uk``; pages of unknown origin count as one site."""
    named = re.match(facts.site, page.id) if facts.site else None
    if named:
        return _host_to_site(named[1])
    host = urlsplit(_ARCHIVE.sub("", page.url or "")).hostname
    return _host_to_site(host) if host else facts.name


def _host_to_site(host: str) -> str:
    """Return the part of a host name that its owner has registered, as far as that can be told without a list."""
    labels = host.lower().split(".")
    n = 3 if len(labels) > 2 and len(labels[-1]) == 2 and len(labels[-2]) <= 3 else 2
    return ".".join(labels[-n:])


def fold_of_site(site: str, n_folds: int = _N_FOLDS) -> int:
    """Return the fold of a site, the same in every run, from 0 to ``n_folds - 1``."""
    digest = hashlib.blake2b(site.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") * n_folds >> 64


def part_of_site(site: str) -> Part:
    """Return the part in which all pages of a site are: of ten sites about eight train, one each is val and test."""
    return _PARTS[fold_of_site(site)]


def split_by_site(facts: CorpusFacts, pages: Iterable[LabeledPage]) -> dict[Part, tuple[str, ...]]:
    """Return the page ids of each part, for corpora without a split of their own."""
    parts: dict[Part, list[str]] = {"train": [], "val": [], "test": []}
    for page in pages:
        parts[part_of_site(site_of(facts, page))].append(page.id)
    return {part: tuple(ids) for part, ids in parts.items()}
