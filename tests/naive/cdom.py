"""The collapsed DOM as node objects, built by plain recursion (two Python frames for each level of the page)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from scrapy_web2text.features.cnn_hmm.statistics import COUNTS, text_statistics
from scrapy_web2text.page.invisible import drop_invisible

if TYPE_CHECKING:
    from typing import TypeAlias

    from lxml import etree

    DomNode: TypeAlias = "str | etree._Element"

SKIPPED_TAGS = frozenset(
    # The original lacks `template`: jsoup of 2016 did not know it. Browsers do not show it.
    "br checkbox head hr iframe img input meta noscript radio script select style template textarea title video".split()
)
BLOCK_TAGS = frozenset(
    """address article aside blockquote body canvas center checkbox dd div dl fieldset figcaption figure footer form h1
    h2 h3 h4 h5 h6 head header hgroup hr html iframe input li main nav noscript ol output p pre radio section select
    table tbody td textarea tfoot thead tr ul video br""".split()
)


@dataclass(eq=False)
class Node:
    """A node of the CDOM: a leaf has a text but no children, any other node at least two children.

    :param counts: counts of a leaf's text, or their sums over the leaves below; booleans may be numbers.
    :param tags: tags of the elements that were merged into it, outermost first, ``#text`` last in a leaf.
    """

    tags: list[str]
    text: str
    counts: dict[str, int]
    children: list[Node]
    breaks_before: bool
    breaks_after: bool
    parent: Node | None = None


def collapse(raw: str) -> str:
    """Return the text with each run of whitespace as one space; no-break spaces and both ends are kept.

    Whitespace is every character up to U+0020. The original collapses only the five of HTML, but trims all of these.
    """
    return re.sub("[\x01-\x20]+", " ", raw)


def is_whitespace(text: str) -> bool:
    """Return whether a text is only whitespace: a no-break space counts as whitespace, a zero-width space does not."""
    return all(character <= " " or character.isspace() for character in text)


def count_text(text: str) -> dict[str, int]:
    """Return the counts of a leaf."""
    found = text_statistics([text])
    names = (*COUNTS, "ends_with_punctuation", "ends_with_question_mark", "n_link_chars", "has_form")
    return dict(zip(names, [*found.counts[:, 0].tolist(), *found.ends[:, 0].tolist(), 0, False], strict=True))


def tree_to_cdom(root: etree._Element) -> Node | None:
    """Return the root of the CDOM of a page, None if it has no text."""
    body = find_body(root)
    return element_to_node(body, body_content(root, body), None, None)


def find_body(root: etree._Element) -> etree._Element:
    """Return the first body below html, else html itself."""
    for child in root:
        if child.tag == "body":
            return child
    return root


def body_content(root: etree._Element, body: etree._Element) -> list[DomNode]:
    """Return the DOM nodes of the body, followed by those outside it."""
    content = dom_children(body)
    if body is not root:
        content += [node for node in dom_children(root) if node is not body and tag_of(node) != "head"]
    for sibling in root.itersiblings():
        if tag_of(sibling) == "html":  # libxml2 opens another html element for nodes after </html>
            content += dom_children(sibling)
    return content


def dom_children(element: etree._Element) -> list[DomNode]:
    """Return the DOM nodes below an element: elements and comments as lxml has them, texts as str."""
    nodes: list[DomNode] = []
    if element.text:
        nodes.append(element.text)
    for child in element:
        nodes.append(child)
        if child.tail:
            nodes.append(child.tail)
    return nodes


def tag_of(node: DomNode | None) -> str:
    """Return an element's tag; ``""`` for texts, comments, processing instructions and missing nodes."""
    if node is None or isinstance(node, str) or not isinstance(node.tag, str):
        return ""
    return str(node.tag)


def dom_to_node(node: DomNode, previous: DomNode | None, following: DomNode | None) -> Node | None:
    """Return the CDOM node of a DOM node, None if nothing remains of it.

    :param previous: the node before it in the raw DOM, of any kind.
    :param following: the node after it in the raw DOM, of any kind.
    """
    if isinstance(node, str):
        return None if is_whitespace(node) else text_to_leaf(node, previous, following)
    if not tag_of(node) or tag_of(node) in SKIPPED_TAGS:
        return None
    return element_to_node(node, dom_children(node), previous, following)


def text_to_leaf(raw: str, previous: DomNode | None, following: DomNode | None) -> Node:
    """Return the leaf of a text."""
    text = collapse(drop_invisible(raw))
    return Node(
        tags=["#text"],
        text=text,
        counts=count_text(text),
        children=[],
        breaks_before=tag_of(previous) in BLOCK_TAGS,
        breaks_after=tag_of(following) in BLOCK_TAGS,
    )


def element_to_node(
    element: etree._Element, content: list[DomNode], previous: DomNode | None, following: DomNode | None
) -> Node | None:
    """Return the CDOM node of an element that holds *content*; None if nothing remains of it."""
    children = []
    for i, dom_child in enumerate(content):
        before = content[i - 1] if i > 0 else None
        after = content[i + 1] if i + 1 < len(content) else None
        child = dom_to_node(dom_child, before, after)
        if child is not None:
            children.append(child)
    if not children:
        return None
    tag = tag_of(element)
    node = merge(tag, children[0]) if len(children) == 1 else join(tag, children, has_input(content))
    for child in node.children:
        child.parent = node
    # The breaks of an element replace those of the single child that was merged with it.
    node.breaks_before = tag in BLOCK_TAGS or tag_of(previous) in BLOCK_TAGS
    node.breaks_after = tag in BLOCK_TAGS or tag_of(following) in BLOCK_TAGS
    if node.breaks_before:
        push_break_before(node)
    if node.breaks_after:
        push_break_after(node)
    return node


def merge(tag: str, child: Node) -> Node:
    """Return the node of an element merged with its single kept child."""
    links = {"n_link_chars": child.counts["n_chars"]} if tag == "a" else {}
    return replace(child, tags=[tag, *child.tags], counts=child.counts | links)


def join(tag: str, children: list[Node], has_form: bool) -> Node:
    """Return the node of an element with two kept children or more."""
    return Node(
        tags=[tag],
        text="",
        counts=sum_counts(tag, [child.counts for child in children], has_form),
        children=children,
        breaks_before=False,
        breaks_after=False,
    )


def sum_counts(tag: str, parts: list[dict[str, int]], has_form: bool) -> dict[str, int]:
    """Return the counts of an element from those of its kept children."""
    return {
        **parts[-1],  # how the text ends
        **{name: sum(part[name] for part in parts) for name in COUNTS},
        "n_link_chars": sum(part["n_chars" if tag == "a" else "n_link_chars"] for part in parts),
        "has_form": has_form,
    }


def has_input(content: list[DomNode]) -> bool:
    """Return whether there is an input element anywhere below, even in skipped elements."""
    return any(not isinstance(node, str) and next(node.iter("input"), None) is not None for node in content)


def push_break_before(node: Node) -> None:
    """Mark a break before the first descendants of a node, down to one that has it already."""
    if node.children and not node.children[0].breaks_before:
        node.children[0].breaks_before = True
        push_break_before(node.children[0])


def push_break_after(node: Node) -> None:
    """Mark a break after the last descendants of a node, down to one that has it already."""
    if node.children and not node.children[-1].breaks_after:
        node.children[-1].breaks_after = True
        push_break_after(node.children[-1])
