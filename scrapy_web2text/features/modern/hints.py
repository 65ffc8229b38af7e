"""Hints from the metadata of a page: its title and its kind.

Pages name their kind for search engines and social networks. Readers do not see it, so it never becomes extracted text
itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from scrapy_web2text.budget import watched
from scrapy_web2text.metadata.title import find_title
from scrapy_web2text.page.landmarks import Landmarks

__all__ = ["PageHints", "read_hints"]

_KIND_NAMES: Final = frozenset({"og:type", "generator"})
_MOST_KINDS: Final = 24
_MOST_CHARACTERS: Final = 200  # of a kind


@dataclass(frozen=True, slots=True)
class PageHints:
    """The title and the kinds in the metadata of a page.

    :param title: the result of `find_title`.
    :param kinds: its ``og:type`` and generator, the class and the id of its ``body`` element.
    """

    title: str = ""
    kinds: tuple[str, ...] = ()


def read_hints(landmarks: Landmarks) -> PageHints:
    """Return the hints of a page, from the *landmarks* of the whole document."""
    named = (meta for meta in watched(landmarks.metas) if _is_kind(meta.get("name") or meta.get("property") or ""))
    kinds = [meta.get("content") or "" for meta in named]
    for body in landmarks.bodies[:1]:
        kinds += [body.get("class") or "", body.get("id") or ""]
    unique = dict.fromkeys(kind[:_MOST_CHARACTERS] for kind in kinds if kind)
    return PageHints(find_title(landmarks), tuple(unique)[:_MOST_KINDS])


def _is_kind(name: str) -> bool:
    return name.lower() in _KIND_NAMES
