"""The lxml tree of a page: its roots, and the elements that tell what it is about."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from typing import Any, Final

from lxml import etree

from scrapy_web2text.common.budget import batches, check_time, watched


def list_roots(root: etree._Element) -> tuple[list[etree._Element], dict[int, str]]:
    """Return the root of the page with the elements outside of it, and the texts outside of it.

    A text outside the body that is not the tail of a listed element gets a new comment among the elements. The dict
    maps the position of each such comment to its text.
    """
    body = _find_body(root)
    roots = [root if body is None else body]
    stray_texts: dict[int, str] = {}
    for strays in batches(_stray_nodes(root, body)):
        for node, text in strays:
            if text is not None:
                stray_texts[len(roots)] = text
            roots.append(node)
    return roots, stray_texts


def _stray_nodes(root: etree._Element, body: etree._Element | None) -> Iterator[tuple[etree._Element, str | None]]:
    """Yield each element outside the head and *body* with None, and each text there with a new comment before it."""
    if local_name(root.tag) != "html":
        return
    # libxml2 wraps nodes after </html> in another html element.
    following = [sibling for sibling in root.itersiblings() if local_name(sibling.tag) == "html"]
    for html in following if body is None else [root, *following]:
        if html.text:
            yield etree.Comment(""), html.text
        for child in html:
            if child is not body and local_name(child.tag) != "head":
                yield child, None
            elif child.tail:
                yield etree.Comment(""), child.tail


def _find_body(root: etree._Element) -> etree._Element | None:
    if local_name(root.tag) != "html":
        return None
    return next((child for child in root if local_name(child.tag) == "body"), None)


find_bodies: Final = etree.XPath("/descendant::body[not(ancestor::body)]")  # the outermost of the whole document


def local_name(tag: Any) -> str:
    """Return an element's tag in lower case, without its namespace; ``""`` for comments, whose tag is a function."""
    return tag.rpartition("}")[2].lower() if isinstance(tag, str) else ""


_TAGS: Final = ("{*}meta", "{*}h1", "{*}title", "{*}body", "script", "{*}style", "{*}base")
_HIDDEN: Final = ("script", "style", "svg", "template")
_MOST_STEPS: Final = 10_000


class Landmarks:
    """The elements below *root* that tell what a document is about, in document order.

    A walk over a tree costs a tenth of its parse, so that several readers share this one.

    :param root: element whose descendants count. Scripts also count if they follow it, where libxml2 puts those after
        ``</html>``.
    """

    def __init__(self, root: etree._Element) -> None:
        names = ("meta", "h1", "title", "body", "script", "style", "base")
        lists: dict[str, list[etree._Element]] = {name: [] for name in names}
        for element in watched(root.iter(*_TAGS)):
            tag = element.tag
            lists[tag if tag in lists else tag.rpartition("}")[2]].append(element)
        # The headings are the `h1` elements; SVG images have titles too.
        self.metas, self.headings, self.titles, self.bodies, self.scripts, self.styles, self.bases = lists.values()
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

    The walk ends after 10,000 steps: headings can be nested, and each is read. XPath would search all the ancestors of
    each text.
    """
    check_time()
    if next(element.iterancestors(*_HIDDEN), None) is not None:
        return []
    shown = []
    nodes = etree.iterwalk(element, events=("start", "end", "comment", "pi"))
    for event, node in islice(nodes, _MOST_STEPS):
        is_hidden = node.tag in _HIDDEN
        if event == "start" and is_hidden:
            nodes.skip_subtree()
        elif event == "start":
            shown.append(node.text)
        if event != "start" and node is not element:
            shown.append(node.tail)
    return [text for text in shown if text]
