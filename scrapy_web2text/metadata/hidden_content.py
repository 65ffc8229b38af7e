"""Main content that a page does not show but has in its scripts: in JSON-LD for search engines, or in program state.

A page that a script fills has an empty body, and a paywall shows a notice in place of the article. The scripts of some
of these pages contain the text. They are searched only if the visible text is too short.
"""

from __future__ import annotations

import re
from html import escape
from typing import Final

from lxml import etree

from scrapy_web2text.common.budget import check_time
from scrapy_web2text.metadata.structured_data import JSON_LD, STATE, read_json_scripts, walk_json

# About 80 words; shorter texts are rarely main content.
LEAST_LETTERS: Final = 400
_BODY_KEYS: Final = frozenset({"articlebody", "reviewbody", "text"})
_STATE_KEYS: Final = frozenset(
    "articlebody body bodyhtml body_html content contenthtml content_html html markdown rendered story text".split()
)
_TAG: Final = re.compile(r"</?(?:p|div|br|h[1-6]|ul|ol|li|section|article|blockquote)\b[^<>]{0,2000}>", re.IGNORECASE)
# Without the lookbehind, the search would start again at each character of a long run of whitespace.
_LINES: Final = re.compile(r"(?<!\s)\s*\n\s*")
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_SENTENCE_END: Final = re.compile(r"[.!?…。！？।؟](?:\s|$|[\"'”’」』)])|[。！？।]")
_LEAST_LETTER_SHARE: Final = 0.6
_LEAST_SENTENCES: Final = 3


def find_hidden_content(root: etree._Element) -> str | None:
    """Return the longest prose in the JSON of the page's scripts, as HTML; None if no text is long enough.

    JSON-LD is preferred, since its keys are standardized. In program state, the meaning of a key is a guess.
    """
    for kind, keys in ((JSON_LD, _BODY_KEYS), (STATE, _STATE_KEYS)):
        texts = [
            value
            for document in read_json_scripts(root, kind)
            for key, value in walk_json(document)
            if isinstance(value, str) and key.lower() in keys and len(value) >= LEAST_LETTERS and _is_prose(value)
        ]
        if texts:
            return _to_html(max(texts, key=_n_letters))
    return None


def _is_prose(text: str) -> bool:
    """Return whether a text consists of sentences, unlike code, a style sheet or a list of keys."""
    check_time()
    plain = _TAG.sub(" ", text)
    check_time()
    n_letters = _n_letters(plain)
    check_time()
    n_visible = sum(1 for character in plain if not character.isspace())
    is_mostly_letters = n_letters >= LEAST_LETTERS and n_letters >= _LEAST_LETTER_SHARE * n_visible
    return is_mostly_letters and len(_SENTENCE_END.findall(plain)) >= _LEAST_SENTENCES


def _n_letters(text: str) -> int:
    return sum(map(len, _LETTERS.findall(text)))


def _to_html(text: str) -> str:
    if _TAG.search(text):
        return f"<html><body>{text}</body></html>"
    paragraphs = (f"<p>{escape(line, quote=False)}</p>" for line in _LINES.split(text.strip()))
    return f"<html><body>{''.join(paragraphs)}</body></html>"
