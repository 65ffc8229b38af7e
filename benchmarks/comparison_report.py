"""Scores of many systems as a Markdown table and as a chart."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chart import Point, draw_chart

__all__ = ["PageSet", "Row", "draw_comparison", "format_estimate", "format_table"]

_HEADER = ("", "acc.", "prec.", "recall", "F1", "paper", "word F1", "weights", "minutes", "parses")
# Variants of a system are dots without a label.
_VARIANT = re.compile(r"dragnet-2013 (?!ST.IC.CETR)|semtext |web2text-2018 ")


@dataclass(frozen=True)
class PageSet:
    """A set of pages to train and to test on.

    :param split: split of the corpus; None if it has only one.
    :param papers: F1 of blocks in the papers, by row.
    :param effort: steps of a training, relative to those of the recipes.
    """

    name: str
    title: str
    corpus: str
    split: str | None
    papers: Mapping[str, float]
    effort: float = 1.0


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
                format_estimate(row.f1, row.f1_interval),
                "" if paper is None else f"{_format_share(paper, 2)}\N{NO-BREAK SPACE}({row.f1 - paper:+.2f})",
                format_estimate(row.word_f1, row.word_f1_interval),
                "" if row.n_weights is None else f"{row.n_weights:,}",
                "" if row.minutes is None or math.isnan(row.minutes) else f"{row.minutes:.2g}",
                f"{row.parses:.1f}",
            )
        )
    column = _HEADER.index("paper")
    cells = table if has_papers else [line[:column] + line[column + 1 :] for line in table]
    return "\n".join("| " + " | ".join(line) + " |" for line in cells)


def draw_comparison(rows: Sequence[Row]) -> str:
    """Return a chart of quality against cost as SVG.

    Rules with filters, which are for news only, are omitted: they would compress the scale.
    """
    shown = [row for row in rows if not (row.name.startswith("shallow:") and "+" in row.name)]
    points = [Point(row.name, row.parses, row.word_f1, is_variant=bool(_VARIANT.match(row.name))) for row in shown]
    return draw_chart(points)


def format_estimate(share: float, interval: Sequence[float]) -> str:
    """Return a score and half the width of its interval, in one piece."""
    low, high = interval
    return f"{_format_share(share)}\N{NO-BREAK SPACE}±{_format_share((high - low) / 2)}"


def _format_share(share: float, digits: int = 3) -> str:
    return f"{share:.{digits}f}".removeprefix("0")
