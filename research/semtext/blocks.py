"""Measure the blocks of SemText: how many they are with ids and without, and the scores of models over them.

    python -m research.semtext.blocks --data DIR                       # numbers of blocks
    python -m research.semtext.blocks --data DIR --comparison FOLDER   # Tables I and III; extras train and bench

FOLDER is the --out of `research.comparison`. The paper compares the classes of neighboring elements, and says that
ids may be added to them. Blocks "are treated equally with the same weight" in its tables; the comparison of this
project is over leaves, which all systems share.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.formats import format_estimate, format_range, format_share, format_table
from research.alignment.characters import align_leaves, counts_to_labels
from research.commands import make_parser
from research.comparison.sets import PAPERS_DECODING, SETS, PageSet, digest_pages, list_parts
from research.comparison.systems import DECODINGS, find_seeds, load_peer, model_folder, with_lam
from research.leaf_scores import BlockScores, block_scores, bootstrap_block_scores, confusion_counts
from research.pages import leaf_counts_to_labels
from research.semtext.segments import search_and_combine
from scrapy_web2text.common.arrays import IntArray
from scrapy_web2text.evaluation.corpora import CorpusPage, open_corpus, read_split
from scrapy_web2text.evaluation.peers import PEERS, Peer
from scrapy_web2text.evaluation.scores import interval
from scrapy_web2text.labelers.base import Labeler
from scrapy_web2text.labelers.registry import get_labeler
from scrapy_web2text.page.arrays import Page, tree_to_page
from scrapy_web2text.page.encoding import decode_html
from scrapy_web2text.page.parse import to_tree

# Corpora by their titles: name, file of the split, split and part.
CORPORA = {
    "CleanEval, 148 test pages": ("cleaneval", "cleaneval.json", "web2text", "test"),
    "WCXB, 218 val pages": ("wcxb", "wcxb-dev.json", None, "val"),
    "GoogleTrends-2017, 180 pages": ("seeds/google_trends", None, None, ""),
}


# Precision, recall and F1 in Tables I and III, by set and system.
PAPERS = {
    "cleaneval-676": {
        "boilerpy3-default": (0.87, 0.73, 0.79),
        PAPERS_DECODING: (0.85, 0.82, 0.83),
        "boilernet": (0.85, 0.80, 0.82),
        "semtext": (0.91, 0.89, 0.90),
    },
    "google-trends": {
        "boilerpy3-default": (0.80, 0.66, 0.72),
        PAPERS_DECODING: (0.82, 0.74, 0.78),
        "boilernet": (0.86, 0.82, 0.84),
        "semtext text": (0.82, 0.87, 0.84),
        "semtext text+tags": (0.90, 0.84, 0.87),
        "semtext text+classes": (0.89, 0.85, 0.87),
        "semtext": (0.92, 0.86, 0.89),
    },
}


@dataclass(frozen=True, eq=False)
class PageCounts:
    """What is counted on one page.

    :param sizes: numbers of leaves, of blocks with ids and of blocks without. *Shape:* ``(3,)``
    :param best: confusion of the leaves with the best label for each block. *Shape:* ``(4,)``
    """

    sizes: NDArray[np.int64]
    best: NDArray[np.int64]


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument(
        "--comparison", type=Path, metavar="FOLDER", help="score the models in the --out of research.comparison"
    )
    parser.add_argument("--set", action="append", choices=list(PAPERS), help="sets of pages of --comparison (all)")
    args = parser.parse_args()
    if args.comparison is None:
        print(format_table(["", "leaves", "blocks", "without ids", "best leaf F1"], list(count_corpora(args.data))))
        return
    for page_set in SETS:
        if page_set.name in (args.set or PAPERS):
            print(f"\n### {page_set.title}\n\n{score_set(page_set, args.comparison, args.data)}", flush=True)


def count_corpora(data: Path) -> Iterator[list[str]]:
    """Return the numbers of blocks of each corpus as rows of a table."""
    for title, (name, file, split, part) in CORPORA.items():
        ids = file and read_split(data / "splits" / file, split, part)
        yield [title, *format_counts([count_page(page) for page in open_corpus(name, data).pages(ids or None)])]


def count_page(source: CorpusPage) -> PageCounts:
    """Return the counts of one page."""
    page = tree_to_page(to_tree(source.html))
    blocks = search_and_combine(page)
    sizes = [len(blocks.leaves), blocks.n_blocks, search_and_combine(page, with_ids=False).n_blocks]
    leaf_labels = counts_to_labels(*align_leaves(page.texts, source.text))[blocks.leaves]
    n_content = np.bincount(blocks.leaf_blocks, weights=leaf_labels, minlength=blocks.n_blocks)
    majority = (2 * n_content > blocks.ends - blocks.starts).astype(np.int64)
    return PageCounts(np.array(sizes), confusion_counts(majority[blocks.leaf_blocks], leaf_labels))


def format_counts(counts: Sequence[PageCounts]) -> list[str]:
    """Return the numbers and the F1 of all pages together."""
    sizes = np.sum([page.sizes for page in counts], axis=0)
    best = BlockScores.of(np.sum([page.best for page in counts], axis=0))
    return [*(f"{size:,}" for size in sizes), format_share(best.f1)]


def score_set(page_set: PageSet, folder: Path, data: Path) -> str:
    """Return the scores of the trained systems in *folder* on a set of pages as a Markdown table."""
    parts = list_parts(page_set, data)
    folder = folder / page_set.name / digest_pages(page_set.corpus, parts, data)
    rows = {name: load_runs(folder, name) for name in PAPERS[page_set.name]}
    labelers = {f"{name} {i}": each for name, runs in rows.items() for i, each in enumerate(runs)}
    peers = dict(filter(None, map(load_peer, sorted(set(PAPERS[page_set.name]) & set(PEERS)))))
    counts = score_blocks(labelers, peers, open_corpus(page_set.corpus, data).pages(parts["test"]))
    found = {name: [counts[f"{name} {i}"] for i in range(len(runs))] for name, runs in rows.items() if runs}
    return format_scores({**{name: [counts[name]] for name in peers}, **found}, PAPERS[page_set.name])


def load_runs(folder: Path, name: str) -> list[Labeler]:
    """Return the models of a system in *folder*, those of all seeds that it was trained with."""
    system = "web2text-2018" if name in DECODINGS else name
    models = [get_labeler(str(model_folder(folder, system, seed))) for seed in find_seeds(folder, system)]
    return [with_lam(model, DECODINGS[name]) for model in models] if name in DECODINGS else models


HEADER = ("", "precision", "recall", "F1 of blocks", "seeds", "F1 of their leaves")
_N_SAMPLES = 2000


def score_blocks(
    labelers: Mapping[str, Labeler], peers: Mapping[str, Peer], pages: Iterable[CorpusPage]
) -> dict[str, IntArray]:
    """Return the confusion counts of blocks and of leaves on each page, by system. *Shape:* ``(n_pages, 2, 4)``

    A block is content by the rule of the expected labels: if more than two thirds of its characters are.
    """
    counts: dict[str, list[IntArray]] = {name: [] for name in (*labelers, *peers)}
    for source in pages:
        page = tree_to_page(to_tree(source.html))
        n_aligned, n_characters = align_leaves(page.texts, source.text)
        found = {name: _count_found(labeler, page, n_characters) for name, labeler in labelers.items()}
        html = source.html if isinstance(source.html, str) else decode_html(source.html)
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


if __name__ == "__main__":
    main()
