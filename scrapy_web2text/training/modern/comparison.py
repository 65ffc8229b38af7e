"""Compares a trained model with the default model, on pages that neither of them has seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scrapy_web2text.evaluation.corpora import open_corpus
from scrapy_web2text.evaluation.run import evaluate_all
from scrapy_web2text.labelers.registry import get_labeler
from scrapy_web2text.labelers.weights import find_model
from scrapy_web2text.options import DEFAULT_MODEL
from scrapy_web2text.training.modern.recipe import READ, ModernRecipe
from scrapy_web2text.training.progress import no_progress
from scrapy_web2text.training.recipe import read_recipe
from scrapy_web2text.training.splits import corpus_ids

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_web2text.training.progress import Track

__all__ = ["Comparison", "compare_with_default", "describe_comparison"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The mean word F1 of two models on the same pages.

    :param own: that of the trained model.
    :param default: that of the default model.
    :param difference: *own* less *default*, and the ends of its 95 % interval.
    """

    n_pages: int
    own: float
    default: float
    difference: tuple[float, float, float]

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain data for JSON."""
        return {
            "pages": self.n_pages,
            "word_f1": round(self.own, 4),
            "default_model": DEFAULT_MODEL,
            "default_word_f1": round(self.default, 4),
            "difference": [round(value, 4) for value in self.difference],
        }


def compare_with_default(
    folder: Path, recipe: ModernRecipe, splits: Path, data: Path, *, track: Track = no_progress
) -> Comparison | None:
    """Return the scores of the model in *folder* and of the default model on the part ``test`` of the val corpus.

    Pages that one of the models has seen are left out.

    :param recipe: the recipe of the model.
    :param splits: JSON file of page ids by corpus and part.
    :returns: None if no page is left.
    """
    ids = _find_held_out(recipe, splits, data)
    if not ids:
        return None
    labelers = {"own": get_labeler(str(folder.resolve())), "default": get_labeler(DEFAULT_MODEL)}
    pages = track(open_corpus(recipe.val, data).pages(ids), len(ids), title="test")
    own, default = evaluate_all(labelers, pages)
    return Comparison(len(ids), own.words.f1, default.words.f1, default.difference(own))


def describe_comparison(comparison: Comparison | None, name: str) -> str:
    """Return the result in one line.

    :param name: what the trained model is called.
    """
    if comparison is None:
        return f"not compared with {DEFAULT_MODEL}: the val corpus has no pages in its part test that are new to both"
    n = comparison.n_pages
    pages = f"{n:,} {'page' if n == 1 else 'pages'} held out of both"
    own, default = f"{comparison.own:.3f}", f"{comparison.default:.3f}"
    if comparison.own < comparison.default:
        return f"{name} is worse than {DEFAULT_MODEL}: word F1 {own} against {default}, on {pages}"
    return f"word F1 on {pages}: {own} for {name}, {default} for {DEFAULT_MODEL}"


def _find_held_out(recipe: ModernRecipe, splits: Path, data: Path) -> list[str]:
    """Return the ids of the test pages that neither model has seen."""
    try:
        test = corpus_ids(recipe.val, "test", data, splits)
    except ValueError:  # the split has no such part
        return []
    default = find_model(DEFAULT_MODEL)
    seen = _find_seen(recipe, recipe.val, splits, data)
    seen |= _find_seen(read_recipe(ModernRecipe, default / "recipe.toml"), recipe.val, default / "splits.json", data)
    return [page_id for page_id in test if page_id not in seen]


def _find_seen(recipe: ModernRecipe, corpus: str, splits: Path, data: Path) -> set[str]:
    """Return the ids of the pages of *corpus* that a training by *recipe* may use."""
    parts = {choice.part for choice in recipe.corpora if choice.name == corpus}
    if READ in parts:  # the readings of the default model are not part of the package
        return {*open_corpus(corpus, data).ids}
    if recipe.val == corpus:
        parts.add("val")
    return {page_id for part in parts for page_id in corpus_ids(corpus, part, data, splits)}
