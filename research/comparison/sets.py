"""The sets of pages of docs/comparison.md: which pages are for training, choices and test, and the papers' figures."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scrapy_web2text.evaluation.corpora import open_corpus, read_split
from scrapy_web2text.training.corpora import corpus_facts, split_by_site

# The model web2text-2018 with the lam of the paper; its own lam is the best on val, which may be 0.
PAPERS_DECODING = "web2text-2018 lam=0.1"
# F1 of blocks, from Table 1 of the Web2Text paper and Table I of the SemText paper; boilerpipe's extractors are listed
# under those of its port. The paper's own weight of the pairwise term is .1.
_PAPERS_676 = {
    "bte": 0.83,
    "boilerpy3-default": 0.81,
    "boilerpy3-article": 0.71,
    "boilerpy3-largest": 0.52,
    "crf-2018": 0.84,
    PAPERS_DECODING: 0.86,
    "boilernet": 0.82,
    "semtext": 0.90,
}
_PAPERS_148 = {
    "bte": 0.80,
    "boilerpy3-default": 0.81,
    "boilerpy3-article": 0.64,
    "boilerpy3-largest": 0.48,
    "crf-2018": 0.84,
    PAPERS_DECODING: 0.88,
}
# From Tables I and III of the SemText paper.
_PAPERS_GOOGLE_TRENDS = {
    "boilerpy3-default": 0.72,
    "boilernet": 0.84,
    "semtext text": 0.84,
    "semtext text+tags": 0.87,
    "semtext text+classes": 0.87,
    "semtext": 0.89,
    PAPERS_DECODING: 0.78,
}
GOOGLE_TRENDS = "seeds/google_trends"


@dataclass(frozen=True)
class PageSet:
    """A set of pages to train and to test on.

    :param split: split of the corpus; None if it has only one.
    :param papers: F1 of blocks in the papers, by row.
    :param checkpoint: folder of the networks that the authors of Web2Text trained on the training pages; None if none.
    :param effort: steps of a training, relative to those of the recipes.
    :param trains_default: whether the default model was trained on the test pages.
    """

    name: str
    title: str
    corpus: str
    split: str | None
    papers: Mapping[str, float]
    checkpoint: str | None = None
    effort: float = 1.0
    trains_default: bool = False


SETS = (
    PageSet(
        "cleaneval-676",
        "CleanEval, 676 test pages, 56 for training",
        "cleaneval",
        "original",
        _PAPERS_676,
        checkpoint="cleaneval",
    ),
    PageSet(
        "cleaneval-148",
        "CleanEval, 148 test pages, 531 for training",
        "cleaneval",
        "web2text",
        _PAPERS_148,
        checkpoint="web2text",
    ),
    PageSet("wcxb", "WCXB, 218 val pages, 1,140 for training", "wcxb", None, {}, trains_default=True),
    # A quarter of the steps: its pages are several times as long as CleanEval's.
    PageSet(
        "google-trends",
        "GoogleTrends-2017, 100 test pages, 50 for training",
        GOOGLE_TRENDS,
        None,
        _PAPERS_GOOGLE_TRENDS,
        effort=0.25,
    ),
)


def list_parts(page_set: PageSet, data: Path) -> dict[str, tuple[str, ...]]:
    """Return the page ids of a set by part: ``train``, ``val`` and ``test``.

    The parts of CleanEval and GoogleTrends-2017 are those of the papers. The part ``val`` of WCXB is the test part;
    the pages on which epochs are chosen are taken from ``train``, by site.
    """
    if page_set.split is not None:
        path = data / "splits" / "cleaneval.json"
        return {part: read_split(path, page_set.split, part) for part in ("train", "val", "test")}
    if page_set.corpus == GOOGLE_TRENDS:
        files = {"train": "train_set.txt", "val": "dev_set.txt", "test": "test_set.txt"}
        ids = open_corpus(GOOGLE_TRENDS, data).ids
        return {part: _read_numbered(data / GOOGLE_TRENDS / name, ids) for part, name in files.items()}
    path = data / "splits" / "wcxb-dev.json"
    pages = open_corpus("wcxb", data).pages(read_split(path, None, "train"))
    by_site = split_by_site(corpus_facts("wcxb"), pages)
    parts = {"train": by_site["train"] + by_site["test"], "val": by_site["val"]}
    return {**parts, "test": read_split(path, None, "val")}


def digest_pages(corpus: str, parts: Mapping[str, Sequence[str]], data: Path) -> str:
    """Return the first digits of a SHA-256 over parts, ids, sources and clean texts: equal data have equal digits."""
    digest = hashlib.sha256()
    reader = open_corpus(corpus, data)
    for part, ids in parts.items():
        for page in reader.pages(ids):
            source = page.html if isinstance(page.html, bytes) else page.html.encode("utf-8", "surrogatepass")
            for field in (part.encode(), page.id.encode(), source, page.text.encode("utf-8", "surrogatepass")):
                digest.update(len(field).to_bytes(8, "big") + field)
    return digest.hexdigest()[:16]


def _read_numbered(path: Path, ids: Sequence[str]) -> tuple[str, ...]:
    """Return the pages that a list of GoogleTrends-2017 names by their numbers, such as ``gt_34.html``.

    The authors renamed the pages and published no table of the names. Here, the pages are numbered in the order of
    their names, so the parts have the sizes of the paper's, but not surely its pages.
    """
    return tuple(ids[int(number) - 1] for number in re.findall(r"gt_(\d+)", path.read_text(encoding="utf-8")))
