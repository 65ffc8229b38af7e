"""Comments of readers below a heading such as "3 comments", as on pages of blogs and news."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import FloatArray, IntArray
from scrapy_web2text.common.budget import watched
from scrapy_web2text.extraction import Label
from scrapy_web2text.options import ROLES

# The types of pages on which comments are content.
TYPES_OF_COMMENTS: Final = frozenset({"documentation", "forum"})
_LEAST_WORDS: Final = 100  # of content before the comments
_LONGEST: Final = 100  # characters of a heading
_COUNT: Final = r"(?:\d[\d.,]*+|no|one)"
# The words for comments, and for one comment. Without a number, one is a button or, as a "Kommentar", an opinion.
COMMENTS: Final = "|".join(
    """comments commentaires comentarios comentários commenti kommentare kommentarer komentari komentarze reacties
    yorumlar комментарии σχόλια תגובות تعليقات 评论 評論 コメント 댓글""".split()
)
COMMENT: Final = (
    r"comment|commentaire|comentario|comentário|commento|kommentar|komentar\w{0,3}|комментари\w{1,2}|yorum|[评評][论論]"
)
_HEADING: Final = re.compile(
    rf"(?:(?:all|readers?|users?)\W++|\W)*+(?:{COMMENTS})[\W\d]*|\W*{_COUNT}\W++(?:{COMMENTS}|{COMMENT})\W*"
    rf"|{_COUNT} (?:comments?|responses?)(?: (?:on|to) .*)?",
    re.IGNORECASE,
)
_BODY, _COMMENT = ROLES.index("body"), ROLES.index("comment")


def find_comment_headings(headings: IntArray, texts: list[str]) -> IntArray:
    """Return those of *headings*, blocks with *texts*, that are above comments. *Shapes:* ``(h,)`` -> ``(c,)``"""
    is_found = [len(text) <= _LONGEST and _HEADING.fullmatch(text) is not None for text in watched(texts)]
    return headings[np.array(is_found, dtype=bool)]


def find_first_comment(headings: IntArray, labels: IntArray, n_tokens: IntArray) -> int:
    """Return the first of the *headings* of comments with enough content before it; the number of blocks for none.

    :param n_tokens: number of words of each block. *Shape:* ``(n,)``
    """
    if not len(headings):  # as on most pages
        return len(labels)
    n_before = np.where(labels == Label.CONTENT, n_tokens, 0).cumsum()[headings]
    return int(min(headings[n_before >= _LEAST_WORDS], default=len(labels)))


def read_as_comments(read: Callable[[], FloatArray], first: int) -> FloatArray:
    """Return the probabilities of roles that *read* computes, in which body texts from block *first* on are comments.

    *Shape:* ``(n, len(ROLES))``
    """
    roles = read().copy()
    roles[first:, [_BODY, _COMMENT]] = np.sort(roles[first:, [_BODY, _COMMENT]])
    return roles
