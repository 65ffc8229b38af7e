"""The posts of a forum, or the comments below an article: each with its author and its date, where they are marked."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from scrapy_web2text.common.arrays import BoolArray
from scrapy_web2text.common.budget import watched
from scrapy_web2text.content.text import write_blocks
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence

_Key = tuple[str, str]  # of an element: its tag, and one of its class names without digits

_MOST_LEVELS: Final = 40  # of elements around a block
_MOST_NAMES: Final = 8  # of an element
_LEAST_COVERED: Final = 0.8  # of the blocks, by the elements that hold a post each
_DIGITS: Final = re.compile(r"\d+")
_AUTHOR: Final = re.compile(r"author|user|name|nick|poster|member|\bfn\b|profile", re.IGNORECASE)
_DATE: Final = re.compile(r"date|time|posted|publish", re.IGNORECASE)
_LONGEST: Final = 200  # characters of an author or a date


@dataclass(frozen=True, slots=True)
class Post:
    """A post or a comment.

    :param text: its blocks, one a line.
    :param author: name of its author; None if it is not marked.
    :param date: when it was written: the value of a ``time`` element, else the text that is marked as a date; None if
        there is neither.
    """

    text: str
    author: str | None = None
    date: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the post as JSON-ready plain data."""
        return asdict(self)


def list_posts(page: Page, blocks: BlockSequence, is_text: BoolArray, is_header: BoolArray) -> tuple[Post, ...]:
    """Return the posts of *page*, in document order.

    A post is what is inside an element of the kind that most often holds a text and a header, and inside no smaller
    one. Without such elements, a post begins with each run of headers.

    :param is_text: which blocks are the text of a post; the others are not in its text. *Shape:* ``(n,)``
    :param is_header: which blocks name its author, its date and the like. *Shape:* ``(n,)``
    """
    chosen = np.flatnonzero(is_text | is_header)
    if not is_text.any():
        return ()
    owners = page.owners(page.leaf_slots[blocks.leaves[blocks.starts[chosen]]])
    holders = _find_holders(page, owners.tolist(), is_text[chosen].tolist())
    if holders is None:  # a number for each run that begins with a header
        headers = is_header[chosen]
        begins = headers & ~np.concatenate([[False], headers[:-1]])
        holders = begins.cumsum().tolist()
    texts = write_blocks(page, blocks)
    units: defaultdict[int, list[int]] = defaultdict(list)
    for block, holder in zip(chosen.tolist(), holders, strict=True):
        units[holder].append(block)
    owner_of = dict(zip(chosen.tolist(), owners.tolist(), strict=True))
    posts = []
    for unit in watched(units.values(), len(units)):
        text = "\n".join(texts[block] for block in unit if is_text[block])
        if text:
            described = {block: _describe(page, owner_of[block]) for block in unit if not is_text[block]}
            named = {block: texts[block] for block in described if len(texts[block]) <= _LONGEST}
            author = next((text for block, text in named.items() if _AUTHOR.search(described[block][0])), None)
            dates = [described[block][1] or text for block, text in named.items() if _DATE.search(described[block][0])]
            posts.append(Post(text, author, next(iter(dates), None)))
    return tuple(posts)


def _find_holders(page: Page, owners: list[int], is_text: list[bool]) -> list[int] | None:
    """Return the element that holds the post of each block, -1 for none; None if no kind of element holds posts."""
    inside: defaultdict[_Key, dict[int, int]] = defaultdict(dict)
    keys: dict[int, list[_Key]] = {}
    parents = page.parents.tolist()
    for number, owner in watched(enumerate(owners), len(owners)):
        element = owner
        for _ in range(_MOST_LEVELS):
            if element <= 0:
                break
            if element not in keys:
                keys[element] = _name_element(page, element)
            for key in keys[element]:
                inside[key].setdefault(number, element)
            element = parents[element]
    n_texts = sum(is_text)
    best, most = None, 1
    for holder_of in watched(inside.values(), len(inside)):
        with_text = Counter(holder for number, holder in holder_of.items() if is_text[number])
        with_header = {holder for number, holder in holder_of.items() if not is_text[number]}
        n_posts = len(with_text.keys() & with_header)
        if n_posts > most and with_text.total() >= _LEAST_COVERED * n_texts:
            best, most = holder_of, n_posts
    return None if best is None else [best.get(number, -1) for number in range(len(owners))]


def _name_element(page: Page, element: int) -> list[_Key]:
    tag, names = page.names[page.name_numbers[element]], page.elements[element].get("class", "").split()[:_MOST_NAMES]
    return [(tag, _DIGITS.sub("", name)) for name in names or [""]]


def _describe(page: Page, element: int) -> tuple[str, str]:
    """Return the names of an element and of two around it, and the time that it states."""
    names, time = [], ""
    for _ in range(3):
        node = page.elements[element]
        names += [page.names[page.name_numbers[element]]]
        names += [node.get(name, "")[:_LONGEST] for name in ("class", "itemprop", "rel")]
        time = time or node.get("datetime", "")[:_LONGEST]
        element = int(page.parents[element])
        if element <= 0:
            break
    return " ".join(names), time
