"""The elements that tell what a document is about: ``meta``, ``title``, ``h1`` and scripts, found in one walk."""

from __future__ import annotations

from itertools import chain
from typing import Final

from lxml import etree

from scrapy_web2text.budget import check_time, watched

__all__ = ["Landmarks", "shown_texts"]

_TAGS: Final = ("{*}meta", "{*}h1", "{*}title", "{*}body", "script")
_HIDDEN: Final = ("script", "style", "svg", "template")

_find_texts: Final = etree.XPath("descendant::text()", smart_strings=False)


class Landmarks:
    """The elements below *root* that tell what a document is about, in document order.

    A walk over a tree costs a tenth of its parse, so that several readers share this one.

    :param root: element whose descendants count. Scripts also count if they follow it, where libxml2 puts those after
        ``</html>``.
    """

    def __init__(self, root: etree._Element) -> None:
        self.metas: list[etree._Element] = []
        self.headings: list[etree._Element] = []  # the `h1` elements
        self.titles: list[etree._Element] = []  # SVG images have titles too
        self.bodies: list[etree._Element] = []
        self.scripts: list[etree._Element] = []
        lists = {
            "meta": self.metas,
            "h1": self.headings,
            "title": self.titles,
            "body": self.bodies,
            "script": self.scripts,
        }
        for element in watched(root.iter(*_TAGS)):
            tag = element.tag
            lists[tag if tag in lists else tag.rpartition("}")[2]].append(element)
        self.scripts += watched(chain.from_iterable(sibling.iter("script") for sibling in root.itersiblings()))
        self._texts: dict[etree._Element, str] = {}

    def text_of(self, element: etree._Element) -> str:
        """Return the text of one of the elements that readers see, joined by spaces."""
        text = self._texts.get(element)
        if text is None:
            text = self._texts[element] = " ".join(shown_texts(element))
        return text


def shown_texts(element: etree._Element) -> list[str]:
    """Return the texts of an element, without those of scripts, style sheets and images inside or around it.

    The time is linear: XPath would search all the ancestors of each text.
    """
    check_time()
    texts: list[str] = _find_texts(element)
    if not texts or element.tag in _HIDDEN or next(element.iterancestors(*_HIDDEN), None) is not None:
        return []
    if next(element.iterdescendants(*_HIDDEN), None) is None:
        return texts
    shown = []
    nodes = etree.iterwalk(element, events=("start", "end", "comment", "pi"))
    for event, node in nodes:
        is_hidden = node.tag in _HIDDEN
        if event == "start" and is_hidden:
            nodes.skip_subtree()
        elif event == "start":
            shown.append(node.text)
        if event != "start" and node is not element:
            shown.append(node.tail)
    return [text for text in shown if text]
