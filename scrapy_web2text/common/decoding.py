"""Typed values from plain data, such as JSON and TOML."""

from __future__ import annotations

import re
from typing import Any, Final, TypeVar, get_args, get_type_hints

from msgspec import ValidationError, convert

_T = TypeVar("_T")
_STEP: Final = re.compile(r"\w+")


def to_type(kind: type[_T], data: object, name: str = "") -> _T:
    """Return plain *data* as the type *kind*. Fields of records that *kind* does not have are ignored.

    :param name: the name of the data in messages.
    :raises ValueError: if a value has another type or is missing; the message begins with the name of the field.
    """
    try:
        return convert(data, kind)
    except ValidationError as error:
        message, _, place = str(error).partition(" - at `$")
        if ": " in message:  # the record itself has named the field
            raise ValueError(message) from None
        if message.startswith("Invalid enum value"):
            choices = ", ".join(map(repr, _find_choices(kind, place)))
            message = message.replace("Invalid enum value", f"expected one of {choices}, got")
        message = message.replace("Object missing required", "missing").replace("Expected", "expected")
        field = f"{name}{place}".strip(".`")
        raise ValueError(f"{field}: {message}" if field else message) from None


def _find_choices(kind: Any, place: str) -> tuple[object, ...]:
    """Return the values of the Literal at a *place* in the type *kind*, such as ``.decoding.decoders[1]``."""
    for step in _STEP.findall(place):
        kind = get_args(kind)[0] if step.isdigit() else get_type_hints(kind)[step]
    return get_args(kind)
