"""Reads what may be the author and the date of a post from the elements around its text."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import BoolArray, sum_spans
from scrapy_web2text.common.budget import check_time
from scrapy_web2text.metadata.dates import read_epoch
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.posts.evidence import (
    AUTHOR_RULES,
    CREDIT,
    DATE_RULES,
    LONGEST,
    LONGEST_TIME,
    NAME_ATTRIBUTES,
    SIGNS,
    Candidate,
    Candidates,
    Part,
    is_name,
    read_date,
    weigh,
)

_MOST_LEAVES: Final = 6  # texts of an element with an author or a date
_NUMBER: Final = 5.0  # the evidence against a number as an author
_CUT_DAY: Final = re.compile(r"(?<=\d)\n,")  # between the leaves of "Mar 9" and ", 2024"
# Parts of a post that are about other posts, or about readers of this one.
_ASIDE: Final = re.compile(
    r"[qQ]uote?(?!able)|reaction|\b[lL]ikes?\b|LikeText|likesSummary|votes?\b|thank|related"
    r"|mention|[rR]eply-?[tT]o\b|in[-_]?reply|lastEdit|[-_ ]edit(?:ed)?\b|best-?_?[aA]nswer|dateModified"
)
_ASIDE_TAGS: Final = frozenset("blockquote button form q script style textarea".split())


class HeaderReader:
    """Reads what may be the author or the date of a post.

    :param unseen: which slots are hidden, whose texts do not count; None for none. *Shape:* ``(2 * n_elements,)``
    :param is_text: which leaves are texts of posts. *Shape:* ``(n_leaves,)``
    """

    def __init__(self, page: Page, unseen: BoolArray | None, is_text: BoolArray) -> None:
        self._page = page
        self._unseen = unseen
        self._is_text = is_text.tolist()
        first, stop = page.leaf_ranges(np.arange(page.n_leaves))
        self.n_texts: Final[list[int]] = sum_spans(is_text, first, stop).tolist()  # inside each element
        self._first, self._stop = first.tolist(), stop.tolist()
        self._parents, self._ends = page.parents.tolist(), page.ends.tolist()
        self._leaves_of: defaultdict[int, list[int]] = defaultdict(list)
        for leaf, owner in enumerate(page.owners(page.leaf_slots).tolist()):
            self._leaves_of[owner].append(leaf)

    def read(self, start: int, end: int, n_own: int, others: Collection[int] = (), own: int = -1) -> Candidates:
        """Return what may be the author and the date of a post, from the elements from *start* up to *end*.

        :param n_own: the number of texts of the post.
        :param others: the elements that hold posts; they are skipped, except for *own*.
        """
        found = Candidates([], [])
        element = start
        while element < end:
            check_time()
            if (element in others and element != own) or (self.n_texts[element] < n_own and self._is_aside(element)):
                element = self._ends[element]
                continue
            self._read_element(element, found)
            element += 1
        return found

    def _is_aside(self, element: int) -> bool:
        return self._tag(element) in _ASIDE_TAGS or _ASIDE.search(self._names(element)) is not None

    def _tag(self, element: int) -> str:
        return str(self._page.names[self._page.name_numbers[element]])

    def _names(self, element: int) -> str:
        node = self._page.elements[element]
        return " ".join([(node.get(name) or "")[:LONGEST] for name in ("class", "itemprop", "rel")])

    def _read_element(self, element: int, found: Candidates) -> None:
        """Read an element, as a whole if it has few texts."""
        first, stop = self._first[element], self._stop[element]
        if not self._tag(element):  # a comment
            return
        is_small = not self.n_texts[element] and stop - first <= _MOST_LEAVES
        if is_small:
            self._read_part(element, first, stop, found)
        if not is_small or stop - first > 1:
            self._read_own(element, found)

    def _read_own(self, element: int, found: Candidates) -> None:
        """Read what an element says of the post in it, and each of its own texts."""
        node = self._page.elements[element]
        stated = next((value for name in NAME_ATTRIBUTES if (value := node.get(name))), "")
        epoch = read_epoch(node.get("data-timestamp", ""))
        if self.n_texts[element] and is_name(stated):
            found.authors.append(Candidate(stated, 7.0, "", -1))
        if self.n_texts[element] and epoch:
            found.dates.append(Candidate(epoch, 5.0, "", -1))
        for leaf in self._leaves_of[element]:
            if not self._is_text[leaf]:
                self._read_part(element, leaf, leaf + 1, found)

    def _read_part(self, element: int, first: int, stop: int, found: Candidates) -> None:
        """Read the leaves from *first* up to *stop* of an element."""
        slot = self._page.open_slots[element] if first == stop else self._page.leaf_slots[first]
        part = self._describe(element, first, stop)
        if len(part.text) > LONGEST or (self._unseen is not None and self._unseen[slot]):
            return
        leaf = first if stop > first else -1
        kind = f"{part.tag} {part.names} < {part.outer}"
        credit = CREDIT.search(part.text)
        name = (credit[1] if credit else part.text).strip(SIGNS)
        if (stop - first <= 1 or credit) and (is_name(name) or name.isdecimal()):
            evidence = weigh(AUTHOR_RULES, part) - (0 if is_name(name) else _NUMBER)
            _add(found.authors, name, evidence, kind, leaf)
        date = read_date(part)
        if date:
            _add(found.dates, date, weigh(DATE_RULES, part), kind, leaf)

    def _describe(self, element: int, first: int, stop: int) -> Part:
        node = self._page.elements[element]
        is_whole = stop - first == self._stop[element] - self._first[element]
        # The end of another post, such as "since Monday", tells nothing of a name or a date after it.
        around = enumerate(self._page.texts[max(first - 1, 0) : stop + 2], max(first - 1, 0))
        texts = ["" if self._is_text[leaf] else " ".join(text[:1000].split()) for leaf, text in around]
        before = texts.pop(0)[-LONGEST_TIME:] if first else ""
        texts, rest = texts[: stop - first], texts[stop - first :]
        # The text after a separator, too: "Ada", "·", "May 1".
        after = " ".join(rest[:1] if any(map(str.isalnum, "".join(rest[:1]))) else rest)[:LONGEST_TIME]
        parent = self._parents[element]
        outside = (parent, self._parents[parent], self._parents[self._parents[parent]])
        scope = " ".join([(self._page.elements[each].get("itemprop") or "")[:LONGEST] for each in outside if each > 0])
        text = node.get("content", "") if self._tag(element) == "meta" else _CUT_DAY.sub(",", "\n".join(texts))
        return Part(
            node, self._tag(element), self._names(element), self._names(parent), scope, text, before, after, is_whole
        )


def _add(candidates: list[Candidate], value: str, evidence: float, kind: str, leaf: int) -> None:
    if evidence > 0:
        candidates.append(Candidate(value, evidence, kind, leaf))
