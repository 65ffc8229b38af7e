"""Hints from the metadata of a page: its title, summary and kind, and the texts of its JSON-LD.

Pages carry markup for search engines and social networks. It names the kind of page, and often repeats the lead, the
product description or the questions and answers of the text: blocks that it repeats are rarely boilerplate. Readers do
not see it, so it never becomes extracted text itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from scrapy_web2text.budget import watched
from scrapy_web2text.metadata.json_scripts import JSON_LD, read_json, walk_json
from scrapy_web2text.metadata.references import replace_references
from scrapy_web2text.metadata.title import find_title
from scrapy_web2text.page.landmarks import Landmarks

__all__ = ["PageHints", "read_hints"]

_BODY_KEYS: Final = frozenset({"articleBody", "text", "reviewBody", "recipeIngredient"})
_DESCRIPTION_KEYS: Final = frozenset({"description", "abstract"})
_SUMMARY_NAMES: Final = frozenset({"description", "og:description", "twitter:description"})
_KIND_NAMES: Final = frozenset({"og:type", "generator"})
_MOST_CHARACTERS: Final = 200_000  # of each kind of text, and of each script
_MOST_KINDS: Final = 24
_TAG: Final = re.compile(r"<[^<>]*>")


@dataclass(frozen=True, slots=True)
class PageHints:
    """The title, texts and kinds in the metadata of a page.

    :param title: the result of `find_title`.
    :param summary: the descriptions in its ``meta`` elements.
    :param bodies: texts of articles, comments, answers and reviews in its JSON-LD.
    :param descriptions: descriptions in its JSON-LD.
    :param kinds: the types in its JSON-LD, its ``og:type`` and generator, the class and the id of its ``body`` element.
    """

    title: str = ""
    summary: str = ""
    bodies: str = ""
    descriptions: str = ""
    kinds: tuple[str, ...] = ()


def read_hints(landmarks: Landmarks) -> PageHints:
    """Return the hints of a page, from the *landmarks* of the whole document; broken markup is skipped."""
    summaries: list[str] = []
    kinds: list[str] = []
    for meta in watched(landmarks.metas):
        name = (meta.get("name") or meta.get("property") or "").lower()
        if name in _SUMMARY_NAMES:
            summaries.append(meta.get("content") or "")
        elif name in _KIND_NAMES:
            kinds.append(meta.get("content") or "")
    for body in landmarks.bodies[:1]:
        kinds += [body.get("class") or "", body.get("id") or ""]
    bodies: list[str] = []
    descriptions: list[str] = []
    texts_of = {
        **dict.fromkeys(_BODY_KEYS, bodies),
        **dict.fromkeys(_DESCRIPTION_KEYS, descriptions),
        "@type": kinds,
    }
    scripts = [script for script in landmarks.scripts if script.get("type") == JSON_LD]
    for document in read_json(scripts, longest=_MOST_CHARACTERS):
        for key, value in walk_json(document):
            if key in texts_of and isinstance(value, str):
                texts_of[key].append(value)
    return PageHints(
        find_title(landmarks),
        _clean(summaries),
        _clean(bodies),
        _clean(descriptions),
        tuple(dict.fromkeys(kind[:200] for kind in kinds if kind))[:_MOST_KINDS],
    )


def _clean(texts: list[str]) -> str:
    """Return *texts*, each once and without its markup, joined by line breaks."""
    return _TAG.sub(" ", replace_references("\n".join(dict.fromkeys(texts))[:_MOST_CHARACTERS]))
