"""Options and settings, each declared once, as the field of a dataclass.

::

    timeout: float | None = option(10.0, "CPU seconds for a page", rule=POSITIVE.or_none)

A declaration determines checks, the conversion of strings, arguments of commands, the docstring of the dataclass, the
reference, and warnings about options without effect.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from scrapy_web2text.common.checks import FLAG, Rule, one_of

_BOOLS: Final = {"true": True, "1": True, "false": False, "0": False}
_STRING: Final = Rule("a string", lambda value: isinstance(value, str))


@dataclass(frozen=True, slots=True)
class Option:
    """The declaration of an option.

    :param types: the types of its values.
    :param choices: the strings that are allowed, if there are only a few.
    :param help: a phrase that begins with a small letter and has no full stop at its end. Backticks enclose names
        of options, and quoted values.
    :param rule: the values that are allowed.
    :param level: ``basic`` if ``--help`` of a command lists it, ``expert`` if only ``--help-all`` does.
    :param metavar: the name of its value in the help of a command.
    :param clean: returns an allowed value in its final form, or raises a ValueError.
    :param is_part: whether it only asks for a part of the answer, the field of the same name.
    :param why_idle: returns the reason why the option has no effect, given all options and facts about their use; or
        a false value. Backticks enclose the names of options.
    """

    types: tuple[Any, ...]
    choices: tuple[str, ...]
    default: Any
    help: str
    rule: Rule
    level: Literal["basic", "expert"] = "expert"
    metavar: str | None = None
    clean: Callable[[Any], Any] | None = None
    is_part: bool = False
    why_idle: Callable[[Any, Any], object] = lambda _values, _facts: None

    def convert(self, value: object) -> Any:
        """Return *value*, such as a string, in the type of the option; unchanged if it cannot be converted.

        None, an empty string and ``none`` are None, unless ``none`` is one of the choices.
        """
        if isinstance(value, str) and value in self.choices:
            return value
        if is_unset(value):
            return None
        for kind, convert in _CONVERTERS.items():
            if kind in self.types:
                return convert(value)
        return value

    def check(self, value: object) -> Any:
        """Return *value* in its final form.

        :raises ValueError: if it is not allowed.
        """
        self.rule.check(value)
        return value if self.clean is None else self.clean(value)


def option(default: Any, description: str, **details: Any) -> Any:
    """Return the field of a dataclass for an option; *details* are more parameters of `Option`."""
    declared = {"default": default, "help": description, **details}
    if isinstance(default, dict):
        return field(default_factory=default.copy, metadata=declared)
    return field(default=default, metadata=declared)


@cache
def list_options(kind: type) -> Mapping[str, Option]:
    """Return the options that the dataclass *kind* declares, by name, in their order."""
    hints = get_type_hints(kind)
    return {each.name: _describe(hints[each.name], each.metadata) for each in fields(kind) if each.metadata}


def _describe(hint: Any, declared: Mapping[str, Any]) -> Option:
    types = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    choices = tuple(value for kind in types if get_origin(kind) is Literal for value in get_args(kind))
    plain = FLAG if bool in types else _STRING
    rule = one_of(*choices) if choices else plain
    return Option(types, choices, **{"rule": rule.or_none if NoneType in types else rule, **declared})


def add_options_to_docstring(kind: type) -> None:
    """Describe the options of the dataclass *kind* in its docstring."""
    lines = [f"    :param {name}: {each.help.replace('`', '``')}." for name, each in list_options(kind).items()]
    kind.__doc__ = "\n".join([f"{kind.__doc__}", *lines])


def find_idle(
    values: Any, facts: object = None, unread: Mapping[str, str] | None = None
) -> Iterator[tuple[str, object]]:
    """Yield the options that are set but have no effect, each with the reason. The defaults yield none.

    :param values: an instance of the dataclass that declares the options.
    :param facts: facts about the use of the options, for the declarations.
    :param unread: option -> why its part of the answer is not read. Other reasons do not count then.
    """
    for name, each in list_options(values.__class__).items():
        if getattr(values, name) != each.default:
            why = each.why_idle(values, facts) if unread is None else unread.get(name)
            if why:
                yield name, why


def is_unset(value: object) -> bool:
    """Return whether *value* unsets an option: None, ``none`` or an empty string."""
    return value is None or (isinstance(value, str) and value.strip().lower() in ("", "none"))


def _to_bool(value: object) -> object:
    return _BOOLS.get(str(value).strip().lower(), value)


def _to_number(value: object) -> object:
    try:
        return value if isinstance(value, bool) else float(value)  # type: ignore[arg-type]
    except (OverflowError, TypeError, ValueError):
        return value


def _to_whole_number(value: object) -> object:
    number = _to_number(value)
    return int(number) if isinstance(number, float) and number.is_integer() else value


def _to_text(value: object) -> object:
    text = os.fspath(value) if isinstance(value, os.PathLike) else value
    return text.strip() if isinstance(text, str) else text


_CONVERTERS: Final[Mapping[type, Callable[[object], object]]] = {
    bool: _to_bool,
    float: _to_number,
    int: _to_whole_number,
    str: _to_text,
}
