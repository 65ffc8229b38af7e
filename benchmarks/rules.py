"""All shallow-text rules, BTE and web2text-2018 side by side, as the Markdown tables of docs/rules.md.

    python benchmarks/rules.py --data DIR     (DIR as the corpora are unpacked)

Accuracy, precision, recall and F1 are over text leaves, as in Table 1 of the Web2Text paper; token F1 is that of the
pages' words, mean and median over the pages, as in section 4.3.2 of Kohlschütter et al. 2010, whose figures stand
beside ours. A corpus that is not there is left out.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from scrapy_web2text.evaluation import Report, evaluate_all, open_corpus, read_split
from scrapy_web2text.labelers.registry import get_labeler
from scrapy_web2text.labelers.shallow import SHALLOW_NAMES

# Mean token F1 in percent, from figures 2a and 2b.
CLEANEVAL_2010 = {
    "bte": 91.11,
    "shallow:min-words": 90.08,
    "shallow:numwords": 89.86,
    "shallow:all": 89.24,
    "shallow:numwords+main-content": 79.80,
    "shallow:density+main-content": 77.76,
    "shallow:density+largest": 68.30,
    "shallow:numwords+largest": 67.81,
}
GOOGLENEWS_2010 = {
    "shallow:numwords+main-content": 95.93,
    "shallow:density+main-content": 95.62,
    "shallow:numwords+largest": 92.17,
    "shallow:density+largest": 92.08,
    "shallow:numwords": 91.08,
    "shallow:density": 90.61,
    "bte": 89.29,
    "shallow:min-words": 80.78,
    "shallow:all": 68.30,
}


@dataclass(frozen=True)
class PageSet:
    """A set of pages, and what the paper has found on it."""

    title: str
    corpus: str
    splits: str | None
    split: str | None
    part: str
    paper: dict[str, float] | None = None


SETS = (
    PageSet("CleanEval, 148 test pages", "cleaneval", "splits/cleaneval.json", "web2text", "test"),
    PageSet("CleanEval, 676 test pages", "cleaneval", "splits/cleaneval.json", "original", "test", CLEANEVAL_2010),
    PageSet("WCXB, 218 val pages", "wcxb", "splits/wcxb-dev.json", None, "val"),
    PageSet("L3S-GN1, 610 pages", "seeds/l3s_gn1", None, None, "", GOOGLENEWS_2010),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("WEB2TEXT_DATA"), help="the unpacked corpora")
    parser.add_argument("--model", action="append", default=[], help="further models, such as web2text-2026")
    args = parser.parse_args()
    if args.data is None:
        parser.error("--data: the folder of the corpora is needed")
    names = [*SHALLOW_NAMES, "bte", "web2text-2018", *args.model]
    labelers = {name: get_labeler(name) for name in names}
    for page_set in SETS:
        try:
            corpus = open_corpus(page_set.corpus, args.data)
            ids = page_set.splits and read_split(args.data / page_set.splits, page_set.split, page_set.part)
        except (OSError, ValueError) as error:
            print(f"{page_set.title}: left out, {error}", file=sys.stderr)
            continue
        print_table(page_set, evaluate_all(labelers, corpus.pages(ids or None)))


def print_table(page_set: PageSet, reports: list[Report]) -> None:
    header = ["", "accuracy", "precision", "recall", "F1", "token F1, mean", "median"]
    rows = []
    for report in reports:
        blocks, token_f1 = report.blocks, [page.words.f1 for page in report.pages]
        mean = 100 * sum(token_f1) / len(token_f1)
        row = [f"`{report.name}`", *(f"{score:.3f}" for score in (blocks.accuracy, blocks.precision, blocks.recall))]
        row += [f"{blocks.f1:.3f}", f"{mean:.2f}", f"{100 * median(token_f1):.2f}"]
        if page_set.paper is not None:
            theirs = page_set.paper.get(report.name)
            row += ["", ""] if theirs is None else [f"{theirs:.2f}", f"{mean - theirs:+.2f}"]
        rows.append(row)
    if page_set.paper is not None:
        header += ["paper's mean", "difference"]
    print(f"\n### {page_set.title}\n")
    for row in (header, ["---", *["---:"] * (len(header) - 1)], *rows):
        print("| " + " | ".join(row) + " |")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
