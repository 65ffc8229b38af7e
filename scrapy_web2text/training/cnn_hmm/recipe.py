"""Recipe of a model of Web2Text 2018: all choices made before its training."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scrapy_web2text.training.recipe import (
    CorpusChoice,
    DecodingChoice,
    NetworkChoice,
    check,
    check_name,
    check_positive,
)

__all__ = ["CnnHmmRecipe", "TrainingChoice"]


@dataclass(frozen=True, slots=True)
class TrainingChoice:
    """How the weights are fitted.

    :param steps: number of weight updates.
    :param batch: excerpts per step.
    :param excerpt: blocks per excerpt; a page is used if it is at least two blocks longer.
    :param learning_rate: step size of Adam.
    :param weight_decay: factor of the L2 penalty on the weights, not on the biases.
    :param keep: share of the weights that a step uses, drawn for each step (DropConnect), in (0, 1].
    :param eval_every: steps between two evaluations on the val part.
    """

    steps: int
    batch: int
    excerpt: int
    learning_rate: float
    weight_decay: float
    keep: float
    eval_every: int

    def __post_init__(self) -> None:
        for name in ("steps", "batch", "learning_rate", "eval_every"):
            check_positive(f"training.{name}", getattr(self, name))
        check("training.excerpt", self.excerpt, "at least 2 blocks", ok=self.excerpt >= 2)
        check("training.eval_every", self.eval_every, "at most training.steps", ok=self.eval_every <= self.steps)
        is_decay = self.weight_decay >= 0 and math.isfinite(self.weight_decay)
        check("training.weight_decay", self.weight_decay, "a number from 0", ok=is_decay)
        check("training.keep", self.keep, "a number above 0, at most 1", ok=0 < self.keep <= 1)


@dataclass(frozen=True, slots=True)
class CnnHmmRecipe:
    """A model before its training.

    :param name: name of the model.
    :param labeler: kind of the model: ``cnn-hmm``.
    :param segmentation: name of its segmentation.
    """

    name: str
    labeler: str
    segmentation: str
    corpora: tuple[CorpusChoice, ...]
    networks: NetworkChoice
    training: TrainingChoice
    decoding: DecodingChoice

    def __post_init__(self) -> None:
        check_name(self.name)
        check("labeler", self.labeler, "'cnn-hmm'", ok=self.labeler == "cnn-hmm")
        check("segmentation", self.segmentation, "'text-leaves'", ok=self.segmentation == "text-leaves")
        check("corpora", self.corpora, "one or more corpora", ok=bool(self.corpora))
