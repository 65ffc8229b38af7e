"""What a page is by its first bytes, its tags and its headers, before it is parsed.

It can be binary data, JSON or a feed, whatever its headers say; a whole page, or perhaps a fragment of one. Responses
of Scrapy, web-poet and the like are read by their attributes, so that Scrapy need not be imported.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final, Literal, Protocol, TypeGuard

from lxml import etree
from w3lib.encoding import http_content_type_encoding, read_bom

from scrapy_web2text.exceptions import PageError
from scrapy_web2text.page.encoding import is_utf_16
from scrapy_web2text.page.invisible import replace_references
from scrapy_web2text.page.tree import local_name

# First bytes of the binary formats that servers most often send as text/html.
_SIGNATURES = (b"%PDF-", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"PK\x03\x04", b"\x1f\x8b", b"RIFF", b"OggS", b"\x7fELF")
_CONTROL_BYTES = bytes(set(range(1, 32)) - set(b"\t\n\v\f\r\x1b"))
_SNIFFED_BYTES = 1024
_MAX_CONTROL_SHARE = 0.05  # compressed data has 0.098
# With the zero bytes of UTF-16.
_EMPTY_BYTES, _EMPTY_CHARACTERS = b" \t\n\v\f\r\0", " \t\n\v\f\r\0\xa0\ufeff"
# The root element of a feed or a sitemap, after everything that XML allows before it; or a record of WARC.
_FEED: Final = re.compile(
    rb"(?:\s|<\?(?:(?!\?>).)*\?>|<!--(?:(?!-->).)*-->|<!DOCTYPE\s+rss\b[^>]*>)*"
    rb"<(?:rss|(?:\w+:)?feed|rdf:rdf|urlset|sitemapindex)[\s>]|WARC/1\.",
    re.DOTALL | re.IGNORECASE,
)


def is_empty_body(page: bytes | str) -> bool:
    """Return whether *page* is only whitespace, perhaps after a byte order mark."""
    if isinstance(page, str):
        return not page[:_SNIFFED_BYTES].strip(_EMPTY_CHARACTERS) and not page.strip(_EMPTY_CHARACTERS)
    head = page[:_SNIFFED_BYTES]
    n_mark = len(read_bom(head)[1] or b"")
    return not head[n_mark:].strip(_EMPTY_BYTES) and not page[n_mark:].strip(_EMPTY_BYTES)


def looks_binary(body: bytes, encoding: str | None = None) -> bool:
    """Return whether *body* begins like a binary file, whatever its headers say.

    :param encoding: the encoding that a header states. The bytes of UTF-16 look like many control characters.
    """
    if body.startswith(_SIGNATURES):
        return True
    head = body[:_SNIFFED_BYTES]
    if len(head) - len(head.translate(None, _CONTROL_BYTES)) <= _MAX_CONTROL_SHARE * len(head):
        return False
    return read_bom(body)[0] is None and not is_utf_16(body, encoding)


def refuse_data(page: bytes) -> None:
    """Raise PageError if *page*, in UTF-8, is JSON, JSON Lines, WARC or a feed by its first characters."""
    start = page[:_SNIFFED_BYTES].removeprefix(b"\xef\xbb\xbf").lstrip()
    if start[:1] in (b"{", b"[") and _is_json(page):
        raise PageError("not_html", "expected HTML, got JSON")
    if _FEED.match(start):
        raise PageError("not_html", "expected HTML, got a feed, a sitemap or an archive")


def _is_json(page: bytes) -> bool:
    if page.rstrip()[-1:] not in (b"}", b"]"):
        return False
    try:
        json.loads(page)
    except RecursionError:  # deeply nested brackets
        return True
    except json.JSONDecodeError as error:  # objects after the first one are JSON Lines
        return error.msg == "Extra data" and error.doc[error.pos] == "{"
    except ValueError:
        return False
    return True


# A whole page; markup without the tags of a page, which may still be a whole page; an element inside a body.
Extent = Literal["page", "markup", "element"]

# A tag of a whole page, or the start of something that can contain the same characters as text. The first
# letters are sets, so that `re` tries a word only after one of them.
_SIGN: Final = re.compile(
    rb"<(?:!(?:(?=--)|(?i:doctype)(?=[\s/>]))|(?:[hH](?i:tml|ead)|[bB](?i:ody|ase)|[fF](?i:rameset)|[tT](?i:itle|extarea)"
    rb"|[mM](?i:eta)|[sS](?i:cript|tyle|vg)|[xX](?i:mp))(?=[\s/>]))"
)
_PAGE_SIGNS: Final = frozenset({b"!doctype", b"html", b"head", b"body", b"frameset", b"title", b"base"})
_END_OF_RAW: Final = re.compile(rb"</(script|style|svg|textarea|xmp)(?=[\s/>])", re.IGNORECASE)
# Microdata in a part of a page; other meta elements are in the head of a page.
_MICRODATA: Final = re.compile(rb"\sitemprop\s*=", re.IGNORECASE)
_LONGEST_META: Final = 2_000  # bytes
# The element of a feed around its text, and the text itself: HTML in a CDATA section, or HTML that is escaped.
_WRAPPED: Final = re.compile(rb"\s*(?:<[\w:.-]{1,99}(?:\s[^<>]{0,999})?>\s*)?(?:<!\[CDATA\[|(?=&lt;[a-zA-Z!]))")
_END_OF_ELEMENT: Final = re.compile(rb"</[\w:.-]{1,99}>")
_TAG: Final = re.compile(r"<[a-zA-Z/!][^<>]*>")
_PAGE_TAGS: Final = frozenset({"html", "head", "body", "frameset"})


def extent_of_tree(root: etree._Element) -> Extent:
    """Return how much of a page the tree of *root* is: an element inside the body, or a page.

    A tree with an html element is a page, although parsers put html and body elements around every fragment.
    """
    return "page" if local_name(root.tag) in _PAGE_TAGS else "element"


def find_extent(page: bytes) -> Extent:
    """Return how much of a page *page*, in UTF-8, is: ``markup`` if it lacks the tags that only whole pages have.

    These are doctype, html, head, body, frameset, title, base and meta, outside of comments, scripts, style sheets and
    SVG images. The first tag of an ordinary page decides.
    """
    place = 0
    while (sign := _SIGN.search(page, place)) is not None:
        name = sign[0][1:].lower()
        if name in _PAGE_SIGNS:
            return "page"
        if name == b"!":
            place = page.find(b"-->", sign.start() + 2)
        elif name == b"meta":
            place = page.find(b">", sign.end(), sign.end() + _LONGEST_META)
            if place < 0 or not _MICRODATA.search(page, sign.end(), place):
                return "page"
        else:
            ends = (end for end in _END_OF_RAW.finditer(page, sign.end()) if end[1].lower() == name)
            place = next((end.end() for end in ends), -1)
        if place < 0:  # the rest of the page is in this element or comment
            break
    return "markup"


def has_markup(text: str | None) -> bool:
    """Return whether *text*, of an element of an XML feed, contains tags."""
    return text is not None and _TAG.search(text) is not None


def unwrap(page: bytes) -> bytes:
    """Return the HTML in *page*, in UTF-8, if it is an element of a feed or its text; else *page* itself.

    Feeds contain HTML in a CDATA section, or with its angle brackets escaped. A parser of HTML would take the first for
    a comment, and would show the tags of the second.
    """
    found = _WRAPPED.match(page)
    if found is None:
        return page
    inner = page[found.end() :].rstrip()
    if inner.endswith(b">"):  # the end tag of the element
        start = inner.rfind(b"<")
        inner = inner[:start].rstrip() if _END_OF_ELEMENT.fullmatch(inner, start) else inner
    if found[0].endswith(b"["):
        sections = inner.removesuffix(b"]]>").split(b"]]><![CDATA[")  # two of them are how "]]>" is written
        is_whole = inner.endswith(b"]]>") and not any(b"]]>" in section for section in sections)
        return b"".join(sections) if is_whole else page
    if b"<" in inner or not inner.endswith(b"&gt;"):
        return page
    return replace_references(inner.decode()).encode("utf-8", "replace")


_OPENING: Final = re.compile(rb"<(?:(!--)|(script|style|template)(?=[\s/>])|[a-zA-Z/!?])", re.IGNORECASE)
# The rest of a tag. Values in quotes can contain its end.
_TAG_END: Final = re.compile(rb"(?:[^>=]++|=[ \t\n\f\r]*+(?:\"[^\"]*+\"|'[^']*+')?+)*+>")
_NOT_TEXT: Final = re.compile(rb"&#?\w{1,30};|[\s\0]+")
_MOST_UNCLOSED: Final = 3


def measure_source(page: bytes) -> int:
    """Return the length of the text in *page*, in bytes: outside of tags, comments and scripts, without whitespace.

    It does not parse the page, so it also finds text that no browser shows because a quote or an end tag is missing.
    """
    lower = page.lower()
    texts, place, n_unclosed = [], 0, 0
    while n_unclosed < _MOST_UNCLOSED and (opening := _OPENING.search(page, place)) is not None:
        texts.append(page[place : opening.start()])
        place = opening.end()
        is_comment, name = opening.groups()
        if is_comment:
            end = page.find(b"-->", place)
            n_unclosed += end < 0
            place = place if end < 0 else end + 3
        elif name:
            end = lower.find(b"</" + name.lower(), place)
            place = len(page) if end < 0 else end
        else:
            tag = _TAG_END.match(page, place)
            n_unclosed += tag is None
            place = place if tag is None else tag.end()
    texts.append(page[place:])
    return sum(len(_NOT_TEXT.sub(b"", text)) for text in texts)


_HTML_TAG: Final = re.compile(rb"<(?:!doctype\s+html|html|head|body)[\s/>]", re.IGNORECASE)


class ResponseLike(Protocol):
    """A response: its body, its headers and its URL."""

    @property
    def body(self) -> bytes: ...

    @property
    def headers(self) -> Any: ...

    @property
    def url(self) -> Any: ...


def is_response(value: object) -> TypeGuard[ResponseLike]:
    """Return whether *value* has the body, the headers and the URL of a response."""
    return isinstance(getattr(value, "body", None), bytes) and hasattr(value, "headers") and hasattr(value, "url")


def has_html_tag(body: bytes) -> bool:
    """Return whether the first bytes of *body* have a tag that only HTML has."""
    return _HTML_TAG.search(body[:_SNIFFED_BYTES]) is not None


def stated_encoding(response: ResponseLike) -> str | None:
    """Return the encoding that *response* was created with, or that its header states; None if neither states one.

    `response.encoding` can also be Scrapy's guess, which takes long and is not marked as a guess.
    """
    # Scrapy has no public name for the encoding without the guess.
    return getattr(response, "_encoding", None) or http_content_type_encoding(content_type(response))


def content_type(response: ResponseLike) -> str:
    """Return the media type that *response* states, with its parameters; empty if it states none."""
    value = response.headers.get("Content-Type") or ""
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)
