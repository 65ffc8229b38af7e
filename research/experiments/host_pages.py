"""Reads the pages of hosts with the answers of a model, and describes each block by the other pages of its host."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from research.pages import segment_page
from scrapy_web2text.evaluation.corpora import Corpus, CorpusPage, open_corpus
from scrapy_web2text.features.modern.context import Context
from scrapy_web2text.features.modern.page import plan_columns
from scrapy_web2text.labelers.base import Labeler
from scrapy_web2text.page.blocks import MODERN_BLOCKS, Label, segment
from scrapy_web2text.training.corpora import corpus_facts, site_of
from scrapy_web2text.training.modern.data import JudgedPage, Sources, page_word_scores

LEAST_PAGES = 5  # of a host
COLUMNS = ("log_odds", "log_words", "text_share", "text_pages", "long_text_share", "slot_share", "same_in_slot", "new")


@dataclass(frozen=True, eq=False)
class HostPage:
    """A page with n blocks, and the answer of a model for it.

    :param labels: the answer. *Shape:* ``(n,)``
    :param log_odds: of content, 0 where the model decides. *Shape:* ``(n,)``
    :param slots: hashes of the tags and classes of all elements around each block. *Shape:* ``(n,)``
    """

    host: str
    judged: JudgedPage
    labels: NDArray[np.int64]
    log_odds: NDArray[np.float64]
    slots: NDArray[np.uint64]

    @cached_property
    def f1(self) -> float:
        """The word F1 of the answer."""
        return page_word_scores(self.judged, self.labels).f1

    @cached_property
    def is_free(self) -> NDArray[np.bool_]:
        """Which labels follow from the log-odds; the others are repeats, or those of pages without content."""
        is_content: NDArray[np.bool_] = self.labels == Label.CONTENT
        is_likely: NDArray[np.bool_] = self.log_odds >= 0
        return np.equal(is_content, is_likely)


def host_of(corpus: str, page: CorpusPage) -> str | None:
    """Return the host of a page, without that of an archive; None if it is unknown."""
    host = urlsplit(page.url or "").hostname
    if host and "archive.org" not in host:
        return host.removeprefix("www.")
    site = site_of(corpus_facts(corpus), page)
    return None if site == corpus else site


def read_hosts(name: str, data: Path, labeler: Labeler) -> list[HostPage]:
    """Return the pages of a corpus whose hosts have `LEAST_PAGES` or more."""
    corpus = open_corpus(name, data)
    hosts = {page.id: host_of(name, page) for page in corpus.pages()}
    sizes = Counter(hosts.values())
    ids = [page_id for page_id, host in hosts.items() if host is not None and sizes[host] >= LEAST_PAGES]
    judged = Sources(data, plan=plan_columns(())).load(name, ids, keep_all=True)
    return [read_page(corpus, page, hosts[page.page.id] or "", labeler) for page in judged]


def read_page(corpus: Corpus, judged: JudgedPage, host: str, labeler: Labeler) -> HostPage:
    """Return a page with the answer of *labeler*."""
    segmented = segment_page(corpus.read(judged.page.id), partial(segment, segmentation=MODERN_BLOCKS))
    if segmented is None:
        raise ValueError(f"{corpus.name}: expected {judged.page.id} to have blocks")
    page, blocks = segmented
    answer = labeler.label(page)
    if answer.probabilities is None or answer.chain is None:
        raise ValueError(f"expected a labeler with probabilities, got {labeler.name}")
    context = Context(page, blocks, "")
    return HostPage(
        host=host,
        judged=judged,
        labels=answer.labels,
        log_odds=logit(answer.probabilities) - logit(np.float64(answer.chain.threshold)),
        slots=page.hash_paths(context.classes, context.containers)[1],
    )


def logit(probabilities: Any) -> Any:
    """Return log-odds. *Shapes:* any"""
    bounded = np.clip(probabilities, 1e-6, 1 - 1e-6)
    return np.log(bounded / (1 - bounded))


def describe_host(pages: Sequence[HostPage]) -> list[NDArray[np.float64]]:
    """Return the `COLUMNS` of the blocks of each page of a host. *Shape of each:* ``(n, len(COLUMNS))``"""
    texts, slots, pairs = (count_pages(values) for values in zip(*map(_keys, pages), strict=True))
    n_others = max(1, len(pages) - 1)
    columns = []
    for page in pages:
        own = _keys(page)
        n_text, n_slot, n_pair = (
            np.array([counts[key] - 1 for key in keys], dtype=np.float64)
            for counts, keys in zip((texts, slots, pairs), own, strict=True)
        )
        log_words = np.log1p(page.judged.n_words)
        share = n_text / n_others
        same = np.divide(n_pair, n_slot, out=np.zeros_like(n_pair), where=n_slot > 0)
        is_new = (n_text == 0) * n_slot / n_others
        values = (page.log_odds, log_words, share, np.log1p(n_text), share * log_words, n_slot / n_others, same, is_new)
        columns.append(np.column_stack(values))
    return columns


def _keys(page: HostPage) -> tuple[list[Any], list[Any], list[Any]]:
    """Return the texts of the blocks, their slots, and the pairs of both."""
    texts, slots = [*page.judged.texts], page.slots.tolist()
    return texts, slots, [*zip(texts, slots, strict=True)]


def count_pages(keys: Iterable[Iterable[Any]]) -> Counter[Any]:
    """Return how many pages have each key.

    :param keys: those of each page.
    """
    return Counter(key for page in keys for key in set(page))


def describe_corpus(pages: Sequence[HostPage]) -> list[NDArray[np.float64]]:
    """Return the columns of the blocks of each page."""
    numbers = defaultdict(list)
    for number, page in enumerate(pages):
        numbers[page.host].append(number)
    columns: list[NDArray[np.float64]] = [np.zeros(0)] * len(pages)
    for own in numbers.values():
        for number, values in zip(own, describe_host([pages[number] for number in own]), strict=True):
            columns[number] = values
    return columns
