"""Train Web2Text on the features that its paper describes, and on those that its program computes: which are better?

    python -m research.web2text.written_features --data DIR --out FOLDER    # all variants: 75 minutes of CPU
    python -m research.web2text.written_features --data DIR --out FOLDER --variant paper    # one and the program

`written_columns.py` has the differences between the two. A variant makes one, some or all of them, and is trained by
the recipe of `web2text-2018`, with several seeds. Trained networks in FOLDER are reused. The table has the F1 over the
leaves of the test pages with the paper's weight of the pairwise term, .1, and the difference from the program's
features with the same seed. The pairwise network changes few labels, so only the whole paper and the variant that
concerns edges alone have one of their own; the others use that of the program.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.formats import format_share, format_table
from research import MODELS
from research.commands import make_parser
from research.leaf_scores import block_scores, bootstrap_block_scores, confusion_counts
from research.pages import segment_page, viterbi
from research.web2text.data import LabeledRows, label_pages
from research.web2text.network import page_logits
from research.web2text.recipe import CnnHmmRecipe
from research.web2text.train import train_pairwise, train_unary
from research.web2text.written_columns import (
    BINARY_BLOCKS,
    BINARY_EDGES,
    DIFFERENCES,
    FLAGS,
    FRACTIONS,
    LIMITS,
    LINE_BREAKS,
    SCRIPTS,
    STANDARDIZATION,
    STOPWORDS,
    TREE,
    written_features,
)
from scrapy_web2text.common.arrays import BoolArray, DoubleArray, FloatArray, IntArray
from scrapy_web2text.evaluation.corpora import Corpus, open_corpus, read_split
from scrapy_web2text.evaluation.scores import interval
from scrapy_web2text.labelers.numeric import log_softmax
from scrapy_web2text.page.blocks import TEXT_LEAVES, segment
from scrapy_web2text.training.fitting import torch_threads
from scrapy_web2text.training.recipe import read_recipe

MODEL: Final = MODELS / "web2text-2018"
CORPUS: Final = "cleaneval"
# Test sets of CleanEval by the split of the model's page ids.
SETS: Final = {"web2text": "148 test pages, 531 for training", "original": "676 test pages, 56 for training"}
PARTS: Final = ("train", "val", "test")
PROGRAM: Final = "program"
PAPER: Final = "paper"
COLUMNS: Final[Mapping[str, Collection[str]]] = {
    PROGRAM: (),
    **{difference: (difference,) for difference in DIFFERENCES},
    "stopwords and scripts": (STOPWORDS, SCRIPTS),
    "flags, limits, tree and fractions": (FLAGS, LIMITS, TREE, FRACTIONS),
    PAPER: DIFFERENCES,
}
# The columns of blocks and of edges of each variant.
VARIANTS: Final = {
    **{columns: (columns, PROGRAM) for columns in COLUMNS if columns != PAPER},
    LINE_BREAKS: (PROGRAM, LINE_BREAKS),
    "paper, of blocks alone": (PAPER, PROGRAM),
    PAPER: (PAPER, PAPER),
}
LAM: Final = 0.1
N_SAMPLES: Final = 2000
_TRAIN: Final = {"blocks": train_unary, "edges": train_pairwise}

_segment = partial(segment, segmentation=TEXT_LEAVES)


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("--out", required=True, type=Path, metavar="FOLDER", help="the folder of trained networks")
    parser.add_argument("--variant", action="append", choices=[*VARIANTS], help="a variant to train (all)")
    parser.add_argument("--set", action="append", choices=[*SETS], help="a split of CleanEval (both)")
    parser.add_argument("--seeds", type=int, default=5, help="trainings of each network (%(default)s)")
    args = parser.parse_args()
    if args.seeds < 2:
        parser.error(f"--seeds: expected 2 or more for a standard error, got {args.seeds}")
    variants = [PROGRAM, *(name for name in args.variant or VARIANTS if name != PROGRAM)]
    with torch_threads(1):
        found = {
            name: {variant: answer(rows, variant, args.seeds, args.out / name) for variant in variants}
            for name, rows in ((each, read_rows(args.data, each)) for each in args.set or SETS)
        }
    print(format_variants(found))


@dataclass(frozen=True)
class Answers:
    """The labels of a variant on the test pages of a set.

    :param counts: for each seed and page, the numbers of `confusion_counts`. *Shape:* ``(seeds, n_pages, 4)``
    """

    counts: IntArray

    @property
    def f1(self) -> DoubleArray:
        """F1 over all leaves of each seed. *Shape:* ``(seeds,)``"""
        return block_scores(self.counts.sum(axis=1))[:, 3]

    def bootstrap(self) -> DoubleArray:
        """Return the mean F1 of the seeds on samples of the pages; pages are drawn as for any other variant."""
        samples = [bootstrap_block_scores(counts, n_samples=N_SAMPLES, seed=0)[:, 3] for counts in self.counts]
        return np.mean(samples, axis=0)


@dataclass(frozen=True)
class PageRows:
    """The pages of a set, with the program's features and the labels of their leaves, by part."""

    corpus: Corpus
    ids: Mapping[str, Sequence[str]]
    parts: Mapping[str, LabeledRows]

    def vary(self, differences: Collection[str]) -> dict[str, LabeledRows]:
        """Return the rows of all parts with *differences* from the program."""
        parts = {part: self._compute(part, differences) for part in PARTS} if differences else dict(self.parts)
        return standardize(parts) if STANDARDIZATION in differences else parts

    def _compute(self, part: str, differences: Collection[str]) -> LabeledRows:
        segmented = (segment_page(page, _segment) for page in self.corpus.pages(self.ids[part]))
        features = [written_features(*each, differences) for each in segmented if each is not None]
        return replace(
            self.parts[part],
            block_features=np.concatenate([each.blocks for each in features]),
            edge_features=np.concatenate([each.edges for each in features]),
        )


def read_rows(data: Path, split: str) -> PageRows:
    """Return the pages of one split of CleanEval."""
    corpus = open_corpus(CORPUS, data)
    ids = {part: read_split(MODEL / "splits.json", split, part) for part in PARTS}
    return PageRows(corpus, ids, {part: label_pages(corpus.pages(ids[part])) for part in PARTS})


def standardize(parts: Mapping[str, LabeledRows]) -> dict[str, LabeledRows]:
    """Return all parts with each column that is not binary standardized on the training pages."""
    blocks = _fit_scales(parts["train"].block_features, BINARY_BLOCKS)
    edges = _fit_scales(parts["train"].edge_features, BINARY_EDGES)
    return {
        part: replace(
            rows,
            block_features=_scale(rows.block_features, *blocks),
            edge_features=_scale(rows.edge_features, *edges),
        )
        for part, rows in parts.items()
    }


def _fit_scales(rows: FloatArray, is_binary: BoolArray) -> tuple[DoubleArray, DoubleArray]:
    """Return the mean and the deviation of each column; 0 and 1 for binary ones. *Shapes:* ``(F,)`` twice"""
    deviations = rows.std(axis=0, dtype=np.float64)
    deviations[deviations == 0] = 1
    return np.where(is_binary, 0, rows.mean(axis=0, dtype=np.float64)), np.where(is_binary, 1, deviations)


def _scale(rows: FloatArray, means: DoubleArray, deviations: DoubleArray) -> FloatArray:
    return ((rows - means) / deviations).astype(np.float32)


def answer(pages: PageRows, variant: str, n_seeds: int, folder: Path) -> Answers:
    """Return the labels of a variant on the test pages, after training the networks that are not in *folder*."""
    test = pages.parts["test"]
    folder.mkdir(parents=True, exist_ok=True)
    counts = []
    rows: dict[str, dict[str, LabeledRows]] = {}
    for seed in range(n_seeds):
        logits = {}
        for network, columns in zip(_TRAIN, VARIANTS[variant], strict=True):
            path = folder / f"{columns}, {network}, seed {seed}.npy"
            if not path.exists():
                rows[columns] = rows.get(columns) or pages.vary(COLUMNS[columns])
                np.save(path, train(rows[columns], network, seed))
            logits[network] = np.load(path)
        counts.append(count_answers(logits["blocks"], logits["edges"], test))
    return Answers(np.array(counts))


def train(rows: Mapping[str, LabeledRows], network: str, seed: int) -> FloatArray:
    """Return the logits of a network, ``blocks`` or ``edges``, for the test pages. *Shape:* ``(n_rows, 2 or 4)``"""
    recipe = read_recipe(CnnHmmRecipe, MODEL / "recipe.toml")
    fitted = _TRAIN[network](recipe, rows["train"], rows["val"], seed=seed)
    return page_logits(fitted.network, getattr(rows["test"], network)).numpy()


def count_answers(blocks: FloatArray, edges: FloatArray, test: LabeledRows) -> IntArray:
    """Return the numbers of `confusion_counts` of each page. *Shape:* ``(n_pages, 4)``"""
    bounds = np.cumsum(test.lengths)[:-1]
    unary = np.split(log_softmax(blocks.astype(np.float64)), bounds)
    pairwise = np.split(LAM * log_softmax(edges.astype(np.float64)).reshape(-1, 2, 2), test.edges.starts[1:])
    chains = zip(unary, pairwise, np.split(test.labels, bounds), strict=True)
    return np.array([confusion_counts(viterbi(*potentials), labels) for *potentials, labels in chains])


def format_variants(found: Mapping[str, Mapping[str, Answers]]) -> str:
    """Return the F1 of all variants, and their differences from the program, as a Markdown table.

    :param found: the answers by set and variant.
    """
    header = ["features", *(cell for name in found for cell in (f"F1, {SETS[name]}", "difference", "by pages"))]
    variants = next(iter(found.values()))
    rows = [
        [variant, *(cell for answers in found.values() for cell in _format_cells(answers, variant))]
        for variant in variants
    ]
    return format_table(header, rows)


def _format_cells(answers: Mapping[str, Answers], variant: str) -> list[str]:
    """Return mean and range of F1; mean difference with its standard error over seeds; its interval over pages."""
    f1 = answers[variant].f1
    cells = [f"{format_share(f1.mean())} ({format_share(f1.min())} to {format_share(f1.max())})"]
    if variant == PROGRAM:
        return [*cells, "", ""]
    differences = f1 - answers[PROGRAM].f1
    error = differences.std(ddof=1) / len(differences) ** 0.5
    low, high = interval((answers[variant].bootstrap() - answers[PROGRAM].bootstrap())[:, None])[:, 0]
    return [*cells, f"{differences.mean():+.3f} ± {error:.3f}", f"{low:+.3f} to {high:+.3f}"]


if __name__ == "__main__":
    main()
