"""Formulas as TeX: how they are written in texts, and TeX for MathML."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection
from functools import lru_cache
from typing import Any, Final, Literal

from lxml import etree

from scrapy_web2text.common.budget import watched
from scrapy_web2text.page.invisible import FORBIDDEN, JOINERS, SELECTORS, UNSEEN
from scrapy_web2text.page.tree import iter_texts, local_name

# A dollar sign, and the text before the next unescaped dollar sign. Backtracking would take 115 bytes per character.
_DOLLAR: Final = re.compile(r"\$?(?:[^$\\]++|\\.?)*+", re.DOTALL)
# A dollar sign that is not escaped would end the formula, and a backslash at its end would escape that end.
_ESCAPED: Final = re.compile(r"\\.|\\\Z|\$", re.DOTALL)
# Characters that answers drop, or that are not seen, could hide markup from the replacements below.
_DROPPED: Final = re.compile(f"[{FORBIDDEN}{UNSEEN}{JOINERS}{SELECTORS}]")
_STYLED: Final = re.compile(r"\{\s*\\(?:display|text)style\b(.*)\}", re.DOTALL)
# Markup without meaning: Stack Exchange has empty groups around each post.
_EMPTY: Final = re.compile(r"%\s*(?:<!\[CDATA\[|\]\]>)|<!\[CDATA\[|\]\]>|\A\s*\\(?:begin|end)group\s*\Z")
_TAG_START: Final = re.compile(r"<(?=[A-Za-z/!?])")
_DEEPEST: Final = 60  # hostile pages nest deeper; what is inside is then plain text
_ANNOTATIONS: Final = frozenset({"application/x-tex", "tex", "latex", "application/x-latex", "text/x-tex"})
_SYMBOLS: Final = {
    **dict.fromkeys("\u2061\u2062\u2063\u2064", ""),  # function application, and other invisible operators
    **{sign: rf"\{sign}" for sign in "${}"},
    **{sign: rf"\{sign} " for sign in "&%#"},
    "\u2212": "-",
    "\u00a0": " ",
    "<": r"\lt ",
    ">": r"\gt ",
    "\\": r"\backslash ",
}
_UNSEEN_STYLE: Final = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0", re.IGNORECASE)
_TOKENS: Final = frozenset({"mi", "mn", "mo", "ms", "mtext"})
_SPACES: Final = re.compile("[ \\t\\r\\n]+")  # not no-break spaces, which are part of the text
_ACCENTS: Final = {
    **dict.fromkeys("\u00af_", "bar"),
    **dict.fromkeys("^\u02c6", "hat"),
    **dict.fromkeys("~\u02dc", "tilde"),
    **dict.fromkeys("\u2192\u20d7", "vec"),
    "\u203e": "overline",
    "\u02d9": "dot",
    "\u00a8": "ddot",
}
_ENCLOSURES: Final = {
    **dict.fromkeys(("box", "roundedbox"), "boxed"),
    "updiagonalstrike": "cancel",
    "downdiagonalstrike": "bcancel",
    "horizontalstrike": "cancel",
    "radical": "sqrt",
    "top": "overline",
    "bottom": "underline",
}
# The number of an equation, in parentheses that TeX adds itself.
_NUMBER: Final = re.compile(r"\\text\{\(([^{}()]*)\)\}|\(([^{}()]*)\)")
# Commands, with names that are not shown.
_COMMAND: Final = re.compile(
    r"\\(?:begin|class|color|cssId|end|label|ref|textcolor)\*?\s*\{[\w:.*#-]{1,30}\}(?:\{[lcr| ]{1,20}\})?|\\[A-Za-z]+"
)
_WORD: Final = re.compile(r"[^\W\d_]{4,}")
_LONGEST_SHOWN: Final = 10_000  # characters of a formula; a ligature becomes up to 18 letters
_MOST_WORDS: Final = 6  # different words of TeX that no program has drawn
_VARIANTS: Final = {"bold": "mathbf", "double-struck": "mathbb", "fraktur": "mathfrak", "script": "mathcal"}
_FUNCTIONS: Final = frozenset(
    "arccos arcsin arctan arg cos cosh cot csc deg det dim exp gcd inf ker lim ln log max min mod Pr sec sin sinh sup"
    " tan tanh".split()
)


def split_formulas(text: str, formulas: Collection[str]) -> list[str]:
    """Return *text* in pieces: a text, one of the *formulas*, a text, and so on. It takes linear time."""
    pieces, done = [], 0
    for match in watched(_DOLLAR.finditer(text)):
        for n_signs in (2, 1):
            start, end = match.start() - n_signs + 1, match.end() + n_signs
            if start >= done and text[start:end] in formulas:
                pieces += [text[done:start], text[start:end]]
                done = end
    return [*pieces, text[done:]]


def write_formulas_as(form: Literal["text", "drop"], text: str, formulas: Collection[str]) -> str:
    """Return *text* without the dollar signs of its *formulas*, or without the formulas."""
    pieces = split_formulas(text, formulas)
    pieces[1::2] = [piece.strip("$") if form == "text" else "" for piece in pieces[1::2]]
    return "".join(pieces)


def write_tex(tex: str, *, is_display: bool) -> str:
    """Return a formula with its delimiters; an empty string if there is no formula.

    It means the same as *tex*, and begins no tag, link or code in HTML and Markdown.
    """
    tex = _EMPTY.sub("", _DROPPED.sub("", tex)).strip()
    styled = _STYLED.fullmatch(tex)
    tex = " ".join(_ESCAPED.sub(_escape_dollar, styled[1].strip() if styled else tex).split())
    tex = _TAG_START.sub("< ", tex).replace("](", "] (").replace("![", "! [").replace("`", "'")
    sign = "$$" if is_display else "$"
    return f"{sign}{tex}{sign}" if tex else ""


def _escape_dollar(match: re.Match[str]) -> str:
    found = match[0]
    return r"\$" if found == "$" else found * (len(found) == len(r"\x"))


def is_tex_of(shown: str, tex: str) -> bool:
    """Return whether *tex* has no words that a reader does not see.

    Such words would be a way to hide text in a page.

    :param shown: the text of the drawn formula. If it is empty, a few words may be in TeX alone.
    """
    words = {word.casefold() for word in _WORD.findall(_COMMAND.sub(" ", tex))}
    letters = "".join(unicodedata.normalize("NFKC", shown[:_LONGEST_SHOWN]).split()).casefold()
    return all(word in letters for word in words) if letters else len(words) <= _MOST_WORDS


@lru_cache(1_000)
def bare_name(tag: Any) -> str:
    """Return an element's tag in lower case, without its namespace or prefix."""
    return local_name(tag).rpartition(":")[2]


def mathml_to_tex(math: etree._Element) -> str:
    """Return the TeX that a ``math`` element states, else TeX from its structure; its text if TeX is much longer.

    TeX with words that are not shown is not returned.
    """
    shown, stated = _read_formula(math)
    stated.append(math.get("alttext", ""))
    for tex in stated:
        if tex.strip() and is_tex_of(shown, tex):
            return tex
    tex, text = _convert(math, 0), "".join(iter_texts(math))
    return tex if len(tex) <= 2 * (len(text) + len("<mi>") * len([*math.iter()])) else text


def _read_formula(math: etree._Element) -> tuple[str, list[str]]:
    """Return the text that a reader sees of a formula, and the TeX in its annotations.

    The inside of a token or an annotation is read once: hostile pages nest thousands of them.
    """
    shown, stated = list[str](), list[str]()
    walk = etree.iterwalk(math, events=("start",))
    for _, node in walk:
        name = bare_name(node.tag)
        if _UNSEEN_STYLE.search(node.get("style", "")):
            walk.skip_subtree()
        elif name in _TOKENS or name == "annotation":
            text = "".join(iter_texts(node))
            if name in _TOKENS:
                shown.append(text)
            elif (node.get("encoding") or "").lower() in _ANNOTATIONS:
                stated.append(text)
            walk.skip_subtree()
    return "".join(shown), stated


def _convert(node: etree._Element, depth: int) -> str:
    """Return the TeX of an element of MathML."""
    tag = bare_name(node.tag)
    if depth > _DEEPEST:
        return _escape("".join(iter_texts(node)))
    if tag in ("annotation", "annotation-xml", "mphantom") or _UNSEEN_STYLE.search(node.get("style", "")):
        return ""
    children = [child for child in node if isinstance(child.tag, str)]
    if tag in _TOKENS or not children:
        text, variant = _write_token(tag, "".join(iter_texts(node))), _VARIANTS.get(node.get("mathvariant", ""))
        return rf"\{variant}{{{text}}}" if text and variant else text
    if tag in ("semantics", "maction"):
        return _convert(children[0], depth + 1)
    parts = [_convert(child, depth + 1) for child in children]
    if tag == "mfenced":
        separator = (node.get("separators") or ",")[:1]
        parts = [_escape(node.get("open", "(")), separator.join(parts), _escape(node.get("close", ")"))]
    write = _find_writer(tag, node)
    try:
        return write(*parts) if write is not None else "".join(parts)
    except TypeError:  # a number of children that MathML does not allow
        return "".join(parts)


def _find_writer(tag: str, node: etree._Element) -> Callable[..., str] | None:
    """Return what writes the children of an element of MathML; None if they are written as they are."""
    if node.get("linethickness") in ("0", "0pt", "0px"):
        return _WRITERS["mbinom"]
    if tag != "menclose":
        return _WRITERS.get(tag)
    command = next((_ENCLOSURES[name] for name in node.get("notation", "").split() if name in _ENCLOSURES), "")
    return (lambda *parts: rf"\{command}{{{''.join(parts)}}}") if command else None


def _write_token(tag: str, text: str) -> str:
    text = _SPACES.sub(" ", text).strip(" ")
    if tag == "mspace":
        return " "
    if tag in ("mtext", "ms"):
        return rf"\text{{{_escape(text)}}}" if text else " "
    if tag == "mi" and len(text) > 1 and text.isalpha():
        return f"\\{text} " if text in _FUNCTIONS else rf"\mathrm{{{text}}}"
    return _escape(text)


def _escape(text: str) -> str:
    return "".join(_SYMBOLS.get(character, character) for character in text)


def _write_over(base: str, over: str) -> str:
    accent = _ACCENTS.get(over.strip())
    return rf"\{accent}{{{base}}}" if accent else f"{_group(base)}^{{{over}}}"


def _group(base: str) -> str:
    """Return *base* so that an index belongs to all of it."""
    return base if len(base) < 2 or base.startswith("\\") or base.isalnum() else f"{{{base}}}"


def _write_table(*rows: str) -> str:
    r"""Write a table as a matrix, or as ``align`` if a row has the number of an equation, which needs ``\tag``."""
    has_tags = any(r"\tag{" in row for row in rows)
    if has_tags and len(rows) == 1:
        return rows[0]
    name = "align" if has_tags else "matrix"
    return rf"\begin{{{name}}}" + r" \\ ".join(rows) + rf"\end{{{name}}}"


def _write_numbered_row(number: str, *cells: str) -> str:
    named = _NUMBER.fullmatch(number)
    number = named[1] or named[2] if named else number
    return " & ".join(cells) + rf" \tag{{{number}}}"


_WRITERS: Final[dict[str, Callable[..., str]]] = {
    "mbinom": lambda above, below: rf"{{{above} \atop {below}}}",  # a fraction without its line
    "mfrac": lambda above, below: rf"\frac{{{above}}}{{{below}}}",
    "msqrt": lambda *parts: rf"\sqrt{{{''.join(parts)}}}",
    "mtable": _write_table,
    "mlabeledtr": _write_numbered_row,
    "mtr": lambda *cells: " & ".join(cells),
    "mroot": lambda base, index: rf"\sqrt[{index}]{{{base}}}",
    "msup": lambda base, above: f"{_group(base)}^{{{above}}}",
    "mover": _write_over,
    **dict.fromkeys(("msub", "munder"), lambda base, below: f"{_group(base)}_{{{below}}}"),
    **dict.fromkeys(("msubsup", "munderover"), lambda base, below, above: f"{_group(base)}_{{{below}}}^{{{above}}}"),
}
