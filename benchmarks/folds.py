"""Compare cross-validations of recipes, page by page: mean word F1, and differences with standard errors by site.

    web2text train a/recipe.toml --data DIR --folds 5 --seed 0 1 2 3 4 --out a      # writes a/folds.json
    web2text train b/recipe.toml --data DIR --folds 5 --seed 0 1 2 3 4 --out b
    python benchmarks/folds.py a/folds.json b/folds.json …

The folds of the shipped model are in models/web2text-2026/folds.json.xz.

Each later file is compared with the first one on the pages of both. The value of a page is the mean over the seeds. The
standard error is that of a mean of sums by site, since the pages of a site succeed and fail together. Two tables are
printed: judged by readings where pages have one, and by the published clean texts.
"""

from __future__ import annotations

import argparse
import json
import lzma
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from scrapy_web2text.arrays import DoubleArray

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
            print_rows(path.parent.name, base, average(pages, gold), runs[0])


def read_pages(path: Path) -> list[dict[str, Any]]:
    """Return the pages of a folds.json, or of a compressed one."""
    with lzma.open(path) if path.suffix == ".xz" else path.open("rb") as file:
        pages: list[dict[str, Any]] = json.load(file)["pages"]
    return pages


def average(pages: Iterable[dict[str, Any]], gold: str) -> dict[str, float]:
    """Return the mean over the seeds of each page."""
    values = defaultdict(list)
    for page in pages:
        values[page["id"]].append(page[gold])
    return {page_id: float(np.mean(found)) for page_id, found in values.items()}


def print_rows(name: str, base: dict[str, float], own: dict[str, float], pages: list[dict[str, Any]]) -> None:
    """Print the mean of *own* by page type, and its difference from *base*."""
    facts = {page["id"]: page for page in pages if page["id"] in own}
    for kind in ("all", *sorted({page["kind"] for page in facts.values()})):
        ids = [page_id for page_id, page in facts.items() if kind in ("all", page["kind"])]
        differences = np.array([own[page_id] - base[page_id] for page_id in ids])
        error = error_by_site(differences, [facts[page_id]["site"] for page_id in ids])
        mean = np.mean([own[page_id] for page_id in ids])
        print(f"  {name:24} {kind:14} {len(ids):5} {mean:.4f}  {differences.mean():+.4f} ± {error:.4f}")


def error_by_site(values: DoubleArray, sites: list[str]) -> float:
    """Return the standard error of the mean of *values* if those of one site are not independent. *Shape:* ``(n,)``"""
    _, numbers = np.unique(sites, return_inverse=True)
    sums = np.bincount(numbers, weights=values - values.mean())
    return float(np.sqrt((sums**2).sum()) / len(values))


if __name__ == "__main__":
    main()
