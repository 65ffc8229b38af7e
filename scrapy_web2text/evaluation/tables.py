"""The scores of an evaluation as tables of text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from shutil import get_terminal_size
from typing import Any

from scrapy_web2text.common.display import format_share
from scrapy_web2text.evaluation.scores import Report


def format_scores(reports: Sequence[Report], chosen: Mapping[str, Any]) -> str:
    """Return the scores as a table, with their intervals."""
    where = " ".join(str(chosen[key]) for key in ("corpus", "split", "part") if chosen[key] is not None)
    width = max(len(report.name) for report in reports)
    lines = [
        f"{where}: {len(reports[0].pages):,} pages",
        "Means over the pages; in brackets: 95 % intervals.",
        "",
        " " * width + "".join(f"  {name:<20}" for name in reports[0].scores()),
    ]
    for report in reports:
        intervals = report.intervals(n_samples=chosen["samples"], seed=chosen["seed"])
        ends = {name: f"[{format_share(low)}, {format_share(high)}]" for name, (low, high) in intervals.items()}
        cells = [f"{format_share(score)} {ends[name]}" for name, score in report.scores().items()]
        lines.append(f"{report.name:<{width}}" + "".join(f"  {cell:<20}" for cell in cells))
        n_errors = sum(page.error is not None for page in report.pages)
        if n_errors:
            lines.append(f"{'':<{width}}  no answer for {n_errors:,} of the pages")
    return "\n".join(line.rstrip() for line in lines)


def _align(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table, whose columns are as wide as their longest cells."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)) for row in rows]


def format_words(reports: Sequence[Report], chosen: Mapping[str, Any]) -> str:
    """Return word F1 by page type, cost, and how each report differs from the first one.

    A row is a report or, if that is wider than the terminal, a page type.
    """
    by_kind = [report.word_f1_by_kind() for report in reports]
    kinds = list(by_kind[0])
    rows = [["", *(f"{kind} ({by_kind[0][kind][0]:,})" for kind in kinds), "time"]]
    for report, values in zip(reports, by_kind, strict=True):
        rows.append([report.name, *(format_share(values[kind][1]) for kind in kinds), f"{report.cost:.1f}"])
    table = _align(rows)
    if len(table[0]) > get_terminal_size().columns:
        table = _align([*zip(*rows, strict=True)])
    lines = ["Mean word F1 (number of pages); CPU time relative to parsing by lxml.", "", *table]
    first = reports[0]
    for report in reports[1:]:
        found = first.difference(report, n_samples=chosen["samples"], seed=chosen["seed"])
        mean, low, high = (format_share(share, "+.3f") for share in found)
        lines.append(f"{report.name} - {first.name}: {mean} [{low}, {high}] word F1, page by page")
    return "\n".join(line.rstrip() for line in lines)
