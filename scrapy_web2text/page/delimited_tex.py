r"""TeX between signs in the texts of a page: ``\(…\)``, ``\[…\]``, ``$$…$$``, and ``$…$`` where a page says so.

The signs count if a program on the page reads them, or if the class of an element says that its text is a formula.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from lxml import etree

from scrapy_web2text.common.budget import watched
from scrapy_web2text.page.tex import write_tex

_TEX_PROGRAM: Final = re.compile(r"mathjax|katex", re.IGNORECASE)
# The signs that delimit TeX in a text for these programs, and the closing sign for each opening sign.
_SIGN: Final = re.compile(r"(\$\$|\\[\[\]()])")
ANY_SIGN: Final = re.compile(r"((?<!\\)\$\$?|\\[\[\]()])")
_ENDS: Final = {"$$": "$$", "$": "$", r"\[": r"\]", r"\(": r"\)"}
# These programs read single dollar signs as delimiters only if they are configured to, since prices have them, too.
_TAKES_DOLLARS: Final = re.compile(r"""(?:inlineMath["']?\s*:[\s\[\]{+:"']{0,20}|left["']?\s*:\s*["'])\$["']""")
# Of a script, 10,000 characters; reading all would take longer.
_beginning: Final = etree.XPath("substring(., 1, 10000)", smart_strings=False)
# Classes of elements whose text is a formula between signs.
_MATH_NAMES: Final = re.compile(r"(?:^|[\s_-])(?:math|mathjax|tex|latex)(?:$|[\s_-])", re.IGNORECASE)
_DELIMITED: Final = re.compile(r"\s*(?:\\\(.*\\\)|\\\[.*\\\]|\$.*\$)\s*", re.DOTALL)


def marks_formula(text: str, element: etree._Element) -> bool:
    """Return whether *text* is between signs, and the class of *element* around it says that it is a formula."""
    return _DELIMITED.fullmatch(text) is not None and _MATH_NAMES.search(element.get("class") or "") is not None


def has_signs(text: str) -> bool:
    """Return whether *text* may have signs around TeX; a single dollar is a price."""
    return text.count("$") > 1 or ("\\" in text and any(sign in text for sign in _ENDS))


def find_signs(scripts: Sequence[etree._Element]) -> re.Pattern[str] | None:
    """Return the pattern of the signs around TeX in the texts of a page; None if no program reads them.

    :param scripts: the scripts of the page, which load or configure MathJax or KaTeX.
    """
    sources = [each.get("src") or _beginning(each) for each in watched(scripts)]
    programs = [source for source in sources if _TEX_PROGRAM.search(source[:1000])]
    takes_dollars = any(map(_TAKES_DOLLARS.search, sources)) if programs else False
    return (ANY_SIGN if takes_dollars else _SIGN) if programs else None


def write_delimited(texts: list[str], chosen: Iterable[int], sign: re.Pattern[str]) -> set[str]:
    r"""Replace the TeX in *texts* that is marked as ``\(…\)``, ``\[…\]``, ``$$…$$`` or ``$…$``; return these formulas.

    :param chosen: the numbers of the texts that are read; in code, these signs mean something else.
    :param sign: see `find_signs`.
    """
    written: set[str] = set()
    for i in watched(chosen):
        texts[i] = _replace_delimited(texts[i], sign, written)
    return written


def _replace_delimited(text: str, sign: re.Pattern[str], written: set[str]) -> str:
    """Return *text* with its TeX as `write_tex` writes it, and add these formulas to *written*."""
    pieces: list[str] = []
    is_open = False
    for part in sign.split(text):
        if is_open and part == _ENDS[pieces[-2]]:
            tex, start = pieces.pop(), pieces.pop()
            formula = write_tex(tex, is_display=start in ("$$", r"\["))
            written.update([formula] if formula else [])
            pieces.append(formula or f"{start}{tex}{part}")
            is_open = False
        else:
            is_open = bool(pieces) and pieces[-1] in _ENDS and not is_open
            pieces.append(part)
    return "".join(pieces)
