"""The answer of ``web2text batch`` for each page, as a worker process gives it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path, PurePath
from typing import Any

from scrapy_web2text.answer.summary import is_unmatched, page_without_content
from scrapy_web2text.batch.duplicates import Fingerprint, FingerprintMode, fingerprint_text
from scrapy_web2text.content.escaping import escape_surrogates
from scrapy_web2text.exceptions import ModelError
from scrapy_web2text.extraction import Extraction
from scrapy_web2text.options import DEFAULT_BLOCK_FIELDS
from scrapy_web2text.reasons import Reason
from scrapy_web2text.sources.files import read_kept_url, read_page_file
from scrapy_web2text.sources.pages import LocatedPage, PageSources
from scrapy_web2text.sources.payload import decode_payload
from scrapy_web2text.sources.records import ArchiveItem, Broken, PageRecord, Skipped
from scrapy_web2text.sources.source import Source
from scrapy_web2text.sources.tables import Columns
from scrapy_web2text.workers.worker import get_extractor


@dataclass(frozen=True, slots=True)
class PageWork:
    """How each page is answered; *sources* determines its URL and its options."""

    sources: PageSources
    columns: Columns = Columns()  # noqa: RUF009  frozen
    fingerprints: FingerprintMode = None


@dataclass(frozen=True, slots=True)
class PageAnswer:
    """The answer for one page as a line of JSON, and its values for the summary.

    :param json: the line; empty if the confidence is too low for the feed.
    :param no_content: the kind of the page if it has no main content, else None.
    :param page_kind: the kind of the page, if it is known.
    :param place: the path of the page, with its number in an archive.
    :param is_unmatched: whether the selectors of the option ``include`` find no text on the page.
    :param gap: the name of the archive if a part of it cannot be read.
    """

    json: str
    method: str
    reason: str | None
    confidence: float | None
    seconds: float
    no_content: str | None = None
    page_kind: str | None = None
    place: str = ""
    is_unmatched: bool = False
    has_url: bool = False
    damage: str | None = None
    gap: str | None = None
    fingerprint: Fingerprint | None = None


def answer_values(where: Mapping[str, Any], page: Path | ArchiveItem, work: PageWork) -> tuple[Any, ...]:
    """Return the values of :func:`answer_page` as plain data; a worker process calls this."""
    return astuple(answer_page(where, page, work))


def answer_page(where: Mapping[str, Any], page: Path | ArchiveItem, work: PageWork) -> PageAnswer:
    """Return the answer for a page. *where* has its first fields: the path and, in an archive, the number."""
    max_bytes = work.sources.options.max_bytes
    path = None
    if isinstance(page, Broken):
        return answer_failure(where, "unreadable", page.error, gap=where["path"] if page.is_gap else None)
    if isinstance(page, Skipped):
        return answer_failure(where, "not_html", page.kind)
    if isinstance(page, Path):
        path = PurePath(where["path"])
        try:
            page = PageRecord(read_page_file(page, max_bytes), read_kept_url(page))
        except Exception as error:  # noqa: BLE001  readers of compressed files raise errors of any type
            return answer_failure(where, "unreadable", str(error) or repr(error))
    html, damage = page.html, None
    try:
        if isinstance(html, bytes):
            html, damage = decode_payload(html, page.transfer_encoding, page.content_encoding, max_bytes)
        loaded = work.sources.locate(Source(html, page.url, page.encoding), path)
    except Exception as error:  # noqa: BLE001  the boundary between many pages and bugs of this package
        return answer_failure(where, "error", repr(error))
    damage = page.damage or damage  # a body that was cut is also damaged for its decoder; the cut is the cause
    where = {**where, **page.fields, **({"damage": damage} if damage else {})}
    if damage and not html:
        return answer_failure(where, "unreadable", f"{damage} body", damage=damage)
    return _extract(where, loaded, damage, work.fingerprints)


def _extract(
    where: Mapping[str, Any], page: LocatedPage, damage: str | None, fingerprints: FingerprintMode
) -> PageAnswer:
    options = page.options
    try:
        extraction = get_extractor(options).extract(page.source, page.url, paths="path" in options.block_fields)
    except ModelError as error:  # the folder was changed during the run, and this process has to load it
        return answer_failure(where, "no_model", str(error), damage=damage)
    except Exception as error:  # noqa: BLE001  as above
        return answer_failure(where, "error", repr(error), damage=damage)
    return _to_answer(
        where,
        extraction,
        block_fields=options.block_fields,
        is_left_out=extraction.low_confidence and options.on_low_confidence == "drop",
        is_unmatched=is_unmatched(extraction, options.include),
        damage=damage,
        fingerprint=fingerprint_text(extraction.text, fingerprints),
    )


def answer_failure(
    where: Mapping[str, Any], reason: Reason, error: str, *, seconds: float = 0.0, **facts: Any
) -> PageAnswer:
    """Return an answer with the reason why a page has no text; *facts* are more fields of the :class:`PageAnswer`."""
    return _to_answer(where, Extraction(reason=reason, elapsed=seconds), error, **facts)


def _to_answer(
    where: Mapping[str, Any],
    extraction: Extraction,
    error: str | None = None,
    *,
    block_fields: Sequence[str] = DEFAULT_BLOCK_FIELDS,
    is_left_out: bool = False,
    **facts: Any,
) -> PageAnswer:
    answer = extraction.to_dict(block_fields)
    if extraction.url is None:
        del answer["url"]
    values = {**where, **answer, **({} if error is None else {"error": error})}
    # File names may hold bytes that are not text, as lone surrogates.
    line = escape_surrogates(json.dumps(values, ensure_ascii=False, allow_nan=False))
    path = escape_surrogates(where["path"])
    return PageAnswer(
        "" if is_left_out else f"{line}\n",
        extraction.method,
        extraction.reason,
        extraction.confidence,
        extraction.elapsed,
        no_content=page_without_content(extraction),
        page_kind=extraction.page_kind,
        has_url=extraction.url is not None,
        place=f"{path}#{where['record']}" if "record" in where else path,
        **facts,
    )
