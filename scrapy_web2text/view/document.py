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

__all__ = ["KEYS", "MOVES", "fill_document", "least_sure", "read_part", "write_document", "write_view"]

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
    colors = read_part("colors.css") + added.get("marks", "")
    frame_style = colors + read_part("page.css")
    frame_policy = _POLICY.format(f"style-src {_hash(frame_style)}; ")
    frame = (
        f'<!doctype html><html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" '
        f'content="{frame_policy}"><style>{frame_style}</style></head><body>'
    )
    return fill_document(
        read_part("viewer.html"),
        {"title": escape(title), "tools": added.get("tools", "")},
        keys,
        {"frame-head": frame, **data},
        styles=[colors + read_part("viewer.css") + added.get("style", ""), frame_style],
        scripts=[
            *(read_part(f"{name}.js") for name in ("base", "decode", "viewer", "controls")),
            *([added["script"]] if "script" in added else []),
            read_part("start.js"),
        ],
        more="connect-src 'self'; " * bool(added),
    )


def fill_document(
    template: str,
    parts: Mapping[str, str],
    keys: Mapping[str, str],
    data: Mapping[str, object],
    *,
    styles: Sequence[str],
    scripts: Sequence[str],
    more: str = "",
) -> str:
    """Return *template* with *parts*, keys, data, the first of *styles*, and *scripts* in its places.

    Its content security policy allows these styles and scripts by their hashes, and nothing else but *more*.

    :param parts: HTML, by the name of its place.
    :param keys: keys, and what they do.
    :param data: values for the scripts, by the id of the element that holds each as JSON.
    """
    sources = {"script": scripts, "style": styles}
    policy = "".join(f"{kind}-src {' '.join(map(_hash, texts))}; " for kind, texts in sources.items())
    filled = {
        **parts,
        "policy": _POLICY.format(policy + more),
        "style": styles[0],
        "keys": "\n".join(f"<dt>{escape(key)}</dt><dd>{escape(action)}</dd>" for key, action in keys.items()),
        "data": "\n".join(_data(name, value) for name, value in data.items()),
        "scripts": "\n".join(f"<script>{script}</script>" for script in scripts),
    }
    return _PLACE.sub(lambda match: filled[match[1]], template)


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
def read_part(name: str) -> str:
    """Return a script, style or template of the viewer by the name of its file."""
    return (_FOLDER / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """Return *text* as a source of a content security policy."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _data(name: str, value: object) -> str:
    """Return *value* as JSON in an element that no text of a page can end."""
    data = json.dumps(value, allow_nan=False, separators=(",", ":")).translate(_ESCAPES)
    return f'<script type="application/json" id="{name}">{data}</script>'
