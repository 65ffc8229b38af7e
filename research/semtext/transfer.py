"""Train systems on news and tune them on few pages of a target, as the SemText paper does: tables of docs/papers.md.

    python -m research.semtext.transfer --data DIR --out FOLDER [--system semtext]    # extras train and bench

The targets are CleanEval, GoogleTrends-2017 and pages of forums. Two systems start from the weights that they have
after the news; web2text-2018 is trained on both together. Trained models in FOLDER are reused.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from research import MODELS
from research.chains.build import build_chain
from research.chains.kinds import CHAIN_KINDS
from research.commands import make_parser
from research.comparison.languages import find_script
from research.comparison.sets import GOOGLE_TRENDS, SETS, list_parts
from research.comparison.systems import load_peer
from research.semtext.blocks import format_scores, score_blocks
from research.web2text.recipe import CnnHmmRecipe, CorpusChoice
from research.web2text.train import build_cnn_hmm
from scrapy_web2text.evaluation.corpora import CorpusPage, open_corpus, read_split
from scrapy_web2text.labelers.registry import get_labeler
from scrapy_web2text.training.corpora import corpus_facts, fold_of_site, site_of, split_by_site
from scrapy_web2text.training.fitting import torch_threads
from scrapy_web2text.training.recipe import read_recipe

# The paper has Uzun's pages of 2008 to 2011 and TECO's of 2013 to 2020 instead of the last two.
NEWS = ("seeds/dragnet1381", "seeds/l3s_gn1", "more/utomo720")
FORUMS = ("wcxb", "more/magic_html_forum")
# Folds of sites of forum pages: three tenths to tune on, one to choose the epoch, six for test.
FORUM_PARTS = {"train": (0, 1, 2), "val": (3,), "test": (4, 5, 6, 7, 8, 9)}
SYSTEMS = ("semtext", "boilernet", "web2text-2018")
# What replaces the choices of the recipes: as many steps as there on the many pages of news, small steps on a target.
LEARNING = {"epochs": 2}
TUNING = {"epochs": 16, "learning_rate": 3e-4, "warm_up": 10, "averaged": 0.9}
BASELINE = "boilerpy3-default"


@dataclass(frozen=True)
class Target:
    """Pages to tune and to test on.

    :param papers: precision, recall and F1 of blocks in the paper's Tables I and II, by row.
    """

    name: str
    title: str
    corpora: tuple[str, ...]
    papers: Mapping[str, tuple[float, float, float]]


TARGETS = (
    Target(
        "cleaneval",
        "CleanEval: 56 pages to tune on, 5 to choose the epoch, 676 for test",
        ("cleaneval",),
        {
            BASELINE: (0.81, 0.67, 0.73),
            "web2text-2018, news and target": (0.80, 0.76, 0.78),
            "boilernet, tuned": (0.88, 0.85, 0.86),
            "semtext, tuned": (0.91, 0.89, 0.90),
        },
    ),
    Target(
        "google-trends",
        "GoogleTrends-2017: 50 pages to tune on, 30 to choose the epoch, 100 for test",
        (GOOGLE_TRENDS,),
        {
            BASELINE: (0.74, 0.61, 0.69),
            "web2text-2018, news and target": (0.76, 0.73, 0.74),
            "boilernet, tuned": (0.87, 0.86, 0.87),
            "semtext, tuned": (0.92, 0.86, 0.89),
        },
    ),
    Target(
        "forums",
        "Forums",
        FORUMS,
        {
            BASELINE: (0.93, 0.12, 0.21),
            "web2text-2018, news": (0.59, 0.73, 0.65),
            "boilernet, news": (0.66, 0.81, 0.72),
            "semtext, news": (0.79, 0.84, 0.82),
            "web2text-2018, news and target": (0.63, 0.75, 0.68),
            "boilernet, tuned": (0.72, 0.87, 0.79),
            "semtext, tuned": (0.85, 0.87, 0.86),
        },
    ),
)


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("--out", required=True, type=Path, metavar="FOLDER")
    parser.add_argument("--system", action="append", choices=SYSTEMS, help="systems (all)")
    parser.add_argument("--target", action="append", choices=[each.name for each in TARGETS], help="targets (all)")
    parser.add_argument("--seed", type=int, default=0, help="seed of trainings (%(default)s)")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    splits = write_splits(args.out, args.data)
    systems = args.system or SYSTEMS
    with torch_threads(1):
        for target in TARGETS:
            if args.target and target.name not in args.target:
                continue
            models: dict[str, Path] = {}
            for system in systems:
                models |= train_system(system, target, splits, args.data, args.seed)
            print(f"\n### {target.title}\n\n{score(target, models, splits, args.data)}", flush=True)


def write_splits(folder: Path, data: Path) -> Path:
    """Write the page ids of all corpora as ``{target or news, corpus: {part: [id, …]}}``, and return the file."""
    table: dict[str, Mapping[str, Sequence[str]]] = {}
    for corpus in NEWS:
        by_site = split_by_site(corpus_facts(corpus), open_corpus(corpus, data).pages())
        table[corpus] = {"train": by_site["train"] + by_site["test"], "val": by_site["val"]}
    for name in ("cleaneval-676", "google-trends"):
        page_set = next(each for each in SETS if each.name == name)
        table[page_set.corpus] = list_parts(page_set, data)
    table |= {corpus: split_forum(corpus, data) for corpus in FORUMS}
    path = folder / "splits.json"
    path.write_text(json.dumps(table), encoding="utf-8")
    return path


def split_forum(corpus: str, data: Path) -> dict[str, list[str]]:
    """Return the pages of forums in a corpus by part, those whose clean texts are in Latin script."""
    facts, ids = corpus_facts(corpus), {part: list[str]() for part in FORUM_PARTS}
    for page in open_corpus(corpus, data).pages():
        if page.kind in ("forum", None) and find_script(page.text) == "Latin script":
            fold = fold_of_site(site_of(facts, page))
            ids[next(part for part, folds in FORUM_PARTS.items() if fold in folds)].append(page.id)
    return ids


def train_system(system: str, target: Target, splits: Path, data: Path, seed: int) -> dict[str, Path]:
    """Train a system on news and for *target*, beside *splits*, and return the folders of both models by their rows."""
    news, tuned = splits.parent / system / "news", splits.parent / system / target.name
    train(system, news, "", NEWS, splits, data, seed)
    if system in CHAIN_KINDS:
        train(system, tuned, f"{system}/news", target.corpora, splits, data, seed)
        return {f"{system}, news": news, f"{system}, tuned": tuned}
    train(system, tuned, "", (*NEWS, *target.corpora), splits, data, seed)
    return {f"{system}, news": news, f"{system}, news and target": tuned}


def train(system: str, out: Path, start: str, corpora: Sequence[str], splits: Path, data: Path, seed: int) -> None:
    """Train a system on *corpora* into the folder *out*, unless it is there.

    :param start: folder of the model whose weights are tuned, relative to that of *splits*; empty for random weights.
    """
    if (out / "manifest.json").exists():
        return
    print(f"training {out}", file=sys.stderr, flush=True)
    path = MODELS / system / "recipe.toml"
    choices = tuple(CorpusChoice(corpus, split=corpus, train="train", val="val") for corpus in corpora)
    if system not in CHAIN_KINDS:
        recipe = replace(read_recipe(CnnHmmRecipe, path), corpora=choices)
        build_cnn_hmm(recipe, splits, data, seed=seed, out=out, files={})
        return
    chain: Any = read_recipe(CHAIN_KINDS[system].recipe, path)
    training = replace(chain.training, **(TUNING if start else LEARNING))
    chain = replace(chain, corpora=choices, start=start, training=training)
    build_chain(chain, splits, data, seeds=(seed,), out=out, files={})


def score(target: Target, models: Mapping[str, Path], splits: Path, data: Path) -> str:
    """Return the scores of *models* and of a system that is not trained on the test pages as a Markdown table."""
    pages: list[CorpusPage] = []
    for corpus in target.corpora:
        pages += open_corpus(corpus, data).pages(read_split(splits, corpus, "test"))
    peers = dict(filter(None, [load_peer(BASELINE)]))
    counts = score_blocks({name: get_labeler(str(folder)) for name, folder in models.items()}, peers, pages)
    return format_scores({name: [found] for name, found in counts.items()}, target.papers)


if __name__ == "__main__":
    main()
