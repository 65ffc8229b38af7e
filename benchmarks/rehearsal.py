"""Write the rehearsal rows of the default model: features and labels of small pages of WCXB, which is under CC-BY-4.0.

python benchmarks/rehearsal.py models/web2text-2026 --data DIR
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from pathlib import Path
from typing import Final

from scrapy_web2text.cli.train import default_cache
from scrapy_web2text.evaluation.corpora import open_corpus
from scrapy_web2text.labelers.weights import load_model
from scrapy_web2text.training.modern.recipe import ModernRecipe
from scrapy_web2text.training.modern.sources import Sources
from scrapy_web2text.training.modern.tuning_pages import REHEARSAL_FILE, write_rehearsal
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
    sources = Sources.of(recipe, args.model / "splits.json", args.data, default_cache())
    pages = sources.load_all(CORPUS, open_corpus(CORPUS, args.data).ids)
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


if __name__ == "__main__":
    main()
