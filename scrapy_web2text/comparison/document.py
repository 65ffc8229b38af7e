"""Texts side by side as one HTML document, which needs no network: the viewer of comparisons."""

from __future__ import annotations

from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from scrapy_web2text.comparison.rows import align_texts
from scrapy_web2text.view.document import fill_document, read_part
from scrapy_web2text.view.facts import facts_of_item

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scrapy_web2text.comparison.pages import PageChange

__all__ = ["KEYS", "compare_page", "write_comparison"]

KEYS: Final = {
    "j, k": "next, previous change",
    "n, p": "next, previous page",
    "e": "show or hide equal lines",
    "Esc": "leave the change",
    "?": "this list",
}
_FOLDER: Final = Path(__file__).parent
# What is shown of the answer of each side.
_FACTS: Final = ("model", "method", "page", "page_type", "confidence", "fallback_reason", "n_blocks", "n_content")


def compare_page(
    change: PageChange,
    before: tuple[Mapping[str, Any], str],
    after: tuple[Mapping[str, Any], str],
    names: Sequence[str],
) -> dict[str, Any]:
    """Return what the document shows of a page.

    :param before: an item with the answer of the first side, and its text.
    :param after: the same of the second side.
    :param names: what the sides are called.
    """
    seen = [facts_of_item(item, change.page) for item, _ in (before, after)]
    sides = [
        {"name": name, "facts": {key: each["facts"][key] for key in _FACTS if key in each["facts"]}}
        for name, each in zip(names, seen, strict=True)
    ]
    return {
        "name": change.page,
        "title": seen[1]["title"] or seen[0]["title"],
        "change": change.to_dict(),
        "before": sides[0],
        "after": sides[1],
        "rows": align_texts(before[1], after[1]),
    }


def write_comparison(pages: Sequence[Mapping[str, Any]], title: str) -> str:
    """Return an HTML document that shows the texts of *pages* side by side, in this order.

    As in the viewer, nothing loads or runs but its own scripts, which a content security policy names by their hashes.

    :param pages: see `compare_page`.
    """
    data = {
        "pages": [{"name": page["name"], **page["change"]} for page in pages],
        **{f"page-{i}": page for i, page in enumerate(pages)},
    }
    return fill_document(
        _read("diff.html"),
        {"title": escape(f"{title} - web2text")},
        KEYS,
        data,
        styles=[read_part("colors.css") + read_part("viewer.css") + _read("diff.css")],
        scripts=[read_part("base.js"), _read("diff.js")],
    )


@cache
def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
