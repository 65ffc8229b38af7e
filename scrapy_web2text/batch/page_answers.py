"""The answer of ``web2text batch`` for each page, as a worker process gives it."""

from __future__ import annotations

import json
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_web2text.batch.duplicates import fingerprint_text
from scrapy_web2text.batch.urls import find_url
from scrapy_web2text.batch.warc import decode_payload
from scrapy_web2text.content.escaping import escape_surrogates
from scrapy_web2text.crawl.snapshot import read_url
from scrapy_web2text.crawl.summary import is_unmatched, page_without_content
from scrapy_web2text.exceptions import ModelError
from scrapy_web2text.page.files import read_page_file
from scrapy_web2text.workers.worker import get_extractor

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scrapy_web2text.batch.duplicates import Fingerprints
    from scrapy_web2text.batch.records import Record
    from scrapy_web2text.crawl.sites import SiteIndex
    from scrapy_web2text.extraction import Extraction
    from scrapy_web2text.options import Options
    from scrapy_web2text.reasons import FallbackReason


@dataclass(frozen=True, slots=True)
class PageAnswer:
    """The answer for one page as a line of JSON, and its values for the summary.

    :param page: the kind of the page if it has no main content, else None.
    :param is_left_out: whether the confidence is too low for the feed.
    :param is_unmatched: whether the selectors of the option ``include`` find no text on the page.
    :param damage: how the record of the page is damaged.
    :param gap: the name of an archive of which a part cannot be read.
    :param kind: the kind of the page, if it is known.
    :param n_words: number of words of the text, between whitespace.
    :param place: the path of the page, with its number in an archive.
    :param fingerprint: what is compared of the text; None if it is not.
    """

    json: str
    method: str
    reason: str | None
    confidence: float | None
    seconds: float
    page: str | None = None
    is_left_out: bool = False
    is_unmatched: bool = False
    damage: str | None = None
    gap: str | None = None
    kind: str | None = None
    n_words: int = 0
    place: str = ""
    fingerprint: Sequence[str] | None = None


def answer_file_values(folder: Path, path: Path, options: Options, *work: Any) -> tuple[Any, ...]:
    """Return the values of a file's :class:`PageAnswer`, as plain data; a worker process calls this."""
    return astuple(answer_file(folder, path, options, *work))


def answer_file(
    folder: Path,
    path: Path,
    options: Options,
    url_sources: Sequence[str] = (),
    sites: SiteIndex | None = None,
    fingerprints: Fingerprints = None,
) -> PageAnswer:
    """Return the answer for one file.

    :param path: path of the file in *folder*.
    :param url_sources: where the URL of the page is from, see :func:`~scrapy_web2text.batch.urls.find_url`.
    :param sites: the options of pages by their URLs, instead of *options*.
    :param fingerprints: what is compared of the text.
    """
    where = {"path": path.as_posix()}
    try:
        body = read_page_file(folder / path, options.max_bytes)
    except OSError as error:
        return answer_failure(where, "unreadable", str(error))
    try:
        url = read_url(folder / path) or find_url(url_sources, path, body, options)
    except Exception as error:  # noqa: BLE001  as below
        return answer_failure(where, "error", repr(error))
    return _extract(where, body, url, None, options, sites, fingerprints)


def answer_record_values(where: Mapping[str, Any], record: Record, options: Options, *work: Any) -> tuple[Any, ...]:
    """Return the values of a record's :class:`PageAnswer`, as plain data; a worker process calls this."""
    return astuple(answer_record(where, record, options, *work))


def answer_record(
    where: Mapping[str, Any],
    record: Record,
    options: Options,
    url_sources: Sequence[str] = (),
    sites: SiteIndex | None = None,
    fingerprints: Fingerprints = None,
) -> PageAnswer:
    """Return the answer for a page in an archive.

    :param where: the archive and the place in it, for the answer.
    :param url_sources: where the URL of a record without one is from.
    :param sites: the options of pages by their URLs, instead of *options*.
    :param fingerprints: what is compared of the text.
    """
    html, url, damage = record.html, record.url, None
    try:
        if isinstance(html, bytes):
            coding = record.transfer_encoding, record.content_encoding
            html, damage = decode_payload(html, *coding, options.max_bytes)
        if url is None and url_sources:
            body = html.encode(errors="replace") if isinstance(html, str) else html
            url = find_url(url_sources, None, body, options, encoding=record.encoding)
    except Exception as error:  # noqa: BLE001  the boundary between many pages and bugs of this package
        return answer_failure(where, "error", repr(error))
    damage = record.damage or damage  # what is cut is not whole for its decoder, either
    where = {**where, **record.fields, **({"damage": damage} if damage else {})}
    if damage and not html:
        return replace(answer_failure(where, "unreadable", f"{damage} body"), damage=damage)
    return replace(_extract(where, html, url, record.encoding, options, sites, fingerprints), damage=damage)


def _extract(
    where: Mapping[str, Any],
    html: str | bytes,
    url: str | None,
    encoding: str | None,
    options: Options,
    sites: SiteIndex | None,
    fingerprints: Fingerprints,
) -> PageAnswer:
    try:
        options = (sites and sites.find(url)) or options
        extraction = get_extractor(options).extract(html, url, encoding=encoding, paths="path" in options.block_fields)
    except ModelError as error:  # the folder was changed during the run, and this process has to load it
        return answer_failure(where, "no_model", str(error))
    except Exception as error:  # noqa: BLE001  the boundary between many files and bugs of this package
        return answer_failure(where, "error", repr(error))
    is_left_out = extraction.low_confidence and options.on_low_confidence == "drop"
    line = _to_answer(where, extraction, is_left_out=is_left_out)
    return replace(
        line,
        is_unmatched=is_unmatched(extraction, options.include),
        place=_name_place(where),
        fingerprint=fingerprint_text(extraction.text, fingerprints),
    )


def _name_place(where: Mapping[str, Any]) -> str:
    """Return where a page is, as another answer names it; the bytes of a path that are not text are escaped."""
    path = escape_surrogates(where["path"])
    return f"{path}#{where['record']}" if "record" in where else path


def answer_failure(
    where: Mapping[str, Any], reason: FallbackReason, error: str, *, seconds: float = 0.0, gap: str | None = None
) -> PageAnswer:
    """Return the answer that says why a page has none.

    :param where: where it is: the first values of the answer.
    :param gap: see :class:`PageAnswer`.
    """
    from scrapy_web2text.extraction import Extraction  # loads numpy

    line = _to_answer(where, Extraction(fallback_reason=reason, elapsed=seconds), error=error)
    return replace(line, gap=gap)


def _to_answer(
    where: Mapping[str, Any], extraction: Extraction, *, is_left_out: bool = False, **more: str
) -> PageAnswer:
    answer = extraction.to_dict()
    if extraction.url is None:
        del answer["url"]
    values = {**where, **answer, **more}
    # File names may hold bytes that are not text, as lone surrogates.
    text = json.dumps(values, ensure_ascii=False, allow_nan=False)
    line = f"{escape_surrogates(text)}\n"
    return PageAnswer(
        "" if is_left_out else line,
        extraction.method,
        extraction.fallback_reason,
        extraction.confidence,
        extraction.elapsed,
        page_without_content(extraction),
        is_left_out,
        kind=extraction.page,
        n_words=len(extraction.text.split()),
    )
