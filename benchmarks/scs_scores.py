"""Scores over the blocks of SemText, which its paper has, beside scores over leaves, which all systems share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from comparison_report import format_estimate, format_range, format_share
from timing import format_table

from scrapy_web2text.alignment.characters import align_leaves, counts_to_labels, leaf_counts_to_labels
from scrapy_web2text.arrays import IntArray
from scrapy_web2text.evaluation import LabeledPage
from scrapy_web2text.evaluation.peers import Peer
from scrapy_web2text.evaluation.scores import block_scores, bootstrap_block_scores, confusion_counts, interval
from scrapy_web2text.labelers.base import Labeler
from scrapy_web2text.page.arrays import Page, tree_to_page
from scrapy_web2text.page.encoding import decode
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.research.segments import search_and_combine

__all__ = ["format_scores", "score_blocks"]

HEADER = ("", "precision", "recall", "F1 of blocks", "seeds", "F1 of their leaves")
_N_SAMPLES = 2000


def score_blocks(
    labelers: Mapping[str, Labeler], peers: Mapping[str, Peer], pages: Iterable[LabeledPage]
) -> dict[str, IntArray]:
    """Return the confusion counts of blocks and of leaves on each page, by system. *Shape:* ``(n_pages, 2, 4)``

    A block is content by the rule of the expected labels: if more than two thirds of its characters are.
    """
    counts: dict[str, list[IntArray]] = {name: [] for name in (*labelers, *peers)}
    for source in pages:
        page = tree_to_page(to_tree(source.html))
        n_aligned, n_characters = align_leaves(page.texts, source.text)
        found = {name: _count_found(labeler, page, n_characters) for name, labeler in labelers.items()}
        html = source.html if isinstance(source.html, str) else decode(source.html)
        found |= {name: align_leaves(page.texts, peer(html))[0] for name, peer in peers.items()}
        blocks = search_and_combine(page)
        for name, n_found in found.items():
            over_blocks = (leaf_counts_to_labels(blocks, each, n_characters) for each in (n_found, n_aligned))
            over_leaves = (counts_to_labels(each, n_characters)[blocks.leaves] for each in (n_found, n_aligned))
            counts[name].append(np.stack([confusion_counts(*over_blocks), confusion_counts(*over_leaves)]))
    return {name: np.stack(found) for name, found in counts.items()}


def format_scores(counts: Mapping[str, Sequence[IntArray]], papers: Mapping[str, tuple[float, float, float]]) -> str:
    """Return the scores of systems as a Markdown table: means over seeds, with the paper's figures in parentheses.

    Leaves are those in blocks: the segmentation leaves some out that `evaluate_all` compares.

    :param counts: those of `score_blocks` for each seed, by system.
    :param papers: precision, recall and F1 of blocks.
    """
    rows = []
    for name, runs in counts.items():
        scores = np.array([block_scores(run.sum(axis=0)) for run in runs])  # (seeds, 2, 4)
        _, precision, recall, f1 = scores.mean(axis=0)[0].tolist()
        samples = [bootstrap_block_scores(run[:, 0], n_samples=_N_SAMPLES, seed=0)[:, 3:] for run in runs]
        ends = np.mean([interval(each)[:, 0] for each in samples], axis=0)
        cells = [format_share(precision), format_share(recall), format_estimate(f1, ends)]
        if name in papers:
            cells = [f"{cell} ({format_share(theirs, 2)})" for cell, theirs in zip(cells, papers[name], strict=True)]
        rows.append([f"`{name}`", *cells, format_range(scores[:, 0, 3].tolist()), format_share(scores[:, 1, 3].mean())])
    table = [HEADER, *rows]
    if all(len(runs) < 2 for runs in counts.values()):
        table = [[cell for head, cell in zip(HEADER, row, strict=True) if head != "seeds"] for row in table]
    return format_table(table[0], table[1:])


def _count_found(labeler: Labeler, page: Page, n_characters: IntArray) -> IntArray:
    """Return the number of characters of each leaf in the blocks that *labeler* finds to be content."""
    answer = labeler.label(page)
    found = np.zeros(page.n_leaves, dtype=np.int64)
    found[answer.blocks.leaves] = answer.labels[answer.blocks.leaf_blocks]
    return found * n_characters
