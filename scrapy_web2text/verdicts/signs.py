"""The signs by which pages without main content are recognized. Each is read when a rule first asks for it."""

from __future__ import annotations

import re
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Final

import numpy as np
from lxml import etree

from scrapy_web2text.common.budget import batches, watched
from scrapy_web2text.page.blocks import labels_to_mask
from scrapy_web2text.verdicts import phrases
from scrapy_web2text.verdicts.phrases import fold, has_any
from scrapy_web2text.verdicts.wording import MOST_TEXT, Wording, names_of, read_attribute

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from scrapy_web2text.common.arrays import BoolArray, IntArray


_MOST_ARTICLES: Final = 8
_MOST_INPUTS: Final = 20
_MOST_ANCESTORS: Final = 40

_FURNITURE: Final = frozenset(
    "nav header footer aside button select option a label noscript dialog menu legend".split()
)
_WHOLE: Final = frozenset(("html", "body", "main", "article"))
_NOT_MOUNTED: Final = frozenset(
    "a button form i iframe img input li link meta noscript option script span style".split()
)
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s|(?<=[。！？])")
# A form in an element with such a name is not the purpose of the page.
_ASIDE: Final = re.compile(
    r"modal|pop-?up|dialog|drop-?down|overlay|header|nav|side-?bar|widget|drawer|top-?bar|menu|aside|offcanvas|hidden"
    r"|toolbar|userbar"
)
# An element asks for consent if its id or class has one of these parts, and matches `_CONSENT_BOX`, too.
_CONSENT_HINTS: Final = ("cookie", "consent", "gdpr", "dsgvo", "rgpd", "lgpd", "ccpa", "privacy")
_CONSENT_BOX: Final = re.compile(
    r"(?:banner|notice|notification|pop-?up|modal|overlay|dialog|wall|layer|message|prompt|disclaimer|alert|accept|manage"
    r"|settings|preferences|hint|warning|container|box|bar)(?![a-z])"
    r"|(?<![\w-])(?:cookies?|consent|gdpr)(?![\w-])"
)
# Ids and classes of error pages, at the html and body elements, and of error messages.
ERROR_NAMES: Final = re.compile(
    r"(?<![a-z0-9])(?:error-?_?40[0-9]|error-?_?50[0-9]|error-?_?page|page-?_?error|page-?_?404|p404|template-404|not-?_?found"
    r"|page-?not-?found|is-404|http-?error|wp-die-message|next-error-h1|e404|cf-error-details|main-404|content-404|route-404"
    r"|view-404|neterror|status-?404|code-?404)(?![a-z0-9])"
)
_ASIDE_TAGS: Final = frozenset(("nav", "header", "aside", "footer", "dialog"))


def _counted(find_blocks: Callable[[Signs], BoolArray | slice]) -> cached_property[int]:
    """Return a property whose value is the number of words of the blocks that *find_blocks* returns."""
    return cached_property(lambda signs: signs.count(find_blocks(signs)))


class Signs(Wording):
    """The words, the elements and the texts of a page that rules ask for. All texts are in lower case.

    :param page: the page.
    :param labeling: the labels of the page's blocks.
    """

    # Numbers of words. A block counts as a whole, and is where its first leaf is.
    n_words = _counted(lambda _: slice(None))  # all words of the page
    n_content = _counted(lambda self: self._is_content)  # words that the labels select
    n_linked = _counted(lambda self: self._is_inside({"a"}))
    n_linked_content = _counted(lambda self: self._is_inside({"a"}) & self._is_content)
    # Words outside of links, buttons, labels and furniture such as menus, footers and dialogs.
    n_free = _counted(lambda self: ~self._in_furniture)
    n_free_content = _counted(lambda self: ~self._in_furniture & self._is_content)
    n_content_outside_forms = _counted(lambda self: self._is_content & ~self._is_inside({"form"}))
    n_noscript_content = _counted(lambda self: self._is_content & self._is_inside({"noscript"}))
    n_consent = _counted(lambda self: self._in_consent)  # words in elements that ask for consent
    n_content_outside = _counted(lambda self: self._is_content & ~self._in_consent)
    n_free_outside = _counted(lambda self: ~self._in_furniture & ~self._in_consent)

    def count_content_without(self, wanted: Collection[str]) -> int:
        """Return the number of selected words in blocks that have none of *wanted*."""
        return sum(n for n, text in self._content_texts if not has_any(wanted, text))

    def count_sentences_without(self, wanted: Collection[str]) -> int:
        """Return the number of selected words in sentences that have none of *wanted*."""
        n_words = 0.0
        for n, text in self._content_texts:
            if not text:
                n_words += n
                continue
            sentences = _SENTENCE_END.split(text)
            others = [each for each in sentences if not has_any(wanted, each)]
            n_words += n * sum(map(len, others)) / len(text)
        return round(n_words)

    @cached_property
    def _content_texts(self) -> list[tuple[int, str]]:
        """The number of words and the text of each selected block; all texts after 20,000 characters are empty."""
        blocks, page, n_tokens = self._labeling.blocks, self.page, self._labeling.n_tokens.tolist()
        found, n_left = [], 5 * MOST_TEXT
        for batch in batches(self._is_content.nonzero()[0].tolist()):
            for i in batch:
                leaves = blocks.leaves[blocks.starts[i] : blocks.ends[i]][:n_left].tolist()
                text = fold(" ".join([page.texts[leaf][:n_left] for leaf in leaves])[:n_left])
                n_left -= len(text)
                found.append((n_tokens[i], text))
        return found

    @cached_property
    def n_article(self) -> int:
        """Number of words that the labels select in articles, except in articles that are error messages."""
        page = self.page
        if "article" not in page.tag_names:
            return 0
        chosen = page.tags_in({"article"})
        for i in chosen.nonzero()[0][:_MOST_ARTICLES].tolist():
            if ERROR_NAMES.search(names_of(page.elements[i])):
                chosen[i] = False
        return self.count((page.count_enclosing(chosen)[page.leaf_slots[self._first_leaves]] > 0) & self._is_content)

    @cached_property
    def is_frameset(self) -> bool:
        """Whether browsers show nothing but frames: the text is for browsers without frames."""
        return "frameset" in self.page.tag_names and self.count(self._is_content & ~self._is_inside({"noframes"})) < 15

    @cached_property
    def consent_text(self) -> str:
        """The beginning of the text in elements that ask for consent."""
        return self._beginning(self._labeling.blocks.leaves[self._in_consent[self._labeling.blocks.leaf_blocks]])

    # Elements.

    @cached_property
    def n_links(self) -> int:
        """Number of links."""
        return int(np.count_nonzero(self.page.tags_in({"a"})))

    @cached_property
    def n_passwords(self) -> int:
        """Number of fields for passwords outside of dialogs, menus and the like."""
        return sum(read_attribute(each, "type") == "password" for each in self._inputs)

    @cached_property
    def n_fields(self) -> int:
        """Number of fields for text outside of dialogs, menus and the like."""
        return len(self._inputs) + int(np.count_nonzero(self.page.tags_in({"textarea"})))

    @cached_property
    def has_button(self) -> bool:
        """Whether there are buttons or other controls outside of headers and menus."""
        page = self.page
        above = page.count_enclosing(page.tags_in({"header", "nav"}))[page.open_slots]
        return bool((page.tags_in({"button", "input"}) & (above == 0)).any())

    @cached_property
    def has_mount_point(self) -> bool:
        """Whether an element that a script is to fill has no text."""
        page = self.page
        first, stop = page.leaf_ranges(np.arange(page.n_leaves))
        candidates = ((first == stop) & ~page.tags_in(_NOT_MOUNTED)).nonzero()[0].tolist()
        for batch in batches(candidates):
            for i in batch:
                element = page.elements[i]
                names = (element.get("id"), element.tag) if isinstance(element.tag, str) else ()
                if any(name and name.lower() in phrases.MOUNT_NAMES for name in names):
                    return True
        return False

    @cached_property
    def _is_content(self) -> BoolArray:
        return labels_to_mask(self._labeling.labels)

    @cached_property
    def _in_furniture(self) -> BoolArray:
        return self._is_inside(_FURNITURE)

    @cached_property
    def _in_consent(self) -> BoolArray:
        page = self.page
        tables = (phrases.CONSENT_VENDORS, _CONSENT_HINTS)
        vendors, hints = ([mark for mark in marks if mark in self.names] for marks in tables)
        if not vendors and not hints:
            return np.zeros(self._labeling.blocks.n_blocks, dtype=bool)
        chosen = np.zeros(page.n_elements, dtype=bool)
        chosen[[i for i, names in self._names_with(vendors + hints) if _asks_for_consent(names, vendors, hints)]] = True
        chosen &= ~page.tags_in(_WHOLE)
        return page.count_enclosing(chosen)[page.leaf_slots[self._first_leaves]] > 0

    def _names_with(self, marks: list[str]) -> Iterator[tuple[int, str]]:
        """Yield the index and the id and class of each element with one of *marks* in its id or class."""
        page = self.page
        for values in page.read_attributes(np.arange(page.n_elements), "id", "class"):
            found = {value for value in watched([*{*values.values()}]) if has_any(marks, value.lower())}
            for i in watched([*compress(values, map(found.__contains__, values.values()))]):
                yield i, names_of(page.elements[i])

    @cached_property
    def _first_leaves(self) -> IntArray:
        """The first leaf of each block. *Shape:* ``(n,)``"""
        blocks = self._labeling.blocks
        return blocks.leaves[blocks.starts]

    @cached_property
    def _inputs(self) -> list[etree._Element]:
        page = self.page
        places = page.tags_in({"input"}).nonzero()[0][: 10 * _MOST_INPUTS].tolist()
        inputs = [page.elements[i] for i in places]
        fields = [each for each in inputs if read_attribute(each, "type") in ("", "text", "email", "tel", "password")]
        return [each for each in fields[:_MOST_INPUTS] if not _is_aside(each)]

    def _is_inside(self, tags: Collection[str]) -> BoolArray:
        return self.page.is_inside(tags, self._first_leaves)

    def count(self, chosen: BoolArray | slice) -> int:
        """Return the number of words of the *chosen* blocks. *Shape:* ``(n,)``"""
        return int(self._labeling.n_tokens[chosen].sum())


def _asks_for_consent(names: str, vendors: list[str], hints: list[str]) -> bool:
    return has_any(vendors, names) or (has_any(hints, names) and _CONSENT_BOX.search(names) is not None)


def _is_aside(element: etree._Element) -> bool:
    """Return whether a field is in a dialog, a menu or the like."""
    for n, above in enumerate(element.iterancestors()):
        if above.tag in ("body", "html") or n == _MOST_ANCESTORS:
            return False
        if above.tag in _ASIDE_TAGS or _ASIDE.search(names_of(above)):
            return True
    return False
