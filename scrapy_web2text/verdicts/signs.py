"""The signs by which a page that is no content is known. Each is read when a rule first asks for it."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
from lxml import etree

from scrapy_web2text.budget import batches, check_time
from scrapy_web2text.page.arrays import HEADING_TAGS
from scrapy_web2text.page.blocks import Label
from scrapy_web2text.verdicts.phrases import ACCOUNT_PARTS, bare, fold
from scrapy_web2text.verdicts.vendors import CONSENT_BOX, CONSENT_HINTS, CONSENT_VENDORS, ERROR_NAMES, FRAMEWORK_CODE, MOUNT_NAMES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from scrapy_web2text.arrays import BoolArray
    from scrapy_web2text.labelers.base import Labeling
    from scrapy_web2text.page.arrays import Page

__all__ = ["Signs"]

_MOST_TEXT: Final = 4_000  # characters
_MOST_CODE: Final = 3_000  # characters of each inline script
_MOST_SCRIPTS: Final = 50
_MOST_HEADINGS: Final = 8
_MOST_INPUTS: Final = 20
_MOST_ANCESTORS: Final = 40
_MOST_SPACES: Final = 7  # of a heading that is one phrase
_LONGEST_HEADING: Final = 120  # characters
_LONGEST_NAME: Final = 200  # characters

_FURNITURE: Final = frozenset("nav header footer aside button select option a label noscript dialog menu legend".split())
_WHOLE: Final = frozenset(("html", "body", "main", "article"))
_NOT_MOUNTED: Final = frozenset("a button form i iframe img input li link meta noscript option script span style".split())
_SEPARATORS: Final = re.compile(r"\s[|–—·•»«›:/-]{1,3}\s|[|»«›·•]")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s|(?<=[。！？])")
# A form inside such an element is not what the page is for.
_ASIDE: Final = re.compile(r"modal|popup|pop-up|dialog|dropdown|drop-down|overlay|header|nav|sidebar|side-bar|widget|drawer|top-?bar|menu|aside|offcanvas|hidden|toolbar|userbar")
_FORM_TAGS: Final = frozenset(("nav", "header", "aside", "footer", "dialog"))

_find_ids: Final = etree.XPath("//@id", smart_strings=False)
_find_classes: Final = etree.XPath("//@class", smart_strings=False)
_find_addresses: Final = [
    etree.XPath(path, smart_strings=False)
    for path in ("//script/@src", "//iframe/@src", "//form/@action", "//img/@src", "//link/@href")
]
_find_scripts: Final = etree.XPath("//script[not(@src)]")
_find_data: Final = etree.XPath("//script[@type='application/ld+json']")
_beginning: Final = etree.XPath(f"substring(text(), 1, {_MOST_CODE})", smart_strings=False)
_find_metas: Final = etree.XPath("//meta[@http-equiv or @name]")


class Signs:
    """What a page says and has. All texts are in lower case.

    :param page: the page.
    :param labeling: the labels of its blocks.
    """

    def __init__(self, page: Page, labeling: Labeling) -> None:
        self.page = page
        self._labeling = labeling
        self._document = page.document_root

    # Numbers of words. Blocks are counted as a whole, by their first leaves.

    @cached_property
    def n_words(self) -> int:
        """Words of the page."""
        return int(self._labeling.n_tokens.sum())

    @cached_property
    def n_content(self) -> int:
        """Words that the labels select."""
        return self._count(self._is_content)

    @cached_property
    def n_linked(self) -> int:
        """Words in links."""
        return self._count(self._is_inside({"a"}))

    @cached_property
    def n_free(self) -> int:
        """Words outside of links, buttons, labels and furniture such as menus, footers and dialogs."""
        return self._count(~self._in_furniture)

    @cached_property
    def n_free_content(self) -> int:
        """Words of `n_free` that the labels select."""
        return self._count(~self._in_furniture & self._is_content)

    @cached_property
    def n_in_noscript(self) -> int:
        """Words that browsers without scripts show."""
        return self._count(self._is_inside({"noscript"}))

    @cached_property
    def n_linked_content(self) -> int:
        """Words in links that the labels select."""
        return self._count(self._is_inside({"a"}) & self._is_content)

    def count_content_without(self, phrases: Collection[str]) -> int:
        """Return the number of selected words in blocks that have none of *phrases*."""
        return sum(n for n, text in self._content_texts if not any(phrase in text for phrase in phrases))

    def count_sentences_without(self, phrases: Collection[str]) -> int:
        """Return the number of selected words in sentences that have none of *phrases*."""
        n_words = 0.0
        for n, text in self._content_texts:
            sentences = _SENTENCE_END.split(text)
            others = [each for each in sentences if not any(phrase in each for phrase in phrases)]
            n_words += n * sum(map(len, others)) / max(1, len(text))
        return round(n_words)

    @cached_property
    def _content_texts(self) -> list[tuple[int, str]]:
        """The number of words and the text of each selected block."""
        blocks, page, n_tokens = self._labeling.blocks, self.page, self._labeling.n_tokens.tolist()
        found = []
        for batch in batches(np.flatnonzero(self._is_content).tolist()):
            for i in batch:
                leaves = blocks.leaves[blocks.starts[i] : blocks.ends[i]].tolist()
                found.append((n_tokens[i], fold(" ".join([page.texts[leaf][:_MOST_TEXT] for leaf in leaves]))))
        return found

    @cached_property
    def n_article(self) -> int:
        """Words that the labels select in articles, except where these are messages or ask for consent."""
        page = self.page
        chosen = page.tags_in({"article"})
        for i in np.flatnonzero(chosen)[:_MOST_HEADINGS].tolist():
            if ERROR_NAMES.search(_names_of(page.elements[i])):
                chosen[i] = False
        return self._count((page.count_enclosing(chosen)[self._slots] > 0) & self._is_content)

    @cached_property
    def n_content_outside_forms(self) -> int:
        """Words that the labels select outside of forms."""
        return self._count(self._is_content & ~self._is_inside({"form"}))

    @cached_property
    def n_noscript_content(self) -> int:
        """Words that the labels select in what browsers without scripts show."""
        return self._count(self._is_content & self._is_inside({"noscript"}))

    @cached_property
    def n_consent(self) -> int:
        """Words in elements that ask for consent."""
        return self._count(self._in_consent)

    @cached_property
    def n_content_outside(self) -> int:
        """Words of `n_content` outside of the elements that ask for consent."""
        return self._count(self._is_content & ~self._in_consent)

    @cached_property
    def n_free_outside(self) -> int:
        """Words of `n_free` outside of the elements that ask for consent."""
        return self._count(~self._in_furniture & ~self._in_consent)

    # Texts.

    @cached_property
    def text(self) -> str:
        """The beginning of the text."""
        texts, n = [], 0
        for leaf in self._labeling.blocks.leaves.tolist():
            texts.append(self.page.texts[leaf][:_MOST_TEXT])
            n += len(texts[-1])
            if n > _MOST_TEXT:
                break
        return fold(" ".join(texts))

    @cached_property
    def headings(self) -> tuple[str, ...]:
        """The title of the page, its parts, and the headings of the highest level, without marks around them."""
        found = []
        for title in self._document.iter("{*}title"):
            text = (title.text or "")[:1000]
            found += [text, *_SEPARATORS.split(text), text.rpartition(": ")[2]]
            break
        page = self.page
        for tag in HEADING_TAGS[:3]:
            headings = np.flatnonzero(page.tags_in({tag}))[:_MOST_HEADINGS]
            if not len(headings):
                continue
            first, stop = page.leaf_ranges(np.arange(page.n_leaves))
            for start, end in zip(first[headings].tolist(), stop[headings].tolist(), strict=True):
                found.append(" ".join(page.texts[start : min(end, start + 20)]))
            break
        folded = (bare(fold(text[:1000])) for text in found)
        return tuple(dict.fromkeys(text for text in folded if text and len(text) <= _LONGEST_HEADING))

    @cached_property
    def names(self) -> str:
        """Ids and classes of the elements."""
        check_time()
        return "\n".join([*_find_ids(self._document), *_find_classes(self._document)]).lower()

    @cached_property
    def root_names(self) -> str:
        """Ids and classes of the html and body elements."""
        return f"{_names_of(self._document)} {_names_of(self.page.root)}"

    @cached_property
    def addresses(self) -> str:
        """Addresses of scripts, frames, forms, images and style sheets."""
        check_time()
        found = [address for find in _find_addresses for address in find(self._document)]
        return "\n".join([address[:_LONGEST_NAME] for batch in batches(found) for address in batch]).lower()

    @cached_property
    def code(self) -> str:
        """The beginnings of the inline scripts."""
        check_time()
        scripts = _find_scripts(self._document)[:_MOST_SCRIPTS]
        return "\n".join([_beginning(script) for script in scripts]).lower()

    @cached_property
    def data(self) -> str:
        """The beginnings of the descriptions for search engines, without whitespace."""
        check_time()
        scripts = _find_data(self._document)[:_MOST_SCRIPTS]
        return "".join("\n".join([_beginning(script) for script in scripts]).lower().split())

    @cached_property
    def refresh(self) -> str:
        """What the page says about loading another one; empty if it does not."""
        return next((_get(meta, "content") for meta in self._metas if _get(meta, "http-equiv") == "refresh"), "")

    @cached_property
    def is_unindexed(self) -> bool:
        """Whether search engines are asked to leave the page out."""
        return any(_get(meta, "name") == "robots" and "noindex" in _get(meta, "content") for meta in self._metas)

    @cached_property
    def has_framework(self) -> bool:
        """Whether the scripts are those of a framework for pages that scripts fill."""
        return any(mark in text for text in (self.addresses, self.code) for mark in FRAMEWORK_CODE)

    # Elements.

    @cached_property
    def n_sources(self) -> int:
        """Number of scripts with an address of their own."""
        return len(_find_addresses[0](self._document))

    @cached_property
    def n_links(self) -> int:
        """Number of links."""
        return int(self.page.tags_in({"a"}).sum())

    @cached_property
    def n_passwords(self) -> int:
        """Number of fields for passwords, without those in dialogs, menus and the like."""
        return sum(_get(each, "type") == "password" for each in self._inputs)

    @cached_property
    def n_fields(self) -> int:
        """Number of fields for words, without those in dialogs, menus and the like."""
        return len(self._inputs) + int(self.page.tags_in({"textarea"}).sum())

    @cached_property
    def has_mount_point(self) -> bool:
        """Whether an element that a script fills has no text."""
        page = self.page
        first, stop = page.leaf_ranges(np.arange(page.n_leaves))
        candidates = np.flatnonzero((first == stop) & ~page.tags_in(_NOT_MOUNTED)).tolist()
        for batch in batches(candidates):
            for i in batch:
                element = page.elements[i]
                names = (element.get("id"), element.tag) if isinstance(element.tag, str) else ()
                if any(name and name.lower() in MOUNT_NAMES for name in names):
                    return True
        return False

    def has_heading(self, wanted: Collection[str]) -> bool:
        """Return whether the title, one of its parts or a heading is among *wanted*."""
        return any(heading in wanted for heading in self.headings)

    def says_in_heading(self, phrases: Iterable[str]) -> bool:
        """Return whether one of *phrases* is in a heading."""
        return any(
            phrase in heading and 2 * len(phrase) > len(heading) for heading in self.headings for phrase in phrases
        )

    @cached_property
    def mentions_account(self) -> bool:
        """Whether a short heading has a phrase of forms for an account as a part."""
        short = [f" {heading} " for heading in self.headings if heading.count(" ") < _MOST_SPACES]
        return any(phrase in heading for heading in short for phrase in ACCOUNT_PARTS)

    @cached_property
    def _is_content(self) -> BoolArray:
        is_content: BoolArray = self._labeling.labels == Label.CONTENT
        return is_content

    @cached_property
    def _in_furniture(self) -> BoolArray:
        return self._is_inside(_FURNITURE)

    @cached_property
    def _in_consent(self) -> BoolArray:
        page = self.page
        vendors, hints = ([mark for mark in marks if mark in self.names] for marks in (CONSENT_VENDORS, CONSENT_HINTS))
        if not vendors and not hints:
            return np.zeros(self._labeling.blocks.n_blocks, dtype=bool)
        names = (_names_of(element) for batch in batches(page.elements) for element in batch)
        asks = [
            any(mark in each for mark in vendors)
            or (any(mark in each for mark in hints) and CONSENT_BOX.search(each) is not None)
            for each in names
        ]
        chosen = np.array(asks, dtype=bool) & ~page.tags_in(_WHOLE)
        return page.count_enclosing(chosen)[self._slots] > 0

    @cached_property
    def _slots(self) -> BoolArray:
        """The slot of the first leaf of each block."""
        blocks = self._labeling.blocks
        return self.page.leaf_slots[blocks.leaves[blocks.starts]]

    @cached_property
    def _metas(self) -> list[etree._Element]:
        found: list[etree._Element] = _find_metas(self._document)[:100]
        return found

    @cached_property
    def _inputs(self) -> list[etree._Element]:
        page = self.page
        places = np.flatnonzero(page.tags_in({"input"}))[: 10 * _MOST_INPUTS].tolist()
        inputs = [page.elements[i] for i in places]
        fields = [each for each in inputs if _get(each, "type") in ("", "text", "email", "tel", "password")]
        return [each for each in fields[:_MOST_INPUTS] if not _is_aside(each)]

    def _is_inside(self, tags: Collection[str]) -> BoolArray:
        return self.page.count_enclosing(self.page.tags_in(tags))[self._slots] > 0

    def _count(self, mask: BoolArray) -> int:
        return int(self._labeling.n_tokens[mask].sum())


def _get(element: etree._Element, name: str) -> str:
    return (element.get(name) or "")[:_LONGEST_NAME].strip().lower()


def _names_of(element: etree._Element) -> str:
    """Return id and class of an element."""
    return f"{element.get('id') or ''} {element.get('class') or ''}"[:_LONGEST_NAME].lower()


def _is_aside(element: etree._Element) -> bool:
    """Return whether a field is in a dialog, a menu or the like."""
    for n, above in enumerate(element.iterancestors()):
        if above.tag in ("body", "html") or n == _MOST_ANCESTORS:
            return False
        if above.tag in _FORM_TAGS or _ASIDE.search(_names_of(above)):
            return True
    return False
