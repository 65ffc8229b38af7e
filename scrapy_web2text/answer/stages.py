"""The boundary of each stage of an extraction: a stage that is late or fails costs its own result only."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from scrapy_web2text.answer.trace import Trace
from scrapy_web2text.common.budget import check_time
from scrapy_web2text.exceptions import PageError, escape_line

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")

# For tests: whether an unexpected error of an extraction is raised, not answered by the rules.
RAISE_ERRORS = False

logger = logging.getLogger(__name__)

_logged_errors: set[str] = set()


def attempt(
    trace: Trace,
    stage: Callable[Concatenate[Trace, _Arguments], _Result],
    *args: _Arguments.args,
    **kwargs: _Arguments.kwargs,
) -> _Result | None:
    """Return the result of *stage*, or None if it fails: it costs its own result only, and *trace* has the reason.

    No stage begins once the time is used up. The first exception of each class in a process is logged.
    """
    try:
        check_time()
        return stage(trace, *args, **kwargs)
    except PageError as error:
        trace.reason = error.reason
    except Exception as error:  # a bug of this package or of a library
        if RAISE_ERRORS:
            raise
        trace.reason, trace.error = "error", type(error).__name__
        if trace.error not in _logged_errors:
            _logged_errors.add(trace.error)
            url = escape_line(trace.url or "a page")
            logger.exception("Unexpected %s while extracting %s. It is logged once", trace.error, url)
    return None
