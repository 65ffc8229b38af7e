"""What charts share: axes with a grid, the places of values, lines, dots, bars and a legend, as plain SVG.

All have a background of their own, dark where the reader prefers dark pages.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal, NamedTuple

WIDTH = 760
FONT = "font-family='sans-serif' font-size='11'"
_STYLE = f"{FONT} fill='#333'"
_RIGHT, _TOP, _BOTTOM = 20, 20, 50
# A line of the legend: its height, its sample, and a letter.
_LINE, _SAMPLE, LETTER = 16, 24, 5.8
# Colors of the charts, and what takes their place on a dark background. CSS wins over attributes.
_DARK = {
    "white": "#131416",
    "#eee": "#2c2f33",
    "#333": "#cfd0d0",
    "#777": "#a3a5a8",
    "#c30": "#ff6b6b",
    "#36c": "#8ab4ff",
    "#0a6": "#3ddc97",
    "#840": "#d9a066",
    "#a3a": "#df93df",
}
_DARK_STYLE = "".join(
    f"[fill='{light}']{{fill:{dark}}}[stroke='{light}']{{stroke:{dark}}}" for light, dark in _DARK.items()
)


@dataclass(frozen=True)
class Axis:
    """An axis of a chart.

    :param low: value at its left or lower end. It may be larger than *high*: then values fall along the axis.
    :param ticks: the labels of the values that have a line of the grid.
    """

    title: str
    low: float
    high: float
    ticks: Mapping[int, str] | Mapping[float, str]
    is_logarithmic: bool = False

    def find_share(self, value: float) -> float:
        """Return how far from the low end a value is: 1 at the high end."""
        low, high = self.low, self.high
        if self.is_logarithmic:
            low, high, value = math.log10(low), math.log10(high), math.log10(value)
        return (value - low) / (high - low)


@dataclass(frozen=True)
class Frame:
    """A chart without what it shows. Lengths are in pixels.

    :param left: room for the labels and the title of the vertical axis.
    """

    across: Axis
    up: Axis
    left: int = 55
    height: int = 460

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Return the place of a point in the SVG image."""
        left = self.left + self.across.find_share(x) * (WIDTH - self.left - _RIGHT)
        top = _TOP + (1 - self.up.find_share(y)) * (self.height - _TOP - _BOTTOM)
        return round(left, 1), round(top, 1)

    def draw(self, marks: Iterable[str]) -> str:
        """Return the chart with *marks*, which are elements of SVG, over its grid."""
        parts = [
            *open_image(WIDTH, self.height),
            *self._draw_axes(),
            *marks,
            "</svg>",
        ]
        return "\n".join(parts) + "\n"

    def _draw_axes(self) -> list[str]:
        parts = []
        right, bottom = WIDTH - _RIGHT, self.height - _BOTTOM
        for value, label in self.across.ticks.items():
            x, _ = self.place(value, self.up.low)
            parts.append(f"<line x1='{x}' y1='{_TOP}' x2='{x}' y2='{bottom}' stroke='#eee'/>")
            parts.append(f"<text x='{x}' y='{bottom + 16}' text-anchor='middle' {_STYLE}>{escape(label)}</text>")
        for value, label in self.up.ticks.items():
            _, y = self.place(self.across.low, value)
            parts.append(f"<line x1='{self.left}' y1='{y}' x2='{right}' y2='{y}' stroke='#eee'/>")
            parts.append(f"<text x='{self.left - 6}' y='{y + 4}' text-anchor='end' {_STYLE}>{escape(label)}</text>")
        middle = f"x='{(self.left + right) / 2}' y='{self.height - 12}'"
        parts.append(f"<text {middle} text-anchor='middle' {_STYLE}>{escape(self.across.title)}</text>")
        turned = f"x='14' y='{self.height / 2}' transform='rotate(-90 14 {self.height / 2})'"
        parts.append(f"<text {turned} text-anchor='middle' {_STYLE}>{escape(self.up.title)}</text>")
        return parts


def open_image(width: int, height: int) -> list[str]:
    """Return the first elements of an SVG image, with a background that is dark where the reader prefers that."""
    return [
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' width='{width}'>",
        f"<style>@media (prefers-color-scheme:dark){{{_DARK_STYLE}}}</style>",
        f"<rect width='{width}' height='{height}' fill='white'/>",
    ]


class Series(NamedTuple):
    """Points that are drawn in the same way.

    :param kind: bars are horizontal, and begin at the low end of the axis.
    """

    name: str
    color: str
    points: Sequence[tuple[float, float]]
    kind: Literal["line", "dashes", "dots", "bars"] = "line"


def draw_plot(frame: Frame, series: Sequence[Series], legend: tuple[float, float]) -> str:
    """Return a chart of several series as SVG. Points beyond the ends of the axes are omitted.

    :param legend: the left upper corner of the legend, in pixels.
    """
    parts = []
    for each in series:
        points = [point for point in each.points if _is_inside(frame, *point)]
        parts += _draw_marks(each, [frame.place(*point) for point in points], frame.left)
    return frame.draw([*parts, *_draw_legend(series, *legend)])


def _is_inside(frame: Frame, x: float, y: float) -> bool:
    return 0 <= frame.across.find_share(x) <= 1 and 0 <= frame.up.find_share(y) <= 1


def _draw_marks(series: Series, places: Sequence[tuple[float, float]], start: float) -> list[str]:
    """Return a series at *places* in the image; its bars begin at *start*."""
    color = series.color
    if series.kind == "dots":
        return [f"<circle cx='{x}' cy='{y}' r='3' fill='none' stroke='{color}'/>" for x, y in places]
    if series.kind == "bars":
        return [f"<path d='M{start} {y}H{x}' stroke='{color}' stroke-width='8'/>" for x, y in places]
    line = " ".join(f"{x},{y}" for x, y in places)
    dashes = " stroke-dasharray='6 4'" if series.kind == "dashes" else ""
    return [f"<polyline points='{line}' fill='none' stroke='{color}' stroke-width='1.8'{dashes}/>"]


def _draw_legend(series: Sequence[Series], left: float, top: float) -> list[str]:
    width = _SAMPLE + 14 + LETTER * max(len(each.name) for each in series)
    parts = [f"<rect x='{left}' y='{top}' width='{width:.0f}' height='{_LINE * len(series) + 6}' fill='white'/>"]
    for i, each in enumerate(series):
        y = top + 11 + _LINE * i
        ends = [(left + 4 + _SAMPLE / 2, y)] if each.kind == "dots" else [(left + 4, y), (left + 4 + _SAMPLE, y)]
        parts += _draw_marks(each, ends[-1:] if each.kind == "bars" else ends, left + 4)
        parts.append(f"<text x='{left + 10 + _SAMPLE}' y='{y + 4}' {_STYLE}>{escape(each.name)}</text>")
    return parts
