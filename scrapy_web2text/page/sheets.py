"""The rules of the style sheets in a page, and whether their conditions hold for an element.

The sheets are read in one scan. If a static page does not decide a condition, such as ``:nth-child`` or a preference of
the reader, the caller does: a rule that hides must certainly apply, and a rule that shows only possibly.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

from scrapy_web2text.common.budget import watched
from scrapy_web2text.page.sheet_selectors import split_selectors
from scrapy_web2text.page.styles import read_declarations

_NOISE: Final = re.compile(
    r"""/\*.*?(?:\*/|\Z)|"(?:[^"\\\n]|\\.)*["\n]?|'(?:[^'\\\n]|\\.)*['\n]?|url\([^()"'\s]*\)""", re.DOTALL
)
# What encloses sheets that were written for old browsers.
_MARKS: Final = ("<!--", "-->")
_BRACE: Final = re.compile("[{}]")
_LAYER: Final = re.compile(r"@layer\s([^;{}@]*)")
_AT_NAME: Final = re.compile(r"@([\w-]*)")
_CONDITIONS: Final = frozenset("media supports container scope".split())
_DEEPEST: Final = 10  # blocks inside each other that are read
_LONGEST_SELECTORS: Final = 1_000  # characters before a block that are read
_LONGEST_SELECTOR: Final = 200
_MOST_NESTED: Final = 20  # selectors of a block inside another
# Browsers ignore a rule if they do not know one of its selectors, and each of these is of another browser.
_FOREIGN: Final = re.compile(r":-(?:khtml|moz|ms|o)-")
_COMBINED: Final = re.compile(r"\b(?:and|not|or)\b")
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


def list_rules(sheet: str, media: str, keep: Callable[[str], bool]) -> Iterator[CssRule]:
    """Yield the rules of a style sheet for *media* in their order, in linear time.

    :param keep: function that says whether a selector is kept; rules without any are left out.
    """
    text = _NOISE.sub(_drop_noise, sheet)
    for mark in _MARKS:
        text = text.replace(mark, " ")
    layers: dict[str, int] = {}
    blocks: list[CssBlock | None] = [CssBlock(conditions=(("media", media),) if media else ())]
    for chunk in watched(text.split("}")):
        *openings, declarations = chunk.split("{")
        for opening in openings[:_DEEPEST]:
            statements, _, prelude = opening.rpartition(";")
            outer = blocks[-1]
            if outer is not None and not outer.selectors and "@layer" in statements:
                for name in ",".join(_LAYER.findall(statements)).split(","):
                    layers.setdefault(name.strip(), len(layers))
            if statements:
                yield from _close_rule(outer, statements, keep)
            blocks.append(_open_block(outer, " ".join(prelude.split()), layers) if len(blocks) <= _DEEPEST else None)
        blocks += [None] * len(openings[_DEEPEST:])
        yield from _close_rule(blocks[-1], declarations, keep)
        if len(blocks) > 1:
            blocks.pop()


def _close_rule(block: CssBlock | None, declarations: str, keep: Callable[[str], bool]) -> Iterator[CssRule]:
    """Yield the rule of *declarations* in a block, if some of its selectors are kept."""
    if block is not None and block.selectors and ":" in declarations:
        chosen = tuple(filter(keep, block.selectors))
        if chosen:
            yield CssRule(CssBlock(chosen, block.layer, block.conditions), declarations)


def _drop_noise(match: re.Match[str]) -> str:
    is_value = match.string[match.start() - 1] == "="  # of an attribute in a selector
    return match[0] if is_value and _BRACE.search(match[0]) is None else " "


def _open_block(outer: CssBlock | None, prelude: str, layers: dict[str, int]) -> CssBlock | None:
    """Return the block that begins after *prelude*; None if its declarations are not for elements."""
    if outer is None or len(prelude) > _LONGEST_SELECTORS or (":-" in prelude and _FOREIGN.search(prelude)):
        return None
    if prelude[:1] != "@":
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
    return all(
        any(_holds_media(query, width, unsure=unsure) for query in text.split(","))
        if kind == "media"
        else unsure or (kind == "supports" and _supports(text))
        for kind, text in conditions
    )


def _supports(text: str) -> bool:
    return _COMBINED.search(text) is None and any(read_declarations(text.strip(" ()"), every=True))


def _holds_media(query: str, width: int, *, unsure: bool) -> bool:
    words = query.partition("(")[0].split()
    is_negated = words[:1] == ["not"]
    kinds = [word for word in words if word not in ("not", "only", "and")]
    if kinds and (kinds[0] in ("screen", "all")) == is_negated and "(" not in query:
        return False
    if is_negated and "(" in query:
        return unsure
    if kinds and not is_negated and kinds[0] not in ("screen", "all"):
        return False
    for feature in query.split("(")[1:]:
        bound = _WIDTH.fullmatch(feature.partition(")")[0])
        if bound is None and not unsure:
            return False
        least = 0.0 if bound is None else float(bound[3]) * (1 if bound[4] in ("px", "") else 16)
        if bound is not None and (width < least if "min" in bound.groups() or ">" in bound.groups() else width > least):
            return False
    return True
