"""The formats in which commands print an answer, and the front matter before Markdown."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from scrapy_web2text.content.escaping import drop_forbidden_characters
from scrapy_web2text.content.forms import FORMS, TEXT_HEADER, Form
from scrapy_web2text.options import Options

if TYPE_CHECKING:
    from scrapy_web2text.extraction import Extraction


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


# In YAML, line breaks; or not printable, so not allowed as they are. JSON, whose strings YAML reads, allows them.
_ESCAPED: Final = re.compile("[\x7f-\x9f\u2028\u2029\ufeff]")


def write_front_matter(*, url: Any, title: Any, date: Any, language: Any, confidence: Any) -> str:
    """Return the values of a page as YAML front matter, with a line break at the end; those that it lacks are left out.

    Texts are quoted and on one line, so that none of them can end the front matter or be read as another type.
    """
    lines = ["---"]
    for name, value in {"url": url, "title": title, "date": date, "language": language}.items():
        text = _quote(value)
        if text:
            lines.append(f"{name}: {text}")
    if isinstance(confidence, float):
        lines.append(f"confidence: {confidence:.4f}")
    return "\n".join([*lines, "---", ""])


def _quote(value: Any) -> str:
    """Return *value* as a quoted string on one line; empty if it has no text."""
    text = " ".join(drop_forbidden_characters("" if value is None else str(value)).split())
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(text, ensure_ascii=False)) if text else ""


def ask_for_front_matter(options: Options) -> Options:
    """Return *options* with the metadata, which front matter has if the packages are installed."""
    from scrapy_web2text.metadata.read import METADATA_PACKAGES  # loads lxml

    return options.replace(metadata=True) if all(map(find_spec, METADATA_PACKAGES)) else options
