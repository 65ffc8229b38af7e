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
import lzma
import multiprocessing
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

from scrapy_web2text.cli.output import show_progress
from scrapy_web2text.cli.train import read_files
from scrapy_web2text.common.arrays import AnyArray, DoubleArray
from scrapy_web2text.evaluation.corpora import Corpus, open_corpus
from scrapy_web2text.evaluation.scores import N_SAMPLES, WordScores, bootstrap_means, interval, word_scores
from scrapy_web2text.labelers.confidence import TEXTLESS_PAGE_F1
from scrapy_web2text.training.calibration import Potentials
from scrapy_web2text.training.corpora import Track, corpus_facts, fold_of_site, no_progress, site_of
from scrapy_web2text.training.fitting import torch_threads
from scrapy_web2text.training.modern.batches import TrainingPage
from scrapy_web2text.training.modern.build import write_modern
from scrapy_web2text.training.modern.data import JudgedPage, Sources, page_word_scores, training_pages
from scrapy_web2text.training.modern.decoding import Decoding, choose_decoding, page_potentials
from scrapy_web2text.training.modern.network import ModernNetwork
from scrapy_web2text.training.modern.recipe import CorpusChoice, ModernRecipe
from scrapy_web2text.training.modern.train import fit_head, to_numpy_network, train_modern
from scrapy_web2text.training.recipe import read_recipe, to_value
from scrapy_web2text.verdicts.kinds import PAGE_TYPES

_N_BINS: Final = 20
_DETAILS: Final = ("choice", "bins", "pages")
_PageTypes: TypeAlias = Sequence[tuple[str, float] | tuple[None, None]]


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


@dataclass(frozen=True, slots=True)
class FoldPage:
    """The scores of the answer of one network to one page.

    :param fold: fold of the page, -1 for a page without blocks.
    :param is_read: whether it is judged by a reading, and not by the published clean text.
    :param published_f1: F1 of the words by the published clean text.
    :param page_type: the type that the model predicted, None if it tells no types; and its probability.
    """

    id: str
    kind: str
    site: str
    fold: int
    seed: int
    is_empty: bool
    is_read: bool
    precision: float
    recall: float
    f1: float
    published_f1: float
    confidence: float
    page_type: str | None = None
    page_type_probability: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Fold:
    """The pages of one fold, and what the network of each seed, trained on other sites, makes of them.

    :param by_corpus: the pages of each corpus.
    :param potentials: what the networks make of these pages, by corpus and seed.
    :param page_types: the types that the network of each seed predicts for the pages of the val corpus.
    """

    number: int
    by_corpus: dict[str, list[JudgedPage]]
    potentials: dict[str, dict[int, Potentials]]
    page_types: dict[int, _PageTypes]


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
        _Fold(number, training.inside(number), potentials, page_types)
        for number, (potentials, page_types) in zip(numbers, answers, strict=True)
    ]
    choices = {
        (fold.number, seed): _choose(recipe, [other for other in folds if other is not fold], [seed])
        for fold in folds
        for seed in seeds
    }
    scores, bins = _score_folds(recipe.val, folds, choices)
    scores += _without_blocks(corpus, {page.page.id for page in corpora[recipe.val]}, seeds)
    return {
        **_summarize(scores, bins),
        "other_corpora": _score_others(recipe.val, folds, choices),
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

    def train(self, number: int) -> tuple[dict[str, dict[int, Potentials]], dict[int, _PageTypes]]:
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


def _train_remembered(number: int) -> tuple[dict[str, dict[int, Potentials]], dict[int, _PageTypes]]:
    return _remembered[0].train(number)


def _predict_types(
    recipe: ModernRecipe, network: ModernNetwork, pages: Sequence[TrainingPage], inside: Sequence[JudgedPage]
) -> _PageTypes:
    """Return the predicted type of each page *inside* the fold; no types if the other *pages* have only one."""
    tensors = network.to_arrays()
    head = fit_head(to_numpy_network(recipe.network, tensors), pages)
    if not head:
        return [(None, None)] * len(inside)
    answering = to_numpy_network(recipe.network, tensors | head)
    return [answering.page_type(answering(page.page.features)[2], PAGE_TYPES) for page in inside]


def _score_folds(
    corpus: str, folds: Sequence[_Fold], choices: Mapping[tuple[int, int], Decoding]
) -> tuple[list[FoldPage], DoubleArray]:
    """Return the scores of all pages of the val *corpus* with each seed, and the words in bins of their probability.

    :param choices: fold and seed -> the best choices for the other folds.
    """
    pages = []
    bins = np.zeros((3, _N_BINS))
    for fold in folds:
        inside = fold.by_corpus[corpus]
        for seed, potentials in fold.potentials[corpus].items():
            decoding = choices[fold.number, seed]
            answers = decoding.answers(potentials, inside)
            for page, answer, (page_type, chance) in zip(inside, answers, fold.page_types[seed], strict=True):
                bins += _fill_bins(answer.probabilities, page.page.labels, page.page.features.n_tokens)
                scored = FoldPage(
                    page.page.id,
                    PAGE_TYPES[page.page.page_type] if page.page.page_type >= 0 else "unknown",
                    page.site,
                    fold.number,
                    seed,
                    is_empty=not page.gold.sum(),
                    is_read=page.has_reader_labels,
                    **asdict(page_word_scores(page, answer.labels)),
                    published_f1=page_word_scores(page, answer.labels, page.published).f1,
                    confidence=decoding.predict_f1(page, answer),
                    page_type=page_type,
                    page_type_probability=chance,
                )
                pages.append(scored)
    return pages, bins


def _score_others(
    corpus: str, folds: Sequence[_Fold], choices: Mapping[tuple[int, int], Decoding]
) -> dict[str, dict[str, float]]:
    """Return the mean scores of the answers to the pages of each corpus except *corpus*."""
    scores: dict[str, list[WordScores]] = defaultdict(list)
    for fold in folds:
        for name in fold.by_corpus.keys() - {corpus}:
            inside = fold.by_corpus[name]
            for seed, potentials in fold.potentials[name].items():
                answers = choices[fold.number, seed].answers(potentials, inside)
                scores[name] += [
                    page_word_scores(page, each.labels) for page, each in zip(inside, answers, strict=True)
                ]
    return {
        name: {"answers": len(found)}
        | {
            key: round(float(np.mean([getattr(each, key) for each in found])), 4)
            for key in ("f1", "precision", "recall")
        }
        for name, found in sorted(scores.items())
    }


def _choose(recipe: ModernRecipe, folds: Sequence[_Fold], seeds: Sequence[int]) -> Decoding:
    """Return the best choices for the answers that the networks of *seeds* give to *folds* of the val corpus."""
    potentials = [page for fold in folds for seed in seeds for page in fold.potentials[recipe.val][seed]]
    pages = [page for fold in folds for _ in seeds for page in fold.by_corpus[recipe.val]]
    return choose_decoding(recipe.decoding, potentials, pages)


def _without_blocks(corpus: Corpus, answered: set[str], seeds: Sequence[int]) -> Iterator[FoldPage]:
    """Yield the scores of the pages without blocks, whose answer is always empty."""
    for page in corpus.pages([page_id for page_id in corpus.ids if page_id not in answered]):
        scores = word_scores("", page.text)
        kind, site = page.kind or "unknown", site_of(corpus_facts(corpus.name), page)
        for seed in seeds:
            yield FoldPage(
                page.id,
                kind,
                site,
                fold=-1,
                seed=seed,
                is_empty=not page.text.strip(),
                is_read=False,
                **asdict(scores),
                published_f1=scores.f1,
                confidence=TEXTLESS_PAGE_F1,
            )


def _summarize(pages: Sequence[FoldPage], bins: DoubleArray) -> dict[str, Any]:
    """Return mean word F1 by page type, how well types are told, and how far probabilities can be trusted."""
    f1 = np.array([page.f1 for page in pages])
    confidence = np.array([page.confidence for page in pages])
    groups = {"all": pages, "not empty": [page for page in pages if not page.is_empty]}
    groups |= {kind: [page for page in pages if page.kind == kind] for kind in PAGE_TYPES}
    groups = {name: group for name, group in groups.items() if group}
    return {
        "word_f1": {name: _describe_scores(group, "f1") for name, group in groups.items()},
        "published_word_f1": {name: _describe_scores(group, "published_f1") for name, group in groups.items()},
        "pages_read": len({page.id for page in pages if page.is_read}),
        "expected_calibration_error": _calibration_error(bins),
        "correlation_of_confidence": round(float(np.corrcoef(confidence, f1)[0, 1]), 4),
        "page_types": _describe_types(pages),
    }


def _describe_types(pages: Sequence[FoldPage]) -> dict[str, Any] | None:
    """Return how well the types of the pages are told whose type is known; None if the model tells none."""
    told = [page for page in pages if page.page_type is not None and page.kind in PAGE_TYPES]
    if not told:
        return None
    right = np.array([page.page_type == page.kind for page in told])
    chances = np.array([page.page_type_probability for page in told], dtype=np.float64)
    kinds = np.array([page.kind for page in told])
    return {
        "pages": len({page.id for page in told}),
        "accuracy": round(float(right.mean()), 4),
        "mean_probability": round(float(chances.mean()), 4),
        "expected_calibration_error": _calibration_error(_fill_bins(chances, right, np.ones(len(told)))),
        "recall": {name: round(float(right[kinds == name].mean()), 4) for name in PAGE_TYPES if name in kinds},
    }


def _fill_bins(probabilities: DoubleArray, outcomes: AnyArray, weights: AnyArray) -> DoubleArray:
    """Return the sums in 20 equal bins of the probability: of weights, expected outcomes and outcomes, by weight.

    *Shapes:* ``(k,)`` each -> ``(3, 20)``
    """
    numbers = np.minimum((probabilities * _N_BINS).astype(np.int64), _N_BINS - 1)
    rows = (weights, probabilities * weights, outcomes * weights)
    return np.stack([np.bincount(numbers, row, minlength=_N_BINS) for row in rows])


def _calibration_error(bins: DoubleArray) -> float:
    """Return the expected calibration error of *bins*: the mean gap of their outcomes, by weight."""
    weights, expected, found = bins
    return round(float(np.abs(expected - found).sum() / max(weights.sum(), 1)), 4)


def _describe_scores(pages: Sequence[FoldPage], name: str) -> dict[str, Any]:
    """Return the mean over pages of the mean over seeds, its bootstrap interval, and the mean of each seed."""
    by_page: dict[str, list[float]] = {}
    by_seed: dict[int, list[float]] = {}
    for page in pages:
        by_page.setdefault(page.id, []).append(getattr(page, name))
        by_seed.setdefault(page.seed, []).append(getattr(page, name))
    means = np.array([np.mean(values) for values in by_page.values()])
    low, high = interval(bootstrap_means(means[:, None], n_samples=N_SAMPLES, seed=0))[:, 0].tolist()
    described = {
        "pages": len(means),
        "mean": round(float(means.mean()), 4),
        "interval": [round(low, 4), round(high, 4)],
    }
    if len(by_seed) > 1:
        described["seeds"] = {str(seed): round(float(np.mean(values)), 4) for seed, values in sorted(by_seed.items())}
    return described


def read_folds(path: Path) -> dict[str, Any]:
    """Return what `cross_validate` returned, from a ``folds.json``, which may be compressed as ``.xz``."""
    try:
        with lzma.open(path) if path.suffix == ".xz" else path.open("rb") as file:
            folds = json.load(file)
    except (ValueError, lzma.LZMAError, EOFError):
        folds = None
    if not isinstance(folds, dict):
        raise ValueError(f"expected {path} to be a folds.json of benchmarks/cross_validation.py")
    return folds


def summary_of(folds: Mapping[str, Any]) -> dict[str, Any]:
    """Return the summary of what `cross_validate` returned, without the pages and the choices."""
    return {name: value for name, value in folds.items() if name not in _DETAILS}


if __name__ == "__main__":
    main()
