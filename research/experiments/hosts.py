"""Measure whether the other pages of a host tell what is content.

    python -m research.experiments.hosts --data DIR --left-out FOLDER    # extra train

A text that recurs on a host, or in the same place of its template, is evidence against a block, and a place with a new
text on each page is evidence for it. This evidence is added to the log-odds of each block. Its weights are fitted on
some hosts and judged on others, for several divisions of the hosts into folds. All answers are by models that were not
trained on the corpus: the shipped one, or those of benchmarks/left_out.py in the folder of --left-out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.folds import error_by_site
from research.commands import make_parser
from research.experiments.host_pages import COLUMNS, HostPage, describe_corpus, logit, read_hosts
from scrapy_web2text.labelers.registry import get_labeler
from scrapy_web2text.page.blocks import Label
from scrapy_web2text.training.modern.data import page_word_scores

DEFAULT = "web2text-2026"
# The model of benchmarks/left_out.py that has not been trained on a corpus; None for the shipped one.
CORPORA = {
    "more/daniel5": None,
    "seeds/l3s_gn1": None,
    "seeds/dragnet1381": None,
    "more/utomo720": None,
    "more/forum_archives": "without-forums",
    "more/docs_builders": "without-documentation",
    "more/wwwxmu_zh_news": "without-articles",
    "more/cleanportaleval": "without-articles",
}
N_FOLDS = 5
N_DIVISIONS = 4
# The columns of each method that is fitted.
FITTED = {
    "no evidence": COLUMNS[:2],
    "text": COLUMNS[:5],
    "text and slot": COLUMNS,
}
TREES = "text and slot, trees"
ONLY_TAKEN = "text and slot, nothing added"
LEARNED = (*FITTED, ONLY_TAKEN, TREES)
# Bare rules: content is dropped if its text is on so many other pages, or on this share of them.
RULES = {"on 3 other pages": ("text_pages", np.log1p(3)), "on half of the pages": ("text_share", 0.5)}
BIASES = np.arange(-1.5, 1.6, 0.25)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = make_parser(__doc__)
    parser.add_argument("--left-out", type=Path, required=True, help="the folder of benchmarks/left_out.py")
    args = parser.parse_args(arguments)
    corpora = {}
    for name, model in CORPORA.items():
        labeler = get_labeler(DEFAULT if model is None else str(args.left_out / model))
        corpora[name] = read_hosts(name, args.data, labeler)
    print_table(corpora, judge_methods(corpora))


def judge_methods(corpora: Mapping[str, Sequence[HostPage]]) -> dict[str, dict[str, NDArray[np.float64]]]:
    """Return the gain in word F1 of each page, by method and corpus. *Shape of each:* ``(number of pages,)``

    Weights are fitted on four of five parts of the hosts, and judged on the fifth. A gain is the mean over divisions.
    """
    columns = {name: describe_corpus(pages) for name, pages in corpora.items()}
    gains: dict[str, dict[str, NDArray[np.float64]]] = {
        method: {name: np.zeros(len(pages)) for name, pages in corpora.items()} for method in (*RULES, *LEARNED)
    }
    for name, pages in corpora.items():
        for method, (column, least) in RULES.items():
            for number, (page, values) in enumerate(zip(pages, columns[name], strict=True)):
                is_dropped = values[:, COLUMNS.index(column)] >= least
                gains[method][name][number] = gain(page, np.where(is_dropped, Label.BOILERPLATE, page.labels))
    for division, method in product(range(N_DIVISIONS), LEARNED):
        folds = {name: assign_folds([page.host for page in pages], division) for name, pages in corpora.items()}
        for fold in range(N_FOLDS):
            decide = fit(method, corpora, columns, {name: folds[name] != fold for name in corpora})
            for name, pages in corpora.items():
                for number in np.flatnonzero(folds[name] == fold).tolist():
                    own = gain(pages[number], decide(pages[number], columns[name][number]))
                    gains[method][name][number] += own / N_DIVISIONS
    return gains


def assign_folds(hosts: Sequence[str], seed: int) -> NDArray[np.int64]:
    """Return the fold of each page. All pages of a host are in one; hosts of similar size are in different ones."""
    random = np.random.default_rng(seed)
    sizes = Counter(sorted(hosts))
    order = sorted(sizes, key=lambda host: (-sizes[host], random.random()))
    fold_of = {host: number % N_FOLDS for number, host in enumerate(order)}
    return np.array([fold_of[host] for host in hosts])


def fit(
    method: str,
    corpora: Mapping[str, Sequence[HostPage]],
    columns: Mapping[str, Sequence[NDArray[np.float64]]],
    chosen: Mapping[str, NDArray[np.bool_]],
) -> Callable[[HostPage, NDArray[np.float64]], NDArray[np.int64]]:
    """Return a function from a page and its columns to labels, fitted to the *chosen* pages of all corpora.

    Each corpus has the same weight, and so has each of its pages. The bias is the one with the best mean word F1.
    """
    used = [COLUMNS.index(name) for name in FITTED.get(method, COLUMNS)]
    groups = [
        [(page, values) for page, values, is_own in zip(pages, columns[name], chosen[name], strict=True) if is_own]
        for name, pages in corpora.items()
    ]
    groups = [group for group in groups if group]
    model = fit_model(method, groups, used)

    def log_odds(values: NDArray[np.float64]) -> Any:
        return logit(model.predict_proba(values[:, used])[:, 1])

    def answer(page: HostPage, odds: NDArray[np.float64]) -> NDArray[np.int64]:
        labels = relabel(page, odds)
        return np.minimum(labels, page.labels) if method == ONLY_TAKEN else labels

    scored = [[(page, log_odds(values)) for page, values in group] for group in groups]

    def mean_gain(bias: float) -> float:
        return fmean(fmean(gain(page, answer(page, odds + bias)) for page, odds in group) for group in scored)

    best = max(BIASES.tolist(), key=mean_gain)
    return lambda page, values: answer(page, log_odds(values) + best)


def fit_model(
    method: str, groups: Sequence[Sequence[tuple[HostPage, NDArray[np.float64]]]], used: Sequence[int]
) -> Any:
    """Return a classifier of blocks that is fitted to the pages of each corpus and their columns."""
    weights = [
        np.sqrt(page.judged.n_words) / max(1.0, np.sqrt(page.judged.n_words).sum()) / len(group)
        for group in groups
        for page, _ in group
    ]
    x = np.concatenate([values[:, used] for group in groups for _, values in group])
    y = np.concatenate([page.judged.page.labels for group in groups for page, _ in group])
    sample_weight = np.concatenate(weights) / np.concatenate(weights).mean()
    if method == TREES:
        trees = HistGradientBoostingClassifier(max_iter=100, max_leaf_nodes=15, random_state=0)
        return trees.fit(x, y, sample_weight=sample_weight)
    return make_pipeline(StandardScaler(), LogisticRegression()).fit(
        x, y, logisticregression__sample_weight=sample_weight
    )


def relabel(page: HostPage, log_odds: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the labels of a page by other log-odds, where its labels follow from them at all. *Shape:* ``(n,)``"""
    return np.where(page.is_free, np.where(log_odds >= 0, Label.CONTENT, Label.BOILERPLATE), page.labels)


def gain(page: HostPage, labels: NDArray[np.int64]) -> float:
    """Return the word F1 of *labels*, less that of the answer of the model."""
    return page_word_scores(page.judged, labels).f1 - page.f1


def print_table(
    corpora: Mapping[str, Sequence[HostPage]], gains: Mapping[str, Mapping[str, NDArray[np.float64]]]
) -> None:
    """Print the gain of each method in each corpus, with its standard error by host, and the mean of the corpora."""
    print(f"| | {' | '.join(name.rpartition('/')[2] for name in corpora)} | mean |")
    print(f"|---|{'---:|' * (len(corpora) + 1)}")
    print(f"| hosts | {' | '.join(str(len({page.host for page in pages})) for pages in corpora.values())} | |")
    print(f"| pages | {' | '.join(str(len(pages)) for pages in corpora.values())} | |")
    base = [np.mean([page.f1 for page in pages]) for pages in corpora.values()]
    print(f"| word F1 without evidence | {' | '.join(f'{f1:.3f}' for f1 in base)} | {np.mean(base):.3f} |")
    for method, own in gains.items():
        cells = []
        for name, values in own.items():
            error = error_by_site(values, [page.host for page in corpora[name]])
            cells.append(f"{values.mean():+.4f} ± {error:.4f}")
        mean = np.mean([values.mean() for values in own.values()])
        print(f"| {method} | {' | '.join(cells)} | {mean:+.4f} |", flush=True)


if __name__ == "__main__":
    main()
