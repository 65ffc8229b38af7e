"""Would the network tell pages without content better than the rules of `scrapy_web2text.verdicts` do?

    python -m research.experiments.kind_head --data DIR    # extra bench

A logistic regression on the summaries that the default network makes of pages is fitted to the handwritten pages of
``tests/pages/walls``, to pages with clean texts, and to pages that were read block by block. It answers them by folds
of sites, and those of ``tests/pages/held_out_walls`` after a fit to all the others. A page without blocks needs no
answer. The threshold of the regression is chosen by the false alarms on pages with content.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.page_kinds import CORPORA, SITES, WALLS, print_row, read_sites
from research import MODELS
from research.commands import make_parser
from research.pages import segment_page
from scrapy_web2text import Extractor
from scrapy_web2text.evaluation.corpora import CorpusPage, open_corpus
from scrapy_web2text.features.modern.page import find_families, modern_features, plan_columns, read_hints
from scrapy_web2text.labelers.modern.network import ModernNetwork
from scrapy_web2text.labelers.weights import find_model, load_model
from scrapy_web2text.labels.files import PageLabels, read_labels
from scrapy_web2text.page.blocks import MODERN_BLOCKS, segment
from scrapy_web2text.training.corpora import corpus_facts, site_of
from scrapy_web2text.verdicts.kinds import TEXTLESS_KINDS

MODEL: Final = "web2text-2026"
READINGS: Final = MODELS / "readings" / "readings.jsonl.xz"
N_FOLDS: Final = 5
MORE_ALARMS: Final = (1, 3, 10)  # times as many as today, on pages with content
CORPUS, WALL, HELD_OUT = range(3)

Readings = Mapping[tuple[str, str], PageLabels]


@dataclass(frozen=True, eq=False)
class KindPage:
    """A page for the head.

    :param source: `CORPUS`, `WALL` or `HELD_OUT`.
    :param has_content: by the reading, the clean text, or the kind of a handwritten page.
    :param is_textless: whether its text is empty, by the rules or since no block is content.
    :param summary: of the network; None for a page without blocks. *Shape:* ``(k,)``
    """

    source: int
    site: str
    has_content: bool
    is_textless: bool
    summary: NDArray[np.float32] | None


def main() -> None:
    """Print the tables."""
    parser = make_parser(__doc__)
    parser.add_argument("--pages", type=int, default=300, help="random pages of each corpus (%(default)s)")
    args = parser.parse_args()
    read = PageReader()
    readings = read_labels(READINGS)
    listed = chain(list_corpora(args.data, readings, args.pages), list_sites(args.data, readings), list_walls())
    pages = [read(*each) for each in listed]
    print_table(pages, answer(pages))


class PageReader:
    """Reads pages for the head."""

    def __init__(self) -> None:
        model = load_model(find_model(MODEL))
        layers = [model.entry(name, list) for name in ("dilations", "pooled", "grouped")]
        self._network = ModernNetwork(model.tensors, *layers)
        self._plan = plan_columns(find_families(model.entry("features", list)))
        self._extractor = Extractor(model=MODEL, blocks="none")

    def __call__(self, source: int, site: str, page: CorpusPage, has_content: bool) -> KindPage:
        """Return the page with what the extractor says of it and its summary."""
        is_textless = not self._extractor.extract(page.html).text
        return KindPage(source, site, has_content, is_textless, self._summarize(page))

    def _summarize(self, page: CorpusPage) -> NDArray[np.float32] | None:
        segmented = segment_page(page, partial(segment, segmentation=MODERN_BLOCKS))
        if segmented is None:
            return None
        tree, blocks = segmented
        features = modern_features(tree, blocks, read_hints(tree.document_landmarks), self._plan)
        return self._network(features)[2]


def list_corpora(data: Path, readings: Readings, most: int) -> Iterator[tuple[int, str, CorpusPage, bool]]:
    """Yield random pages of the corpora with clean texts; those that were read are judged by their readings."""
    for name in CORPORA:
        corpus = open_corpus(name, data)
        ids = sorted(corpus.ids)
        for page in corpus.pages(random.Random(0).sample(ids, min(most, len(ids)))):
            reading = readings.get((name, page.id))
            has_content = bool(page.text.strip() if reading is None else reading.content)
            yield CORPUS, site_of(corpus_facts(name), page), page, has_content


def list_sites(data: Path, readings: Readings) -> Iterator[tuple[int, str, CorpusPage, bool]]:
    """Yield the pages without clean texts that were read."""
    for name in SITES:
        for page_id, url, html in read_sites(data, name):
            if (name, page_id) in readings:
                site = urlsplit(url).hostname or page_id
                yield CORPUS, site, CorpusPage(page_id, html, ""), bool(readings[name, page_id].content)


def list_walls() -> Iterator[tuple[int, str, CorpusPage, bool]]:
    """Yield the handwritten pages, without those of links alone."""
    for source, folder in zip((WALL, HELD_OUT), WALLS, strict=True):
        for entry in json.loads((folder / "index.json").read_text(encoding="utf-8")):
            if entry["kind"] != "index":
                page = CorpusPage(entry["file"], (folder / entry["file"]).read_bytes(), "")
                yield source, entry["file"], page, entry["kind"] not in {*TEXTLESS_KINDS, "empty"}


def answer(pages: list[KindPage]) -> NDArray[np.float64]:
    """Return the probability that each page has no content; 1 for a page without blocks. *Shape:* ``(n,)``"""
    found = np.ones(len(pages))
    usable = np.array([number for number, page in enumerate(pages) if page.summary is not None])
    columns = np.stack([pages[number].summary for number in usable])
    lacks = np.array([not pages[number].has_content for number in usable])
    sources = np.array([pages[number].source for number in usable])
    for fitted, judged in list_folds(sources, np.array([pages[number].site for number in usable])):
        head = make_pipeline(StandardScaler(), LogisticRegression(C=0.01, max_iter=2000))
        head.fit(columns[fitted], lacks[fitted])
        found[usable[judged]] = head.predict_proba(columns[judged])[:, 1]
    return found


def list_folds(sources: NDArray[np.int64], sites: NDArray[np.str_]) -> Iterator[tuple[NDArray[np.int64], ...]]:
    """Yield the numbers of the pages to fit to, and of those to judge."""
    known = np.flatnonzero(sources != HELD_OUT)
    for fitted, judged in GroupKFold(N_FOLDS).split(known, groups=sites[known]):
        yield known[fitted], known[judged]
    yield known, np.flatnonzero(sources == HELD_OUT)


def print_table(pages: list[KindPage], probabilities: NDArray[np.float64]) -> None:
    """Print which share of the pages without content is found, today and by the head."""
    source = np.array([page.source for page in pages])
    has_content = np.array([page.has_content for page in pages])
    is_real = (source == CORPUS) & has_content
    methods = {"as it is": np.array([page.is_textless for page in pages])}
    for times in MORE_ALARMS:
        threshold = np.quantile(probabilities[is_real], 1 - times * methods["as it is"][is_real].mean())
        methods[f"head, {times} × the false alarms"] = probabilities > threshold
    groups = {
        "pages with content": is_real,
        "read as without content": (source == CORPUS) & ~has_content,
        "walls": (source == WALL) & ~has_content,
        "walls with content": (source == WALL) & has_content,
        "held-out walls": (source == HELD_OUT) & ~has_content,
        "held-out, with content": (source == HELD_OUT) & has_content,
    }
    print_row("taken for pages without content", *(f"{name} ({chosen.sum():,})" for name, chosen in groups.items()))
    print_row("---", *("---:" for _ in groups))
    for name, found in methods.items():
        print_row(name, *(f"{found[chosen].mean():.3f}" for chosen in groups.values()))


if __name__ == "__main__":
    main()
