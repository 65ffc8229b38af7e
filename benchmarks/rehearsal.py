"""Write the rehearsal rows of the default model: features and labels of small pages of WCXB, which is under CC-BY-4.0.

python benchmarks/rehearsal.py models/web2text-2026 --data DIR
"""

from __future__ import annotations

import argparse
import io
import lzma
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from scrapy_web2text.common.arrays import AnyArray, FloatArray
from scrapy_web2text.evaluation.corpora import open_corpus
from scrapy_web2text.labelers.modern.network import MAX_INPUT
from scrapy_web2text.labelers.weights import load_model
from scrapy_web2text.training.modern.batches import TrainingPage
from scrapy_web2text.training.modern.data import Sources
from scrapy_web2text.training.modern.recipe import ModernRecipe
from scrapy_web2text.training.modern.tuning_pages import AXES, LABELS, MOST, REHEARSAL_FILE
from scrapy_web2text.training.recipe import read_recipe

CORPUS: Final = "wcxb"
# Small pages, so that there are many; one of each site, and not too many of a type.
BLOCKS: Final = range(12, 91)
MOST_OF_A_TYPE: Final = 16


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("model", type=Path, help="the folder of the model, with its recipe and page ids")
    parser.add_argument("--data", type=Path, required=True, help="the folder of the corpora")
    args = parser.parse_args()
    recipe = read_recipe(ModernRecipe, args.model / "recipe.toml")
    sources = Sources.of(recipe, args.model / "splits.json", args.data)
    pages = sources.load(CORPUS, open_corpus(CORPUS, args.data).ids, keep_all=True)
    random.Random(3).shuffle(pages)
    sites, types, chosen = set(), Counter[int](), []
    for page in pages:
        kind = page.page.page_type
        fits = page.is_good and kind >= 0 and page.page.n_blocks in BLOCKS
        if fits and page.site not in sites and types[kind] < MOST_OF_A_TYPE:
            sites.add(page.site)
            types[kind] += 1
            chosen.append(page.page)
    path = args.model / REHEARSAL_FILE
    write_rehearsal(path, chosen, load_model(args.model).tensors)
    print(f"{path}: {len(chosen)} pages, {path.stat().st_size:,} bytes")


def write_rehearsal(path: Path, pages: Sequence[TrainingPage], tensors: dict[str, FloatArray]) -> None:
    """Write the features and labels of *pages*.

    :param tensors: those of a model, with the mean and the deviation of each column.
    """
    mean, deviation = tensors["mean"], tensors["deviation"]
    stored: dict[str, Any] = {"mean": mean, "deviation": deviation}
    for name, axis in {**AXES, LABELS: 0}.items():
        parts = [page.labels if name == LABELS else getattr(page.features, name) for page in pages]
        joined = np.concatenate(parts, axis=axis)
        if name == "dense":
            inputs = np.clip((joined - mean) / deviation, -MAX_INPUT, MAX_INPUT)
            rounded: AnyArray = np.rint(inputs * (MOST / MAX_INPUT)).astype(np.int8)
        else:
            rounded = joined.astype(find_smallest_type(joined))
        stored |= {name: rounded, f"{name}.lengths": np.array([part.shape[axis] for part in parts])}
    content = io.BytesIO()
    np.savez(content, **stored)
    path.write_bytes(lzma.compress(content.getvalue(), preset=9 | lzma.PRESET_EXTREME))


def find_smallest_type(values: AnyArray) -> type[np.integer[Any]]:
    """Return the smallest type that holds all *values*, whole numbers from -1."""
    most = int(values.max(initial=0))
    return next(kind for kind in (np.int8, np.int16, np.int32, np.int64) if most <= np.iinfo(kind).max)


if __name__ == "__main__":
    main()
