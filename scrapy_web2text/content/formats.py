"""The formats in which commands print an answer: the options that each needs, and how it is written."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from scrapy_web2text.content.forms import FORMS, TEXT_HEADER, Form

if TYPE_CHECKING:
    from scrapy_web2text.extraction import Extraction

__all__ = ["FORMATS", "Format", "page_header"]


@dataclass(frozen=True, slots=True)
class Format:
    """How an answer is printed.

    :param options: the options that the answer must be extracted with.
    :param write: returns the output for a single page, from its answer.
    :param write_part: returns the part of the output for one page of several, from its name and answer.
    """

    options: Mapping[str, Any]
    write: Callable[[Extraction], str]
    write_part: Callable[[str, Extraction], str]


def page_header(name: str, title: str | None, pattern: str = TEXT_HEADER, escape: Callable[[str], str] = str) -> str:
    """Return the line above a page in a text of several pages: its name and title, each without line breaks.

    :param pattern: the line with braces for name and title; :param escape: escapes these for the line.
    """
    label = " | ".join(" ".join(str(part).split()) for part in (name, title) if part)
    return pattern.format(escape(label))


def _form_to_format(form: Form) -> Format:
    def write(extraction: Extraction) -> str:
        return getattr(extraction, form.name) or ""

    def write_part(name: str, extraction: Extraction) -> str:
        return f"{page_header(name, extraction.title, form.header, form.escape)}\n{write(extraction)}\n"

    return Format({"blocks": "none", form.name: True}, write, write_part)


# In JSON, each of several pages is one line that names the page: the output is JSON Lines.
FORMATS: Final[Mapping[str, Format]] = {
    "text": Format(
        {"blocks": "none"},
        lambda extraction: extraction.text,
        lambda name, extraction: f"{page_header(name, extraction.title)}\n{extraction.text}\n",
    ),
    # Reversed, so that help texts list Markdown before HTML.
    **{form.output_format: _form_to_format(form) for form in reversed([*FORMS.values()]) if form.output_format},
    "json": Format(
        {},
        lambda extraction: json.dumps(extraction.to_dict(), ensure_ascii=False, allow_nan=False, indent=2),
        lambda name, extraction: json.dumps(
            {**extraction.to_dict(), "url": extraction.url or name}, ensure_ascii=False, allow_nan=False
        ),
    ),
}
