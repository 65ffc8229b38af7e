"""Readers of the values of settings, and of the options in a spider attribute or in request meta.

Each reader returns one type, and also reads the strings that ``-s`` gives. It raises :class:`ValueError`; the message
gives what was expected and the value.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Iterable, Mapping
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from scrapy_web2text.common.checks import Rule
from scrapy_web2text.common.suggestions import did_you_mean, find_similar
from scrapy_web2text.extraction import EXTRACTION_FIELDS
from scrapy_web2text.options import RENAMED, FragmentOption, OptionError, Options, name_replacement

PREFIX: Final = "WEB2TEXT_"
OPTION_TYPES: Final = get_type_hints(Options)

# With less, a worker may not start: it needs 260 MB for an ordinary page, and more with more threads for arithmetic.
WORKER_MEMORY_RULE: Final = Rule("at least 500,000,000 bytes", lambda n_bytes: n_bytes >= 500_000_000)
# Least share of equal characters of an unknown setting and one of this package, such as WEBTEXT_MODEL.
_LEAST_SIMILARITY: Final = 0.85
_BOOLS: Final = {"true": True, "1": True, "false": False, "0": False}

logger = logging.getLogger(__name__)


def setting_name(name: str) -> str:
    """Return the setting of an option or of a field of the settings."""
    return f"{PREFIX}{name.upper()}"


def refuse_old_names(settings: Iterable[str], parts: Iterable[str]) -> None:
    """Raise a ValueError if *settings* have a name that is no longer in use.

    :param parts: the options that ask for a part of an answer. A crawl asks for these by the fields of its items.
    """
    names = {setting_name(name): f"renamed to {setting_name(new)}" for name, new in RENAMED.items()}
    names |= {setting_name(name): f"expected a field for it in {setting_name('fields')}" for name in parts}
    names[setting_name("chunks")] += f"; {setting_name('chunk_words')} is the size of chunks"
    for name in settings:
        if name in names:
            raise ValueError(f"{name}: {names[name]}")


def warn_of_unknown(settings: Iterable[str], known: Iterable[str]) -> None:
    """Log a warning about *settings* that are not *known* but have the prefix, or look as if they should have it."""
    known = sorted(known)
    unknown = {}
    for name in map(str, settings):
        if name.startswith("WEB") and name.upper() not in known:  # few settings of Scrapy and other packages
            meant = find_similar(name, known, _LEAST_SIMILARITY)
            if meant or name.startswith(PREFIX):
                unknown[name] = meant
    if unknown:
        names = [f"{name} (did you mean {meant}?)" if meant else name for name, meant in sorted(unknown.items())]
        rest = "" if all(unknown.values()) else f". Known settings: {', '.join(known)}"
        logger.warning("Ignoring unknown settings: %s%s", ", ".join(names), rest)


def override(
    options: Options, in_middleware: bool, overrides: Mapping[str, object]
) -> tuple[Options, bool, dict[str, str]]:
    """Return *options* and *in_middleware* with the valid values of *overrides*, and the problems of the others."""
    problems = {}
    for key, value in overrides.items():
        name = str(key)
        try:
            if name == "in_middleware":  # not an option of an extraction
                in_middleware = not is_unset(value) and _read_bool(value)
            else:
                options = options.replace(**{name: read_option(name, value)})
        except ValueError as e:
            problems[name] = e.problem if isinstance(e, OptionError) else str(e)
    return options, in_middleware, problems


def read_option(name: str, value: object) -> Any:
    """Return *value* in the type of the option *name*; if unset, None, or the default of one that cannot be None.

    :raises ValueError: if there is no such option, or the value is of another type.
    """
    if name not in OPTION_TYPES:
        known = (*OPTION_TYPES, "in_middleware")
        hint = name_replacement(name) or did_you_mean([name.lower().removeprefix(PREFIX.lower())], known)
        raise ValueError(f"unknown option{hint}; expected one of {', '.join(known)}")
    return read_as(OPTION_TYPES[name], value, getattr(Options(), name))


def read_as(hint: Any, value: object, default: object) -> Any:
    """Return *value* in the type *hint*; if unset, None, or *default* for a type without None."""
    types = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    if isinstance(value, str) and any(value in get_args(each) for each in types if get_origin(each) is Literal):
        return value
    if is_unset(value):
        return None if NoneType in types else default
    if tuple[str, ...] in types:
        return value  # `Options` checks it
    return _find_reader(hint, types, value)(value)


def _find_reader(hint: Any, types: tuple[Any, ...], value: object) -> Callable[[object], Any]:
    if bool in types or (hint is FragmentOption and _is_bool(value)):
        return _read_bool
    if float in types:
        return _read_number
    if int in types:
        return read_whole_number
    return _read_texts if any(get_origin(each) is tuple for each in types) else _read_text


def is_unset(value: object) -> bool:
    """Return whether *value* unsets a setting: None, the string ``none``, or an empty string."""
    return value is None or (isinstance(value, str) and value.strip().lower() in ("", "none"))


def _read_text(value: object) -> str:
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
    return tuple(_read_text(part) for part in value)


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


def read_whole_number(value: object) -> int:
    """Return *value*, a whole number or a string, as an integer."""
    number = _read_number(value)
    if not number.is_integer():
        raise ValueError(f"expected a whole number, got {value!r}")
    return int(number)


def _is_bool(value: object) -> bool:
    return str(value).strip().lower() in _BOOLS


def _read_bool(value: object) -> bool:
    if not _is_bool(value):
        raise ValueError(f"expected True or False, got {value!r}")
    return _BOOLS[str(value).strip().lower()]


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
        first, dash, last = str(part).partition("-")
        try:
            least, most = int(first), int(last if dash else first)
        except ValueError:
            statuses.clear()
            break
        if not 100 <= least <= most <= 599:
            raise ValueError(f"expected HTTP statuses from 100 to 599, got {value!r}")
        statuses.update(range(least, most + 1))
    if not statuses:
        raise ValueError(f"expected HTTP statuses such as 200,400-499, got {value!r}")
    return frozenset(statuses)
