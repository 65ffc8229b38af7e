"""Cross-validate a recipe over sites: each page is labeled by a network that was not trained on its site.

    python benchmarks/cross_validation.py MODEL --data DIR --folds 5 --seed 0 1 --out FOLDER    # FOLDER/folds.json
    python benchmarks/cross_validation.py MODEL --data DIR --choices FOLDER/folds.json --out FOLDER

The folder MODEL has the recipe and the page ids. The first command writes the scores of all pages of the recipe's val
corpus, and the best choices for all answers. The second trains a model on the pages of val, too, to the last epoch;
threshold, calibration and confidence are from the choices of a cross-validation of the same recipe.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.fold_scores import (
    Fold,
    PageTypes,
    read_folds,
    score_folds,
    score_others,
    score_pages_without_blocks,
    summarize,
    summary_of,
)
from scrapy_web2text.cli.output import show_progress
from scrapy_web2text.cli.train import read_files
from scrapy_web2text.evaluation.corpora import open_corpus
from scrapy_web2text.training.calibration import Potentials
from scrapy_web2text.training.corpora import Track, fold_of_site, no_progress
from scrapy_web2text.training.fitting import torch_threads
from scrapy_web2text.training.modern.batches import TrainingPage
from scrapy_web2text.training.modern.build import write_modern
from scrapy_web2text.training.modern.data import JudgedPage, Sources, training_pages
from scrapy_web2text.training.modern.decoding import Decoding, choose_decoding, page_potentials
from scrapy_web2text.training.modern.network import TorchNetwork
from scrapy_web2text.training.modern.recipe import CorpusChoice, ModernRecipe
from scrapy_web2text.training.modern.train import fit_head, to_numpy_network, train_modern
from scrapy_web2text.training.recipe import read_recipe, to_value
from scrapy_web2text.verdicts.kinds import PAGE_TYPES


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path, help="a folder with a recipe.toml and a splits.json")
    parser.add_argument("--data", type=Path, required=True, help="the folder of the corpora")
    parser.add_argument("--out", type=Path, required=True, help="the folder for the folds.json or the model")
    parser.add_argument("--seed", type=int, nargs="+", default=[0], help="seeds; a model is trained with the first (0)")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--folds", type=int, metavar="N", help="number of folds, 2 or more")
    what.add_argument("--choices", type=Path, metavar="FILE", help="train a model, with the choices of a folds.json")
    parser.add_argument("--threads", type=int, default=1, help="threads of torch (%(default)s)")
    parser.add_argument(
        "--jobs", type=int, default=1, help="folds that are trained at once, each in 3 GB (%(default)s)"
    )
    args = parser.parse_args()
    recipe, splits = read_recipe(ModernRecipe, args.model / "recipe.toml"), args.model / "splits.json"
    sources = Sources.of(recipe, splits, args.data, show_progress)
    with torch_threads(args.threads):
        if args.choices is None:
            result = cross_validate(
                recipe, sources, n_folds=args.folds, seeds=args.seed, n_jobs=args.jobs, track=show_progress
            )
            args.out.mkdir(parents=True, exist_ok=True)
            (args.out / "folds.json").write_text(json.dumps(result, allow_nan=False, indent=1) + "\n", encoding="utf-8")
            scores = summary_of(result)
        else:
            files, folds = read_files(args.model / "recipe.toml", splits), read_folds(args.choices)
            scores = build_with_choices(recipe, sources, folds, seed=args.seed[0], out=args.out, files=files)
    print(json.dumps(scores, allow_nan=False, indent=1))


def build_with_choices(
    recipe: ModernRecipe, sources: Sources, folds: Mapping[str, Any], *, seed: int, out: Path, files: dict[str, str]
) -> dict[str, Any]:
    """Train a model on the pages of val, too, write it into *out*, and return the scores of *folds*.

    :param folds: the cross-validation of the same recipe, see `read_folds`, which has chosen how labels, probabilities
        and confidence are computed.
    """
    decoding: Decoding = to_value(Decoding, folds.get("choice"), "choice")
    weight = max((corpus.weight for corpus in recipe.corpora if corpus.name == recipe.val), default=1.0)
    pages = sources.load_labeled([*recipe.corpora, CorpusChoice(recipe.val, weight, "val")])
    if not pages:
        raise ValueError("expected pages to train on, got none")
    network, _ = train_modern(recipe, training_pages(pages), None, seed=seed, track=sources.track)
    scores = {"folds": summary_of(folds)}
    write_modern(recipe, network, decoding, pages, seed=seed, scores=scores, out=out, files=files)
    return scores


def cross_validate(
    recipe: ModernRecipe,
    sources: Sources,
    *,
    n_folds: int,
    seeds: Sequence[int],
    n_jobs: int = 1,
    track: Track = no_progress,
) -> dict[str, Any]:
    """Return the scores of networks of *recipe* on the pages of its corpora, by cross-validation over sites.

    The networks of a fold are trained, to the last epoch, on the pages of all corpora whose sites are in other folds.
    The choices after the training are made on the answers to the other folds of the val corpus.

    :param n_jobs: number of folds that are trained at once.
    :returns: plain data for JSON: a summary, and ``choice``, the choices that are best for the answers of all networks;
        ``bins``, the words in 20 equal bins of their probability of CONTENT: how many there are, the sum of their
        probabilities, and the number of content words; and ``pages``, a `FoldPage` for each page and seed.
    """
    corpus = open_corpus(recipe.val, sources.data)
    corpora = {recipe.val: sources.load(recipe.val, corpus.ids, keep_all=True)}
    for choice in recipe.corpora:
        if choice.name != recipe.val:
            corpora[choice.name] = sources.load_labeled([choice])
    numbers = sorted({fold_of_site(page.site, n_folds) for page in corpora[recipe.val]})
    if len(numbers) < 2:
        raise ValueError(f"corpus {recipe.val}: expected sites in {n_folds} folds, got one fold")
    training = _Training(recipe, corpora, n_folds, seeds, track)
    if n_jobs > 1:
        with multiprocessing.get_context("fork").Pool(n_jobs, _remember, [training]) as pool:
            answers = pool.map(_train_remembered, numbers, chunksize=1)
    else:
        answers = [*map(training.train, numbers)]
    folds = [
        Fold(number, training.inside(number), potentials, page_types)
        for number, (potentials, page_types) in zip(numbers, answers, strict=True)
    ]
    choices = {
        (fold.number, seed): _choose(recipe, [other for other in folds if other is not fold], [seed])
        for fold in folds
        for seed in seeds
    }
    scores, bins = score_folds(recipe.val, folds, choices)
    scores += score_pages_without_blocks(corpus, {page.page.id for page in corpora[recipe.val]}, seeds)
    return {
        **summarize(scores, bins),
        "other_corpora": score_others(recipe.val, folds, choices),
        "choice": asdict(_choose(recipe, folds, seeds)),
        "bins": dict(zip(("words", "expected", "content"), bins.round(1).tolist(), strict=True)),
        "pages": [asdict(page) for page in scores],
    }


@dataclass(frozen=True, slots=True, eq=False)
class _Training:
    """The trainings of the networks of all folds."""

    recipe: ModernRecipe
    corpora: Mapping[str, Sequence[JudgedPage]]
    n_folds: int
    seeds: Sequence[int]
    track: Track

    def train(self, number: int) -> tuple[dict[str, dict[int, Potentials]], dict[int, PageTypes]]:
        """Return what the networks of fold *number* make of its pages, by corpus and seed."""
        recipe = self.recipe
        pages = training_pages(
            page
            for pages in self.corpora.values()
            for page in pages
            if page.is_good and fold_of_site(page.site, self.n_folds) != number
        )
        networks = {seed: train_modern(recipe, pages, None, seed=seed, track=self.track)[0] for seed in self.seeds}
        inside = self.inside(number)
        potentials = {
            name: {seed: page_potentials(network, own) for seed, network in networks.items()}
            for name, own in inside.items()
        }
        types = {seed: _predict_types(recipe, network, pages, inside[recipe.val]) for seed, network in networks.items()}
        return potentials, types

    def inside(self, number: int) -> dict[str, list[JudgedPage]]:
        """Return the pages of fold *number*, by corpus."""
        return {
            name: [page for page in pages if fold_of_site(page.site, self.n_folds) == number]
            for name, pages in self.corpora.items()
        }


# The trainings in a forked process, which shares the pages of its parent.
_remembered: list[_Training] = []


def _remember(training: _Training) -> None:
    _remembered[:] = [training]


def _train_remembered(number: int) -> tuple[dict[str, dict[int, Potentials]], dict[int, PageTypes]]:
    return _remembered[0].train(number)


def _predict_types(
    recipe: ModernRecipe, network: TorchNetwork, pages: Sequence[TrainingPage], inside: Sequence[JudgedPage]
) -> PageTypes:
    """Return the predicted type of each page *inside* the fold; no types if the other *pages* have only one."""
    tensors = network.to_arrays()
    head = fit_head(to_numpy_network(recipe.network, tensors), pages)
    if not head:
        return [(None, None)] * len(inside)
    answering = to_numpy_network(recipe.network, tensors | head)
    return [answering.page_type(answering(page.page.features)[2], PAGE_TYPES) for page in inside]


def _choose(recipe: ModernRecipe, folds: Sequence[Fold], seeds: Sequence[int]) -> Decoding:
    """Return the best choices for the answers that the networks of *seeds* give to *folds* of the val corpus."""
    potentials = [page for fold in folds for seed in seeds for page in fold.potentials[recipe.val][seed]]
    pages = [page for fold in folds for _ in seeds for page in fold.by_corpus[recipe.val]]
    return choose_decoding(recipe.decoding, potentials, pages)


if __name__ == "__main__":
    main()
