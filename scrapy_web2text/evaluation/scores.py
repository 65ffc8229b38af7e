"""Scores of extracted texts, their confidence intervals, and the scores of one system on many pages."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import asdict, astuple, dataclass
from typing import Any, Final

import numpy as np

from scrapy_web2text.common.arrays import DoubleArray, IntArray

_TOKEN: Final = re.compile(r"\w+")
_WORD_SCORES: Final = ("word_precision", "word_recall", "word_f1")


@dataclass(frozen=True, slots=True)
class WordScores:
    """Scores of a text as a bag of words; each in [0, 1]."""

    precision: float
    recall: float
    f1: float

    @classmethod
    def of(cls, n_common: float, n_found: int, n_expected: int) -> WordScores:
        """Return the scores for counts of words. If a text has no words, they are 1 if both texts have none, else 0."""
        if not n_found or not n_expected:
            score = float(n_found == n_expected)
            return cls(score, score, score)
        return cls(n_common / n_found, n_common / n_expected, 2 * n_common / (n_found + n_expected))


def word_tokens(text: str) -> list[str]:
    """Return the words of *text* as WCXB defines them."""
    return _TOKEN.findall(text.lower())


def word_scores(text: str, reference: str) -> WordScores:
    """Return the scores of *text* against *reference*, both as bags of lower-case words (the definition of WCXB)."""
    found, expected = (Counter(word_tokens(side)) for side in (text, reference))
    return WordScores.of((found & expected).total(), found.total(), expected.total())


def bootstrap_means(values: DoubleArray, *, n_samples: int, seed: int) -> DoubleArray:
    """Return the means of bootstrap samples of the pages. *Shapes:* ``(n_pages, k)`` -> ``(n_samples, k)``"""
    return sample_pages(len(values), n_samples, seed) @ values / len(values)


def sample_pages(n_pages: int, n_samples: int, seed: int) -> IntArray:
    """Return the number of occurrences of each page in each sample. *Shape:* ``(n_samples, n_pages)``"""
    generator = np.random.default_rng(seed)
    return generator.multinomial(n_pages, np.full(n_pages, 1 / n_pages), size=n_samples)


def interval(samples: DoubleArray) -> DoubleArray:
    """Return the ends of the central interval that holds 95 % of the samples.

    *Shapes:* ``(n_samples, k)`` -> ``(2, k)``
    """
    tail = (1 - 0.95) / 2
    return np.quantile(samples, [tail, 1 - tail], axis=0)


N_SAMPLES: Final = 2000


@dataclass(frozen=True, slots=True, eq=False)
class PageResult:
    """The scores of a labeler or peer on one page.

    :param error: the reason why there is no answer, or None.
    :param seconds: CPU time from the source to the text.
    :param parse_seconds: CPU time of lxml for parsing the page.
    """

    id: str
    words: WordScores
    error: str | None = None
    kind: str | None = None
    is_empty: bool = False
    seconds: float = 0.0
    parse_seconds: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """The scores of a labeler or peer on a set of pages; its name includes changed options."""

    name: str
    pages: tuple[PageResult, ...]

    @property
    def words(self) -> WordScores:
        """The mean scores of the extracted texts over the pages, as in WCXB."""
        return WordScores(*self._word_values().mean(axis=0).tolist())

    def scores(self) -> dict[str, float]:
        """Return the mean scores, by the names that `intervals` uses."""
        return dict(zip(_WORD_SCORES, astuple(self.words), strict=True))

    @property
    def cost(self) -> float:
        """CPU time for all pages, relative to the time that lxml takes to parse them."""
        return sum(page.seconds for page in self.pages) / max(sum(page.parse_seconds for page in self.pages), 1e-9)

    def word_f1_by_kind(self) -> dict[str, tuple[int, float]]:
        """Return the number and mean word F1 of all pages, of pages with main content, and of each page type."""
        groups: dict[str, list[float]] = {"all": [], "not empty": []}
        for page in self.pages:
            kinds = ["all", *([] if page.is_empty else ["not empty"]), *([page.kind] if page.kind else [])]
            for kind in kinds:
                groups.setdefault(kind, []).append(page.words.f1)
        return {kind: (len(f1), float(np.mean(f1))) for kind, f1 in groups.items() if f1}

    def difference(self, other: Report, *, n_samples: int = N_SAMPLES, seed: int = 0) -> tuple[float, float, float]:
        """Return the mean word F1 of *other* minus the mean of this report, and the 95 % interval of the difference."""
        differences = (other._word_values() - self._word_values())[:, 2:]
        low, high = interval(bootstrap_means(differences, n_samples=n_samples, seed=seed))[:, 0].tolist()
        return float(differences.mean()), low, high

    def intervals(self, *, n_samples: int = N_SAMPLES, seed: int = 0) -> dict[str, tuple[float, float]]:
        """Return the 95 % intervals of a page bootstrap for the means of the word scores, by name.

        The intervals show how the scores vary between samples of pages. To compare two reports, use `difference`.
        """
        ends = interval(bootstrap_means(self._word_values(), n_samples=n_samples, seed=seed)).T.tolist()
        return {name: (low, high) for name, (low, high) in zip(_WORD_SCORES, ends, strict=True)}

    def to_dict(self, *, n_samples: int = N_SAMPLES, seed: int = 0) -> dict[str, Any]:
        """Return all values as plain data for JSON, including the values of each page."""
        return {
            "name": self.name,
            "n_pages": len(self.pages),
            "words": asdict(self.words),
            "word_f1_by_kind": {kind: list(values) for kind, values in self.word_f1_by_kind().items()},
            "cost": self.cost,
            "intervals": {name: list(ends) for name, ends in self.intervals(n_samples=n_samples, seed=seed).items()},
            "pages": [
                {
                    "id": page.id,
                    "words": asdict(page.words),
                    "kind": page.kind,
                    "error": page.error,
                }
                for page in self.pages
            ],
        }

    def _word_values(self) -> DoubleArray:
        return np.array([astuple(page.words) for page in self.pages])
