"""Compare cross-validations of recipes, page by page: mean word F1, and differences with standard errors by site.

    python benchmarks/cross_validation.py a --data DIR --folds 5 --seed 0 1 2 3 4 --out a
    python benchmarks/cross_validation.py b --data DIR --folds 5 --seed 0 1 2 3 4 --out b
    python benchmarks/folds.py a/folds.json b/folds.json …

The folds of the shipped model are in models/web2text-2026/folds.json.xz.

The value of a page is the mean over the seeds. A mean has half the width of its 95 % interval, by a bootstrap over
pages, and the lowest and the highest mean of a seed. Each later file is compared with the first one on the pages of
both; the standard error of the difference is that of a mean of sums by site, since the pages of a site succeed and fail
together. Two tables are printed: judged by readings where pages have one, and by the published clean texts.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.fold_scores import read_folds
from scrapy_web2text.common.arrays import DoubleArray
from scrapy_web2text.evaluation.scores import N_SAMPLES, bootstrap_means, interval

GOLDS = {"f1": "judged by readings where there are some", "published_f1": "judged by the published texts"}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "files", nargs="+", type=Path, help="folds.json or folds.json.xz of each recipe; the first is the base"
    )
    args = parser.parse_args()
    runs = [read_pages(path) for path in args.files]
    for gold, title in GOLDS.items():
        print(f"\n{title}")
        base = average(runs[0], gold)
        for path, pages in zip(args.files, runs, strict=True):
            print_rows(path.parent.name, pages, gold, None if pages is runs[0] else base)


def read_pages(path: Path) -> list[dict[str, Any]]:
    """Return the pages of a folds.json, or of a compressed one."""
    return read_folds(path)["pages"]


def average(pages: Iterable[dict[str, Any]], gold: str) -> dict[str, float]:
    """Return the mean over the seeds of each page."""
    values = defaultdict(list)
    for page in pages:
        values[page["id"]].append(page[gold])
    return {page_id: float(np.mean(found)) for page_id, found in values.items()}


def print_rows(name: str, pages: Sequence[dict[str, Any]], gold: str, base: Mapping[str, float] | None) -> None:
    """Print the mean of a recipe by page type, and its difference from the *base* if there is one."""
    facts = {page["id"]: page for page in pages if base is None or page["id"] in base}
    own = average(pages, gold)
    for kind in ("all", *sorted({page["kind"] for page in facts.values()})):
        ids = [page_id for page_id, page in facts.items() if kind in ("all", page["kind"])]
        scores = np.array([own[page_id] for page_id in ids])
        low, high = interval(bootstrap_means(scores[:, None], n_samples=N_SAMPLES, seed=0))[:, 0].tolist()
        row = f"  {name:24} {kind:14} {len(ids):5} {scores.mean():.4f} ±{(high - low) / 2:.4f}"
        row += format_seeds([page for page in pages if page["id"] in facts and kind in ("all", page["kind"])], gold)
        if base is not None:
            differences = scores - np.array([base[page_id] for page_id in ids])
            error = error_by_site(differences, [facts[page_id]["site"] for page_id in ids])
            row += f"  {differences.mean():+.4f} ± {error:.4f}"
        print(row)


def format_seeds(pages: Iterable[dict[str, Any]], gold: str) -> str:
    """Return the lowest and the highest mean of a seed; nothing for a single seed."""
    values = defaultdict(list)
    for page in pages:
        values[page["seed"]].append(page[gold])
    means = sorted(float(np.mean(found)) for found in values.values())
    return f" ({means[0]:.4f} to {means[-1]:.4f})" if len(means) > 1 else ""


def error_by_site(values: DoubleArray, sites: list[str]) -> float:
    """Return the standard error of the mean of *values* if those of one site are not independent. *Shape:* ``(n,)``"""
    _, numbers = np.unique(sites, return_inverse=True)
    sums = np.bincount(numbers, weights=values - values.mean())
    return float(np.sqrt((sums**2).sum()) / len(values))


if __name__ == "__main__":
    main()
