"""The options of an extraction from values of settings, of the spider attribute, and of request meta."""

from __future__ import annotations

from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from scrapy_web2text.crawl.setting_names import PREFIX
from scrapy_web2text.crawl.setting_values import (
    is_bool,
    is_unset,
    read_bool,
    read_number,
    read_text,
    read_texts,
    read_whole_number,
)
from scrapy_web2text.options import FragmentOption, OptionError, Options
from scrapy_web2text.suggestions import did_you_mean

__all__ = ["OPTION_TYPES", "find_in_middleware", "override", "read_option"]

OPTION_TYPES: Final = get_type_hints(Options)


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
    kinds = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    is_a_choice = any(value in get_args(kind) for kind in kinds if get_origin(kind) is Literal)
    if is_unset(value) and not is_a_choice:
        return None if NoneType in kinds else getattr(Options(), name)
    if tuple[str, ...] in kinds:
        return value  # `Options` checks it
    if bool in kinds or (hint is FragmentOption and is_bool(value)):
        return read_bool(value)
    if float in kinds:
        return read_number(value)
    if int in kinds:
        return read_whole_number(value)
    return read_texts(value) if any(get_origin(kind) is tuple for kind in kinds) else read_text(value)
