"""The documents that people look at: viewer, label editor, comparison of texts, and the page of ``web2text serve``.

Each is one HTML file that needs no network. Only its own scripts run, and nothing is loaded; a content security policy
names the scripts by their hashes. Pages are shown in a frame whose sandbox allows no scripts.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any, Final

_SCRIPTS: Final = ("base.js", "decode.js", "viewer.js", "look.js", "outline.js", "controls.js")
_EDITOR_SCRIPTS: Final = ("editor.js", "gestures.js", "suggestions.js")
_FOLDER: Final = Path(__file__).parent / "assets"
_PLACE: Final = re.compile(r"\{\{(\w+)\}\}")
# Characters that would end a script element or a line of JavaScript -> their escapes in JSON.
_ESCAPES: Final = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}
_POLICY: Final = "default-src 'none'; {}base-uri 'none'; form-action 'none'"


def write_view(pages: Sequence[Mapping[str, Any]]) -> str:
    """Return an HTML document that shows *pages*, the least sure first."""
    ordered = sorted(pages, key=lambda page: confidence_key(page["facts"]))
    name = str(ordered[0]["title"] or ordered[0]["name"]) if len(ordered) == 1 else f"{len(ordered):,} pages"
    return _write_viewer(
        _pages_data(ordered, [{key: page[key] for key in ("name", "title", "facts")} for page in ordered]), name
    )


def write_editor(pages: Sequence[Mapping[str, Any]], session: Mapping[str, str]) -> str:
    """Return the document of the label editor: the viewer with more tools, whose scripts may ask their own server."""
    return _write_viewer({"pages": pages, "session": session}, "Labels", is_editor=True)


def write_comparison(pages: Sequence[Mapping[str, Any]], title: str, totals: Mapping[str, Any] | None = None) -> str:
    """Return an HTML document that shows the texts of *pages* side by side, in this order, below *totals*."""
    listed = [{"name": page["name"], "title": page["title"], **page["change"]} for page in pages]
    return _fill_document(
        "diff.html",
        title,
        _read("diff-keys.html"),
        {"changes": totals, **_pages_data(pages, listed)},
        styles=[_read("colors.css", "viewer.css", "diff.css")],
        scripts=["base.js", "diff.js"],
    )


def write_trial(models: Mapping[str, Sequence[str]], *, script: str | None = None, **data: object) -> str:
    """Return the document of ``web2text serve``. *models*: model -> its named thresholds; the first is chosen.

    Viewers are shown in a frame, which shares the policy of the document.

    :param script: a script that answers with *data* in a worker of the browser, in place of the server.
    """
    scripts, more = ["trial.js"], "connect-src 'self'; "
    if script is not None:
        scripts, more = ["trial.js", script], "worker-src 'self'; "
    return _fill_document(
        "trial.html",
        "Try it",
        "",
        {"models": models, "sample": _read("example.html"), **data},
        styles=[
            _read("colors.css", "trial.css"), _read("colors.css", "viewer.css"), _read("colors.css", "page.css"),
            _read("look.css"),
        ],
        scripts=scripts,
        framed=_SCRIPTS,
        more=more,
    )  # fmt: skip


def confidence_key(facts: Mapping[str, Any]) -> float:
    """Return the key by which pages are sorted by the *facts* about their answers: the confidence.

    Pages that the model could not answer come first. Pages without an answer, and those that show no text, come last.
    """
    confidence = facts.get("confidence")
    if facts.get("method") == "none" or (
        facts.get("page_kind") in ("empty", "script_shell") and not facts.get("n_content")
    ):
        return 3.0
    if isinstance(confidence, int | float):
        return float(confidence)
    return -1.0 if facts.get("reason") is not None else 2.0


def _pages_data(pages: Sequence[Mapping[str, Any]], listed: Sequence[Mapping[str, Any]]) -> dict[str, object]:
    """Return the data of a document: its pages, and the entries *listed* of its list of pages."""
    return {"pages": listed, **{f"page-{i}": page for i, page in enumerate(pages)}}


def _write_viewer(data: Mapping[str, object], title: str, *, is_editor: bool = False) -> str:
    marks = ["marks.css"] * is_editor
    styles = {"frame-head": _read("colors.css", *marks, "page.css"), "look-head": _read("look.css", *marks)}
    policies = {name: _POLICY.format(f"style-src {_hash(style)}; ") for name, style in styles.items()}
    heads = {name: _fill(_read("frame.html"), {"policy": policies[name], "style": styles[name]}) for name in styles}
    own_style = _read("colors.css", *marks, "viewer.css", *["editor.css"] * is_editor)
    return _fill_document(
        "viewer.html",
        title,
        _read(*(["editor-keys.html", "keys.html"] if is_editor else ["keys.html", "viewer-keys.html"])),
        {**heads, **data},
        {"tools": _read("editor.html") if is_editor else ""},
        styles=[own_style, *styles.values()],
        scripts=[*_SCRIPTS, *_EDITOR_SCRIPTS * is_editor],
        more="connect-src 'self'; " * is_editor,
    )


def _fill_document(
    body: str,
    title: str,
    keys: str,
    data: Mapping[str, object],
    parts: Mapping[str, str] | None = None,
    *,
    styles: Sequence[str],
    scripts: Sequence[str],
    framed: Sequence[str] = (),
    more: str = "",
) -> str:
    """Return a document. Its content security policy allows only its styles, its scripts and *more*.

    :param body: name of the file with the body of the document.
    :param keys: the list of keys, as HTML.
    :param data: values for the scripts, by the id of the element that holds each as JSON.
    :param parts: HTML, by the name of its place in the body.
    :param styles: the style of the document, followed by the styles of frames in it.
    :param framed: files of scripts that only frames in the document run.
    """
    own = [_read(name) for name in scripts]
    sources = {"script": [*own, *map(_read, framed)], "style": styles}
    policy = "".join(f"{kind}-src {' '.join(map(_hash, texts))}; " for kind, texts in sources.items())
    filled = {
        "policy": _POLICY.format(policy + more),
        "title": escape(f"{title} - web2text".encode(errors="replace").decode()),  # without lone surrogates
        "style": styles[0],
        "body": _fill(_read(body), parts or {}),
        "keys": keys,
        "data": "\n".join(_data(name, value) for name, value in data.items()),
        "scripts": "\n".join(f"<script>{script}</script>" for script in own),
    }
    return _fill(_read("document.html"), filled)


def _fill(template: str, parts: Mapping[str, str]) -> str:
    return _PLACE.sub(lambda match: parts[match[1]], template)


@cache
def _read(*names: str) -> str:
    """Return files of the folder of assets, joined."""
    return "".join((_FOLDER / name).read_text(encoding="utf-8") for name in names)


def _hash(text: str) -> str:
    """Return *text* as a source of a content security policy."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _data(name: str, value: object) -> str:
    """Return *value* as JSON in an element that no text of a page can end."""
    data = json.dumps(value, allow_nan=False, separators=(",", ":")).translate(_ESCAPES)
    return f'<script type="application/json" id="{name}">{data}</script>'
