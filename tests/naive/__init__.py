"""The slow, obvious twin of blocks, CDOM and features: recursive, in plain Python, one rule per function.

Tests compare the package's flat arrays with it. The two do not share code. The columns are in the original's order.
"""

from __future__ import annotations

from dataclasses import dataclass

from lxml import etree

from .cdom import Node, tree_to_cdom
from .features import block_features, edge_features, list_leaves

__all__ = ["NaivePage", "html_to_naive_page", "html_to_tree", "leaf_texts", "tree_to_naive_page"]


@dataclass(frozen=True)
class NaivePage:
    """Blocks and features of a page of n blocks, as the twin computes them.

    :param texts: text of each block, whitespace collapsed, not trimmed. *Length:* n
    :param tags: tags of the merged chain of each block's leaf, outermost first, ``#text`` last. *Length:* n
    :param block_rows: block features. *Shape:* ``(n, 128)``
    :param edge_rows: edge features. *Shape:* ``(max(n - 1, 0), 25)``
    """

    texts: list[str]
    tags: list[list[str]]
    block_rows: list[list[float]]
    edge_rows: list[list[float]]


def html_to_tree(html: str) -> etree._Element | None:
    """Return the root element that libxml2 makes of a page; None if it finds nothing at all."""
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True)
    body = html.replace("\x00", "").encode("utf-8", "replace")
    try:
        root: etree._Element | None = etree.fromstring(body, parser)
    except etree.XMLSyntaxError:  # "Document is empty"
        return None
    return root


def html_to_naive_page(html: str) -> NaivePage:
    """Return blocks and features of a page."""
    return tree_to_naive_page(html_to_tree(html))


def tree_to_naive_page(root: etree._Element | None) -> NaivePage:
    """Return blocks and features of a tree, which is not changed."""
    leaves = _leaves(root)
    return NaivePage(
        texts=[leaf.text for leaf in leaves],
        tags=[leaf.tags for leaf in leaves],
        block_rows=block_features(leaves),
        edge_rows=edge_features(leaves),
    )


def leaf_texts(root: etree._Element | None) -> list[str]:
    """Return the block texts alone, for pages whose features would take too long."""
    return [leaf.text for leaf in _leaves(root)]


def _leaves(root: etree._Element | None) -> list[Node]:
    cdom_root = None if root is None else tree_to_cdom(root)
    return [] if cdom_root is None else list_leaves(cdom_root)
