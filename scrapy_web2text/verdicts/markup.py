"""The markup of a page of few words: names of elements, addresses, scripts. Each is read when it is first asked for."""

from __future__ import annotations

from functools import cached_property
from typing import Final

from lxml import etree

from scrapy_web2text.budget import batches, check_time
from scrapy_web2text.verdicts.phrases import fold, has_any
from scrapy_web2text.verdicts.vendors import FRAMEWORK_CODE

__all__ = ["Markup", "names_of", "read_attribute"]

_MOST_CODE: Final = 3_000  # characters of each inline script
_MOST_SCRIPTS: Final = 50
_MOST_MARKS: Final = 100_000  # characters, at the beginning and at the end
_LONGEST_NAME: Final = 200  # characters

_find_ids: Final = etree.XPath("//@id", smart_strings=False)
_find_classes: Final = etree.XPath("//@class", smart_strings=False)
_find_addresses: Final = [
    etree.XPath(path, smart_strings=False)
    for path in ("//script/@src", "//iframe/@src", "//form/@action", "//img/@src", "//link/@href")
]
_find_scripts: Final = etree.XPath("//script[not(@src)]")
_find_noscripts: Final = etree.XPath("//noscript")
_find_data: Final = etree.XPath("//script[@type='application/ld+json']")
_whole: Final = etree.XPath("string()", smart_strings=False)
_beginning: Final = etree.XPath(f"substring(., 1, {_MOST_CODE})", smart_strings=False)
_find_metas: Final = etree.XPath("//meta[@http-equiv or @name]")


class Markup:
    """What the markup of a page says, in lower case.

    :param document: root of the whole document.
    :param body: the outermost element of the page.
    """

    def __init__(self, document: etree._Element, body: etree._Element) -> None:
        self._document = document
        self._body = body

    @cached_property
    def names(self) -> str:
        """Ids and classes of the elements, each once."""
        check_time()
        names = "\n".join(_ends("\n".join(find(self._document))) for find in (_find_ids, _find_classes)).lower()
        # Many marks are searched in them. The classes of some pages take 100 kB, of which hardly any are different.
        return "\n".join(dict.fromkeys(names.split()))

    @cached_property
    def root_names(self) -> str:
        """Ids and classes of the html and body elements."""
        return f"{names_of(self._document)} {names_of(self._body)}"

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
        scripts = _find_scripts(self._document)[:_MOST_SCRIPTS]
        return "\n".join([_beginning(script) for script in scripts]).lower()

    @cached_property
    def data(self) -> str:
        """The descriptions for search engines, without whitespace."""
        check_time()
        scripts = _find_data(self._document)[:_MOST_SCRIPTS]
        return "".join(_ends("\n".join([_whole(script) for script in scripts])).lower().split())

    @cached_property
    def noscript(self) -> str:
        """The beginning of what browsers without scripts show; labelers may leave it out."""
        found = _find_noscripts(self._document)[:_MOST_SCRIPTS]
        return fold(" ".join([_beginning(element) for element in found]))

    @cached_property
    def has_framework(self) -> bool:
        """Whether the scripts are those of a framework for pages that scripts fill."""
        return has_any(FRAMEWORK_CODE, self.addresses) or has_any(FRAMEWORK_CODE, self.code)

    @cached_property
    def is_unindexed(self) -> bool:
        """Whether search engines are asked to leave the page out."""
        return any(
            read_attribute(meta, "name") == "robots" and "noindex" in read_attribute(meta, "content")
            for meta in self._metas
        )

    @cached_property
    def n_sources(self) -> int:
        """Number of scripts with an address of their own."""
        return len(_find_addresses[0](self._document))

    @cached_property
    def _metas(self) -> list[etree._Element]:
        found: list[etree._Element] = _find_metas(self._document)[:100]
        return found


def _ends(text: str) -> str:
    """Return *text*, or its beginning and its end if it is long."""
    return text if len(text) <= 2 * _MOST_MARKS else f"{text[:_MOST_MARKS]}\n{text[-_MOST_MARKS:]}"


def read_attribute(element: etree._Element, name: str) -> str:
    return (element.get(name) or "")[:_LONGEST_NAME].strip().lower()


def names_of(element: etree._Element) -> str:
    """Return id and class of an element."""
    return f"{element.get('id') or ''} {element.get('class') or ''}"[:_LONGEST_NAME].lower()
