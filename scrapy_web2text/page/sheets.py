"""The rules of the style sheets in a page, and whether their conditions hold for an element.

The sheets are read in one scan. If a static page does not decide a condition, such as ``:nth-child`` or a preference of
the reader, the caller does: a rule that hides must certainly apply, and a rule that shows only possibly.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from itertools import islice
from typing import Final, NamedTuple

from scrapy_web2text.common.budget import watched
from scrapy_web2text.page.declarations import read_declarations
from scrapy_web2text.page.reader import drop_noise
from scrapy_web2text.page.sheet_selectors import is_known, split_selectors

# Selectors and declarations of a rule, up to its closing brace, without other rules and statements.
_SIMPLE: Final = re.compile(r"[^{};@]*+\{[^{}]*+")
_LAYER: Final = re.compile(r"@layer\s([^;{}@]*)")
_STATEMENTS: Final = re.compile(r"(?:\s*+@[^;]*+;)*+(.*)", re.DOTALL)
_AT_NAME: Final = re.compile(r"@([\w-]*)")
_CONDITIONS: Final = frozenset("media supports container scope".split())
_DEEPEST: Final = 10  # blocks inside each other that are read
_LONGEST_SELECTORS: Final = 1_000  # characters before a block that are read
_LONGEST_SELECTOR: Final = 200
_MOST_NESTED: Final = 20  # selectors of a block inside another
_GROUP: Final = re.compile(r"(?<![\w-])([\w-]*+)\(([^()]*+)\)")
_JOINING: Final = frozenset("and not only or".split())
# Words of a condition, and the answers for its groups.
_ANSWERS: Final = {"all": True, "screen": True, "true": True, "false": False, "none": None}
_FOREIGN: Final = ("-khtml-", "-moz-", "-ms-", "-o-")  # other browsers
_WIDTH: Final = re.compile(r"\s*(?:(min|max)-(?:device-)?width\s*:|width\s*([<>])=?)\s*(\d+(?:\.\d+)?)(px|r?em|)\s*")
_UNLAYERED: Final = 1_000_000  # more than any layer


class CssBlock(NamedTuple):
    """What encloses declarations.

    :param layer: number of the ``@layer``; a later one is stronger.
    :param conditions: name and text of each ``@media``, ``@supports``, …
    """

    selectors: tuple[str, ...] = ()
    layer: int = _UNLAYERED
    conditions: tuple[tuple[str, str], ...] = ()


class CssRule(NamedTuple):
    """Declarations, as written, and where they apply."""

    block: CssBlock
    declarations: str


def list_rules(
    sheet: str, media: str, keep: Callable[[str], bool], shorten: Callable[[str], str] = str
) -> Iterator[CssRule]:
    """Yield the rules of a style sheet for *media* in their order, in linear time.

    :param keep: function that says whether a selector is kept; rules without any are left out.
    :param shorten: function that empties rules that are not needed, which saves time; see `empty_rules`.
    """
    text = drop_noise(sheet).replace("<!--", " ").replace("-->", " ")  # as sheets were written for old browsers
    layers: dict[str, int] = {}
    blocks: list[CssBlock | None] = [CssBlock(conditions=(("media", media),) if media else ())]
    is_broken = False  # by a brace that closes nothing: browsers ignore the next rule, too
    for chunk in watched(shorten(text).split("}")):
        if chunk == "{":  # an empty rule, as `empty_rules` and `empty_others` leave it
            is_broken = False
            continue
        *openings, declarations = chunk.split("{")
        for opening in openings[:_DEEPEST]:
            statements, _, prelude = opening.rpartition(";")
            outer = blocks[-1]
            if outer is not None and not outer.selectors and "@layer" in statements:
                for name in ",".join(_LAYER.findall(statements)).split(","):
                    layers.setdefault(name.strip(), len(layers))
            if statements:
                yield from _close_rule(outer, statements, keep)
            is_broken |= len(blocks) > _DEEPEST or (";" in opening and _has_stray_sign(outer, opening))
            blocks.append(None if is_broken else _open_block(outer, " ".join(prelude.split()), layers))
            is_broken = False
        blocks += [None] * len(openings[_DEEPEST:])
        yield from _close_rule(blocks[-1], declarations, keep)
        is_broken = len(blocks) == 1
        if not is_broken:
            blocks.pop()


def empty_others(sheet: str, wanted: re.Pattern[str]) -> str:
    """Return *sheet* in which rules without a match of *wanted* are empty, except for rules inside others."""
    chunks = watched(sheet.split("}"))
    return "}".join("{" if _SIMPLE.fullmatch(each) and not wanted.search(each) else each for each in chunks)


def _close_rule(block: CssBlock | None, declarations: str, keep: Callable[[str], bool]) -> Iterator[CssRule]:
    """Yield the rule of *declarations* in a block, if some of its selectors are kept."""
    if block is not None and block.selectors and ":" in declarations:
        chosen = tuple(filter(keep, block.selectors))
        if chosen:
            yield CssRule(CssBlock(chosen, block.layer, block.conditions), declarations)


def _has_stray_sign(outer: CssBlock | None, opening: str) -> bool:
    """Return whether the text before a block has a semicolon that ends no statement: it is then no selector."""
    return not (outer and outer.selectors) and ";" in _STATEMENTS.findall(opening)[0]


def _open_block(outer: CssBlock | None, prelude: str, layers: dict[str, int]) -> CssBlock | None:
    """Return the block that begins after *prelude*; None if its declarations are not for elements."""
    if outer is None or len(prelude) > _LONGEST_SELECTORS:
        return None
    if prelude[:1] != "@":
        if not is_known(prelude):
            return None
        selectors = split_selectors(prelude)
        if outer.selectors:
            around = outer.selectors
            nested = (s.replace("&", o) if "&" in s else f"{o} {s}" for o in around for s in selectors)
            selectors = [*islice(nested, _MOST_NESTED)]
        short = tuple([each.strip() for each in selectors if len(each) <= _LONGEST_SELECTOR])
        return CssBlock(short, outer.layer, outer.conditions) if short else None
    name = _AT_NAME.findall(prelude)[0].lower()
    text = prelude[len(name) + 1 :].strip()
    if name == "layer":
        return CssBlock(outer.selectors, layers.setdefault(text, len(layers)), outer.conditions)
    conditions = (*outer.conditions, (name, text.lower()))
    return CssBlock(outer.selectors, outer.layer, conditions) if name in _CONDITIONS else None


@lru_cache(1024)
def holds(conditions: tuple[tuple[str, str], ...], width: int, *, unsure: bool) -> bool:
    """Return whether all *conditions* hold on a screen of *width* pixels.

    :param unsure: the answer for a condition that a static page does not decide.
    """
    answers = [_decide(kind, text, width) for kind, text in conditions]
    return all(unsure if answer is None else answer for answer in answers)


def _decide(kind: str, text: str, width: int) -> bool | None:
    """Return whether a condition holds; None if a static page does not decide it."""
    if kind not in ("media", "supports"):
        return None
    decide = partial(_has_width, width=width) if kind == "media" else _supports

    def answer(match: re.Match[str]) -> str:
        name, words = match[1], match[2].split()
        if name and name not in _JOINING:
            return "none"
        is_group = {*words} <= {*_JOINING, *_ANSWERS}
        return f"{name} {_combine(words) if is_group else decide(match[2])} ".lower()

    for _ in range(_DEEPEST):
        text = _GROUP.sub(answer, text)
    return _join([_combine(query.split()) for query in text.split(",")], decisive=True)


def _combine(words: list[str]) -> bool | None:
    """Return whether a condition holds, of which each word is an answer or joins answers."""
    if words[:1] == ["not"]:
        answer = _combine(words[1:])
        return None if answer is None else not answer
    answers = [_ANSWERS.get(word, False) for word in words if word not in _JOINING]
    return _join(answers, decisive="or" in words)


def _join(answers: list[bool | None], *, decisive: bool) -> bool | None:
    """Return the answer that decides, if it is among *answers*; else its opposite, if all are known."""
    if decisive in answers:
        return decisive
    return None if None in answers else not decisive


def _supports(text: str) -> bool | None:
    name = text.partition(":")[0].strip()
    if any(read_declarations(text, every=True)):
        return not name.startswith(_FOREIGN)
    return False if name in ("display", "visibility") else None


def _has_width(feature: str, *, width: int) -> bool | None:
    bound = _WIDTH.fullmatch(feature)
    if bound is None:
        return None
    least = float(bound[3]) * (1 if bound[4] in ("px", "") else 16)
    return width >= least if "min" in bound.groups() or ">" in bound.groups() else width <= least
