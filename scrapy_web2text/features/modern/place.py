"""Features of where a block stands: in which elements, under which heading, in which repeated slot, how far down."""

from __future__ import annotations

from typing import Final

import numpy as np

from scrapy_web2text.arrays import AnyArray, IntArray
from scrapy_web2text.features.modern.attributes import Mark
from scrapy_web2text.features.modern.context import Context, prefix_sums, share, tag_bits
from scrapy_web2text.page.arrays import tag_ids

__all__ = [
    "group_features",
    "heading_features",
    "inside_features",
    "last_headings",
    "position_features",
    "slot_groups",
]

_INSIDE: Final = (
    *(("article",), ("main",), ("nav",), ("header",), ("footer",), ("aside",), ("section",), ("form",), ("table",)),
    *(("ul", "ol"), ("li",), ("dl",), ("blockquote",), ("pre",), ("code",), ("figure",), ("figcaption",)),
    *(("button",), ("label",), ("a",), ("details",), ("address",), ("th",), ("p",), ("noscript",), ("td",)),
    *(("h1", "h2", "h3", "h4", "h5", "h6"), ("dialog",), ("strong", "b"), ("small",), ("time",), ("summary",)),
    *(("fieldset",), ("menu",), ("search",), ("center", "font")),
)
_CONTAINER_NAMES: Final = (
    *("p", "div", "li", "td", "th", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "blockquote", "figcaption", "dt", "dd"),
    *("section", "article", "button", "caption", "summary", "address", "footer", "header", "nav", "aside", "form"),
    *("body", "tr", "main", "center", "#custom"),
)
_CONTAINER_NUMBERS: Final = tag_ids(_CONTAINER_NAMES)
_IN_NAMES: Final = (*(f"in_{mark.name}".lower() for mark in Mark), *(f"in_{tags[0]}" for tags in _INSIDE))
_IS_NAMES: Final = tuple(f"is_{tag}" for tag in _CONTAINER_NAMES)
_INSIDE_BITS: Final = tag_bits(_INSIDE)
_HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")


def inside_features(context: Context) -> dict[str, AnyArray]:
    """Return in which kinds of elements each block lies, and of which it is. *Shapes:* ``(n,)``"""
    shift = len(Mark)
    bits = context.attributes.marks | _INSIDE_BITS[context.page.tags] << shift
    above = context.ancestor_unions(bits)[context.owners]
    container_tags = context.page.tags[context.containers]
    are_in = above >> np.arange(shift + len(_INSIDE))[:, None] & 1
    are_of = container_tags == _CONTAINER_NUMBERS[:, None]
    return dict(zip(_IN_NAMES, are_in, strict=True)) | dict(zip(_IS_NAMES, are_of, strict=True))


def slot_groups(context: Context) -> IntArray:
    """Return which blocks stand in the same slot of the page's template: numbers from 0. *Shape:* ``(2, n)``

    Blocks share a slot if the tags (and, in the second grouping, the classes) of all elements above them are the same.
    """
    tags = (context.page.tags.astype(np.uint64) + np.uint64(1)) * np.uint64(0xC2B2AE3D27D4EB4F)
    depth_factors = 2 * context.depths.astype(np.uint64) + np.uint64(1)
    groups = []
    for keys in (tags, tags ^ context.attributes.classes * np.uint64(0x9E3779B97F4A7C15)):
        paths = context.path_sums(keys * depth_factors)[context.containers]
        groups.append(np.unique(paths, return_inverse=True)[1])
    stacked: IntArray = np.stack(groups)
    return stacked


def group_features(context: Context, slots: IntArray) -> dict[str, AnyArray]:
    """Return how often the slot of each block is repeated on the page, and what stands there. *Shapes:* ``(n,)``

    :param slots: as `slot_groups` gives them. *Shape:* ``(2, n)``
    """
    counts = context.counts
    columns: dict[str, AnyArray] = {}
    position = np.arange(context.n)
    for name, groups in zip(("tags", "classes"), slots, strict=True):
        sizes, words = np.bincount(groups), np.bincount(groups, counts.words)
        linked = np.bincount(groups, counts.linked_words)
        order = np.argsort(groups, kind="stable")
        starts = np.cumsum(sizes) - sizes
        first, last = order[starts], order[starts + sizes - 1]
        ranks = np.empty(context.n)
        ranks[order] = position - np.repeat(starts, sizes)
        columns |= {
            f"{name}.log_size": np.log(sizes)[groups] / 3,
            f"{name}.mean_words": np.log1p(words / sizes)[groups] / 3,
            f"{name}.word_share": share(words, counts.words.sum())[groups],
            f"{name}.link_density": share(linked, words)[groups],
            f"{name}.long_share": share(np.bincount(groups, counts.long_words), words)[groups],
            f"{name}.rank": ranks / sizes[groups],
            f"{name}.spread": ((last - first) / max(context.n, 1))[groups],
        }
    return columns


def last_headings(context: Context) -> IntArray:
    """Return the last heading at or before each block, -1 for none. *Shape:* ``(n,)``"""
    is_heading = context.page.tags_in(_HEADINGS)[context.containers]
    headings: IntArray = np.maximum.accumulate(np.where(is_heading, np.arange(context.n), -1))
    return headings


def heading_features(context: Context) -> dict[str, AnyArray]:
    """Return under which kind of heading each block stands, and how far. *Shapes:* ``(n,)``"""
    n = context.n
    last = last_headings(context)
    levels = np.zeros(n)
    for level, tag in enumerate(_HEADINGS, start=1):
        levels[context.page.tags_in({tag})[context.containers]] = level
    words = prefix_sums(context.counts.words)
    position = np.arange(n)
    next_heading = n - 1 - np.maximum.accumulate(np.where(levels[::-1] > 0, position, -1))[::-1]
    return {
        "no_heading": last < 0,
        "heading_level": np.where(last < 0, 0, levels[last]) / 6,
        "under_h1": (last >= 0) & (levels[last] == 1),
        "under_h2": (last >= 0) & (levels[last] == 2),
        "under_h3": (last >= 0) & (levels[last] == 3),
        "blocks_since_heading": np.log1p(position - np.maximum(last, 0)) / 4,
        "words_since_heading": np.log1p(words[:-1] - words[np.maximum(last, 0)]) / 6,
        "to_next_heading": np.log1p(next_heading - position) / 4,
    }


def position_features(context: Context) -> dict[str, AnyArray]:
    """Return how far down the page and how deep each block stands, and what is around it. *Shapes:* ``(n,)``"""
    n, page = context.n, context.page
    position = np.arange(n)
    words = prefix_sums(context.counts.words)
    slots = page.leaf_slots[context.blocks.leaves[context.blocks.starts]]

    def elements_since(*tags: str) -> AnyArray:
        """Count elements between the block before and this one; what lies before the first counts for it."""
        before = np.searchsorted(np.sort(page.open_slots[page.tags_in(tags)]), slots)
        return np.diff(before, prepend=0)

    links = np.flatnonzero(page.tags_in({"a"}))
    last_slots = page.leaf_slots[context.blocks.leaves[context.blocks.ends - 1]]
    near = np.minimum(np.searchsorted(last_slots, page.open_slots[links]), n - 1)
    n_links = np.bincount(near, minlength=n)
    inside = np.bincount(near, context.attributes.leads_inside[links], minlength=n)
    outside = np.bincount(near, context.attributes.leads_outside[links], minlength=n)
    return {
        "position": position / n,
        "log_position": np.log1p(position) / 5,
        "log_from_end": np.log1p(n - 1 - position) / 5,
        "words_before": share(words[:-1], words[-1]),
        "log_words_before": np.log1p(words[:-1]) / 6,
        "log_words_after": np.log1p(words[-1] - words[1:]) / 6,
        "depth": np.minimum(context.depths[context.containers], 40) / 20,
        "log_images_since": np.log1p(elements_since("img", "picture", "svg", "video", "iframe")),
        "log_inputs_since": np.log1p(elements_since("input", "select", "textarea")),
        "breaks_since": np.minimum(elements_since("br"), 3) / 2,
        "rules_since": np.minimum(elements_since("hr"), 1),
        "log_links": np.log1p(n_links),
        "links_inside": share(inside, n_links),
        "links_outside": share(outside, n_links),
    }
