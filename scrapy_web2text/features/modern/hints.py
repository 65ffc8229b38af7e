"""What a page says of itself beside its text: title, summary, kind, and the texts of its JSON-LD.

A page is marked up for search engines and for links in social networks. The markup names the kind of page, and often
holds the lead, the product's description or the questions and answers that people see too: blocks that repeat it are
rarely boilerplate. Nothing of it is shown to people, so it never becomes text of an answer by itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape
from typing import Final

import numpy as np
from lxml import etree

from scrapy_web2text.arrays import AnyArray, UintArray
from scrapy_web2text.features.modern.context import Context, share
from scrapy_web2text.features.modern.words import are_among
from scrapy_web2text.metadata.json_scripts import read_json_scripts, walk_json
from scrapy_web2text.metadata.title import find_title

__all__ = ["PageHints", "hint_features", "read_hints"]

_BODY_KEYS: Final = frozenset({"articleBody", "text", "reviewBody", "recipeIngredient"})
_DESCRIPTION_KEYS: Final = frozenset({"description", "abstract"})
_SUMMARY_NAMES: Final = frozenset({"description", "og:description", "twitter:description"})
_KIND_NAMES: Final = frozenset({"og:type", "generator"})
_MOST_CHARACTERS: Final = 200_000  # of each kind of text; and of each script
_MOST_KINDS: Final = 24
_TAG: Final = re.compile(r"<[^<>]*>")
_PAIR_FACTORS: Final = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F))


@dataclass(frozen=True, slots=True)
class PageHints:
    """What a page says of itself.

    :param title: see `find_title`.
    :param summary: the descriptions in its ``meta`` elements.
    :param bodies: texts in its JSON-LD that are a body: of an article, a comment, an answer, a review.
    :param descriptions: descriptions in its JSON-LD.
    :param kinds: what it says it is: types in JSON-LD, ``og:type``, the generator, names of the ``body`` element.
    """

    title: str = ""
    summary: str = ""
    bodies: str = ""
    descriptions: str = ""
    kinds: tuple[str, ...] = ()


def read_hints(root: etree._Element) -> PageHints:
    """Return what the page of *root* says of itself; markup that is broken says nothing."""
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
    texts_of = {
        **dict.fromkeys(_BODY_KEYS, bodies),
        **dict.fromkeys(_DESCRIPTION_KEYS, descriptions),
        "@type": kinds,
    }
    for document in read_json_scripts(root, longest=_MOST_CHARACTERS):
        for key, value in walk_json(document):
            if key in texts_of and isinstance(value, str):
                texts_of[key].append(value)
    return PageHints(
        find_title(root),
        _clean(summaries),
        _clean(bodies),
        _clean(descriptions),
        tuple(dict.fromkeys(kind[:200] for kind in kinds if kind))[:_MOST_KINDS],
    )


def _clean(texts: list[str]) -> str:
    """Return *texts*, each once, without markup in them."""
    return _TAG.sub(" ", unescape("\n".join(dict.fromkeys(texts))[:_MOST_CHARACTERS]))


def hint_features(context: Context, said_words: dict[str, UintArray]) -> dict[str, AnyArray]:
    """Return how much of each block the page's own descriptions say too, in pairs of words. *Shapes:* ``(n,)``

    :param said_words: hashes of the words of each description, by its name in `PageHints`.
    """
    words = context.words
    sizes = np.maximum(words.ends - words.starts - 1, 0).astype(np.float64)
    pairs = _pairs(words.hashes)
    is_inside = np.ones(len(words.hashes), dtype=bool)  # the last word of a block begins no pair
    is_inside[words.ends[words.ends > words.starts] - 1] = False
    columns: dict[str, AnyArray] = {}
    for name, said in said_words.items():
        found = np.zeros(len(words.hashes))
        if len(said) > 1 and len(pairs):
            found[:-1] = are_among(pairs, _pairs(said))
        columns[f"in_{name}"] = share(words.sum(found * is_inside), sizes)
        columns[f"page.log_{name}"] = np.full(context.n, np.log1p(len(said)) / 5)
    return columns


def _pairs(hashes: UintArray) -> UintArray:
    """Return one number for each word and the next. *Shapes:* ``(t,)`` -> ``(t - 1,)``"""
    pairs: UintArray = hashes[:-1] * _PAIR_FACTORS[0] + hashes[1:] * _PAIR_FACTORS[1]
    return pairs
