"""Score systems of the papers on the same pages: the tables and the chart of docs/comparison.md.

    python benchmarks/comparison.py --data DIR --out FOLDER    # DIR: the unpacked corpora; extras train and bench
    python benchmarks/comparison.py --data DIR --out FOLDER --set google-trends    # one set of pages

For each set of test pages, the systems of the papers are trained on the training pages of the set. Trained models and
scores in FOLDER are reused. Rules, the shipped default and other extractors are not trained. The tables are printed as
Markdown, the chart is written to FOLDER.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from comparison_report import PageSet, Row, draw_comparison, format_table
from dragnet import CETR

from scrapy_web2text.evaluation import evaluate_all, open_corpus, read_split
from scrapy_web2text.evaluation.peers import PEERS, Peer, get_peer
from scrapy_web2text.labelers.base import Labeler
from scrapy_web2text.labelers.dragnet import DragnetLabeler
from scrapy_web2text.labelers.registry import get_labeler
from scrapy_web2text.labelers.shallow import SHALLOW_NAMES
from scrapy_web2text.labelers.weights import load_model
from scrapy_web2text.research.torch_chain import torch_threads
from scrapy_web2text.training.chains.build import build_chain
from scrapy_web2text.training.chains.kinds import CHAIN_KINDS
from scrapy_web2text.training.cnn_hmm.build import build_cnn_hmm
from scrapy_web2text.training.cnn_hmm.recipe import CnnHmmRecipe
from scrapy_web2text.training.corpus_facts import corpus_facts
from scrapy_web2text.training.dragnet.build import build_dragnet, make_model
from scrapy_web2text.training.dragnet.recipe import CorpusChoice as DragnetCorpus
from scrapy_web2text.training.dragnet.recipe import DragnetRecipe
from scrapy_web2text.training.recipe import CorpusChoice, read_labeler, read_recipe
from scrapy_web2text.training.splits import split_by_site

MODELS = Path(__file__).parents[1] / "models"
DEFAULT = "web2text-2026"
# The systems of the papers by their rows: the recipe, and feature sets that replace those of Dragnet's recipe.
TRAINED = {
    "dragnet-2013 IC": ("dragnet-2013/recipe.toml", ("ic",)),
    "dragnet-2013 ST": ("dragnet-2013/recipe.toml", ("st",)),
    "dragnet-2013 ST+IC": ("dragnet-2013/recipe.toml", ("st", "ic")),
    "dragnet-2013 ST+IC+CETR": ("dragnet-2013/recipe.toml", ("st", "ic", "cetr")),
    "boilernet": ("boilernet/recipe.toml", ()),
    "semtext text": ("semtext/recipe-text.toml", ()),
    "semtext text+tags": ("semtext/recipe-tags.toml", ()),
    "semtext text+classes": ("semtext/recipe-classes.toml", ()),
    "semtext": ("semtext/recipe.toml", ()),
    "crf-2018": ("crf-2018/recipe.toml", ()),
    "web2text-2018": ("web2text-2018/recipe.toml", ()),
}
# The model web2text-2018 with the lam of the paper; its own lam is the best on val, which may be 0.
PAPERS_DECODING = "web2text-2018 lam=0.1"
# Number of training pages in the recipes; epochs are scaled so that the number of steps stays the same.
N_RECIPE_PAGES = 531
# F1 of blocks, from Table 1 of the Web2Text paper and Table I of the SemText paper; boilerpipe's extractors are listed
# under those of its port. The paper's own weight of the pairwise term is .1.
PAPERS_676 = {
    "bte": 0.83,
    "boilerpy3-default": 0.81,
    "boilerpy3-article": 0.71,
    "boilerpy3-largest": 0.52,
    "crf-2018": 0.84,
    PAPERS_DECODING: 0.86,
    "boilernet": 0.82,
    "semtext": 0.90,
}
PAPERS_148 = {
    "bte": 0.80,
    "boilerpy3-default": 0.81,
    "boilerpy3-article": 0.64,
    "boilerpy3-largest": 0.48,
    "crf-2018": 0.84,
    PAPERS_DECODING: 0.88,
}
# From Tables I and III of the SemText paper.
PAPERS_GOOGLE_TRENDS = {
    "boilernet": 0.84,
    "semtext text": 0.84,
    "semtext text+tags": 0.87,
    "semtext text+classes": 0.87,
    "semtext": 0.89,
    PAPERS_DECODING: 0.78,
}
GOOGLE_TRENDS = "seeds/google_trends"
SETS = (
    PageSet("cleaneval-676", "CleanEval, 676 test pages, 56 for training", "cleaneval", "original", PAPERS_676),
    PageSet("cleaneval-148", "CleanEval, 148 test pages, 531 for training", "cleaneval", "web2text", PAPERS_148),
    PageSet("wcxb", "WCXB, 218 val pages, 1,140 for training", "wcxb", None, {}),
    PageSet(
        "google-trends",
        "GoogleTrends-2017, 100 test pages, 50 for training",
        GOOGLE_TRENDS,
        None,
        PAPERS_GOOGLE_TRENDS,
        effort=0.25,
    ),
)
# The set of the chart.
CHART_SET = "wcxb"


@dataclass(frozen=True)
class Cost:
    """The cost of a training.

    :param n_weights: number of fitted weights.
    :param minutes: CPU time of the training, including reading the pages.
    """

    n_weights: int
    minutes: float


def main() -> None:
    """Print the tables and draw the chart."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=Path, metavar="DIR")
    parser.add_argument("--out", required=True, type=Path, metavar="FOLDER")
    parser.add_argument("--seed", type=int, default=0, help="seed of trainings and bootstrap (%(default)s)")
    parser.add_argument("--set", action="append", choices=[each.name for each in SETS], help="sets of pages (all)")
    args = parser.parse_args()
    for page_set in SETS:
        if args.set and page_set.name not in args.set:
            continue
        rows = load_rows(page_set, args.out / page_set.name, args.data, args.seed)
        print(f"\n### {page_set.title}\n\n{format_table(page_set, rows)}", flush=True)
        if page_set.name == CHART_SET:
            (args.out / "comparison.svg").write_text(draw_comparison(rows), encoding="utf-8")


def load_rows(page_set: PageSet, folder: Path, data: Path, seed: int) -> list[Row]:
    """Return the scores of all systems on a set of pages, from *folder* if they are there."""
    path = folder / "rows.json"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        splits = write_splits(page_set, folder, data)
        rows = measure(page_set, splits, folder, data, seed)
        path.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n", encoding="utf-8")
    return [Row(**row) for row in json.loads(path.read_text(encoding="utf-8"))]


def write_splits(page_set: PageSet, folder: Path, data: Path) -> Path:
    """Write the page ids of the set as ``{corpus: {part: [id, …]}}``, which all trainings read, and return the file.

    The parts of CleanEval and GoogleTrends-2017 are those of the papers. The part ``val`` of WCXB is the test part;
    the pages on which epochs are chosen are taken from ``train``, by site.
    """
    if page_set.split is not None:
        path = data / "splits" / "cleaneval.json"
        parts = {part: read_split(path, page_set.split, part) for part in ("train", "val", "test")}
    elif page_set.corpus == GOOGLE_TRENDS:
        files = {"train": "train_set.txt", "val": "dev_set.txt", "test": "test_set.txt"}
        ids = open_corpus(GOOGLE_TRENDS, data).ids
        parts = {part: read_numbered(data / GOOGLE_TRENDS / name, ids) for part, name in files.items()}
    else:
        path = data / "splits" / "wcxb-dev.json"
        pages = open_corpus("wcxb", data).pages(read_split(path, None, "train"))
        by_site = split_by_site(corpus_facts("wcxb"), pages)
        parts = {"train": by_site["train"] + by_site["test"], "val": by_site["val"]}
        parts["test"] = read_split(path, None, "val")
    splits = folder / "splits.json"
    splits.write_text(json.dumps({page_set.corpus: parts}), encoding="utf-8")
    return splits


def read_numbered(path: Path, ids: Sequence[str]) -> tuple[str, ...]:
    """Return the pages that a list of GoogleTrends-2017 names by their numbers, such as ``gt_34.html``.

    The authors renamed the pages and published no table of the names. Here, the pages are numbered in the order of
    their names, so the parts have the sizes of the paper's, but not surely its pages.
    """
    return tuple(ids[int(number) - 1] for number in re.findall(r"gt_(\d+)", path.read_text(encoding="utf-8")))


def measure(page_set: PageSet, splits: Path, folder: Path, data: Path, seed: int) -> list[Row]:
    """Train the systems and return the scores of all systems on the test pages."""
    costs: dict[str, Cost] = {}
    labelers = {name: get_labeler(name) for name in [*SHALLOW_NAMES, "bte"]}
    labelers["dragnet-2013 CETR"] = load_cetr()
    with torch_threads(1):
        for name in TRAINED:
            model = folder / name.replace(" ", "-")
            costs[name] = train(name, model, page_set, splits, data, seed)
            labelers[name] = get_labeler(str(model))
        labelers["web2text-2018 unary"] = get_labeler(str(folder / "web2text-2018")).with_lam(0.0)
        labelers[PAPERS_DECODING] = get_labeler(str(folder / "web2text-2018")).with_lam(0.1)
        labelers[DEFAULT] = get_labeler(DEFAULT)
        costs[DEFAULT] = Cost(count_weights(MODELS / DEFAULT), float("nan"))
        peers = dict(filter(None, map(load_peer, PEERS)))
        ids = read_split(splits, page_set.corpus, "test")
        print(f"{page_set.title}: {len(labelers) + len(peers)} systems", file=sys.stderr, flush=True)
        return evaluate(labelers, peers, costs, open_corpus(page_set.corpus, data).pages(ids), seed)


def evaluate(
    labelers: Mapping[str, Labeler], peers: Mapping[str, Peer], costs: Mapping[str, Cost], pages: Any, seed: int
) -> list[Row]:
    """Return the scores of all systems on *pages*.

    All systems take turns at each page, so other load on the machine affects them equally.
    """
    rows = []
    for report in evaluate_all(labelers, pages, peers=peers):
        blocks, intervals = report.blocks, report.intervals(seed=seed)
        cost = costs.get(report.name)
        rows.append(
            Row(
                name=report.name,
                accuracy=blocks.accuracy,
                precision=blocks.precision,
                recall=blocks.recall,
                f1=blocks.f1,
                f1_interval=intervals["f1"],
                word_f1=report.words.f1,
                word_f1_interval=intervals["word_f1"],
                n_weights=cost and cost.n_weights,
                minutes=cost and cost.minutes,
                parses=report.cost,
            )
        )
    return rows


def train(name: str, out: Path, page_set: PageSet, splits: Path, data: Path, seed: int) -> Cost:
    """Train a system into the folder *out*, unless it is there, and return the cost."""
    record = out / "cost.json"
    if not record.exists():
        print(f"training {name}: {out}", file=sys.stderr, flush=True)
        start = time.process_time()
        build(name, out, page_set, splits, data, seed)
        cost = Cost(count_weights(out), (time.process_time() - start) / 60)
        record.write_text(json.dumps(asdict(cost)) + "\n", encoding="utf-8")
    return Cost(**json.loads(record.read_text(encoding="utf-8")))


def build(name: str, out: Path, page_set: PageSet, splits: Path, data: Path, seed: int) -> None:
    """Train a system of a recipe on the training pages of *splits*."""
    corpus = page_set.corpus
    recipe_file, sets = TRAINED[name]
    path = MODELS / recipe_file
    labeler = read_labeler(path, ("cnn-hmm", "dragnet", *CHAIN_KINDS))
    corpora = (CorpusChoice(corpus, split=corpus, train="train", val="val"),)
    if labeler == "dragnet":
        dragnet = replace(
            read_recipe(DragnetRecipe, path), features=sets, corpora=(DragnetCorpus(corpus, "train"),), val=corpus
        )
        build_dragnet(dragnet, splits, data, seed=seed, out=out, files={})
    elif labeler == "cnn-hmm":
        recipe = replace(read_recipe(CnnHmmRecipe, path), corpora=corpora)
        build_cnn_hmm(recipe, splits, data, out / "cache", seed=seed, out=out, files={})
    else:
        chain = read_recipe(CHAIN_KINDS[labeler].recipe, path)
        passes = page_set.effort * N_RECIPE_PAGES / len(read_split(splits, corpus, "train"))
        epochs = round(chain.training.epochs * passes)
        chain = replace(chain, corpora=corpora, training=replace(chain.training, epochs=epochs))
        build_chain(chain, splits, data, seeds=(seed,), out=out, files={})


def count_weights(folder: Path) -> int:
    """Return the number of weights of a model."""
    return sum(tensor.size for tensor in load_model(folder).tensors.values())


def load_cetr() -> Labeler:
    """Return CETR itself, which needs no training."""
    folder = MODELS / "dragnet-2013"
    return DragnetLabeler(make_model(read_recipe(DragnetRecipe, folder / "recipe.toml"), CETR, folder))


def load_peer(name: str) -> tuple[str, Callable[[str], str]] | None:
    """Return another extractor by its name, or None, with a message, if it is not installed."""
    try:
        return name, get_peer(name)
    except ValueError as error:
        print(f"Skipping {name}: {error}", file=sys.stderr)
        return None


if __name__ == "__main__":
    main()
