"""A chart of quality against cost."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple

from benchmarks.plot import FONT, LETTER, WIDTH, Axis, Frame

Box = tuple[float, float, float, float]

_COLORS = {"own": "#c30", "papers": "#36c", "rules": "#777", "others": "#0a6"}
_LEGEND = {"own": "the default model", "papers": "systems of papers", "rules": "rules", "others": "other extractors"}
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


def draw_chart(points: Sequence[Point], *, with_front: bool = False) -> str:
    """Return a chart of mean word F1 and CPU time in parses as SVG.

    :param with_front: whether a line joins the systems that none with the same or a lower cost is better than.
    """
    frame = _frame(points)
    parts = _draw_legend([point.name for point in points], frame.left, with_front=with_front)
    if with_front:
        front = [frame.place(point.parses, point.word_f1) for point in find_front(points)]
        line = " ".join(f"{x},{y}" for x, y in front)
        parts.append(f"<polyline points='{line}' fill='none' stroke='#c30' stroke-dasharray='4 3'/>")
    places = [frame.place(point.parses, point.word_f1) for point in points]
    taken: list[Box] = [(x - 4, y - 4, x + 4, y + 4) for x, y in places]
    for point, (x, y) in zip(points, places, strict=True):
        color = _COLORS[_group(point.name)]
        parts.append(f"<circle cx='{x}' cy='{y}' r='4' fill='{color}'/>")
        if not point.is_variant:
            left, baseline, box = _find_room(x, y, point.name, taken, frame.left)
            taken.append(box)
            parts.append(f"<text x='{left}' y='{baseline}' {FONT} fill='{color}'>{escape(point.name)}</text>")
    return frame.draw(parts)


def _frame(points: Sequence[Point]) -> Frame:
    """Return the axes for *points*: costs are logarithmic, scores are not."""
    costs, scores = [point.parses for point in points], [point.word_f1 for point in points]
    low, high = min(costs) * 0.9, max(costs) * 1.3
    least, most = math.floor(min(scores) * 20), math.ceil(max(scores) * 20)
    return Frame(
        Axis(
            "CPU time per page, in parses of it by lxml (logarithmic)",
            low,
            high,
            {parses: str(parses) for parses in _TICKS if low <= parses <= high},
            is_logarithmic=True,
        ),
        Axis(
            "mean word F1, WCXB val",
            least / 20,
            most / 20,
            {step / 20: f"{step / 20:.2f}" for step in range(least, most + 1)},
        ),
    )


def _group(name: str) -> str:
    if name.startswith(("shallow", "bte")):
        return "rules"
    if name.startswith("web2text-2026"):
        return "own"
    return "papers" if name.startswith(("dragnet", "boilernet", "semtext", "crf", "web2text")) else "others"


def _draw_legend(names: Iterable[str], left: float, *, with_front: bool) -> list[str]:
    """Return a line over the grid that begins at *left*: what the colors and the dashed line mean."""
    groups = set(map(_group, names))
    samples = [
        (text, _COLORS[group], f"<circle cx='%d' cy='10' r='4' fill='{_COLORS[group]}'/>")
        for group, text in _LEGEND.items()
        if group in groups
    ]
    if with_front:
        dashes = "<path d='M%d 10h14' stroke='#c30' stroke-dasharray='4 3'/>"
        samples.append(("no system that costs less is better", "#c30", dashes))
    parts = []
    for text, color, sample in samples:
        parts += [sample % (left + 4), f"<text x='{left + 22:.0f}' y='14' {FONT} fill='{color}'>{text}</text>"]
        left += 40 + LETTER * len(text)
    return parts


def _find_room(x: float, y: float, name: str, taken: Sequence[Box], least: int) -> tuple[float, float, Box]:
    """Return the left end, the baseline and the box of a label, at the place beside its point with least overlap.

    :param least: where the grid begins.
    """
    width = LETTER * len(name)
    choices = []
    for shift in (4, -8, 16, -18, 26, -28, 36):
        for left in (x + 7, x - 7 - width, x - width / 2):
            box = (left, y + shift - 9, left + width, y + shift + 2)
            outside = 1e4 * (left < least or left + width > WIDTH - 2)
            choices.append((outside + sum(_overlap(box, other) for other in taken), round(left, 1), y + shift, box))
    _, left, baseline, box = min(choices, key=lambda choice: choice[0])
    return left, round(baseline, 1), box


def _overlap(one: Box, other: Box) -> float:
    across = min(one[2], other[2]) - max(one[0], other[0])
    down = min(one[3], other[3]) - max(one[1], other[1])
    return max(across, 0) * max(down, 0)
