"""Encodings: from the bytes of a page to UTF-8, with the name of the encoding and its source.

Encodings have the names of the Encoding Standard: https://encoding.spec.whatwg.org/#names-and-labels.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

import webencodings
from w3lib.encoding import html_body_declared_encoding, read_bom, to_unicode

from scrapy_web2text.extraction import EncodingSource
from scrapy_web2text.page.detection import count_non_ascii, detect

_SNIFFED_BYTES = 1024
_DECLARING_BYTES = 4096  # that w3lib searches, too
_LIKE_LATIN_1 = bytes({*range(0x100)} - {*range(0x80, 0xA0)})  # in windows-1252
_MIN_NON_ASCII = 12  # bytes that are convincing evidence of UTF-8
_MIN_REPLACED = 4  # characters; from fewer, no encoding can be detected
# The largest share of U+FFFD among the characters outside ASCII: in a stated encoding, and in UTF-8 that nothing
# states.
_MAX_REPLACED, _MAX_BROKEN_UTF_8 = 0.5, 0.1
_MAX_READ_AGAIN = 10_000  # characters of U+FFFD in GB18030, which is then read again for its euro signs
_MULTI_BYTE: Final = {"big5", "euc-jp", "euc-kr", "iso-2022-jp", "shift_jis", "utf-8", "utf-16le", "utf-16be"}
# The first tag of a page in UTF-16, after whitespace.
_UTF_16_TAG: Final = re.compile(
    rb"(?:[\t\n\f\r ]\0){0,99}(?P<le><\0[!/?a-zA-Z]\0)|(?:\0[\t\n\f\r ]){0,99}\0<\0[!/?a-zA-Z]"
)
_META_LABEL: Final = re.compile(rb"charset\s{0,9}=\s{0,9}[\"']?([^\s\"'/>;]+)", re.IGNORECASE)


class Reading(NamedTuple):
    """A page in UTF-8, and how it was read.

    :param page: the page in UTF-8; what its encoding does not define is U+FFFD.
    :param encoding: name of the encoding that *page* had, in lower case.
    :param source: where the name is from: a byte order mark, the argument, the page itself; ``utf-8`` for a page that
        is valid UTF-8, ``detected`` for a guess, ``default`` for windows-1252 where no guess fits.
    """

    page: bytes
    encoding: str
    source: EncodingSource


class _Attempt(NamedTuple):
    text: str
    n_replaced: int
    name: str
    source: EncodingSource

    def to_reading(self) -> Reading:
        return Reading(to_utf_8(self.text), self.name, self.source)


def read_page(body: bytes, encoding: str | None = None) -> Reading:
    """Return *body* in UTF-8, with the encoding that it was in.

    A byte order mark decides; then *encoding*, the encoding that the page declares, UTF-8, and detection. A stated
    encoding is skipped if it is unknown, or if the bytes show another one: if more than half of the characters outside
    ASCII become U+FFFD, or if the page has 12 bytes outside ASCII and is UTF-8.

    :param encoding: the encoding by the header of the response or by the caller, under any of its names.
    """
    codec, mark = read_bom(body)
    if codec is not None and mark is not None:
        name = codec.replace("-le", "le").replace("-be", "be")  # UTF-32, too, which the standard lacks
        return Reading(to_utf_8(body[len(mark) :].decode(codec, "replace")), name, "bom")
    utf_16 = _find_utf_16(body)
    if utf_16 is not None:
        is_stated = encoding is not None and find_name(encoding) == utf_16
        return _attempt(body, utf_16, "argument" if is_stated else "detected").to_reading()
    try:
        body.decode()
    except UnicodeDecodeError:
        return _read_legacy(body, encoding).to_reading()
    return _read_utf_8(body, encoding)


def decode_html(body: bytes, encoding: str | None = None) -> str:
    """Return the text of *body*, as :func:`read_page` reads it."""
    return read_page(body, encoding).page.decode("utf-8")


@lru_cache(maxsize=256)
def find_name(label: str) -> str | None:
    """Return the name of an encoding in lower case, from one of its labels or from a Python name of it.

    None for an encoding that is not in the Encoding Standard, such as ``cp037`` and ``utf-7``.
    """
    try:
        found = webencodings.lookup(label)
        if found is not None:
            return str(found.name)
        return _names_by_codec().get(codecs.lookup(label).name)
    except (LookupError, ValueError):
        return None


def is_utf_16(body: bytes, encoding: str | None) -> bool:
    """Return whether *body*, which has no byte order mark, is in UTF-16 by *encoding* or by its first tag."""
    stated = _find_stated(body, encoding) or ""
    return stated.startswith("utf-16") or _find_utf_16(body) is not None


def _find_utf_16(body: bytes) -> str | None:
    found = _UTF_16_TAG.match(body)
    return found and ("utf-16le" if found["le"] else "utf-16be")


def _read_utf_8(body: bytes, encoding: str | None) -> Reading:
    """Return *body*, which is valid UTF-8 but can be in an encoding that uses the bytes of ASCII for something else."""
    for name, source in _stated(body, encoding):
        if name == "utf-8":
            return Reading(body, name, source)
        if not body.isascii() and count_non_ascii(body)[0] >= _MIN_NON_ASCII:
            continue
        if body.isascii() and b"\0" not in body and name not in ("iso-2022-jp", "replacement"):
            return Reading(body, name, source)
        return _attempt(body, name, source).to_reading()
    if b"\x1b" in body and b"\x1b$" in body and body.isascii():  # one byte is found much sooner than two
        text = body.decode("iso2022_jp", "replace")
        if "\ufffd" not in text:
            return _Attempt(text, 0, "iso-2022-jp", "detected").to_reading()
    return Reading(body, "utf-8", "utf-8")


def _read_legacy(body: bytes, encoding: str | None) -> _Attempt:
    """Return the first stated encoding that fits *body*, which is not valid UTF-8; else the best guess."""
    # Each replaced character has one byte or more, so the number of lone bytes rules out UTF-8 for most pages.
    n_non_ascii, n_alone = count_non_ascii(body)
    most = _MAX_BROKEN_UTF_8 * n_non_ascii
    as_utf_8 = _attempt(body, "utf-8", "detected") if n_alone <= most else None
    is_utf_8 = as_utf_8 is not None and as_utf_8.n_replaced <= most and _fits(as_utf_8, _MAX_BROKEN_UTF_8)
    attempts = []
    for name, source in _stated(body, encoding):
        if is_utf_8 and name != "utf-8":
            continue
        attempt = _attempt(body, name, source)
        if _fits(attempt, _MAX_REPLACED) or name == "replacement":
            return attempt
        attempts.append(attempt)
    if as_utf_8 is not None and is_utf_8:
        return as_utf_8
    # Fewer characters do not show which encoding it is. Most are signs and Western letters, so windows-1252 is used.
    guess = None if attempts and attempts[0].n_replaced < _MIN_REPLACED else detect(body)
    guess = guess and find_name(guess)
    attempts.append(_attempt(body, guess or "windows-1252", "detected" if guess else "default"))
    return min(attempts, key=lambda attempt: attempt.n_replaced)


def _stated(body: bytes, encoding: str | None) -> Iterator[tuple[str, EncodingSource]]:
    """Yield the known encodings that are stated for *body*: by the caller, then by the page."""
    name = _find_stated(body, encoding)
    if name is not None:
        yield name, "argument"
    name = _find_declared(body)
    if name is not None:
        # https://html.spec.whatwg.org/#prescan-a-byte-stream-to-determine-its-encoding: the declaration was read as
        # ASCII, so the page is not in UTF-16.
        yield {"utf-16le": "utf-8", "utf-16be": "utf-8", "x-user-defined": "windows-1252"}.get(name, name), "meta"


def _find_stated(body: bytes, encoding: str | None) -> str | None:
    """Return the name of *encoding*; None if it is unknown, or is UTF-16 and the first bytes have no zero."""
    name = None if encoding is None else find_name(encoding)
    has_zero = name is None or not name.startswith("utf-16") or b"\0" in body[:_SNIFFED_BYTES]
    return name if has_zero else None


def _find_declared(body: bytes) -> str | None:
    head = body[:_DECLARING_BYTES]
    lowered = head.lower()
    if b"charset" not in lowered and b"encoding" not in lowered:  # in HTML and in XML
        return None
    head = _drop_comments(head)
    codec = html_body_declared_encoding(head)
    if codec == "gb18030":  # w3lib's name for GBK, too
        return "gb18030" if b"18030" in head else "gbk"
    if codec is not None or body.isascii():
        return None if codec is None else find_name(codec)
    # w3lib knows only the names that Python knows; `x-mac-cyrillic` is not one.
    found = _META_LABEL.search(head)
    return found and find_name(found[1].decode("latin-1"))


def _drop_comments(head: bytes) -> bytes:
    """Return *head* without comments. As in browsers, two dashes can both begin and end one."""
    kept, place = [], 0
    while (start := head.find(b"<!--", place)) >= 0:
        kept.append(head[place:start])
        end = head.find(b"-->", start + 2)
        place = len(head) if end < 0 else end + 3
    return b"".join([*kept, head[place:]])


def to_utf_8(text: str) -> bytes:
    """Return *text* in UTF-8, with a question mark for each lone surrogate."""
    return text.encode("utf-8", "replace")


def _attempt(body: bytes, name: str, source: EncodingSource) -> _Attempt:
    text = _decode_html(body, name)
    return _Attempt(text, text.count("\ufffd"), name, source)


def _fits(attempt: _Attempt, share: float) -> bool:
    """Return whether at most *share* of the characters outside ASCII could not be decoded."""
    if attempt.n_replaced == 0:
        return True
    n_non_ascii = len(attempt.text) - len(attempt.text.encode("ascii", "ignore"))
    return attempt.n_replaced <= share * n_non_ascii


def _decode_html(body: bytes, name: str) -> str:
    if name == "replacement":  # encodings that browsers do not read, since they hide markup in other characters
        return "\ufffd" if body else ""
    if name in ("gbk", "gb18030"):
        text = body.decode("gb18030", "replace")
        return to_unicode(body, "gb18030") if 0 < text.count("\ufffd") <= _MAX_READ_AGAIN else text
    if name in _MULTI_BYTE:
        return str(webencodings.lookup(name).codec_info.decode(body, "replace")[0])
    if name == "windows-1252":  # this is much faster
        text = body.decode("latin-1")
        for byte in {*body.translate(None, _LIKE_LATIN_1)}:
            text = text.replace(chr(byte), _characters(name)[byte])
        return text
    return codecs.charmap_decode(body, "strict", _characters(name))[0]


@lru_cache
def _characters(name: str) -> str:
    """Return the 256 characters of an encoding of one byte each. Python's own tables are slow for undefined bytes."""
    codec = webencodings.lookup(name).codec_info
    return "".join(codec.decode(bytes([byte]), "replace")[0] for byte in range(256))


@lru_cache(maxsize=1)
def _names_by_codec() -> dict[str, str]:
    """Return the names of encodings by the names of Python's codecs, which Scrapy uses."""
    names = dict.fromkeys(webencodings.labels.LABELS.values())
    by_codec = {webencodings.lookup(name).codec_info.name: name for name in names}
    more = {"ascii": "windows-1252", "big5": "big5", "euc_jis_2004": "euc-jp", "euc_kr": "euc-kr", "gb2312": "gbk"}
    more |= {"iso8859-1": "windows-1252", "iso8859-9": "windows-1254", "iso8859-11": "windows-874"}
    more |= {"shift_jis": "shift_jis", "shift_jis_2004": "shift_jis", "tis-620": "windows-874"}
    more |= {"iso8859-8": "iso-8859-8", "utf-16": "utf-16le", "hz": "replacement", "iso2022_kr": "replacement"}
    return by_codec | more
