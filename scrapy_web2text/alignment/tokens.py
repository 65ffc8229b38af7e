"""Finds which words of a page are in its clean text, by aligning words, and labels blocks of any segmentation.

Runs of tokens that occur once in the page and once in the clean text are matched first (anchors). The gaps between them
are aligned by dynamic programming. A clean text is made by leaving out whole leaves of the page, so skipping from one
leaf to another costs less than skipping inside a leaf. Further rounds find text that is in another order.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from scrapy_web2text.alignment.gaps import JoinedTexts
from scrapy_web2text.alignment.token_matches import align_tokens
from scrapy_web2text.common.arrays import BoolArray, IntArray, mark_changes, sum_spans
from scrapy_web2text.features.characters import UNSPACED_CLASS
from scrapy_web2text.page.blocks import BlockSequence, mask_to_labels


def label_blocks(blocks: BlockSequence, coverage: LeafCoverage) -> IntArray:
    """Return the label of each block: CONTENT if at least half of its tokens are in the clean text.

    A block without tokens, such as a bullet, gets the label of its neighbors if they agree, else BOILERPLATE.

    *Shape:* ``(n_blocks,)``
    """
    n_covered, n_tokens = blocks.sum_leaves(coverage.n_covered), blocks.sum_leaves(coverage.n_tokens)
    labels = mask_to_labels((n_covered > 0) & (2 * n_covered >= n_tokens))
    known = np.flatnonzero(n_tokens > 0)
    if len(known):
        unknown = np.flatnonzero(n_tokens == 0)
        following = np.searchsorted(known, unknown)
        before = labels[known[np.maximum(following - 1, 0)]]
        after = labels[known[np.minimum(following, len(known) - 1)]]
        is_between = (following > 0) & (following < len(known))
        labels[unknown] = before & after & is_between
    return labels


_GOOD_COVERAGE: Final = 0.8
_MAX_ROUNDS: Final = 12
_LEAST_SHARE: Final = 0.34
_LEAST_LATE_SHARE: Final = 0.8
_LEAST_RUN: Final = 3  # tokens
_NEAR: Final = 5  # leaves
_MARK: Final = -2  # equal to no token of a page


@dataclass(frozen=True, slots=True, eq=False)
class LeafCoverage:
    """How many tokens of each of m text leaves are in the clean text.

    :param n_covered: number of tokens of each leaf that are in the clean text. *Shape:* ``(m,)``
    :param n_tokens: number of all tokens of each leaf. *Shape:* ``(m,)``
    :param coverage: share of the clean text's tokens that were found in shown leaves; 1 if it has no tokens.
    """

    n_covered: IntArray
    n_tokens: IntArray
    coverage: float

    @property
    def is_good(self) -> bool:
        """Whether the clean text belongs to the page: at least 80 % of its tokens were found."""
        return self.coverage >= _GOOD_COVERAGE


def cover_leaves(texts: Sequence[str], clean_text: str, is_shown: BoolArray | None = None) -> LeafCoverage:
    """Return how much of each text leaf is in the clean text.

    If the page repeats a text, as many copies count as the clean text has, preferably copies among other content.
    Leaves whose order differs from the clean text are found in later rounds, among the tokens that are not matched yet.

    :param is_shown: which leaves are aligned first, None for all. Other leaves, such as leaves outside the blocks of a
        labeler, are aligned with the rest of the clean text. *Shape:* ``(len(texts),)``
    """
    numbers: dict[str, int] = {}
    page, clean = read_tokens(texts, numbers), read_tokens([clean_text], numbers).tokens
    matched = np.full(len(page.tokens), -1, dtype=np.int64)
    if is_shown is None:
        is_shown = np.ones(len(texts), dtype=bool)
    for is_usable in (is_shown, np.ones_like(is_shown)):
        matched = _match_rounds(page, clean, matched, is_usable[page.owners])
    n_covered = page.count(matched >= 0)
    return LeafCoverage(n_covered, page.counts, int(n_covered[is_shown].sum()) / len(clean) if len(clean) else 1.0)


def _match_rounds(page: TokenText, clean: IntArray, matched: IntArray, is_usable: BoolArray) -> IntArray:
    """Return *matched* with more matches, which are found among the usable tokens. *Shapes:* ``(n,)``

    :param clean: the tokens of the clean text. *Shape:* ``(m,)``
    :param matched: position in *clean* of each token of the page, -1 for none.
    """
    is_first = not (matched >= 0).any()
    for _ in range(_MAX_ROUNDS):
        found = _align_rest(page, clean, matched, is_usable)
        if not (found >= 0).any():
            break
        is_credible = _find_credible(page, found, matched, len(clean), is_first=is_first)
        if not is_first:  # a refused leaf is not tried again, so that other leaves can match its tokens
            is_usable = is_usable & (is_credible | (page.count(found >= 0) == 0)[page.owners])
        matched = np.maximum(matched, np.where(is_credible, found, -1))
        is_first = False
    return matched


def _align_rest(page: TokenText, clean: IntArray, matched: IntArray, is_usable: BoolArray) -> IntArray:
    """Return the position in *clean* of each token of the page, for leaves and positions without a match; else -1.

    *Shape:* ``(n,)``
    """
    found = np.full(len(page.tokens), -1, dtype=np.int64)
    free = np.flatnonzero((page.count(matched >= 0) == 0)[page.owners] & is_usable)
    is_used = _mark_used(matched, len(clean))
    kept = ~is_used
    kept[1:] |= ~is_used[:-1]  # a used token after an unused token stays, as a mark that something is missing
    positions = np.flatnonzero(kept)
    if not len(free) or not len(positions):
        return found
    cuts = np.append(mark_changes(page.owners[free]), True)
    aligned = align_tokens(page.tokens[free], np.where(is_used, _MARK, clean)[positions], cuts)
    found[free] = np.where(aligned >= 0, positions[aligned], -1)
    return found


def _find_credible(page: TokenText, found: IntArray, matched: IntArray, n_clean: int, *, is_first: bool) -> BoolArray:
    """Return which tokens lie in leaves whose matches are more than chance. *Shapes:* ``(n,)`` -> ``(n,)``

    In the first round, 34 % of the leaf's tokens must be in credible runs. A run is credible if it has at least three
    tokens, fills a hole in the clean text, or is near other content. In later rounds, a shorter run must both fill a
    hole and be near other content, and credible runs must make up 80 % of the leaf.
    """
    chosen = np.flatnonzero(found >= 0)
    begins = np.ones(len(chosen) + 1, dtype=bool)
    begins[1:-1] = (np.diff(chosen) > 1) | (np.diff(found[chosen]) != 1)
    bounds = np.flatnonzero(begins)
    firsts, lasts = chosen[bounds[:-1]], chosen[bounds[1:] - 1]
    is_long = lasts - firsts >= _LEAST_RUN - 1
    is_used = np.append(_mark_used(np.maximum(matched, found), n_clean), True)
    fills_hole = is_used[found[firsts] - 1] & is_used[found[lasts] + 1]
    is_content = page.count(matched >= 0) > 0
    if is_first:
        is_content[page.owners[firsts[is_long]]] = True
    is_near = _widen(is_content, _NEAR)[page.owners[firsts]]
    is_good = is_long | (fills_hole | is_near if is_first else fills_hole & is_near)
    in_good = np.zeros(len(found), dtype=bool)
    in_good[chosen] = np.repeat(is_good, np.diff(bounds))
    least_share = _LEAST_SHARE if is_first else _LEAST_LATE_SHARE
    return (page.count(in_good) >= least_share * page.counts)[page.owners]


def _widen(chosen: BoolArray, n: int) -> BoolArray:
    """Return which positions are at most *n* away from a chosen position. *Shapes:* ``(m,)`` -> ``(m,)``"""
    at = np.arange(len(chosen))
    return sum_spans(chosen, np.maximum(at - n, 0), np.minimum(at + n + 1, len(chosen))) > 0


def _mark_used(matched: IntArray, n_clean: int) -> BoolArray:
    """Return which tokens of the clean text are matched. *Shape:* ``(n_clean,)``"""
    is_used = np.zeros(n_clean, dtype=bool)
    is_used[matched[matched >= 0]] = True
    return is_used


_TOKEN: Final = re.compile(rf"[{UNSPACED_CLASS}]|[^\W\d_{UNSPACED_CLASS}]+|\d+")
# Invisible characters: soft hyphens, joiners, direction marks, byte order marks.
_INVISIBLE: Final = dict.fromkeys((0xAD, *range(0x200B, 0x2010), *range(0x202A, 0x202F), 0x2060, 0xFEFF))


@dataclass(frozen=True, slots=True, eq=False)
class TokenText(JoinedTexts):
    """Texts as numbers of tokens, one text after the other; equal tokens have equal numbers. *Shape:* ``(n,)``"""

    tokens: IntArray

    @property
    def counts(self) -> IntArray:
        """Number of tokens of each text. *Shape:* ``(number of texts,)``"""
        return np.diff(self.starts)

    @property
    def owners(self) -> IntArray:
        """The number of the text of each token. *Shape:* ``(n,)``"""
        return np.repeat(np.arange(len(self.counts)), self.counts)


def read_tokens(texts: Sequence[str], numbers: dict[str, int]) -> TokenText:
    """Return *texts* as tokens: words, digits, and letters of unspaced scripts; new tokens are added to *numbers*."""
    tokens: list[int] = []
    starts = [0]
    for text in texts:
        words = _TOKEN.findall(_normalize(text))
        tokens.extend([numbers.setdefault(word, len(numbers)) for word in words])
        starts.append(len(tokens))
    return TokenText(np.array(starts, dtype=np.int64), np.array(tokens, dtype=np.int64))


def _normalize(text: str) -> str:
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.translate(_INVISIBLE))
    return text.lower()
