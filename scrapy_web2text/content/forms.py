"""The optional parts of an answer, such as Markdown, and the formats in which commands print an answer."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Final

from scrapy_web2text.content.escaping import drop_forbidden_characters, escape_comment, escape_markdown
from scrapy_web2text.extraction import Extraction
from scrapy_web2text.options import DEFAULT_BLOCK_FIELDS, Options

# The line above the output for each of several pages, with braces for the name and the title of the page.
TEXT_HEADER: Final = "### {}"
COMMENT_HEADER: Final = "<!-- {} -->"
_LIKE_HEADER: Final = re.compile("^(?=### )", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Format:
    """A format in which an answer is printed.

    :param part: the field of the answer that is printed; None for the whole answer, as JSON.
    :param options: the options with which the answer must be extracted.
    :param header: the line above each of several pages; None for lines of JSON, which name the page.
    :param escape: escapes the name and the title of the page for the header.
    """

    part: str | None
    options: Mapping[str, Any]
    header: str | None = TEXT_HEADER
    escape: Callable[[str], str] = str

    def write(self, extraction: Extraction, block_fields: Sequence[str] = DEFAULT_BLOCK_FIELDS) -> str:
        """Return the output for a single page, from its answer. JSON has the *block_fields* of each block."""
        if self.part is None:
            return json.dumps(extraction.to_dict(block_fields), ensure_ascii=False, allow_nan=False, indent=2)
        return getattr(extraction, self.part, None) or ""

    def write_part(self, name: str, extraction: Extraction, block_fields: Sequence[str] = DEFAULT_BLOCK_FIELDS) -> str:
        """Return the output for one of several pages, from its name and answer."""
        if self.header is None:
            data = {**extraction.to_dict(block_fields), "url": extraction.url or name}
            return json.dumps(data, ensure_ascii=False, allow_nan=False)
        return add_header(page_header(name, extraction.title, self.header, self.escape), self.write(extraction))


def add_header(header: str, text: str) -> str:
    """Return the *text* of a page below its *header*. A line that looks like another `TEXT_HEADER` is indented."""
    return f"{header}\n{_LIKE_HEADER.sub(' ', text) if header.startswith('### ') else text}\n"


def page_header(name: str, title: str | None, pattern: str = TEXT_HEADER, escape: Callable[[str], str] = str) -> str:
    """Return the line above a page in a text of several pages: its name and title, each without line breaks.

    :param pattern: the line with braces for name and title.
    :param escape: escapes name and title for the line.
    """
    label = " | ".join(" ".join(str(part).split()) for part in (name, title) if part)
    return pattern.format(escape(label))


FORMATS: Final[Mapping[str, Format]] = {
    "text": Format("text", {"blocks": "none"}),
    "markdown": Format("markdown", {"blocks": "none", "markdown": True}, escape=escape_markdown),
    "html": Format("html", {"blocks": "none", "html": True}, COMMENT_HEADER, escape_comment),
    "json": Format(None, {}, header=None),
}


# Characters of strings that YAML takes for line breaks or does not allow. JSON, whose strings YAML reads, allows them.
_ESCAPED: Final = re.compile("[\x7f-\x9f\u2028\u2029\ufeff]")


# The texts in front matter, in order.
FRONT_MATTER: Final = ("url", "title", "author", "date", "language", "site_name", "description", "image", "tags")


def write_front_matter(values: Mapping[str, Any]) -> str:
    """Return the values of a page as YAML front matter, with a line break at the end; missing values are left out.

    Each text is quoted and on one line, so that it cannot end the front matter or be read as another type. A list is on
    one line, too.

    :param values: the values by name: `FRONT_MATTER` and ``confidence``; other names are ignored.
    """
    lines = ["---"]
    for name in FRONT_MATTER:
        value = values.get(name)
        if isinstance(value, list | tuple):
            parts = ", ".join(filter(None, map(_quote, value)))
            text = parts and f"[{parts}]"
        else:
            text = _quote(value)
        if text:
            lines.append(f"{name}: {text}")
    confidence = values.get("confidence")
    if isinstance(confidence, float):
        lines.append(f"confidence: {confidence:.4f}")
    return "\n".join([*lines, "---", ""])


def _quote(value: Any) -> str:
    """Return *value* as a quoted string on one line; empty if it has no text."""
    text = " ".join(drop_forbidden_characters("" if value is None else str(value)).split())
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(text, ensure_ascii=False)) if text else ""


def ask_for_metadata(options: Options) -> Options:
    """Return *options* with the metadata, if the packages for them are installed."""
    from scrapy_web2text.metadata.read import METADATA_PACKAGES  # loads lxml

    return options.replace(metadata=True) if all(map(find_spec, METADATA_PACKAGES)) else options
