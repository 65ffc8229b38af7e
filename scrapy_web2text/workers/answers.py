"""What a worker process sends to its parent: JSON, which can carry an answer but no code.

A page that takes over a library in a worker could forge any message; a forged pickle would run code in the parent.
"""

from __future__ import annotations

import builtins
import json
from array import array
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from functools import cache
from importlib import import_module
from operator import attrgetter
from types import NoneType
from typing import Any, Final, get_args

from scrapy_web2text import exceptions
from scrapy_web2text.common.checks import SHARE, Rule, is_number, one_of
from scrapy_web2text.exceptions import AnswerError
from scrapy_web2text.extraction import Extraction, Method
from scrapy_web2text.features.quality import SIGNALS
from scrapy_web2text.metadata.read import Metadata
from scrapy_web2text.options import BLOCK_FIELDS, OptionError
from scrapy_web2text.page.block import Label, make_blocks
from scrapy_web2text.reasons import FallbackReason
from scrapy_web2text.verdicts.kinds import PAGE_KINDS

_KEY: Final = "extraction"
# The fields that are tuples of objects, and where the classes of these are.
_PARTS: Final = {"blocks": "page.block.Block", "paragraphs": "content.paragraphs.Paragraph"} | dict.fromkeys(
    ("posts", "comments"), "content.posts.Post"
)

# What JSON has for a field of each type. Fields of other types are tuples and objects, which are built apart.
_TYPES: Final[dict[str, frozenset[type]]] = {
    "str": frozenset({str}),
    "int": frozenset({int}),
    "float": frozenset({int, float}),
    "bool": frozenset({bool}),
    "None": frozenset({NoneType}),
    **dict.fromkeys(
        ("Method", "PageKind", "FallbackReason", "EncodingSource", "ParagraphKind", "Role"), frozenset({str})
    ),
}

# Besides their types: fields that are counted in stats of their own, name the fields of items, or have a range.
_RULES: Final[dict[str, Rule]] = {
    "method": one_of(*get_args(Method)),
    "page": one_of(*PAGE_KINDS).or_none,
    "fallback_reason": one_of(*get_args(FallbackReason)).or_none,
    "error": Rule("the name of a class", lambda name: name.isidentifier() and len(name) <= _LONGEST_NAME).or_none,
    "confidence": SHARE.or_none,
    "quality": Rule("signals", lambda of: of.keys() == SIGNALS.keys() and all(map(is_number, of.values()))).or_none,
    "block_fields": Rule("fields of blocks", lambda names: {*names} <= {*BLOCK_FIELDS}),
}
_LABELS: Final = {label.value: label for label in Label}
_LONGEST_NAME: Final = 100  # characters of the class of an error

# The errors that the parent raises again. A StopIteration would end the coroutine that waits for the answer.
_ERRORS: Final[dict[str, Callable[[str], Exception]]] = {
    "OptionError": lambda text: OptionError(*text.split(": ", 1)),
} | {
    name: cls
    for module in (builtins, exceptions)
    for name, cls in vars(module).items()
    if isinstance(cls, type) and issubclass(cls, Exception) and not issubclass(cls, (StopIteration, StopAsyncIteration))
}


def encode_answer(result: Any, error: Exception | None = None, trace: str = "") -> bytes:
    """Return the message with *result*, or with *error* and its traceback as text.

    :param result: an :class:`Extraction` or plain data; tuples arrive as lists unless they are part of an extraction.
    :raises TypeError: if it is anything else.
    """
    problem = None if error is None else [type(error).__name__, str(error), trace]
    return json.dumps([result, problem], default=_to_plain, ensure_ascii=False).encode(errors="surrogatepass")


def decode_answer(message: bytes) -> tuple[Any, Exception | None, str]:
    """Return the result, the error and its traceback; an error of an unknown class becomes a RuntimeError.

    :raises AnswerError: if *message* is not one of :func:`encode_answer`.
    """
    try:
        result, problem = json.loads(message.decode(errors="surrogatepass"), object_hook=_from_plain)
        if problem is None:
            return result, None, ""
        name, text, trace = map(str, problem)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as e:
        raise AnswerError(f"expected an answer, got {message[:100]!r}") from e
    try:
        return None, _ERRORS[name](text), trace
    except (KeyError, TypeError):  # such as a UnicodeDecodeError, which takes five arguments
        return None, RuntimeError(f"{name}: {text}"), trace


def _to_plain(extraction: Any) -> dict[str, Any]:
    """Return *extraction* as JSON-ready data: its fields, with the fields of its parts as columns, which is faster."""
    if not isinstance(extraction, Extraction):
        raise TypeError(f"expected an extraction or plain data, got {extraction!r}")
    data = {name: getattr(extraction, name) for name in Extraction.__slots__}
    for name in filter(data.get, _PARTS):
        rows = map(attrgetter(*data[name][0].__slots__), data[name])
        data[name] = [*map(_pack, zip(*rows, strict=True))]
    if extraction.metadata is not None:
        data["metadata"] = asdict(extraction.metadata)
    return {_KEY: data}


@cache
def _types(cls: Any) -> dict[str, frozenset[type]]:
    """Return what JSON has for the fields of *cls* that are not built apart."""
    types = {field.name: {*str(field.type).split(" | ")} for field in fields(cls)}
    return {name: frozenset().union(*map(_TYPES.__getitem__, of)) for name, of in types.items() if of <= _TYPES.keys()}


def _pack(column: tuple[Any, ...]) -> tuple[Any, ...] | str:
    """Return a column of floats as the text of their bytes, any other one unchanged: JSON takes fifty times as long."""
    is_float = set(map(type, column)) == {float}
    return b64encode(array("d", column).tobytes()).decode() if is_float else column


def _unpack(column: list[Any] | str) -> list[Any]:
    return array("d", b64decode(column, validate=True)).tolist() if isinstance(column, str) else column


def _from_plain(data: dict[str, Any]) -> Any:
    """Return the extraction in the object *data*, or *data* itself if it is part of one."""
    if _KEY not in data:
        return data
    values: dict[str, Any] = data[_KEY]
    for name in _PARTS:
        values[name] = _build(name, values[name])
    if values["metadata"] is not None:
        values["metadata"] = Metadata.from_dict(values["metadata"])
        _check_types(Metadata, {field.name: [getattr(values["metadata"], field.name)] for field in fields(Metadata)})
    _check_types(Extraction, {name: [value] for name, value in values.items()})
    for name, rule in _RULES.items():
        rule.check(values[name], name)
    values |= {name: tuple(value) for name, value in values.items() if isinstance(value, list)}
    return Extraction(**values)


def _build(name: str, columns: list[list[Any]]) -> tuple[Any, ...]:
    """Return the objects in the field *name* of an extraction, whose fields have the values in *columns*."""
    if not columns:
        return ()
    module, _, class_name = _PARTS[name].rpartition(".")
    cls = getattr(import_module(f"scrapy_web2text.{module}"), class_name)
    given: dict[str, list[Any]] = dict(zip(cls.__slots__, map(_unpack, columns), strict=True))
    _check_types(cls, given)
    if len({*map(len, given.values())}) > 1:
        raise ValueError(f"{cls.__name__}: expected as many values of each field")
    if name == "blocks":
        given["label"] = [_LABELS[label] for label in given["label"]]
        return make_blocks(*given.values())
    if name == "paragraphs":
        given = {key: [tuple(part) if isinstance(part, list) else part for part in given[key]] for key in given}
    return tuple(map(cls, *given.values()))


def _check_types(cls: type, columns: Mapping[str, list[Any]]) -> None:
    """Raise TypeError if a value in *columns* is not of the type of the field of *cls* with its name."""
    for name, types in _types(cls).items():
        found = set(map(type, columns[name]))
        if not found <= types:
            raise TypeError(f"{cls.__name__}.{name}: expected {types}, got {found}")
