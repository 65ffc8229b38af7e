"""Readers of names and values of settings, and of the options in a spider attribute or in request meta.

Each reader of a value returns one type, and also reads the strings that ``-s`` gives. It raises :class:`ValueError`;
the message gives what was expected and the value.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Iterable, Mapping
from math import isfinite
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from scrapy_web2text.common.checks import POSITIVE_WHOLE, one_of
from scrapy_web2text.common.suggestions import did_you_mean, find_similar
from scrapy_web2text.extraction import EXTRACTION_FIELDS
from scrapy_web2text.options import FragmentOption, OptionError, Options

PREFIX: Final = "WEB2TEXT_"
OPTION_TYPES: Final = get_type_hints(Options)

# With less, a worker may not start: it needs 260 MB for an ordinary page, and more with more threads for arithmetic.
LEAST_WORKER_MEMORY = 500_000_000
_LEAST_INTERVAL = 0.01  # seconds
# Least share of equal characters of a setting without the prefix and one of this package, such as WEBTEXT_MODEL.
_LEAST_SIMILARITY: Final = 0.85
_BOOLS = {"true": True, "1": True, "false": False, "0": False}

logger = logging.getLogger(__name__)


def setting_name(name: str) -> str:
    """Return the setting of an option or of a field of the settings."""
    return f"{PREFIX}{name.upper()}"


def warn_of_unknown(settings: Iterable[str], known: Iterable[str]) -> None:
    """Log a warning about *settings* that are not *known* but have the prefix, or look as if they should have it."""
    known = sorted(known)
    others = {name for name in map(str, settings) if name.upper() not in known}
    unknown = sorted(name for name in others if name.startswith(PREFIX))
    # Names of Scrapy and of other packages are not similar; few of them have to be compared.
    alike = sorted(name for name in others if name.startswith("WEB") and not name.startswith(PREFIX))
    unknown += [name for name in alike if find_similar(name, known, _LEAST_SIMILARITY)]
    if unknown:
        hints = {name: _find_meant(name, known) for name in unknown}
        names = [f"{name} (did you mean {hint}?)" if hint else name for name, hint in hints.items()]
        rest = "" if all(hints.values()) else f". Known settings: {', '.join(known)}"
        logger.warning("Ignoring unknown settings: %s%s", ", ".join(names), rest)


def _find_meant(name: str, known: Iterable[str]) -> str | None:
    """Return the setting that *name* probably means; None if none is similar. The prefix does not count."""
    if not name.startswith(PREFIX):
        return find_similar(name, known)
    found = find_similar(name.removeprefix(PREFIX), (other.removeprefix(PREFIX) for other in known))
    return found and f"{PREFIX}{found}"


def override(options: Options, overrides: Mapping[str, object]) -> tuple[Options, dict[str, str]]:
    """Return *options* with the valid values of *overrides*, and the problems of the others by name."""
    problems = {}
    for key, value in overrides.items():
        name = str(key)
        if name == "in_middleware":
            continue  # read by `find_in_middleware`: it is not an option of an extraction
        try:
            options = options.replace(**{name: read_option(name, value)})
        except ValueError as e:
            problems[name] = e.problem if isinstance(e, OptionError) else str(e)
    return options, problems


def find_in_middleware(default: bool, overrides: Mapping[str, object]) -> tuple[bool, dict[str, str]]:
    """Return whether the downloader middleware extracts, and the problem with the value in *overrides* by name."""
    value = overrides.get("in_middleware", default)
    try:
        return not is_unset(value) and read_bool(value), {}
    except ValueError as e:
        return default, {"in_middleware": str(e)}


def read_option(name: str, value: object) -> Any:
    """Return *value* in the type of the option; if unset, None, or the default of an option that cannot be None.

    :raises ValueError: if there is no such option, or the value is of another type.
    """
    if name not in OPTION_TYPES:
        known = (*OPTION_TYPES, "in_middleware")
        hint = did_you_mean([name.lower().removeprefix(PREFIX.lower())], known)
        raise ValueError(f"unknown option{hint}; expected one of {', '.join(known)}")
    hint = OPTION_TYPES[name]
    types = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    is_literal = any(value in get_args(each) for each in types if get_origin(each) is Literal)
    if is_unset(value) and not is_literal:
        return None if NoneType in types else getattr(Options(), name)
    if tuple[str, ...] in types:
        return value  # `Options` checks it
    if bool in types or (hint is FragmentOption and _is_bool(value)):
        return read_bool(value)
    if float in types:
        return _read_number(value)
    if int in types:
        return _read_whole_number(value)
    return _read_texts(value) if any(get_origin(each) is tuple for each in types) else read_text(value)


def is_unset(value: object) -> bool:
    """Return whether *value* unsets a setting: None, the string ``none``, or an empty string."""
    return value is None or (isinstance(value, str) and value.strip().lower() in ("", "none"))


def read_text(value: object) -> str:
    """Return *value*, a string or path, as a string without surrounding whitespace."""
    if not isinstance(value, (str, os.PathLike)):
        raise ValueError(f"expected a string, got {value!r}")
    return os.fspath(value).strip()


def _read_texts(value: object) -> tuple[str, ...]:
    """Return *value*, a list of strings, the same as JSON, or a string with commas, as a tuple of strings."""
    if isinstance(value, str):
        text = value.strip()
        value = _read_json(text, "expected a list of strings") if text.startswith("[") else text.split(",")
    if not isinstance(value, Iterable) or isinstance(value, (bytes, Mapping)):
        raise ValueError(f"expected a list of strings, got {value!r}")
    return tuple(read_text(part) for part in value)


def _read_json(text: str, expected: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise ValueError(f"{expected}, as JSON, got {text!r}") from None


def _read_number(value: object) -> float:
    try:
        if isinstance(value, bool) or not isinstance(value, (int, float, str)):
            raise ValueError
        return float(value)
    except (ValueError, OverflowError):
        raise ValueError(f"expected a number, got {value!r}") from None


def _read_whole_number(value: object) -> int:
    number = _read_number(value)
    if not number.is_integer():
        raise ValueError(f"expected a whole number, got {value!r}")
    return int(number)


def read_positive(value: object) -> int:
    """Return *value*, a whole number above 0 or a string, as an integer."""
    number = _read_whole_number(value)
    POSITIVE_WHOLE.check(number)
    return number


def read_worker_memory(value: object) -> int:
    """Return *value*, a number of bytes or a string, as an integer."""
    memory = _read_whole_number(value)
    if memory < LEAST_WORKER_MEMORY:
        raise ValueError(f"expected at least {LEAST_WORKER_MEMORY:,} bytes, got {value!r}")
    return memory


def read_interval(value: object) -> float:
    """Return *value*, a number of seconds from 0 or a string, as a number."""
    seconds = _read_number(value)
    if not (isfinite(seconds) and seconds >= 0):
        raise ValueError(f"expected a number of seconds from 0, got {value!r}")
    if 0 < seconds < _LEAST_INTERVAL:  # the event loop would do little else
        raise ValueError(f"expected 0 or at least {_LEAST_INTERVAL} seconds, got {value!r}")
    return seconds


def _is_bool(value: object) -> bool:
    return str(value).strip().lower() in _BOOLS


def read_bool(value: object) -> bool:
    """Return *value*, a boolean, 0, 1 or a string, as a boolean."""
    if not _is_bool(value):
        raise ValueError(f"expected True or False, got {value!r}")
    return _BOOLS[str(value).strip().lower()]


def read_one_of(*names: str) -> Callable[[object], str]:
    """Return a reader of strings that accepts only *names*."""
    rule = one_of(*names)

    def read(value: object) -> str:
        text = str(value).strip()
        rule.check(text)
        return text

    return read


def read_fields(value: object) -> Mapping[str, str]:
    """Return the attribute for each item field, from a dict or its JSON."""
    expected = f"expected a dict from item fields to attributes, each one of {', '.join(EXTRACTION_FIELDS)}"
    if isinstance(value, str):
        value = _read_json(value, expected)
    if not isinstance(value, Mapping):
        raise ValueError(f"{expected}, got {value!r}")
    for name, attribute in value.items():
        if not isinstance(name, str) or attribute not in EXTRACTION_FIELDS:
            raise ValueError(f"{expected}, got {name!r}: {attribute!r}")
    return dict(value)


def read_statuses(value: object) -> frozenset[int]:
    """Return the statuses in a list such as ``[200, "400-499"]`` or a string such as ``200,400-499``."""
    parts = value.split(",") if isinstance(value, str) else value if isinstance(value, Iterable) else [value]
    statuses: set[int] = set()
    for part in parts:
        first, _, last = str(part).partition("-")
        try:
            least, most = int(first), int(last or first)
        except ValueError:
            statuses.clear()
            break
        if not 100 <= least <= most <= 599:
            raise ValueError(f"expected HTTP statuses from 100 to 599, got {value!r}")
        statuses.update(range(least, most + 1))
    if not statuses:
        raise ValueError(f"expected HTTP statuses such as 200,400-499, got {value!r}")
    return frozenset(statuses)
