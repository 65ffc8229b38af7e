"""The features of SemText: words of the text, the tags and the names of each block."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Final

import numpy as np

from research.semtext.segments import SEMTEXT_BLOCKS, block_owners, container_parents, read_names
from scrapy_web2text.common.arrays import IntArray
from scrapy_web2text.features.hashing import STOPWORDS
from scrapy_web2text.features.texts import split_words
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence, block_texts, segment
from scrapy_web2text.page.reader import NAME_WORD
from scrapy_web2text.page.tags import TAG_NAMES

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
    """Return the words of each text in lower case: see `split_words`.

    :param texts: one or more texts, each with a character other than whitespace.
    """
    joined = "\0".join(texts)
    lowered = joined.lower()
    # A few letters become two in lower case.
    return [*map(split_words, (lowered if len(lowered) == len(joined) else joined).split("\0"))]


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


STRINGS: Final = ("text", "tags", "classes")
MOST_WORDS: Final = 50


@dataclass(frozen=True, slots=True, eq=False)
class Strings:
    """The u distinct strings of one kind on a page of n blocks, as words.

    :param words: indices of the words, string after string. *Shape:* ``(t,)``
    :param sizes: number of words of each string, at most 50. *Shape:* ``(u,)``
    :param which: the string of each block. *Shape:* ``(n,)``
    """

    words: IntArray
    sizes: IntArray
    which: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class SemtextFeatures:
    """The features of a page of n blocks with w distinct words.

    :param parts: buckets of the parts of each word, word after word. *Shape:* ``(p,)``
    :param n_parts: number of parts of each word. *Shape:* ``(w,)``
    :param strings: the strings by their names in `STRINGS`.
    :param n_tokens: number of words of each block, stopwords included. *Shape:* ``(n,)``
    """

    parts: IntArray
    n_parts: IntArray
    strings: dict[str, Strings]
    n_tokens: IntArray


def is_string_selection(names: Sequence[object]) -> bool:
    """Return whether *names* are one or more of `STRINGS`, in the same order."""
    return bool(names) and list(names) == [name for name in STRINGS if name in names]


def semtext_features(page: Page, blocks: BlockSequence, n_buckets: int) -> SemtextFeatures:
    """Return the three strings of each of the *blocks* of *page*; there is at least one block."""
    numbers: dict[str, int] = {}
    texts = _block_words(page, blocks)
    tags, classes = _path_words(page, blocks)
    strings = {
        name: _to_strings([without_stopwords(words, MOST_WORDS) for words in found], numbers)
        for name, found in zip(STRINGS, (texts, tags, classes), strict=True)
    }
    parts = [subwords(word, n_buckets) for word in numbers]
    return SemtextFeatures(
        np.fromiter(chain.from_iterable(parts), dtype=np.int64),
        np.fromiter(map(len, parts), dtype=np.int64),
        strings,
        np.array([len(words) for words in texts], dtype=np.int64),
    )


def _block_words(page: Page, blocks: BlockSequence) -> list[list[str]]:
    """Return the words of each block; a word does not continue across the pieces that the block consists of."""
    pieces = segment(page, SEMTEXT_BLOCKS)
    words: list[list[str]] = [[] for _ in range(blocks.n_blocks)]
    owners = np.searchsorted(blocks.starts, pieces.starts, side="right") - 1
    for owner, found in zip(owners.tolist(), split_texts(block_texts(page, pieces)), strict=True):
        words[owner] += found
    return words


def _path_words(page: Page, blocks: BlockSequence) -> tuple[list[list[str]], list[list[str]]]:
    """Return for each block the words of the tags, and of the classes and ids, on the path from the root to it."""
    parents = container_parents(page).tolist()
    known: dict[int, tuple[list[str], list[str]]] = {-1: ([], [])}

    def words_of(element: int) -> tuple[list[str], list[str]]:
        path = []
        while element not in known:
            path.append(element)
            element = parents[element]
        for inner in reversed(path):
            tags, names = known[parents[inner]]
            tag = TAG_NAMES[page.tags[inner]]
            own = [word for name in read_names(page, inner) for word in split_name(name)]
            known[inner] = (
                [*tags, *TAG_WORDS.get(tag, (tag,))][:MOST_WORDS],
                without_stopwords([*names, *own], MOST_WORDS),  # deep pages have many more
            )
        return known[path[0] if path else element]

    found = [words_of(owner) for owner in block_owners(page, blocks).tolist()]
    return [tags for tags, _ in found], [names for _, names in found]


def _to_strings(texts: Sequence[Sequence[str]], numbers: dict[str, int]) -> Strings:
    """Return the strings of all blocks; new words are added to *numbers*, the indices of words."""
    distinct: dict[tuple[str, ...], int] = {}
    which = [distinct.setdefault(tuple(words), len(distinct)) for words in texts]
    words = [numbers.setdefault(word, len(numbers)) for string in distinct for word in string]
    return Strings(
        np.array(words, dtype=np.int64),
        np.fromiter(map(len, distinct), dtype=np.int64),
        np.array(which, dtype=np.int64),
    )
