"""Recipes: all choices made before a training, read from a TOML file.

The type of a field says which values are allowed: ``Literal`` lists the values, and ``Annotated`` has a `Rule`.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeVar, get_args, get_origin, get_type_hints

from scrapy_web2text.common.checks import Rule, is_number, one_of
from scrapy_web2text.labelers.weights import is_model_name

_T = TypeVar("_T")
# The name of a model. It is checked before the training, since a model folder with an invalid name cannot be loaded.
NAME: Final = Rule("a name of at most 100 printable characters", is_model_name)
# A share of values to drop, which must not be all of them.
DROPPED: Final = Rule("a number in [0, 1)", lambda value: is_number(value) and 0 <= value < 1)
SOME: Final = Rule("one or more of them", bool)


def read_labeler(path: Path, kinds: Collection[str]) -> str:
    """Return the kind of model that the recipe in a TOML file describes."""
    with _naming(path):
        labeler = tomllib.loads(path.read_text(encoding="utf-8")).get("labeler")
        if labeler not in [*kinds]:
            raise ValueError(
                f"labeler: expected {' or '.join(map(repr, kinds))}, got {labeler!r}. In a clone of the repository, "
                "python -m research train in place of web2text train trains the models of the papers"
            )
    return str(labeler)


def read_recipe(kind: type[_T], path: Path) -> _T:
    """Return the recipe in a TOML file as the dataclass *kind*."""
    with _naming(path):
        recipe: _T = to_value(kind, tomllib.loads(path.read_text(encoding="utf-8")), "")
    return recipe


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Put *path* at the start of the message of a ValueError in the block."""
    try:
        yield
    except ValueError as e:
        raise ValueError(f"{path}: {e}") from e
    except RecursionError as e:
        raise ValueError(f"{path}: the values are nested too deeply") from e


def to_value(kind: Any, value: Any, where: str) -> Any:
    """Return a TOML or JSON *value* as the type *kind*: a dataclass, a tuple, a `Literal` or a plain type.

    :param where: the name of the field, for messages.
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
    """Raise ValueError if *ok* is False; *where* names the field."""
    if not ok:
        raise ValueError(f"{where}: expected {expected}, got {value!r}")
