"""The posts of a forum, and the comments below an article, each with its author and its date."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Final, NamedTuple

import numpy as np

from scrapy_web2text.common.arrays import BoolArray, IntArray
from scrapy_web2text.common.budget import watched
from scrapy_web2text.content.text import write_blocks
from scrapy_web2text.extraction import Label, Post
from scrapy_web2text.labelers.base import Labeling
from scrapy_web2text.labelers.modern.comments import COMMENT, COMMENTS
from scrapy_web2text.labelers.roles import has_role
from scrapy_web2text.labelers.selector import drop_hidden, exclude_elements
from scrapy_web2text.options import Options, Role
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence, labels_to_mask, mask_to_labels
from scrapy_web2text.page.hidden import mark_hidden_slots
from scrapy_web2text.page.tags import HEADING_TAGS
from scrapy_web2text.posts.evidence import Candidate, Candidates, choose
from scrapy_web2text.posts.headers import HeaderReader
from scrapy_web2text.posts.threads import (
    AROUND,
    LEAST_COVERED,
    MOST_LEVELS,
    Unit,
    drop_attributions,
    drop_headers,
    even_out,
    group_blocks,
    join_preview,
)

_HEADERS: Final[tuple[Role, ...]] = ("byline", "post_header")
_MOST_NEAR: Final = 8  # elements around a post in an element of another kind
_GOOD: Final = 3.0  # evidence for the author or the date of such a post
_HEADING: Final = re.compile(  # "3 comments", "Comments (3)", "One thought on …", "5 from 2 votes"
    r"\W*(?:(?:this post has )?(?:\d[\d.,]*+|one|no)\s?[个個條条件]?\s?)?"
    r"(?:(?:view |leave |add )?(?:all|an?|your) |最[热新])?"
    rf"(?:{COMMENTS}|{COMMENT}|discussion|thoughts?|replies|responses?)"
    r"(?:\W*+\d[\d.,]*+\s?[개件条]?| (?:on|to|about) [“\"‘'].{1,150}| about this post)?\W*"
    r"(?:\d(?:\.\d+)? from \d+ votes?.{0,40})?|\d(?:\.\d+)? from \d+ votes?.{0,40}",
    re.IGNORECASE,
)
_LONGEST_HEADING: Final = 200  # characters
_LEAST_FIRST: Final = 100  # characters of a first post without an author and a date, if the others have them


def find_posts(page: Page, labeling: Labeling, options: Options) -> tuple[Post, ...]:
    """Return the posts of a forum, without text that *options* exclude, and without hidden text."""
    if labeling.page_type is None:
        return ()
    is_text = _mark_posts(page, labeling)
    if not is_forum(labeling) and not _is_thread(list_posts(page, labeling.blocks, is_text)):
        return ()
    return tuple(each.post for each in _read_posts(page, labeling, is_text, options))


def find_post_starts(page: Page, labeling: Labeling, options: Options) -> list[int]:
    """Return the slot of the first text of each post of a forum, in order, if the text has no other mark of posts.

    Only if the options ask for posts: to find them takes as long as all else on a page of a forum.
    """
    if not options.posts or not is_forum(labeling) or options.bylines == "include":
        return []
    posts = _read_posts(page, labeling, _mark_posts(page, labeling), options)
    return sorted(int(page.leaf_slots[each.leaves[0]]) for each in posts)


def find_comments(page: Page, labeling: Labeling, options: Options) -> tuple[Post, ...]:
    """Return the comments of readers, without text that *options* exclude and without hidden text."""
    is_text = drop_headers(page, labeling.blocks, even_out(page, labeling.blocks, has_role(labeling, "comment")))
    found = _read_posts(page, labeling, is_text, options, is_sure=True)
    return tuple(each.post for each in found if not _is_heading(page, each))


def _is_heading(page: Page, found: _Found) -> bool:
    """Return whether a text is a heading above the comments, or their number."""
    is_alone = found.post.author is None and bool(page.is_inside(HEADING_TAGS, np.array(found.leaves)).all())
    text = found.post.text
    return is_alone or (len(text) <= _LONGEST_HEADING and _HEADING.fullmatch(text) is not None)


def is_forum(labeling: Labeling) -> bool:
    """Return whether the labeler takes the page for a page of a forum."""
    return labeling.page_type is not None and labeling.page_type[0] == "forum"


def arrange_headers(
    page: Page, labeling: Labeling, labels: IntArray, options: Options
) -> tuple[IntArray, dict[int, str]]:
    """Return *labels* of a forum with BOILERPLATE for names and dates of posts, and the header line of each post.

    There are lines only if *options* include bylines. Each line replaces the text of a leaf before the post, which
    becomes content; the key is the leaf.
    *Shapes:* ``(n,)`` twice
    """
    labels = labels.copy()
    labels[has_role(labeling, *_HEADERS)] = Label.BOILERPLATE
    labels = mask_to_labels(drop_headers(page, labeling.blocks, labels_to_mask(labels)))
    lines: dict[int, str] = {}
    if options.bylines != "include":
        return labels, lines
    leaves, block_of = labeling.blocks.leaves.tolist(), labeling.blocks.leaf_blocks.tolist()
    position_of = {leaf: position for position, leaf in enumerate(leaves)}
    start = 0
    for each in _read_posts(page, labeling, _mark_posts(page, labeling), options):
        first, last = (position_of[leaf] for leaf in each.leaves)
        free = [leaves[i] for i in range(start, first) if labels[block_of[i]] != Label.CONTENT]
        line = ", ".join(filter(None, (each.post.author, each.post.date)))
        if free and line:
            leaf = next((leaf for leaf in each.header if leaf in free), free[-1])
            lines[leaf] = line
            labels[block_of[position_of[leaf]]] = Label.CONTENT
        start = last + 1
    return labels, lines


class _Found(NamedTuple):
    """A post, with the first and the last leaf of its text, and the leaves of its author and its date.

    :param is_held: see `Unit`.
    """

    post: Post
    leaves: tuple[int, int]
    header: tuple[int, ...]
    is_held: bool


def _mark_posts(page: Page, labeling: Labeling) -> BoolArray:
    """Return which blocks are the text of a post of a forum. *Shape:* ``(n,)``"""
    others = has_role(labeling, "title", "tags", "related", *_HEADERS)
    is_text = even_out(page, labeling.blocks, labels_to_mask(labeling.labels) & ~others)
    return drop_headers(page, labeling.blocks, drop_attributions(page, labeling.blocks, is_text))


def _read_posts(
    page: Page, labeling: Labeling, is_text: BoolArray, options: Options, *, is_sure: bool = False
) -> list[_Found]:
    """Return the posts whose text *is_text* marks. *Shape:* ``(n,)``

    :param is_sure: see `list_posts`.
    """
    chosen = exclude_elements(page, replace(labeling, labels=mask_to_labels(is_text)), options.exclude)
    shown = drop_hidden(page, chosen, options.hidden)
    unseen = None if options.hidden == "keep" else mark_hidden_slots(page, shown.blocks.leaves)
    return list_posts(page, shown.blocks, labels_to_mask(shown.labels), unseen, is_sure=is_sure)


def _is_thread(posts: Sequence[_Found]) -> bool:
    """Return whether *posts* of a page of another type are a thread.

    Almost all of them must have an author and a date, and the authors must differ.
    """
    authors = [each.post.author for each in posts if each.post.author is not None and each.post.date is not None]
    return len(posts) > 1 and len(authors) >= LEAST_COVERED * len(posts) and len(set(authors)) > 1


def list_posts(
    page: Page, blocks: BlockSequence, is_text: BoolArray, unseen: BoolArray | None = None, *, is_sure: bool = False
) -> list[_Found]:
    """Return the posts of *page*, in document order.

    Each post is in an element of the same kind: the kind with the most elements that hold both a text and something
    else, such as a name. A block belongs to the smallest element of this kind around it. If there is no such kind, each
    run of texts is a post. So is a run outside of these elements, if it is the first, or has an author or a date.

    :param is_text: which blocks are the text of a post. *Shape:* ``(n,)``
    :param unseen: which slots are hidden, so that their authors and dates are ignored; None for none. *Shape:*
        ``(2 * n_elements,)``
    :param is_sure: whether each text in an element of this kind is a post, even without an author and a date.
    """
    units = group_blocks(page, blocks, is_text)
    if not units:
        return []
    around = _Surroundings(page, blocks, is_text, unseen)
    inside, between = around.read_inside(units), around.read_between(units)
    authors = _merge(
        choose([each.authors for each in inside], is_repeatable=False),
        choose([each.authors for each in between], is_repeatable=False),
    )
    dates = _merge(
        choose([each.dates for each in inside], is_repeatable=True),
        choose([each.dates for each in between], is_repeatable=True),
    )
    texts, ends = write_blocks(page, blocks), blocks.ends
    found: list[_Found] = []
    for unit, author, date in zip(units, authors, dates, strict=True):
        post = Post("\n".join([texts[block] for block in unit.blocks]), author and author.value, date and date.value)
        first, last = blocks.leaves[[blocks.starts[unit.blocks[0]], ends[unit.blocks[-1]] - 1]].tolist()
        header = tuple(each.leaf for each in (author, date) if each)
        whole = "" if header or not found else join_preview(found[-1].post.text, post.text)
        if whole:
            preview = found.pop()
            first, header = preview.leaves[0], preview.header
            post = Post(whole, preview.post.author, preview.post.date)
        found.append(_Found(post, (first, last), header, unit.is_held))
    is_thread = 3 * sum(not each.header for each in found) <= len(found)
    return [
        each
        for each in found
        if not is_thread
        or each.header
        or (is_sure and each.is_held)
        or (each is found[0] and len(each.post.text) >= _LEAST_FIRST)
    ]


def _merge(inside: list[Candidate | None], between: list[Candidate | None]) -> list[Candidate | None]:
    """Return what was found inside the elements of posts or, if many have nothing, between their texts.

    *between* is right for tables with a row of names and a row of texts. The first post is often unlike the others.
    """
    first = between[0] if between[0] and between[0].evidence > _GOOD else None
    n_inside, n_between = (len(each) - each.count(None) for each in (inside, between))
    if 2 * n_between <= 3 * n_inside:
        return [inside[0] or first, *inside[1:]]
    pairs = zip(inside, [first, *between[1:]], strict=True)
    return [max(filter(None, pair), key=attrgetter("evidence"), default=None) for pair in pairs]


class _Surroundings:
    """The elements around the posts of a page.

    :param is_text: which blocks are the text of a post. *Shape:* ``(n,)``
    :param unseen: see `list_posts`.
    """

    def __init__(self, page: Page, blocks: BlockSequence, is_text: BoolArray, unseen: BoolArray | None) -> None:
        is_leaf_of_text = np.zeros(page.n_leaves, dtype=bool)
        is_leaf_of_text[blocks.leaves[is_text[blocks.leaf_blocks]]] = True
        self._page, self._blocks = page, blocks
        self._parents, self._ends = page.parents.tolist(), page.ends.tolist()
        self._reader = HeaderReader(page, unseen, is_leaf_of_text)

    def read_inside(self, units: list[Unit]) -> list[Candidates]:
        """Return what may be the author and the date of each post, from the element that holds it and no other post."""
        holders = {unit.element for unit in units if unit.is_held}
        tops = [self._climb(unit) for unit in units]
        heights = sorted(len(above) for unit, above in zip(units, tops, strict=True) if unit.is_held and above)
        height = heights[len(heights) // 2] if heights else 1  # the same for all posts, so that none leaves the thread
        found = []
        for unit, above in watched(zip(units, tops, strict=True), len(units)):
            if unit.is_held:
                top = above[min(height, len(above)) - 1] if above else unit.element
                found.append(self._reader.read(top, self._ends[top], unit.n_leaves, holders, unit.element))
            else:
                found.append(self._read_nearest(unit, above, holders))
        return found

    def _climb(self, unit: Unit) -> list[int]:
        """Return the elements around a post that hold no other post, the innermost first."""
        above: list[int] = []
        element = unit.element
        while element > 0 and self._reader.n_texts[element] == unit.n_leaves and len(above) < MOST_LEVELS:
            above.append(element)
            element = self._parents[element]
        return above

    def _read_nearest(self, unit: Unit, above: list[int], holders: Collection[int]) -> Candidates:
        """Return the nearest candidates with good evidence, for a post in an element of another kind."""
        found = Candidates([], [])
        for top in above[:_MOST_NEAR]:
            read = self._reader.read(top, self._ends[top], unit.n_leaves, holders)
            if not found.authors:
                found.authors.extend(each for each in read.authors if each.evidence >= _GOOD)
            if not found.dates:
                found.dates.extend(each for each in read.dates if each.evidence >= _GOOD)
            if found.authors and found.dates:
                break
        return found

    def read_between(self, units: list[Unit]) -> list[Candidates]:
        """Return the candidates in the elements between the text of each post and the text of the post before."""
        slots = self._page.leaf_slots[self._blocks.leaves]
        starts, ends = self._blocks.starts, self._blocks.ends
        first = max(units[0].blocks[0] - AROUND, 0)
        before = int(self._page.owners(slots[starts[[first]]])[0])
        found = []
        for unit in watched(units, len(units)):
            owner = int(self._page.owners(slots[starts[unit.blocks[:1]]])[0])
            found.append(self._reader.read(before, owner, unit.n_leaves))
            before = int(np.searchsorted(self._page.open_slots, slots[ends[unit.blocks[-1]] - 1]))
        return found
