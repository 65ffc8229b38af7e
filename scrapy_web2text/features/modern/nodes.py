"""Features of the nodes above a block: the five nearest in the CDOM, the page's best candidate, the whole page."""

from __future__ import annotations

import math
from functools import cache
from typing import Final

import numpy as np

from scrapy_web2text.arrays import AnyArray, IntArray
from scrapy_web2text.features.modern.context import Context, prefix_sums, share, tag_bits
from scrapy_web2text.page.arrays import TAG_NAMES, tag_ids

__all__ = ["ancestor_features", "candidate_features", "page_features", "transition_features"]

N_LEVELS: Final = 5
_NODE_TAGS: Final = (
    ("article",),
    ("main",),
    ("section",),
    ("aside",),
    ("nav",),
    ("header",),
    ("footer",),
    ("form",),
    ("ul", "ol", "dl"),
    ("li", "dd", "dt"),
    ("table", "tbody"),
    ("tr", "td", "th"),
    ("p", "blockquote"),
)
_PAGE_TAGS: Final = (
    *("article", "main", "p", "li", "table", "pre", "h1", "h2", "h3", "form", "img", "button", "a", "input", "select"),
    *("iframe", "video", "nav", "time", "dt"),
)


_NODE_BITS: Final = tag_bits(_NODE_TAGS)
_PAGE_NUMBERS: Final = tag_ids(_PAGE_TAGS)
_PAGE_TAG_COLUMNS: Final = tuple(f"page.log_{tag}" for tag in _PAGE_TAGS)


def ancestor_features(context: Context) -> dict[str, AnyArray]:
    """Return what the five nearest nodes above each block are like. *Shapes:* ``(n,)``

    Where a block has fewer nodes above it, all columns of the missing ones are 0.
    """
    cdom = context.cdom
    names, table = _node_table(context)
    table = np.append(table, np.zeros((len(names), 1)), axis=1)  # index -1: no node
    words = prefix_sums(context.counts.words)
    node_words = words[cdom.last_leaves + 1] - words[cdom.first_leaves]
    parents = np.append(cdom.node_parents, -1)
    first_leaves = np.append(cdom.first_leaves, 0)
    node_words = np.append(node_words, 0)
    columns: dict[str, AnyArray] = {}
    child_start = np.arange(context.n)
    node = cdom.leaf_parents
    for level_names in _level_names((*names, "progress")):
        before = words[child_start] - words[first_leaves[node]]
        progress = share(before, node_words[node]) * (node >= 0)
        columns |= zip(level_names, [*table.take(node, axis=1, mode="wrap"), progress], strict=True)
        child_start = np.where(node >= 0, first_leaves[node], child_start)
        node = parents[node]
    return columns


@cache
def _level_names(names: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(f"up{level}.{name}" for name in names) for level in range(1, N_LEVELS + 1))


def _node_table(context: Context) -> tuple[list[str], AnyArray]:
    """Return names and values of the columns of all inner nodes. *Shape:* ``(columns, g)``"""
    cdom, page, counts = context.cdom, context.page, context.counts
    first, stop = cdom.first_leaves, cdom.last_leaves + 1
    sums = prefix_sums(counts.stack())
    totals = dict(zip(counts.__slots__, sums[:, stop] - sums[:, first], strict=True))
    words, n_blocks = totals["words"], (stop - first).astype(np.float64)
    tops = cdom.chain_elements[cdom.node_chains[:, 0]]
    ends = page.ends[tops]

    def elements_below(*tags: str) -> AnyArray:
        positions = np.flatnonzero(page.tags_in(tags))
        return np.searchsorted(positions, ends) - np.searchsorted(positions, tops)

    n_children = _count_children(cdom.node_parents, cdom.leaf_parents, cdom.n_nodes)
    tags = cdom.unite(_NODE_BITS[page.tags], cdom.node_chains)
    alike, alike_words = _siblings_alike(context, tops, words)
    columns = {
        "log_words": np.log1p(words) / 4,
        "log_blocks": np.log(n_blocks) / 3,
        "log_words_per_block": np.log1p(words / n_blocks) / 2,
        "word_share": share(words, counts.words.sum()),
        "link_density": share(totals["linked_words"], words),
        "full_stops": share(totals["full_stops"], words) * 10,
        "commas": share(totals["commas"], words) * 10,
        "digits": share(totals["digits"], totals["chars"]) * 5,
        "long_share": share(totals["long_words"], words),
        "p_per_block": np.minimum(elements_below("p") / n_blocks, 2),
        "headings_per_block": np.minimum(elements_below("h2", "h3", "h4") / n_blocks, 1),
        "images_per_block": np.minimum(elements_below("img", "picture", "svg") / n_blocks, 2),
        "log_inputs": np.log1p(elements_below("input", "select", "textarea", "button")),
        "log_children": np.log(np.maximum(n_children, 1)) / 2,
        "log_alike": np.log1p(alike) / 2,
        "log_words_alike": np.log1p(alike_words) / 3,
        **{f"is_{names[0]}": tags >> bit & 1 for bit, names in enumerate(_NODE_TAGS)},
    }
    return list(columns), np.stack(list(columns.values()))


def _count_children(node_parents: IntArray, leaf_parents: IntArray, n_nodes: int) -> AnyArray:
    inner, leaves = node_parents[node_parents >= 0], leaf_parents[leaf_parents >= 0]
    return np.bincount(inner, minlength=n_nodes) + np.bincount(leaves, minlength=n_nodes)


def _siblings_alike(context: Context, tops: IntArray, words: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Return how many other nodes have the same parent, tag and class, and the mean words of all of them."""
    keys = (
        context.parents[tops].astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        + context.page.tags[tops].astype(np.uint64) * np.uint64(0xC2B2AE3D27D4EB4F)
        + context.attributes.classes[tops]
    )
    _, groups, sizes = np.unique(keys, return_inverse=True, return_counts=True)
    mean_words = np.bincount(groups, words) / sizes if len(groups) else np.zeros(0)
    return (sizes - 1.0)[groups], mean_words[groups]


def candidate_features(context: Context) -> dict[str, AnyArray]:
    """Return where blocks lie relative to the node that looks most like the main content. *Shapes:* ``(n,)``

    It is the node with the most words in long blocks, discounted by the words, links and blocks that come with them.
    """
    cdom, counts = context.cdom, context.counts
    n = context.n
    columns: dict[str, AnyArray] = {}
    long, words, linked = (prefix_sums(x) for x in (counts.long_words, counts.words, counts.linked_words))
    first, stop = np.append(cdom.first_leaves, 0), np.append(cdom.last_leaves + 1, n)
    depths = np.append(cdom.node_depths, 0)
    position = np.arange(n)
    for name, power in (("candidate", 1.0), ("tight_candidate", 3.0)):
        gain = long[stop] - long[first]
        cost = words[stop] - words[first] + (linked[stop] - linked[first]) + (stop - first)
        best = int(np.argmax(gain * share(gain, cost) ** power + 1e-3 * depths * (gain > 0)))
        start, end = int(first[best]), int(stop[best])
        columns |= {
            f"in_{name}": (position >= start) & (position < end),
            f"behind_{name}": position >= end,
            f"from_{name}": np.log1p(np.maximum(np.maximum(start - position, position - end + 1), 0)) / 4,
            f"progress_{name}": np.clip((position - start) / max(end - start, 1), 0, 1),
            f"{name}_share": np.full(n, share(words[end] - words[start], words[-1])),
        }
    before = share(long[:-1], long[-1])
    after = share(long[-1] - long[1:], long[-1])
    last_long = np.maximum.accumulate(np.where(counts.long_words > 0, position, -1))
    next_long = n - 1 - np.maximum.accumulate(np.where(counts.long_words[::-1] > 0, position, -1))[::-1]
    return columns | {
        "long_words_before": before,
        "long_words_after": after,
        "no_long_before": last_long < 0,
        "no_long_after": next_long >= n,
        "from_last_long": np.log1p(np.where(last_long < 0, n, position - last_long)) / 4,
        "to_next_long": np.log1p(np.where(next_long >= n, n, next_long - position)) / 4,
    }


def transition_features(context: Context) -> dict[str, AnyArray]:
    """Return how each block hangs together with the one before and the one behind it. *Shapes:* ``(n,)``"""
    cdom = context.cdom
    n = context.n
    depth = np.append(cdom.node_depths, -1)[cdom.leaf_parents] + 1
    meeting = np.append(cdom.node_depths, 0)[cdom.common_ancestors] if n > 1 else np.zeros(0)
    up, down = np.zeros(n + 1), np.zeros(n + 1)
    up[1:-1], down[1:-1] = depth[:-1] - meeting, depth[1:] - meeting
    container_tags = context.page.tags[context.containers]
    same = np.zeros(n + 1, dtype=bool)
    same[1:-1] = (container_tags[1:] == container_tags[:-1]) & (up[1:-1] == down[1:-1])
    columns: dict[str, AnyArray] = {}
    for name, pairs in (("before", slice(0, n)), ("behind", slice(1, n + 1))):
        columns |= {
            f"up_{name}": np.minimum(up[pairs], 8) / 4,
            f"down_{name}": np.minimum(down[pairs], 8) / 4,
            f"siblings_{name}": (up[pairs] == 1) & (down[pairs] == 1),
            f"alike_{name}": same[pairs],
        }
    return columns


def page_features(context: Context) -> dict[str, AnyArray]:
    """Return what the page is like as a whole, the same for all its blocks. *Shapes:* ``(n,)``"""
    counts, page = context.counts, context.page
    totals = dict(zip(counts.__slots__, counts.stack().sum(axis=1).tolist(), strict=True))
    words, chars, n = totals["words"], totals["chars"], context.n
    values = {
        "page.log_blocks": math.log(n) / 4,
        "page.log_words": math.log1p(words) / 5,
        "page.link_density": totals["linked_words"] / max(words, 1),
        "page.words_per_block": math.log1p(words / n) / 2,
        "page.long_share": totals["long_words"] / max(words, 1),
        "page.full_stops": totals["full_stops"] / max(words, 1) * 10,
        "page.digits": totals["digits"] / max(chars, 1) * 5,
        "page.letters": totals["letters"] / max(chars, 1),
        "page.word_length": min(chars / max(words, 1), 20) / 10,
        "page.currency_per_block": np.count_nonzero(counts.currency) / n,
        "page.blocks_with_long": np.count_nonzero(counts.long_words) / n,
    }
    tag_counts = np.bincount(page.tags, minlength=len(TAG_NAMES))[_PAGE_NUMBERS].tolist()
    values |= {name: math.log1p(count) / 3 for name, count in zip(_PAGE_TAG_COLUMNS, tag_counts, strict=True)}
    rows = np.repeat(np.array([*values.values()])[:, None], n, axis=1)
    return dict(zip(values, rows, strict=True))
