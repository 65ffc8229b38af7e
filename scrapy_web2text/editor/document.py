"""The document of the label editor: that of the viewer, with the tools of the editor."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from scrapy_web2text.view.document import MOVES, write_document

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["write_editor"]

_FOLDER: Final = Path(__file__).parent
_KEYS: Final = {
    "f, Space": "flip the label of the block",
    "t": "label all blocks from the last flipped one to here as that one",
    "s": "flip the section: from the heading above to the next one of its level",
    "a": "flip all blocks around this one that have its label",
    "z": "undo",
    "m": "the labels of the model",
    "v": "next block that the other reader labeled differently",
    "o": "the label of the other reader for this block",
    "Enter": "done, next page",
    "x": "skip the page for now",
    **MOVES,
}


def write_editor(pages: Sequence[Mapping[str, Any]]) -> str:
    """Return the HTML document for *pages*, see `Session.list_pages`."""
    added = {
        "tools": _read("tools.html"),
        "style": _read("editor.css"),
        "marks": _read("marks.css"),
        "script": _read("editor.js"),
    }
    return write_document({"pages": pages}, "Labels - web2text", _KEYS, added)


@cache
def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
