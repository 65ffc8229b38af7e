"""Groups the blocks of a thread into posts."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import Final, NamedTuple

import numpy as np

from scrapy_web2text.common.arrays import BoolArray
from scrapy_web2text.common.budget import watched
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence
from scrapy_web2text.page.tags import HEADING_TAGS
from scrapy_web2text.posts.evidence import has_words, is_name, is_of_user

_Key = tuple[str, str]  # a kind of elements: their tag, and one of their class names without digits

MOST_LEVELS: Final = 20  # levels of elements around a block
_MOST_NAMES: Final = 4  # class names of an element
AROUND: Final = 8  # blocks before the first text and after the last that may belong to its post
LEAST_COVERED: Final = 0.8  # share of the texts that the elements of a kind must hold, if each holds a post
_DIGITS: Final = re.compile(r"\d+")
_MOST_AROUND_QUOTE: Final = 4  # elements from the line with a name up to its quote
_QUOTE: Final = re.compile(r"(?<![tT]o)(?<![tT]o-)[qQ]uot(?!eC|able)")
_FEW: Final = 1 / 3  # share of the blocks of a kind that are decided like the others
_LEAST_CUT: Final = 20  # characters of a paragraph that a preview cuts short
_ELLIPSIS: Final = " .…"
_LONGEST_HEADER: Final = 80  # characters of a block with an author or a date


def even_out(page: Page, blocks: BlockSequence, is_text: BoolArray) -> BoolArray:
    """Return *is_text* with one value for all blocks in elements of a kind, if most of them have this value.

    So a post gets its text and loses its header, even if the labels say otherwise. *Shapes:* ``(n,)``
    """
    if not is_text.any():
        return is_text
    owners = page.owners(page.leaf_slots[blocks.leaves[blocks.starts]])
    members: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for block, element in enumerate(
        watched(zip(owners.tolist(), page.parents[owners].tolist(), strict=True), blocks.n_blocks)
    ):
        names = [page.elements[each].get("class") for each in element]
        if any(names):
            members[page.names[page.name_numbers[element[0]]], *map(str, names)].append(block)
    even, lengths = is_text.copy(), blocks.sum_leaves(np.array([*map(len, page.texts)]))
    for own in members.values():
        share = is_text[own].mean()
        if len(own) > 2 and share >= 1 - _FEW:
            even[own] = True
        elif len(own) > 2 and share <= _FEW:
            even[own] &= lengths[own] > _LONGEST_HEADER
    return even


def drop_headers(page: Page, blocks: BlockSequence, is_text: BoolArray) -> BoolArray:
    """Return *is_text* without lines that have only names of users, dates and numbers, such as "Ada, 2 days ago #3".

    A name without a link to its user is known by the links at the same place of other posts.
    *Shapes:* ``(n,)``
    """
    if not is_text.any():
        return is_text
    lengths = blocks.sum_leaves(np.array([*map(len, page.texts)]))
    owners = page.owners(page.leaf_slots[blocks.leaves])
    parents, ends = page.parents[owners], blocks.ends
    places: defaultdict[tuple[str, ...], dict[int, bool]] = defaultdict(dict)
    for block in watched((lengths <= _LONGEST_HEADER).nonzero()[0].tolist()):
        own = slice(blocks.starts[block], ends[block])
        texts = [page.texts[leaf].strip() for leaf in blocks.leaves[own].tolist()]
        place = tuple(page.elements[each[own.start]].get("class") or "" for each in (owners, parents))
        places[place][block] = _is_header(page, texts, owners[own].tolist(), parents[own].tolist())
    kept = is_text.copy()
    for place, is_header in places.items():
        n_headers = sum(is_header.values())
        is_of_names = any(place) and n_headers > 1 and 2 * n_headers >= len(is_header)
        for block, is_own in is_header.items():
            first = page.texts[blocks.leaves[blocks.starts[block]]]
            kept[block] &= not (is_own or (is_of_names and is_name(first.strip())))
    return kept


def _is_header(page: Page, texts: list[str], owners: list[int], parents: list[int]) -> bool:
    """Return whether a line names a user, and has no other words. Mentions of users begin with "@"."""
    others = [
        text
        for text, *around in zip(texts, owners, parents, strict=True)
        if not any(is_of_user(page.elements[each], text) for each in around if each > 0)
    ]
    return len(others) < len(texts) and not texts[0].startswith("@") and not any(map(has_words, others))


def drop_attributions(page: Page, blocks: BlockSequence, is_text: BoolArray) -> BoolArray:
    """Return *is_text* without lines such as "Ada said:" that remain of quotes that are not text. *Shapes:* ``(n,)``"""
    first, stop = page.leaf_ranges(blocks.leaves[is_text[blocks.leaf_blocks]])
    first_of_all, stop_of_all = page.leaf_ranges(np.arange(page.n_leaves))
    owners = page.owners(page.leaf_slots[blocks.leaves[blocks.starts]]).tolist()
    sizes, kept = (blocks.ends - blocks.starts).tolist(), is_text.copy()
    for block in watched(is_text.nonzero()[0].tolist()):
        quote = _find_quote(page, owners[block])
        is_alone = quote > 0 and stop[quote] - first[quote] == sizes[block] < stop_of_all[quote] - first_of_all[quote]
        kept[block] = not is_alone or first_of_all[quote] != blocks.leaves[blocks.starts[block]]
    return kept


def _find_quote(page: Page, element: int) -> int:
    """Return the innermost quote around an element, or itself; 0 if there is none nearby."""
    for _ in range(_MOST_AROUND_QUOTE):
        names = page.elements[element].get("class")
        tag = page.names[page.name_numbers[element]]
        if element <= 0 or _QUOTE.search(names or "") or (tag == "blockquote" and names is None):
            return max(element, 0)
        element = int(page.parents[element])
    return 0


class Unit(NamedTuple):
    """The texts of one post.

    :param blocks: the blocks of its text.
    :param n_leaves: the number of leaves of its text.
    :param element: the element that holds the post, or the innermost around all of its text.
    :param is_held: whether each post is in an element of this kind.
    """

    blocks: list[int]
    n_leaves: int
    element: int
    is_held: bool


def group_blocks(page: Page, blocks: BlockSequence, is_text: BoolArray) -> list[Unit]:
    """Return the posts that the texts of a page belong to."""
    chosen = is_text.nonzero()[0]
    if not len(chosen):
        return []
    near = range(max(int(chosen[0]) - AROUND, 0), min(int(chosen[-1]) + AROUND + 1, blocks.n_blocks))
    holders = _find_holders(page, blocks, near, is_text)
    if holders:  # texts outside of the holders can be posts, too, except headings, such as the title of the thread
        is_heading = page.is_inside(HEADING_TAGS, blocks.leaves[blocks.starts[chosen]])
        chosen = np.array(
            [i for i, heads in zip(chosen.tolist(), is_heading.tolist(), strict=True) if i in holders or not heads]
        )
    runs = np.cumsum(~is_text).tolist()
    members: defaultdict[int, list[int]] = defaultdict(list)
    for block in chosen.tolist():
        members[holders.get(block, -1 - runs[block])].append(block)
    sizes = blocks.ends - blocks.starts
    units = []
    for holder, own in members.items():
        element = holder if holder >= 0 else _innermost_around(page, blocks, own)
        units.append(Unit(own, int(sizes[own].sum()), element, holder >= 0))
    return units


def join_preview(preview: str, text: str) -> str:
    """Return the whole text of a post that follows its *preview*, which was cut short; empty for another text.

    :param text: the text after the preview. The paragraphs before the cut can be missing, as copies of the preview.
    """
    before, _, cut = preview.rpartition("\n")
    beginning = cut.rstrip(_ELLIPSIS)
    if len(preview) >= _LEAST_CUT and text.startswith(preview.rstrip(_ELLIPSIS)):
        return text
    return f"{before}\n{text}" if len(beginning) >= _LEAST_CUT and text.startswith(beginning) else ""


def _innermost_around(page: Page, blocks: BlockSequence, own: list[int]) -> int:
    """Return the innermost element around the blocks *own*; if it is too far up, the highest element that is not."""
    first, last = page.leaf_slots[blocks.leaves[[blocks.starts[own[0]], blocks.ends[own[-1]] - 1]]].tolist()
    element = int(page.owners(np.array([first]))[0])
    for _ in range(MOST_LEVELS):
        if element <= 0 or page.close_slots[element] > last:
            break
        element = int(page.parents[element])
    return element


def _find_holders(page: Page, blocks: BlockSequence, near: range, is_text: BoolArray) -> dict[int, int]:
    """Return the element that holds the post of each block in *near*. Blocks outside of such elements are missing."""
    inside: defaultdict[_Key, dict[int, int]] = defaultdict(dict)
    keys: dict[int, list[_Key]] = {}
    parents = page.parents.tolist()
    owners = page.owners(page.leaf_slots[blocks.leaves[blocks.starts[near.start : near.stop]]]).tolist()
    for block, owner in watched(zip(near, owners, strict=True), len(near)):
        element = owner
        for _ in range(MOST_LEVELS):
            if element <= 0:
                break
            if element not in keys:
                keys[element] = _name_element(page, element)
            for key in keys[element]:
                inside[key].setdefault(block, element)
            element = parents[element]
    best, most, n_texts = dict[int, int](), 1.0, int(is_text.sum())
    for (_, name), holder_of in watched(inside.items(), len(inside)):
        of_texts = [holder for block, holder in sorted(holder_of.items()) if is_text[block]]
        n_runs = Counter(holder for holder, before in zip(of_texts, [-1, *of_texts], strict=False) if holder != before)
        with_others = {holder for block, holder in holder_of.items() if not is_text[block]}
        n_posts = sum(1 if n == 1 else -1 for holder, n in n_runs.items() if holder in with_others)
        score = n_posts if name else n_posts / 2  # elements without a class name can be anything
        if score > most and len(of_texts) >= LEAST_COVERED * n_texts:
            best, most = holder_of, score
    return best


def _name_element(page: Page, element: int) -> list[_Key]:
    tag, names = page.names[page.name_numbers[element]], page.elements[element].get("class", "").split()[:_MOST_NAMES]
    return [(tag, _DIGITS.sub("", name)) for name in names or [""]]
