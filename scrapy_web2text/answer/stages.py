"""The boundary of each stage of an extraction: a stage that is too slow or fails costs only its own result."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from scrapy_web2text.answer.trace import Trace
from scrapy_web2text.common.budget import check_time
from scrapy_web2text.exceptions import PageError, escape_line

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")

# For tests: whether unexpected errors of an extraction are raised.
RAISE_ERRORS = False

logger = logging.getLogger(__name__)

_logged_errors: set[str] = set()


def attempt(
    trace: Trace,
    stage: Callable[Concatenate[Trace, _Arguments], _Result],
    *args: _Arguments.args,
    **kwargs: _Arguments.kwargs,
) -> _Result | None:
    """Return the result of *stage*; None if it fails. The reason is then in *trace*.

    No stage begins after the time is used up. Of unexpected exceptions, the first of each class in a process is logged.
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
