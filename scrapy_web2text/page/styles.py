"""What declarations of CSS do to the text of an element: whether a reader sees it.

Names, values, shorthands, escapes and comments are read as browsers do; lengths are estimates in pixels, which
suffice for lengths that hide text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import cycle
from typing import Final

# One of these is in each style that hides, in lower case.
SUSPECT: Final = re.compile(
    r"""(?<![\w-])(?:display[\s:]+(?:none|var\()|visibility[\s:]+(?:hid|coll|var\())
    |content-visibility[\s:]+hid|opacity\s*[:(]\s*(?:-|calc|\+?[.0]{1,9}(?![\d.]))|clip(?:-path)?[\s:]+[riceposx]
    |(?:scale|matrix|zoom)[a-z\d]{0,2}[\s:(]+[+-]?0{0,9}(?:\.0\d{0,9})?(?![\d.])|(?:rotate|skew)[xy]\(\s*-?(?:90|270)deg
    |-[\d.]{3}|[\s:(]\d{4,9}(?:p[xt]|r?em|v[wh]|%)|\de\d|\\|/\*
    |(?<![\w-])(?:(?:max-)?(?:height|width|(?:block|inline)-size)|font-size)[\s:]+(?:calc\()?[+-]?(?:[.0]{0,9}[01](?:\.0{0,9})?(?![\d.])|0{0,9}\.\d{1,9}px)
    |(?<![\w-])font\s*:[^;]{0,80}?(?<![\d.])[.0]{0,9}[01](?:\.0{0,9})?(?:p[xt]|r?em|%|/)""",
    re.VERBOSE,
)
_COMMENT: Final = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_ESCAPE: Final = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", re.DOTALL)
_LONGEST_VALUE: Final = 300  # characters, with the values of custom properties; others do not hide
_VARIABLE: Final = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,([^()]*))?\)")
_DISPLAY: Final = re.compile(
    r"(?:-webkit-)?(?:inline-)?(?:flex|box|grid|table|block)|inline|contents|none|flow-root|list-item|table-[\w-]+"
    r"|ruby\b.*|flow|(?:block|inline)\s[\w -]+|inherit|initial|unset|revert(?:-layer)?"
)
_VISIBILITIES: Final = frozenset("visible hidden collapse inherit initial unset revert revert-layer".split())
# Words that are values of the other properties here.
_KEYWORDS: Final = frozenset(
    """absolute auto both clip content fit-content fixed hidden inherit initial inline-end inline-start large larger
    left max-content medium min-content none normal relative revert revert-layer right scroll small smaller static
    sticky unset visible x-large x-small xx-large xx-small xxx-large""".split()
)
_NUMBERS: Final = frozenset("flex flex-grow opacity scale zoom".split())
_LENGTH: Final = re.compile(r"([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)([a-z]*|%)")
# Estimates: of letters of 16 pixels, on a screen of 1,280 times 720.
_PIXELS: Final = {
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
    **{f"{kind}{unit}": 7.2 for kind in ("s", "l", "d", "cq") for unit in ("vh", "b", "h", "vmin", "min")},
    **{f"{kind}{unit}": 12.8 for kind in ("s", "l", "d", "cq") for unit in ("vw", "i", "w", "vmax", "max")},
}
_UNKNOWN: Final = float("nan")
_SIDES: Final = "top right bottom left".split()
_SHORTHANDS: Final = {"inset": "{}", "margin": "margin-{}", "padding": "padding-{}"}
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
    f"{prefix}{name}": f"{prefix.removeprefix('inset-')}{side}"
    for prefix in ("", "inset-", "margin-", "padding-", "min-", "max-")
    for name, side in _SIZES_AND_SIDES.items()
}
# The properties that decide whether text is seen, and their shorthands.
_PROPERTIES: Final = frozenset(
    """-webkit-clip-path -webkit-transform clip clip-path content-visibility display filter flex flex-grow float font
    font-size height max-height max-width min-height min-width opacity overflow overflow-x overflow-y position scale
    text-indent transform translate visibility width zoom""".split()
) | {*_SIDES, *_SHORTHANDS, *_LOGICAL, *(f"{name}-{side}" for name in _SHORTHANDS for side in _SIDES)}
_SHAPES: Final = re.compile(
    r"(?:circle|ellipse)\( ?(?:0|0?\.\d+px)[a-z%]*[ )]|polygon\((?:[0\s,a-z%]*|([^,()]*)(?:, ?\1)*)\)"
    r"|(?:rect|xywh)\((?:0[a-z%]* ?)+\)"
)
_CUT: Final = re.compile(r"inset\(([^()]*)\)")
_FLAT: Final = re.compile(
    r"(?:scale(?:x|y|3d)?|matrix(?:3d)?)\( ?[+-]?0*(?:\.0\d*)?%?[ ,)]|(?:rotate|skew)[xy]\( ?-?(?:90|270)deg"
)
_SHIFT: Final = re.compile(r"translate(?:x|y|3d)?\(([^()]*)\)")
_CALCULATION: Final = re.compile(r"calc\( ?([^() ]*) ?\)")
_OPACITY: Final = re.compile(r"opacity\( ?[.0]+%? ?\)")
_RECTANGLE: Final = re.compile(r"rect\(([^()]*)\)")
_FAR: Final = 900  # pixels to the left of the page, or above it
_VERY_FAR: Final = 5_000  # in any direction
_RELATIVE: Final = frozenset("inherit larger smaller unset".split())
_WHOLE: Final = 990  # pixels of two opposite sides together
_SMALL: Final = 2  # pixels
_FAINT: Final = 0.05
_CLIPPING: Final = frozenset({"hidden", "clip", "auto", "scroll"})
_INLINE: Final = frozenset(
    """#custom a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q s samp small span
    strike strong sub sup time tt u var""".split()
)
# The height and the width of these are minimums, not maximums.
_PARTS_OF_TABLES: Final = frozenset("table tbody td tfoot th thead tr".split())

Declared = tuple[str, str, bool]  # a property, its value, and whether it is important


def read_declarations(text: str, *, every: bool = False) -> Iterator[Declared]:
    """Yield the valid declarations of *text*, with shorthands expanded; names and values are in lower case.

    :param every: whether to yield the properties, too, that never decide whether text is seen.
    """
    for part in _COMMENT.sub(" ", text).split(";"):
        name, colon, value = part.partition(":")
        name = _plain(name)
        if not colon or not name or not (every or name in _PROPERTIES or name[:2] == "--"):
            continue
        value = _plain(value)
        value, _, mark = value.partition("!")
        value, is_important = value.strip(), mark.strip() == "important"
        for prop, each in _expand(name, value):
            if _is_valid(prop, each):
                yield prop, each, is_important


def _plain(text: str) -> str:
    if "\\" in text:
        text = _ESCAPE.sub(lambda m: m[2] or _unescape(int(m[1], 16)), text)
    return " ".join(text.lower().split())


def _unescape(code: int) -> str:
    # An escaped space is a part of a word, as in a value for Internet Explorer alone: none\9
    return "\ufffd" if not ord(" ") < code < 0xFFFF else chr(code)


def _expand(name: str, value: str) -> Iterator[tuple[str, str]]:
    if name in _SHORTHANDS and "(" not in value:
        values = value.split() or [""]
        sides = values if len(values) != 3 else [*values, values[1]]
        for side, each in zip(_SIDES, cycle(sides), strict=False):
            yield _SHORTHANDS[name].format(side), each
    elif name == "font":
        size = next((each for each in value.partition(",")[0].split() if _is_size(each.partition("/")[0])), "")
        yield "font-size", size.partition("/")[0]
    elif name == "overflow":
        yield from ((f"overflow-{axis}", value.split(" ", maxsplit=1)[0]) for axis in "xy")
    else:
        yield _LOGICAL.get(name, name), value


def _is_size(word: str) -> bool:
    match = _LENGTH.fullmatch(word)
    return match is not None and (match[2] in _PIXELS or float(match[1]) == 0)


def _is_valid(name: str, value: str) -> bool:
    if "(" in value or name.startswith("--"):
        return True
    if name == "display":
        return _DISPLAY.fullmatch(value) is not None
    if value.replace("-", "").isalpha():
        return value in (_VISIBILITIES if name == "visibility" else _KEYWORDS)
    number = _LENGTH.fullmatch(value)
    is_length = number is None or number[2] in _PIXELS or float(number[1]) == 0 or name in _NUMBERS
    return bool(value) and is_length


def resolve(value: str, variables: Mapping[str, str]) -> str:
    """Return *value* with the values of custom properties; empty if it is too long: each may repeat others."""
    for _ in range(3):
        if "var(" not in value:
            break
        value = _VARIABLE.sub(
            lambda m: variables.get(m[1], (m[2] or "unset")).strip()[:_LONGEST_VALUE], value[:_LONGEST_VALUE]
        )
    return value if len(value) <= _LONGEST_VALUE else ""


def to_pixels(value: str | None, default: float = _UNKNOWN) -> float:
    """Return a length in pixels; *default* if *value* is not a length: NaN, which compares as False with any number."""
    match = _LENGTH.fullmatch(_CALCULATION.sub(r"\1", value)) if value else None
    if match is None or (match[2] and match[2] not in _PIXELS):
        return default
    return float(match[1]) * _PIXELS.get(match[2], 1.0)


def hides_box(style: Mapping[str, str], tag: str) -> bool:
    """Return whether a reader sees nothing of an element and its content."""
    display, position = style.get("display"), style.get("position", "static")
    if display in ("none", "contents"):
        return display == "none"
    is_out = position in ("absolute", "fixed")
    is_inline = tag in _INLINE if display is None else display == "inline"
    is_inline = is_inline and not is_out and style.get("float", "none") == "none"
    shape = style.get("clip-path") or style.get("-webkit-clip-path") or ""
    return (
        (is_out and _is_empty(style.get("clip", "")))
        or _SHAPES.search(shape) is not None
        or _is_cut(shape)
        or ((is_out or position == "relative") and _is_away(style, ""))
        or _is_away(style, "margin-", vertical=not is_inline)
        or (
            not is_inline
            and (style.get("content-visibility") == "hidden" or _is_moved(style) or _is_clipped(style, tag))
        )
    )


def _is_empty(clip: str) -> bool:
    rectangle = _RECTANGLE.fullmatch(clip)
    sides = [to_pixels(side) for side in rectangle[1].replace(",", " ").split()] if rectangle else []
    return len(sides) == 4 and (sides[2] - sides[0] <= 1 or sides[1] - sides[3] <= 1)


def _is_away(style: Mapping[str, str], prefix: str, *, vertical: bool = True) -> bool:
    top, right, bottom, left = (to_pixels(style.get(prefix + side), 0.0) for side in _SIDES)
    if left <= -_FAR or left >= _VERY_FAR or (vertical and top <= -_FAR):
        return True
    return not prefix and (right <= -_FAR or abs(bottom) >= _VERY_FAR or max(right, top) >= _VERY_FAR)


def _is_cut(shape: str) -> bool:
    """Return whether a shape cuts off an element from opposite sides until hardly anything is left."""
    inset = _CUT.search(shape)
    sides = _expand("inset", inset[1].partition("round")[0]) if inset else ()
    top, right, bottom, left = [to_pixels(value, 0.0) for _, value in sides] or [0.0] * len(_SIDES)
    return max(top + bottom, left + right) >= _WHOLE


def _is_moved(style: Mapping[str, str]) -> bool:
    transform = style.get("transform") or style.get("-webkit-transform") or ""
    if _FLAT.search(transform) or abs(to_pixels(style.get("scale"))) < _FAINT:
        return True
    if 0 < to_pixels(style.get("zoom")) < _FAINT:  # browsers ignore a zoom of 0
        return True
    shifts = [*_SHIFT.findall(transform), style.get("translate", "").replace(" ", ",")]
    lengths = [to_pixels(part.strip(), 0.0) for shift in shifts for part in shift.split(",")]
    return any(length <= -_FAR or length >= _VERY_FAR for length in lengths)


def _is_clipped(style: Mapping[str, str], tag: str) -> bool:
    if tag in _PARTS_OF_TABLES or _CLIPPING.isdisjoint((style.get("overflow-x"), style.get("overflow-y"))):
        return False
    for size, sides in (("height", ("top", "bottom")), ("width", ("left", "right"))):
        most = min(to_pixels(style.get(name), 99.0) for name in (size, f"max-{size}"))
        padding = sum(to_pixels(style.get(f"padding-{side}"), 0.0) for side in sides)
        least = to_pixels(style.get(f"min-{size}"), 99.0 if f"min-{size}" in style else 0.0)
        grows = style.get("flex", "0")[:1] not in "0n" or style.get("flex-grow", "0") != "0"
        if most < _SMALL and padding < 8 and least < _SMALL and not grows:
            return True
    return False


def is_indented_away(style: Mapping[str, str], tag: str) -> bool:
    """Return whether the first line of an element begins far away, as where an image takes the place of its text."""
    return tag not in _INLINE and to_pixels(style.get("text-indent"), 0.0) <= -_FAR


def is_transparent(style: Mapping[str, str]) -> bool:
    """Return whether an element is fully transparent."""
    return to_pixels(style.get("opacity")) < _FAINT or _OPACITY.search(style.get("filter", "")) is not None


def is_invisible(style: Mapping[str, str]) -> bool | None:
    """Return whether *style* makes the texts inside invisible, or visible again; None if it says nothing."""
    value = style.get("visibility")
    return None if value in (None, "inherit", "unset") else value in ("hidden", "collapse")


def is_tiny(style: Mapping[str, str]) -> bool | None:
    """Return whether *style* makes the letters inside too small to see, or large again; None if it says nothing."""
    value = style.get("font-size", "inherit")
    if value in _RELATIVE or "(" in value.replace("calc(", ""):
        return None
    is_large = to_pixels(value, _VERY_FAR) >= _SMALL
    is_relative = value.endswith(("em", "%")) and not value.endswith("rem")  # to the size around it
    return None if is_large and is_relative else not is_large
