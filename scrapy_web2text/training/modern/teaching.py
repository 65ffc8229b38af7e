"""Semi-supervised training: teachers label the pages that no person has labeled, and a student learns from both."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from scrapy_web2text.arrays import DoubleArray
from scrapy_web2text.labelers.confidence import expected_f1
from scrapy_web2text.labelers.hmm import marginals
from scrapy_web2text.training.modern.train import predict, train_modern

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_web2text.training.modern.batches import TrainingPage
    from scrapy_web2text.training.modern.network import ModernNetwork
    from scrapy_web2text.training.modern.recipe import ModernRecipe

__all__ = ["label_by_teachers", "train_teachers"]

# Far from those of students, so that no student is one of its own teachers.
_FIRST_TEACHER_SEED: Final = 1000
# What val chose as a network's temperature in every training so far, within a tenth.
_TEMPERATURE: Final = 2.0
# Pages are used if the teachers are this sure of them, by the word F1 that their probabilities let expect.
_LEAST_CONFIDENCE: Final = 0.7

logger = logging.getLogger(__name__)


def train_teachers(recipe: ModernRecipe, pages: Sequence[TrainingPage]) -> list[ModernNetwork]:
    """Return as many networks as *recipe* wants teachers, trained on the labeled *pages* with seeds of their own."""
    return [
        train_modern(recipe, pages, None, seed=_FIRST_TEACHER_SEED + number).network
        for number in range(recipe.training.teachers)
    ]


def label_by_teachers(teachers: Sequence[ModernNetwork], pages: Sequence[TrainingPage]) -> list[TrainingPage]:
    """Return *pages* with the mean of the teachers' probabilities as targets, without those they are not sure of."""
    labeled = []
    for page in pages:
        probabilities = np.mean([_probabilities(teacher, page) for teacher in teachers], axis=0)
        labels = (probabilities >= 0.5).astype(np.int64)
        if expected_f1(labels, probabilities, page.features.n_tokens) >= _LEAST_CONFIDENCE:
            labeled.append(replace(page, labels=labels, targets=probabilities.astype(np.float32)))
    logger.info("teachers are not sure of %d of %d pages", len(pages) - len(labeled), len(pages))
    return labeled


def _probabilities(teacher: ModernNetwork, page: TrainingPage) -> DoubleArray:
    logits, pair_logits = predict(teacher, page)
    row = logits.numpy().astype(np.float64) / _TEMPERATURE
    pairs = pair_logits.numpy().astype(np.float64).reshape(-1, 2, 2) / _TEMPERATURE
    return marginals(np.stack([np.zeros_like(row), row], axis=1), pairs)
