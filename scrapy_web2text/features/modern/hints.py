"""Hints from the metadata of a page: its title, summary and kind, and the texts of its JSON-LD.

Pages carry markup for search engines and social networks. It names the kind of page, and often repeats the lead, the
product description or the questions and answers of the text: blocks that it repeats are rarely boilerplate. Readers do
not see it, so it never becomes extracted text itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from typing import Any, Final

from lxml import etree

from scrapy_web2text.metadata.title import find_title

__all__ = ["PageHints", "read_hints"]

_BODY_KEYS: Final = frozenset({"articleBody", "text", "reviewBody", "recipeIngredient"})
_DESCRIPTION_KEYS: Final = frozenset({"description", "abstract"})
_SUMMARY_NAMES: Final = frozenset({"description", "og:description", "twitter:description"})
_KIND_NAMES: Final = frozenset({"og:type", "generator"})
_MOST_CHARACTERS: Final = 200_000  # of each kind of text; and of each script
_MOST_KINDS: Final = 24
_TAG: Final = re.compile(r"<[^<>]*>")

_scripts: Final = etree.XPath("//script[@type='application/ld+json']/text()", smart_strings=False)


@dataclass(frozen=True, slots=True)
class PageHints:
    """The title, texts and kinds in the metadata of a page.

    :param title: see `find_title`.
    :param summary: the descriptions in its ``meta`` elements.
    :param bodies: bodies in its JSON-LD: of articles, comments, answers and reviews.
    :param descriptions: descriptions in its JSON-LD.
    :param kinds: the types in its JSON-LD, ``og:type``, the generator, and class and id of its ``body`` element.
    """

    title: str = ""
    summary: str = ""
    bodies: str = ""
    descriptions: str = ""
    kinds: tuple[str, ...] = ()


def read_hints(root: etree._Element) -> PageHints:
    """Return the hints of the page of *root*, skipping broken markup."""
    summaries: list[str] = []
    kinds: list[str] = []
    for meta in root.iter("{*}meta"):
        name = (meta.get("name") or meta.get("property") or "").lower()
        if name in _SUMMARY_NAMES:
            summaries.append(meta.get("content") or "")
        elif name in _KIND_NAMES:
            kinds.append(meta.get("content") or "")
    body = next(root.iter("{*}body"), None)
    if body is not None:
        kinds += [body.get("class") or "", body.get("id") or ""]
    bodies: list[str] = []
    descriptions: list[str] = []
    for key, text in _walk(_documents(root)):
        if key in _BODY_KEYS:
            bodies.append(text)
        elif key in _DESCRIPTION_KEYS:
            descriptions.append(text)
        else:
            kinds.append(text)
    return PageHints(
        find_title(root),
        _clean(summaries),
        _clean(bodies),
        _clean(descriptions),
        tuple(dict.fromkeys(kind[:200] for kind in kinds if kind))[:_MOST_KINDS],
    )


def _documents(root: etree._Element) -> list[Any]:
    """Return what can be read of the page's JSON-LD."""
    documents = []
    for script in _scripts(root):
        if len(script) <= _MOST_CHARACTERS:
            try:
                documents.append(json.loads(script, strict=False))
            except (ValueError, RecursionError):
                continue
    return documents


def _walk(documents: list[Any]) -> Iterator[tuple[str, str]]:
    """Yield the texts below the keys that count, with their keys, in the order of the documents."""
    open_values: list[tuple[str, Any]] = [("", documents)]
    while open_values:  # no recursion: hostile pages nest deeply
        key, value = open_values.pop()
        if isinstance(value, dict):
            open_values += reversed(value.items())
        elif isinstance(value, list):
            open_values += [(key, item) for item in reversed(value)]
        elif isinstance(value, str) and (key == "@type" or key in _BODY_KEYS or key in _DESCRIPTION_KEYS):
            yield key, value


def _clean(texts: list[str]) -> str:
    """Return *texts*, each once, without markup in them."""
    return _TAG.sub(" ", unescape("\n".join(dict.fromkeys(texts))[:_MOST_CHARACTERS]))
