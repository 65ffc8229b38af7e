"""Typed values from plain data, such as JSON and TOML."""

from __future__ import annotations

from typing import TypeVar

from msgspec import ValidationError, convert

_T = TypeVar("_T")


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
        field = f"{name}{place}".strip(".`")
        raise ValueError(f"{field}: {message}" if field else message) from None
