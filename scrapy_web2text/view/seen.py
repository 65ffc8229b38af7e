"""What the extractor sees of a page, for the viewer: the answer, the page itself and what its labels were decoded from.

A page is labeled twice: once for the answer, and once more for what the answer does not hold.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from typing import Any

from scrapy_web2text.answer.labels import label_page
from scrapy_web2text.answer.stages import Work
from scrapy_web2text.common.budget import Budget
from scrapy_web2text.exceptions import PageError
from scrapy_web2text.extraction import Extraction
from scrapy_web2text.extractor import Extractor
from scrapy_web2text.labelers.registry import Labelers
from scrapy_web2text.options import Options
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.parse import parse
from scrapy_web2text.view.document import write_view
from scrapy_web2text.view.facts import add_page, facts_of_answer
from scrapy_web2text.view.look import show_look
from scrapy_web2text.workers.worker import extract_page


def see_page(
    body: bytes, name: str, options: Options, *, url: str | None = None, encoding: str | None = None
) -> dict[str, Any]:
    """Return what the viewer shows of a page, which has this *name* in the list of pages."""
    extraction = Extractor(options.replace(blocks="all")).extract(body, url, encoding=encoding)
    facts = facts_of_answer(extraction, name)
    if not extraction.blocks:
        return facts
    budget = Budget(options.timeout and 4 * options.timeout, options.max_blocks)
    try:
        with budget.running():
            parsed = parse(body, encoding=encoding)
            page = tree_to_page(parsed.root)
            labeled = label_page(Work(options, url), page, Labelers(options), budget, parsed.extent)
            if labeled is None:
                return facts
            facts = add_page(facts, page, labeled.labeling)
            return facts if facts["html"] is None else {**facts, "look": show_look(page, labeled.labeling.blocks)}
    except PageError:  # the time is used up, or the page takes too much memory
        return facts


def write_answer(extraction: Extraction) -> str:
    """Return an HTML document that shows the blocks with their labels, beside the text; it needs no network.

    The page itself is not in it: an answer does not hold that. ``web2text view`` shows it, too.
    """
    return write_view([facts_of_answer(extraction, extraction.url or "page")])


def read_input(message: Mapping[str, Any]) -> tuple[bytes, str | None]:
    """Return the page in *message*, and its encoding: HTML in ``input``, or the bytes of a ``file`` in base64."""
    if "file" in message:
        return b64decode(message["file"]), None
    return message["input"].encode(errors="replace"), "utf-8"


def show_page(options: Options, body: bytes, encoding: str | None) -> dict[str, Any]:
    """Return the answer for a page as plain data, why it is a fallback, and its viewer as a document."""
    page = see_page(body, "page", options, encoding=encoding)
    answer = extract_page(options.replace(markdown=True), body, None, encoding)
    return {"document": write_view([page]), "reason": page["reason"], "answer": answer.to_dict()}
