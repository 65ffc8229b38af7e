"""The messages from a worker process to its parent: JSON, which can carry an answer but no code.

A page that takes over a library in a worker could forge any message; a forged pickle would run code in the parent.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any, Final

import msgspec

from scrapy_web2text import exceptions
from scrapy_web2text.content.escaping import drop_forbidden, escape_surrogates
from scrapy_web2text.exceptions import WorkerRefused
from scrapy_web2text.extraction import Extraction, Record
from scrapy_web2text.options import OptionError

# The errors that the parent raises again. A StopIteration would end the coroutine that waits for the answer.
_ERRORS: Final[dict[str, Callable[[str], Exception]]] = {
    "OptionError": lambda marked: OptionError(*marked.removeprefix("`").split("`: ", 1)),
} | {
    name: cls
    for module in (builtins, exceptions)
    for name, cls in vars(module).items()
    if isinstance(cls, type) and issubclass(cls, Exception) and not issubclass(cls, (StopIteration, StopAsyncIteration))
}


class _Problem(Record, frozen=True):
    """The class, the message and the traceback of an error."""

    name: str
    text: str
    trace: str


class _Message(Record, frozen=True):
    """A message of a worker: an extraction, plain data or a problem."""

    extraction: Extraction | None = None
    data: Any = None
    problem: _Problem | None = None


_DECODER: Final = msgspec.json.Decoder(_Message)


def encode_answer(result: Any, error: Exception | None = None, trace: str = "") -> bytes:
    """Return the message with *result*, or with *error* and its traceback as text.

    :param result: an :class:`Extraction` or plain data; in plain data, tuples arrive as lists.
    :raises TypeError: if *result* is anything else.
    """
    if error is not None:
        texts = map(escape_surrogates, (type(error).__name__, getattr(error, "marked", str(error)), trace))
        return msgspec.json.encode(_Message(problem=_Problem(*texts)))
    if not isinstance(result, Extraction):
        return msgspec.json.encode(_Message(data=result))
    try:
        return msgspec.json.encode(_Message(extraction=result))
    except UnicodeEncodeError:  # a lone surrogate, such as in a URL
        return msgspec.json.encode(_Message(extraction=drop_forbidden(result)))


def decode_answer(message: bytes) -> tuple[Any, Exception | None, str]:
    """Return the result, the error and its traceback; an error of an unknown class becomes a RuntimeError.

    :raises WorkerRefused: if *message* does not have the form that :func:`encode_answer` writes.
    """
    try:
        found = _DECODER.decode(message)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as e:
        raise WorkerRefused(f"A worker process sent something other than an answer: {message[:100]!r}") from e
    problem = found.problem
    if problem is None:
        return found.data if found.extraction is None else found.extraction, None, ""
    try:
        return None, _ERRORS[problem.name](problem.text), problem.trace
    except (KeyError, TypeError):  # such as a UnicodeDecodeError, which takes five arguments
        return None, RuntimeError(f"{problem.name}: {problem.text}"), problem.trace
