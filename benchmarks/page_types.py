"""Fit the head of a finished model that tells page types to the pages of WCXB, and write it into the model's folder.

    python benchmarks/page_types.py models/web2text-2026 --data DIR

Training does this itself. web2text-2026 was trained before the head was part of a model. No other weight changes.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from scrapy_web2text.arrays import FloatArray
from scrapy_web2text.evaluation.corpora import open_corpus, read_split
from scrapy_web2text.labelers.modern.labeler import ModernLabeler
from scrapy_web2text.labelers.weights import load_model
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.training.export import write_model
from scrapy_web2text.training.modern.batches import PAGE_TYPES
from scrapy_web2text.training.modern.page_types import fit_page_types

CORPUS = "wcxb"


def summarize(labeler: ModernLabeler, data: Path, ids: Iterable[str]) -> tuple[FloatArray, list[int]]:
    """Return the summaries and the types of the pages with *ids* that have blocks."""
    summaries, types = [], []
    for source in open_corpus(CORPUS, data).pages(ids):
        page = tree_to_page(to_tree(source.html))
        blocks = labeler.blocks(page)
        if source.kind in PAGE_TYPES and blocks.n_blocks:
            summaries.append(labeler.summarize(labeler.features(page, blocks)))
            types.append(PAGE_TYPES.index(source.kind))
    return np.stack(summaries), types


def main() -> None:
    """Fit the head, print how well it does on the validation pages, and write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="folder of the model")
    parser.add_argument("--data", type=Path, required=True, help="folder with the corpora")
    args = parser.parse_args()
    splits = args.folder / "splits.json"
    model = load_model(args.folder)
    labeler = ModernLabeler(model)
    head = fit_page_types(*summarize(labeler, args.data, read_split(splits, CORPUS, "train")))
    summaries, types = summarize(labeler, args.data, read_split(splits, CORPUS, "val"))
    logits = summaries @ head["page_type.weight"] + head["page_type.bias"]
    shares = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    named, best = logits.argmax(axis=1), shares.max(axis=1)
    print(f"{len(types)} pages: {np.mean(named == types):.3f} right, mean probability {best.mean():.3f}")
    for number, name in enumerate(PAGE_TYPES):
        is_type, is_named = np.array(types) == number, named == number
        n_right = int((is_type & is_named).sum())
        print(f"{name:14} {is_type.sum():4} pages, recall {n_right / is_type.sum():.2f}", end="")
        print(f", precision {n_right / max(1, is_named.sum()):.2f}")
    names = ("manifest.json", "recipe.toml", "splits.json")
    files = {name: (args.folder / name).read_text(encoding="utf-8") for name in names[1:]}
    manifest = {key: value for key, value in model.manifest.items() if key not in ("format_version", "weights")}
    manifest["page_types"] = list(PAGE_TYPES)
    write_model(args.folder, model.tensors | head, manifest, files)
    print(json.dumps({"page_types": manifest["page_types"]}))


if __name__ == "__main__":
    main()
