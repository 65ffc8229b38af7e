r"""The formulas of a page as TeX: each becomes one text, ``$…$`` within a line and ``$$…$$`` on lines of its own.

A page has a formula in several forms at once: as TeX for programs, as MathML for screen readers, and drawn by KaTeX or
MathJax with many small elements. The first of these that a page has is read, and the others are left out. A formula
that is only drawn is read if MathJax has drawn it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from lxml import etree

from scrapy_web2text.common.arrays import BoolArray, IntArray
from scrapy_web2text.common.budget import watched
from scrapy_web2text.page import reader
from scrapy_web2text.page.drawn_math import drawn_to_mathml
from scrapy_web2text.page.reader import count_enclosing
from scrapy_web2text.page.tex import bare_name, is_tex_of, mathml_to_tex, write_tex
from scrapy_web2text.page.tree import iter_texts

# Class names of elements that KaTeX, MathJax and MediaWiki put around a formula, and of formulas that MathJax draws.
_DRAWN: Final = frozenset(
    """MJX_Assistive_MathML MJXc-display MathJax MathJax_CHTML MathJax_Display MathJax_Preview MathJax_SVG
    MathJax_SVG_Display mjx-chtml""".split()
)
_WRAPPERS: Final = _DRAWN.union(
    """katex katex-display katex-mathml mwe-math-element mwe-math-element-block mwe-math-element-inline
    mwe-math-mathml-a11y mwe-math-mathml-display mwe-math-mathml-inline""".split()
)
_OUTSIDE_FORMULAS: Final = (
    "blockquote dd div dl dt footer h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table ul".split()
)
_DISPLAYED: Final = re.compile("display|block", re.IGNORECASE)
# Attributes with the TeX of an element, and their values that are something else.
_TEX_NAMES: Final = ("data-tex", "data-latex", "data-math", "data-katex")
_NO_TEX: Final = frozenset({"", "true", "false", "inline", "block", "display", "katex", "mathjax"})
_IMAGE_NAMES: Final = frozenset(
    """latex math-tex mwe-math-fallback-image-display mwe-math-fallback-image-inline ql-img-displayed-equation
    ql-img-inline-formula tex""".split()
)
_TEX_SCRIPT: Final = re.compile(r"math/(?:la)?tex", re.IGNORECASE)
_TEX_PROGRAM: Final = re.compile(r"mathjax|katex", re.IGNORECASE)
# The signs that delimit TeX in a text for these programs, and the closing sign for each opening sign.
_SIGN: Final = re.compile(r"(\$\$|\\[\[\]()])")
_SIGN_OR_DOLLAR: Final = re.compile(r"((?<!\\)\$\$?|\\[\[\]()])")
_ENDS: Final = {"$$": "$$", "$": "$", r"\[": r"\]", r"\(": r"\)"}
# These programs read single dollar signs as delimiters only if they are configured to, since prices have them, too.
_TAKES_DOLLARS: Final = re.compile(r"""(?:inlineMath["']?\s*:[\s\[\]{+:"']{0,20}|left["']?\s*:\s*["'])\$["']""")
# Of a script, 10,000 characters; reading all would take longer.
_beginning: Final = etree.XPath("substring(., 1, 10000)", smart_strings=False)


class Formula(NamedTuple):
    """A formula: the element whose place it takes, its TeX, and whether it is on lines of its own."""

    holder: int
    tex: str
    is_display: bool


class FormulaReader:
    """Finds the formulas of a page."""

    def __init__(self, elements: Sequence[etree._Element], names: Sequence[str], fields: dict[str, Any]) -> None:
        self._elements, self._names, self._fields = elements, [*map(bare_name, names)], fields
        # The elements whose texts a formula replaces.
        self.is_replaced = np.zeros(len(elements), dtype=bool)

    def read(self) -> list[Formula]:
        """Return the formulas of the page."""
        return [
            *self._read_scripts(),
            *self._read_attributes(),
            *self._read_mathml(),
            *self._read_drawn(),
            *self._read_images(),
        ]

    def _find(self, name: str) -> IntArray:
        return np.flatnonzero(np.array([each == name for each in self._names])[self._fields["name_numbers"]])

    def _attributes(self, tag: str, name: str) -> dict[int, str]:
        return reader.read_values(self._elements, self._find(tag), (name,))[0] if tag in self._names else {}

    def _read_scripts(self) -> Iterator[Formula]:
        """Yield the formulas in scripts for MathJax 2; what it has drawn from them is replaced."""
        types = self._attributes("script", "type")
        scripts = {i: value for i, value in types.items() if _TEX_SCRIPT.match(value)}
        if not scripts:
            return
        classes = reader.read_values(self._elements, np.arange(len(self._elements)), ("class",))[0]
        drawn = [i for i, value in classes.items() if not _DRAWN.isdisjoint(value.split())]
        self.is_replaced[[*scripts, *drawn]] = True
        for i, value in watched(scripts.items(), len(scripts)):
            tex = self._elements[i].text or ""
            if is_tex_of("", tex):
                yield Formula(i, tex, _DISPLAYED.search(value) is not None)

    def _read_attributes(self) -> Iterator[Formula]:
        """Yield the formulas of the elements that have TeX as an attribute."""
        elements = np.concatenate([self._find("span"), self._find("div")])
        columns = reader.read_values(self._elements, elements, _TEX_NAMES)
        values = sorted(
            (i, tex) for column in columns for i, tex in column.items() if tex.strip().lower() not in _NO_TEX
        )
        if not values:
            return
        is_outside = np.array([name in _OUTSIDE_FORMULAS for name in self._names])[self._fields["name_numbers"]]
        n_outside = np.cumsum(is_outside)  # up to each element
        end = 0  # of the last element with TeX; elements in it may have its TeX, too
        for i, tex in watched(values):
            node = self._elements[i]
            if i < end or self.is_replaced[i] or n_outside[self._fields["ends"][i] - 1] > n_outside[i]:
                continue
            end = int(self._fields["ends"][i])  # also without a formula, so that each text is read once
            if is_tex_of("".join(iter_texts(node)), tex):
                self.is_replaced[i] = True
                yield Formula(i, tex, self._is_displayed(i))

    def _is_displayed(self, i: int) -> bool:
        node = self._elements[i]
        return node.tag == "div" or any(map(_DISPLAYED.search, (node.get("class", ""), node.get("data-type", ""))))

    def _read_drawn(self) -> Iterator[Formula]:
        """Yield the formulas that MathJax has drawn and that the page has in no other form."""
        drawn = self._find("mjx-container") if "mjx-container" in self._names else ()
        is_inside = self.replaced_slots()[self._fields["open_slots"]] if len(drawn) else ()
        end = 0
        for i in watched([i for i in drawn if not is_inside[i]]):
            if i < end:
                continue
            node, end = self._elements[i], int(self._fields["ends"][i])
            math = drawn_to_mathml(node)
            tex = next((each.get("data-latex", "") for each in node.iter("mjx-math", "g")), "")
            if not tex or not is_tex_of("" if math is None else "".join(math.itertext()), tex):
                tex = "" if math is None else mathml_to_tex(math)
            if tex:
                self.is_replaced[i] = True
                yield Formula(int(i), tex, node.get("display") == "true")

    def _read_mathml(self) -> Iterator[Formula]:
        """Yield the formulas in MathML, each in the place of the outermost element that belongs to it."""
        parents, ends, end = self._fields["parents"], self._fields["ends"], 0
        if "math" not in self._names:
            return
        maths = self._find("math").tolist()
        is_inside = self.replaced_slots()[self._fields["open_slots"]]
        for before, i, following in watched(zip([0, *maths], maths, [*maths[1:], len(ends)], strict=False), len(maths)):
            top, math = i, self._elements[i]
            # A ``math`` element with a paragraph or another formula inside lacks its end tag.
            if i < end or is_inside[i] or next(math.iterdescendants("math", *_OUTSIDE_FORMULAS), None) is not None:
                continue
            displays = [math.get("display") == "block"]
            # An element around several formulas is not a part of a formula.
            last = max(following, int(ends[i]))
            while (above := int(parents[top])) > before and ends[above] <= last and self._is_wrapper(above):
                top, wrapper = above, self._elements[above]
                displays.append(wrapper.get("display") == "true" or bool(_DISPLAYED.search(wrapper.get("class", ""))))
            end = int(ends[top])
            self.is_replaced[top] = True
            yield Formula(top, mathml_to_tex(math), any(displays))

    def _is_wrapper(self, i: int) -> bool:
        name = self._names[self._fields["name_numbers"][i]]
        names = self._elements[i].get("class", "").split()
        return name.startswith("mjx-") or (name in ("div", "span") and not _WRAPPERS.isdisjoint(names))

    def replaced_slots(self) -> BoolArray:
        """Return which slots are inside an element that is replaced so far. *Shape:* ``(2n,)``"""
        return count_enclosing(self.is_replaced, self._fields["open_slots"], self._fields["close_slots"]) > 0

    def _read_images(self) -> Iterator[Formula]:
        """Yield the formulas in images that have TeX as their description."""
        named = self._attributes("img", "class")
        chosen = {value for value in {*named.values()} if not _IMAGE_NAMES.isdisjoint(value.split())}
        images = [(i, value) for i, value in watched(named.items(), len(named)) if value in chosen]
        is_inside = self.replaced_slots()[self._fields["open_slots"]] if images else ()
        for i, value in watched(images):
            tex = self._elements[i].get("alt", "")
            if not is_inside[i] and is_tex_of("", tex):
                self.is_replaced[i] = True
                yield Formula(i, tex, _DISPLAYED.search(value) is not None)


def write_formulas(
    elements: Sequence[etree._Element], names: Sequence[str], fields: dict[str, Any], inline_tag: int, display_tag: int
) -> set[str]:
    """Put the formulas of a page in the place of their elements, in the *fields* of its `Page`; return them.

    :param inline_tag: the new tag of an element whose text is a formula within a line.
    :param display_tag: the same for a formula on lines of its own.
    """
    found = FormulaReader(elements, names, fields)
    formulas, written = found.read(), set[str]()
    if formulas:
        open_slots, has_text = fields["open_slots"], fields["slot_has_text"]
        is_inside = found.replaced_slots()
        has_text[is_inside] = False
        fields["tags"][is_inside[open_slots]] = inline_tag  # so that they separate nothing
        leaves = zip(fields["leaf_slots"].tolist(), fields["texts"], strict=True)
        texts = {slot: text for slot, text in leaves if not is_inside[slot]}
        for formula in formulas:
            slot, text = int(open_slots[formula.holder]), write_tex(formula.tex, is_display=formula.is_display)
            if text:
                texts[slot], has_text[slot] = text, True
                written.add(text)
            if formula.is_display:
                fields["tags"][formula.holder] = display_tag
        texts = dict(sorted(texts.items()))
        fields["leaf_slots"], fields["texts"] = np.array([*texts], dtype=np.int64), [*texts.values()]
    return written


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
    return (_SIGN_OR_DOLLAR if takes_dollars else _SIGN) if programs else None


def write_delimited(texts: list[str], is_code: Sequence[bool], sign: re.Pattern[str]) -> set[str]:
    r"""Replace the TeX in *texts* that is marked as ``\(…\)``, ``\[…\]``, ``$$…$$`` or ``$…$``; return these formulas.

    :param is_code: which texts are code, where these signs mean something else. :param sign: see `find_signs`.
    """
    written: set[str] = set()
    for i, text in enumerate(watched(texts)):
        if has_signs(text) and not is_code[i]:
            texts[i] = _replace_delimited(text, sign, written)
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
