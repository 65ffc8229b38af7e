"""Which pages of a corpus belong to which part: by a split file, or by site."""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Final, Literal
from urllib.parse import urlsplit

from scrapy_web2text.evaluation.corpora import open_corpus, read_split
from scrapy_web2text.training.corpus_facts import corpus_facts

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from scrapy_web2text.evaluation.corpora import LabeledPage
    from scrapy_web2text.training.corpus_facts import CorpusFacts

__all__ = ["Part", "corpus_ids", "fold_of_site", "number_of_text", "part_of_site", "site_of", "split_by_site"]

Part = Literal["train", "val", "test"]

_ARCHIVE: Final = re.compile(r"\A.*\barchive\.org/web/\w+/(?=http)")
_N_FOLDS: Final = 10
_PARTS: Final[tuple[Part, ...]] = ("train",) * 8 + ("val", "test")


def corpus_ids(name: str, part: str, data: Path, splits: Path) -> tuple[str, ...]:
    """Return the ids of the pages in one part of a corpus.

    :param part: ``train``, ``val``, ``test``, or ``all`` for a corpus that is split by site.
    :param splits: JSON file of page ids by corpus and part; a corpus that it does not list is split by site.
    :raises ValueError: if the corpus or the part does not exist.
    """
    known = json.loads(splits.read_text(encoding="utf-8"))
    if name in known:
        return read_split(splits, name, part)
    by_part = split_by_site(corpus_facts(name), open_corpus(name, data).pages())
    if part == "all":
        return tuple(page_id for ids in by_part.values() for page_id in ids)
    if part not in by_part:
        raise ValueError(f"corpus {name}: expected part all, {', '.join(by_part)}, got {part!r}")
    return by_part[part]


def split_by_site(facts: CorpusFacts, pages: Iterable[LabeledPage]) -> dict[Part, tuple[str, ...]]:
    """Return the page ids of each part; all pages of a site are in the same part."""
    parts: dict[Part, list[str]] = {"train": [], "val": [], "test": []}
    for page in pages:
        parts[part_of_site(site_of(facts, page))].append(page.id)
    return {part: tuple(ids) for part, ids in parts.items()}


def site_of(facts: CorpusFacts, page: LabeledPage) -> str:
    """Return the site of a page, such as ``bbc.co.uk``; all pages of unknown origin share one site."""
    named = re.match(facts.site, page.id) if facts.site else None
    if named:
        return _host_to_site(named[1])
    host = urlsplit(_ARCHIVE.sub("", page.url or "")).hostname
    return _host_to_site(host) if host else facts.name


def part_of_site(site: str) -> Part:
    """Return the part of all pages of a site: about eight of ten sites are in train, one each in val and test."""
    return _PARTS[fold_of_site(site)]


def fold_of_site(site: str, n_folds: int = _N_FOLDS) -> int:
    """Return the fold of a site, from 0 to ``n_folds - 1``, the same in every run."""
    return number_of_text(site) * n_folds >> 64


def number_of_text(text: str) -> int:
    """Return a number below ``2**64`` that follows from *text*, the same in every run."""
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big")


def _host_to_site(host: str) -> str:
    """Return the registered part of a host name, guessed from the lengths of its labels, without a list."""
    labels = host.lower().split(".")
    n = 3 if len(labels) > 2 and len(labels[-1]) == 2 and len(labels[-2]) <= 3 else 2
    return ".".join(labels[-n:])
