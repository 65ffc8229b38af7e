"""Measure how many lists that belong to the content an answer cuts in part.

    python benchmarks/lists.py seeds/dragnet1381 more/docs_builders --data DIR [--model MODEL] [--pages 150]

A list counts if the clean text of its page has all its members, by alignment, and if it has three members or more. So
do tables. The corpora must be of no training of the model, or the answers are too good.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.formats import format_share, format_table
from scrapy_web2text.alignment.tokens import cover_leaves, label_blocks
from scrapy_web2text.common.arrays import IntArray
from scrapy_web2text.evaluation.corpora import open_corpus
from scrapy_web2text.features.texts import count_tokens
from scrapy_web2text.labelers.registry import get_labeler
from scrapy_web2text.page import reader
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, BlockSequence, block_texts, mark_kept_leaves, segment
from scrapy_web2text.training.corpora import parse_page

KINDS = {"lists": frozenset({"ol", "ul"}), "terms": frozenset({"dl"}), "tables": frozenset({"table"})}
LEAST_MEMBERS = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("corpora", nargs="+")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", default="web2text-2026")
    parser.add_argument("--pages", type=int, default=150, help="number of pages of each corpus (%(default)s)")
    args = parser.parse_args()
    rows = []
    for name in args.corpora:
        whole, cut = count_structures(name, args.data, args.model, args.pages)
        shares = [f"{cut[kind]} of {whole[kind]}" for kind in KINDS]
        n_whole = whole.total()
        rows.append([name, *shares, format_share(cut.total() / n_whole) if n_whole else ""])
    print(format_table(["cut in part", *KINDS, "share"], rows))


def count_structures(name: str, data: Path, model: str, n_pages: int) -> tuple[Counter[str], Counter[str]]:
    """Return how many structures of each kind are content as a whole, and how many of them are cut in part."""
    labeler, corpus = get_labeler(model), open_corpus(name, data)
    ids = [*corpus.ids]
    random.Random(0).shuffle(ids)
    whole, cut = Counter[str](), Counter[str]()
    for source in corpus.pages(ids[:n_pages]):
        page = parse_page(source)
        blocks = segment(page, MODERN_BLOCKS) if page is not None else None
        if page is None or blocks is None or not blocks.n_blocks:
            continue
        coverage = cover_leaves(page.texts, source.text, mark_kept_leaves(page, blocks))
        gold, found = label_blocks(blocks, coverage), labeler.label(page).labels
        if not coverage.is_good or len(gold) != len(found):
            continue
        n_words = count_tokens(block_texts(page, blocks))
        for kind, inside in list_structures(page, blocks, n_words):
            if gold[inside].all():
                whole[kind] += 1
                cut[kind] += 0 < found[inside].sum() < len(inside)
    return whole, cut


def list_structures(page: Page, blocks: BlockSequence, n_words: IntArray) -> Iterator[tuple[str, IntArray]]:
    """Yield the kind and the blocks of each structure; blocks without words are not members."""
    owners = page.owners(page.leaf_slots[blocks.leaves[blocks.starts]])
    for kind, tags in KINDS.items():
        around = reader.find_nearest(page.tags_in(tags), page.parents, owners)
        around = np.where(n_words > 0, around, -1)
        for structure in np.unique(around[around >= 0]):
            inside = np.flatnonzero(around == structure)
            if len(inside) >= LEAST_MEMBERS:
                yield kind, inside


if __name__ == "__main__":
    main()
