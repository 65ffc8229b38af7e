"""The systems of docs/comparison.md: how they are trained, and where a model and its cost are kept."""

from __future__ import annotations

import copy
import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from research import MODELS
from research.chains.build import build_chain
from research.chains.kinds import CHAIN_KINDS
from research.comparison.sets import PAPERS_DECODING, PageSet
from research.dragnet.fit import CorpusChoice as DragnetCorpus
from research.dragnet.fit import DragnetRecipe
from research.dragnet.training import build_dragnet
from research.web2text.original import import_original
from research.web2text.recipe import CnnHmmRecipe, CorpusChoice
from research.web2text.train import build_cnn_hmm
from scrapy_web2text.evaluation.corpora import read_split
from scrapy_web2text.evaluation.peers import get_peer
from scrapy_web2text.labelers.base import Labeler
from scrapy_web2text.labelers.chain import ChainLabeler
from scrapy_web2text.labelers.weights import load_model
from scrapy_web2text.training.recipe import read_labeler, read_recipe

# The systems of the papers by their rows: the recipe, and feature sets that replace those of Dragnet's recipe.
TRAINED = {
    "dragnet-2013 IC": ("dragnet-2013/recipe.toml", ("ic",)),
    "dragnet-2013 ST": ("dragnet-2013/recipe.toml", ("st",)),
    "dragnet-2013 ST+IC": ("dragnet-2013/recipe.toml", ("st", "ic")),
    "dragnet-2013 ST+IC+CETR": ("dragnet-2013/recipe.toml", ("st", "ic", "cetr")),
    "boilernet": ("boilernet/recipe.toml", ()),
    "semtext text": ("semtext/recipe-text.toml", ()),
    "semtext text+tags": ("semtext/recipe-tags.toml", ()),
    "semtext text+classes": ("semtext/recipe-classes.toml", ()),
    "semtext": ("semtext/recipe.toml", ()),
    "crf-2018": ("crf-2018/recipe.toml", ()),
    "web2text-2018": ("web2text-2018/recipe.toml", ()),
}
# The model web2text-2018 without its pairwise term, and with that of the paper.
DECODINGS = {"web2text-2018 unary": 0.0, PAPERS_DECODING: 0.1}
COST_FILE = "cost.json"
# Number of training pages in the recipes; epochs are scaled so that the number of steps stays the same.
N_RECIPE_PAGES = 531
LABELERS = ("cnn-hmm", "dragnet", *CHAIN_KINDS)


@dataclass(frozen=True)
class Cost:
    """The cost of a training.

    :param n_weights: number of fitted weights.
    :param minutes: CPU time of the training, including reading the pages.
    """

    n_weights: int
    minutes: float


def train(name: str, out: Path, page_set: PageSet, splits: Path, data: Path, seed: int) -> None:
    """Train a system into the folder *out*, unless it is there, and write the cost beside the model."""
    if (out / COST_FILE).exists():
        return
    print(f"training {name}: {out}", file=sys.stderr, flush=True)
    start = time.process_time()
    build(name, out, page_set, splits, data, seed)
    cost = Cost(count_weights(out), (time.process_time() - start) / 60)
    (out / COST_FILE).write_text(json.dumps(asdict(cost)) + "\n", encoding="utf-8")


def read_cost(folder: Path) -> Cost:
    """Return the cost of a training."""
    return Cost(**json.loads((folder / COST_FILE).read_text(encoding="utf-8")))


def build(name: str, out: Path, page_set: PageSet, splits: Path, data: Path, seed: int) -> None:
    """Train a system of a recipe on the training pages of *splits*."""
    corpus = page_set.corpus
    recipe_file, sets = TRAINED[name]
    path = MODELS / recipe_file
    labeler = read_labeler(path, LABELERS)
    corpora = (CorpusChoice(corpus, split=corpus, train="train", val="val"),)
    if labeler == "dragnet":
        dragnet = replace(
            read_recipe(DragnetRecipe, path), features=sets, corpora=(DragnetCorpus(corpus, "train"),), val=corpus
        )
        build_dragnet(dragnet, splits, data, seed=seed, out=out, files={})
    elif labeler == "cnn-hmm":
        recipe = replace(read_recipe(CnnHmmRecipe, path), corpora=corpora)
        build_cnn_hmm(recipe, splits, data, seed=seed, out=out, files={})
    else:
        chain = read_recipe(CHAIN_KINDS[labeler].recipe, path)
        passes = page_set.effort * N_RECIPE_PAGES / len(read_split(splits, corpus, "train"))
        epochs = round(chain.training.epochs * passes)
        chain = replace(chain, corpora=corpora, training=replace(chain.training, epochs=epochs))
        build_chain(chain, splits, data, seeds=(seed,), out=out, files={})


def count_weights(folder: Path) -> int:
    """Return the number of weights of a model."""
    return sum(tensor.size for tensor in load_model(folder).tensors.values())


def model_folder(folder: Path, name: str, seed: int) -> Path:
    """Return the folder of a trained system in that of a set of pages."""
    return folder / f"seed-{seed}" / name.replace(" ", "-")


def find_seeds(folder: Path, name: str) -> tuple[int, ...]:
    """Return the seeds that a system was trained with, in ascending order."""
    numbers = (int(each.name.removeprefix("seed-")) for each in folder.glob("seed-*"))
    return tuple(sorted(seed for seed in numbers if (model_folder(folder, name, seed) / COST_FILE).exists()))


def is_random(name: str) -> bool:
    """Return whether the training of a system depends on its seed; Dragnet's regression has one optimum."""
    return read_labeler(MODELS / TRAINED[name][0], LABELERS) != "dragnet"


def import_authors(checkpoint: Path, folder: Path) -> None:
    """Write the networks of the authors into the *folder* of a set of pages, unless they are there."""
    if not authors_folder(folder).exists():
        import_original(checkpoint, authors_folder(folder))


def authors_folder(folder: Path) -> Path:
    """Return the folder of the authors' networks in that of a set of pages."""
    return folder / "authors"


def with_lam(model: Labeler, lam: float) -> Labeler:
    """Return a *model* of web2text-2018 with another weight of its pairwise term; 0 for the unary potentials only."""
    if not isinstance(model, ChainLabeler):
        raise TypeError(f"{model!r} has no pairwise term")
    other = copy.copy(model)
    other._lam = lam  # noqa: SLF001
    return other


def load_peer(name: str) -> tuple[str, Callable[[str], str]] | None:
    """Return another extractor by its name, or None, with a message, if it is not installed."""
    try:
        return name, get_peer(name)
    except ValueError as error:
        print(f"Skipping {name}: {error}", file=sys.stderr)
        return None
