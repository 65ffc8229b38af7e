"""The scores of one labeler or peer on many pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from scrapy_web2text.arrays import DoubleArray, IntArray
from scrapy_web2text.evaluation.scores import (
    COUNT_NAMES,
    BlockScores,
    WordScores,
    bootstrap_block_scores,
    bootstrap_means,
    interval,
)

__all__ = ["N_SAMPLES", "PageResult", "Report"]

N_SAMPLES: Final = 2000


@dataclass(frozen=True, slots=True, eq=False)
class PageResult:
    """The scores of a labeler or peer on one page.

    :param counts: numbers of leaves in the order of `COUNT_NAMES`. *Shape:* ``(4,)``
    :param words: scores of the extracted text.
    :param error: the reason why there is no answer, or None.
    :param kind: page type, if the corpus has it.
    :param is_empty: whether the page has no main content.
    :param snippets: number of wanted snippets found, of wanted snippets, of unwanted snippets found, and of unwanted
        snippets.
    :param paragraphs: numbers of split paragraphs, and of all that are content (`content_paragraphs`); None for peers,
        which do not label leaves.
    :param seconds: CPU time from the source to the text.
    :param parse_seconds: CPU time of lxml for parsing the page.
    """

    id: str
    counts: IntArray
    words: WordScores
    error: str | None = None
    kind: str | None = None
    is_empty: bool = False
    snippets: tuple[int, int, int, int] = (0, 0, 0, 0)
    paragraphs: tuple[int, int] | None = None
    seconds: float = 0.0
    parse_seconds: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """The scores of a labeler or peer on a set of pages.

    :param name: name of the labeler, with its changed options.
    """

    name: str
    pages: tuple[PageResult, ...]

    @property
    def counts(self) -> IntArray:
        """The counts of each page in the order of `COUNT_NAMES`. *Shape:* ``(n_pages, 4)``"""
        return np.array([page.counts for page in self.pages])

    @property
    def blocks(self) -> BlockScores:
        """The scores of the leaves of all pages together, as in Table 1 of Web2Text."""
        return BlockScores.of(self.counts.sum(axis=0))

    @property
    def words(self) -> WordScores:
        """The mean scores of the extracted texts over the pages, as in WCXB."""
        return WordScores(*self._word_values().mean(axis=0).tolist())

    @property
    def cost(self) -> float:
        """CPU time for all pages, relative to the time that lxml takes to parse them."""
        return sum(page.seconds for page in self.pages) / max(sum(page.parse_seconds for page in self.pages), 1e-9)

    @property
    def snippets(self) -> tuple[float, float]:
        """The shares of the wanted and of the unwanted snippets that were found."""
        held, wanted, intruding, unwanted = np.sum([page.snippets for page in self.pages], axis=0).tolist()
        return held / max(wanted, 1), intruding / max(unwanted, 1)

    @property
    def paragraphs(self) -> tuple[int, int] | None:
        """The numbers of split paragraphs, and of all that are content, of all pages; None for peers."""
        counts = [page.paragraphs for page in self.pages if page.paragraphs is not None]
        return (sum(split for split, _ in counts), sum(n for _, n in counts)) if counts else None

    def word_f1_by_kind(self) -> dict[str, tuple[int, float]]:
        """Return the number and mean word F1 of all pages, of those with main content, and of each page type."""
        groups: dict[str, list[float]] = {"all": [], "not empty": []}
        for page in self.pages:
            kinds = ["all", *([] if page.is_empty else ["not empty"]), *([page.kind] if page.kind else [])]
            for kind in kinds:
                groups.setdefault(kind, []).append(page.words.f1)
        return {kind: (len(f1), float(np.mean(f1))) for kind, f1 in groups.items() if f1}

    def difference(self, other: Report, *, n_samples: int = N_SAMPLES, seed: int = 0) -> tuple[float, float, float]:
        """Return the mean word F1 of *other* less this one, and the ends of the 95 % interval of the difference."""
        differences = (other._word_values() - self._word_values())[:, 2:]
        low, high = interval(bootstrap_means(differences, n_samples=n_samples, seed=seed))[:, 0].tolist()
        return float(differences.mean()), low, high

    def intervals(self, *, n_samples: int = N_SAMPLES, seed: int = 0) -> dict[str, tuple[float, float]]:
        """Return the 95 % intervals of a page bootstrap for the block scores, and for ``word_f1``, by name.

        They show how the scores vary between samples of pages. To compare two systems, use `difference`.
        """
        blocks = interval(bootstrap_block_scores(self.counts, n_samples=n_samples, seed=seed)).T.tolist()
        words = interval(bootstrap_means(self._word_values(), n_samples=n_samples, seed=seed)).T.tolist()
        names = ("accuracy", "precision", "recall", "f1", "word_f1")
        return {name: (low, high) for name, (low, high) in zip(names, [*blocks, words[2]], strict=True)}

    def to_dict(self, *, n_samples: int = N_SAMPLES, seed: int = 0) -> dict[str, Any]:
        """Return all values as plain data for JSON, including those of each page."""
        total = self.counts.sum(axis=0)
        return {
            "name": self.name,
            "n_pages": len(self.pages),
            "n_leaves": int(total.sum()),
            "n_content_leaves": int(total[0] + total[2]),
            "blocks": self.blocks.to_dict(),
            "words": self.words.to_dict(),
            "word_f1_by_kind": {kind: list(values) for kind, values in self.word_f1_by_kind().items()},
            "snippets": list(self.snippets),
            "paragraphs": self.paragraphs and list(self.paragraphs),
            "cost": self.cost,
            "intervals": {name: list(ends) for name, ends in self.intervals(n_samples=n_samples, seed=seed).items()},
            "pages": [
                {
                    "id": page.id,
                    **dict(zip(COUNT_NAMES, page.counts.tolist(), strict=True)),
                    "words": page.words.to_dict(),
                    "kind": page.kind,
                    "snippets": list(page.snippets),
                    "paragraphs": page.paragraphs and list(page.paragraphs),
                    "error": page.error,
                }
                for page in self.pages
            ],
        }

    def _word_values(self) -> DoubleArray:
        return np.array([[page.words.precision, page.words.recall, page.words.f1] for page in self.pages])
