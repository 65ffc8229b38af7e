"""Recipes: all choices made before training, read from a TOML file.

The type of a field says which values are allowed, and ``Annotated`` can add a `Rule`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import is_dataclass
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar, get_args, get_origin, get_type_hints

from scrapy_web2text.common.checks import Rule, is_number
from scrapy_web2text.common.decoding import to_type
from scrapy_web2text.labelers.weights import is_model_name

_T = TypeVar("_T")
# The name of a model. It is checked before training, since a model folder with an invalid name cannot be loaded.
NAME: Final = Rule("a name of at most 100 printable characters", is_model_name)
# A share that must not be the whole, such as the share of values to drop.
SHARE_BELOW_ONE: Final = Rule("a number in [0, 1)", lambda value: is_number(value) and 0 <= value < 1)
SOME: Final = Rule("one or more values", bool)


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
        return to_value(kind, tomllib.loads(path.read_text(encoding="utf-8")), "")


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Put *path* at the start of the message of a ValueError in the block."""
    try:
        yield
    except ValueError as e:
        raise ValueError(f"{path}: {e}") from e
    except RecursionError as e:
        raise ValueError(f"{path}: the values are nested too deeply") from e


def to_value(kind: type[_T], value: object, where: str) -> _T:
    """Return a TOML or JSON *value* as the dataclass *kind*.

    :param where: the name of the value, for messages.
    """
    converted = to_type(kind, value, where)
    _check_table(converted, value, f"{where}." if where else "")
    return converted


def _check_table(table: Any, given: Any, prefix: str) -> None:
    """Raise a ValueError if a field of the dataclass *table* is not allowed, or is *given* but unknown."""
    hints = get_type_hints(type(table), include_extras=True)
    for name in given:
        if name not in hints:
            raise ValueError(f"{prefix}{name}: unknown field, expected one of {', '.join(hints)}")
    for name, kind in hints.items():
        found = getattr(table, name)
        if get_origin(kind) is Annotated:
            get_args(kind)[1].check(found, prefix + name)
        if is_dataclass(found) and name in given:
            _check_table(found, given[name], f"{prefix}{name}.")
        elif name in given and isinstance(found, tuple):
            for part, given_part in zip(found, given[name], strict=True):
                if is_dataclass(part):
                    _check_table(part, given_part, f"{prefix}{name}.")


def check(where: str, value: object, expected: str, *, ok: bool) -> None:
    """Raise ValueError if *ok* is False; *where* names the field."""
    if not ok:
        raise ValueError(f"{where}: expected {expected}, got {value!r}")
