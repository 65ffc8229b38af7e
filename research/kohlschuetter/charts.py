"""Charts of what is measured for Kohlschütter et al. 2010, most of it on its news corpus, for docs/papers.md."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks.plot import Axis, Frame, Series, draw_plot
from research.kohlschuetter.classes import CONTENT
from research.kohlschuetter.features import NewsBlocks
from research.kohlschuetter.information_gain import Gain
from research.kohlschuetter.random_writer import (
    CLASSES,
    DENSEST,
    fit_densities,
    fit_mixture,
    fit_one_kind,
    geometric,
    mixture,
    share_lengths,
    three_densities,
    words_by_density,
)
from research.kohlschuetter.rules import GOOGLENEWS_2010, TextScores

# The clean texts of figure 2b: with and without the comments of readers.
WITH_COMMENTS = "with comments"
GOLDS = (WITH_COMMENTS, "without")

_COLORS = ("#777", "#36c", "#840", "#a3a", "#0a6", "#e90", "#c30")
_DARK = "#333"
# The last length on the axis: few blocks are longer.
LONGEST = 100
# The last length of figure 4.
LAST_LENGTH = 65
# Percent: the least F1 on the axis of figure 2b.
LEAST_F1 = 60


def draw_densities(blocks: NewsBlocks) -> str:
    """Return the words at each text density by class, and the mixture of three distributions that fits all of them."""
    words = words_by_density(blocks)
    densities = range(1, DENSEST + 1)
    parameters, _, _ = fit_densities(blocks)
    x = np.linspace(1, DENSEST - 1, 181)
    fitted = blocks.words.sum() * three_densities(x, *parameters)
    series = [
        *(
            Series(name, color, list(zip(densities, column, strict=True)))
            for name, color, column in zip(CLASSES, _COLORS, words.T.tolist(), strict=True)
        ),
        Series("all classes", _DARK, list(zip(densities, words.sum(axis=1).tolist(), strict=True)), "dots"),
        Series("two betas and a normal", _DARK, list(zip(x.tolist(), fitted.tolist(), strict=True)), "dashes"),
    ]
    across = Axis("text density, rounded", 0, DENSEST, {density: str(density) for density in range(DENSEST + 1)})
    top = float(max(words.sum(axis=1).max(), fitted.max()))
    return draw_plot(Frame(across, _count_words(top), left=70), series, legend=(90, 30))


def _count_words(top: float) -> Axis:
    """Return an axis of numbers of words with at most ten lines up to *top* or a little more."""
    power = 10 ** math.floor(math.log10(top))
    step = next(step for step in (max(power // 5, 1), max(power // 2, 1), power) if top <= 10 * step)
    n_steps = math.ceil(top / step)
    return Axis("words", 0, step * n_steps, {step * i: f"{step * i:,}" for i in range(n_steps + 1)})


def draw_lengths(blocks: NewsBlocks) -> str:
    """Return the share of the blocks that have each length, and the random writers of one and two kinds of text."""
    x, shares = share_lengths(blocks)
    (one, _, _), (two, _, _) = fit_one_kind(x, shares), fit_mixture(x, shares)
    lengths = np.arange(1, LONGEST + 1)
    curves = {"one kind of text": geometric(lengths, *one), "two kinds of text": mixture(lengths, *two)}
    series = [
        Series("blocks of the corpus", _DARK, list(zip(x.tolist(), shares.tolist(), strict=True)), "dots"),
        *(
            Series(f"random writer, {name}", color, list(zip(lengths.tolist(), curve.tolist(), strict=True)))
            for (name, curve), color in zip(curves.items(), ("#36c", "#c30"), strict=True)
        ),
    ]
    longer = f"{100 * shares[x > LONGEST].sum():.1f}"
    across = Axis(
        f"words of a block ({longer} % of the blocks have more than {LONGEST})",
        0,
        LONGEST,
        {length: str(length) for length in range(0, LONGEST + 1, 10)},
    )
    powers = range(math.floor(math.log10(shares.min())), 1)
    ticks = {10.0**power: f"{10.0 ** (power + 2):g}" for power in powers}
    up = Axis("percent of the blocks with words (logarithmic)", 10.0 ** powers[0], 1, ticks, is_logarithmic=True)
    return draw_plot(Frame(across, up, left=70), series, legend=(520, 30))


def draw_gains(gains: Sequence[Gain]) -> str:
    """Return the information gain of each feature as bars, and the paper's where it is printed."""
    most = max(bits for gain in gains for bits in (gain.by_words[0], gain.by_blocks[0], gain.paper or 0))
    tenths = math.ceil(most * 10)
    across = Axis("information gain, bits", 0, tenths / 10, {i / 10: f"{i / 10:.1f}" for i in range(tenths + 1)})
    # Rows are numbered from above.
    up = Axis("", len(gains) - 0.5, -0.5, {row: gain.name for row, gain in enumerate(gains)})
    series = [
        Series("by words", "#36c", [(gain.by_words[0], row - 0.16) for row, gain in enumerate(gains)], "bars"),
        Series("by blocks", "#e90", [(gain.by_blocks[0], row + 0.16) for row, gain in enumerate(gains)], "bars"),
        Series(
            "paper",
            _DARK,
            [(gain.paper, row - 0.16) for row, gain in enumerate(gains) if gain.paper is not None],
            "dots",
        ),
    ]
    frame = Frame(across, up, left=180, height=70 + 28 * len(gains))
    return draw_plot(frame, series, legend=(600, frame.height - 115))


def draw_scores(scores: Sequence[TextScores]) -> str:
    """Return the mean word F1 of the rules as bars, and the paper's."""
    ticks = {value: str(value) for value in range(LEAST_F1, 101, 5)}
    across = Axis("mean word F1 over the pages, percent", LEAST_F1, 100, ticks)
    up = Axis("", len(scores) - 0.5, -0.5, {row: each.name for row, each in enumerate(scores)})
    series = [
        Series(title, color, [(each.means[title], row + shift) for row, each in enumerate(scores)], "bars")
        for title, color, shift in zip(GOLDS, ("#e90", "#36c"), (0.16, -0.16), strict=True)
    ]
    theirs = [(GOOGLENEWS_2010[each.name][0], row) for row, each in enumerate(scores)]
    frame = Frame(across, up, left=220, height=70 + 34 * len(scores))
    return draw_plot(frame, [*series, Series("paper", _DARK, theirs, "dots")], legend=(620, frame.height - 120))


def draw_ranks(scores: Sequence[TextScores], title: str) -> str:
    """Return the word F1 that the best pages of each rule reach, as in figure 2; the rules are in order of their means.

    :param title: the clean texts.
    """
    colors = dict(zip(GOOGLENEWS_2010, (*_COLORS, "#0bd", _DARK), strict=True))
    percents = range(101)
    series = [
        Series(
            each.name,
            colors[each.name],
            list(zip(percents, np.quantile(each.pages[title], 1 - np.array(percents) / 100).tolist(), strict=True)),
            "dashes" if "+" in each.name else "line",
        )
        for each in sorted(scores, key=lambda each: -each.means[title])
    ]
    ticks = {value: str(value) for value in range(0, 101, 10)}
    frame = Frame(Axis("percent of the pages, the best first", 0, 100, ticks), Axis("word F1, percent", 0, 100, ticks))
    return draw_plot(frame, series, legend=(75, frame.height - 80 - 16 * len(series)))


def draw_corpora(corpora: Mapping[str, tuple[NDArray[np.float64], NDArray[np.float64]]]) -> str:
    """Return the share of the words of each corpus at each rounded text density, as in figure 3.

    :param corpora: text densities and numbers of words of the blocks.
    """
    series = []
    for (name, (densities, words)), color in zip(corpora.items(), ("#36c", "#e90"), strict=True):
        rounded = np.rint(densities).astype(np.int64).clip(max=DENSEST)
        percents = 100 * np.bincount(rounded, weights=words, minlength=DENSEST + 1)[1:] / words.sum()
        series.append(Series(name, color, list(enumerate(percents.tolist(), start=1))))
    across = Axis("text density, rounded", 0, DENSEST, {density: str(density) for density in range(DENSEST + 1)})
    top = 5 * math.ceil(max(percent for each in series for _, percent in each.points) / 5)
    up = Axis("percent of the words of the corpus", 0, top, {value: str(value) for value in range(0, top + 1, 5)})
    return draw_plot(Frame(across, up), series, legend=(75, 30))


def draw_classes(blocks: NewsBlocks) -> str:
    """Return the number of blocks of each length, content and not, as in figure 4."""
    is_content = np.isin(blocks.classes, CONTENT)
    series = []
    for name, mask, color in (("boilerplate", ~is_content, "#777"), ("content", is_content, "#c30")):
        counts = np.bincount(blocks.words[mask].astype(np.int64), minlength=LAST_LENGTH + 1)[: LAST_LENGTH + 1]
        points = [(length, int(n)) for length, n in enumerate(counts) if length and n]
        series.append(Series(name, color, points))
    across = Axis("words of a block", 0, LAST_LENGTH, {length: str(length) for length in range(0, LAST_LENGTH + 1, 5)})
    last = math.ceil(math.log10(max(n for each in series for _, n in each.points)))
    ticks = {10**power: f"{10**power:,}" for power in range(last + 1)}
    up = Axis("blocks (logarithmic)", 1, 10**last, ticks, is_logarithmic=True)
    return draw_plot(Frame(across, up, left=70), series, legend=(600, 30))
