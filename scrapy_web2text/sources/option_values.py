"""Values of options and settings, in the types that their declarations name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from scrapy_web2text.common.option import Option
from scrapy_web2text.common.suggestions import did_you_mean
from scrapy_web2text.options import name_replacement


def read_options(given: Mapping[Any, object], known: Mapping[str, Option]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the values in *given* in the types of the *known* settings, and the problems of those that are invalid.

    An unset value is None, or the default of a setting that cannot be None.
    """
    values, problems = {}, {}
    for name, value in given.items():
        try:
            values[name] = _read_value(name, value, known)
        except ValueError as error:
            problems[str(name)] = str(error)
    return values, problems


def read_or_raise(
    given: Mapping[Any, object], known: Mapping[str, Option], name_source: Callable[[str], str]
) -> dict[str, Any]:
    """Return the values in *given* in the types of the *known* settings.

    :param name_source: returns where a setting was set.
    :raises ValueError: if a name is unknown or a value is invalid; the message says where it was set.
    """
    values, problems = read_options(given, known)
    for name, problem in problems.items():
        raise ValueError(f"{name_source(name)}: {problem}")
    return values


def _read_value(name: object, value: object, known: Mapping[str, Option]) -> Any:
    if name not in known:
        hint = name_replacement(str(name)) or did_you_mean([str(name).lower().removeprefix("web2text_")], known)
        raise ValueError(f"unknown option{hint}; expected one of {', '.join(known)}")
    setting = known[str(name)]
    converted = setting.convert(value)
    if converted is None and not setting.rule.allows(None):
        return setting.default
    return setting.check(converted)
