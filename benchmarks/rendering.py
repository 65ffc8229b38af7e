"""Measure what the option ``title`` costs or gains: word F1 of the text with the headline left out, or on top once.

    python benchmarks/rendering.py --data DIR [--pages 150] [--model web2text-2026]

Each page is labeled once. Its text is written as labeled, with ``title = "exclude"`` and with ``title = "include"``,
and each is compared with the clean text. Differences are those of the same page; in brackets, their 95 % intervals.
"""

from __future__ import annotations

import argparse
import os
import random
from dataclasses import replace
from pathlib import Path

import numpy as np

from scrapy_web2text.content.arrangement import arrange_content
from scrapy_web2text.content.content import select_content
from scrapy_web2text.content.text import content_text
from scrapy_web2text.evaluation.corpora import open_corpus, read_split
from scrapy_web2text.evaluation.scores import bootstrap_means, interval, word_scores
from scrapy_web2text.labelers.base import Labeler
from scrapy_web2text.labelers.registry import get_labeler
from scrapy_web2text.metadata.title import find_headline, fold_title
from scrapy_web2text.options import Options
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.parse import to_tree

# Corpus -> file of its split, name of the split in it and part; None for all pages.
CORPORA: dict[str, tuple[str, str | None, str] | None] = {
    "wcxb": ("wcxb-dev.json", None, "val"),
    "cleaneval": ("cleaneval.json", "web2text", "val"),
    "articles": None,
    "seeds/dragnet1381": None,
    "seeds/l3s_gn1": None,
    "more/utomo720": None,
    "more/magic_html_article": None,
    "more/docs_builders": None,
}
EXCLUDE, INCLUDE = Options(title="exclude"), Options(title="include")
FIRST_LINES = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("WEB2TEXT_DATA"), required=True)
    parser.add_argument("--pages", type=int, default=150, help="most pages of a corpus (%(default)s)")
    parser.add_argument("--model", default="web2text-2026")
    parser.add_argument("--corpora", nargs="*", default=[*CORPORA], choices=CORPORA, metavar="NAME")
    args = parser.parse_args()
    labeler = get_labeler(args.model)
    print(f"{'corpus':26}{'pages':>6}{'headline':>10}{'as labeled':>12}  exclude - as labeled        include - exclude")
    for name in args.corpora:
        scores, n_headlines = score_corpus(name, args.data, args.pages, labeler)
        values = np.array(scores)
        share = n_headlines / len(values)
        changes = [describe(values[:, after] - values[:, before]) for before, after in ((0, 1), (1, 2))]
        print(f"{name:26}{len(values):6}{share:10.1%}{values[:, 0].mean():12.4f}  {'  '.join(changes)}")


def score_corpus(name: str, data: Path, most: int, labeler: Labeler) -> tuple[list[list[float]], int]:
    """Return the word F1 of three texts of each page, and how many texts begin with the headline as labeled."""
    corpus, split = open_corpus(name, data), CORPORA[name]
    ids = sorted(corpus.ids if split is None else read_split(data / "splits" / split[0], split[1], split[2]))
    scores, n_headlines = [], 0
    for source in corpus.pages(random.Random(0).sample(ids, min(most, len(ids)))):
        try:
            page = tree_to_page(to_tree(source.html))
            labeling = labeler.label(page)
        except ValueError:
            continue
        content = select_content(page, labeling.blocks, labeling.labels)
        title = find_headline(page.landmarks)
        texts = [content_text(content)]
        contents = [replace(content, options=options) for options in (EXCLUDE, INCLUDE)]
        texts += [content_text(arrange_content(content, title)) for content in contents]
        scores.append([word_scores(text, source.text).f1 for text in texts])
        first = [fold_title(line) for line in texts[0].split("\n")[:FIRST_LINES]]
        n_headlines += bool(fold_title(title)) and fold_title(title) in first
    return scores, n_headlines


def describe(differences: np.ndarray) -> str:
    """Return the mean of the *differences* with its interval."""
    low, high = interval(bootstrap_means(differences[:, None], n_samples=2000, seed=0))[:, 0]
    return f"{differences.mean():+.4f} [{low:+.4f}, {high:+.4f}]"


if __name__ == "__main__":
    main()
