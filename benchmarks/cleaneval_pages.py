"""What figures 2a and 3 of Kohlschütter et al. 2010 show of CleanEval."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rules import CLEANEVAL_2010
from text_scores import TextScores

from scrapy_web2text.evaluation import evaluate_all, open_corpus, read_split
from scrapy_web2text.labelers.registry import get_labeler
from scrapy_web2text.labelers.shallow.measures import shallow_blocks
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import SHALLOW_BLOCKS, segment
from scrapy_web2text.page.parse import to_tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["TEST_PAGES", "read_densities", "score_test_pages"]

# The clean text of figure 2a.
TEST_PAGES = "676 test pages"


def score_test_pages(data: Path) -> list[TextScores]:
    """Return the word F1 of the rules of figure 2a on the test pages, which are the paper's and one more."""
    ids = read_split(data / "splits" / "cleaneval.json", "original", "test")
    rules = {name: get_labeler(name) for name in CLEANEVAL_2010}
    reports = evaluate_all(rules, open_corpus("cleaneval", data).pages(ids))
    return [TextScores(each.name, {TEST_PAGES: [100 * page.words.f1 for page in each.pages]}) for each in reports]


def read_densities(data: Path) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the text density and the number of words of each of the n blocks of all pages. *Shapes:* ``(n,)`` each"""
    densities, words = [], []
    for source in open_corpus("cleaneval", data).pages():
        page = tree_to_page(to_tree(source.html))
        measures = shallow_blocks(page, segment(page, SHALLOW_BLOCKS), with_text_density=True)
        assert measures.text_density is not None
        densities.append(measures.text_density)
        words.append(measures.n_words)
    return np.concatenate(densities), np.concatenate(words).astype(np.float64)
