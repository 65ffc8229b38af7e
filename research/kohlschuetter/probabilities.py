"""Counts the probabilities of rules: the share of content among the words at each leaf of their trees."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import numpy as np

from research.alignment.characters import align_leaves
from scrapy_web2text.common.arrays import DoubleArray
from scrapy_web2text.common.checks import TEXT
from scrapy_web2text.evaluation.corpora import CorpusPage, open_corpus, read_split
from scrapy_web2text.labelers.bte import BTE
from scrapy_web2text.labelers.rules import RuleLabeler
from scrapy_web2text.labelers.shallow.rules import SHALLOW_NAMES, parse_shallow_rules
from scrapy_web2text.page.blocks import segment
from scrapy_web2text.training.corpora import Track, no_progress, parse_page
from scrapy_web2text.training.export import write_model
from scrapy_web2text.training.recipe import NAME, SOME


@dataclass(frozen=True, slots=True)
class CorpusChoice:
    """Which pages of one corpus are counted.

    :param name: name of the corpus, such as ``cleaneval``.
    :param split: name of a split in the ``splits.json`` next to the recipe.
    :param part: part of the split.
    """

    name: Annotated[str, TEXT]
    split: Annotated[str, TEXT]
    part: Annotated[str, TEXT]


@dataclass(frozen=True, slots=True)
class RulesRecipe:
    """A table of probabilities before it is counted.

    :param labeler: kind of the model: ``rules``.
    """

    name: Annotated[str, NAME]
    labeler: Literal["rules"]
    corpora: Annotated[tuple[CorpusChoice, ...], SOME]


_DIGITS: Final = 4


def build_rules(
    recipe: RulesRecipe, splits: Path, data: Path, *, out: Path, files: dict[str, str], track: Track = no_progress
) -> dict[str, Any]:
    """Write the table that *recipe* describes into the folder *out*, and return its probabilities.

    The table has all named rules, with the thresholds of the papers.

    :param splits: JSON file of page ids by split and part.
    :param files: texts of further files in the folder, by file name.
    """
    rules = (*map(parse_shallow_rules, SHALLOW_NAMES), BTE)
    ids = [read_split(splits, choice.split, choice.part) for choice in recipe.corpora]
    corpora = [open_corpus(choice.name, data).pages(own) for choice, own in zip(recipe.corpora, ids, strict=True)]
    counts = count_words(rules, track(chain.from_iterable(corpora), sum(map(len, ids)), title=recipe.name))
    table = {labeler.name: shares_of_content(total) for labeler, total in zip(rules, counts, strict=True)}
    manifest = {
        "name": recipe.name,
        "labeler": recipe.labeler,
        "corpora": [asdict(choice) for choice in recipe.corpora],
        "probabilities": table,
        "words": {labeler.name: total[:, 0].astype(int).tolist() for labeler, total in zip(rules, counts, strict=True)},
    }
    write_model(out, {}, manifest, files)
    return table


def count_words(rules: Sequence[RuleLabeler], pages: Iterable[CorpusPage]) -> list[DoubleArray]:
    """Return, for each of the *rules*, the number of words in each group, and how many of them are content.

    The words of a leaf count as content in proportion to its characters that are in the clean text.

    *Shapes:* ``(n_groups, 2)`` each
    """
    counts = [np.zeros((labeler.n_groups, 2)) for labeler in rules]
    for source in pages:
        page = parse_page(source)
        if page is None:
            continue
        n_aligned, n_characters = align_leaves(page.texts, source.text)
        for labeler, total in zip(rules, counts, strict=True):
            blocks = segment(page, labeler.segmentation)
            decision = labeler.decide(page, blocks)
            n_content = decision.n_words * blocks.sum_leaves(n_aligned) / np.maximum(blocks.sum_leaves(n_characters), 1)
            for column, words in enumerate((decision.n_words, n_content)):
                total[:, column] += np.bincount(decision.groups, weights=words, minlength=labeler.n_groups)
    return counts


def shares_of_content(counts: DoubleArray) -> list[float]:
    """Return the share of content in each group; one half if the group has no words. *Shape:* ``(n_groups, 2)``"""
    shares = (counts[:, 1] + 1) / (counts[:, 0] + 2)
    return [round(share, _DIGITS) for share in shares.tolist()]
