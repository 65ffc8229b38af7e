"""Builds a model folder from a recipe and the corpora: training, choices on val, export."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from scrapy_web2text.features.modern.page import MODERN_FEATURE_NAMES
from scrapy_web2text.page.blocks import MODERN_BLOCKS
from scrapy_web2text.training.calibration import log_loss, scale
from scrapy_web2text.training.corpora import Track, no_progress
from scrapy_web2text.training.export import write_model
from scrapy_web2text.training.modern.batches import TrainingPage
from scrapy_web2text.training.modern.data import JudgedPage, Sources, page_word_scores, training_pages
from scrapy_web2text.training.modern.decoding import (
    Decoding,
    choose_decoding,
    labels_and_words,
    mean_f1,
    page_potentials,
    score_answers,
)
from scrapy_web2text.training.modern.network import Member, TorchNetwork
from scrapy_web2text.training.modern.recipe import ModernRecipe
from scrapy_web2text.training.modern.train import fit_head, to_numpy_network, train_modern
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
    network: TorchNetwork,
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
        "features": list(MODERN_FEATURE_NAMES),
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
) -> tuple[TorchNetwork, Decoding, dict[str, Any]]:
    """Return the network of one seed, the choices made for it on val, and its scores on val."""

    def score(network: Member) -> float:
        return mean_f1(score_answers(page_potentials(network, val), val, "marginal", 0.5))

    network, curves = train_modern(recipe, pages, score, seed=seed, track=track)
    potentials = page_potentials(network, val)
    decoding = choose_decoding(recipe.decoding, potentials, val)
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
