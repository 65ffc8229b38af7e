"""The lxml tree of a page: its roots, and the elements that tell what it is about."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import chain, islice
from typing import Any, Final, NamedTuple

from lxml import etree

from scrapy_web2text.common.budget import check_time, watched


class Root(NamedTuple):
    """A subtree of a document with the text after it; for a text without a subtree, a new comment and the *text*."""

    node: etree._Element
    text: str | None = None


class Roots(NamedTuple):
    """The subtrees of a document that a browser shows.

    :param root: the root of the document, or of a part of one.
    :param first: the body, or *root* if there is none.
    :param before: elements of the head that a browser puts at the beginning of the body.
    :param beside: what the root has outside of its head and body, which a browser puts at the end of the body.
    :param following: what follows the root, which a browser puts there, too.
    """

    root: etree._Element
    first: etree._Element
    before: list[etree._Element]
    beside: list[Root]
    following: list[Root]

    @property
    def after(self) -> list[Root]:
        """All that a browser puts at the end of the body."""
        return self.beside + self.following


def find_roots(root: etree._Element) -> Roots:
    """Return what a browser shows of the document of *root*; of a part of a document, *root* alone."""
    if local_name(root.tag) != "html":
        return Roots(root, root, [], [], [])
    body = next((child for child in root if local_name(child.tag) == "body"), None)
    heads = [*(root.iterchildren("{*}head") if body is None else body.itersiblings("{*}head", preceding=True))]
    before = [node for head in heads for node in find_shown(head)]
    beside = [] if body is None else [*_list_outside(root, (body, *heads))]
    # libxml2 wraps nodes after </html> in another html element.
    others = [sibling for sibling in watched(root.itersiblings()) if local_name(sibling.tag) == "html"]
    following = [each for html in others for each in _list_outside(html, ())]
    return Roots(root, root if body is None else body, before, beside, following)


def _list_outside(html: etree._Element, read: Collection[etree._Element]) -> Iterator[Root]:
    """Yield what a browser shows of the children of *html*, without the elements that are *read* already."""
    if html.text:
        yield Root(etree.Comment(""), html.text)
    for child in watched(html, len(html)):
        is_head = local_name(child.tag) == "head"
        if is_head and child not in read:
            yield from map(Root, find_shown(child))
        if is_head or child in read:
            if child.tail:
                yield Root(etree.Comment(""), child.tail)
        else:
            yield Root(child)


def find_shown(head: etree._Element) -> list[etree._Element]:
    """Return the children of *head* that a browser puts into the body, if they have text.

    A head ends with the first element that it cannot have. libxml2 ends it only before elements of HTML 4.
    """
    others = [child for child in watched(head, len(head)) if child.tag not in _HEAD_TAGS]
    shown = [child for child in others if _can_be_shown(child)]
    return shown if any(map(_has_text, watched(shown))) else []


def _can_be_shown(child: etree._Element) -> bool:
    """Return whether a child of a head is an element of the body, or a ``noscript`` with text."""
    name = local_name(child.tag)
    return _has_text(child) if name == "noscript" else name != "" and name not in _HEAD_TAGS


_HEAD_TAGS: Final = frozenset("base basefont bgsound head link meta noframes script style template title".split())
_has_text: Final = etree.XPath(
    "boolean(descendant::*[local-name() != 'script' and local-name() != 'style']/text()[normalize-space()]"
    " | text()[normalize-space()])"
)


_find_outermost: Final = etree.XPath("/descendant::body[not(ancestor::body)]")  # of the whole document


def find_bodies(root: etree._Element) -> list[etree._Element]:
    """Return the outermost bodies of the document of *root*, and the elements of its head that a browser shows."""
    heads = root.getroottree().getroot().iterchildren("{*}head")
    return [*chain.from_iterable(map(find_shown, heads)), *_find_outermost(root)]


def local_name(tag: Any) -> str:
    """Return an element's tag in lower case, without its namespace; ``""`` for comments, whose tag is a function."""
    return tag.rpartition("}")[2].lower() if isinstance(tag, str) else ""


_TAGS: Final = ("{*}meta", "{*}h1", "{*}title", "{*}body", "script", "{*}style", "{*}base")
_HIDDEN: Final = ("script", "style", "svg", "template")
_MOST_STEPS: Final = 10_000
# Elements that format a part of a word or a sentence, as a ``span`` without a class does.
FORMAT_TAGS: Final = frozenset(
    """abbr acronym b bdi bdo big cite code del dfn em font i ins kbd mark nobr q s samp small strike strong sub sup tt
    u var wbr""".split()
)
_PARTS: Final = frozenset({"a", "span"})
_AFTER_WORD: Final = tuple(",.:;!?)]}")
_BEFORE_WORD: Final = tuple("([{")


class Landmarks:
    """The elements below *root* that tell what a document is about, in document order.

    A walk over a tree costs a tenth of its parse, so several readers share this walk.

    :param root: element whose descendants count. Scripts after *root* also count: libxml2 moves scripts there that
        follow ``</html>``.
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
        """Return the text of one of the elements that readers see."""
        text = self._texts.get(element)
        if text is None:
            text = self._texts[element] = "".join(shown_texts(element))
        return text


def shown_texts(element: etree._Element) -> list[str]:
    """Return the texts of an element, without the texts of scripts, style sheets and images inside or around it.

    A text begins with a space if it is apart from the text before it: if there is more between them than elements that
    format a part of a word, or one end of a ``span`` or link. The walk ends after 10,000 steps: headings can be nested,
    and each is read. XPath would search all the ancestors of each text.
    """
    check_time()
    if next(element.iterancestors(*_HIDDEN), None) is not None:
        return []
    shown: list[str] = []
    crossed: list[str] = []  # the tags since the last text
    n_hidden = 0  # elements around a text that hide it
    for is_start, node in islice(walk_nodes(element), _MOST_STEPS):
        if isinstance(node.tag, str):
            crossed.append(node.tag)
        if node.tag in _HIDDEN or "mw-editsection" in (node.get("class") or ""):
            n_hidden += 1 if is_start else -1
        text = node.text if is_start else node.tail
        if text and not n_hidden and (is_start or node is not element):
            is_whole = FORMAT_TAGS.issuperset(crossed) or (len(crossed) == 1 and crossed[0] in _PARTS)
            is_sign = text.startswith(_AFTER_WORD) or (shown and shown[-1].endswith(_BEFORE_WORD))
            shown.append(text if not shown or is_whole or is_sign else f" {text}")
            crossed = []
    return shown


def iter_texts(element: etree._Element) -> Iterator[str]:
    """Yield the texts in an element as `itertext` does, in linear time."""
    for is_start, node in walk_nodes(element):
        text = node.text if is_start else node.tail
        if text and (is_start or node is not element):
            yield text


def walk_nodes(element: etree._Element) -> Iterator[tuple[bool, etree._Element]]:
    """Yield the start and the end of an element and of each element in it, and the end of each comment in it.

    Among n comments beside each other, `iterwalk` and `itertext` of lxml take n² steps.
    """
    around: list[etree._Element] = []
    for node in watched(element.iter()):
        parent = node.getparent()
        while around and around[-1] is not parent:
            yield False, around.pop()
        if isinstance(node.tag, str):
            yield True, node
        around.append(node)
    yield from ((False, node) for node in reversed(around))
