"""Scores of many systems as a Markdown table and as a chart."""

from __future__ import annotations

import json
import math
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.chart import Point, draw_chart
from benchmarks.formats import format_estimate, format_range, format_share
from benchmarks.formats import format_table as markdown_table
from research.comparison.sets import PageSet

# Variants of a system are dots without a label.
_VARIANT = re.compile(r"dragnet-2013 (?!ST.IC.CETR)|semtext |web2text-2018 ")


@dataclass(frozen=True, kw_only=True)
class Row:
    """The scores of a system on a set of pages; NaN for those that were not measured.

    :param f1: F1 of leaves, the mean over the seeds; accuracy, precision and recall likewise.
    :param word_f1: mean over pages and seeds.
    :param f1_by_seed: one value for a system without seeds.
    :param n_weights: None for systems without weights.
    :param minutes: CPU minutes of the training; NaN for models that were not trained here.
    :param parses: CPU time of an extraction, relative to the time that lxml takes to parse the page.
    """

    name: str
    accuracy: float = math.nan
    precision: float = math.nan
    recall: float = math.nan
    f1: float = math.nan
    f1_interval: tuple[float, float] = (math.nan, math.nan)
    f1_by_seed: tuple[float, ...] = ()
    word_f1: float
    word_f1_interval: tuple[float, float]
    word_f1_by_seed: tuple[float, ...] = ()
    n_weights: int | None = None
    minutes: float | None = None
    parses: float = math.nan


@dataclass(frozen=True)
class Table:
    """The scores of all systems on a set of pages, and what they were made of.

    :param seeds: seeds of the models that were scored, by system.
    :param data: digest of the pages, see `sets.digest_pages`.
    """

    seeds: Mapping[str, tuple[int, ...]]
    data: str
    rows: tuple[Row, ...]

    @classmethod
    def read(cls, path: Path) -> Table:
        """Return the table in a file that `write` wrote."""
        values = json.loads(path.read_text(encoding="utf-8"))
        seeds = {name: tuple(numbers) for name, numbers in values["seeds"].items()}
        return cls(seeds, values["data"], tuple(Row(**row) for row in values["rows"]))

    def write(self, path: Path) -> None:
        """Write the table as JSON."""
        path.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")

    @property
    def has_seeds(self) -> bool:
        """Whether a system has more than one seed."""
        return any(len(row.f1_by_seed) > 1 for row in self.rows)


def format_section(page_set: PageSet, table: Table) -> str:
    """Return title, table, seeds and data of a set of pages as Markdown."""
    systems: dict[tuple[int, ...], list[str]] = {}
    for name, seeds in table.seeds.items():
        systems.setdefault(seeds, []).append(f"`{name}`")
    sentences = [
        f"{'Means over the seeds' if len(seeds) > 1 else 'Seed'} {', '.join(map(str, seeds))}: {', '.join(names)}."
        for seeds, names in sorted(systems.items(), key=lambda item: -len(item[0]))
        if seeds
    ]
    text = " ".join([*sentences, f"SHA-256 of the pages: `{table.data}`."])
    origin = textwrap.fill(text, 120, break_on_hyphens=False)
    return f"### {page_set.title}\n\n{format_table(page_set, table)}\n\n{origin}"


def format_table(page_set: PageSet, table: Table) -> str:
    """Return the rows as a Markdown table, with the figures of the papers.

    Rules with filters have tables of their own, in docs/rules.md. Costs are in the chart.
    """
    columns: dict[str, Callable[[Row], str]] = {
        "": lambda row: f"`{row.name}`",
        "acc.": lambda row: format_share(row.accuracy),
        "prec.": lambda row: format_share(row.precision),
        "recall": lambda row: format_share(row.recall),
        "F1": lambda row: format_estimate(row.f1, row.f1_interval),
        "seeds": lambda row: format_range(row.f1_by_seed),
        "paper": lambda row: _format_paper(row.f1, page_set.papers.get(row.name)),
        "word F1": lambda row: format_estimate(row.word_f1, row.word_f1_interval),
        "seeds, word F1": lambda row: format_range(row.word_f1_by_seed),
        "weights": lambda row: "" if row.n_weights is None else f"{row.n_weights:,}",
        "minutes": lambda row: "" if row.minutes is None or math.isnan(row.minutes) else f"{row.minutes:.2g}",
    }
    left_out = {*([] if page_set.papers else ["paper"]), *([] if table.has_seeds else ["seeds", "seeds, word F1"])}
    columns = {head: cell for head, cell in columns.items() if head not in left_out}
    return markdown_table(
        list(columns), [[cell(row) for cell in columns.values()] for row in _without_filters(table.rows)]
    )


def replace_section(path: Path, name: str, section: str) -> None:
    """Replace what is between the marks of a set of pages in a Markdown file.

    :raises ValueError: if the file does not have both marks.
    """
    start, end = f"<!-- {name}, written by python -m research.comparison -->", "<!-- end -->"
    before, opening, rest = path.read_text(encoding="utf-8").partition(start)
    _, closing, after = rest.partition(end)
    if not (opening and closing):
        raise ValueError(f"{path}: expected {start} and, after it, {end}")
    path.write_text(f"{before}{start}\n\n{section}\n\n{end}{after}", encoding="utf-8")


def draw_comparison(rows: Sequence[Row]) -> str:
    """Return a chart of quality against cost as SVG."""
    points = [
        Point(row.name, row.parses, row.word_f1, is_variant=bool(_VARIANT.match(row.name)))
        for row in _without_filters(rows)
    ]
    return draw_chart(points)


def _without_filters(rows: Sequence[Row]) -> list[Row]:
    """Return the rows without rules with filters, which are for news only and would compress the scale of the chart."""
    return [row for row in rows if not (row.name.startswith("shallow:") and "+" in row.name)]


def _format_paper(f1: float, paper: float | None) -> str:
    return "" if paper is None else f"{format_share(paper, 2)}\N{NO-BREAK SPACE}({f1 - paper:+.2f})"
