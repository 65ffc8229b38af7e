"""Builds a model folder from a recipe of Dragnet and the corpora."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from research.dragnet.data import DragnetPage, load_pages
from research.dragnet.features import DRAGNET_BLOCKS
from research.dragnet.fit import DragnetRecipe, FittedDragnet, fit_dragnet
from research.dragnet.labeler import DragnetLabeler
from research.leaf_scores import evaluate_leaves
from scrapy_web2text.evaluation.corpora import open_corpus
from scrapy_web2text.labelers.weights import Model
from scrapy_web2text.training.corpora import Track, corpus_ids, no_progress
from scrapy_web2text.training.export import write_model


def build_dragnet(
    recipe: DragnetRecipe,
    splits: Path,
    data: Path,
    *,
    seed: int,
    out: Path,
    files: dict[str, str],
    track: Track = no_progress,
) -> dict[str, Any]:
    """Train the model of *recipe*, write it into the folder *out*, and return its scores.

    :param splits: JSON file of page ids by corpus and part.
    :param files: texts of further files in the folder, by file name: recipe and page ids.
    :raises ValueError: if a corpus or a part does not exist, or there are too few pages.
    """
    val = corpus_ids(recipe.val, "val", data, splits)
    pages = load_training_pages(recipe, splits, data, track)
    fitted = fit_dragnet(recipe, pages, seed=seed)
    model = make_model(recipe, fitted, out)
    pages_of_val = track(open_corpus(recipe.val, data).pages(val), len(val), title=f"{recipe.val} val")
    (report,) = evaluate_leaves({recipe.name: DragnetLabeler(model)}, pages_of_val)
    manifest = {
        **model.manifest,
        "corpora": [asdict(corpus) for corpus in recipe.corpora],
        "n_pages": len(pages),
        "seeds": [seed],
        "strength": fitted.strength,
        "scores": {
            "val": {
                **{name: round(value, 4) for name, value in asdict(report.blocks).items()},
                "word_f1": round(report.words.f1, 4),
                "pages": len(report.pages),
            },
            "folds": {"log_loss": {str(strength): round(loss, 4) for strength, loss in fitted.losses.items()}},
        },
    }
    write_model(out, model.tensors, manifest, files)
    return dict(manifest["scores"])


def load_training_pages(
    recipe: DragnetRecipe, splits: Path, data: Path, track: Track = no_progress
) -> list[DragnetPage]:
    """Return the training pages of *recipe*.

    :raises ValueError: if a corpus or a part does not exist.
    """
    return [
        page
        for corpus in recipe.corpora
        for page in load_pages(corpus.name, corpus_ids(corpus.name, corpus.part, data, splits), data, track)
    ]


def make_model(recipe: DragnetRecipe, fitted: FittedDragnet, folder: Path) -> Model:
    """Return the model for `DragnetLabeler`.

    :param folder: the folder of the model, which need not exist.
    """
    choice = fitted.choice
    manifest = {
        "name": recipe.name,
        "labeler": recipe.labeler,
        "segmentation": DRAGNET_BLOCKS.name,
        "feature_sets": list(choice.sets),
        "ids": list(choice.ids),
        "classes": list(choice.classes),
        "features": list(choice.names),
        "lam": 1.0,
        "temperature": 1.0,
        "decoder": "marginal",
        "threshold": recipe.threshold,
    }
    tensors = {"weight": fitted.weight.astype(np.float32), "bias": np.array([fitted.bias], dtype=np.float32)}
    return Model(folder, manifest, tensors)
