"""The roots of a page in an lxml tree: its body, and what is outside of it.

If the tree has a body, the page is that body. As in HTML5, nodes outside the head and the body count as the last
children of the body; libxml2 does not move them there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lxml import etree

from scrapy_web2text.budget import batches

__all__ = ["list_roots", "local_name"]


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


def local_name(tag: Any) -> str:
    """Return an element's tag in lower case, without its namespace; ``""`` for comments, whose tag is a function."""
    return tag.rpartition("}")[2].lower() if isinstance(tag, str) else ""
