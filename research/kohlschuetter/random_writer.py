"""Section 5 of Kohlschütter et al. 2010: how words are distributed over blocks by length and by text density.

The author as a random writer writes another word with a fixed probability: lengths of blocks are geometric. With two
kinds of text, short and long, they are a mixture of two geometric distributions. Words by text density are two beta
distributions and a normal one between them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import curve_fit
from scipy.stats import beta, norm

from benchmarks.formats import format_table
from research.kohlschuetter.classes import TextClass
from research.kohlschuetter.features import NewsBlocks

Values = NDArray[np.float64]

# Densities of Figure 5.
DENSEST = 20
# Blocks are long, and lines dense, from here on.
LONG = 11
# The lines of Figure 5.
CLASSES = ("boilerplate, plain", "boilerplate, linked", "related", "headline", "supplemental", "comments", "full text")


def describe_blocks(blocks: NewsBlocks) -> str:
    """Return the figures of the section as Markdown, those of the paper in parentheses."""
    density = blocks.columns["text density"]
    by_words, by_density = (blocks.words[values >= LONG].sum() for values in (blocks.words, density))
    facts = [
        ["words of the longest block", f"{blocks.words.max():,.0f}", "1,122"],
        ["words in blocks of 11 words or more", f"{by_words:,.0f}", "345,175"],
        ["words in blocks of density 11 or more", f"{by_density:,.0f}", "358,428"],
        ["difference, percent", f"{100 * abs(by_density / by_words - 1):.1f}", "3.8"],
    ]
    *_, adjusted, error = fit_densities(blocks)
    densities = [
        "words by density, two betas and a normal: adjusted R², RMSE",
        format_fit(adjusted, error),
        "0.997, 0.0213",
    ]
    rows = [
        [str(density), *(f"{words:,.0f}" for words in row)]
        for density, row in enumerate(words_by_density(blocks), start=1)
    ]
    return "\n\n".join(
        [
            format_table(["", "here", "paper"], [*facts, *describe_lengths(*share_lengths(blocks)), densities]),
            format_table(["density", *CLASSES], rows),
        ]
    )


def describe_lengths(x: NDArray[np.int64], shares: Values) -> list[list[str]]:
    """Return what the two models of lengths say, and how well they fit."""
    (end,), *one = fit_one_kind(x, shares)
    (share, short, long), *two = fit_mixture(x, shares)
    return [
        ["random writer: P(end)", f"{end:.4f}", "0.3145"],
        ["its adjusted R², RMSE", format_fit(*one), "0.967, 0.0046"],
        ["two kinds of text: P(short)", f"{share:.4f}", "0.7586"],
        ["P(end) of short text, mean length", f"{short:.4f}, {1 / short:.2f}", "0.3968, 2.52"],
        ["P(end) of long text, mean length", f"{long:.4f}, {1 / long:.2f}", "0.0437, 22.89"],
        ["its adjusted R², RMSE", format_fit(*two), "0.988, 0.0027"],
    ]


def share_lengths(blocks: NewsBlocks) -> tuple[NDArray[np.int64], Values]:
    """Return the lengths in words that occur, and the share of the blocks with words that have each."""
    x, counts = np.unique(blocks.words[blocks.words > 0].astype(np.int64), return_counts=True)
    return x, counts / counts.sum()


def fit_one_kind(x: NDArray[np.int64], shares: Values) -> tuple[Values, float, float]:
    """Return the random writer that fits the share of each length, as `fit` does."""
    return fit(geometric, x, shares, [0.3])


def fit_mixture(x: NDArray[np.int64], shares: Values) -> tuple[Values, float, float]:
    """Return the random writer of two kinds of text that fits the share of each length, as `fit` does."""
    return fit(mixture, x, shares, [0.8, 0.4, 0.05])


def fit_densities(blocks: NewsBlocks) -> tuple[Values, float, float]:
    """Return the beta distributions and the normal one that fit the share of words at each density, as `fit` does."""
    rounded = np.rint(blocks.columns["text density"]).astype(np.int64)
    shares = np.bincount(rounded, weights=blocks.words, minlength=DENSEST + 1)[1:DENSEST] / blocks.words.sum()
    return fit(three_densities, np.arange(1, DENSEST), shares, [0.3, 2, 8, 0.6, 20, 12, 0.1, 8, 2])


def fit(
    model: Callable[..., Values], x: NDArray[np.int64], y: Values, start: list[float]
) -> tuple[Values, float, float]:
    """Return the parameters of least squares, the adjusted R² and the root mean square error."""
    parameters, _ = curve_fit(
        model, x, y, p0=start, bounds=(1e-4, np.where(np.array(start) < 1, 1, 200)), maxfev=20_000
    )
    rest = y - model(x, *parameters)
    determined = 1 - (rest**2).sum() / ((y - y.mean()) ** 2).sum()
    adjusted = 1 - (1 - determined) * (len(x) - 1) / (len(x) - len(start) - 1)
    return np.asarray(parameters, np.float64), float(adjusted), float(np.sqrt((rest**2).mean()))


def geometric(x: NDArray[np.int64], end: float) -> Values:
    """Return the probability of each length if every word is the last one with the probability *end* (equation 2)."""
    others: Values = np.power(1 - end, x - 1, dtype=np.float64)
    return others * end


def mixture(x: NDArray[np.int64], short: float, end_of_short: float, end_of_long: float) -> Values:
    """Return the probability of each length if a block is short with the probability *short* (equation 3)."""
    return short * geometric(x, end_of_short) + (1 - short) * geometric(x, end_of_long)


def three_densities(x: NDArray[np.int64] | Values, *parameters: float) -> Values:
    """Return the share of words at each density: two beta distributions on [0, 20], and a normal one between them."""
    a, a1, a2, b, b1, b2, c, mean, deviation = parameters
    outer: Values = (a * beta.pdf(x / DENSEST, a1, a2) + b * beta.pdf(x / DENSEST, b1, b2)) / DENSEST
    middle: Values = c * norm.pdf(x, mean, deviation)
    return outer + middle


def format_fit(adjusted: float, error: float) -> str:
    """Return adjusted R² and root mean square error."""
    return f"{adjusted:.3f}, {error:.4f}"


def words_by_density(blocks: NewsBlocks) -> Values:
    """Return the words at each rounded density from 1 on by class, as in Figure 5. *Shape:* ``(DENSEST, 7)``"""
    rounded = np.rint(blocks.columns["text density"]).astype(np.int64).clip(max=DENSEST)
    is_boilerplate = blocks.classes == TextClass.BOILERPLATE
    linked = blocks.words * blocks.columns["link density"]
    weights = [is_boilerplate * (blocks.words - linked), is_boilerplate * linked]
    others = (TextClass.RELATED, TextClass.HEADLINE, TextClass.SUPPLEMENTAL, TextClass.COMMENTS, TextClass.FULL_TEXT)
    weights += [(blocks.classes == each) * blocks.words for each in others]
    counts = [np.bincount(rounded, weights=weight, minlength=DENSEST + 1)[1:] for weight in weights]
    return np.stack(counts, axis=1)
