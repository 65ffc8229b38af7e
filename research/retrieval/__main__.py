"""Search for pages by their headlines in the texts of many extractors: the tables of docs/retrieval.md.

    python -m research.retrieval --data DIR --out FOLDER [--left-out FOLDER]    # extras train and bench

A headline is a query, and the pages that have it are its answers. It is removed from their own texts, not from those of
other pages. Texts and scores in the folder of --out are used again. --left-out is that of benchmarks/left_out.py: its
models answer where the default model was trained on pages of the same sites.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from research import MODELS
from research.commands import make_parser
from research.retrieval.page_texts import SourcePage, read_pages, read_texts
from research.retrieval.search import (
    METRICS,
    RANKERS,
    Index,
    Query,
    drop_phrase,
    make_queries,
    measure_search,
    search_words,
    shorten,
)
from scrapy_web2text.evaluation.corpora import Corpus, open_corpus
from scrapy_web2text.evaluation.peers import PEERS
from scrapy_web2text.evaluation.scores import bootstrap_means, interval, word_scores
from scrapy_web2text.training.fitting import torch_threads

COLLECTIONS = {
    "WCXB": ("wcxb",),
    "news": ("seeds/l3s_gn1", "more/utomo720"),
    "daniel5": ("more/daniel5",),
    "forums": ("more/forum_archives",),
    "documentation": ("more/docs_builders",),
}
ALL = "all queries"  # of all collections, each in its own
DEFAULT = "web2text-2026"
# The model of benchmarks/left_out.py that has not seen the sites of a corpus.
LEFT_OUT = {"more/forum_archives": "without-forums", "more/docs_builders": "without-documentation"}
RAW, GOLD = "raw", "gold"
SYSTEMS = (
    *(DEFAULT, "web2text-2018", "crf-2018", "boilernet", "semtext", "dragnet-2013"),
    *("shallow:numwords", "shallow:density", "shallow:numwords+main-content", "bte"),
)
# Least words of a block, and least text density, as in section 6 of Kohlschütter et al. 2010.
SWEEP = (
    *(("words", least) for least in (2, 3, 5, 8, 11, 15, 20, 30, 50, 100)),
    *(("density", least) for least in (2, 4, 6, 8, 11, 14, 17, 20)),
)
KINDS = ("headline", "short")
SWEEP_RANKER = "BM25"
N_SAMPLES = 1000


@dataclass(frozen=True, eq=False)
class Collection:
    """Pages that are searched together, and what is searched for.

    :param queries: by their kind, ``headline`` or ``short``.
    """

    name: str
    pages: list[SourcePage]
    queries: dict[str, list[Query]]

    @classmethod
    def of(cls, name: str, pages: list[SourcePage], seed: int) -> Collection:
        """Return a collection of pages, with a query for each of their headlines."""
        headlines = [search_words(page.headline) for page in pages]
        queries = make_queries(headlines, [bool(page.gold.strip()) for page in pages])
        short = shorten(queries, [search_words(page.gold) for page in pages], seed=seed)
        return cls(name, pages, {"headline": queries, "short": short})


@dataclass(frozen=True, eq=False)
class Result:
    """How well the pages of a collection are found by the texts of a system.

    :param n_pages: number of pages.
    :param word_f1: of the texts, mean over the pages.
    :param n_words: of all texts.
    :param scores: the metrics of each query, by kind of query and ranker. *Shape:* ``(q, 4)``
    """

    n_pages: int
    word_f1: float
    n_words: int
    scores: dict[tuple[str, str], NDArray[np.float64]]


# The results of a system by collection.
Row = dict[str, Result]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = make_parser(__doc__, "python -m research.retrieval")
    parser.add_argument("--out", required=True, type=Path, help="folder for texts and scores; those in it are reused")
    parser.add_argument("--left-out", type=Path, help="the folder of benchmarks/left_out.py with its models")
    parser.add_argument("--seed", type=int, default=0, help="seed of short queries and bootstrap (%(default)s)")
    parser.add_argument("--collections", nargs="+", choices=[*COLLECTIONS], default=[*COLLECTIONS], help="some of them")
    args = parser.parse_args(arguments)
    rows: dict[str, Row] = defaultdict(dict)
    sweep: dict[str, Row] = defaultdict(dict)
    print("| collection | pages | headline queries | short queries |\n|---|---:|---:|---:|")
    for name in args.collections:
        corpora = [(open_corpus(corpus, args.data), args.out / corpus) for corpus in COLLECTIONS[name]]
        pages = [page for corpus, folder in corpora for page in read_pages(corpus, folder)]
        collection = Collection.of(name, pages, args.seed)
        print(f"| {name} | {len(pages):,} | {' | '.join(f'{len(own):,}' for own in collection.queries.values())} |")
        folder = args.out / f"scores-{args.seed}" / name
        for system in (RAW, GOLD, *SYSTEMS, *PEERS):
            read = partial(read_system, system, pages, corpora, args.left_out)
            try:
                rows[system][name] = load_result(folder, system, read, collection, RANKERS)
            except ValueError as error:
                print(f"Skipping {system}: {error}", file=sys.stderr)
        for measure, least in SWEEP:
            read = partial(select_blocks, pages, measure, least)
            label = f"{measure} ≥ {least}"
            sweep[label][name] = load_result(folder, label, read, collection, [SWEEP_RANKER])
    for kind in KINDS:
        for ranker in RANKERS:
            print_table(f"{ranker}, {kind} queries", rows, rows[RAW], (kind, ranker), args.seed)
    print_metrics(rows)
    for kind in KINDS:
        title = f"Blocks above a threshold: {SWEEP_RANKER}, {kind} queries"
        print_table(title, sweep, rows[RAW], (kind, SWEEP_RANKER), args.seed)


def read_system(
    system: str, pages: Sequence[SourcePage], corpora: Sequence[tuple[Corpus, Path]], left_out: Path | None
) -> list[str]:
    """Return the texts of *pages* by *system*.

    :param corpora: the corpora of the pages, and the folders of their texts.
    :raises ValueError: if the system is unknown or not installed.
    """
    if system == RAW:
        return select_blocks(pages, "words", 0)
    if system == GOLD:
        return [page.gold for page in pages]
    texts: list[str] = []
    with torch_threads(1):
        for corpus, folder in corpora:
            texts += read_texts(corpus, system, folder, model=choose_model(system, corpus.name, left_out))
    return texts


def load_result(
    folder: Path, name: str, read: Callable[[], Sequence[str]], collection: Collection, rankers: Sequence[str]
) -> Result:
    """Return how well pages are found by the texts called *name*, from *folder* if that has been written there.

    :param read: returns the texts.
    """
    path = folder / f"{re.sub('[^a-z0-9+-]+', '-', name)}.npz"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        found = measure_texts(collection, read(), rankers)
        scores: dict[str, Any] = {"/".join(way): values for way, values in found.scores.items()}
        np.savez_compressed(path, word_f1=found.word_f1, n_words=found.n_words, **scores)
    with np.load(path) as file:
        arrays = dict(file)
    word_f1, n_words = float(arrays.pop("word_f1")), int(arrays.pop("n_words"))
    ways = {(kind, ranker): arrays[f"{kind}/{ranker}"] for kind in KINDS for ranker in rankers}
    return Result(len(collection.pages), word_f1, n_words, ways)


def choose_model(system: str, corpus: str, left_out: Path | None) -> str | None:
    """Return the model that answers as *system* for the pages of *corpus*; None for that of its name."""
    if system == DEFAULT and left_out is not None and corpus in LEFT_OUT:
        return str(left_out / LEFT_OUT[corpus])
    return str(MODELS / system) if (MODELS / system / "manifest.json").exists() else None


def select_blocks(pages: Sequence[SourcePage], measure: str, least: float) -> list[str]:
    """Return the texts of the blocks of at least so many words, or of at least this text density."""
    by_words = {"words": True, "density": False}[measure]
    return [
        "\n".join(text for n_words, density, text in page.blocks if (n_words if by_words else density) >= least)
        for page in pages
    ]


def measure_texts(collection: Collection, texts: Sequence[str], rankers: Sequence[str]) -> Result:
    """Return how well the pages are found by their *texts*, in which their own headlines do not count."""
    pages = collection.pages
    f1 = np.mean([word_scores(text, page.gold).f1 for page, text in zip(pages, texts, strict=True)])
    words = [search_words(text) for text in texts]
    index = Index([drop_phrase(own, search_words(page.headline)) for page, own in zip(pages, words, strict=True)])
    scores = {
        (kind, ranker): measure_search(index, ranker, queries)
        for kind, queries in collection.queries.items()
        for ranker in rankers
    }
    return Result(len(pages), float(f1), sum(map(len, words)), scores)


def print_table(title: str, rows: Mapping[str, Row], raw: Row, way: tuple[str, str], seed: int) -> None:
    """Print the MRR of each system in each collection, and its difference from that of the raw texts.

    :param way: kind of query and ranker.
    """
    names = [*raw, ALL]
    print(f"\n### {title}\n\n| text | word F1 | length | {' | '.join(names)} |\n|---|---:|---:|{'---|' * len(names)}")
    columns = [
        compare([select(row, name, way)[:, 0] for row in rows.values()], select(raw, name, way)[:, 0], seed)
        for name in names
    ]
    n_raw = sum(result.n_words for result in raw.values())
    for (system, row), cells in zip(rows.items(), zip(*columns, strict=True), strict=True):
        f1 = np.average([own.word_f1 for own in row.values()], weights=[own.n_pages for own in row.values()])
        length = sum(own.n_words for own in row.values()) / n_raw
        print(f"| `{system}` | {f1:.3f} | {length:.0%} | {' | '.join(cells)} |")


def select(row: Row, collection: str, way: tuple[str, str]) -> NDArray[np.float64]:
    """Return the metrics of each query of a kind by a ranker, in one collection or in `ALL`. *Shape:* ``(q, 4)``"""
    return np.concatenate([own.scores[way] for name, own in row.items() if collection in (name, ALL)])


def compare(rows: Sequence[NDArray[np.float64]], raw: NDArray[np.float64], seed: int) -> list[str]:
    """Return the mean of each row, its difference from that of *raw*, and half the width of its 95 % interval.

    A star says that the interval does not hold 0. *Shapes:* ``(q,)``
    """
    differences = np.column_stack([row - raw for row in rows])
    ends = interval(bootstrap_means(differences, n_samples=N_SAMPLES, seed=seed)).T
    cells = []
    for row, difference, (low, high) in zip(rows, differences.mean(axis=0), ends, strict=True):
        star = "" if low <= 0 <= high else "\\*"
        change = f" ({difference:+.3f} ±{(high - low) / 2:.3f}{star})" if (row != raw).any() else ""
        cells.append(f"{row.mean():.3f}{change}")
    return cells


def print_metrics(rows: Mapping[str, Row]) -> None:
    """Print all metrics of all queries, each in its own collection."""
    for kind in KINDS:
        print(f"\n### All metrics, {kind} queries\n")
        print(f"| text | {' | '.join(f'{ranker} {metric}' for ranker in RANKERS for metric in METRICS)} |")
        print(f"|---|{'---:|' * (len(RANKERS) * len(METRICS))}")
        for system, row in rows.items():
            means = [f"{mean:.3f}" for ranker in RANKERS for mean in select(row, ALL, (kind, ranker)).mean(axis=0)]
            print(f"| `{system}` | {' | '.join(means)} |")


if __name__ == "__main__":
    main()
