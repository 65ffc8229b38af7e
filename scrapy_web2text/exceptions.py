"""The package's exceptions: one tree under :class:`Web2TextError`.

Bad arguments are plain :class:`ValueError`; these classes are for broken model folders, pages and processes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy_web2text.reasons import FallbackReason

__all__ = ["ModelError", "PageError", "PageTimeout", "Web2TextError", "WorkerDied", "WorkerTimeout"]


class Web2TextError(Exception):
    """Base class of all errors of this package."""


class ModelError(Web2TextError):
    """A model folder is missing, damaged or was made for other features."""


class PageError(Web2TextError):
    """A page cannot be labeled. It is counted, and the fallback answers.

    :param reason: the value of ``fallback_reason``, which the stats count.
    """

    def __init__(self, reason: FallbackReason, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class PageTimeout(PageError):
    """The time limit of one page is used up."""

    def __init__(self, seconds: float) -> None:
        super().__init__("timeout", f"the page took more than {seconds:g} s of CPU time")


class WorkerDied(Web2TextError):
    """A worker process died over a page: it was killed, ran out of memory, or the page crashed a library.

    :param status: its :attr:`subprocess.Popen.returncode`; on POSIX, the negative number of the signal.
    """

    def __init__(self, status: int) -> None:
        super().__init__(f"A worker process died with status {status}")
        self.status = status


class WorkerTimeout(Web2TextError):
    """A worker process took too long over a page and was killed.

    :param seconds: its time, by the clock.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__(f"A worker process was killed after {seconds:g} s")
        self.seconds = seconds
