"""Builds a model folder from a recipe and the corpora (training, choices on val, export), and compares the model with
the default model on pages that neither of them has seen.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_web2text.evaluation.corpora import open_corpus
from scrapy_web2text.evaluation.run import evaluate_all
from scrapy_web2text.labelers.registry import get_labeler
from scrapy_web2text.labelers.weights import find_model
from scrapy_web2text.options import DEFAULT_MODEL
from scrapy_web2text.page.blocks import MODERN_BLOCKS
from scrapy_web2text.training.corpora import corpus_ids, no_progress
from scrapy_web2text.training.export import write_model
from scrapy_web2text.training.modern.batches import PAGE_TYPES
from scrapy_web2text.training.modern.data import page_word_scores, training_pages
from scrapy_web2text.training.modern.decoding import (
    Choice,
    choose,
    mean_f1,
    page_potentials,
    score_answers,
    word_log_loss,
)
from scrapy_web2text.training.modern.recipe import READ, CorpusChoice, ModernRecipe
from scrapy_web2text.training.modern.train import TrainedModern, fit_head, train_modern
from scrapy_web2text.training.recipe import read_recipe

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from scrapy_web2text.training.corpora import Track
    from scrapy_web2text.training.modern.batches import TrainingPage
    from scrapy_web2text.training.modern.data import JudgedPage
    from scrapy_web2text.training.modern.network import Member, ModernNetwork
    from scrapy_web2text.training.modern.sources import Sources


@dataclass(frozen=True, slots=True, eq=False)
class _Candidate:
    """The network of one seed, the choices made for it on val, and its scores there."""

    seed: int
    trained: TrainedModern
    choice: Choice
    scores: dict[str, Any]


def build_modern(
    recipe: ModernRecipe,
    sources: Sources,
    *,
    seeds: Sequence[int],
    out: Path,
    files: dict[str, str],
    track: Track = no_progress,
) -> dict[str, Any]:
    """Train the model of *recipe* with each seed, write the best one on val into *out*, and return its scores.

    :param files: texts of further files in the folder, by file name: recipe and page ids.
    :raises ValueError: if a corpus or a part does not exist, or no page is left.
    """
    pages = sources.load_labeled(recipe.corpora)
    val = sources.load_part(recipe.val, "val")
    if not pages or not val:
        raise ValueError(f"expected pages to train on and pages of val, got {len(pages)} and {len(val)}")
    candidates = [_train(recipe, training_pages(pages), val, seed, track) for seed in seeds]
    best = max(candidates, key=lambda each: float(each.scores["word_f1"]))
    scores = {
        "val": best.scores,
        "val_word_f1_by_seed": {str(each.seed): each.scores["word_f1"] for each in candidates},
    }
    _write(recipe, best.trained.network, best.choice, pages, out, files, seed=best.seed, scores=scores)
    return scores


def build_with_choices(
    recipe: ModernRecipe,
    sources: Sources,
    folds: Mapping[str, Any],
    *,
    seed: int,
    out: Path,
    files: dict[str, str],
    track: Track = no_progress,
) -> dict[str, Any]:
    """Train the model of *recipe* on all its pages, also those of val, write it into *out*, and return its scores.

    The last epoch is kept. How labels, probabilities and confidence are computed was chosen on the folds.

    :param folds: the plain data of the `CrossValidation` of the same recipe.
    :param files: texts of further files in the folder, by file name: recipe and page ids.
    :raises ValueError: if a corpus or a part does not exist, no page is left, or *folds* lacks the choices.
    """
    choice = Choice.from_manifest(folds.get("choice"))
    weight = max((corpus.weight for corpus in recipe.corpora if corpus.name == recipe.val), default=1.0)
    every = [*recipe.corpora, CorpusChoice(recipe.val, weight, "val")]
    pages = sources.load_labeled(every)
    if not pages:
        raise ValueError("expected pages to train on, got none")
    trained = train_modern(recipe, training_pages(pages), None, seed=seed, track=track)
    scores = {"folds": {name: value for name, value in folds.items() if name not in {"choice", "bins", "pages"}}}
    _write(recipe, trained.network, choice, pages, out, files, seed=seed, scores=scores)
    return scores


def _write(
    recipe: ModernRecipe,
    network: ModernNetwork,
    choice: Choice,
    pages: Sequence[JudgedPage],
    out: Path,
    files: dict[str, str],
    *,
    seed: int,
    scores: dict[str, Any],
) -> None:
    tensors = network.to_arrays()
    page_types = fit_head(recipe.network, tensors, training_pages(pages))
    manifest = {
        "name": recipe.name,
        "labeler": recipe.labeler,
        "segmentation": MODERN_BLOCKS.name,
        "features": list(recipe.network.plan.names),
        "dilations": list(recipe.network.dilations),
        "pooled": list(recipe.network.pooled),
        "grouped": list(recipe.network.grouped),
        "page_types": list(PAGE_TYPES) if page_types else [],
        "lam": 1.0,
        **choice.to_manifest(),
        "corpora": [asdict(corpus) for corpus in recipe.corpora],
        "n_pages": len(pages),
        "seeds": [seed],
        "scores": scores,
    }
    write_model(out, tensors | page_types, manifest, files)


def _train(
    recipe: ModernRecipe, pages: Sequence[TrainingPage], val: Sequence[JudgedPage], seed: int, track: Track
) -> _Candidate:
    def score(network: Member) -> float:
        return mean_f1(score_answers(page_potentials(network, val), val, "marginal", 0.5))

    trained = train_modern(recipe, pages, score, seed=seed, track=track)
    potentials = page_potentials(trained.network, val)
    choice = choose(recipe.decoding, potentials, val)
    answers = [*choice.answers(potentials, val)]
    reached = [page_word_scores(page, answer.labels) for page, answer in zip(val, answers, strict=True)]
    predicted = [choice.predict_f1(page, answer) for page, answer in zip(val, answers, strict=True)]
    by_type = {
        name: [score.f1 for score, page in zip(reached, val, strict=True) if page.page.page_type == number]
        for number, name in enumerate(PAGE_TYPES)
    }
    loss = word_log_loss(potentials.scale(temperature=choice.temperature), val)
    scores = {
        "word_f1": round(mean_f1(reached), 4),
        "word_f1_by_type": {name: round(float(np.mean(f1)), 4) for name, f1 in by_type.items() if f1},
        "log_loss": round(loss, 4),
        "mean_confidence": round(float(np.mean(predicted)), 4),
        "pages": len(val),
        "epochs": [[round(value, 4) for value in curve.scores] for curve in trained.curves],
    }
    return _Candidate(seed, trained, choice, scores)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The mean word F1 of two models on the same pages.

    :param own: that of the trained model.
    :param default: that of the default model.
    :param difference: *own* less *default*, and the ends of its 95 % interval.
    """

    n_pages: int
    own: float
    default: float
    difference: tuple[float, float, float]

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain data for JSON."""
        return {
            "pages": self.n_pages,
            "word_f1": round(self.own, 4),
            "default_model": DEFAULT_MODEL,
            "default_word_f1": round(self.default, 4),
            "difference": [round(value, 4) for value in self.difference],
        }


def compare_with_default(
    folder: Path, recipe: ModernRecipe, splits: Path, data: Path, *, track: Track = no_progress
) -> Comparison | None:
    """Return the scores of the model in *folder* and of the default model on the part ``test`` of the val corpus.

    Pages that one of the models has seen are left out.

    :param recipe: the recipe of the model.
    :param splits: JSON file of page ids by corpus and part.
    :returns: None if no page is left.
    """
    ids = _find_held_out(recipe, splits, data)
    if not ids:
        return None
    labelers = {"own": get_labeler(str(folder.resolve())), "default": get_labeler(DEFAULT_MODEL)}
    pages = track(open_corpus(recipe.val, data).pages(ids), len(ids), title="test")
    own, default = evaluate_all(labelers, pages)
    return Comparison(len(ids), own.words.f1, default.words.f1, default.difference(own))


def describe_comparison(comparison: Comparison | None, name: str) -> str:
    """Return the result in one line.

    :param name: what the trained model is called.
    """
    if comparison is None:
        return f"not compared with {DEFAULT_MODEL}: the val corpus has no pages in its part test that are new to both"
    n = comparison.n_pages
    pages = f"{n:,} {'page' if n == 1 else 'pages'} held out of both"
    own, default = f"{comparison.own:.3f}", f"{comparison.default:.3f}"
    if comparison.own < comparison.default:
        return f"{name} is worse than {DEFAULT_MODEL}: word F1 {own} against {default}, on {pages}"
    return f"word F1 on {pages}: {own} for {name}, {default} for {DEFAULT_MODEL}"


def _find_held_out(recipe: ModernRecipe, splits: Path, data: Path) -> list[str]:
    """Return the ids of the test pages that neither model has seen."""
    try:
        test = corpus_ids(recipe.val, "test", data, splits)
    except ValueError:  # the split has no such part
        return []
    default = find_model(DEFAULT_MODEL)
    seen = _find_seen(recipe, recipe.val, splits, data)
    seen |= _find_seen(read_recipe(ModernRecipe, default / "recipe.toml"), recipe.val, default / "splits.json", data)
    return [page_id for page_id in test if page_id not in seen]


def _find_seen(recipe: ModernRecipe, corpus: str, splits: Path, data: Path) -> set[str]:
    """Return the ids of the pages of *corpus* that a training by *recipe* may use."""
    parts = {choice.part for choice in recipe.corpora if choice.name == corpus}
    if READ in parts:  # the readings of the default model are not part of the package
        return {*open_corpus(corpus, data).ids}
    if recipe.val == corpus:
        parts.add("val")
    return {page_id for part in parts for page_id in corpus_ids(corpus, part, data, splits)}
