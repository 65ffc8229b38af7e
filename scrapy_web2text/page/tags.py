"""The tags that the package tells apart, their numbers, and tables of them."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Any, Final

import numpy as np

from scrapy_web2text.common.arrays import BoolArray, IntArray
from scrapy_web2text.page.tree import FORMAT_TAGS, local_name

# The tags that the package tells apart. Others have number 0; names with a hyphen, the number of "#custom".
# Comments and processing instructions have the number of "#comment".
TAG_NAMES: Final = (
    "",
    "#comment",
    "#custom",
    *"""a abbr acronym address article aside audio b base bdi bdo big blink blockquote body br button canvas caption
    center checkbox cite code col colgroup data dd del details dfn dialog dir div dl dt em embed fieldset figcaption
    figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input ins kbd
    label legend li link main map mark marquee math menu meta meter nav nobr noframes noscript object ol optgroup
    option output p param picture pre progress q radio rp rt ruby s samp script search section select slot small source
    span strike strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr track tt
    u ul var video wbr""".split(),
)
COMMENT: Final = 1
HEADING_TAGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
# Tags inside a paragraph of text.
TEXT_TAGS: Final = FORMAT_TAGS.union("a data img label map rp rt ruby script span style time".split())
# Tags that do not end a line. As in browsers, unknown tags do not end a line, either. A title in the content is the
# title of an image.
INLINE_TAGS: Final = TEXT_TAGS.union(
    """audio blink button canvas embed iframe input link math meta meter noscript object output param picture progress
    select slot source svg template textarea title track video""".split()
)
_TAG_IDS: Final = {name: number for number, name in enumerate(TAG_NAMES)}


def tag_ids(names: Collection[str]) -> IntArray:
    """Return the numbers of the tags *names*; ``""`` is an unknown tag. *Shape:* ``(len(names),)``"""
    return np.array([_TAG_IDS[name] for name in names], dtype=np.int64)


# Elements whose text, in ``element.text``, is not text of the page.
WITHOUT_TEXT: Final = np.zeros(len(TAG_NAMES), dtype=bool)
WITHOUT_TEXT[[COMMENT, *tag_ids(("script", "style", "template"))]] = True
TEMPLATE: Final = _TAG_IDS["template"]


@cache
def tag_table(names: frozenset[str]) -> BoolArray:
    """Return which tags are among *names*; cached, as callers pass constants. *Shape:* ``(len(TAG_NAMES),)``"""
    chosen = np.zeros(len(TAG_NAMES), dtype=bool)
    chosen[tag_ids(names)] = True
    return chosen


class TagNumbers(dict[Any, int]):
    """The numbers of the names of elements, and the tag of each. Number 0 is for comments, whose tag is a function."""

    def __init__(self) -> None:
        super().__init__()
        self.names = [""]
        self.tags = [COMMENT]

    def __missing__(self, name: Any) -> int:
        if not isinstance(name, str):
            return 0
        tag = _TAG_IDS.get(name)
        number = self[name] = len(self.names)
        self.names.append(name)
        self.tags.append(_rare_tag(name) if tag is None else tag)
        return number


def _rare_tag(name: str) -> int:
    """Return the tag of a custom element, or of an element from an XML parser."""
    name = local_name(name)
    return _TAG_IDS["#custom"] if "-" in name else _TAG_IDS.get(name, 0)
