"""Readers of setting values. Each returns one type, and also reads the strings that ``-s`` gives.

They raise :class:`ValueError`; the message gives what was expected and the value.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from math import isfinite

from scrapy_web2text.extraction import EXTRACTION_FIELDS

__all__ = [
    "LEAST_WORKER_MEMORY",
    "is_bool",
    "is_unset",
    "read_bool",
    "read_choice",
    "read_fields",
    "read_interval",
    "read_number",
    "read_positive",
    "read_statuses",
    "read_text",
    "read_texts",
    "read_whole_number",
    "read_worker_memory",
]

# With less, a worker may not start: it needs 260 MB for an ordinary page, and more with more threads for arithmetic.
LEAST_WORKER_MEMORY = 500_000_000

_LEAST_INTERVAL = 0.01  # seconds

_BOOLS = {"true": True, "1": True, "false": False, "0": False}


def is_unset(value: object) -> bool:
    """Return whether *value* unsets a setting: None, the string ``none``, or an empty string."""
    return value is None or (isinstance(value, str) and value.strip().lower() in ("", "none"))


def read_text(value: object) -> str:
    """Return *value*, a string or path, as a string without surrounding whitespace."""
    if not isinstance(value, (str, os.PathLike)):
        raise ValueError(f"expected a string, got {value!r}")
    return os.fspath(value).strip()


def read_texts(value: object) -> tuple[str, ...]:
    """Return *value*, a list of strings, the same as JSON, or a string with commas, as a tuple of strings."""
    if isinstance(value, str):
        value = _read_json_list(value) if value.strip().startswith("[") else value.split(",")
    if not isinstance(value, Iterable) or isinstance(value, (bytes, Mapping)):
        raise ValueError(f"expected a list of strings, got {value!r}")
    return tuple(read_text(part) for part in value)


def read_number(value: object) -> float:
    """Return *value*, a number or a string, as a number."""
    try:
        if isinstance(value, bool) or not isinstance(value, (int, float, str)):
            raise ValueError
        return float(value)
    except (ValueError, OverflowError):
        raise ValueError(f"expected a number, got {value!r}") from None


def read_whole_number(value: object) -> int:
    """Return *value*, a whole number or a string, as an integer."""
    number = read_number(value)
    if not number.is_integer():
        raise ValueError(f"expected a whole number, got {value!r}")
    return int(number)


def read_positive(value: object) -> int:
    """Return *value*, a whole number above 0 or a string, as an integer."""
    number = read_whole_number(value)
    if number < 1:
        raise ValueError(f"expected a whole number above 0, got {value!r}")
    return number


def read_worker_memory(value: object) -> int:
    """Return *value*, a number of bytes or a string, as an integer."""
    memory = read_whole_number(value)
    if memory < LEAST_WORKER_MEMORY:
        raise ValueError(f"expected at least {LEAST_WORKER_MEMORY:,} bytes, got {value!r}")
    return memory


def read_interval(value: object) -> float:
    """Return *value*, a number of seconds from 0 or a string, as a number."""
    seconds = read_number(value)
    if not (isfinite(seconds) and seconds >= 0):
        raise ValueError(f"expected a number of seconds from 0, got {value!r}")
    if 0 < seconds < _LEAST_INTERVAL:  # the event loop would do little else
        raise ValueError(f"expected 0 or at least {_LEAST_INTERVAL} seconds, got {value!r}")
    return seconds


def is_bool(value: object) -> bool:
    """Return whether `read_bool` can read *value*."""
    return str(value).strip().lower() in _BOOLS


def read_bool(value: object) -> bool:
    """Return *value*, a boolean, 0, 1 or a string, as a boolean."""
    if not is_bool(value):
        raise ValueError(f"expected True or False, got {value!r}")
    return _BOOLS[str(value).strip().lower()]


def read_choice(*choices: str) -> Callable[[object], str]:
    """Return a reader of strings that accepts only *choices*."""

    def read(value: object) -> str:
        text = str(value).strip()
        if text not in choices:
            raise ValueError(f"expected one of {', '.join(map(repr, choices))}, got {value!r}")
        return text

    return read


def read_fields(value: object) -> Mapping[str, str]:
    """Return the attribute for each item field, from a dict or its JSON."""
    expected = f"expected a dict from item fields to attributes, each one of {', '.join(EXTRACTION_FIELDS)}"
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            raise ValueError(f"{expected}, as JSON, got {value!r}") from None
    if not isinstance(value, Mapping):
        raise ValueError(f"{expected}, got {value!r}")
    for name, attribute in value.items():
        if not isinstance(name, str) or attribute not in EXTRACTION_FIELDS:
            raise ValueError(f"{expected}, got {name!r}: {attribute!r}")
    return dict(value)


def _read_json_list(text: str) -> list[object]:
    try:
        values: list[object] = json.loads(text)
    except ValueError:
        raise ValueError(f"expected a list of strings as JSON, got {text!r}") from None
    return values


def read_statuses(value: object) -> frozenset[int]:
    """Return the statuses in a list such as ``[200, "400-499"]`` or a string such as ``200,400-499``."""
    parts = value.split(",") if isinstance(value, str) else value if isinstance(value, Iterable) else [value]
    statuses: set[int] = set()
    for part in parts:
        first, _, last = str(part).partition("-")
        try:
            least, most = int(first), int(last or first)
        except ValueError:
            raise ValueError(f"expected HTTP statuses such as 200,400-499, got {value!r}") from None
        if not 100 <= least <= most <= 599:
            raise ValueError(f"expected HTTP statuses from 100 to 599, got {value!r}")
        statuses.update(range(least, most + 1))
    if not statuses:
        raise ValueError(f"expected HTTP statuses such as 200,400-499, got {value!r}")
    return frozenset(statuses)
