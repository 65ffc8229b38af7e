"""Search for pages by their headlines in the texts of many extractors: the tables of docs/retrieval.md.

    python benchmarks/retrieval.py --data DIR --out FOLDER [--left-out FOLDER]    # extras train and bench

A headline is a query, and the pages that have it are its answers. It is removed from their own texts, not from those of
other pages. Extracted texts in the folder of --out are used again. --left-out is that of benchmarks/left_out.py: its
models answer where the default model was trained on pages of the same sites.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from page_texts import SourcePage, read_pages, read_texts
from search import METRICS, RANKERS, Index, Query, drop_phrase, make_queries, measure_search, search_words, shorten

from scrapy_web2text.evaluation.corpora import open_corpus
from scrapy_web2text.evaluation.peers import PEERS
from scrapy_web2text.evaluation.scores import bootstrap_means, interval, word_scores
from scrapy_web2text.research.torch_chain import torch_threads

MODELS = Path(__file__).parents[1] / "models"
COLLECTIONS = {
    "WCXB": ("wcxb",),
    "news": ("seeds/l3s_gn1", "more/utomo720"),
    "daniel5": ("more/daniel5",),
    "forums": ("more/forum_archives",),
    "documentation": ("more/docs_builders",),
}
ALL = "all"
DEFAULT = "web2text-2026"
# The model of benchmarks/left_out.py that has not seen the sites of a corpus.
LEFT_OUT = {"more/forum_archives": "without-forums", "more/docs_builders": "without-documentation"}
RAW, GOLD = "raw", "gold"
SYSTEMS = (
    *(DEFAULT, "web2text-2018", "crf-2018", "boilernet", "semtext", "dragnet-2013"),
    *("shallow:numwords", "shallow:density", "shallow:numwords+main-content", "bte"),
)
# Least words of a block, and least text density, as in section 6 of Kohlschütter et al. 2010.
SWEEPS = {
    "words": (1, 2, 3, 5, 8, 11, 15, 20, 30, 50, 100),
    "density": (1, 2, 4, 6, 8, 10, 11, 12, 14, 16, 20),
}
SWEEP_RANKER = "BM25"
N_SAMPLES = 2000


@dataclass(frozen=True, eq=False)
class Collection:
    """Pages that are searched together, and what is searched for.

    :param pages: their place among all pages.
    :param queries: by their kind, ``headline`` or ``short``.
    """

    name: str
    pages: slice
    queries: dict[str, list[Query]]

    @classmethod
    def of(cls, name: str, pages: slice, everything: Sequence[SourcePage], seed: int) -> Collection:
        """Return a collection of pages, with a query for each of their headlines."""
        own = everything[pages]
        queries = make_queries([search_words(page.headline) for page in own], [bool(page.gold.strip()) for page in own])
        short = shorten(queries, [search_words(page.gold) for page in own], seed=seed)
        return cls(name, pages, {"headline": queries, "short": short})


@dataclass(frozen=True, eq=False)
class Row:
    """How well pages are found by the texts of one system.

    :param word_f1: of the texts, mean over all pages.
    :param n_words: of all texts.
    :param scores: the metrics of each query, by collection, kind of query and ranker. *Shape:* ``(q, 4)``
    """

    word_f1: float
    n_words: int
    scores: dict[tuple[str, str, str], NDArray[np.float64]]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", required=True, type=Path, help="the folder of the corpora")
    parser.add_argument("--out", required=True, type=Path, help="the folder for texts; those in it are reused")
    parser.add_argument("--left-out", type=Path, help="the folder of benchmarks/left_out.py with its models")
    parser.add_argument("--seed", type=int, default=0, help="seed of short queries and bootstrap (%(default)s)")
    args = parser.parse_args(arguments)
    pages, collections = read_collections(args.data, args.out, args.seed)
    print_queries(collections)
    rows = {
        system: measure_texts(pages, texts, collections, RANKERS)
        for system, texts in list_texts(pages, args.data, args.out, args.left_out)
    }
    for kind in collections[0].queries:
        for ranker in RANKERS:
            print_table(f"{ranker}, {kind} queries", rows, rows[RAW], collections, (kind, ranker), args.seed)
    print_metrics(rows)
    sweep = {
        f"{measure} ≥ {least}": measure_texts(pages, select_blocks(pages, measure, least), collections, [SWEEP_RANKER])
        for measure, thresholds in SWEEPS.items()
        for least in thresholds
    }
    for kind in collections[0].queries:
        title = f"Blocks above a threshold: {SWEEP_RANKER}, {kind} queries"
        print_table(title, sweep, rows[RAW], collections, (kind, SWEEP_RANKER), args.seed)


def read_collections(data: Path, out: Path, seed: int) -> tuple[list[SourcePage], list[Collection]]:
    """Return all pages, and the collections; the last one has all pages."""
    pages: list[SourcePage] = []
    places = {}
    for name, corpora in COLLECTIONS.items():
        start = len(pages)
        for corpus in corpora:
            pages += read_pages(open_corpus(corpus, data), out / corpus)
        places[name] = slice(start, len(pages))
    places[ALL] = slice(0, len(pages))
    return pages, [Collection.of(name, place, pages, seed) for name, place in places.items()]


def list_texts(
    pages: Sequence[SourcePage], data: Path, out: Path, left_out: Path | None
) -> Iterator[tuple[str, list[str]]]:
    """Yield each system that is installed, and its texts of all pages."""
    yield RAW, select_blocks(pages, "words", 0)
    yield GOLD, [page.gold for page in pages]
    for system in (*SYSTEMS, *PEERS):
        try:
            with torch_threads(1):
                yield (
                    system,
                    [
                        text
                        for name in chain.from_iterable(COLLECTIONS.values())
                        for text in read_texts(
                            open_corpus(name, data), system, out / name, model=choose_model(system, name, left_out)
                        )
                    ],
                )
        except ValueError as error:
            print(f"Skipping {system}: {error}", file=sys.stderr)


def choose_model(system: str, corpus: str, left_out: Path | None) -> str | None:
    """Return the model that answers as *system* for the pages of *corpus*; None for that of its name."""
    if system == DEFAULT and left_out is not None and corpus in LEFT_OUT:
        return str(left_out / LEFT_OUT[corpus])
    return str(MODELS / system) if (MODELS / system / "manifest.json").exists() else None


def select_blocks(pages: Sequence[SourcePage], measure: str, least: float) -> list[str]:
    """Return the texts of the blocks of at least so many words, or of at least this text density."""
    column = ("words", "density").index(measure)
    return ["\n".join(block[2] for block in page.blocks if block[column] >= least) for page in pages]


def measure_texts(
    pages: Sequence[SourcePage],
    texts: Sequence[str],
    collections: Sequence[Collection],
    rankers: Sequence[str],
) -> Row:
    """Return how well the pages are found by their *texts*, in which their own headlines do not count."""
    f1 = np.mean([word_scores(text, page.gold).f1 for page, text in zip(pages, texts, strict=True)])
    words = [[*map(sys.intern, search_words(text))] for text in texts]
    documents = [drop_phrase(own, search_words(page.headline)) for page, own in zip(pages, words, strict=True)]
    scores = {}
    for collection in collections:
        index = Index(documents[collection.pages])
        for kind, queries in collection.queries.items():
            for ranker in rankers:
                scores[collection.name, kind, ranker] = measure_search(index, ranker, queries)
    return Row(float(f1), sum(map(len, words)), scores)


def print_queries(collections: Sequence[Collection]) -> None:
    """Print the numbers of pages and queries of each collection."""
    kinds = [*collections[0].queries]
    print(
        f"| collection | pages | {' | '.join(f'{kind} queries' for kind in kinds)} |\n|---|---:|{'---:|' * len(kinds)}"
    )
    for collection in collections:
        counts = [f"{len(queries):,}" for queries in collection.queries.values()]
        n_pages = collection.pages.stop - collection.pages.start
        print(f"| {collection.name} | {n_pages:,} | {' | '.join(counts)} |", flush=True)


def print_table(
    title: str, rows: Mapping[str, Row], raw: Row, collections: Sequence[Collection], way: tuple[str, str], seed: int
) -> None:
    """Print the MRR of each system in each collection, and its difference from that of the raw texts.

    :param way: kind of query and ranker.
    """
    names = [collection.name for collection in collections]
    print(f"\n### {title}\n\n| text | word F1 | length | {' | '.join(names)} |\n|---|---:|---:|{'---|' * len(names)}")
    for system, row in rows.items():
        cells = [format_cell(row.scores[name, *way], raw.scores[name, *way], seed) for name in names]
        print(f"| `{system}` | {row.word_f1:.3f} | {row.n_words / raw.n_words:.0%} | {' | '.join(cells)} |", flush=True)


def format_cell(scores: NDArray[np.float64], raw: NDArray[np.float64], seed: int) -> str:
    """Return the MRR, its difference from that of the raw texts, and half the width of the interval of the difference.

    A star says that the interval does not hold 0. *Shapes:* ``(q, 4)``
    """
    mean = f"{scores[:, 0].mean():.3f}"
    if scores is raw:
        return mean
    differences = scores[:, :1] - raw[:, :1]
    low, high = interval(bootstrap_means(differences, n_samples=N_SAMPLES, seed=seed))[:, 0]
    star = "" if low <= 0 <= high else "\\*"
    return f"{mean} ({differences.mean():+.3f} ±{(high - low) / 2:.3f}{star})"


def print_metrics(rows: Mapping[str, Row]) -> None:
    """Print all metrics of the collection of all pages."""
    ways = sorted({way[1:] for way in rows[RAW].scores})
    for kind in dict.fromkeys(kind for kind, _ in ways):
        print(f"\n### All metrics: all pages, {kind} queries\n")
        print(f"| text | {' | '.join(f'{ranker} {metric}' for ranker in RANKERS for metric in METRICS)} |")
        print(f"|---|{'---:|' * (len(RANKERS) * len(METRICS))}")
        for system, row in rows.items():
            means = [f"{mean:.3f}" for ranker in RANKERS for mean in row.scores[ALL, kind, ranker].mean(axis=0)]
            print(f"| `{system}` | {' | '.join(means)} |", flush=True)


if __name__ == "__main__":
    main()
