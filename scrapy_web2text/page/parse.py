"""Parsing: from bytes, str, a Selector or a tree to an lxml tree, which is never modified."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lxml import etree
from parsel import Selector, SelectorList

from scrapy_web2text.common.budget import watched
from scrapy_web2text.exceptions import PageError
from scrapy_web2text.extraction import EncodingSource
from scrapy_web2text.page.bounds import check_size
from scrapy_web2text.page.encoding import read_page, to_utf_8
from scrapy_web2text.page.sniffing import (
    Extent,
    extent_of_tree,
    find_extent,
    has_markup,
    is_empty_body,
    looks_binary,
    refuse_data,
    unwrap,
)

if TYPE_CHECKING:
    from typing import TypeAlias

    Html: TypeAlias = "bytes | str | Selector | SelectorList[Selector] | etree._Element | etree._ElementTree"

_EMPTY_PAGE = b"<html><body></body></html>"


class Parsed(NamedTuple):
    """The root element of a page, and what was found out about the page before it was a tree.

    :param extent: how much of a page it is.
    :param encoding: encoding of a page in bytes.
    :param source: where the name of the encoding is from.
    """

    root: etree._Element
    extent: Extent
    encoding: str | None = None
    source: EncodingSource | None = None


def to_tree(html: Html, *, encoding: str | None = None) -> etree._Element:
    """Return the root element of a page, as `parse` reads it."""
    return parse(html, encoding=encoding).root


def parse(html: Html, *, encoding: str | None = None) -> Parsed:
    """Return the root element of a page and its encoding; a tree is returned unchanged.

    :param html: a whole page or a part of one. The nodes of a Selector or tree are never modified.
    :param encoding: the encoding of `bytes`. None, or a name that is not in the Encoding Standard, means the byte order
        mark, then the encoding that the page declares, then a guess.
    :raises PageError: with reason ``not_html`` if the page is a PDF, an image or other binary data, JSON or a feed;
        with ``too_large`` if its tree would take too much memory or time.
    :raises TypeError: if *html* is of another type.
    :raises ValueError: if *encoding* is not a string.
    """
    check_types(html, encoding)
    if isinstance(html, bytes):
        if looks_binary(html, encoding):
            raise PageError("not_html", f"expected HTML, got binary data that begins with {html[:8]!r}")
        reading = read_page(html, encoding)
        refuse_data(reading.page)
        root, extent, *_ = _parse_text(reading.page)
        return Parsed(root, extent, reading.encoding, reading.source)
    if isinstance(html, str):
        page = to_utf_8(html)
        refuse_data(page)
        return _parse_text(page)
    if isinstance(html, SelectorList) and len(html) != 1:
        markup, extent = serialize(html)
        return _parse_text(to_utf_8(markup), extent)
    root = _root_of(html)
    return _parse_text(to_utf_8(root)) if isinstance(root, str) else Parsed(root, extent_of_tree(root))


def _parse_text(page: bytes, extent: Extent | None = None) -> Parsed:
    """Return the root of *page*, in UTF-8, and its *extent*; if it is None, it is found in the page."""
    extent = extent or find_extent(page)
    return Parsed(_parse(unwrap(page) if extent == "markup" else page), extent)


def check_types(html: Html, encoding: str | None) -> None:
    """Raise the TypeError or ValueError of `parse` if an argument is of another type; nothing is parsed."""
    if encoding is not None and not isinstance(encoding, str):
        raise ValueError(f"encoding: expected the name of an encoding or None, got {encoding!r}")
    for part in html if isinstance(html, SelectorList) else [html]:
        root = _root_of(part)
        # Comments and the like are _Element too.
        if isinstance(root, bytes | str) or (isinstance(root, etree._Element) and isinstance(root.tag, str)):
            continue
        hints = {"content": "; pass its content", "read_bytes": "; read the file first"}  # requests or httpx; a path
        hint = next((hints[name] for name in hints if hasattr(type(root), name)), "")
        got = f"{'a Selector of ' if isinstance(part, Selector) else ''}{type(root).__name__}{hint}"
        raise TypeError(f"html: expected bytes, str, a response, a Selector or an lxml tree of elements, got {got}")


def serialize(html: Html) -> tuple[str, Extent]:
    """Return the markup of Selectors or of a tree, one element after another, and how much of a page it is.

    An element inside another one is written once.

    :raises TypeError: if *html* is of another type.
    """
    check_types(html, None)
    roots = [_root_of(part) for part in (html if isinstance(html, SelectorList) else [html])]
    elements = {root for root in roots if isinstance(root, etree._Element)}
    # An element inside another one is part of its markup.
    roots = [root for root in watched(roots) if root not in elements or elements.isdisjoint(root.iterancestors())]
    markup = "\n".join(
        root if isinstance(root, str) else etree.tostring(root, encoding="unicode", method="html", with_tail=False)
        for root in roots
    )
    is_whole = not elements or "page" in map(extent_of_tree, elements)
    return markup, find_extent(to_utf_8(markup)) if is_whole else "element"


def is_empty(html: Html) -> bool:
    """Return whether a page has not even a tag: nothing but whitespace and a byte order mark. A tree is never empty."""
    if isinstance(html, SelectorList) and not html:
        return True
    root = _root_of(html)
    return isinstance(root, bytes | str) and is_empty_body(root)


def _root_of(html: Html) -> Any:
    """Return the root of a Selector, which may be a text, or of a tree; anything else is returned unchanged.

    An element of an XML feed that contains HTML as text has this text as its root.
    """
    if isinstance(html, SelectorList) and len(html) == 1:
        html = html[0]
    root = html.root if isinstance(html, Selector) else html
    if isinstance(html, Selector) and html.type == "xml" and isinstance(root, etree._Element):
        return root.text if not len(root) and has_markup(root.text) else root
    return root.getroot() if isinstance(root, etree._ElementTree) else root


def _parse(body: bytes) -> etree._Element:
    """Return the root of *body*, a page in UTF-8; the encoding that it declares is ignored.

    :raises PageError: with reason ``too_large`` if the tree would take too much memory or time.
    """
    body = body.replace(b"\x00", b"")  # libxml2 would end the page at a NUL
    check_size(body)
    try:
        root = etree.fromstring(body, new_parser())
    except etree.XMLSyntaxError as e:  # "Document is empty"
        if e.code == etree.ErrorTypes.ERR_NO_MEMORY:  # the rest of the page would silently be missing
            raise MemoryError("the tree of the page does not fit into memory") from e
        root = None
    return etree.fromstring(_EMPTY_PAGE, new_parser()) if root is None else root


def new_parser() -> etree.HTMLParser:
    """Return a parser of HTML in UTF-8."""
    # Without huge_tree, libxml2 stops at 256 nested elements and drops the rest of the page; with it, at 2,048.
    return etree.HTMLParser(encoding="utf-8", huge_tree=True, collect_ids=False)
