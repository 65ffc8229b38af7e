"""Builds a model folder from a recipe and the corpora: training, choices on val, export.

It also compares the model with the default model on pages that neither model has seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from scrapy_web2text.evaluation.corpora import open_corpus
from scrapy_web2text.evaluation.run import evaluate_all
from scrapy_web2text.labelers.registry import get_labeler
from scrapy_web2text.labelers.weights import find_model
from scrapy_web2text.options import DEFAULT_MODEL
from scrapy_web2text.page.blocks import MODERN_BLOCKS
from scrapy_web2text.training.calibration import log_loss, scale
from scrapy_web2text.training.corpora import Track, corpus_ids, no_progress
from scrapy_web2text.training.export import write_model
from scrapy_web2text.training.modern.batches import TrainingPage
from scrapy_web2text.training.modern.data import JudgedPage, Sources, page_word_scores, training_pages
from scrapy_web2text.training.modern.decoding import (
    Decoding,
    choose,
    labels_and_words,
    mean_f1,
    page_potentials,
    score_answers,
)
from scrapy_web2text.training.modern.network import Member, ModernNetwork
from scrapy_web2text.training.modern.recipe import READ, ModernRecipe
from scrapy_web2text.training.modern.train import fit_head, to_numpy_network, train_modern
from scrapy_web2text.training.recipe import read_recipe
from scrapy_web2text.verdicts.kinds import PAGE_TYPES


def build_modern(
    recipe: ModernRecipe,
    sources: Sources,
    *,
    seeds: Sequence[int],
    out: Path,
    files: dict[str, str],
    track: Track = no_progress,
) -> dict[str, Any]:
    """Train the model of *recipe* with each seed, write the best model on val into *out*, and return its scores."""
    pages = sources.load_labeled(recipe.corpora)
    val = sources.load(recipe.val, sources.find_ids(recipe.val, "val"), keep_all=True)
    if not pages or not val:
        raise ValueError(f"expected pages to train on and pages of val, got {len(pages)} and {len(val)}")
    trained = {seed: _train(recipe, training_pages(pages), val, seed, track) for seed in seeds}
    by_seed = {str(seed): scores["word_f1"] for seed, (_, _, scores) in trained.items()}
    best = max(seeds, key=lambda seed: float(by_seed[str(seed)]))
    network, decoding, of_val = trained[best]
    scores = {"val": of_val, "val_word_f1_by_seed": by_seed}
    write_modern(recipe, network, decoding, pages, seed=best, scores=scores, out=out, files=files)
    return scores


def write_modern(
    recipe: ModernRecipe,
    network: ModernNetwork,
    decoding: Decoding,
    pages: Sequence[JudgedPage],
    *,
    seed: int,
    scores: dict[str, Any],
    out: Path,
    files: dict[str, str],
) -> None:
    """Write a trained *network* into the folder *out*, with a head of page types that is fitted to *pages*."""
    tensors = network.to_arrays()
    page_types = fit_head(to_numpy_network(recipe.network, tensors), training_pages(pages))
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
        **asdict(decoding),
        "corpora": [asdict(corpus) for corpus in recipe.corpora],
        "n_pages": len(pages),
        "seeds": [seed],
        "scores": scores,
    }
    write_model(out, tensors | page_types, manifest, files)


def _train(
    recipe: ModernRecipe, pages: Sequence[TrainingPage], val: Sequence[JudgedPage], seed: int, track: Track
) -> tuple[ModernNetwork, Decoding, dict[str, Any]]:
    """Return the network of one seed, the choices made for it on val, and its scores on val."""

    def score(network: Member) -> float:
        return mean_f1(score_answers(page_potentials(network, val), val, "marginal", 0.5))

    network, curves = train_modern(recipe, pages, score, seed=seed, track=track)
    potentials = page_potentials(network, val)
    decoding = choose(recipe.decoding, potentials, val)
    answers = [*decoding.answers(potentials, val)]
    reached = [page_word_scores(page, answer.labels) for page, answer in zip(val, answers, strict=True)]
    predicted = [decoding.predict_f1(page, answer) for page, answer in zip(val, answers, strict=True)]
    by_type = {
        name: [score.f1 for score, page in zip(reached, val, strict=True) if page.page.page_type == number]
        for number, name in enumerate(PAGE_TYPES)
    }
    loss = log_loss(scale(potentials, temperature=decoding.temperature), *labels_and_words(val))
    scores = {
        "word_f1": round(mean_f1(reached), 4),
        "word_f1_by_type": {name: round(float(np.mean(f1)), 4) for name, f1 in by_type.items() if f1},
        "log_loss": round(loss, 4),
        "mean_confidence": round(float(np.mean(predicted)), 4),
        "pages": len(val),
        "epochs": [[round(value, 4) for value in curve] for curve in curves],
    }
    return network, decoding, scores


def compare_with_default(
    folder: Path, recipe: ModernRecipe, splits: Path, data: Path, *, track: Track = no_progress
) -> dict[str, Any] | None:
    """Return the mean word F1 of the model in *folder* and of the default model on part ``test`` of the val corpus.

    Pages that one of the models has seen are left out.

    :returns: plain data for JSON, with the difference and its 95 % interval; None if no page is left.
    """
    ids = _find_held_out(recipe, splits, data)
    if not ids:
        return None
    labelers = {"own": get_labeler(str(folder.resolve())), "default": get_labeler(DEFAULT_MODEL)}
    pages = track(open_corpus(recipe.val, data).pages(ids), len(ids), title="test")
    own, default = evaluate_all(labelers, pages)
    return {
        "pages": len(ids),
        "word_f1": round(own.words.f1, 4),
        "default_model": DEFAULT_MODEL,
        "default_word_f1": round(default.words.f1, 4),
        "difference": [round(value, 4) for value in default.difference(own)],
    }


def describe_comparison(comparison: Mapping[str, Any] | None, name: str) -> str:
    """Return the result of `compare_with_default` in one line, with *name* for the trained model."""
    if comparison is None:
        return f"not compared with {DEFAULT_MODEL}: the val corpus has no pages in its part test that are new to both"
    n, own, default = (comparison[key] for key in ("pages", "word_f1", "default_word_f1"))
    pages = f"{n:,} {'page' if n == 1 else 'pages'} held out of both"
    if own < default:
        return f"{name} is worse than {DEFAULT_MODEL}: word F1 {own:.3f} against {default:.3f}, on {pages}"
    return f"word F1 on {pages}: {own:.3f} for {name}, {default:.3f} for {DEFAULT_MODEL}"


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
    if READ in parts:  # the reader labels of the default model are not part of the package
        return {*open_corpus(corpus, data).ids}
    if recipe.val == corpus:
        parts.add("val")
    return {page_id for part in parts for page_id in corpus_ids(corpus, part, data, splits)}
