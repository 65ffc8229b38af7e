"""Escaping: one function for each context into which text of a page is written."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from html import escape
from itertools import chain, groupby
from math import inf
from typing import Any, Final, TypeVar

from msgspec import Struct
from msgspec.structs import asdict, astuple, replace

from scrapy_web2text.common.budget import watched
from scrapy_web2text.page.invisible import ASCII_BYTES, FORBIDDEN, SMUGGLED, SMUGGLED_BYTES
from scrapy_web2text.page.tex import split_formulas

_Part = TypeVar("_Part")

_FORBIDDEN: Final = re.compile(f"[{FORBIDDEN}]|{SMUGGLED}")
# The forbidden characters of ASCII, as bytes.
_FORBIDDEN_BYTES: Final = bytes(code for code in range(0x80) if _FORBIDDEN.match(chr(code)))
# In UTF-8: control characters from U+0080 to U+009F, and characters that can hide a text.
_ENCODED_CONTROL: Final = re.compile(b"\xc2[\x80-\x9f]|" + SMUGGLED_BYTES)
# Browsers read the references &#128; to &#159; as Windows-1252 (HTML standard, section 13.2.5.80); libxml2 does not.
_MEANT: Final = {chr(code): bytes([code]).decode("cp1252", "ignore") for code in range(0x80, 0xA0)}

_HYPHENS: Final = re.compile("-(?=-)")
# Characters that Markdown would interpret anywhere.
_SPECIAL: Final = re.compile(
    r"[\\`*]|<(?=[a-zA-Z/!?]|\Z)"
    r"|(?<![^\W_])_|_(?![^\W_])"  # an underscore within a word needs no escape
    r"|&(?=#?\w+;)|~(?=~)|(?<=~)~"
)
# A bracket that could begin a link, the box of a task or the mark of a note, in a text whose other characters are
# escaped already.
_BRACKET: Final = re.compile(r"\[(?![^\[\]\\`<]*\][^(\[:])|\[(?=[ xX]\]|\^)")
# A bracket that could end a link which begins in a formula, as formulas are not escaped. Another text may follow.
_LINK_END: Final = re.compile(r"\](?=\(|\s*\Z)")
# The signs, besides digits, that begin markup of Markdown at the start of a line; and all such markup.
_LINE_SIGNS: Final = "#-+>=~|:"
_AT_LINE_START: Final = re.compile(r"^(\s*)(?:(#{1,6}|[-+])(?=\s|$)|([>=|-]|:(?=-)|~(?=~|$))|(\d{1,9})([.)])(?=\s|$))")
# Characters that end the URL of a link, or that Markdown would interpret in it.
_URL_SPECIAL: Final = re.compile(r"[\x00-\x20()<>\\`|]")
_URL_ESCAPES: Final = {code: f"%{code:02X}" for code in range(0x80) if _URL_SPECIAL.match(chr(code))}
_REFERENCE: Final = re.compile(r"&(?=#?\w+;)")
_MAYBE_REFERENCE: Final = re.compile(r"&(?=[a-zA-Z#]|\Z)")  # at the end, since another text may follow


@dataclass(slots=True)
class Allowance:
    """The number of characters that may still be written, and whether something did not fit and was left out."""

    n_left: float = inf
    is_spent: bool = False

    def take(self, n_characters: int) -> bool:
        """Return whether *n_characters* fit. If so, they count as written."""
        if n_characters > self.n_left:
            self.is_spent = True
            return False
        self.n_left -= n_characters
        return True


def drop_forbidden_characters(text: str) -> str:
    """Return *text* without the characters that XML forbids: a single one makes a whole feed unreadable.

    As in browsers, control characters from U+0080 to U+009F become the characters that Windows-1252 has there.
    """
    if _is_allowed(text):
        return text
    return _FORBIDDEN.sub(lambda match: _MEANT.get(match[0], ""), text)


def _is_allowed(text: str) -> bool:
    """Return whether *text* has no forbidden characters, in a fifth of the time of the regular expression."""
    try:
        encoded = text.encode()
    except UnicodeEncodeError:  # a lone surrogate
        return False
    if len(encoded.translate(None, _FORBIDDEN_BYTES)) < len(encoded):
        return False
    if len(encoded) == len(text):
        return True
    others = encoded.translate(None, ASCII_BYTES)  # short on most pages, and what is searched for lies in it whole
    return not (_ENCODED_CONTROL.search(others) or "\ufffe" in text or "\uffff" in text)


def drop_forbidden(part: _Part) -> _Part:
    """Return a part of an answer, or a whole answer, without the characters that XML forbids."""
    texts: list[str] = []
    _add_strings([part], texts)
    if _is_allowed("".join(texts)):  # almost always
        return part
    return _drop(part)


def _add_strings(values: Iterable[Any], texts: list[str]) -> None:
    """Add the strings in *values*, and in the tuples and records among them, to *texts*, in any order."""
    for kind, alike in groupby(values, type):
        if kind is str:
            texts += alike
        elif kind is tuple:
            _add_strings(chain.from_iterable(alike), texts)
        elif issubclass(kind, Struct):
            parts = [*alike]
            for column in zip(*map(astuple, parts), strict=True):  # field by field takes a third of the time
                _add_strings(column, texts)


def _drop(value: Any) -> Any:
    """Return a copy of *value*, which may hold tuples and records, without forbidden characters in its strings."""
    if isinstance(value, str):
        return drop_forbidden_characters(value)
    if isinstance(value, tuple):
        return tuple(_drop(part) for part in watched(value, len(value)))
    if isinstance(value, Struct):
        return replace(value, **{name: _drop(part) for name, part in asdict(value).items()})
    return value


def escape_html(text: str, *, is_sparing: bool = False) -> str:
    """Return *text* for HTML, as browsers write it.

    :param is_sparing: escape only what HTML could read as a tag or a reference.
    """
    if is_sparing:
        return _MAYBE_REFERENCE.sub("&amp;", text).replace("<", "&lt;").replace(">", "&gt;")
    return escape(text, quote=False).replace("\xa0", "&nbsp;")


def escape_attribute(text: str) -> str:
    """Return *text* for an attribute of HTML in double quotes, as browsers write attributes."""
    return escape_html(text).replace('"', "&quot;")


def escape_surrogates(text: str) -> str:
    """Return *text* with each lone surrogate as an escape of JSON, so that the text can be encoded."""
    return text.encode(errors="backslashreplace").decode()


def escape_comment(text: str) -> str:
    """Return *text* without two successive hyphens, so that it can be written between ``<!-- `` and `` -->``."""
    return _HYPHENS.sub("- ", text)


def escape_markdown(text: str, *, in_link: bool = False) -> str:
    """Return *text* for any place in a line of Markdown except its start."""
    # Each text that needs an escape has one of these characters. This is faster than a loop or a regular expression.
    has_special = "*" in text or "_" in text or "<" in text or "&" in text or "`" in text or "~" in text
    if has_special or "\\" in text:
        text = _SPECIAL.sub(r"\\\g<0>", text)
    if in_link:
        return text.replace("[", "\\[").replace("]", "\\]")
    return _BRACKET.sub(r"\\[", text) if "[" in text else text


def escape_markdown_line(text: str, *, in_link: bool = False, in_cell: bool = False, at_start: bool = True) -> str:
    """Return *text* for a line of Markdown, escaped in as few places as possible, since people read the result.

    :param at_start: whether the line begins with *text*.
    """
    text = escape_markdown(text, in_link=in_link)
    if in_cell:
        text = text.replace("|", "\\|")
    if not at_start:
        return text
    first = text.lstrip()[:1]
    match = _AT_LINE_START.match(text) if first in _LINE_SIGNS or first.isdecimal() else None
    if match is None:
        return text
    at = match.start(5) if match[4] else match.end(1)
    return f"{text[:at]}\\{text[at:]}"


def escape_beside_formulas(
    text: str, formulas: Collection[str], *, in_link: bool, in_cell: bool, at_start: bool
) -> str:
    """Return *text* as `escape_markdown_line` does, but with the *formulas* in it unchanged."""
    pieces = split_formulas(text, formulas)
    for i in range(0, len(pieces), 2):
        is_start = at_start and not i
        pieces[i] = escape_markdown_line(pieces[i], in_link=in_link, in_cell=in_cell, at_start=is_start)
    for i in range(1, len(pieces), 2):
        if in_cell:
            pieces[i] = pieces[i].replace(r"\|", r"\Vert ").replace("|", r"\vert ")
        if in_link:
            pieces[i] = pieces[i].replace("[", r"\lbrack ").replace("]", r"\rbrack ")
    return "".join(pieces) if in_link else _LINK_END.sub(r"\]", "".join(pieces))


def escape_markdown_url(url: str) -> str:
    """Return *url* for a link or an image in Markdown. References such as ``&colon;`` are escaped, too."""
    return _REFERENCE.sub("&amp;", url.translate(_URL_ESCAPES) if _URL_SPECIAL.search(url) else url)
