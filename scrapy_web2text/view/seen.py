"""Collects what the viewer shows of an extraction: the answer, the page itself, and the chain of its labels."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from typing import Any

from scrapy_web2text.answer.sequence import trace_to_extraction
from scrapy_web2text.answer.trace import Trace
from scrapy_web2text.common.budget import Budget
from scrapy_web2text.exceptions import PageError
from scrapy_web2text.extraction import Extraction
from scrapy_web2text.extractor import Extractor
from scrapy_web2text.options import Options
from scrapy_web2text.sources.source import Source
from scrapy_web2text.view.document import write_view
from scrapy_web2text.view.facts import add_page, facts_of_answer
from scrapy_web2text.view.look import show_look
from scrapy_web2text.workers.worker import get_extractor


def see_page(page: bytes | Source, name: str, options: Options, *, url: str | None = None) -> dict[str, Any]:
    """Return what the viewer shows of a page. *name* is its name in the list of pages."""
    return show_trace(Extractor(options.replace(blocks="all")).trace(page, url), name)


def show_trace(trace: Trace, name: str) -> dict[str, Any]:
    """Return what the viewer shows of a page by the trace of its extraction, with all of its blocks."""
    facts = facts_of_answer(trace_to_extraction(trace), name)
    labeled = trace.emptied or trace.labeled
    if trace.page is None or labeled is None or not trace.blocks:
        return facts
    try:
        with Budget(trace.options.timeout).running():
            facts = add_page(facts, trace.page, labeled.labeling)
            return {**facts, "look": show_look(trace.page, labeled.labeling.blocks)}
    except PageError:  # the time is used up, or the page takes too much memory
        return facts


def write_answer(extraction: Extraction) -> str:
    """Return an HTML document that shows the blocks with their labels, beside the text; it needs no network.

    The document lacks the page itself, since an answer does not hold it. ``web2text view`` also shows the page.
    """
    return write_view([facts_of_answer(extraction, extraction.url or "page")])


def read_input(message: Mapping[str, Any]) -> tuple[bytes, str | None]:
    """Return the page in *message*, and its encoding: HTML in ``input``, or the bytes of a ``file`` in base64."""
    if "file" in message:
        return b64decode(message["file"]), None
    return message["input"].encode(errors="replace"), "utf-8"


def show_page(options: Options, body: bytes, encoding: str | None) -> dict[str, Any]:
    """Return the answer for a page as plain data, the reason in words, and the viewer of the page as a document."""
    trace = get_extractor(options.replace(blocks="all", markdown=True)).trace(body, encoding=encoding)
    page = show_trace(trace, "page")
    answer = trace_to_extraction(trace).to_dict()
    return {"document": write_view([page]), "reason": page["reason"], "answer": answer}
