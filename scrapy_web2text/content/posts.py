"""The posts of a forum, and the comments below an article, with authors and dates if the page marks them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import BoolArray
from scrapy_web2text.common.budget import watched
from scrapy_web2text.content.text import write_blocks
from scrapy_web2text.extraction import Post
from scrapy_web2text.labelers.base import Labeling
from scrapy_web2text.labelers.roles import has_role
from scrapy_web2text.labelers.selector import drop_hidden, exclude_elements
from scrapy_web2text.options import Options
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence, labels_to_mask, mask_to_labels
from scrapy_web2text.page.hidden import mark_hidden_slots
from scrapy_web2text.page.tags import HEADING_TAGS

_Key = tuple[str, str]  # a kind of elements: their tag, and one of their class names without digits

_MOST_LEVELS: Final = 20  # levels of elements around a block
_MOST_NAMES: Final = 4  # class names of an element
_AROUND: Final = 8  # blocks before the first text and after the last that may belong to its post
_LEAST_COVERED: Final = 0.8  # share of the texts that the elements of a kind must hold, if each holds a post
_DIGITS: Final = re.compile(r"\d+")
_AUTHOR: Final = re.compile(r"author|user|name|nick|poster|member|\b(?:fn|who|by)\b", re.IGNORECASE)
_NOT_AUTHOR: Final = re.compile(r"title|rank|role|status|group|count|join", re.IGNORECASE)
_BY: Final = re.compile(r"(?:(?:posted|written)\s+)?(?:by|von|par|por)|says|said|wrote|reply", re.IGNORECASE)
_DATE: Final = re.compile(r"date|time|\b(?:when|ago)\b", re.IGNORECASE)
_NOT_DATE: Final = re.compile(r"join|regist|birth|active", re.IGNORECASE)
_SIGNS: Final = "@ :,»|·•–-"  # signs that are dropped around an author or a date
_LONGEST: Final = 120  # characters of an author, of a date, and of the names of an element
_LONGEST_TIME: Final = 40  # characters


def find_posts(page: Page, labeling: Labeling, options: Options) -> dict[str, tuple[Post, ...]]:
    """Return the posts of a forum and the comments of readers by field, if *options* ask for them.

    Text that the options exclude and hidden text are not part of them.
    """
    found = {}
    if options.posts and labeling.page_type is not None and labeling.page_type[0] == "forum":
        others = has_role(labeling, "title", "byline", "post_header", "tags", "related")
        found["posts"] = labels_to_mask(labeling.labels) & ~others
    if options.comments == "separate":
        found["comments"] = has_role(labeling, "comment")
    posts = {}
    for name, is_text in found.items():
        chosen = exclude_elements(page, replace(labeling, labels=mask_to_labels(is_text)), options.exclude)
        shown = drop_hidden(page, chosen, options.hidden)
        unseen = None if options.hidden == "keep" else mark_hidden_slots(page, shown.blocks.leaves)
        posts[name] = list_posts(page, shown.blocks, labels_to_mask(shown.labels), unseen)
    return {name: each for name, each in posts.items() if each}


def list_posts(
    page: Page, blocks: BlockSequence, is_text: BoolArray, unseen: BoolArray | None = None
) -> tuple[Post, ...]:
    """Return the posts of *page*, in document order.

    Each post is in an element of the same kind: the kind with the most elements that hold both a text and something
    else, such as a name. A block belongs to the smallest element of this kind around it. If there is no such kind, each
    run of texts is a post.

    :param is_text: which blocks are the text of a post. *Shape:* ``(n,)``
    :param unseen: which slots are hidden, so that their authors and dates are ignored; None for none. *Shape:*
        ``(2 * n_elements,)``
    """
    chosen = is_text.nonzero()[0]
    if not len(chosen):
        return ()
    near = range(max(int(chosen[0]) - _AROUND, 0), min(int(chosen[-1]) + _AROUND + 1, blocks.n_blocks))
    holders = _find_holders(page, blocks, near, is_text)
    if holders:  # texts outside of the holders are posts, too, except headings, such as the title of the thread
        chosen = chosen[~page.is_inside(HEADING_TAGS, blocks.leaves[blocks.starts[chosen]])]
    runs = np.cumsum(~is_text).tolist()
    holders = {block: -1 - runs[block] for block in chosen.tolist()} | holders
    texts = write_blocks(page, blocks)
    units: defaultdict[int, list[int]] = defaultdict(list)
    for block, holder in sorted(holders.items()):
        units[holder].append(block)
    posts = []
    for unit in watched(units.values(), len(units)):
        lines = [texts[block] for block in unit if is_text[block]]
        if lines:
            leaves = [leaf for i in unit if not is_text[i] for leaf in blocks.leaves[blocks.starts[i] : blocks.ends[i]]]
            seen = (leaf for leaf in watched(leaves) if unseen is None or not unseen[page.leaf_slots[leaf]])
            posts.append(Post("\n".join(lines), *_describe(page, seen)))
    return tuple(posts)


def _find_holders(page: Page, blocks: BlockSequence, near: range, is_text: BoolArray) -> dict[int, int]:
    """Return the element that holds the post of each block in *near*. Blocks outside of such elements are missing."""
    inside: defaultdict[_Key, dict[int, int]] = defaultdict(dict)
    keys: dict[int, list[_Key]] = {}
    parents = page.parents.tolist()
    owners = page.owners(page.leaf_slots[blocks.leaves[blocks.starts[near.start : near.stop]]]).tolist()
    for block, owner in watched(zip(near, owners, strict=True), len(near)):
        element = owner
        for _ in range(_MOST_LEVELS):
            if element <= 0:
                break
            if element not in keys:
                keys[element] = _name_element(page, element)
            for key in keys[element]:
                inside[key].setdefault(block, element)
            element = parents[element]
    best, most, n_texts = dict[int, int](), 1, int(is_text.sum())
    for holder_of in watched(inside.values(), len(inside)):
        with_text = Counter(holder for block, holder in holder_of.items() if is_text[block])
        n_posts = len(with_text.keys() & {holder for block, holder in holder_of.items() if not is_text[block]})
        if n_posts > most and with_text.total() >= _LEAST_COVERED * n_texts:
            best, most = holder_of, n_posts
    return best


def _name_element(page: Page, element: int) -> list[_Key]:
    tag, names = page.names[page.name_numbers[element]], page.elements[element].get("class", "").split()[:_MOST_NAMES]
    return [(tag, _DIGITS.sub("", name)) for name in names or [""]]


def _describe(page: Page, leaves: Iterable[int]) -> tuple[str | None, str | None]:
    """Return the author and the date of a post, from the other texts in its element, if they are marked."""
    author = date = None
    for leaf in leaves:
        text = " ".join(page.texts[leaf].split())
        own, names, time = _read_names(page, leaf)
        if not 1 < len(text) <= _LONGEST:
            date = date or time or None
        elif _DATE.search(names):
            is_date = not _NOT_DATE.search(names) and _DIGITS.search(text)
            date = date or time or (text if is_date else None)
        elif _AUTHOR.search(names) and not _NOT_AUTHOR.search(own) and not _BY.fullmatch(text):
            if len(_DIGITS.findall(text)) > 1:  # a name has at most one number
                date = date or text.strip(_SIGNS)
            else:
                author = author or text.strip(_SIGNS)
    return author, date


def _read_names(page: Page, leaf: int) -> tuple[str, str, str]:
    """Return the names of the innermost element around a text, the names of the innermost three, and their time."""
    names, time = [], ""
    element = int(page.owners(page.leaf_slots[leaf : leaf + 1])[0])
    for _ in range(3):
        node = page.elements[element]
        own = [page.names[page.name_numbers[element]]]
        own += [node.get(name, "")[:_LONGEST] for name in ("class", "itemprop", "rel")]
        names.append(" ".join(own))
        stated = node.get("datetime", "")
        time = time or (stated if len(stated) <= _LONGEST_TIME and _DIGITS.search(stated) else "")
        element = int(page.parents[element])
        if element <= 0:
            break
    return names[0], " ".join(names), time
