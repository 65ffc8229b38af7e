"""Recipes: all choices made before a training, read from a TOML file; and the recipe of a model of Web2Text 2018.

The type of a field is the rule of its value: ``Literal`` lists what is allowed, and ``Annotated`` has a `Rule`.
"""

from __future__ import annotations

import sys
import tomllib
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeVar, get_args, get_origin, get_type_hints

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
# The name of a model: a folder with another one would be refused after the training.
NAME: Final = Rule("a name of at most 100 printable characters", is_model_name)
# The share of something that is left out: not all of it.
DROPPED: Final = Rule("a number in [0, 1)", lambda value: is_number(value) and 0 <= value < 1)
SOME: Final = Rule("one or more of them", bool)
_KEPT: Final = Rule("a number above 0, at most 1", lambda value: 0 < value <= 1)
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

    channels: tuple[Annotated[int, POSITIVE], ...]
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


def read_labeler(path: Path, kinds: Collection[str]) -> str:
    """Return the kind of model that the recipe in a TOML file is for.

    :raises ValueError: if the file is not valid TOML, or its ``labeler`` is not one of *kinds*.
    """
    with _naming(path):
        labeler = tomllib.loads(path.read_text(encoding="utf-8")).get("labeler")
        one_of(*kinds).check(labeler, "labeler")
    return str(labeler)


def read_recipe(kind: type[_T], path: Path) -> _T:
    """Return the recipe in a TOML file as the dataclass *kind*.

    :raises ValueError: if the file is not valid TOML, or a field is missing, unknown or out of range; the message names
        the file and the field.
    """
    with _naming(path):
        recipe: _T = to_value(kind, tomllib.loads(path.read_text(encoding="utf-8")), "")
    return recipe


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Put *path* before the message of a ValueError in the block."""
    try:
        yield
    except ValueError as e:
        raise ValueError(f"{path}: {e}") from e
    except RecursionError as e:
        raise ValueError(f"{path}: the values are nested too deeply") from e


def to_value(kind: Any, value: Any, where: str) -> Any:
    """Return a TOML or JSON *value* as a *kind*: a dataclass, a tuple, a `Literal` or a plain type, with its rule.

    :param where: the name of the field, for messages.
    :raises ValueError: if it is of another kind, or its rule does not allow it.
    """
    origin = get_origin(kind)
    if origin is Annotated:
        plain, rule = get_args(kind)
        converted = to_value(plain, value, where)
        rule.check(converted, where)
        return converted
    if is_dataclass(kind):
        return _to_dataclass(kind, value, where)
    if origin is tuple:
        check(where, value, "a list", ok=isinstance(value, list))
        return tuple(to_value(get_args(kind)[0], item, where) for item in value)
    if origin is Literal:
        one_of(*get_args(kind)).check(value, where)
        return value
    if kind is float and type(value) is int:
        check(where, value, "a finite number", ok=abs(value) < sys.float_info.max)
        return float(value)
    plain = origin or kind
    check(where, value, f"a value of type {plain.__name__}", ok=type(value) is plain)
    return value


def _to_dataclass(kind: Any, value: Any, where: str) -> Any:
    check(where, value, "a table", ok=isinstance(value, dict))
    prefix = f"{where}." if where else ""
    hints = get_type_hints(kind, include_extras=True)
    optional = {field.name for field in fields(kind) if field.default is not MISSING}
    for name in value:
        if name not in hints:
            raise ValueError(f"{prefix}{name}: unknown field, expected one of {', '.join(hints)}")
    for name in hints:
        if name not in value and name not in optional:
            raise ValueError(f"{prefix}{name}: the field is missing")
    return kind(**{name: to_value(hints[name], value[name], prefix + name) for name in value})


def check(where: str, value: object, expected: str, *, ok: bool) -> None:
    """Raise ValueError unless *ok*; *where* names the field."""
    if not ok:
        raise ValueError(f"{where}: expected {expected}, got {value!r}")
