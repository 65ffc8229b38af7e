"""Compares the answer with what other extractors take from the same page."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from threading import Thread
from typing import Any, Final

from scrapy_web2text.evaluation.peers import Peer
from scrapy_web2text.sources.source import Source
from scrapy_web2text.view.comparison import align_texts, compare_texts

_SECONDS: Final = 30.0  # for each peer and page


def compare_peers(peers: Mapping[str, Peer], page: Source, ours: str) -> list[dict[str, Any]]:
    """Return the name of each of *peers*, its word F1 against our text, and both texts as rows; or its ``error``."""
    html, ours = page.markup, _join_lines(ours)
    compared: list[dict[str, Any]] = []
    for name, peer in peers.items():
        try:
            theirs = _join_lines(_ask(peer, html))
            compared.append({"name": name, "f1": compare_texts(ours, theirs).f1, "rows": align_texts(ours, theirs)})
        except Exception as error:  # noqa: BLE001  other packages raise anything on odd pages
            compared.append({"name": name, "error": f"{type(error).__name__}: {error}"})
    return compared


def _ask(peer: Peer, html: str) -> str:
    """Return the text of *peer*. A peer that is late cannot be stopped; its thread ends with the command."""
    answer: Future[str] = Future()

    def run() -> None:
        try:
            answer.set_result(peer(html))
        except Exception as error:  # noqa: BLE001  as above
            answer.set_exception(error)

    Thread(target=run, daemon=True).start()
    try:
        return answer.result(_SECONDS)
    except TimeoutError:
        raise TimeoutError(f"no text after {_SECONDS:g} s") from None


def _join_lines(text: str) -> str:
    """Return *text* without the empty lines and the spaces by which extractors differ."""
    return "\n".join(filter(None, (" ".join(line.split()) for line in text.splitlines())))
