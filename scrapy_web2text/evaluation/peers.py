"""Other extractors that run on the same pages, from the extra ``bench``."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from functools import partial
from typing import Any, Final

Peer = Callable[[str], str]

_BODY: Final = re.compile(r"<body[\s/>]", re.IGNORECASE)


def _load_trafilatura(**options: Any) -> Peer:
    import trafilatura

    return lambda html: trafilatura.extract(html, **options) or ""


def _load_readability() -> Peer:
    import lxml.html
    from readability import Document

    logging.getLogger("readability").setLevel(logging.CRITICAL)  # it logs a traceback for each unreadable page

    def extract(html: str) -> str:
        summary = Document(html).summary()
        return str(lxml.html.fromstring(summary).text_content()) if summary else ""

    return extract


def _load_resiliparse() -> Peer:
    from resiliparse.extract.html2text import extract_plain_text

    return lambda html: str(extract_plain_text(html, main_content=True))


def _load_html_text() -> Peer:
    from html_text import extract_text

    return lambda html: str(extract_text(html))


def _load_boilerpy3(name: str) -> Peer:
    """Return an extractor of boilerpy3, the port of boilerpipe.

    Like boilerpipe, it reads only the content of ``body``. The parser of boilerpipe adds a missing tag; the parser of
    Python, which boilerpy3 uses, does not. boilerpy3 cannot read a page whose first tag is ``body``. After an end tag
    without a start tag, boilerpy3 reads on only if *raise_on_failure* is false.
    """
    from boilerpy3 import extractors

    logging.getLogger("boilerpy3").setLevel(logging.ERROR)  # otherwise it logs a warning for each link within a link
    extractor = getattr(extractors, name)(raise_on_failure=False)

    def extract(html: str) -> str:
        has_body = _BODY.search(html) is not None
        return str(extractor.get_content(f"<html>{html}" if has_body else f"<html><body>{html}</body></html>"))

    return extract


PEERS: Final[dict[str, Callable[[], Peer]]] = {
    "trafilatura": _load_trafilatura,
    "trafilatura-no-comments": partial(_load_trafilatura, include_comments=False),
    "trafilatura-precision": partial(_load_trafilatura, favor_precision=True),
    "trafilatura-recall": partial(_load_trafilatura, favor_recall=True),
    "readability": _load_readability,
    "resiliparse": _load_resiliparse,
    "html-text": _load_html_text,
    "boilerpy3-default": partial(_load_boilerpy3, "DefaultExtractor"),
    "boilerpy3-article": partial(_load_boilerpy3, "ArticleExtractor"),
    "boilerpy3-largest": partial(_load_boilerpy3, "LargestContentExtractor"),
}


def get_peer(name: str) -> Peer:
    """Return a function that extracts the main text of a page with the extractor *name* and its defaults."""
    if name not in PEERS:
        raise ValueError(f"--peers: expected one of {', '.join(PEERS)}, got {name!r}")
    try:
        return PEERS[name]()
    except ImportError as error:
        command = "--no-deps readability-lxml" if error.name == "readability" else "'scrapy-web2text[bench]'"
        raise ValueError(f"--peers: {name} is not installed ({error}): pip install {command}") from error
