"""Recipes of modern models: all choices made before training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final, Literal

from scrapy_web2text.common.checks import FRACTION, NOT_NEGATIVE, POSITIVE, SHARE, number_from, one_or_more
from scrapy_web2text.features.modern.page import MODERN_FEATURE_NAMES
from scrapy_web2text.labelers.modern.network import LARGEST_DILATION
from scrapy_web2text.labelers.weights import WIDEST
from scrapy_web2text.options import Decoder
from scrapy_web2text.training.fitting import EpochChoice
from scrapy_web2text.training.recipe import NAME, SHARE_BELOW_ONE, SOME, check

# The parts of the input that can be left out besides dense columns: the embeddings of names, and of words.
BAGS: Final = ("bags.names", "bags.words")
# The part of a corpus whose pages have reader labels, which recipes call readings.
READ: Final = "read"
_DILATIONS: Final = one_or_more(number_from(1, LARGEST_DILATION), f"numbers from 1 to {LARGEST_DILATION}")
_THRESHOLDS: Final = one_or_more(FRACTION, "one or more numbers between 0 and 1")


@dataclass(frozen=True, slots=True)
class CorpusChoice:
    """A corpus to which the weights are fitted.

    :param name: name of the corpus, see `training.corpora`.
    :param part: the part that is used, see `training.corpora.corpus_ids`; or ``read``, the pages with reader labels,
        for which the corpus needs no clean texts.
    """

    name: str
    weight: Annotated[float, POSITIVE]
    part: str


@dataclass(frozen=True, slots=True)
class ReaderLabelsChoice:
    """Reader labels, called readings in recipes, that replace the published clean texts of their pages.

    :param files: labels files next to the recipe, see `labels.files`. If two files label a page, the later is used.
    :param least_certainty: least certainty of the reader; labels with less certainty are not used.
    :param by_certainty: whether the weight of a page is multiplied by the certainty of its reader.
    """

    files: tuple[str, ...]
    least_certainty: Annotated[float, SHARE]
    by_certainty: bool


@dataclass(frozen=True, slots=True)
class NetworkChoice:
    """The shape of the network, and the values that it drops in training.

    :param members: number of networks whose log-potentials are averaged, each fitted from a seed of its own.
    :param width: channels of each layer of a member.
    :param embedding: length of the vector of each hashed word, for each member.
    :param dilations: distance of the neighbors that each residual layer sees.
    :param pooled: layers followed by the addition of a summary of the page.
    :param grouped: layers followed by the addition of the mean of the blocks in the same place of the template.
    :param dropout: share of the output of each residual layer that is dropped.
    :param input_dropout: share of the dense columns that is dropped.
    :param word_dropout: share of the words in the bags that is dropped.
    :param bag_dropout: share of the bags that is dropped as a whole.
    :param without: dense columns, by prefixes of their names, or some of `BAGS` that are left out, to measure their
        use.
    """

    width: Annotated[int, POSITIVE]
    embedding: Annotated[int, POSITIVE]
    dilations: Annotated[tuple[int, ...], _DILATIONS]
    pooled: tuple[int, ...]
    grouped: tuple[int, ...]
    dropout: Annotated[float, SHARE_BELOW_ONE]
    input_dropout: Annotated[float, SHARE_BELOW_ONE]
    word_dropout: Annotated[float, SHARE_BELOW_ONE]
    bag_dropout: Annotated[float, SHARE_BELOW_ONE]
    without: tuple[str, ...]
    members: Annotated[int, POSITIVE] = 1

    def __post_init__(self) -> None:
        for name, layers in (("pooled", self.pooled), ("grouped", self.grouped)):
            are_layers = len({*layers} & {*range(len(self.dilations))}) == len(layers)
            check(f"network.{name}", layers, "different numbers of layers", ok=are_layers)
        widest = self.members * max(self.width, self.embedding)
        check("network.width", widest, f"at most {WIDEST} columns of all members", ok=widest <= WIDEST)
        names = (*MODERN_FEATURE_NAMES, *BAGS)
        is_known = all(part and any(name.startswith(part) for name in names) for part in self.without)
        check("network.without", self.without, f"prefixes of columns, or {', '.join(BAGS)}", ok=is_known)


@dataclass(frozen=True, slots=True)
class TrainingChoice(EpochChoice):
    """The options for fitting the weights.

    :param least_steps: least number of steps in all; with few pages, each epoch passes over them several times.
    :param share_of_cuts: share of the pages from which a short page is cut, see `training.modern.cuts`.
    """

    least_steps: Annotated[int, NOT_NEGATIVE]
    share_of_cuts: Annotated[float, SHARE] = 0.0


@dataclass(frozen=True, slots=True)
class DecodingChoice:
    """The decoders and thresholds that are tried; the best of them on val are chosen."""

    decoders: Annotated[tuple[Decoder, ...], SOME]
    thresholds: Annotated[tuple[float, ...], _THRESHOLDS]


@dataclass(frozen=True, slots=True)
class ModernRecipe:
    """The recipe of a modern model. Epoch and decoding are chosen on the part ``val`` of the corpus *val*."""

    name: Annotated[str, NAME]
    labeler: Literal["modern"]
    val: str
    corpora: Annotated[tuple[CorpusChoice, ...], SOME]
    network: NetworkChoice
    training: TrainingChoice
    decoding: DecodingChoice
    readings: ReaderLabelsChoice = ReaderLabelsChoice(files=(), least_certainty=0.0, by_certainty=False)
