"""The texts of a page that rules search for phrases: markup, text and headings. Each is read when first asked for."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
from lxml import etree

from scrapy_web2text.common.budget import batches, check_time, watched
from scrapy_web2text.metadata.structured_data import is_json_ld
from scrapy_web2text.page.tags import HEADING_TAGS
from scrapy_web2text.verdicts import phrases
from scrapy_web2text.verdicts.phrases import account_parts, bare, fold, has_any

if TYPE_CHECKING:
    from collections.abc import Collection

    from scrapy_web2text.common.arrays import IntArray
    from scrapy_web2text.labelers.base import Labeling
    from scrapy_web2text.page.arrays import Page


MOST_TEXT: Final = 4_000  # characters
_MOST_HEADINGS: Final = 8
_MOST_SPACES: Final = 7  # in a heading that is a single phrase
_LONGEST_HEADING: Final = 120  # characters
_SEPARATORS: Final = re.compile(r"\s[|–—·•»«›:/-]{1,3}\s|[|»«›·•]")
_MOST_CODE: Final = 3_000  # characters of each inline script
_MOST_SCRIPTS: Final = 50
_MOST_MARKS: Final = 100_000  # characters of ids and classes, at the beginning and at the end
_LONGEST_NAME: Final = 200  # characters

_NAMES: Final = ("id", "class")
_FIND_ALL: Final = [etree.XPath(f"//@{name}", smart_strings=False) for name in _NAMES]
# Attributes of elements that are not in `Page.elements`. The arrays of the page have the others, which is faster.
_FIND_OUTSIDE: Final = [
    etree.XPath(f"/*/@{name} | /*/*[name() = 'head']//@{name} | /*[name() != 'html']//@{name}", smart_strings=False)
    for name in _NAMES
]
_find_addresses: Final = [
    etree.XPath(path, smart_strings=False)
    for path in ("//script/@src", "//iframe/@src", "//form/@action", "//img/@src", "//link/@href")
]
_find_noscripts: Final = etree.XPath("//noscript")
_whole: Final = etree.XPath("string()", smart_strings=False)
_beginning: Final = etree.XPath(f"substring(., 1, {_MOST_CODE})", smart_strings=False)


class Wording:
    """The markup, the text and the headings of a page, in lower case.

    :param labeling: the labels of the page's blocks.
    """

    def __init__(self, page: Page, labeling: Labeling) -> None:
        self.page = page
        self._document = page.document_root
        self._labeling = labeling

    @cached_property
    def names(self) -> str:
        """The ids and classes of the elements, each once; if they are very long, only their beginning and end."""
        # Each once, since many marks are searched in the names: some pages have 100 kB of classes, nearly all equal.
        check_time()
        is_whole = self.page.root is self._document and self._document.tag == "html"
        columns = self.page.read_attributes(np.arange(self.page.n_elements if is_whole else 0), *_NAMES)
        finders = zip(_FIND_OUTSIDE if is_whole else _FIND_ALL, columns, strict=True)
        names = [_ends("\n".join([*find(self._document), *column.values()])) for find, column in finders]
        return "\n".join(dict.fromkeys("\n".join(names).lower().split()))

    @cached_property
    def root_names(self) -> str:
        """Ids and classes of the html and body elements."""
        return f"{names_of(self._document)} {names_of(self.page.elements[0])}"

    @cached_property
    def addresses(self) -> str:
        """Addresses of scripts, frames, forms, images and style sheets."""
        check_time()
        found = [address for find in _find_addresses for address in find(self._document)]
        return _ends("\n".join([address[:_LONGEST_NAME] for batch in batches(found) for address in batch])).lower()

    @cached_property
    def code(self) -> str:
        """The beginnings of the inline scripts."""
        check_time()
        scripts = [script for script in self._scripts if script.get("src") is None][:_MOST_SCRIPTS]
        return "\n".join([_beginning(script) for script in scripts]).lower()

    @cached_property
    def data(self) -> str:
        """The JSON-LD for search engines, without whitespace."""
        check_time()
        scripts = [script for script in self._scripts if is_json_ld(script)][:_MOST_SCRIPTS]
        return "".join(_ends("\n".join([_whole(script) for script in scripts])).lower().split())

    @cached_property
    def noscript(self) -> str:
        """The beginning of the text for browsers without scripts, which labelers may leave out."""
        found = _find_noscripts(self._document)[:_MOST_SCRIPTS]
        return fold(" ".join([_beginning(element) for element in found]))

    @cached_property
    def has_framework(self) -> bool:
        """Whether the scripts belong to a framework for pages that scripts fill."""
        return has_any(phrases.FRAMEWORK_CODE, self.addresses) or has_any(phrases.FRAMEWORK_CODE, self.code)

    @cached_property
    def is_unindexed(self) -> bool:
        """Whether the page asks search engines not to list it."""
        return any(
            read_attribute(meta, "name") == "robots" and "noindex" in read_attribute(meta, "content")
            for meta in watched(self.page.document_landmarks.metas)
        )

    @cached_property
    def n_sources(self) -> int:
        """Number of scripts that are loaded from a URL."""
        return sum(script.get("src") is not None for script in self._scripts)

    @property
    def _scripts(self) -> list[etree._Element]:
        return self.page.document_landmarks.scripts

    @cached_property
    def text(self) -> str:
        """The beginning of the text."""
        return self._beginning(self._labeling.blocks.leaves)

    @cached_property
    def headings(self) -> tuple[str, ...]:
        """The title of the page, its parts, and the headings of the highest level, without punctuation around them."""
        found = []
        for title in self.page.document_landmarks.titles[:1]:
            text = (title.text or "")[:1000]
            found += [text, *_SEPARATORS.split(text), text.rpartition(": ")[2]]
        page = self.page
        for tag in HEADING_TAGS[:3]:
            headings = page.tags_in({tag}).nonzero()[0][:_MOST_HEADINGS]
            if not len(headings):
                continue
            first, stop = page.leaf_ranges(np.arange(page.n_leaves))
            for start, end in zip(first[headings].tolist(), stop[headings].tolist(), strict=True):
                found.append(" ".join(page.texts[start : min(end, start + 20)]))
            break
        folded = (bare(fold(text[:1000])) for text in found)
        return tuple(dict.fromkeys(text for text in folded if text and len(text) <= _LONGEST_HEADING))

    def has_heading(self, wanted: Collection[str]) -> bool:
        """Return whether the title, one of its parts or a heading is among *wanted*."""
        return any(heading in wanted for heading in self.headings)

    def has_only_word(self, wanted: Collection[str]) -> bool:
        """Return whether the headings that are among *wanted* are all single words, which can have other meanings."""
        return all(" " not in heading and heading[0] < "\u3000" for heading in self.headings if heading in wanted)

    def says_in_heading(self, wanted: Collection[str]) -> bool:
        """Return whether one of *wanted* is more than half of a heading."""
        return any(
            2 * len(phrase) > len(heading)
            for heading in self.headings
            for phrase in filter(heading.__contains__, wanted)
        )

    @cached_property
    def mentions_account(self) -> bool:
        """Whether a short heading contains a phrase of forms for an account."""
        short = [f" {heading} " for heading in self.headings if heading.count(" ") < _MOST_SPACES]
        return any(has_any(account_parts(), heading) for heading in short)

    def _beginning(self, leaves: IntArray) -> str:
        """Return the beginning of the text of *leaves*. *Shape:* ``(k,)``"""
        texts, n = [], 0
        for leaf in leaves.tolist():
            texts.append(self.page.texts[leaf][:MOST_TEXT])
            n += len(texts[-1])
            if n > MOST_TEXT:
                break
        return fold(" ".join(texts))


def _ends(text: str) -> str:
    """Return *text*, or its beginning and its end if it is long."""
    return text if len(text) <= 2 * _MOST_MARKS else f"{text[:_MOST_MARKS]}\n{text[-_MOST_MARKS:]}"


def read_attribute(element: etree._Element, name: str) -> str:
    return (element.get(name) or "")[:_LONGEST_NAME].strip().lower()


def names_of(element: etree._Element) -> str:
    """Return the id and the class of an element, in lower case."""
    return f"{element.get('id') or ''} {element.get('class') or ''}"[:_LONGEST_NAME].lower()
