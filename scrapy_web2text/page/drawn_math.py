"""MathML for a formula that MathJax 3 or 4 has drawn as HTML or SVG, if the page has the formula in no other form."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import chain
from typing import Final

from lxml import etree

_CHARACTER: Final = re.compile(r"(?:^|\s)mjx-c([0-9A-F]{1,6})(?=\s|$)")
_CODE: Final = re.compile(r"[0-9A-F]{1,6}")
_TOKENS: Final = frozenset({"mi", "mn", "mo", "ms", "mtext"})
_STRUCTURES: Final = frozenset(
    """menclose mfrac mlabeledtr mover mroot mrow msqrt msub msubsup msup mtable mtd mtr munder
    munderover""".split()
)
_ROWS: Final = {"TeXAtom": "mrow", "texatom": "mrow"}
_VARIANTS: Final = {"BOLD": "bold", "DOUBLE-STRUCK": "double-struck", "FRAKTUR": "fraktur", "SCRIPT": "script"}
_PLANCK: Final = "\u210e"  # the italic h
_SURD: Final = "\u221a"
_DEEPEST: Final = 200  # elements; only hostile pages nest deeper


def drawn_to_mathml(drawn: etree._Element) -> etree._Element | None:
    """Return the ``math`` element of a ``mjx-container``; None if it has no characters."""
    math = etree.Element("math")
    math.extend(_read(drawn, 0))
    return math if "".join(math.itertext()).strip() else None


def _read(node: etree._Element, depth: int) -> Iterator[etree._Element]:
    """Yield the elements of MathML that *node* draws. A node that only lays out draws the nodes inside it."""
    if not isinstance(node.tag, str) or depth > _DEEPEST:
        return
    name = node.get("data-mml-node") or node.tag.removeprefix("mjx-")
    name = _ROWS.get(name, name)
    if name in _TOKENS:
        yield _read_token(name, "".join(_characters(node)))
        return
    parts = chain.from_iterable(_read(child, depth + 1) for child in node)
    if name not in _STRUCTURES:
        yield from parts
        return
    structure = etree.Element(name)
    if name == "mfrac" and next(node.iter("mjx-line", "rect"), None) is None:
        structure.set("linethickness", "0")
    structure.extend(_in_order(name, [*parts], is_svg=node.tag == "g"))
    yield structure


def _read_token(name: str, text: str) -> etree._Element:
    """Return a token with *text*, whose letters of mathematical alphabets become plain letters and a variant."""
    token = etree.Element(name)
    plain = unicodedata.normalize("NFKC", text) if text >= "\U0001d400" or text == _PLANCK else text
    if plain != text:
        words = unicodedata.name(text[0], "").split()
        variant = next((variant for word, variant in _VARIANTS.items() if word in words), None)
        if variant:
            token.set("mathvariant", variant)
    token.text = plain
    return token


def _in_order(name: str, parts: list[etree._Element], *, is_svg: bool) -> list[etree._Element]:
    """Return the *parts* of a structure in the order of MathML."""
    if name in ("msqrt", "mroot"):
        return [part for part in parts if part.text != _SURD]
    if name == "munderover" and len(parts) == 2 and parts[1].tag == "munder":
        above, (*below,) = parts
        return [*below, above]
    if len(parts) == 3 and (name == "msubsup" or (name == "munderover" and not is_svg)):
        base, above, below = parts
        return [base, below, above]
    return parts[::-1] if name == "mover" and not is_svg else parts


def _characters(token: etree._Element) -> Iterator[str]:
    """Yield the characters that *token* draws."""
    for node in token.iter("mjx-c", "mjx-utext", "mjx-stretchy-v", "mjx-stretchy-h", "path", "use", "text"):
        code = node.get("data-c", "") if node.tag in ("path", "use") else ""
        named = _CHARACTER.search(node.get("class", ""))
        code = named[1] if named else code
        if _CODE.fullmatch(code) and int(code, 16) < 0x110000:
            yield chr(int(code, 16))
        elif node.tag in ("mjx-utext", "text"):
            yield node.text or ""
