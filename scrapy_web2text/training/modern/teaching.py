"""Semi-supervised training: teachers label pages without clean texts, and a student is trained on all pages."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from scrapy_web2text.arrays import DoubleArray
from scrapy_web2text.labelers.confidence import expected_f1
from scrapy_web2text.labelers.hmm import marginals
from scrapy_web2text.page.blocks import mask_to_labels
from scrapy_web2text.training.modern.train import predict, train_modern
from scrapy_web2text.training.progress import no_progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_web2text.training.modern.batches import TrainingPage
    from scrapy_web2text.training.modern.network import ModernNetwork
    from scrapy_web2text.training.modern.recipe import ModernRecipe
    from scrapy_web2text.training.progress import Track

__all__ = ["label_by_teachers", "train_teachers"]

# Far from the seeds of students, so that a student does not repeat one of its teachers.
_FIRST_TEACHER_SEED: Final = 1000
# The temperature that val chose in all trainings so far, within a tenth.
_TEMPERATURE: Final = 2.0
# Pages are used if the word F1 expected from the probabilities of the teachers is at least this.
_LEAST_CONFIDENCE: Final = 0.7

logger = logging.getLogger(__name__)


def train_teachers(
    recipe: ModernRecipe, pages: Sequence[TrainingPage], track: Track = no_progress
) -> list[ModernNetwork]:
    """Return the teachers of *recipe*, trained on the labeled *pages* with different seeds."""
    return [
        train_modern(recipe, pages, None, seed=_FIRST_TEACHER_SEED + number, track=track).network
        for number in range(recipe.training.teachers)
    ]


def label_by_teachers(teachers: Sequence[ModernNetwork], pages: Sequence[TrainingPage]) -> list[TrainingPage]:
    """Return *pages* with the mean probabilities of the teachers as targets, without those of low confidence."""
    labeled = []
    for page in pages:
        probabilities = np.mean([_probabilities(teacher, page) for teacher in teachers], axis=0)
        labels = mask_to_labels(probabilities >= 0.5)
        if expected_f1(labels, probabilities, page.features.n_tokens) >= _LEAST_CONFIDENCE:
            labeled.append(replace(page, labels=labels, targets=probabilities.astype(np.float32)))
    logger.info("Teachers: ignored %d of %d pages for low confidence", len(pages) - len(labeled), len(pages))
    return labeled


def _probabilities(teacher: ModernNetwork, page: TrainingPage) -> DoubleArray:
    unary, pairwise = predict(teacher, page)
    return marginals(unary / _TEMPERATURE, pairwise / _TEMPERATURE)
