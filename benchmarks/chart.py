"""A chart of quality against cost."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

__all__ = ["Point", "draw_chart", "find_front"]

Box = tuple[float, float, float, float]

_WIDTH, _HEIGHT = 760, 460
_LEFT, _RIGHT, _TOP, _BOTTOM = 55, 20, 20, 50
_FONT = "font-family='sans-serif' font-size='11'"
_STYLE = f"{_FONT} fill='#333'"
_COLORS = {"rules": "#777", "papers": "#36c", "own": "#c30", "others": "#0a6"}
_TICKS = (1, 2, 3, 5, 10, 20, 30, 50, 100, 200)


class Point(NamedTuple):
    """A system in a chart.

    :param parses: CPU time per page, relative to the time that lxml takes to parse it.
    :param word_f1: mean over the pages.
    :param is_variant: whether it is a dot without a name.
    """

    name: str
    parses: float
    word_f1: float
    is_variant: bool = False


def find_front(points: Sequence[Point]) -> list[Point]:
    """Return the points that have the best score of all that cost as much or less, by their costs."""
    front: list[Point] = []
    for point in sorted(points, key=lambda point: (point.parses, -point.word_f1)):
        if not front or point.word_f1 > front[-1].word_f1:
            front.append(point)
    return front


class _Scale:
    """The places of values: costs on a logarithmic scale, scores on a linear one."""

    def __init__(self, points: Sequence[Point]) -> None:
        costs, scores = [point.parses for point in points], [point.word_f1 for point in points]
        self._low, self._high = math.log10(min(costs) * 0.9), math.log10(max(costs) * 1.3)
        self._least, self._most = math.floor(min(scores) * 20) / 20, math.ceil(max(scores) * 20) / 20

    def x(self, parses: float) -> float:
        share = (math.log10(parses) - self._low) / (self._high - self._low)
        return round(_LEFT + share * (_WIDTH - _LEFT - _RIGHT), 1)

    def y(self, score: float) -> float:
        share = (self._most - score) / (self._most - self._least)
        return round(_TOP + share * (_HEIGHT - _TOP - _BOTTOM), 1)

    @property
    def costs(self) -> list[int]:
        return [parses for parses in _TICKS if self._low <= math.log10(parses) <= self._high]

    @property
    def scores(self) -> list[float]:
        return [step / 20 for step in range(round(self._least * 20), round(self._most * 20) + 1)]


def draw_chart(points: Sequence[Point], *, with_front: bool = False) -> str:
    """Return a chart of mean word F1 and CPU time in parses as SVG.

    :param with_front: whether a line joins the systems that none with the same or a lower cost is better than.
    """
    scale = _Scale(points)
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {_WIDTH} {_HEIGHT}' width='{_WIDTH}'>",
        f"<rect width='{_WIDTH}' height='{_HEIGHT}' fill='white'/>",
        *_draw_axes(scale),
    ]
    if with_front:
        line = " ".join(f"{scale.x(point.parses)},{scale.y(point.word_f1)}" for point in find_front(points))
        parts.append(f"<polyline points='{line}' fill='none' stroke='#c30' stroke-dasharray='4 3'/>")
    places = [(scale.x(point.parses), scale.y(point.word_f1)) for point in points]
    taken: list[Box] = [(x - 4, y - 4, x + 4, y + 4) for x, y in places]
    for point, (x, y) in zip(points, places, strict=True):
        color = _COLORS[_group(point.name)]
        parts.append(f"<circle cx='{x}' cy='{y}' r='4' fill='{color}'/>")
        if not point.is_variant:
            left, baseline, box = _find_room(x, y, point.name, taken)
            taken.append(box)
            parts.append(f"<text x='{left}' y='{baseline}' {_FONT} fill='{color}'>{escape(point.name)}</text>")
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def _draw_axes(scale: _Scale) -> list[str]:
    parts = []
    bottom = _HEIGHT - _BOTTOM
    for parses in scale.costs:
        x = scale.x(parses)
        parts.append(f"<line x1='{x}' y1='{_TOP}' x2='{x}' y2='{bottom}' stroke='#eee'/>")
        parts.append(f"<text x='{x}' y='{bottom + 16}' text-anchor='middle' {_STYLE}>{parses}</text>")
    for score in scale.scores:
        y = scale.y(score)
        parts.append(f"<line x1='{_LEFT}' y1='{y}' x2='{_WIDTH - _RIGHT}' y2='{y}' stroke='#eee'/>")
        parts.append(f"<text x='{_LEFT - 6}' y='{y + 4}' text-anchor='end' {_STYLE}>{score:.2f}</text>")
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    across, up = "CPU time per page, in parses of it by lxml (logarithmic)", "mean word F1, WCXB val"
    parts.append(f"<text x='{middle}' y='{_HEIGHT - 12}' text-anchor='middle' {_STYLE}>{across}</text>")
    turned = f"x='14' y='{_HEIGHT / 2}' transform='rotate(-90 14 {_HEIGHT / 2})'"
    parts.append(f"<text {turned} text-anchor='middle' {_STYLE}>{up}</text>")
    return parts


def _group(name: str) -> str:
    if name.startswith(("shallow", "bte")):
        return "rules"
    if name.startswith("web2text-2026"):
        return "own"
    return "papers" if name.startswith(("dragnet", "boilernet", "semtext", "crf", "web2text")) else "others"


def _find_room(x: float, y: float, name: str, taken: Sequence[Box]) -> tuple[float, float, Box]:
    """Return the left end, the baseline and the box of a label, at the place beside its point with least overlap."""
    width = 5.8 * len(name)
    choices = []
    for shift in (4, -8, 16, -18, 26, -28, 36):
        for left in (x + 7, x - 7 - width, x - width / 2):
            box = (left, y + shift - 9, left + width, y + shift + 2)
            outside = 1e4 * (left < _LEFT or left + width > _WIDTH - 2)
            choices.append((outside + sum(_overlap(box, other) for other in taken), round(left, 1), y + shift, box))
    _, left, baseline, box = min(choices, key=lambda choice: choice[0])
    return left, round(baseline, 1), box


def _overlap(one: Box, other: Box) -> float:
    across = min(one[2], other[2]) - max(one[0], other[0])
    down = min(one[3], other[3]) - max(one[1], other[1])
    return max(across, 0) * max(down, 0)
