"""The package's exceptions: one tree under :class:`Web2TextError`.

Bad arguments are plain :class:`ValueError`; these classes are for what a model folder or a page does to us.
"""

from __future__ import annotations

__all__ = ["ModelError", "PageError", "PageTimeout", "Web2TextError", "WorkerDied"]


class Web2TextError(Exception):
    """Base class of all errors of this package."""


class ModelError(Web2TextError):
    """A model folder is missing, damaged or was made for other features."""


class PageError(Web2TextError):
    """One page cannot be labelled; it is counted and answered by the fallback.

    :param reason: the word that stands in ``fallback_reason`` and in the stats, such as ``too_large``.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class PageTimeout(PageError):
    """The work on one page has used up its time."""

    def __init__(self, seconds: float) -> None:
        super().__init__("timeout", f"the page was still in work after {seconds:g} s of it")


class WorkerDied(Web2TextError):
    """A worker process ended over a page: it was killed, ran out of memory, or the page broke a library.

    :param status: what :attr:`subprocess.Popen.returncode` says; the negative number of the signal, on POSIX.
    """

    def __init__(self, status: int) -> None:
        super().__init__(f"A worker process ended with status {status}")
        self.status = status
