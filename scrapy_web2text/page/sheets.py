"""The rules of the style sheets in a page, and whether their conditions hold for an element.

The sheets are read in one scan. If a static page does not decide a condition, such as ``:nth-child`` or a preference of
the reader, the caller does: a rule that hides must certainly apply, and a rule that shows only possibly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Final, NamedTuple

from scrapy_web2text.common.budget import check_time, watched
from scrapy_web2text.page.sheet_selectors import can_match, list_last_names, split_selectors
from scrapy_web2text.page.styles import SUSPECT, read_declarations

_ENDS: Final = "{};"  # what can be before the selectors of a block
# One of these is in each rule that hides.
_HIDING_WORDS: Final = (
    "none,visib,clip,size:,size ,height:,height ,width:,width ,-9,99,000,-2,-3,indent,scale,transl,matrix,font:,"
    "content-v,rotate,skew,zoom,display:var,display: var,\\"
).split(",")
_BRACES: Final = re.compile("([{}])")
_COMMENT: Final = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
# Comments and strings. `<!--` and `-->` enclose sheets that were written for old browsers.
_NOISE: Final = re.compile(
    r"""/\*.*?(?:\*/|\Z)|<!--|-->|"(?:[^"\\\n]|\\.)*["\n]?|'(?:[^'\\\n]|\\.)*['\n]?|url\([^()"'\s]*\)""", re.DOTALL
)
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
_NEAREST: Final = 50  # characters around a word in a long value that are read


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


def can_hide(sheet: str, names: AbstractSet[str], tags: AbstractSet[str]) -> bool:
    """Return whether a style sheet can hide an element, by a quick look at what is around the words that hide.

    It takes a tenth of the time of `list_rules`. Most sheets hide much, but nothing that has content.

    :param names: classes and ids of a page, as ``.class`` and ``#id``.
    """
    sheet = _COMMENT.sub("", sheet)
    text = sheet.lower()
    if len(text) != len(sheet):
        return True
    seen = set[int]()
    for word in _HIDING_WORDS:
        place = text.find(word)
        while place >= 0:
            check_time()
            start = text.rfind("{", max(place - _LONGEST_SELECTORS, 0), place)
            is_in_block = start >= 0
            if not is_in_block:  # in a long value, where what counts is beside the word, or in the first selector
                start, stop, reach = max(place - _NEAREST, 0), place + 1, place + _NEAREST
            else:
                end = place + _LONGEST_SELECTORS
                stop = text.find("}", place, end)
                reach = stop = end if stop < 0 else stop
            # Few selectors can match, and to ask for these first takes less time. In a long value, all before it would
            # be read as selectors at each word.
            is_likely = start not in seen and (is_in_block or SUSPECT.search(text, start, reach))
            if is_likely and _can_match_at(sheet, start, names, tags) and SUSPECT.search(text, start, reach):
                return True
            seen.add(start)
            place = text.find(word, max(place + 1, stop - len("visibility:")))
    return False


def _can_match_at(sheet: str, start: int, names: AbstractSet[str], tags: AbstractSet[str]) -> bool:
    """Return whether what is before the brace at *start* can match an element."""
    before = sheet[max(start - _LONGEST_SELECTORS, 0) : start]
    prelude = before[max(map(before.rfind, _ENDS)) + 1 :]
    if "@" in prelude:
        return "@font-face" not in prelude
    return any(can_match(selector.strip(), names, tags) for selector in split_selectors(prelude))


def list_rules(sheet: str, media: str, names: AbstractSet[str]) -> Iterator[CssRule]:
    """Yield the rules of a style sheet for *media* in their order, in linear time.

    :param names: classes and ids of a page, as ``.class`` and ``#id``; selectors that end with others are left out.
    """
    text = _NOISE.sub(_drop_noise, sheet)
    layers: dict[str, int] = {}
    blocks: list[CssBlock | None] = [CssBlock(conditions=(("media", media),) if media else ())]
    pieces = _BRACES.split(text)
    for piece, brace in watched(zip(pieces[::2], [*pieces[1::2], "}"], strict=True)):
        block = blocks[-1]
        declarations, _, prelude = piece.rpartition(";") if brace == "{" else (piece, "", "")
        if block is not None and not block.selectors and "@layer" in declarations:
            for name in ",".join(_LAYER.findall(declarations)).split(","):
                layers.setdefault(name.strip(), len(layers))
        if block is not None and block.selectors and ":" in declarations:
            yield CssRule(block, declarations)
        if brace == "{":
            blocks.append(
                _open_block(block, " ".join(prelude.split()), layers, names) if len(blocks) <= _DEEPEST else None
            )
        elif len(blocks) > 1:
            blocks.pop()


def _drop_noise(match: re.Match[str]) -> str:
    is_value = match.string[match.start() - 1] == "="  # of an attribute in a selector
    return match[0] if is_value and _BRACES.search(match[0]) is None else " "


def _open_block(
    outer: CssBlock | None, prelude: str, layers: dict[str, int], names: AbstractSet[str]
) -> CssBlock | None:
    """Return the block that begins after *prelude*; None if its declarations are not for elements."""
    if outer is None or len(prelude) > _LONGEST_SELECTORS or _FOREIGN.search(prelude):
        return None
    if prelude[:1] != "@":
        selectors = split_selectors(prelude)
        if outer.selectors:
            around = outer.selectors
            selectors = [s.replace("&", o) if "&" in s else f"{o} {s}" for o in around for s in selectors]
        wanted = (each.strip() for each in selectors[:_MOST_NESTED] if len(each) <= _LONGEST_SELECTOR)
        chosen = tuple(each for each in wanted if names >= {*list_last_names(each)})
        return CssBlock(chosen, outer.layer, outer.conditions) if chosen else None
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
