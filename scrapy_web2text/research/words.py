"""Words of texts, tags and names, and the parts of words that have vectors."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from scrapy_web2text.features.characters import join_texts
from scrapy_web2text.features.stopwords import STOPWORDS
from scrapy_web2text.page.attributes import NAME_WORD

__all__ = ["TAG_WORDS", "split_name", "split_texts", "subwords", "without_stopwords"]

# The tags in the words of the HTML standard; any other tag is a word itself.
TAG_WORDS: Final[dict[str, tuple[str, ...]]] = {
    "#custom": ("custom", "element"),
    "address": ("contact", "information"),
    "article": ("article",),
    "aside": ("sidebar",),
    "blockquote": ("block", "quotation"),
    "body": ("body",),
    "caption": ("table", "caption"),
    "center": ("centered",),
    "dd": ("description",),
    "dir": ("directory", "list"),
    "div": ("division",),
    "dl": ("description", "list"),
    "dt": ("term",),
    "fieldset": ("field", "group"),
    "figcaption": ("figure", "caption"),
    "h1": ("primary", "headline"),
    "h2": ("secondary", "headline"),
    "h3": ("third", "headline"),
    "h4": ("fourth", "headline"),
    "h5": ("fifth", "headline"),
    "h6": ("sixth", "headline"),
    "hgroup": ("headline", "group"),
    "hr": ("thematic", "break"),
    "li": ("list", "item"),
    "main": ("main",),
    "nav": ("navigation",),
    "ol": ("ordered", "list"),
    "p": ("paragraph",),
    "pre": ("preformatted", "text"),
    "td": ("table", "cell"),
    "th": ("table", "header"),
    "tr": ("table", "row"),
    "ul": ("unordered", "list"),
}
_ABBREVIATIONS: Final = {
    "ad": "advertisement",
    "ads": "advertisement",
    "art": "article",
    "bg": "background",
    "btn": "button",
    "cat": "category",
    "col": "column",
    "desc": "description",
    "ftr": "footer",
    "hd": "header",
    "hdr": "header",
    "img": "image",
    "info": "information",
    "msg": "message",
    "nav": "navigation",
    "pg": "page",
    "pic": "picture",
    "txt": "text",
    "wrap": "wrapper",
}
_NAME_WORD: Final = re.compile(NAME_WORD)
_LONGEST_NAME: Final = 200  # characters of an attribute; the rest is ignored
_LONGEST_WORD: Final = 30  # characters of a word; the rest is ignored
_PARTS: Final = (3, 4, 5)
_N_CACHED: Final = 1 << 16


def split_texts(texts: Sequence[str]) -> list[list[str]]:
    """Return the words of each text in lower case: the tokens of `features.characters`.

    :param texts: one or more texts, each with a character other than whitespace.
    """
    characters = join_texts(list(texts))
    codes = "".join(map(chr, characters.codes.tolist())).lower()
    if len(codes) != len(characters.codes):  # a few letters become two in lower case
        codes = "".join(map(chr, characters.codes.tolist()))
    starts, ends = characters.tokens()
    words = [codes[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
    counts = characters.count_positions(starts).tolist()
    split, place = [], 0
    for count in counts:
        split.append(words[place : place + count])
        place += count
    return split


@lru_cache(_N_CACHED)
def split_name(name: str) -> tuple[str, ...]:
    """Return the words of a class attribute or an id in lower case.

    It is split at camel case and delimiters, and numbers are dropped. Common abbreviations are
    expanded. A name without words is returned whole.
    """
    words = [word.lower() for word in _NAME_WORD.findall(name[:_LONGEST_NAME])]
    return tuple(_ABBREVIATIONS.get(word, word) for word in words) or (name.strip()[:_LONGEST_WORD],)


def without_stopwords(words: Sequence[str], most: int) -> list[str]:
    """Return the first *most* words that are not stopwords."""
    kept: list[str] = []
    for word in words:
        if word not in STOPWORDS:
            kept.append(word)
            if len(kept) == most:
                break
    return kept


@lru_cache(_N_CACHED)
def subwords(word: str, n_buckets: int) -> tuple[int, ...]:
    """Return the buckets of the parts of a word: itself, and its n-grams of three to five characters.

    The ends of the word are marked, as in Bojanowski, Grave, Joulin, Mikolov 2017, with CRC-32 as the hash.
    """
    marked = f"<{word[:_LONGEST_WORD]}>"
    parts = {marked, *(marked[i : i + size] for size in _PARTS for i in range(len(marked) - size + 1))}
    return tuple(sorted(zlib.crc32(part.encode("utf-8", "surrogatepass")) % n_buckets for part in parts))
