"""Recipes of models of Web2Text 2018: all choices made before a training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final, Literal

from scrapy_web2text.common.checks import FRACTION, NOT_NEGATIVE, POSITIVE, TEXT, Rule, one_or_more
from scrapy_web2text.options import Decoder
from scrapy_web2text.training.recipe import NAME, SOME, check

_KEPT: Final = Rule("a number above 0, at most 1", lambda value: 0 < value <= 1)
_CHANNELS: Final = Rule("numbers above 0", lambda values: all(value > 0 for value in values))
_EXCERPT: Final = Rule("at least 2 blocks", lambda value: value >= 2)


@dataclass(frozen=True, slots=True)
class CorpusChoice:
    """Which pages of one corpus are used.

    :param name: name of the corpus, such as ``cleaneval``.
    :param split: name of a split in the ``splits.json`` next to the recipe.
    :param train: part that the weights are fitted to.
    :param val: part on which steps, ``lam`` and temperature are chosen.
    """

    name: Annotated[str, TEXT]
    split: Annotated[str, TEXT]
    train: Annotated[str, TEXT]
    val: Annotated[str, TEXT]

    def __post_init__(self) -> None:
        check("corpora.val", self.val, "another part than corpora.train", ok=self.val != self.train)


@dataclass(frozen=True, slots=True)
class NetworkChoice:
    """Shape of the unary and the pairwise network; features and labels determine their inputs and outputs.

    :param channels: outputs of each hidden layer.
    :param kernels: width of each layer in blocks, odd; one more than there are hidden layers.
    :param bias: whether the layers have biases.
    :param deviation: standard deviation of the truncated normal distribution of the initial weights.
    """

    channels: Annotated[tuple[int, ...], _CHANNELS]
    kernels: tuple[int, ...]
    bias: bool
    deviation: Annotated[float, POSITIVE]

    def __post_init__(self) -> None:
        n_layers = len(self.channels) + 1
        are_odd = len(self.kernels) == n_layers and all(kernel > 0 and kernel % 2 == 1 for kernel in self.kernels)
        check("networks.kernels", self.kernels, f"{n_layers} odd numbers above 0", ok=are_odd)


@dataclass(frozen=True, slots=True)
class DecodingChoice:
    """How labels are decoded from the potentials.

    :param decoder: default decoder of the model.
    :param threshold: least probability of content, in (0, 1).
    :param lam: candidate weights of the pairwise term, in order of preference.
    """

    decoder: Decoder
    threshold: Annotated[float, FRACTION]
    lam: Annotated[tuple[float, ...], one_or_more(NOT_NEGATIVE, "one or more numbers from 0")]


@dataclass(frozen=True, slots=True)
class StepChoice:
    """How the weights are fitted.

    :param steps: number of weight updates.
    :param batch: excerpts per step.
    :param excerpt: blocks per excerpt; a page is used if it is at least two blocks longer.
    :param learning_rate: step size of Adam.
    :param weight_decay: factor of the L2 penalty on the weights, not on the biases.
    :param keep: share of the weights that a step uses, drawn for each step (DropConnect).
    :param eval_every: steps between two evaluations on the val part.
    """

    steps: Annotated[int, POSITIVE]
    batch: Annotated[int, POSITIVE]
    excerpt: Annotated[int, _EXCERPT]
    learning_rate: Annotated[float, POSITIVE]
    weight_decay: Annotated[float, NOT_NEGATIVE]
    keep: Annotated[float, _KEPT]
    eval_every: Annotated[int, POSITIVE]

    def __post_init__(self) -> None:
        check("training.eval_every", self.eval_every, "at most training.steps", ok=self.eval_every <= self.steps)


@dataclass(frozen=True, slots=True)
class CnnHmmRecipe:
    """A model of Web2Text 2018 before its training.

    :param name: name of the model.
    :param labeler: kind of the model.
    :param segmentation: name of its segmentation.
    """

    name: Annotated[str, NAME]
    labeler: Literal["cnn-hmm"]
    segmentation: Literal["text-leaves"]
    corpora: Annotated[tuple[CorpusChoice, ...], SOME]
    networks: NetworkChoice
    training: StepChoice
    decoding: DecodingChoice
