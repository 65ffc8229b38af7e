"""Recipes of modern models: everything that is chosen before a training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrapy_web2text.training.epochs import EpochChoice
from scrapy_web2text.training.recipe import check, check_positive, read_dataclass

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "CorpusChoice",
    "DecodingChoice",
    "ModernRecipe",
    "NetworkChoice",
    "PseudoChoice",
    "TrainingChoice",
    "read_modern_recipe",
]


@dataclass(frozen=True, slots=True)
class CorpusChoice:
    """One corpus that the weights are fitted to.

    :param name: its name in `training.corpora`.
    :param weight: how much each of its pages counts.
    :param part: part of the corpus that is used; where it has no split of its own, its sites are split by their names.
    """

    name: str
    weight: float
    part: str

    def __post_init__(self) -> None:
        check_positive("corpora.weight", self.weight)


@dataclass(frozen=True, slots=True)
class PseudoChoice:
    """Pages without a clean text, which teachers label.

    :param folder: folder of HTML files below the data folder.
    :param weight: how much each of its pages counts.
    """

    folder: str
    weight: float

    def __post_init__(self) -> None:
        check_positive("pseudo.weight", self.weight)


@dataclass(frozen=True, slots=True)
class NetworkChoice:
    """Form of the network.

    :param width: channels of each layer.
    :param embedding: size of the vector of each hashed word.
    :param dilations: distance of the neighbours that each residual layer sees.
    :param pooled: layers behind which a summary of the page is added.
    :param grouped: layers behind which the mean of the blocks in the same slot of the template is added.
    :param dropout: share of each layer's step that is dropped, in [0, 1).
    :param input_dropout: share of the dense columns that is dropped, in [0, 1).
    :param word_dropout: share of the words in the bags that is dropped, in [0, 1).
    :param bag_dropout: share of the bags that is dropped as a whole, in [0, 1).
    :param without: what is left out to see what it is good for: beginnings of the names of dense columns, or ``bags``,
        ``pages`` (summaries of the page), ``groups`` (means of slots), ``pairs`` (the chain).
    """

    width: int
    embedding: int
    dilations: tuple[int, ...]
    pooled: tuple[int, ...]
    grouped: tuple[int, ...]
    dropout: float
    input_dropout: float
    word_dropout: float
    bag_dropout: float
    without: tuple[str, ...]

    def __post_init__(self) -> None:
        check_positive("network.width", self.width)
        check_positive("network.embedding", self.embedding)
        check("network.dilations", self.dilations, "numbers above 0", ok=all(step > 0 for step in self.dilations))
        n_layers = len(self.dilations)
        for name in ("pooled", "grouped"):
            layers = getattr(self, name)
            check(f"network.{name}", layers, "numbers of layers", ok=all(0 <= layer < n_layers for layer in layers))
        for name in ("dropout", "input_dropout", "word_dropout", "bag_dropout"):
            check(f"network.{name}", getattr(self, name), "a number in [0, 1)", ok=0 <= getattr(self, name) < 1)


@dataclass(frozen=True, slots=True)
class TrainingChoice(EpochChoice):
    """How the weights are fitted.

    :param teachers: number of networks that label the pages without a clean text first; 0 leaves these pages out.
    """

    teachers: int

    def __post_init__(self) -> None:
        EpochChoice.__post_init__(self)
        check("training.teachers", self.teachers, "a number from 0", ok=self.teachers >= 0)


@dataclass(frozen=True, slots=True)
class DecodingChoice:
    """How labels are made from the potentials.

    :param decoders: decoders to choose from on val.
    :param thresholds: least content probabilities to choose from on val.
    """

    decoders: tuple[str, ...]
    thresholds: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class ModernRecipe:
    """A modern model before its training.

    :param name: name of the model.
    :param labeler: kind of the model: ``modern``.
    :param pseudo: pages without a clean text, which teachers label.
    :param val: corpus whose part ``val`` chooses epoch, decoder, threshold and temperature.
    """

    name: str
    labeler: str
    val: str
    corpora: tuple[CorpusChoice, ...]
    pseudo: tuple[PseudoChoice, ...]
    network: NetworkChoice
    training: TrainingChoice
    decoding: DecodingChoice

    def __post_init__(self) -> None:
        check("labeler", self.labeler, "'modern'", ok=self.labeler == "modern")
        check("corpora", self.corpora, "one or more corpora", ok=bool(self.corpora))


def read_modern_recipe(path: Path) -> ModernRecipe:
    """Return the recipe that a TOML file holds.

    :raises ValueError: if it is no TOML, or a field is missing, unknown or out of range; the message names both.
    """
    return read_dataclass(ModernRecipe, path)
