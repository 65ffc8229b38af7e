"""The measures of the blocks of a page, and the function that writes columns from them.

Each ``measure_…`` takes a `Context` of n blocks, and sets the `Rows` of a table. If ``_measures.pyx`` is compiled, its
functions replace the functions listed at the end of this module.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import AnyArray, DoubleArray, FloatArray, IntArray
from scrapy_web2text.common.compiled import use_compiled
from scrapy_web2text.features.characters import CharacterClass
from scrapy_web2text.features.modern.context import Context
from scrapy_web2text.features.texts import count_among
from scrapy_web2text.page.tags import HEADING_TAGS, TAG_NAMES, tag_ids

_BEGINNINGS: Final = {
    "begins_upper": CharacterClass.UPPER,
    "begins_digit": CharacterClass.DIGIT,
    "begins_letter": CharacterClass.LETTER,
}
_ENDS: Final = {
    "ends_full_stop": CharacterClass.FULL_STOP,
    "ends_comma": CharacterClass.COMMA,
    "ends_letter": CharacterClass.LETTER,
}
H1: Final = TAG_NAMES.index("h1")
# Level of a heading by the number of its tag, 0 for other tags.
_LEVELS: Final = np.zeros(len(TAG_NAMES), dtype=np.int64)
_LEVELS[tag_ids(HEADING_TAGS)] = np.arange(1, 7)
LEAST_LIKENESS: Final = 0.3  # likeness to the title; a block with less does not count as the title


class Rows:
    """The measures of one table, as rows of the matrix of all measures.

    :param places: the row or rows of each measure. The first rows of the matrix hold the counts `COUNT_NAMES`.
    """

    __slots__ = ("matrix", "places")

    def __init__(self, matrix: DoubleArray, places: Mapping[str, int | slice]) -> None:
        self.matrix = matrix
        self.places = places

    def __setitem__(self, name: str, values: AnyArray | float) -> None:
        """Set a measure. *Shape:* any that broadcasts to ``(n,)`` or, with variants, to ``(len(variants), n)``"""
        self.matrix[self.places[name]] = values


def write_columns(
    matrix: DoubleArray, columns: IntArray, parts: IntArray, wholes: IntArray, factors: DoubleArray, out: FloatArray
) -> None:
    """Write columns from rows of *matrix*: part / factor or, with a whole, part / whole * factor.

    *Shapes:* ``(rows, n)``, ``(c,)`` four times, ``(n, F)``

    :param columns: the columns to write.
    :param parts: the row of the part of each column.
    :param wholes: the row of the whole of each column; -1 for a column without a whole.
    """
    values, totals = matrix.take(parts, axis=0), matrix.take(wholes, axis=0)
    is_ratio, scales = (wholes >= 0)[:, None], factors[:, None]
    ratios = values / np.maximum(totals, 1e-9) * ((totals > 0) * scales)
    out.T[columns] = np.where(is_ratio, ratios, values / scales)


def measure_text(context: Context, rows: Rows) -> None:
    """Measure the characters and words of each block."""
    _measure_characters(context, rows)
    _measure_counts(context.counts, rows)
    rows["n_stopwords"] = context.n_stopwords
    rows["commonness"] = context.commonness
    rows["long_overlap"] = context.n_shared / np.maximum(context.counts["words"] - context.n_stopwords, 1e-9)
    rows["n_copies"] = context.n_copies
    rows["is_repeat"] = context.is_repeat


def _measure_counts(counts: Mapping[str, DoubleArray], rows: Rows) -> None:
    words, letters, upper = counts["words"], counts["letters"], counts["upper"]
    rows["word_length"] = np.minimum(counts["chars"] / np.maximum(words, 1e-9) * (words > 0), 20)
    rows["words_5"] = words >= 5
    rows["words_15"] = words >= 15
    rows["words_40"] = words >= 40
    rows["is_one_word"] = words <= 1
    rows["has_no_word"] = words == 0
    rows["words_of_longest"] = words / max(words.max(), 1)
    rows["is_numeric"] = (letters == 0) & (counts["digits"] > 0)
    rows["is_upper"] = (upper > 1) & (upper >= 0.8 * letters)
    rows["has_currency"] = counts["currency"] > 0
    rows["has_copyright"] = counts["copyrights"] > 0
    rows["has_bar"] = counts["bars"] > 0
    rows["has_at"] = counts["ats"] > 0


def _measure_characters(context: Context, rows: Rows) -> None:
    """Measure the first and the last character that are not whitespace."""
    first = context.edges[context.blocks.starts, 0]
    last, last_code = context.edges[context.blocks.ends - 1, 1:].T
    for name, wanted in _BEGINNINGS.items():
        rows[name] = first & int(wanted) != 0
    for name, wanted in _ENDS.items():
        rows[name] = last & int(wanted) != 0
    rows["ends_question"] = (last_code == ord("?")) | (last_code == ord("\uff1f"))
    rows["ends_ellipsis"] = last_code == ord("…")


def measure_title(context: Context, rows: Rows) -> None:
    """Measure the words that blocks share with the title and the first ``h1``, and the distances from both.

    The likeness is the share of the block's words that the title contains, times the share of the title's words that
    the block contains. Without an ``h1``, the first block counts as ``h1``. Distances are negative before the title or
    the ``h1``.
    """
    hashes, bounds, n_words = context.hashes, context.bounds, np.maximum(context.counts["words"], 1)
    shared = count_among(hashes, bounds, context.title_words)
    covered = np.minimum(shared / max(len({*context.title_words.tolist()}), 1), 1)
    overlap = shared / n_words
    likeness = covered * overlap
    is_h1 = context.container_tags == H1
    h1 = int(is_h1.argmax())  # the first block if none is an h1
    title = int(likeness.argmax())
    if likeness[title] <= LEAST_LIKENESS:
        title = h1
    rows["title_overlap"] = overlap
    rows["title_covered"] = covered
    rows["title_likeness"] = likeness
    rows["h1_overlap"] = count_among(hashes, bounds, hashes[bounds[h1] : bounds[h1 + 1]]) / n_words
    rows["behind_title"] = context.position >= title
    distances = context.position - np.array([[title], [h1]])
    rows["from_title"], rows["from_h1"] = np.sign(distances) * np.log1p(np.abs(distances))
    rows["has_h1"] = is_h1[h1]


def measure_groups(context: Context, rows: Rows) -> None:
    """Measure the groups by tags, and the groups by tags and classes."""
    n, counts = context.n_blocks, context.counts
    # The groups by tags and classes are numbered after the groups by tags.
    first, second = context.groups
    groups = np.concatenate([first, second + (first.max() + 1)])
    sizes = np.bincount(groups)
    order = groups.argsort(kind="stable")
    starts = sizes.cumsum() - sizes
    extents = order[starts + sizes - 1] - order[starts]
    ranks = np.empty(2 * n, dtype=np.int64)
    ranks[order] = np.arange(2 * n) - starts.repeat(sizes)

    def by_block(values: AnyArray) -> AnyArray:
        return values[groups].reshape(2, n)

    words, linked, long = (
        np.bincount(groups, np.concatenate([each, each]))
        for each in (counts["words"], counts["linked_words"], counts["long_words"])
    )
    rows["size"] = by_block(sizes)
    rows["mean_words"] = by_block(words / sizes)
    rows["page_words"] = context.words_before[-1]
    rows["group_words"] = by_block(words)
    rows["group_linked"] = by_block(linked)
    rows["group_long"] = by_block(long)
    rows["rank"] = (ranks / sizes[groups]).reshape(2, n)
    rows["spread"] = by_block(extents / n)


def measure_long_blocks(context: Context, rows: Rows) -> None:
    """Measure the words in long blocks before and after each block, and the distances from long blocks.

    Without a long block, the distance is the number of all blocks.
    """
    n, position, before = context.n_blocks, context.position, context.long_before
    is_long = context.counts["long_words"] > 0
    last = np.maximum.accumulate(np.where(is_long, position, -1))
    next_from_end = np.maximum.accumulate(np.where(is_long[::-1], position, -1))[::-1]
    rows["all_long"] = before[-1]
    rows["before"] = before[:-1]
    rows["after"] = before[-1] - before[1:]
    rows["no_long_before"] = last < 0
    rows["no_long_after"] = next_from_end < 0
    rows["since_last"] = np.where(last < 0, n, position - last)
    rows["to_next"] = np.where(next_from_end < 0, n, n - 1 - next_from_end - position)


def measure_candidates(context: Context, rows: Rows) -> None:
    """Measure where each block is relative to two nodes of the CDOM, each of which is a variant of the table.

    A candidate is the node with the largest ``gain * (gain / cost) ** power``. The gain of a node is its number of
    words in long blocks; its cost is the sum of its words, its linked words and its blocks. The powers are 1 and 3.
    """
    cdom, position, words = context.cdom, context.position, context.words_before
    # A page of a single block has no node; the last entry is the whole page.
    first, stop = np.append(cdom.first_leaves, 0), np.append(cdom.last_leaves + 1, context.n_blocks)
    gain, n_words, n_linked = (each[stop] - each[first] for each in (context.long_before, words, context.linked_before))
    density = gain / np.maximum(n_words + n_linked + (stop - first), 1e-9)
    bonus = 1e-3 * np.append(cdom.node_depths, 0) * (gain > 0)  # prefers the deepest of nodes with nearly equal values
    best = [np.argmax(gain * power + bonus) for power in (density, density * density * density)]
    start, end = first[best][:, None], stop[best][:, None]
    rows["is_inside"] = (position >= start) & (position < end)
    rows["is_after"] = position >= end
    rows["distance"] = np.maximum(np.maximum(start - position, position - end + 1), 0)
    rows["progress"] = np.minimum(np.maximum((position - start) / np.maximum(end - start, 1), 0), 1)
    rows["word_share"] = (words[end] - words[start]) / np.maximum(words[-1], 1e-9)


def measure_headings(context: Context, rows: Rows) -> None:
    """Measure the level of the last heading at or before the block, and the distances from headings.

    Without a heading before the block, the level is 0, and the distance counts from the first block. Without a heading
    after the block, the distance counts to the end.
    """
    last, position, words = context.headings, context.position, context.words_before
    levels = _LEVELS[context.container_tags]
    level = np.where(last < 0, 0, levels[last])
    since = np.maximum(last, 0)
    backwards = np.maximum.accumulate(np.where(levels[::-1] > 0, position, -1))
    rows["no_heading"] = level == 0
    rows["level"] = level
    for number, name in enumerate(("under_h1", "under_h2", "under_h3"), 1):
        rows[name] = level == number
    rows["blocks_since"] = position - since
    rows["words_since"] = words[:-1] - words[since]
    rows["blocks_to_next"] = context.n_blocks - 1 - backwards[::-1] - position


def measure_neighbors(context: Context, rows: Rows) -> None:
    """Measure the pair of each block and the block before it, and the pair of each block and the block after it.

    The measures are: the levels from the first block of the pair up to the lowest common node; the levels from there
    down to the second block; whether both have the same container tag; and whether both are equally deep below the
    common node. Levels are 0 at the ends of the page.
    """
    cdom, n, tags = context.cdom, context.n_blocks, context.container_tags
    depth = np.append(cdom.node_depths, -1)[cdom.leaf_parents] + 1
    meeting = np.append(cdom.node_depths, 0)[cdom.common_ancestors]
    up, down = depth[:-1] - meeting, depth[1:] - meeting
    # Pair i has the blocks i - 1 and i; the first and the last pair lack a block.
    pairs = np.zeros((4, n + 1))
    is_sibling, is_alike = (up == 1) & (down == 1), (tags[1:] == tags[:-1]) & (up == down)
    pairs[:, 1:-1] = np.minimum(up, 8), np.minimum(down, 8), is_sibling, is_alike
    for name, of_pairs in zip(("up", "down", "are_siblings", "are_alike"), pairs, strict=True):
        rows[name] = np.array([of_pairs[:-1], of_pairs[1:]])


IN_PYTHON: Final = use_compiled(
    __name__, write_columns, measure_text, measure_title, measure_groups, measure_candidates
)
