"""Score systems of the papers on the same pages: the tables and the chart of docs/comparison.md.

    python -m research.comparison --data DIR --out FOLDER    # DIR: the unpacked corpora; extras train and bench
    python -m research.comparison --data DIR --out FOLDER --set google-trends    # one set of pages
    python -m research.comparison --data DIR --out FOLDER --seeds 1 2 --system semtext    # train with more seeds
    python -m research.comparison --data DIR --out FOLDER --write docs/comparison.md    # replace its tables
    python -m research.comparison --data DIR --out FOLDER --checkpoints DIR    # the authors' weights of Web2Text, too

For each set of test pages, the systems of the papers are trained on the training pages of the set. Trained models and
scores in FOLDER are reused, and the scores of a system are means over all seeds that FOLDER has. Rules, the shipped
default and other extractors are not trained. The tables are printed as Markdown, the chart is written to FOLDER.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, astuple
from pathlib import Path

import numpy as np

from benchmarks.folds import average, read_pages
from research import MODELS
from research.commands import make_parser
from research.comparison.report import Row, Table, draw_comparison, format_section, replace_section
from research.comparison.sets import PAPERS_DECODING, SETS, PageSet, digest_pages, list_parts
from research.comparison.systems import (
    DECODINGS,
    TRAINED,
    Cost,
    authors_folder,
    count_weights,
    find_seeds,
    import_authors,
    is_random,
    load_peer,
    model_folder,
    read_cost,
    train,
    with_lam,
)
from research.dragnet.fit import CETR, DragnetRecipe
from research.dragnet.labeler import DragnetLabeler
from research.dragnet.training import make_model
from research.leaf_scores import BlockScores, LeafReport, evaluate_leaves
from scrapy_web2text.evaluation.corpora import CorpusPage, open_corpus
from scrapy_web2text.evaluation.peers import PEERS, Peer
from scrapy_web2text.evaluation.scores import N_SAMPLES, bootstrap_means, interval
from scrapy_web2text.labelers.base import Labeler
from scrapy_web2text.labelers.registry import get_labeler
from scrapy_web2text.labelers.shallow.rules import SHALLOW_NAMES
from scrapy_web2text.training.fitting import torch_threads
from scrapy_web2text.training.recipe import read_recipe

DEFAULT = "web2text-2026"
# The networks that its authors published, with the pairwise term of the paper.
AUTHORS = "web2text-2018 by its authors"
# Each of the others is a variant of one of these, or returns the text of the whole page.
SHOWN_PEERS = ("trafilatura", "readability", "resiliparse", *(name for name in PEERS if name.startswith("boilerpy3")))
# The set of the chart.
CHART_SET = "wcxb"


def main() -> None:
    """Print the tables and draw the chart."""
    parser = make_parser(__doc__, "python -m research.comparison")
    parser.add_argument("--out", required=True, type=Path, metavar="FOLDER")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0], help="seeds to train with (0)")
    parser.add_argument("--system", action="append", choices=TRAINED, help="systems to train (all)")
    parser.add_argument("--set", action="append", choices=[each.name for each in SETS], help="sets of pages (all)")
    parser.add_argument(
        "--checkpoints", type=Path, metavar="DIR", help="the folder of the authors' program that has one per split"
    )
    parser.add_argument("--write", type=Path, metavar="PAGE", help="a Markdown file whose tables are replaced")
    args = parser.parse_args()
    for page_set in SETS:
        if args.set and page_set.name not in args.set:
            continue
        table = load_table(page_set, args.out, args.data, args.seeds, args.system or TRAINED, args.checkpoints)
        section = format_section(page_set, table)
        print(f"\n{section}", flush=True)
        if args.write:
            replace_section(args.write, page_set.name, section)
        if page_set.name == CHART_SET:
            (args.out / "comparison.svg").write_text(draw_comparison(table.rows), encoding="utf-8")


def load_table(
    page_set: PageSet,
    folder: Path,
    data: Path,
    seeds: Sequence[int],
    systems: Iterable[str],
    checkpoints: Path | None = None,
) -> Table:
    """Train *systems* where *folder* lacks their models, and return the scores of all systems on a set of pages.

    Models and scores of other pages, of a changed corpus for example, are in another folder.

    :param checkpoints: folder of the networks that the authors of Web2Text published, by split.
    """
    parts = list_parts(page_set, data)
    digest = digest_pages(page_set.corpus, parts, data)
    folder = folder / page_set.name / digest
    folder.mkdir(parents=True, exist_ok=True)
    splits = folder / "splits.json"
    splits.write_text(json.dumps({page_set.corpus: parts}), encoding="utf-8")
    path = folder / "scores.json"
    with torch_threads(1):
        for name in systems:
            for seed in seeds if is_random(name) else seeds[:1]:
                train(name, model_folder(folder, name, seed), page_set, splits, data, seed)
        if checkpoints and page_set.checkpoint:
            import_authors(checkpoints / page_set.checkpoint, folder)
        found = {name: find_seeds(folder, name) for name in TRAINED}
        if not path.exists() or not is_current(Table.read(path), found, folder):
            rows = score(page_set, found, folder, open_corpus(page_set.corpus, data).pages(parts["test"]))
            if page_set.trains_default:
                rows = [judge_by_folds(row, parts["test"]) if row.name == DEFAULT else row for row in rows]
            Table(found, digest, tuple(rows)).write(path)
    return Table.read(path)


def is_current(table: Table, seeds: Mapping[str, Sequence[int]], folder: Path) -> bool:
    """Return whether a table has the scores of all models in *folder*."""
    has_authors = any(row.name == AUTHORS for row in table.rows)
    return table.seeds == seeds and has_authors == authors_folder(folder).exists()


def score(
    page_set: PageSet, seeds: Mapping[str, Sequence[int]], folder: Path, pages: Iterable[CorpusPage]
) -> list[Row]:
    """Return the scores of all systems on the test pages, those of trained systems with all their *seeds*."""
    costs: dict[str, Cost] = {}
    labelers: dict[str, list[Labeler]] = {name: [get_labeler(name)] for name in [*SHALLOW_NAMES, "bte"]}
    labelers["dragnet-2013 CETR"] = [load_cetr()]
    for name, numbers in seeds.items():
        if numbers:
            models = [model_folder(folder, name, seed) for seed in numbers]
            trainings = [read_cost(model) for model in models]
            costs[name] = Cost(trainings[0].n_weights, float(np.mean([each.minutes for each in trainings])))
            labelers[name] = [get_labeler(str(model)) for model in models]
    own = labelers.get("web2text-2018", [])
    labelers |= {name: [with_lam(each, lam) for each in own] for name, lam in DECODINGS.items()}
    if authors_folder(folder).exists():
        labelers[AUTHORS] = [with_lam(get_labeler(str(authors_folder(folder))), DECODINGS[PAPERS_DECODING])]
    labelers[DEFAULT] = [get_labeler(DEFAULT)]
    costs[DEFAULT] = Cost(count_weights(MODELS / DEFAULT), math.nan)
    peers = dict(filter(None, map(load_peer, SHOWN_PEERS)))
    print(f"{page_set.title}: {len(labelers) + len(peers)} systems", file=sys.stderr, flush=True)
    return evaluate({name: found for name, found in labelers.items() if found}, peers, costs, pages)


def evaluate(
    labelers: Mapping[str, Sequence[Labeler]],
    peers: Mapping[str, Peer],
    costs: Mapping[str, Cost],
    pages: Iterable[CorpusPage],
) -> list[Row]:
    """Return the scores of all systems on *pages*, means over those of the same name.

    All systems take turns at each page, so other load on the machine affects them equally.
    """
    runs = {f"{name} {i}": each for name, found in labelers.items() for i, each in enumerate(found)}
    reports = {report.name: report for report in evaluate_leaves(runs, pages, peers=peers)}
    by_row = {name: [reports[f"{name} {i}"] for i in range(len(found))] for name, found in labelers.items()}
    by_row |= {name: [reports[name]] for name in peers}
    return [make_row(name, each, costs.get(name)) for name, each in by_row.items()]


def make_row(name: str, reports: Sequence[LeafReport], cost: Cost | None) -> Row:
    """Return the means of *reports*, those of the seeds of one system; ends of intervals are means, too."""
    blocks = BlockScores(*np.mean([astuple(report.blocks) for report in reports], axis=0).tolist())
    f1s, word_f1s = [each.blocks.f1 for each in reports], [each.words.f1 for each in reports]
    intervals = [report.intervals() for report in reports]
    (f1_low, f1_high), (word_low, word_high) = (
        np.mean([each[key] for each in intervals], axis=0).tolist() for key in ("f1", "word_f1")
    )
    return Row(
        name=name,
        **asdict(blocks),
        f1_interval=(f1_low, f1_high),
        word_f1=float(np.mean(word_f1s)),
        word_f1_interval=(word_low, word_high),
        f1_by_seed=tuple(f1s),
        word_f1_by_seed=tuple(word_f1s),
        n_weights=None if cost is None else cost.n_weights,
        minutes=None if cost is None else cost.minutes,
        parses=float(np.mean([report.cost for report in reports])),
    )


def judge_by_folds(row: Row, ids: Sequence[str]) -> Row:
    """Return the *row* of the default on pages that it was trained on, with the scores of its cross-validation.

    These are of networks that have not seen the sites of the pages; there are word scores only.
    """
    by_page = average(read_pages(MODELS / DEFAULT / "folds.json.xz"), "published_f1")
    scores = np.array([[by_page[page_id]] for page_id in ids])
    low, high = interval(bootstrap_means(scores, n_samples=N_SAMPLES, seed=0))[:, 0].tolist()
    return Row(
        name=row.name,
        word_f1=float(scores.mean()),
        word_f1_interval=(low, high),
        n_weights=row.n_weights,
        minutes=row.minutes,
        parses=row.parses,
    )


def load_cetr() -> Labeler:
    """Return CETR itself, which needs no training."""
    folder = MODELS / "dragnet-2013"
    return DragnetLabeler(make_model(read_recipe(DragnetRecipe, folder / "recipe.toml"), CETR, folder))


if __name__ == "__main__":
    main()
