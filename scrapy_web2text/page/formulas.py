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
# Servers that draw the TeX of a URL.
_DRAWS_TEX: Final = re.compile(r"latex\.codecogs|/(?:equation|latex(?:\.php)?)\?|[?&]cht=tx|mimetex|mathtex")
_LONGEST_URL: Final = 300  # characters of a URL that are read
_TEX_SCRIPT: Final = re.compile(r"math/(?:la)?tex", re.IGNORECASE)


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

    def _read_scripts(self) -> Iterator[Formula]:
        """Yield the formulas in scripts for MathJax 2; what it has drawn from them is replaced."""
        types = reader.read_values(self._elements, self._find("script"), ("type",))[0]
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
        if "img" not in self._names:
            return
        named, sources = reader.read_values(self._elements, self._find("img"), ("class", "src"))
        chosen = {value for value in {*named.values()} if not _IMAGE_NAMES.isdisjoint(value.split())}
        images = {i for i, value in watched(named.items(), len(named)) if value in chosen}
        images |= {i for i, url in watched(sources.items(), len(sources)) if _DRAWS_TEX.search(url[:_LONGEST_URL])}
        is_inside = self.replaced_slots()[self._fields["open_slots"]] if images else ()
        for i in watched(sorted(images)):
            tex = self._elements[i].get("alt", "")
            if not is_inside[i] and is_tex_of("", tex):
                self.is_replaced[i] = True
                yield Formula(i, tex, _DISPLAYED.search(named.get(i, "")) is not None)


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
        open_slots = fields["open_slots"]
        is_inside = found.replaced_slots()
        fields["slot_has_text"][is_inside] = False
        fields["tags"][is_inside[open_slots]] = inline_tag  # so that they separate nothing
        texts = dict.fromkeys(is_inside.nonzero()[0].tolist(), "")
        for formula in formulas:
            text = write_tex(formula.tex, is_display=formula.is_display)
            texts[int(open_slots[formula.holder])] = text
            written.add(text)
            if formula.is_display:
                fields["tags"][formula.holder] = display_tag
        put_texts(fields, texts)
    return written - {""}


def put_texts(fields: dict[str, Any], texts: dict[int, str]) -> None:
    """Put *texts* at their slots, in place of the texts there; an empty text takes away the text that is there."""
    all_texts = dict(zip(fields["leaf_slots"].tolist(), fields["texts"], strict=True)) | texts
    all_texts = {slot: text for slot, text in sorted(all_texts.items()) if text}
    fields["leaf_slots"], fields["texts"] = np.array([*all_texts], dtype=np.int64), [*all_texts.values()]
    fields["slot_has_text"][[slot for slot, text in texts.items() if text]] = True
