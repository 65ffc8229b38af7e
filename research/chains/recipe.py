"""Recipes of chain models: all choices made before a training."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from research.semtext.strings import STRINGS, is_string_selection
from research.web2text.recipe import CorpusChoice, DecodingChoice, NetworkChoice
from scrapy_web2text.common.checks import POSITIVE
from scrapy_web2text.training.fitting import EpochChoice
from scrapy_web2text.training.recipe import NAME, SHARE_BELOW_ONE, SOME, check


@dataclass(frozen=True, slots=True)
class ChainRecipe:
    """A chain model before its training; the recipe of each kind adds the shape of its network.

    :param labeler: kind of the model, see `chains.kinds`.
    """

    name: Annotated[str, NAME]
    labeler: str
    corpora: Annotated[tuple[CorpusChoice, ...], SOME]
    training: EpochChoice
    decoding: DecodingChoice


@dataclass(frozen=True, slots=True)
class TunableRecipe(ChainRecipe):
    """A chain model whose training can continue that of another model.

    :param start: folder of a trained model of the same kind and shape, relative to that of the recipe, whose weights
        are the initial ones; empty for random weights.
    """

    start: str = field(default="", kw_only=True)


@dataclass(frozen=True, slots=True)
class CrfRecipe(ChainRecipe):
    """A CRF over the features of Web2Text; without hidden layers, its potentials are linear in the features."""

    networks: NetworkChoice


@dataclass(frozen=True, slots=True)
class BoilernetChoice:
    """Shape of the network over counts.

    :param words: number of words in the vocabulary, the most frequent ones of the training part.
    :param width: outputs of the dense layer.
    :param units: units of the LSTM in each direction.
    :param dropout: share of the inputs and outputs of the LSTM that is dropped, in [0, 1).
    """

    words: Annotated[int, POSITIVE]
    width: Annotated[int, POSITIVE]
    units: Annotated[int, POSITIVE]
    dropout: Annotated[float, SHARE_BELOW_ONE]


@dataclass(frozen=True, slots=True)
class BoilernetRecipe(TunableRecipe):
    """A Bi-LSTM over counts of tags and words."""

    network: BoilernetChoice


@dataclass(frozen=True, slots=True)
class SemtextChoice:
    """Shape of the network over words.

    :param strings: the strings of a block that it reads: ``text``, ``tags``, ``classes``.
    :param buckets: number of vectors for parts of words.
    :param size: length of these vectors.
    :param filters: number of filters of the kernels 3, 5 and 7, for each of the strings.
    :param units: units of the LSTM in each direction.
    :param dropout: share of the inputs and outputs of the LSTM that is dropped, in [0, 1).
    :param word_dropout: share of the words of a batch whose vectors are set to zero, in [0, 1).
    """

    strings: tuple[str, ...]
    buckets: Annotated[int, POSITIVE]
    size: Annotated[int, POSITIVE]
    filters: tuple[int, ...]
    units: Annotated[int, POSITIVE]
    dropout: Annotated[float, SHARE_BELOW_ONE]
    word_dropout: Annotated[float, SHARE_BELOW_ONE]

    def __post_init__(self) -> None:
        expected = f"some of {', '.join(STRINGS)}, in this order"
        check("network.strings", self.strings, expected, ok=is_string_selection(self.strings))
        has_three = len(self.filters) == 3 and all(n > 0 for n in self.filters)
        check("network.filters", self.filters, "3 numbers above 0", ok=has_three)


@dataclass(frozen=True, slots=True)
class SemtextRecipe(TunableRecipe):
    """SemText, or a variant that reads fewer strings."""

    network: SemtextChoice
