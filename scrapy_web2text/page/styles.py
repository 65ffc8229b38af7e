"""What declarations of CSS do to the text of an element: whether a reader sees it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from math import cos, radians
from typing import Final

from scrapy_web2text.page.declarations import LENGTH, SIDES, UNKNOWN, to_number, to_pixels, to_sides

# One of these is in each style that hides, in lower case.
SUSPECT: Final = re.compile(
    r"""(?<![\w-])(?:display[\s:]+(?:none|table-col)|visibility[\s:]+(?:hid|coll))
    |content-visibility[\s:]+hid|opacity\s*[:(]\s*(?:-|\+?[.0]{1,9}(?![\d.])|0?\.0|\d%|\d\.?\d*e-)
    |clip(?:-path)?[\s:]+[a-z]|mask[^;]{0,80}gradient|matrix|(?:rotate|skew)[xy3(:\s]
    |(?:scale|zoom)[a-z\d]{0,2}[\s:(]+(?:[+-]?0{0,9}\.[01]|[+-]?0{1,9}(?![\d.])|[.\d]{1,9}(?:e-|%)|[.\d]{1,9}[\s,]+0)
    |-[\d.]{3}|-\d\d(?:cm|in|pc)|[\s:(]\d{4,9}(?:p[xt]|r?em|v[wh]|%)|(?:top|bottom|indent)[\s:]+\d{3}|\d\d\dv[wh]|\de\d|\\|/\*
    |(?:var|env|calc|min|max|clamp)\(
    |(?<![\w-])(?:(?:max-)?(?:height|width|(?:block|inline)-size)|font-size)[\s:]+[+-]?(?:[.0]{0,9}[01](?:\.\d{0,9})?(?![\d.])|0{0,9}\.\d{1,9}px)
    |(?<![\w-])font\s*:[^;]{0,80}?(?<![\d.])[.0]{0,9}[01](?:\.0{0,9})?(?:p[xt]|r?em|[%/\s])
    |color\s*:\s*(?:transparent|\#(?:[\da-f]{3}|[\da-f]{6}0)0(?!\w)|[a-z]{3,5}\([^()]{1,50}[,/\s][.0]+%?\s*\))
    |(?<![\w-])color\s*:\s*([\#\w]{3,9})(?!\w)[^{}]{0,90}?background(?:-color)?\s*:\s*\1(?!\w)
    |background(?:-color)?\s*:\s*([\#\w]{3,9})(?!\w)[^{}]{0,90}?(?<![\w-])color\s*:\s*\2(?!\w)""",
    re.VERBOSE,
)
_FUNCTION: Final = re.compile(r"(?<![a-z\d-])([a-z\d-]++)\(([^()]*+)\)")
_NUMBER: Final = re.compile(r"[+-]?[\d.]+(?:[a-z]{2,4}|%)?")
_OPACITY: Final = re.compile(r"opacity\( ?([^() ]*) ?\)")
_CLEAR_NAME: Final = r"(?:transparent|#(?:[\da-f]{3}|[\da-f]{6}0)0)"
_CLEAR: Final = re.compile(rf"{_CLEAR_NAME}|[a-z]+\((?:[^,()]*,){{3}} ?[.0]+%? ?\)|[a-z]+\([^()/]*/ ?[.0]+%? ?\)")
_CLEAR_MASK: Final = re.compile(rf"gradient\((?:[^(),#]* \w+,)? ?(?:{_CLEAR_NAME}[ ,]*)+\)")
_INHERITED_COLORS: Final = frozenset("currentcolor inherit unset".split())
_FAR: Final = 900  # pixels to the left of the page, or above it
_VERY_FAR: Final = 5_000  # in any direction
_HEIGHT: Final = 720  # pixels of a screen
_WIDTH: Final = 1_280
_RELATIVE: Final = frozenset("inherit larger smaller unset".split())
_RELATIVE_UNITS: Final = frozenset("ch em ex lh %".split())
_WHOLE: Final = 1_000  # pixels, as `to_pixels` estimates
_SMALL: Final = 2  # pixels
_FAINT: Final = 0.05
_FLAT: Final = 0.03  # of the area
# Where the functions that move an element have their lengths.
_SHIFTS: Final = {
    **dict.fromkeys(("translate", "translatex", "translatey", "translate3d"), slice(2)),
    "matrix": slice(4, 6),
    "matrix3d": slice(12, 14),
}
_MOVES: Final = frozenset("rotate scale transform translate".split())
# The properties of which `hides_box` needs one, besides ``display``.
_HIDING: Final = _MOVES.union(
    """bottom clip clip-path content-visibility height left margin-left margin-top mask mask-image max-height max-width
    padding-left padding-top right top width zoom""".split()
)
_CLIPPING: Final = frozenset({"hidden", "clip", "auto", "scroll"})
# Inline elements that take their size from their text: they have no height or width, and lines are not theirs.
UNSIZED_TAGS: Final = frozenset(
    """#custom a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q s samp small span
    strike strong sub sup time tt u var""".split()
)
# The height and the width of these are minimums, not maximums.
_PARTS_OF_TABLES: Final = frozenset("table tbody td tfoot th thead tr".split())


def hides_box(style: Mapping[str, str], tag: str) -> bool:
    """Return whether a reader sees nothing of an element and its content."""
    display, position = style.get("display"), style.get("position", "static")
    if display in ("none", "contents", "table-column", "table-column-group"):
        return display != "contents"
    if _HIDING.isdisjoint(style):
        return False
    is_out = position in ("absolute", "fixed")
    is_inline = tag in UNSIZED_TAGS if display is None else display == "inline"
    is_inline = is_inline and not is_out and style.get("float", "none") == "none"
    return (
        (is_out and style.get("clip", "")[:4] == "rect" and _is_cut(style["clip"]))
        or _is_cut(style.get("clip-path", ""))
        or 0 < to_number(style.get("zoom")) < _FAINT  # browsers ignore a zoom of 0
        or _CLEAR_MASK.search(style.get("mask-image", style.get("mask", ""))) is not None
        or ((is_out or position == "relative") and _is_placed_away(style))
        or any(_is_away(style, prefix, vertical=not is_inline) for prefix in ("margin-", "padding-"))
        or (
            not is_inline
            and (style.get("content-visibility") == "hidden" or _is_moved(style) or _is_clipped(style, tag))
        )
    )


def _is_placed_away(style: Mapping[str, str]) -> bool:
    """Return whether a position is off the page: to its left or far to its right, above it or far below it."""
    top, right, bottom, left = (to_pixels(style.get(side), 0.0) for side in SIDES)
    if to_pixels(style.get("left"), UNKNOWN) < _WIDTH:  # then the right side has no effect
        right = 0.0
    if style.get("position") == "fixed" and (max(top, abs(bottom)) >= _HEIGHT or left >= _WIDTH):
        return True
    return _is_away(style, "") or not -_FAR < right < _WIDTH or bottom >= _VERY_FAR


def _is_away(style: Mapping[str, str], prefix: str, *, vertical: bool = True) -> bool:
    left, top = (to_pixels(style.get(prefix + side), 0.0) for side in ("left", "top"))
    return left <= -_FAR or (vertical and (top <= -_FAR or left >= _VERY_FAR))


def _is_cut(shape: str) -> bool:
    """Return whether hardly anything of an element is inside a shape."""
    function = _FUNCTION.search(shape)
    left, top, right, bottom = _find_edges(function[1], function[2]) if function else [UNKNOWN] * 4
    return right - left <= _SMALL or bottom - top <= _SMALL or right <= 0 or bottom <= 0


def _find_edges(name: str, text: str) -> list[float]:
    """Return the left, top, right and bottom edge of a shape, in pixels; NaN if they are not known."""
    text = text.partition(" at ")[0].partition(" round")[0].replace(",", " ")
    lengths = [to_pixels(each) for each in islice(to_sides(text), 4)]
    if name == "xywh":
        return [*lengths[:2], lengths[0] + lengths[2], lengths[1] + lengths[3]]
    if name in ("circle", "ellipse"):
        return [0.0, 0.0, 2 * lengths[0], 2 * lengths[1]]
    if name == "rect":
        return [lengths[3], *lengths[:3]]
    if name == "inset":
        return [lengths[3], lengths[0], _WHOLE - lengths[1], _WHOLE - lengths[2]]
    numbers = [to_pixels(each, 0.0) for each in _NUMBER.findall(text)]
    if name not in ("path", "polygon") or len(numbers) < 2:
        return [UNKNOWN] * 4
    return [most(numbers[i::2]) for most in (min, max) for i in (0, 1)]


def _is_moved(style: Mapping[str, str]) -> bool:
    """Return whether an element is moved off the page, or made too small or too flat to be seen."""
    if _MOVES.isdisjoint(style):
        return False
    functions = [f"{name}({style.get(name, '1').replace(' ', ',')})" for name in ("scale", "translate")]
    functions += [f"rotate{style.get('rotate', '').replace(' ', '(', 1)})", style.get("transform", "")]
    area, lengths = 1.0, list[float]()
    for name, text in _FUNCTION.findall(" ".join(functions)):
        words = [word.strip() for word in text.split(",")]
        area *= _to_area(name, [to_number(word) for word in words])
        lengths += [to_pixels(word, 0.0) for word in words[_SHIFTS.get(name, slice(0))]]
    return abs(area) < _FLAT or any(length <= -_FAR or length >= _VERY_FAR for length in lengths)


def _to_area(name: str, values: list[float]) -> float:
    """Return by what a function of ``transform`` multiplies the area that a reader sees."""
    match name, values:
        case "scale", [x]:
            return x * x
        case "scale" | "scale3d", [x, y, *_]:
            return x * y
        case "scalex" | "scaley", [x]:
            return x
        case ("matrix", [a, b, c, d, *_]) | ("matrix3d", [a, b, _, _, c, d, *_]):
            return a * d - b * c
        case ("rotatex" | "rotatey" | "skew" | "skewx" | "skewy", [angle, *_]) | ("rotate3d", [_, _, 0.0, angle]):
            return cos(radians(angle))
    return 1.0


def _is_clipped(style: Mapping[str, str], tag: str) -> bool:
    display = style.get("display", "table" if tag in _PARTS_OF_TABLES else "")
    if display.startswith("table") or _CLIPPING.isdisjoint((style.get("overflow-x"), style.get("overflow-y"))):
        return False
    for size, sides in (("height", ("top", "bottom")), ("width", ("left", "right"))):
        values = [style.get(name, "") for name in (size, f"max-{size}")]
        # A share of a height that is not known has no effect.
        bounds = (to_pixels(value, 99.0) for value in values if size == "width" or value[-1:] != "%")
        most = min(bounds, default=99.0)
        padding = sum(to_pixels(style.get(f"padding-{side}"), 0.0) for side in sides)
        least = to_pixels(style.get(f"min-{size}", "auto").replace("auto", "0"), 99.0)
        grows = style.get("flex", "0")[:1] not in "0n" or style.get("flex-grow", "0") != "0"
        if most < _SMALL and padding < 8 and least < _SMALL and not grows:
            return True
    return False


def is_indented(style: Mapping[str, str]) -> bool | None:
    """Return whether the lines inside begin far away, as where an image takes their place; None if not stated."""
    indent = style.get("text-indent", "inherit")
    if indent in _RELATIVE:
        return None
    is_cut = style.get("overflow-x") in _CLIPPING and style.get("white-space") in ("nowrap", "pre")
    pixels = to_pixels(indent, 0.0)
    return pixels <= -_FAR or (is_cut and pixels >= _WHOLE)


def is_transparent(style: Mapping[str, str]) -> bool:
    """Return whether an element is fully transparent."""
    opacity = _OPACITY.search(style.get("filter", ""))
    return min(to_number(style.get("opacity", "1")), to_number(opacity[1]) if opacity else 1.0) < _FAINT


def is_colorless(style: Mapping[str, str]) -> bool | None:
    """Return whether *style* gives the letters inside no color, or that of their background; None if not stated."""
    color = style.get("text-fill-color", "inherit")
    if color in _INHERITED_COLORS:
        color = style.get("color", "inherit")
    if color in _INHERITED_COLORS:
        return None
    is_painted = any(style.get(name, "none") != "none" for name in ("text-shadow", "text-stroke"))
    is_painted = is_painted or "text" in style.get("background-clip", style.get("background-color", ""))
    return not is_painted and (_CLEAR.fullmatch(color) is not None or color == style.get("background-color"))


def is_invisible(style: Mapping[str, str]) -> bool | None:
    """Return whether *style* makes the texts inside invisible, or visible again; None if it says nothing."""
    value = style.get("visibility")
    return None if value in (None, "inherit", "unset") else value in ("hidden", "collapse")


def is_tiny(style: Mapping[str, str]) -> bool | None:
    """Return whether *style* makes the letters inside too small to see, or large again; None if it says nothing."""
    value = style.get("font-size", "inherit")
    if value in _RELATIVE or "(" in value:
        return None
    is_large = to_pixels(value, _VERY_FAR) >= _SMALL
    size = LENGTH.fullmatch(value)
    is_relative = size is not None and size[2] in _RELATIVE_UNITS  # to the size around it
    return None if is_large and is_relative else not is_large


# What texts inherit from the elements around them.
INHERITED: Final = (is_invisible, is_tiny, is_indented, is_colorless)
