"""Other extractors that run on the same pages, from the extra ``bench``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

__all__ = ["PEERS", "Peer", "get_peer"]

Peer = Callable[[str], str]


def _load_trafilatura() -> Peer:
    import trafilatura  # noqa: PLC0415

    return lambda html: trafilatura.extract(html) or ""


def _load_readability() -> Peer:
    import lxml.html  # noqa: PLC0415
    from readability import Document  # noqa: PLC0415

    def extract(html: str) -> str:
        summary = Document(html).summary()
        return str(lxml.html.fromstring(summary).text_content()) if summary else ""

    return extract


def _load_resiliparse() -> Peer:
    from resiliparse.extract.html2text import extract_plain_text  # noqa: PLC0415

    return lambda html: str(extract_plain_text(html, main_content=True))


def _load_html_text() -> Peer:
    from html_text import extract_text  # noqa: PLC0415

    return lambda html: str(extract_text(html))


PEERS: Final[dict[str, Callable[[], Peer]]] = {
    "trafilatura": _load_trafilatura,
    "readability": _load_readability,
    "resiliparse": _load_resiliparse,
    "html-text": _load_html_text,
}


def get_peer(name: str) -> Peer:
    """Return a function that extracts the main text of a page with the extractor *name* and its defaults.

    :raises ValueError: if the name is unknown, or the extractor is not installed.
    """
    if name not in PEERS:
        raise ValueError(f"--peers: expected one of {', '.join(PEERS)}, got {name!r}")
    try:
        return PEERS[name]()
    except ImportError as error:
        command = "--no-deps readability-lxml" if error.name == "readability" else "'scrapy-web2text[bench]'"
        raise ValueError(f"--peers: {name} is not installed ({error}): pip install {command}") from error
