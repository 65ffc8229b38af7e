"""Count the paragraphs that labelers split: section 3.2 of the Web2Text paper reports that there are none.

    python -m research.web2text.split_paragraphs web2text-2018 models/crf-2018 --data DIR

Blocks are text nodes, so a link can have another label than the sentence around it. The paper does not say what a
textual paragraph is; here, see `content_paragraphs`. The pages are those of the paper's test part of CleanEval.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from benchmarks.formats import format_table
from research.alignment.characters import align_leaves, counts_to_labels
from research.commands import make_parser
from scrapy_web2text.common.arrays import IntArray
from scrapy_web2text.evaluation.corpora import CorpusPage, find_ids, open_corpus
from scrapy_web2text.exceptions import PageError
from scrapy_web2text.extraction import Label
from scrapy_web2text.features.texts import count_between_spaces
from scrapy_web2text.labelers.base import Labeler
from scrapy_web2text.labelers.registry import get_labeler
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, TEXT_LEAVES, segment
from scrapy_web2text.training.corpora import parse_page

# Shorter paragraphs are often bylines, dates or navigation.
MINIMUM_WORDS: Final = 15
_PARAGRAPHS: Final = replace(
    TEXT_LEAVES, name="paragraphs", transparent=frozenset({"br", *(MODERN_BLOCKS.transparent or ())})
)
_PARAGRAPH_TAGS: Final = frozenset({"p"})


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("models", nargs="+", metavar="MODEL", help="shipped models, model folders, or rules")
    args = parser.parse_args()
    corpus = open_corpus("cleaneval", args.data)
    _, ids = find_ids(corpus, args.data, (), split="web2text", part="test", path=None)
    n_split, n_all = count_all({name: get_labeler(name) for name in args.models}, corpus.pages(ids))
    rows = [[f"`{name}`", f"{n_split[name]:,}", f"{n_all:,}"] for name in args.models]
    print(format_table(["model", "split", "paragraphs of content"], rows))


def count_all(labelers: Mapping[str, Labeler], pages: Iterable[CorpusPage]) -> tuple[Counter[str], int]:
    """Return how many paragraphs each of *labelers* splits, and the number of all paragraphs of content.

    A labeler that has no answer for a page keeps nothing of it.
    """
    n_split: Counter[str] = Counter()
    n_all = 0
    for source in pages:
        page = parse_page(source)
        if page is None:
            continue
        paragraphs = content_paragraphs(page, counts_to_labels(*align_leaves(page.texts, source.text)))
        n_all += len(paragraphs)
        for name, labeler in labelers.items():
            n_split[name] += count_split(paragraphs, _label_leaves(labeler, page))
    return n_split, n_all


def _label_leaves(labeler: Labeler, page: Page) -> IntArray:
    labels = np.full(page.n_leaves, int(Label.BOILERPLATE), dtype=np.int64)
    try:
        answer = labeler.label(page)
    except PageError:
        return labels
    labels[answer.blocks.leaves] = answer.labels[answer.blocks.leaf_blocks]
    return labels


def content_paragraphs(page: Page, labels: IntArray) -> list[IntArray]:
    """Return the leaves of each paragraph of *page* that is content as a whole and could be split.

    A paragraph is text in a ``p`` element between tags other than ``br`` and those of inline elements. It has two or
    more leaves and `MINIMUM_WORDS` words or more.

    :param labels: expected labels of the leaves. *Shape:* ``(m,)``
    """
    blocks = segment(page, _PARAGRAPHS)
    if not blocks.n_blocks:
        return []
    is_in_paragraph = np.zeros(page.n_leaves, dtype=np.int64)
    is_in_paragraph[blocks.leaves] = page.is_inside(_PARAGRAPH_TAGS, blocks.leaves)
    n_leaves = blocks.ends - blocks.starts
    is_wanted = (
        (n_leaves > 1)
        & (blocks.sum_leaves(is_in_paragraph) == n_leaves)
        & (blocks.sum_leaves(labels) == n_leaves)
        & (blocks.sum_leaves(count_between_spaces(page.texts)[1]) >= MINIMUM_WORDS)
    )
    wanted = np.flatnonzero(is_wanted).tolist()
    return [blocks.leaves[blocks.starts[block] : blocks.ends[block]] for block in wanted]


def count_split(paragraphs: Sequence[IntArray], labels: IntArray) -> int:
    """Return how many *paragraphs* have leaves of both labels."""
    return sum(bool((labels[leaves] != labels[leaves[0]]).any()) for leaves in paragraphs)


if __name__ == "__main__":
    main()
