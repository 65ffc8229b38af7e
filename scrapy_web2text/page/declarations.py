"""The declarations of CSS, as browsers read them: names, shorthands, escapes, comments, variables, calculations.

Lengths are estimates in pixels, which suffice for lengths that hide text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import cycle
from math import prod
from typing import Final

from scrapy_web2text.page.reader import drop_noise

# A semicolon in brackets ends no declaration.
_BRACKETS: Final = re.compile(r"[(\[{][^()\[\]{};]*+;[^()\[\]{}]*+(?:[)\]}]|\Z)")
_SPACES: Final = re.compile(r"[ \t\n\r\f]+")
_ESCAPE: Final = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", re.DOTALL)
_LONGEST_VALUE: Final = 1_000  # characters, with the values of custom properties; others do not hide
_VARIABLE: Final = re.compile(r"(?:var|env)\(\s*([\w-]+)\s*(?:,([^()]*))?\)")
_CALCULATION: Final = re.compile(r"(?<![\w-])(calc|min|max|clamp|)\(([^()]*)\)")
_DEEPEST: Final = 5  # variables and calculations inside each other
_DISPLAY: Final = re.compile(
    r"(?:-webkit-)?(?:inline-)?(?:flex|box|grid|table|block)|inline|contents|none|flow-root|list-item|table-[\w-]+"
    r"|math|ruby\b.*|flow|(?:block|inline|flow-root|list-item)\s[\w -]+|inherit|initial|unset|revert(?:-layer)?"
)
_VISIBILITIES: Final = frozenset("visible hidden collapse inherit initial unset revert revert-layer".split())
# Words that are values of the other properties here.
_KEYWORDS: Final = frozenset(
    """absolute auto both clip content fit-content fixed hidden inherit initial inline-end inline-start large larger
    left max-content medium min-content none normal nowrap pre relative revert revert-layer right scroll small smaller
    static sticky text unset visible x-large x-small xx-large xx-small xxx-large""".split()
)
_NUMBERS: Final = frozenset("flex flex-grow opacity scale zoom".split())
_SIZES: Final = frozenset("font-size height max-height max-width min-height min-width width".split())
_WORDS: Final = frozenset(
    "background-clip background-color color rotate text-fill-color text-shadow text-stroke".split()
)
LENGTH: Final = re.compile(r"([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)([a-z]*|%)")
# Estimates: of letters of 16 pixels, on a screen of 1,280 times 720. Angles are in degrees.
_UNITS: Final = {
    "px": 1.0,
    "em": 16.0,
    "rem": 16.0,
    "ex": 8.0,
    "ch": 8.0,
    "lh": 20.0,
    "%": 10.0,
    "vw": 12.8,
    "vh": 7.2,
    "vmin": 7.2,
    "vmax": 12.8,
    "pt": 1.33,
    "pc": 16.0,
    "in": 96.0,
    "cm": 37.8,
    "mm": 3.78,
    "q": 0.94,
    "deg": 1.0,
    "grad": 0.9,
    "rad": 57.3,
    "turn": 360.0,
    **{f"{kind}{unit}": 7.2 for kind in ("s", "l", "d", "cq") for unit in ("vh", "b", "h", "vmin", "min")},
    **{f"{kind}{unit}": 12.8 for kind in ("s", "l", "d", "cq") for unit in ("vw", "i", "w", "vmax", "max")},
}
UNKNOWN: Final = float("nan")
SIDES: Final = "top right bottom left".split()
# Shorthands -> the properties that they set, in the order of their values.
_SHORTHANDS: Final = {
    "inset": SIDES,
    "inset-block": ["top", "bottom"],
    "inset-inline": ["left", "right"],
    **{name: [f"{name}-{side}" for side in SIDES] for name in ("margin", "padding")},
    **{f"{name}-block": [f"{name}-top", f"{name}-bottom"] for name in ("margin", "padding")},
    **{f"{name}-inline": [f"{name}-left", f"{name}-right"] for name in ("margin", "padding")},
    "overflow": ["overflow-x", "overflow-y"],
}
# Names of sides and sizes in a text from left to right -> names on the screen.
_SIZES_AND_SIDES: Final = {
    "inline-start": "left",
    "inline-end": "right",
    "block-start": "top",
    "block-end": "bottom",
    "inline-size": "width",
    "block-size": "height",
}
_LOGICAL: Final = {
    "overflow-block": "overflow-y",
    "overflow-inline": "overflow-x",
    **{
        f"{prefix}{name}": f"{prefix.removeprefix('inset-')}{side}"
        for prefix in ("", "inset-", "margin-", "padding-", "min-", "max-")
        for name, side in _SIZES_AND_SIDES.items()
    },
}
# The properties that decide whether text is seen, and their shorthands.
_PROPERTIES: Final = frozenset(
    """all background clip clip-path content-visibility display filter flex float font mask mask-image
    overflow-x overflow-y position text-indent transform translate visibility white-space""".split()
).union(SIDES, _SHORTHANDS, _LOGICAL, _NUMBERS, _SIZES, _WORDS, *_SHORTHANDS.values())

Declared = tuple[str, str, bool]  # a property, its value, and whether it is important


def read_declarations(text: str, *, every: bool = False) -> Iterator[Declared]:
    """Yield the valid declarations of *text*, with shorthands expanded; names and values are in lower case.

    :param every: whether to yield the properties, too, that never decide whether text is seen.
    """
    for part in _BRACKETS.sub(" ", drop_noise(text)).split(";"):
        name, colon, value = part.partition(":")
        name = _plain(name).removeprefix("-webkit-")
        if not colon or not name or not (every or name in _PROPERTIES or name[:2] == "--"):
            continue
        value, _, mark = _plain(value).partition("!")
        is_important = mark.strip(" ") == "important"
        for prop, each in expand(name, value.strip(" ")):
            if _is_valid(prop, each) and (is_important or not mark):
                yield prop, each, is_important


def _plain(text: str) -> str:
    if "\\" in text:
        text = _ESCAPE.sub(lambda m: m[2] or _unescape(int(m[1], 16)), text)
    return _SPACES.sub(" ", text.lower()).strip(" ")


def _unescape(code: int) -> str:
    # An escaped space is a part of a word, as in a value for Internet Explorer alone: none\9
    return "\ufffd" if not ord(" ") < code < 0xFFFF else chr(code)


def expand(name: str, value: str) -> Iterator[tuple[str, str]]:
    """Yield the properties that a declaration sets, with their values; a value with functions is not divided yet."""
    if "(" in value and name in ("font", *_SHORTHANDS):
        yield name, value
    elif name in _SHORTHANDS:
        yield from zip(_SHORTHANDS[name], to_sides(value), strict=False)
    elif name == "font":
        size = next((each for each in value.partition(",")[0].split() if _is_size(each.partition("/")[0])), "")
        yield "font-size", size.partition("/")[0]
    elif name == "background":
        yield "background-color", value
    elif name == "all":
        yield from ((each, value) for each in _PROPERTIES if each != "all")
    else:
        yield _LOGICAL.get(name, name), value


def to_sides(value: str) -> Iterator[str]:
    """Return the values of the four sides, which a shorthand states by one to four values."""
    values = value.split() or [""]
    return cycle(values if len(values) != 3 else [*values, values[1]])


def _is_size(word: str) -> bool:
    match = LENGTH.fullmatch(word)
    return match is not None and (match[2] in _UNITS or float(match[1]) == 0)


def _is_valid(name: str, value: str) -> bool:
    if "(" in value or name.startswith("--") or name in _WORDS:
        return True
    if name == "display":
        return _DISPLAY.fullmatch(value) is not None
    if value.replace("-", "").isalpha():
        return value in (_VISIBILITIES if name == "visibility" else _KEYWORDS)
    number = LENGTH.fullmatch(value)
    if number is None:
        return bool(value)
    if name in _NUMBERS:
        return number[2] in ("", "%")
    return (number[2] in _UNITS or float(number[1]) == 0) and not (name in _SIZES and value[0] == "-")


def resolve(value: str, variables: Mapping[str, str]) -> str:
    """Return *value* with the values of custom properties and of calculations.

    It is empty if it is too long: each property may repeat others.
    """
    for _ in range(_DEEPEST):
        if "(" not in value or len(value) > _LONGEST_VALUE:
            break
        value = _VARIABLE.sub(lambda m: variables.get(m[1], (m[2] or "unset")).strip()[:_LONGEST_VALUE], value)
        value = _CALCULATION.sub(_calculate, value)
    return value if len(value) <= _LONGEST_VALUE else ""


def _calculate(match: re.Match[str]) -> str:
    """Return the value of a calculation: in the unit of all its lengths, or else in pixels."""
    values = [_add(each) for each in match[2].split(",")]
    value = {"min": min(values), "max": max(values), "clamp": sorted(values)[len(values) // 2]}.get(match[1], values[0])
    units = {unit for each in match[2].split() for _, unit in LENGTH.findall(each) if unit}
    unit = units.pop() if len(units) == 1 else "px" * bool(units)
    return f"{value / _UNITS.get(unit, 1.0):.3f}{unit}"


def _add(expression: str) -> float:
    terms = expression.replace(" - ", " + -1*").split(" + ")
    return sum(prod(map(_to_factor, term.replace("/", "*/").split("*"))) for term in terms)


def _to_factor(text: str) -> float:
    value = to_pixels(text.strip(" /"))
    return 1 / value if value and text.startswith("/") else value


def to_pixels(value: str | None, default: float = UNKNOWN) -> float:
    """Return a length in pixels; *default* if *value* is not a length: NaN, which compares as False with any number."""
    match = LENGTH.fullmatch(value) if value else None
    if match is None or (match[2] and match[2] not in _UNITS):
        return default
    return float(match[1]) * _UNITS.get(match[2], 1.0)


def to_number(value: str | None) -> float:
    """Return a number or a percentage; NaN if *value* is neither."""
    return to_pixels(value) / (100 * _UNITS["%"] if value and value.endswith("%") else 1)
