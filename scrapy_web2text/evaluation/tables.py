"""The scores of an evaluation as tables of text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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


def format_words(reports: Sequence[Report], chosen: Mapping[str, Any]) -> str:
    """Return word F1 by page type, cost, and how each report differs from the first one."""
    by_kind = [report.word_f1_by_kind() for report in reports]
    kinds = list(by_kind[0])
    width = max(len(report.name) for report in reports)
    columns = [f"{kind} ({by_kind[0][kind][0]:,})" for kind in kinds] + ["time"]
    first = reports[0]
    lines = [
        "Mean word F1 (number of pages); CPU time relative to parsing by lxml.",
        "",
        " " * width + "".join(f"  {column:<{max(len(column), 7)}}" for column in columns),
    ]
    for report, values in zip(reports, by_kind, strict=True):
        cells = [format_share(values[kind][1]) for kind in kinds]
        cells.append(f"{report.cost:.1f}")
        line = "".join(f"  {cell:<{max(len(column), 7)}}" for cell, column in zip(cells, columns, strict=True))
        lines.append(f"{report.name:<{width}}{line}")
    for report in reports[1:]:
        found = first.difference(report, n_samples=chosen["samples"], seed=chosen["seed"])
        mean, low, high = (format_share(share, "+.3f") for share in found)
        lines.append(f"{report.name} - {first.name}: {mean} [{low}, {high}] word F1, page by page")
    return "\n".join(line.rstrip() for line in lines)
