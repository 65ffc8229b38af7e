"""Recipes of modern models: all choices made before a training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, get_args

from scrapy_web2text.common.checks import FRACTION, NOT_NEGATIVE, POSITIVE, SHARE, one_or_more
from scrapy_web2text.features.modern import FAMILIES, ColumnPlan, plan_columns
from scrapy_web2text.labelers.modern.network import LARGEST_DILATION
from scrapy_web2text.options import Decoder
from scrapy_web2text.training.fitting import EpochChoice
from scrapy_web2text.training.recipe import DROPPED, check, check_fields, check_name

# The part of a corpus whose pages have a reading.
READ: Final = "read"
# What an ablation can remove besides dense columns.
_PARTS: Final = ("bags", "bags.names", "bags.words", "pages", "groups", "pairs")


@dataclass(frozen=True, slots=True)
class CorpusChoice:
    """One corpus that the weights are fitted to.

    :param name: name of the corpus, see `training.corpora`.
    :param weight: weight of each of its pages.
    :param part: the part that is used, see `training.corpora.corpus_ids`; or ``read``: the pages that have a reading,
        of a corpus that need not have clean texts.
    """

    name: str
    weight: float
    part: str

    def __post_init__(self) -> None:
        POSITIVE.check(self.weight, "corpora.weight")


@dataclass(frozen=True, slots=True)
class ReadingsChoice:
    """Readings that take the place of the published clean texts of their pages.

    :param files: files of readings next to the recipe, see `readings.files`; of two readings of a page, that in
        the later file is used.
    :param least_certainty: readings of which the reader was less sure are not used, in [0, 1].
    :param by_certainty: whether the certainty of a reading is a factor of the weight of its page.
    """

    files: tuple[str, ...]
    least_certainty: float
    by_certainty: bool

    def __post_init__(self) -> None:
        SHARE.check(self.least_certainty, "readings.least_certainty")


@dataclass(frozen=True, slots=True)
class NetworkChoice:
    """Shape of the network.

    :param members: number of networks whose log-potentials are averaged, each fitted from a seed of its own.
    :param width: channels of each layer of a member.
    :param embedding: length of the vector of each hashed word, for each member.
    :param dilations: distance of the neighbors that each residual layer sees.
    :param pooled: layers followed by the addition of a summary of the page.
    :param grouped: layers followed by the addition of the mean of the blocks in the same place of the template.
    :param dropout: share of the output of each residual layer that is dropped, in [0, 1).
    :param input_dropout: share of the dense columns that is dropped, in [0, 1).
    :param word_dropout: share of the words in the bags that is dropped, in [0, 1).
    :param bag_dropout: share of the bags that is dropped as a whole, in [0, 1).
    :param without: parts removed for an ablation: prefixes of the names of dense columns, or ``bags``, ``bags.names``,
        ``bags.words``, ``pages`` (summaries of the page), ``groups`` (means of blocks in the same place of the
        template), ``pairs`` (the chain).
    :param families: the families of dense columns that are computed, see `features.modern.FAMILIES`.
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
    families: tuple[str, ...] = FAMILIES
    members: int = 1

    def __post_init__(self) -> None:
        check_fields(self, "network", dict.fromkeys(("members", "width", "embedding"), POSITIVE))
        n_layers = len(self.dilations)
        is_in_reach = bool(n_layers) and all(0 < step <= LARGEST_DILATION for step in self.dilations)
        check("network.dilations", self.dilations, f"numbers from 1 to {LARGEST_DILATION}", ok=is_in_reach)
        for name in ("pooled", "grouped"):
            layers = getattr(self, name)
            are_layers = len({*layers} & {*range(n_layers)}) == len(layers)
            check(f"network.{name}", layers, "different numbers of layers", ok=are_layers)
        known = bool(self.families) and {*self.families} <= {*FAMILIES}
        check("network.families", self.families, f"some of {', '.join(FAMILIES)}", ok=known)
        names = self.plan.names
        is_known = all(
            part in _PARTS or (part and any(name.startswith(part) for name in names)) for part in self.without
        )
        check("network.without", self.without, f"prefixes of columns, or {', '.join(_PARTS)}", ok=is_known)
        dropouts = ("dropout", "input_dropout", "word_dropout", "bag_dropout")
        check_fields(self, "network", dict.fromkeys(dropouts, DROPPED))

    @property
    def plan(self) -> ColumnPlan:
        """The plan of the dense columns."""
        return plan_columns(self.families)


@dataclass(frozen=True, slots=True)
class TrainingChoice(EpochChoice):
    """How the weights are fitted.

    :param least_steps: least number of steps in all; with few pages, each epoch passes over them several times.
    :param share_of_cuts: share of the pages from which a short page is cut, see `training.modern.cuts`.
    """

    least_steps: int
    share_of_cuts: float = 0.0

    def __post_init__(self) -> None:
        EpochChoice.__post_init__(self)
        check_fields(self, "training", {"least_steps": NOT_NEGATIVE, "share_of_cuts": SHARE})


@dataclass(frozen=True, slots=True)
class DecodingChoice:
    """How labels can be decoded from the potentials; the best way on val is chosen.

    :param decoders: candidate decoders.
    :param thresholds: candidates for the least probability of content.
    """

    decoders: tuple[Decoder, ...]
    thresholds: tuple[float, ...]

    def __post_init__(self) -> None:
        decoders = get_args(Decoder)
        are_decoders = bool(self.decoders) and {*self.decoders} <= {*decoders}
        check("decoding.decoders", self.decoders, f"some of {', '.join(decoders)}", ok=are_decoders)
        one_or_more(FRACTION, "one or more numbers between 0 and 1").check(self.thresholds, "decoding.thresholds")


@dataclass(frozen=True, slots=True)
class ModernRecipe:
    """A modern model before its training.

    :param name: name of the model.
    :param labeler: kind of the model: ``modern``.
    :param val: corpus on whose part ``val`` epoch, decoder, threshold and temperature are chosen.
    """

    name: str
    labeler: str
    val: str
    corpora: tuple[CorpusChoice, ...]
    network: NetworkChoice
    training: TrainingChoice
    decoding: DecodingChoice
    readings: ReadingsChoice = ReadingsChoice(files=(), least_certainty=0.0, by_certainty=False)

    def __post_init__(self) -> None:
        check_name(self.name)
        check("labeler", self.labeler, "'modern'", ok=self.labeler == "modern")
        check("corpora", self.corpora, "one or more corpora", ok=bool(self.corpora))
