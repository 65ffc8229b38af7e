"""Labels from a clean text for any segmentation: how much of each text leaf of a page came into it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from scrapy_web2text.alignment.tokens.align import align_tokens
from scrapy_web2text.alignment.tokens.tokens import TokenText, read_tokens
from scrapy_web2text.arrays import BoolArray, IntArray
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence

__all__ = ["LeafCoverage", "cover_leaves", "label_blocks", "shown_leaves"]


GOOD_COVERAGE: Final = 0.8
_MAX_ROUNDS: Final = 12
_LEAST_SHARE: Final = 0.34
_LEAST_LATE_SHARE: Final = 0.8
_LEAST_RUN: Final = 3  # tokens
_NEAR: Final = 5  # leaves
_MARK: Final = -2  # no token of a page


@dataclass(frozen=True, slots=True, eq=False)
class LeafCoverage:
    """How many tokens of each of m text leaves are in the clean text.

    :param n_covered: *Shape:* ``(m,)``; :param n_tokens: *Shape:* ``(m,)``
    :param coverage: share of the clean text's tokens that were found in leaves that are shown; 1 if it has none.
    """

    n_covered: IntArray
    n_tokens: IntArray
    coverage: float

    @property
    def is_good(self) -> bool:
        """Whether page and clean text belong together."""
        return self.coverage >= GOOD_COVERAGE


def cover_leaves(texts: Sequence[str], clean: str, is_shown: BoolArray | None = None) -> LeafCoverage:
    """Return how much of each text leaf is in the clean text.

    Where the page holds a text more often than the clean text does, the copy counts that stands among other content.
    What the clean text has in another order is found in later rounds, among what the first one left over.

    :param texts: the texts of all leaves of a page, in document order.
    :param is_shown: which leaves come first; the others, such as those that the labeler's blocks leave out, get only
        what these leave over. None for all. *Shape:* ``(len(texts),)``
    """
    numbers: dict[str, int] = {}
    page, gold = read_tokens(texts, numbers), read_tokens([clean], numbers).tokens
    matched = np.full(len(page.tokens), -1, dtype=np.int64)
    if is_shown is None:
        is_shown = np.ones(len(texts), dtype=bool)
    for is_usable in (is_shown, np.ones_like(is_shown)):
        matched = _match_rounds(page, gold, matched, is_usable[page.owners])
    n_covered = page.count(matched >= 0)
    return LeafCoverage(n_covered, page.counts, int(n_covered[is_shown].sum()) / len(gold) if len(gold) else 1.0)


def shown_leaves(page: Page, blocks: BlockSequence) -> BoolArray:
    """Return which leaves of *page* lie in one of the *blocks*. *Shape:* ``(page.n_leaves,)``"""
    is_shown = np.zeros(page.n_leaves, dtype=bool)
    is_shown[blocks.leaves] = True
    return is_shown


def _match_rounds(page: TokenText, gold: IntArray, matched: IntArray, is_usable: BoolArray) -> IntArray:
    """Return *matched* with what else of the clean text is found among the usable tokens. *Shapes:* ``(n,)``"""
    is_first = not (matched >= 0).any()
    for _ in range(_MAX_ROUNDS):
        found = _align_rest(page, gold, matched, is_usable)
        if not (found >= 0).any():
            break
        is_credible = _are_credible(page, found, matched, len(gold), is_first=is_first)
        if not is_first:  # what is refused among leftovers stays refused, so that others get their turn
            is_usable = is_usable & (is_credible | (page.count(found >= 0) == 0)[page.owners])
        matched = np.maximum(matched, np.where(is_credible, found, -1))
        is_first = False
    return matched


def _align_rest(page: TokenText, gold: IntArray, matched: IntArray, is_usable: BoolArray) -> IntArray:
    """Return the position in *gold* of each token of the page; only leaves and positions without a match count."""
    found = np.full(len(page.tokens), -1, dtype=np.int64)
    free = np.flatnonzero((page.count(matched >= 0) == 0)[page.owners] & is_usable)
    is_used = _are_used(matched, len(gold))
    kept = ~is_used
    kept[1:] |= ~is_used[:-1]  # a used token behind an unused one stays, as a mark that something is missing
    positions = np.flatnonzero(kept)
    if not len(free) or not len(positions):
        return found
    cuts = np.ones(len(free) + 1, dtype=bool)
    cuts[1:-1] = np.diff(page.owners[free]) > 0
    aligned = align_tokens(page.tokens[free], np.where(is_used, _MARK, gold)[positions], cuts)
    found[free] = np.where(aligned >= 0, positions[aligned], -1)
    return found


def _are_credible(page: TokenText, found: IntArray, matched: IntArray, n_gold: int, *, is_first: bool) -> BoolArray:
    """Return which tokens lie in leaves whose matches are more than chance. *Shapes:* ``(n,)`` -> ``(n,)``

    Three tokens in a row are, and so are fewer that fill a hole of the clean text, or stand near other content; among
    leftovers both is asked of them, and that nearly all of the leaf is matched.
    """
    chosen = np.flatnonzero(found >= 0)
    begins = np.ones(len(chosen) + 1, dtype=bool)
    begins[1:-1] = (np.diff(chosen) > 1) | (np.diff(found[chosen]) != 1)
    bounds = np.flatnonzero(begins)
    firsts, lasts = chosen[bounds[:-1]], chosen[bounds[1:] - 1]
    is_long = lasts - firsts >= _LEAST_RUN - 1
    is_used = np.append(_are_used(np.maximum(matched, found), n_gold), True)
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
    """Return which positions have a chosen one at most *n* away. *Shapes:* ``(m,)`` -> ``(m,)``"""
    sums = np.concatenate([[0], np.cumsum(chosen)])
    at = np.arange(len(chosen))
    widened: BoolArray = sums[np.minimum(at + n + 1, len(chosen))] > sums[np.maximum(at - n, 0)]
    return widened


def _are_used(matched: IntArray, n_gold: int) -> BoolArray:
    """Return which tokens of the clean text are matched. *Shape:* ``(n_gold,)``"""
    is_used = np.zeros(n_gold, dtype=bool)
    is_used[matched[matched >= 0]] = True
    return is_used


def label_blocks(blocks: BlockSequence, coverage: LeafCoverage, *, least_share: float = 0.5) -> IntArray:
    """Return the label of each block: CONTENT if at least *least_share* of its tokens are in the clean text.

    A block without tokens, such as a bullet, gets the label of its neighbours if these agree, else BOILERPLATE.

    *Shape:* ``(n_blocks,)``
    """
    n_covered, n_tokens = (
        np.bincount(blocks.leaf_blocks, weights=counts[blocks.leaves], minlength=blocks.n_blocks)
        for counts in (coverage.n_covered, coverage.n_tokens)
    )
    labels = ((n_covered > 0) & (n_covered >= least_share * n_tokens)).astype(np.int64)
    known = np.flatnonzero(n_tokens > 0)
    if len(known):
        unknown = np.flatnonzero(n_tokens == 0)
        behind = np.searchsorted(known, unknown)
        before = labels[known[np.maximum(behind - 1, 0)]]
        after = labels[known[np.minimum(behind, len(known) - 1)]]
        inside = (behind > 0) & (behind < len(known))
        labels[unknown] = before & after & inside
    return labels
