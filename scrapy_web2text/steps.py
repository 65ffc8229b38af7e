"""The steps of one extraction: one that is late or fails costs its own result only."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from scrapy_web2text.budget import check_time
from scrapy_web2text.exceptions import PageError

if TYPE_CHECKING:
    from scrapy_web2text.reasons import FallbackReason

__all__ = ["Steps", "log_error"]

_Result = TypeVar("_Result")

logger = logging.getLogger(__name__)

_logged_errors: set[str] = set()


class Steps:
    """Runs the steps of one extraction, and keeps the reason why the last one failed.

    :param url: URL of the page, for the log.
    :param raises: whether unexpected exceptions are raised, as in tests.
    """

    def __init__(self, url: str | None = None, *, raises: bool = False) -> None:
        self.reason: FallbackReason | None = None
        self.error: str | None = None
        self._url = url
        self._raises = raises

    def attempt(self, step: Callable[[], _Result]) -> _Result | None:
        """Return the result of *step*; None, with the reason, if it fails, or if the time is used up before it begins.

        Once the time is used up, no other step begins.
        """
        try:
            check_time()
            return step()
        except PageError as error:
            self.reason = error.reason
        except Exception as error:  # a bug of this package or of a library
            if self._raises:
                raise
            self.reason, self.error = "error", log_error(error, self._url)
        return None


def log_error(error: Exception, url: str | None) -> str:
    """Log *error*, which is being handled, if it is the first of its class in this process; return the class's name."""
    name = type(error).__name__
    if name not in _logged_errors:
        _logged_errors.add(name)
        logger.error("Unexpected %s while extracting %s. It is logged once", name, url or "a page", exc_info=True)
    return name
