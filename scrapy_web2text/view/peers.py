"""What other extractors take from the same page, compared with the answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrapy_web2text.evaluation.peers import Peer
from scrapy_web2text.page.encoding import decode
from scrapy_web2text.view.comparison import align_texts, compare_texts


def compare_peers(peers: Mapping[str, Peer], body: bytes, encoding: str | None, ours: str) -> list[dict[str, Any]]:
    """Return the name of each of *peers*, its word F1 against our text, and both texts as rows; or its ``error``."""
    html, ours = decode(body, encoding), _join_lines(ours)
    compared: list[dict[str, Any]] = []
    for name, peer in peers.items():
        try:
            theirs = _join_lines(peer(html))
            compared.append({"name": name, "f1": compare_texts(ours, theirs).f1, "rows": align_texts(ours, theirs)})
        except Exception as error:  # noqa: BLE001  other packages raise anything on odd pages
            compared.append({"name": name, "error": f"{type(error).__name__}: {error}"})
    return compared


def _join_lines(text: str) -> str:
    """Return *text* without the empty lines and the spaces by which extractors differ."""
    return "\n".join(filter(None, (" ".join(line.split()) for line in text.splitlines())))
