"""The package's exceptions, one tree under :class:`Web2TextError`, and one-line messages for logs and terminals.

Bad arguments are plain :class:`ValueError`; these classes are for broken model folders, pages and processes.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from functools import cache
from shutil import get_terminal_size
from textwrap import fill
from typing import TYPE_CHECKING, Final

from scrapy_web2text.reasons import name_options

if TYPE_CHECKING:
    from scrapy_web2text.reasons import Reason

_LONGEST_LINE: Final = 2_000  # characters


def escape_line(text: object) -> str:
    """Return *text* as one line: long text is cut, and non-printable characters are escaped."""
    line = str(text)
    line = line if len(line) <= _LONGEST_LINE else f"{line[: _LONGEST_LINE - 1]}…"
    return line if line.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in line)


def say(message: str) -> None:
    """Write *message* to standard error: as one line, or in a terminal as lines of whole words."""
    line = escape_line(message)
    if sys.stderr.isatty():
        width = get_terminal_size().columns - 1  # some terminals wrap a line that fills them
        line = fill(line, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    sys.stderr.write(f"{line}\n")


def explain(error: Exception, name: Callable[[str], str] = str, *, is_named: bool = True) -> str:
    """Return the message of *error*. The number of a system error is left out.

    :param name: returns the name of an option for the message.
    :param is_named: whether the message of a system error begins with the file name, if the error has one.
    """
    if not isinstance(error, OSError) or not error.strerror:
        return name_options(error.marked, name) if isinstance(error, MarkedError) else str(error)
    return f"{error.filename}: {error.strerror}" if is_named and error.filename is not None else error.strerror


@cache
def warn_once(logger: logging.Logger, message: str) -> None:
    """Log a warning, once in a process."""
    logger.warning(message)


class MarkedError(Exception):
    """An error whose message has the names of options between backticks."""

    @property
    def marked(self) -> str:
        """The message with the backticks."""
        return super().__str__()

    def __str__(self) -> str:
        """Return the message as one line, see `escape_line`, without the backticks."""
        return escape_line(name_options(self.marked))


class Web2TextError(MarkedError):
    """Base class of all errors of this package."""


class ModelError(Web2TextError):
    """A model folder is missing, damaged or made for other features."""


class PageError(Web2TextError):
    """A page cannot be parsed or labeled. It is counted; if it was parsed, the fallback answers.

    :param reason: the reason in the answer, by which the stats count the page.
    """

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class PageTimeout(PageError):
    """The time limit of one page is exceeded; *seconds* is the limit of CPU time."""

    def __init__(self, seconds: float) -> None:
        super().__init__("timeout", f"the page took more than {seconds:g} s of CPU time")


class WorkerDied(Web2TextError):
    """A worker process died while it extracted a page: it was killed or ran out of memory, or a library crashed."""


class WorkerNotStarted(Web2TextError):
    """A worker process cannot start; a crawl then extracts in threads."""


class WorkerRefused(WorkerDied):
    """A message of a worker process is not an answer, or it is too long; the process is then killed."""


class WorkerTimeout(Web2TextError):
    """A worker process took too long for a page and was killed; *seconds* is the limit of wall-clock time."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"A worker process was killed after {seconds:g} s")
        self.seconds = seconds
