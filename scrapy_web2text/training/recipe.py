"""Recipes: all choices made before a training, read from a TOML file; and the recipe of a model of Web2Text 2018."""

from __future__ import annotations

import sys
import tomllib
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from scrapy_web2text.common.checks import (
    FRACTION,
    NOT_NEGATIVE,
    POSITIVE,
    TEXT,
    Rule,
    is_number,
    one_of,
    one_or_more,
)
from scrapy_web2text.labelers.weights import is_model_name
from scrapy_web2text.options import Decoder

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path


_T = TypeVar("_T")
# The share of something that is left out: not all of it.
DROPPED = Rule("a number in [0, 1)", lambda value: is_number(value) and 0 <= value < 1)


@dataclass(frozen=True, slots=True)
class CorpusChoice:
    """Which pages of one corpus are used.

    :param name: name of the corpus, such as ``cleaneval``.
    :param split: name of a split in the ``splits.json`` next to the recipe.
    :param train: part that the weights are fitted to.
    :param val: part on which steps, ``lam`` and temperature are chosen.
    """

    name: str
    split: str
    train: str
    val: str

    def __post_init__(self) -> None:
        check_fields(self, "corpora", dict.fromkeys(("name", "split", "train", "val"), TEXT))
        check("corpora.val", self.val, "another part than corpora.train", ok=self.val != self.train)


@dataclass(frozen=True, slots=True)
class NetworkChoice:
    """Shape of the unary and the pairwise network; features and labels determine their inputs and outputs.

    :param channels: outputs of each hidden layer.
    :param kernels: width of each layer in blocks, odd; one more than there are hidden layers.
    :param bias: whether the layers have biases.
    :param deviation: standard deviation of the truncated normal distribution of the initial weights.
    """

    channels: tuple[int, ...]
    kernels: tuple[int, ...]
    bias: bool
    deviation: float

    def __post_init__(self) -> None:
        n_layers = len(self.channels) + 1
        are_odd = len(self.kernels) == n_layers and all(kernel > 0 and kernel % 2 == 1 for kernel in self.kernels)
        check("networks.channels", self.channels, "numbers above 0", ok=all(width > 0 for width in self.channels))
        check("networks.kernels", self.kernels, f"{n_layers} odd numbers above 0", ok=are_odd)
        POSITIVE.check(self.deviation, "networks.deviation")


@dataclass(frozen=True, slots=True)
class DecodingChoice:
    """How labels are decoded from the potentials.

    :param decoder: default decoder of the model.
    :param threshold: least probability of content, in (0, 1).
    :param lam: candidate weights of the pairwise term, in order of preference.
    """

    decoder: Decoder
    threshold: float
    lam: tuple[float, ...]

    def __post_init__(self) -> None:
        lams = one_or_more(NOT_NEGATIVE, "one or more numbers from 0")
        check_fields(self, "decoding", {"decoder": one_of(*get_args(Decoder)), "threshold": FRACTION, "lam": lams})


@dataclass(frozen=True, slots=True)
class StepChoice:
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
        check_fields(self, "training", dict.fromkeys(("steps", "batch", "learning_rate", "eval_every"), POSITIVE))
        NOT_NEGATIVE.check(self.weight_decay, "training.weight_decay")
        check("training.excerpt", self.excerpt, "at least 2 blocks", ok=self.excerpt >= 2)
        check("training.eval_every", self.eval_every, "at most training.steps", ok=self.eval_every <= self.steps)
        check("training.keep", self.keep, "a number above 0, at most 1", ok=0 < self.keep <= 1)


@dataclass(frozen=True, slots=True)
class CnnHmmRecipe:
    """A model of Web2Text 2018 before its training.

    :param name: name of the model.
    :param labeler: kind of the model: ``cnn-hmm``.
    :param segmentation: name of its segmentation.
    """

    name: str
    labeler: str
    segmentation: str
    corpora: tuple[CorpusChoice, ...]
    networks: NetworkChoice
    training: StepChoice
    decoding: DecodingChoice

    def __post_init__(self) -> None:
        check_name(self.name)
        check("labeler", self.labeler, "'cnn-hmm'", ok=self.labeler == "cnn-hmm")
        check("segmentation", self.segmentation, "'text-leaves'", ok=self.segmentation == "text-leaves")
        check("corpora", self.corpora, "one or more corpora", ok=bool(self.corpora))


def read_labeler(path: Path, kinds: Collection[str]) -> str:
    """Return the kind of model that the recipe in a TOML file is for.

    :raises ValueError: if the file is not valid TOML, or its ``labeler`` is not one of *kinds*.
    """
    with _naming(path):
        labeler = tomllib.loads(path.read_text(encoding="utf-8")).get("labeler")
        check("labeler", labeler, f"one of {', '.join(kinds)}", ok=isinstance(labeler, str) and labeler in kinds)
    return str(labeler)


def read_recipe(kind: type[_T], path: Path) -> _T:
    """Return the recipe in a TOML file as the dataclass *kind*.

    :raises ValueError: if the file is not valid TOML, or a field is missing, unknown or out of range; the message names
        the file and the field.
    """
    with _naming(path):
        return _to_value(kind, tomllib.loads(path.read_text(encoding="utf-8")), "")


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Put *path* before the message of a ValueError in the block."""
    try:
        yield
    except ValueError as e:
        raise ValueError(f"{path}: {e}") from e
    except RecursionError as e:
        raise ValueError(f"{path}: the values are nested too deeply") from e


def _to_value(kind: type[_T], value: object, where: str) -> _T:
    """Return a TOML *value* as a *kind*: a dataclass, a tuple or a plain type."""
    if is_dataclass(kind):
        return _to_dataclass(kind, value, where)
    if get_origin(kind) is tuple:
        check(where, value, "a list", ok=isinstance(value, list))
        items = value if isinstance(value, list) else []
        return tuple(_to_value(get_args(kind)[0], item, where) for item in items)  # type: ignore[return-value]
    if kind is float and type(value) is int:
        check(where, value, "a finite number", ok=abs(value) < sys.float_info.max)
        return float(value)  # type: ignore[return-value]
    plain = str if get_origin(kind) is Literal else kind
    check(where, value, f"a value of type {plain.__name__}", ok=type(value) is plain)
    return value  # type: ignore[return-value]


def _to_dataclass(kind: type[_T], value: object, where: str) -> _T:
    check(where, value, "a table", ok=isinstance(value, dict))
    table: dict[str, Any] = value if isinstance(value, dict) else {}
    prefix = f"{where}." if where else ""
    hints = get_type_hints(kind)
    optional = {field.name for field in fields(kind) if field.default is not MISSING}  # type: ignore[arg-type]
    for name in table:
        if name not in hints:
            raise ValueError(f"{prefix}{name}: unknown field, expected one of {', '.join(hints)}")
    for name in hints:
        if name not in table and name not in optional:
            raise ValueError(f"{prefix}{name}: the field is missing")
    return kind(**{name: _to_value(hints[name], table[name], prefix + name) for name in table})


def check_name(name: str) -> None:
    """Raise ValueError unless a model may have this *name*: its folder would be refused after the training."""
    check("name", name, "a name of at most 100 printable characters", ok=is_model_name(name))


def check(where: str, value: object, expected: str, *, ok: bool) -> None:
    """Raise ValueError unless *ok*; *where* names the field."""
    if not ok:
        raise ValueError(f"{where}: expected {expected}, got {value!r}")


def check_fields(section: object, where: str, rules: dict[str, Rule]) -> None:
    """Raise ValueError unless the fields of a *section* of a recipe, named *where*, are allowed by their *rules*."""
    for name, rule in rules.items():
        rule.check(getattr(section, name), f"{where}.{name}")
