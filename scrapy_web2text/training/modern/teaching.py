"""Distillation: teachers label pages without clean texts, and soften the labels of the others, for a student."""

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

__all__ = ["label_by_teachers", "soften_labels", "teach"]

# Far from the seeds of students, so that a student does not repeat one of its teachers.
_FIRST_TEACHER_SEED: Final = 1000
# The temperature that val chose in all trainings so far, within a tenth.
_TEMPERATURE: Final = 2.0
# Pages are used if the word F1 expected from the probabilities of the teachers is at least this.
_LEAST_CONFIDENCE: Final = 0.7

logger = logging.getLogger(__name__)


def teach(
    recipe: ModernRecipe,
    pages: Sequence[TrainingPage],
    unlabeled: Sequence[TrainingPage],
    track: Track = no_progress,
) -> list[TrainingPage]:
    """Return what a student of the teachers of *recipe* is trained on; *pages* if the recipe has no teachers.

    These are the labeled *pages*, with targets that lean towards the mean probabilities of the teachers, and those of
    the *unlabeled* ones that the teachers are sure about.
    """
    if not recipe.training.teachers:
        return [*pages]
    teachers = [
        train_modern(recipe, pages, None, seed=_FIRST_TEACHER_SEED + number, track=track).network
        for number in range(recipe.training.teachers)
    ]
    return soften_labels(teachers, pages, recipe.training.softness) + label_by_teachers(teachers, unlabeled)


def soften_labels(
    teachers: Sequence[ModernNetwork], pages: Sequence[TrainingPage], softness: float
) -> list[TrainingPage]:
    """Return *pages* with targets between their labels and the mean probabilities of the teachers.

    :param softness: share of the teachers in the targets, in [0, 1].
    """
    if not softness:
        return [*pages]
    softened = []
    for page in pages:
        targets = (1 - softness) * page.labels + softness * _mean_probabilities(teachers, page)
        softened.append(replace(page, targets=targets.astype(np.float32)))
    return softened


def label_by_teachers(teachers: Sequence[ModernNetwork], pages: Sequence[TrainingPage]) -> list[TrainingPage]:
    """Return *pages* with the mean probabilities of the teachers as targets, without those of low confidence."""
    labeled = []
    for page in pages:
        probabilities = _mean_probabilities(teachers, page)
        labels = mask_to_labels(probabilities >= 0.5)
        if expected_f1(labels, probabilities, page.features.n_tokens) >= _LEAST_CONFIDENCE:
            labeled.append(replace(page, labels=labels, targets=probabilities.astype(np.float32)))
    logger.info("Teachers: ignored %d of %d pages for low confidence", len(pages) - len(labeled), len(pages))
    return labeled


def _mean_probabilities(teachers: Sequence[ModernNetwork], page: TrainingPage) -> DoubleArray:
    """Return the mean over *teachers* of the probabilities of CONTENT. *Shape:* ``(n,)``"""
    found = [predict(teacher, page) for teacher in teachers]
    means: DoubleArray = np.mean(
        [marginals(unary / _TEMPERATURE, pair / _TEMPERATURE) for unary, pair in found], axis=0
    )
    return means
