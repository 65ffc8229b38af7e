"""Probabilities for rules: at each leaf of their trees, the share of content among all words of the corpora."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from scrapy_web2text.alignment.characters import align_leaves
from scrapy_web2text.arrays import DoubleArray
from scrapy_web2text.evaluation import LabelledPage, open_corpus, read_split
from scrapy_web2text.exceptions import PageError
from scrapy_web2text.labelers.bte import BTE
from scrapy_web2text.labelers.rules import RuleLabeler
from scrapy_web2text.labelers.shallow import SHALLOW_NAMES, parse_shallow_rules
from scrapy_web2text.labelers.weights import FORMAT_VERSION, MANIFEST_FILE
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import segment
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.training.recipe import check, read_dataclass

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["RulesRecipe", "all_rules", "build_rules", "count_words", "read_rules_recipe", "shares_of_content"]


_DIGITS: Final = 4


@dataclass(frozen=True, slots=True)
class CorpusChoice:
    """Which pages of one corpus are counted.

    :param name: its name, such as ``cleaneval``.
    :param split: name of a split in the ``splits.json`` beside the recipe.
    :param part: part of the split.
    """

    name: str
    split: str
    part: str

    def __post_init__(self) -> None:
        for field in fields(self):
            check(f"corpora.{field.name}", getattr(self, field.name), "a name", ok=bool(getattr(self, field.name)))


@dataclass(frozen=True, slots=True)
class RulesRecipe:
    """A table of probabilities before it is made.

    :param labeler: kind of the model: ``rules``.
    """

    name: str
    labeler: str
    corpora: tuple[CorpusChoice, ...]

    def __post_init__(self) -> None:
        check("labeler", self.labeler, "'rules'", ok=self.labeler == "rules")
        check("corpora", self.corpora, "one or more corpora", ok=bool(self.corpora))


def read_rules_recipe(path: Path) -> RulesRecipe:
    """Return the recipe that a TOML file holds.

    :raises ValueError: if it is no TOML, or a field is missing, unknown or out of range; the message names both.
    """
    return read_dataclass(RulesRecipe, path)


def all_rules() -> tuple[RuleLabeler, ...]:
    """Return all named rules, with the paper's thresholds."""
    return (*map(parse_shallow_rules, SHALLOW_NAMES), BTE)


def build_rules(recipe: RulesRecipe, splits: Path, data: Path, *, out: Path, files: dict[str, str]) -> dict[str, Any]:
    """Write the table that *recipe* describes into the folder *out*, and return its probabilities.

    :param splits: JSON file of the page ids.
    :param files: other files of the folder by name.
    """
    rules = all_rules()
    corpora = [
        open_corpus(choice.name, data).pages(read_split(splits, choice.split, choice.part)) for choice in recipe.corpora
    ]
    counts = count_words(rules, chain.from_iterable(corpora))
    table = {labeler.name: shares_of_content(total) for labeler, total in zip(rules, counts, strict=True)}
    manifest = {
        "format_version": FORMAT_VERSION,
        "name": recipe.name,
        "labeler": recipe.labeler,
        "corpora": [asdict(choice) for choice in recipe.corpora],
        "probabilities": table,
        "words": {labeler.name: total[:, 0].astype(int).tolist() for labeler, total in zip(rules, counts, strict=True)},
    }
    out.mkdir(parents=True, exist_ok=True)
    for name, text in {MANIFEST_FILE: json.dumps(manifest, indent=1) + "\n", **files}.items():
        (out / name).write_text(text, encoding="utf-8")
    return table


def count_words(rules: Sequence[RuleLabeler], pages: Iterable[LabelledPage]) -> list[DoubleArray]:
    """Return, for each of the *rules*, the words of each group and how many of them are content.

    A leaf of which a part of the characters is in the clean text gives that part of its words. *Shapes:*
    ``(n_groups, 2)`` each
    """
    counts = [np.zeros((labeler.n_groups, 2)) for labeler in rules]
    for labelled in pages:
        try:
            page = tree_to_page(to_tree(labelled.html))
        except PageError:
            continue
        n_aligned, n_characters = align_leaves(page.texts, labelled.text)
        for labeler, total in zip(rules, counts, strict=True):
            blocks = segment(page, labeler.segmentation)
            decision = labeler.decide(page, blocks)
            n_content = decision.n_words * blocks.sum_leaves(n_aligned) / np.maximum(blocks.sum_leaves(n_characters), 1)
            for column, words in enumerate((decision.n_words, n_content)):
                total[:, column] += np.bincount(decision.groups, weights=words, minlength=labeler.n_groups)
    return counts


def shares_of_content(counts: DoubleArray) -> list[float]:
    """Return the share of content of each group; one half where there are no words. *Shape:* ``(n_groups, 2)``"""
    shares = (counts[:, 1] + 1) / (counts[:, 0] + 2)
    return [round(share, _DIGITS) for share in shares.tolist()]
