"""Draw the calibration of probabilities and confidence, from the folds of a cross-validation.

python benchmarks/cross_validation.py models/web2text-2026 --data DIR --folds 5 --out FOLDER
python benchmarks/calibration_plot.py FOLDER/folds.json models/web2text-2026/calibration.svg
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from benchmarks.plot import open_image

_SIZE, _MARGIN = 300, 45
_STYLE = "font-family='sans-serif' font-size='12' fill='#333'"


def main() -> None:
    """Write the chart."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folds", type=Path, help="folds.json")
    parser.add_argument("chart", type=Path, help="the SVG file to write")
    args = parser.parse_args()
    report = json.loads(args.folds.read_text(encoding="utf-8"))
    bins = report["bins"]
    columns = zip(bins["words"], bins["expected"], bins["content"], strict=True)
    words = [(expected / n, content / n) for n, expected, content in columns if n]
    pages = sorted((page["confidence"], page["f1"]) for page in report["pages"])
    bounds = [len(pages) * i // 10 for i in range(11)]
    groups = [pages[start:end] for start, end in pairwise(bounds) if start < end]
    means = [tuple(sum(column) / len(group) for column in zip(*group, strict=True)) for group in groups]
    width = 2 * (_SIZE + 2 * _MARGIN)
    parts = [
        *open_image(width, _SIZE + 2 * _MARGIN),
        _draw(words, 0, "probability of a block", "share of content, by words"),
        _draw(means, width // 2, "confidence (tenths of the pages)", "mean word F1"),
        "</svg>",
    ]
    args.chart.write_text("\n".join(parts) + "\n", encoding="utf-8")


def _draw(points: Sequence[tuple[float, ...]], left: int, across: str, up: str) -> str:
    """Return *points* in a unit square with its diagonal."""

    def place(x: float, y: float) -> tuple[float, float]:
        return round(left + _MARGIN + x * _SIZE, 1), round(_MARGIN + (1 - y) * _SIZE, 1)

    (x0, y0), (x1, y1) = place(0, 0), place(1, 1)
    middle = (x0 + x1) / 2
    parts = [
        f"<rect x='{x0}' y='{y1}' width='{_SIZE}' height='{_SIZE}' fill='none' stroke='#999'/>",
        f"<line x1='{x0}' y1='{y0}' x2='{x1}' y2='{y1}' stroke='#ccc' stroke-dasharray='4'/>",
        f"<text x='{middle}' y='{y0 + 32}' text-anchor='middle' {_STYLE}>{across}</text>",
        f"<text x='{middle}' y='{y1 - 12}' text-anchor='middle' {_STYLE}>{up}</text>",
    ]
    for value in (0, 0.5, 1):
        parts += [
            f"<text x='{place(value, 0)[0]}' y='{y0 + 16}' text-anchor='middle' {_STYLE}>{value:g}</text>",
            f"<text x='{x0 - 6}' y='{place(0, value)[1] + 4}' text-anchor='end' {_STYLE}>{value:g}</text>",
        ]
    placed = [place(*point) for point in points]
    line = " ".join(f"{x},{y}" for x, y in placed)
    parts.append(f"<polyline points='{line}' fill='none' stroke='#0a6' stroke-width='2'/>")
    parts += [f"<circle cx='{x}' cy='{y}' r='3' fill='#0a6'/>" for x, y in placed]
    return "\n".join(parts)


if __name__ == "__main__":
    main()
