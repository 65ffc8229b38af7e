"""Reproduce the tables of Peters and Lecocq 2013, and score Dragnet's feature sets on modern pages.

    python -m research.dragnet --data DIR            # extra train; five minutes on one core
    python -m research.dragnet words --data DIR      # how many words of ids and classes it takes

The folders seeds/dragnet1381, cleaneval, wcxb and splits of DIR are read; nothing is written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.formats import format_table
from research import MODELS
from research.commands import make_parser
from research.dragnet.data import DragnetPage, load_pages, mean_token_f1
from research.dragnet.fit import CETR, DragnetRecipe, FittedDragnet, choose_names, count_names, fit_dragnet, odds_ratio
from research.dragnet.labeler import DragnetLabeler
from research.dragnet.training import load_training_pages, make_model
from research.leaf_scores import evaluate_leaves
from scrapy_web2text.evaluation.corpora import open_corpus
from scrapy_web2text.labelers.registry import get_labeler
from scrapy_web2text.training.corpora import corpus_ids
from scrapy_web2text.training.recipe import read_recipe

Answer = Callable[[DragnetPage], NDArray[np.int64]]

MODEL = MODELS / "dragnet-2013"
CORPUS = "seeds/dragnet1381"
PARTS = ("training", "test")
# Words of classes: odds ratio, and percent of the content blocks (of the other blocks) that have the word.
TABLE_1 = {
    "menu": (1 / 373.6, 2.2),
    "widget": (1 / 314.1, 4.6),
    "nav": (1 / 68.9, 3.3),
    "facebook": (1 / 18.3, 1.3),
    "top": (1 / 13.3, 1.9),
    "twitter": (1 / 8.5, 2.3),
    "title": (1 / 3.3, 10.5),
    "header": (1 / 2.9, 3.7),
    "comment": (3.2, 21.3),
    "author": (4.9, 7.9),
    "thread": (5.0, 3.0),
    "avatar": (42.1, 3.2),
}
# Columns: CleanEval, 2012 train, 2012 test.
TABLE_2 = {
    "baseline": (0.899, 0.621, 0.623),
    "CETR": (0.919, 0.741, 0.735),
    "IC": (0.887, 0.709, 0.701),
    "ST": (0.904, 0.817, 0.809),
    "ST+IC": (0.896, 0.836, 0.824),
    "ST+IC+CETR": (0.907, 0.848, 0.836),
}
# Numbers of words of ids and classes that the authors chose by hand.
N_WORDS = {"id": 8, "class": 24}
VARIANTS = {
    "CETR's columns": ("cetr",),
    "IC": ("ic",),
    "ST": ("st",),
    "ST+IC": ("st", "ic"),
    "ST+IC+CETR": ("st", "ic", "cetr"),
}


def main() -> None:
    """Print the tables."""
    parser = make_parser(__doc__, "python -m research.dragnet")
    parser.add_argument("table", nargs="?", choices=["words"], help="all others, if none is named")
    parser.add_argument("--seed", type=int, default=0, help="seed of the folds (%(default)s)")
    args = parser.parse_args()
    recipe = read_recipe(DragnetRecipe, MODEL / "recipe.toml")
    if args.table == "words":
        print_words(recipe, [load_pages(CORPUS, read_ids(args.data, part), args.data) for part in PARTS], args.seed)
        return
    parts = [load_pages("cleaneval", open_corpus("cleaneval", args.data).ids, args.data)]
    parts += [load_pages(CORPUS, read_ids(args.data, part), args.data) for part in PARTS]
    print_names(recipe, parts[1])
    of_2012 = fit_variants(recipe, parts[1], args.seed)
    print_table(recipe, parts, of_2012)
    modern = fit_variants(recipe, load_training_pages(recipe, MODEL / "splits.json", args.data), args.seed)
    print_modern(recipe, args.data, {"2012": of_2012, "WCXB + CleanEval": modern})


def read_ids(data: Path, part: str) -> list[str]:
    """Return the page ids of one part of Dragnet's own split, except missing pages."""
    known = set(open_corpus(CORPUS, data).ids)
    return [page_id for page_id in (data / CORPUS / f"{part}.txt").read_text().split() if page_id in known]


def fit_variants(recipe: DragnetRecipe, pages: list[DragnetPage], seed: int) -> dict[str, FittedDragnet]:
    """Return a model of each feature set, and CETR itself."""
    fitted = {name: fit_dragnet(replace(recipe, features=sets), pages, seed=seed) for name, sets in VARIANTS.items()}
    return {"CETR": CETR, **fitted}


def print_names(recipe: DragnetRecipe, pages: list[DragnetPage]) -> None:
    """Print Table 1: odds ratio and share of the words of classes."""
    counts, n_blocks = count_names(pages, recipe.least_share)
    print(f"Table 1: {n_blocks.sum()} blocks, {n_blocks[1] / n_blocks.sum():.1%} of them content")
    print(f"{'class':<12} odds  (paper)   share  (paper)")
    for word, (odds, share) in TABLE_1.items():
        n_with = counts.get(("class", word), np.zeros(2, dtype=np.int64))
        own_share = 100 * (n_with / n_blocks).max()
        own = odds_ratio(n_with, n_blocks)
        print(f"{word:<12} {format_odds(own)} ({format_odds(odds)})  {own_share:5.1f} % ({share:4.1f} %)")


def format_odds(odds: float) -> str:
    """Return odds as the paper prints them."""
    return f"{odds:5.1f}:1 " if odds > 1 else f"1:{1 / odds:<5.1f}"


def print_table(recipe: DragnetRecipe, parts: list[list[DragnetPage]], models: Mapping[str, FittedDragnet]) -> None:
    """Print Table 2: mean token F1 of each feature set, fitted to the training part of 2012."""
    answers: dict[str, Answer] = {"baseline": lambda page: np.ones(len(page.n_tokens), dtype=np.int64)}
    for name, fitted in models.items():
        answers[name] = partial(fitted.labels, threshold=recipe.threshold)
    columns = ("CleanEval", "2012 train", "2012 test")
    sizes = [sum(page.n_gold > 0 for page in pages) for pages in parts]
    print("\nTable 2: mean token F1, in brackets the paper's")
    print(
        f"{'':<15}" + "".join(f" {f'{name} ({n})':<18}" for name, n in zip(columns, sizes, strict=True)) + " strength"
    )
    for name, answer in answers.items():
        scores = [mean_token_f1(pages, map(answer, pages)) for pages in parts]
        papers = TABLE_2.get(name)
        cells = [
            f"{score:.3f} ({papers[i]:.3f})" if papers else f"{score:.3f}        " for i, score in enumerate(scores)
        ]
        model = models.get(name)
        strength = f"{model.strength:g}, {len(model.choice.names)} columns" if model else ""
        print(f"{name:<15}" + "".join(f" {cell:<18}" for cell in cells) + f" {strength}")


def print_words(recipe: DragnetRecipe, parts: list[list[DragnetPage]], seed: int) -> None:
    """Print the mean token F1 on the test part of 2012 by the words of ids and classes that are used."""
    train, test = parts
    variants = {name: sets for name, sets in VARIANTS.items() if "ic" in sets}
    rows = []
    for title, words in list_words(recipe, train).items():
        row = [title, str(sum(map(len, words.values())))]
        for sets in variants.values():
            fitted = fit_dragnet(replace(recipe, features=sets), train, seed=seed, words=words)
            answers = (fitted.labels(page, recipe.threshold) for page in test)
            row.append(f"{mean_token_f1(test, answers):.3f}")
        rows.append(row)
    rows.append(["the paper", "32", *(f"{TABLE_2[name][-1]:.3f}" for name in variants)])
    print(format_table(["words of ids and classes", "words", *variants], rows))


def list_words(recipe: DragnetRecipe, pages: list[DragnetPage]) -> dict[str, dict[str, tuple[str, ...]]]:
    """Return lists of words by attribute: all that pass the rule, as many as in the paper, and those that it prints."""
    passing = choose_names(pages, recipe.least_share, recipe.names)
    counts, n_blocks = count_names(pages, recipe.least_share)

    def share(key: tuple[str, str]) -> float:
        return float((counts[key] / n_blocks).max())

    def odds(key: tuple[str, str]) -> float:
        return abs(float(np.log(odds_ratio(counts[key], n_blocks))))

    def first(measure: Callable[[tuple[str, str]], float]) -> dict[str, tuple[str, ...]]:
        ranked = {key: sorted(words, key=lambda word: -measure((key, word))) for key, words in passing.items()}
        return {key: tuple(words[: N_WORDS[key]]) for key, words in ranked.items()}

    return {
        "all that pass the rule": passing,
        "the 8 and 24 most frequent of them": first(share),
        "the 8 and 24 with the largest odds": first(odds),
        "the 12 classes that the paper prints": {"id": (), "class": tuple(TABLE_1)},
    }


def print_modern(recipe: DragnetRecipe, data: Path, models: Mapping[str, Mapping[str, FittedDragnet]]) -> None:
    """Print the scores of `python -m research.leaves` on the val part of the recipe's corpus."""
    labelers = {"baseline": get_labeler("shallow:all")}
    for corpus, variants in models.items():
        for name, fitted in variants.items():
            if fitted is not CETR or "CETR" not in labelers:
                key = name if fitted is CETR else f"{name}, {corpus}"
                labelers[key] = DragnetLabeler(make_model(recipe, fitted, MODEL))
    ids = corpus_ids(recipe.val, "val", data, MODEL / "splits.json")
    reports = evaluate_leaves(labelers, open_corpus(recipe.val, data).pages(ids))
    print(f"\n{recipe.val} val, {len(ids)} pages: precision, recall and F1 of leaves, mean word F1, parses by lxml")
    for report in reports:
        low, high = report.intervals()["word_f1"]
        blocks = report.blocks
        print(
            f"{report.name:<32} {blocks.precision:.3f} {blocks.recall:.3f} {blocks.f1:.3f}   "
            f"{report.words.f1:.3f} [{low:.3f}, {high:.3f}]   {report.cost:.1f}"
        )


if __name__ == "__main__":
    main()
