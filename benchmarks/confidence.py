"""Compare the confidence of the default model with the word F1 on corpora of no training.

    python benchmarks/confidence.py --data DIR    # four thousand pages, in two minutes

The first table has the pages by their confidence, the second one by their corpus. *Found* is the share of the pages
with an F1 below .7 that are among the tenth of the pages with the lowest confidence.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.formats import format_share, format_table
from scrapy_web2text import Extractor
from scrapy_web2text.evaluation.corpora import open_corpus
from scrapy_web2text.evaluation.scores import word_scores

CORPORA = ("seeds/dragnet1381", "seeds/l3s_gn1", "more/utomo720", "more/daniel5", "seeds/google_trends")
ALL = "all"
BOUNDS = (0.0, 0.5, 0.7, 0.8, 0.85, 0.9, 0.95, 1.0)
BAD = 0.7


class Answer(NamedTuple):
    """The confidence of an answer, and its word F1."""

    confidence: float
    f1: float


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", required=True, type=Path, metavar="DIR")
    data = parser.parse_args().data
    extractor = Extractor(blocks="none")
    by_corpus = {name: list(answer_pages(extractor, name, data)) for name in CORPORA}
    answers = [answer for found in by_corpus.values() for answer in found]
    header = ["pages", "confidence", "F1"]
    print(format_table(["confidence", *header], list(format_bins(answers))))
    rows = [[name, *format_means(found), *format_order(found)] for name, found in [*by_corpus.items(), (ALL, answers)]]
    print(f"\n{format_table(['corpus', *header, 'correlation', 'found'], rows)}")


def answer_pages(extractor: Extractor, name: str, data: Path) -> Iterator[Answer]:
    """Yield the answers that have a confidence."""
    for page in open_corpus(name, data).pages():
        answer = extractor.extract(page.html)
        if answer.confidence is not None:
            yield Answer(answer.confidence, word_scores(answer.text, page.text).f1)


def format_bins(answers: Sequence[Answer]) -> Iterator[list[str]]:
    """Yield the means of the answers between two bounds of the confidence."""
    for low, high in pairwise(BOUNDS):
        found = [each for each in answers if low <= each.confidence < high or each.confidence == high == 1]
        if found:
            yield [f"{format_share(low, 2)} to {format_share(high, 2)}", *format_means(found)]


def format_means(answers: Sequence[Answer]) -> list[str]:
    """Return the number of answers, their mean confidence and their mean F1."""
    return [f"{len(answers):,}", *(format_share(mean) for mean in np.mean(answers, axis=0).tolist())]


def format_order(answers: Sequence[Answer]) -> list[str]:
    """Return the correlation of confidence and F1, and the share of bad answers in the least sure tenth."""
    ordered = sorted(answers)
    is_bad = [each.f1 < BAD for each in ordered]
    found = sum(is_bad[: len(ordered) // 10]) / max(1, sum(is_bad))
    return [format_share(float(np.corrcoef(np.array(ordered).T)[0, 1]), 2), f"{found:.0%}".replace("%", " %")]


if __name__ == "__main__":
    main()
