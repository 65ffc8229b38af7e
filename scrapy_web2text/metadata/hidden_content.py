"""Main content that a page holds for scripts and search engines only: in its JSON-LD, or in the state of its program.

Pages that a script fills have an empty body; walls have a notice in place of the article. Some hold the text all the
same, and this finds it. It is never looked for on a page whose visible text answers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import escape
from typing import Any, Final

from lxml import etree

__all__ = ["LEAST_LETTERS", "find_hidden_content"]

# About 80 words; less is no main content that a page would hide.
LEAST_LETTERS: Final = 400
_MOST_CHARACTERS: Final = 5_000_000  # of a script
_MOST_VALUES: Final = 200_000
_BODY_KEYS: Final = frozenset({"articlebody", "reviewbody", "text"})
_STATE_KEYS: Final = frozenset(
    "articlebody body bodyhtml body_html content contenthtml content_html html markdown rendered story text".split()
)
_TAG: Final = re.compile(r"</?(?:p|div|br|h[1-6]|ul|ol|li|section|article|blockquote)\b[^<>]{0,2000}>", re.IGNORECASE)
_LINES: Final = re.compile(r"\s*\n\s*")
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_SENTENCE_END: Final = re.compile(r"[.!?…。！？।؟](?:\s|$|[\"'”’」』)])|[。！？।]")
_LEAST_LETTER_SHARE: Final = 0.6
_LEAST_SENTENCES: Final = 3

_described: Final = etree.XPath("//script[@type='application/ld+json']/text()", smart_strings=False)
_state: Final = etree.XPath("//script[@type='application/json']/text()", smart_strings=False)


def find_hidden_content(root: etree._Element) -> str | None:
    """Return the longest text of content in the page's scripts, as HTML; None if there is none of any length.

    JSON-LD comes first: it says what its texts are. In a program's state it is a guess by keys such as ``content``.
    """
    for scripts, keys in ((_described(root), _BODY_KEYS), (_state(root), _STATE_KEYS)):
        texts = [text for script in scripts for text in _read_texts(script, keys) if _is_prose(text)]
        if texts:
            return _to_html(max(texts, key=_n_letters))
    return None


def _read_texts(script: str, keys: frozenset[str]) -> Iterator[str]:
    """Yield the longer texts below *keys* in a *script* that is JSON."""
    if len(script) > _MOST_CHARACTERS:
        return
    try:
        waiting: list[tuple[str, Any]] = [("", json.loads(script, strict=False))]
    except (ValueError, RecursionError):
        return
    n_left = _MOST_VALUES
    while waiting and n_left:  # no recursion: hostile pages nest deeply
        n_left -= 1
        key, value = waiting.pop()
        if isinstance(value, dict):
            waiting += value.items()
        elif isinstance(value, list):
            waiting += [(key, item) for item in value]
        elif isinstance(value, str) and key.lower() in keys and len(value) >= LEAST_LETTERS:
            yield value


def _is_prose(text: str) -> bool:
    """Return whether a text is written in sentences, and is no program, style sheet or list of keys."""
    plain = _TAG.sub(" ", text)
    n_letters = _n_letters(plain)
    n_signs = sum(1 for character in plain if not character.isspace())
    is_worded = n_letters >= LEAST_LETTERS and n_letters >= _LEAST_LETTER_SHARE * n_signs
    return is_worded and len(_SENTENCE_END.findall(plain)) >= _LEAST_SENTENCES


def _n_letters(text: str) -> int:
    return sum(map(len, _LETTERS.findall(text)))


def _to_html(text: str) -> str:
    if _TAG.search(text):
        return f"<html><body>{text}</body></html>"
    paragraphs = (f"<p>{escape(line, quote=False)}</p>" for line in _LINES.split(text.strip()))
    return f"<html><body>{''.join(paragraphs)}</body></html>"
