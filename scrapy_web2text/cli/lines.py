"""The lines of ``web2text batch``: the answer for each file, as a worker process gives it."""

from __future__ import annotations

import json
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_web2text.cli.files import read_page_file
from scrapy_web2text.cli.urls import find_url
from scrapy_web2text.crawl.summary import is_unmatched, page_without_content
from scrapy_web2text.crawl.tasks import get_extractor
from scrapy_web2text.exceptions import ModelError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_web2text.crawl.sites import SiteIndex
    from scrapy_web2text.extraction import Extraction
    from scrapy_web2text.options import Options
    from scrapy_web2text.reasons import FallbackReason

__all__ = ["Line", "extract_file", "extract_values", "failed_line"]


@dataclass(frozen=True, slots=True)
class Line:
    """The line of one file, and its values for the summary.

    :param page: the kind of the page if it has no main content, else None.
    :param is_left_out: whether the confidence is too low for the feed.
    :param is_unmatched: whether the selectors of the option ``include`` find no text on the page.
    """

    json: str
    method: str
    reason: str | None
    confidence: float | None
    seconds: float
    page: str | None = None
    is_left_out: bool = False
    is_unmatched: bool = False


def extract_values(
    folder: Path, path: Path, options: Options, url_sources: Sequence[str], sites: SiteIndex
) -> tuple[Any, ...]:
    """Return the values of a file's :class:`Line`, as plain data; a worker process calls this."""
    return astuple(extract_file(folder, path, options, url_sources, sites))


def extract_file(
    folder: Path,
    path: Path,
    options: Options,
    url_sources: Sequence[str] = (),
    sites: SiteIndex | None = None,
) -> Line:
    """Return the line of one file.

    :param path: path of the file in *folder*.
    :param url_sources: where the URL of the page is from, see :func:`~scrapy_web2text.cli.urls.find_url`.
    :param sites: the options of pages by their URLs, instead of *options*.
    """
    try:
        body = read_page_file(folder / path, options.max_bytes)
    except OSError as error:
        return failed_line(path, "unreadable", str(error))
    try:
        url = find_url(url_sources, path, body, options)
        options = (sites and sites.find(url)) or options
        extraction = get_extractor(options).extract(body, url, paths="path" in options.block_fields)
    except ModelError as error:  # the folder was changed during the run, and this process has to load it
        return failed_line(path, "no_model", str(error))
    except Exception as error:  # noqa: BLE001  the boundary between many files and bugs of this package
        return failed_line(path, "error", repr(error))
    is_left_out = extraction.low_confidence and options.on_low_confidence == "drop"
    line = _to_line(path, extraction, is_left_out=is_left_out)
    return replace(line, is_unmatched=is_unmatched(extraction, options.include))


def failed_line(path: Path, reason: FallbackReason, error: str, *, seconds: float = 0.0) -> Line:
    """Return the line of a file that has no answer."""
    from scrapy_web2text.extraction import Extraction  # noqa: PLC0415  loads numpy

    return _to_line(path, Extraction(fallback_reason=reason, elapsed=seconds), error=error)


def _to_line(path: Path, extraction: Extraction, *, is_left_out: bool = False, **more: str) -> Line:
    values = {"path": path.as_posix(), **extraction.to_dict(), **more}
    if extraction.url is None:
        del values["url"]
    # File names may hold bytes that are not text, as lone surrogates. Python escapes these as JSON does.
    text = json.dumps(values, ensure_ascii=False, allow_nan=False)
    line = f"{text}\n".encode(errors="backslashreplace").decode()
    return Line(
        "" if is_left_out else line,
        extraction.method,
        extraction.fallback_reason,
        extraction.confidence,
        extraction.elapsed,
        page_without_content(extraction),
        is_left_out,
    )
