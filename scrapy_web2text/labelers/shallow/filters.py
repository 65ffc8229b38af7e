"""Kohlschütter's two filters after a classifier: Largest Content and Main Content.

Kohlschütter, Fankhauser, Nejdl: Boilerplate Detection using Shallow Text Features, WSDM 2010, section 4.3.2. The paper
does not say how blocks are joined before the largest run is chosen, how the title is recognized, or which strings begin
the comments. The method and the constants here were chosen so that the means come near those of its figures 2a and 2b.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

import numpy as np

from scrapy_web2text.arrays import BoolArray, IntArray
from scrapy_web2text.budget import watched
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence, block_texts

__all__ = ["FILTERS", "Filter", "keep_largest", "keep_main_content"]

# From page, blocks, and the number of words and the content flag of each block, to the new content flags.
Filter = Callable[[Page, BlockSequence, IntArray, BoolArray], BoolArray]

_WORD: Final = re.compile(r"[^\W\d]+")
_TITLE_WORD: Final = re.compile(r"\w+")
# Separators between the title of a page and the name of its site.
_TITLE_SEPARATOR: Final = re.compile(r"(?<!\s)\s+[|»:·–—-]+\s+|(?:(?<!\s)\s+)?[|»·]\s*|:\s+")
_TITLE_PART_WORDS: Final = 4
# A block with nothing but one of these and a number, as in "23 comments", begins the comments section.
_COMMENT_HEADINGS: Final = frozenset(
    {
        "comments",
        "user comments",
        "readers comments",
        "reader comments",
        "your comments",
        "add comment",
        "add your comment",
        "post a comment",
        "leave a comment",
        "have your say",
        "what do you think",
    }
)
_MAX_HEADING_LENGTH: Final = 40
# Comments follow the text that they are about. A menu item "Comments" precedes it.
_WORDS_BEFORE_COMMENTS: Final = 60


def keep_largest(page: Page, blocks: BlockSequence, n_words: IntArray, is_content: BoolArray) -> BoolArray:  # noqa: ARG001
    """Return the run of neighboring content blocks with the most words. *Shapes:* ``(n,)``"""
    return _largest_run(n_words, is_content, bridged=0)


def keep_main_content(page: Page, blocks: BlockSequence, n_words: IntArray, is_content: BoolArray) -> BoolArray:
    """Return the largest run between title and comments, and all blocks between the title and this run.

    A run includes the block before it as its heading. Runs with a single block between them are joined.

    *Shapes:* ``(n,)``
    """
    texts = block_texts(page, blocks)
    is_content = is_content.copy()
    is_content[_find_comments(texts, n_words, is_content) :] = False
    with_heading = is_content.copy()
    with_heading[:-1] |= is_content[1:]
    kept = _largest_run(n_words, with_heading, bridged=1)
    title = _find_block(texts, _title_forms(page))
    if title is None or not kept[title:].any():
        return kept
    first = int(np.flatnonzero(kept)[0])
    kept[:title] = False
    kept[title:first] = True
    return kept


def _largest_run(n_words: IntArray, is_content: BoolArray, *, bridged: int) -> BoolArray:
    """Return the content blocks of the run with the most words of content; of equal runs, the first. *Shapes:* ``(n,)``

    :param bridged: maximum number of other blocks between two content blocks of a run.
    """
    content = np.flatnonzero(is_content)
    kept = np.zeros(len(is_content), dtype=bool)
    if len(content):
        starts = np.flatnonzero(np.diff(content, prepend=-bridged - 2) > bridged + 1)
        run = int(np.argmax(np.add.reduceat(n_words[content], starts)))
        kept[content[starts[run] : np.append(starts, len(content))[run + 1]]] = True
    return kept


def _find_comments(texts: list[str], n_words: IntArray, is_content: BoolArray) -> int:
    """Return the first block of the comments section, or the number of blocks if there is none."""
    is_below = np.cumsum(n_words * is_content) >= _WORDS_BEFORE_COMMENTS
    for i in watched(np.flatnonzero(is_below).tolist()):
        if len(texts[i]) <= _MAX_HEADING_LENGTH and _words_of(_WORD, texts[i]) in _COMMENT_HEADINGS:
            return int(i)
    return len(texts)


def _title_forms(page: Page) -> set[str]:
    """Return the headlines that the page's ``title`` suggests: all of it, its longest part and its other long parts."""
    title = next((element.text or "" for element in page.document_landmarks.titles), "")
    parts = [_words_of(_TITLE_WORD, part) for part in _TITLE_SEPARATOR.split(title)]
    long_parts = {part for part in parts if part.count(" ") + 1 >= _TITLE_PART_WORDS}
    return ({_words_of(_TITLE_WORD, title), max(parts, key=len)} | long_parts) - {""}


def _find_block(texts: list[str], wanted: set[str]) -> int | None:
    """Return the first block whose words are one of *wanted*."""
    longest = 2 * max(map(len, wanted), default=0)
    return next(
        (i for i, text in enumerate(watched(texts)) if len(text) <= longest and _words_of(_TITLE_WORD, text) in wanted),
        None,
    )


def _words_of(word: re.Pattern[str], text: str) -> str:
    return " ".join(word.findall(text.lower()))


FILTERS: Final[Mapping[str, Filter]] = MappingProxyType({"largest": keep_largest, "main-content": keep_main_content})
