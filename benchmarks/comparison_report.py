"""Scores of many systems as a Markdown table and as a chart of quality against cost."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

__all__ = ["PageSet", "Row", "draw_chart", "format_table"]

Box = tuple[float, float, float, float]

_HEADER = ("", "acc.", "prec.", "recall", "F1", "paper", "word F1", "weights", "minutes", "parses")
_WIDTH, _HEIGHT = 760, 460
_LEFT, _RIGHT, _TOP, _BOTTOM = 55, 20, 20, 50
_FONT = "font-family='sans-serif' font-size='11'"
_STYLE = f"{_FONT} fill='#333'"
_COLORS = {"rules": "#777", "papers": "#36c", "own": "#c30", "others": "#0a6"}
# Variants of a system are dots without a label.
_VARIANT = re.compile(r"dragnet-2013 (?!ST.IC.CETR)|semtext |web2text-2018 ")


@dataclass(frozen=True)
class PageSet:
    """A set of pages to train and to test on.

    :param split: split of the corpus; None if it has only one.
    :param papers: F1 of blocks in the papers, by row.
    """

    name: str
    title: str
    corpus: str
    split: str | None
    papers: Mapping[str, float]


@dataclass(frozen=True)
class Row:
    """The scores of a system on a set of pages.

    :param f1: F1 of leaves; accuracy, precision and recall likewise.
    :param word_f1: mean over the pages.
    :param n_weights: None for systems without weights.
    :param minutes: CPU minutes of the training; NaN for models that were not trained here.
    :param parses: CPU time of an extraction, relative to the time that lxml takes to parse the page.
    """

    name: str
    accuracy: float
    precision: float
    recall: float
    f1: float
    f1_interval: tuple[float, float]
    word_f1: float
    word_f1_interval: tuple[float, float]
    n_weights: int | None
    minutes: float | None
    parses: float


def format_table(page_set: PageSet, rows: Sequence[Row]) -> str:
    """Return *rows* as a Markdown table, with the figures of the papers."""
    has_papers = bool(page_set.papers)
    table = [_HEADER, ("---", *["---:"] * (len(_HEADER) - 1))]
    for row in rows:
        paper = page_set.papers.get(row.name)
        table.append(
            (
                f"`{row.name}`",
                _format_share(row.accuracy),
                _format_share(row.precision),
                _format_share(row.recall),
                _format_estimate(row.f1, row.f1_interval),
                "" if paper is None else f"{_format_share(paper, 2)}\N{NO-BREAK SPACE}({row.f1 - paper:+.2f})",
                _format_estimate(row.word_f1, row.word_f1_interval),
                "" if row.n_weights is None else f"{row.n_weights:,}",
                "" if row.minutes is None or math.isnan(row.minutes) else f"{row.minutes:.2g}",
                f"{row.parses:.1f}",
            )
        )
    column = _HEADER.index("paper")
    cells = table if has_papers else [line[:column] + line[column + 1 :] for line in table]
    return "\n".join("| " + " | ".join(line) + " |" for line in cells)


def draw_chart(rows: Sequence[Row]) -> str:
    """Return a chart of quality against cost as SVG: mean word F1, and CPU time in parses on a logarithmic scale.

    Rules with filters, which are for news only, are omitted: they would compress the scale.
    """
    rows = [row for row in rows if not (row.name.startswith("shallow:") and "+" in row.name)]
    costs, scores = [row.parses for row in rows], [row.word_f1 for row in rows]
    low, high = math.log10(min(costs) * 0.9), math.log10(max(costs) * 1.3)
    least, most = math.floor(min(scores) * 20) / 20, math.ceil(max(scores) * 20) / 20

    def place(parses: float, score: float) -> tuple[float, float]:
        x = _LEFT + (math.log10(parses) - low) / (high - low) * (_WIDTH - _LEFT - _RIGHT)
        y = _TOP + (most - score) / (most - least) * (_HEIGHT - _TOP - _BOTTOM)
        return round(x, 1), round(y, 1)

    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {_WIDTH} {_HEIGHT}' width='{_WIDTH}'>",
        f"<rect width='{_WIDTH}' height='{_HEIGHT}' fill='white'/>",
    ]
    bottom = _HEIGHT - _BOTTOM
    for parses in (1, 2, 3, 5, 10, 20, 30, 50, 100, 200):
        if low <= math.log10(parses) <= high:
            x = place(parses, least)[0]
            parts.append(f"<line x1='{x}' y1='{_TOP}' x2='{x}' y2='{bottom}' stroke='#eee'/>")
            parts.append(f"<text x='{x}' y='{bottom + 16}' text-anchor='middle' {_STYLE}>{parses}</text>")
    for step in range(round(least * 20), round(most * 20) + 1):
        y = place(1, step / 20)[1]
        parts.append(f"<line x1='{_LEFT}' y1='{y}' x2='{_WIDTH - _RIGHT}' y2='{y}' stroke='#eee'/>")
        parts.append(f"<text x='{_LEFT - 6}' y='{y + 4}' text-anchor='end' {_STYLE}>{step / 20:.2f}</text>")
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    across, up = "CPU time per page, in parses of it by lxml", "mean word F1, WCXB val"
    parts.append(f"<text x='{middle}' y='{_HEIGHT - 12}' text-anchor='middle' {_STYLE}>{across}</text>")
    turned = f"x='14' y='{_HEIGHT / 2}' transform='rotate(-90 14 {_HEIGHT / 2})'"
    parts.append(f"<text {turned} text-anchor='middle' {_STYLE}>{up}</text>")
    places = [place(row.parses, row.word_f1) for row in rows]
    taken: list[Box] = [(x - 4, y - 4, x + 4, y + 4) for x, y in places]
    for row, (x, y) in zip(rows, places, strict=True):
        color = _COLORS[_group(row.name)]
        parts.append(f"<circle cx='{x}' cy='{y}' r='4' fill='{color}'/>")
        if not _VARIANT.match(row.name):
            left, baseline, box = _find_room(x, y, row.name, taken)
            taken.append(box)
            parts.append(f"<text x='{left}' y='{baseline}' {_FONT} fill='{color}'>{escape(row.name)}</text>")
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


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


def _format_estimate(share: float, interval: Sequence[float]) -> str:
    """Return a score and half the width of its interval, in one piece."""
    low, high = interval
    return f"{_format_share(share)}\N{NO-BREAK SPACE}±{_format_share((high - low) / 2)}"


def _format_share(share: float, digits: int = 3) -> str:
    return f"{share:.{digits}f}".removeprefix("0")
