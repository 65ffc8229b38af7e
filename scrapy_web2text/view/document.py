"""The viewer as one HTML document, which needs no network."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from html import escape
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["KEYS", "MOVES", "least_sure", "write_document", "write_view"]

# Keys that move through blocks and pages, and what they do.
MOVES: Final = {
    "j, k": "next, previous block",
    "c": "next block of content",
    "u": "next unsure block",
    "n, p": "next, previous page",
    "Esc": "leave the block",
    "?": "this list",
}
KEYS: Final = {
    **MOVES,
    "+, -": "raise, lower the threshold",
    "d": "the other decoder",
    "r": "reset threshold, decoder and lam",
}

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
    data = {
        "pages": [{key: page[key] for key in ("name", "facts")} for page in ordered],
        **{f"page-{i}": page for i, page in enumerate(ordered)},
    }
    return write_document(data, _title(ordered), KEYS)


def write_document(
    data: Mapping[str, object], title: str, keys: Mapping[str, str], added: Mapping[str, str] = MappingProxyType({})
) -> str:
    """Return the document of the viewer.

    :param data: values for the scripts, by the id of the element that holds each as JSON.
    :param keys: keys, and what they do.
    :param added: what a program that serves the document adds: ``tools`` (HTML), ``style``, ``marks`` (the style of
        blocks) and ``script``. Its scripts may send requests to the server that the document is from.
    """
    colors = _read("colors.css") + added.get("marks", "")
    style, frame_style = colors + _read("viewer.css") + added.get("style", ""), colors + _read("page.css")
    scripts = [_read(f"{name}.js") for name in ("decode", "viewer", "controls")]
    scripts += [added["script"]] if "script" in added else []
    scripts.append(_read("start.js"))
    frame_policy = _POLICY.format(f"style-src {_hash(frame_style)}; ")
    policy = _POLICY.format(
        f"script-src {' '.join(map(_hash, scripts))}; style-src {_hash(style)} {_hash(frame_style)}; "
        + "connect-src 'self'; " * bool(added)
    )
    frame = (
        f'<!doctype html><html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" '
        f'content="{frame_policy}"><style>{frame_style}</style></head><body>'
    )
    parts = {
        "policy": policy,
        "title": escape(title),
        "style": style,
        "tools": added.get("tools", ""),
        "keys": "\n".join(f"<dt>{escape(key)}</dt><dd>{escape(action)}</dd>" for key, action in keys.items()),
        "data": "\n".join(_data(name, value) for name, value in {"frame-head": frame, **data}.items()),
        "scripts": "\n".join(f"<script>{script}</script>" for script in scripts),
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
