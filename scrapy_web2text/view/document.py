"""The viewer as one HTML document, which needs no network."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["least_sure", "write_view"]

_FOLDER: Final = Path(__file__).parent
_PLACE: Final = re.compile(r"\{\{(\w+)\}\}")
# What would end a script element or a line of JavaScript, as JSON writes it.
_ESCAPES: Final = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}
_POLICY: Final = "default-src 'none'; {}base-uri 'none'; form-action 'none'"


def write_view(pages: Sequence[Mapping[str, Any]]) -> str:
    """Return an HTML document that shows *pages*, the least sure first.

    Nothing in it loads or runs but its own scripts, which a content security policy names by their hashes. The pages
    are shown in a frame whose sandbox allows no scripts.

    :param pages: see `facts`.
    """
    ordered = sorted(pages, key=least_sure)
    colors, page_style = _read("colors.css"), _read("page.css")
    style, frame_style = colors + _read("viewer.css"), colors + page_style
    scripts = {name: _read(f"{name}.js") for name in ("decode", "viewer", "controls")}
    frame_policy = _POLICY.format(f"style-src {_hash(frame_style)}; ")
    policy = _POLICY.format(
        f"script-src {' '.join(map(_hash, scripts.values()))}; style-src {_hash(style)} {_hash(frame_style)}; "
    )
    frame = (
        f'<!doctype html><html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" '
        f'content="{frame_policy}"><style>{frame_style}</style></head><body>'
    )
    data = {
        "frame-head": frame,
        "pages": [{key: page[key] for key in ("name", "facts")} for page in ordered],
        **{f"page-{i}": page for i, page in enumerate(ordered)},
    }
    parts = {
        "policy": policy,
        "title": escape(_title(ordered)),
        "style": style,
        "data": "\n".join(_data(name, value) for name, value in data.items()),
        **scripts,
    }
    return _PLACE.sub(lambda match: parts[match[1]], _read("viewer.html"))


def least_sure(page: Mapping[str, Any]) -> float:
    """Return by what pages are sorted: the confidence.

    Pages that the model could not answer are first. Pages without content by their kind are last.
    """
    facts = page["facts"]
    confidence = facts.get("confidence")
    if isinstance(confidence, int | float):
        return float(confidence)
    return -1.0 if facts.get("fallback_reason") is not None else 2.0


def _title(pages: Sequence[Mapping[str, Any]]) -> str:
    name = str(pages[0]["title"] or pages[0]["name"]) if len(pages) == 1 else f"{len(pages):,} pages"
    return f"{name} - web2text"


@cache
def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """Return *text* as a source of a content security policy."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _data(name: str, value: object) -> str:
    """Return *value* as JSON in an element that no text of a page can end."""
    data = json.dumps(value, allow_nan=False, separators=(",", ":")).translate(_ESCAPES)
    return f'<script type="application/json" id="{name}">{data}</script>'
