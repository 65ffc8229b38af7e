"""The boundary of each stage of an extraction: a stage that is late or fails costs its own result only."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from scrapy_web2text.common.budget import check_time
from scrapy_web2text.exceptions import PageError, escape_line
from scrapy_web2text.options import Options
from scrapy_web2text.reasons import FallbackReason

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")

# For tests: whether an unexpected error of an extraction is raised, not answered by the rules.
RAISE_ERRORS = False

logger = logging.getLogger(__name__)

_logged_errors: set[str] = set()


@dataclass(slots=True)
class Work:
    """The work on one page: what is asked for, and why the last stage that failed did so.

    :param longest: characters of the longest form.
    :param error: class of the last unexpected exception; None if there was none.
    """

    options: Options
    url: str | None = None
    longest: int = 0
    reason: FallbackReason | None = None
    error: str | None = None


def stage(
    function: Callable[Concatenate[Work, _Arguments], _Result],
) -> Callable[Concatenate[Work, _Arguments], _Result | None]:
    """Make *function* a stage: it returns None, and the work has the reason, if it fails.

    No stage begins once the time is used up. The first exception of each class in a process is logged.
    """

    @wraps(function)
    def attempt(work: Work, /, *args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Result | None:
        try:
            check_time()
            return function(work, *args, **kwargs)
        except PageError as error:
            work.reason = error.reason
        except Exception as error:  # a bug of this package or of a library
            if RAISE_ERRORS:
                raise
            work.reason, work.error = "error", type(error).__name__
            if work.error not in _logged_errors:
                _logged_errors.add(work.error)
                url = escape_line(work.url or "a page")
                logger.exception("Unexpected %s while extracting %s. It is logged once", work.error, url)
        return None

    return attempt
