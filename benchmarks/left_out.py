"""Train the default model without each kind of corpus, and compare it with other extractors on the corpora left out.

    python benchmarks/left_out.py models/web2text-2026 --data DIR --out FOLDER

A table has the mean word F1 on a random sample of each corpus, with the difference from each of the others and its 95 %
interval. The corpora of `NEVER` are in no training, so that the shipped model is judged on them. A second table has the
same by language, as py3langid finds it in the clean texts (extra `metadata`).
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.cross_validation import build_with_choices
from benchmarks.fold_scores import read_folds
from scrapy_web2text.evaluation.corpora import CorpusPage, open_corpus
from scrapy_web2text.evaluation.peers import get_peer
from scrapy_web2text.evaluation.run import evaluate_all
from scrapy_web2text.evaluation.scores import Report
from scrapy_web2text.labelers.registry import get_labeler
from scrapy_web2text.metadata.read import identify_language
from scrapy_web2text.training.modern.data import Sources
from scrapy_web2text.training.modern.recipe import ModernRecipe
from scrapy_web2text.training.recipe import read_recipe

# Corpora of a kind are left out together, since pages of one of them teach the habits of the others.
KINDS: Final = {
    "forums": ("more/forum_archives", "more/magic_html_forum", "more/harvest_half"),
    "documentation": ("more/docs_builders",),
    "articles": (
        *("articles", "more/magic_html_article", "more/misinfo_crawler", "more/cleanportaleval"),
        *("more/wwwxmu_zh_news", "more/np4k", "more/fundus_half"),
    ),
}
# Corpora without clean texts, whose readings are left out with those of their kind.
UNLABELED: Final = {"articles": ("articles/unlabelled",)}
NEVER: Final = ("seeds/dragnet1381", "seeds/l3s_gn1", "more/utomo720", "more/daniel5")
PEERS: Final = ("trafilatura", "readability", "resiliparse")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("model", type=Path, help="the folder of the default model, with its recipe and page ids")
    parser.add_argument("--choices", type=Path, metavar="FILE", help="a folds.json of its recipe (the folder's own)")
    parser.add_argument("--data", type=Path, required=True, help="the folder of the corpora")
    parser.add_argument("--out", type=Path, required=True, help="the folder for the models; models in it are reused")
    parser.add_argument("--pages", type=int, default=100, help="random pages of each corpus (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the trainings and of the samples (%(default)s)")
    args = parser.parse_args()
    by_language: dict[str, list[tuple[float, ...]]] = defaultdict(list)
    print("| left out | pages | web2text-2026 | " + " | ".join(f"{name} | difference" for name in PEERS) + " |")
    print("|---|---:|---:|" + "---:|---|" * len(PEERS))
    for folder, corpora in train_all(args):
        for corpus in corpora:
            pages = [*draw_pages(corpus, args)]
            own, *others = evaluate_all(
                {"own": get_labeler(str(folder))}, pages, peers={name: get_peer(name) for name in PEERS}
            )
            print_row(f"{corpus} ({folder.name})", own, others)
            for page, *results in zip(pages, own.pages, *(other.pages for other in others), strict=True):
                language, _ = identify_language(page.text) or ("none", 0.0)
                by_language[language].append(tuple(result.words.f1 for result in results))
    print("\n| language | pages | web2text-2026 | " + " | ".join(PEERS) + " |\n|---|---:|" + "---:|" * (1 + len(PEERS)))
    for language, scores in sorted(by_language.items(), key=lambda item: -len(item[1])):
        means = " | ".join(f"{mean:.3f}" for mean in np.mean(scores, axis=0))
        print(f"| {language} | {len(scores)} | {means} |")


def train_all(args: argparse.Namespace) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """Yield the folder of each model, and the corpora that its training has not used."""
    recipe = read_recipe(ModernRecipe, args.model / "recipe.toml")
    splits = args.model / "splits.json"
    folds = read_folds(args.choices or args.model / "folds.json.xz")
    for kind, corpora in KINDS.items():
        folder = args.out / f"without-{kind}"
        if not (folder / "manifest.json").exists():
            removed = {*corpora, *UNLABELED.get(kind, ())}
            rest = replace(recipe, corpora=tuple(each for each in recipe.corpora if each.name not in removed))
            sources = Sources.of(rest, splits, args.data)
            build_with_choices(rest, sources, folds, seed=args.seed, out=folder, files={})
        yield folder, corpora
    yield args.model, NEVER


def draw_pages(corpus: str, args: argparse.Namespace) -> Iterator[CorpusPage]:
    """Yield a random sample of the pages of *corpus*."""
    opened = open_corpus(corpus, args.data)
    ids = sorted(opened.ids)
    yield from opened.pages(random.Random(args.seed).sample(ids, min(args.pages, len(ids))))


def print_row(name: str, own: Report, others: list[Report]) -> None:
    """Print the scores of one corpus."""
    cells = [f"{own.words.f1:.3f}"]
    for other in others:
        difference, low, high = other.difference(own)
        cells += [f"{other.words.f1:.3f}", f"{difference:+.3f} [{low:+.3f}, {high:+.3f}]"]
    print(f"| {name} | {len(own.pages)} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
