"""The title of a page."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Final

from lxml import etree

__all__ = ["find_title"]

# What documentation generators put behind a headline as a link to itself.
_PERMALINKS: Final = " ¶#🔗"

# The texts of an element but those of a script, a style sheet or a picture in it.
_shown_texts: Final = etree.XPath(
    "descendant::text()[not(ancestor::script or ancestor::style or ancestor::svg or ancestor::template)]",
    smart_strings=False,
)


def find_title(root: etree._Element) -> str:
    """Return the page's ``og:title``, else its first ``h1``, else its ``title``, else nothing."""
    for candidate in _titles(root):
        title = " ".join(candidate.split()).rstrip(_PERMALINKS)
        if title:
            return title
    return ""


def _titles(root: etree._Element) -> Iterable[str]:
    for meta in root.iter("{*}meta"):
        if meta.get("property") == "og:title":
            yield meta.get("content") or ""
    for heading in islice(root.iter("{*}h1"), 1):
        yield " ".join(_shown_texts(heading))
    for title in root.iter("{*}title"):  # pictures have titles too
        yield " ".join(_shown_texts(title))
