"""The formats in which commands print an answer: what each asks of the extractor, and how it is written."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from scrapy_web2text.extraction import Extraction

__all__ = ["FORMATS", "Format", "page_header"]


@dataclass(frozen=True, slots=True)
class Format:
    """How an answer is printed.

    :param options: the options that the answer must be extracted with.
    :param write: an answer -> what is printed of it alone.
    :param write_part: name and answer of one page of several -> what is printed of it among the others.
    """

    options: Mapping[str, Any]
    write: Callable[[Extraction], str]
    write_part: Callable[[str, Extraction], str]


def page_header(name: str, title: str | None) -> str:
    """Return the line above a page in a text of several: its name and title, of which neither makes a second line."""
    return "### " + " | ".join(" ".join(str(part).split()) for part in (name, title) if part)


def _write_html_part(name: str, extraction: Extraction) -> str:
    # Two hyphens would end the comment.
    header = page_header(name, extraction.title).removeprefix("### ").replace("--", "- -")
    return f"<!-- {header} -->\n{extraction.html or ''}\n"


# A page of many is one line of JSON, which names the page itself, so that all of them are JSON Lines.
FORMATS: Final[Mapping[str, Format]] = {
    "text": Format(
        {"blocks": "none"},
        lambda extraction: extraction.text,
        lambda name, extraction: f"{page_header(name, extraction.title)}\n{extraction.text}\n",
    ),
    "md": Format(
        {"blocks": "none", "markdown": True},
        lambda extraction: extraction.markdown or "",
        lambda name, extraction: f"{page_header(name, extraction.title)}\n{extraction.markdown or ''}\n",
    ),
    "html": Format({"blocks": "none", "html": True}, lambda extraction: extraction.html or "", _write_html_part),
    "json": Format(
        {},
        lambda extraction: json.dumps(extraction.to_dict(), ensure_ascii=False, indent=2),
        lambda name, extraction: json.dumps(
            {**extraction.to_dict(), "url": extraction.url or name}, ensure_ascii=False
        ),
    ),
}
