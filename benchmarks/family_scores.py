"""Leave families of columns out of one network of the default model, and compare its answers on pages it has not seen.

    python -m benchmarks.family_scores models/web2text-2026 --data DIR --out FOLDER \\
        --without ancestors positions ancestors,positions bags.names

The networks of five folds over the sites of the recipe's val corpus answer that corpus. Each also answers random pages
of the corpora that are in no training, and the mean over the five counts. The standard errors are by site. Answers that
are in FOLDER already are reused; ``base`` is the network with all columns. What a family costs is in the table that
``make bench`` prints.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.fold_scores import read_folds
from benchmarks.folds import error_by_site
from benchmarks.left_out import NEVER
from scrapy_web2text.evaluation.corpora import open_corpus
from scrapy_web2text.features.modern.tables import TABLES
from scrapy_web2text.training.corpora import fold_of_site
from scrapy_web2text.training.modern.data import JudgedPage, Sources, page_word_scores, training_pages
from scrapy_web2text.training.modern.decoding import Decoding, page_potentials
from scrapy_web2text.training.modern.network import TorchNetwork
from scrapy_web2text.training.modern.recipe import ModernRecipe
from scrapy_web2text.training.modern.train import train_modern
from scrapy_web2text.training.recipe import read_recipe, to_value

BASE: Final = "base"
FAMILIES: Final = {table.name: table.names for table in TABLES}
UNSEEN: Final = ("seeds/google_trends", *NEVER)
N_FOLDS: Final = 5
MOST_PAGES: Final = 400  # of a corpus in no training

# F1 by corpus, page and site: judged by readings where there are some, and by the published texts.
Scores = dict[tuple[str, str, str], list[tuple[float, float]]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path, help="the folder of the default model, with its recipe and page ids")
    parser.add_argument("--data", type=Path, required=True, help="the folder of the corpora")
    parser.add_argument("--choices", type=Path, metavar="FILE", help="a folds.json of its recipe (the folder's own)")
    parser.add_argument("--out", type=Path, required=True, help="the folder for the scores")
    known = f"families ({', '.join(FAMILIES)}), or parts such as bags.names; those with commas are left out together"
    parser.add_argument("--without", nargs="+", default=[], help=known)
    parser.add_argument("--seed", type=int, default=0, help="seed of the trainings (%(default)s)")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    missing = [name for name in (BASE, *args.without) if not (args.out / f"{name}.json").exists()]
    pages = Pages.load(args) if missing else None
    for name in missing:
        assert pages is not None
        rows = [[*key, values] for key, values in pages.score(name).items()]
        (args.out / f"{name}.json").write_text(json.dumps(rows), encoding="utf-8")
    base = read_scores(args.out / f"{BASE}.json")
    print("| left out | val corpus, read | published | corpora of no training |\n|---|---|---|---|")
    for name in args.without:
        print(compare(name, base, read_scores(args.out / f"{name}.json")), flush=True)


@dataclass(frozen=True)
class Pages:
    """The pages of all trainings, and those that are answered.

    :param others: pages of the other corpora of the recipe.
    :param judged: those of its val corpus.
    :param unseen: those of corpora in no training, by the name of the corpus.
    """

    recipe: ModernRecipe
    decoding: Decoding
    seed: int
    others: list[JudgedPage]
    judged: list[JudgedPage]
    unseen: dict[str, list[JudgedPage]]

    @classmethod
    def load(cls, args: argparse.Namespace) -> Pages:
        """Return the pages that the arguments name."""
        recipe = read_recipe(ModernRecipe, args.model / "recipe.toml")
        sources = Sources.of(recipe, args.model / "splits.json", args.data)
        ids = {name: sorted(open_corpus(name, args.data).ids) for name in UNSEEN}
        drawn = {name: random.Random(5).sample(each, min(MOST_PAGES, len(each))) for name, each in ids.items()}
        return cls(
            recipe,
            to_value(Decoding, read_folds(args.choices or args.model / "folds.json.xz").get("choice"), "choice"),
            args.seed,
            sources.load_labeled([each for each in recipe.corpora if each.name != recipe.val]),
            sources.load(recipe.val, open_corpus(recipe.val, args.data).ids, keep_all=True),
            {name: sources.load(name, each, keep_all=True) for name, each in drawn.items()},
        )

    def score(self, left_out: str) -> Scores:
        """Return the scores of the networks of all folds, without the parts that *left_out* names."""
        network = replace(self.recipe.network, members=1, without=tuple(list_columns(left_out)))
        recipe = replace(self.recipe, network=network)
        scores: Scores = defaultdict(list)
        for fold in range(N_FOLDS):
            inside = [page for page in self.judged if fold_of_site(page.site, N_FOLDS) == fold]
            sites = {page.site for page in inside}
            every = (page for page in self.judged + self.others if page.is_good and page.site not in sites)
            trained = train_modern(recipe, training_pages(every), None, seed=self.seed)[0]
            for corpus, pages in {recipe.val: inside, **self.unseen}.items():
                self._answer(trained, corpus, pages, scores)
        return scores

    def _answer(self, network: TorchNetwork, corpus: str, pages: Sequence[JudgedPage], scores: Scores) -> None:
        answers = self.decoding.answers(page_potentials(network, pages), pages)
        for page, answer in zip(pages, answers, strict=True):
            read, published = (page_word_scores(page, answer.labels, *gold).f1 for gold in ((), (page.published,)))
            scores[corpus, page.page.id, page.site].append((read, published))


def list_columns(left_out: str) -> Iterator[str]:
    """Yield the columns of families, and the names of other parts."""
    for part in left_out.split(",") if left_out != BASE else ():
        yield from FAMILIES.get(part, (part,))


def read_scores(path: Path) -> Scores:
    """Return the scores in a file."""
    return {(corpus, page, site): values for corpus, page, site, values in json.loads(path.read_text(encoding="utf-8"))}


def compare(name: str, base: Scores, own: Scores) -> str:
    """Return the row of what was left out: differences from *base* with their standard errors."""
    keys = {is_unseen: [key for key in base if (key[0] in UNSEEN) == is_unseen] for is_unseen in (False, True)}
    differences = {key: np.mean(own[key], axis=0) - np.mean(base[key], axis=0) for key in base}

    def show(chosen: Sequence[tuple[str, str, str]], gold: int) -> str:
        found: Any = np.array([differences[key][gold] for key in chosen])
        return f"{found.mean():+.4f} ± {error_by_site(found, [site or page for _, page, site in chosen]):.4f}"

    return f"| {name} | {show(keys[False], 0)} | {show(keys[False], 1)} | {show(keys[True], 0)} |"


if __name__ == "__main__":
    main()
