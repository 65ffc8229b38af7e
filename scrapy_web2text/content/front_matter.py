"""YAML front matter: the lines before a Markdown document that say what it is."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from scrapy_web2text.content.escaping import drop_forbidden_characters

__all__ = ["write_front_matter"]

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
