"""Chooses the words of ids and classes on labeled pages, and fits a logistic regression."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import GroupKFold

from research.dragnet.data import DragnetPage
from research.dragnet.features import ATTRIBUTES, FEATURE_SETS, FeatureChoice
from scrapy_web2text.common.arrays import DoubleArray, IntArray
from scrapy_web2text.common.checks import FRACTION, POSITIVE, one_of, one_or_more
from scrapy_web2text.extraction import Label
from scrapy_web2text.page.blocks import mask_to_labels
from scrapy_web2text.training.recipe import NAME, SHARE_BELOW_ONE, SOME, check

_MOST_STEPS: Final = 2000
_SETS: Final = one_or_more(one_of(*FEATURE_SETS), f"some of {', '.join(FEATURE_SETS)}")


@dataclass(frozen=True, slots=True)
class CorpusChoice:
    """One corpus that the weights are fitted to.

    :param name: name of the corpus, see `training.corpus_facts`.
    :param part: the part that is used, see `training.splits.corpus_ids`.
    """

    name: str
    part: str


@dataclass(frozen=True, slots=True)
class NamesChoice:
    """Which words of ids and classes become features (section 4.1).

    :param odds: least ratio of the odds of content with the word to those without it, or of its inverse.
    :param share: least share of the content blocks, or of the other blocks, that have the word.
    """

    odds: float
    share: Annotated[float, SHARE_BELOW_ONE]

    def __post_init__(self) -> None:
        check("names.odds", self.odds, "a number above 1", ok=self.odds > 1)


@dataclass(frozen=True, slots=True)
class RegressionChoice:
    """How the weights are fitted.

    :param folds: number of folds of the training pages on which the strength is chosen.
    :param strengths: candidate inverse strengths of the L2 penalty, scikit-learn's ``C``.
    :param most_words: the weight of a block is its number of words, at most this.
    """

    folds: int
    strengths: Annotated[tuple[float, ...], one_or_more(POSITIVE, "one or more numbers above 0")]
    most_words: Annotated[int, POSITIVE]

    def __post_init__(self) -> None:
        check("regression.folds", self.folds, "a number above 1", ok=self.folds > 1)


@dataclass(frozen=True, slots=True)
class DragnetRecipe:
    """A Dragnet model before its training.

    :param labeler: kind of the model: ``dragnet``.
    :param features: the feature sets, of ``st``, ``cetr`` and ``ic``.
    :param val: corpus whose part ``val`` the model is scored on; no choice is made there.
    :param least_share: a block with more than this share of its tokens in the clean text is content.
    :param threshold: least probability of content, in (0, 1).
    """

    name: Annotated[str, NAME]
    labeler: Literal["dragnet"]
    features: Annotated[tuple[str, ...], _SETS]
    val: str
    least_share: Annotated[float, SHARE_BELOW_ONE]
    threshold: Annotated[float, FRACTION]
    corpora: Annotated[tuple[CorpusChoice, ...], SOME]
    names: NamesChoice
    regression: RegressionChoice

    def __post_init__(self) -> None:
        chosen = [(corpus.name, corpus.part) for corpus in self.corpora]
        check("corpora", chosen, "each corpus and part once", ok=len(set(chosen)) == len(chosen))
        is_held_out = (self.val, "val") not in chosen and (self.val, "all") not in chosen
        check("corpora", chosen, f"no pages of {self.val} val, on which the model is scored", ok=is_held_out)


@dataclass(frozen=True, slots=True, eq=False)
class FittedDragnet:
    """A logistic regression over the columns of *choice*.

    :param weight: *Shape:* ``(F,)``
    :param strength: the chosen inverse strength of the penalty.
    :param losses: weighted mean log loss over the folds, by strength.
    """

    choice: FeatureChoice
    weight: DoubleArray
    bias: float
    strength: float
    losses: dict[float, float]

    def labels(self, page: DragnetPage, threshold: float = 0.5) -> IntArray:
        """Return the labels of the blocks of *page*. *Shape:* ``(n,)``"""
        logits = page.measures.rows(self.choice) @ self.weight + self.bias
        return mask_to_labels(logits >= np.log(threshold / (1 - threshold)))


@dataclass(frozen=True, slots=True, eq=False)
class _Blocks:
    """The blocks of all pages: features ``(n, F)``, and labels, weights and page numbers, ``(n,)`` each."""

    rows: DoubleArray
    labels: IntArray
    weights: DoubleArray
    pages: IntArray


# CETR itself as a model: only the column of its answer has a weight.
CETR = FittedDragnet(FeatureChoice(("cetr",)), np.array([0.0, 0.0, 2.0]), -1.0, 0.0, {})


def count_names(pages: Sequence[DragnetPage], least_share: float) -> tuple[dict[tuple[str, str], IntArray], IntArray]:
    """Return the numbers of boilerplate and content blocks with each word of an attribute, and among all blocks.

    *Shapes:* ``(2,)`` each
    """
    counts: dict[tuple[str, str], IntArray] = {}
    n_blocks = np.zeros(2, dtype=np.int64)
    for page in pages:
        labels = page.labels(least_share)
        n_blocks += np.bincount(labels, minlength=2)
        names = page.measures.names
        for attribute, word, block in {(name.attribute, word, name.block) for name in names for word in name.words}:
            counts.setdefault((attribute, word), np.zeros(2, dtype=np.int64))[labels[block]] += 1
    return counts, n_blocks


def odds_ratio(n_with: IntArray, n_blocks: IntArray) -> float:
    """Return the odds of content among the blocks with a word, divided by the odds among the others.

    One half is added to each of the four counts to keep the ratio finite. *Shapes:* ``(2,)`` each
    """
    odds = (n_with + 0.5) / (n_blocks - n_with + 0.5)
    return float(odds[Label.CONTENT] / odds[Label.BOILERPLATE])


def choose_names(pages: Sequence[DragnetPage], least_share: float, chosen: NamesChoice) -> dict[str, tuple[str, ...]]:
    """Return the words of ids and classes that distinguish content from boilerplate, by attribute."""
    counts, n_blocks = count_names(pages, least_share)
    found: dict[str, list[str]] = {attribute: [] for attribute in ATTRIBUTES}
    for (attribute, word), n_with in sorted(counts.items()):
        ratio = odds_ratio(n_with, n_blocks)
        if (n_with > chosen.share * n_blocks).any() and max(ratio, 1 / ratio) > chosen.odds:
            found[attribute].append(word)
    return {attribute: tuple(words) for attribute, words in found.items()}


def fit_dragnet(
    recipe: DragnetRecipe,
    pages: Sequence[DragnetPage],
    *,
    seed: int,
    words: Mapping[str, tuple[str, ...]] | None = None,
) -> FittedDragnet:
    """Return the regression that *recipe* describes, fitted to *pages*.

    :param seed: seed of the assignment of pages to folds.
    :param words: words of ids and classes by attribute; None for those that the recipe chooses.
    :raises ValueError: if there are fewer pages than folds, or all blocks have the same label.
    """
    names = words or {}
    if words is None and "ic" in recipe.features:
        names = choose_names(pages, recipe.least_share, recipe.names)
    choice = FeatureChoice(recipe.features, names.get("id", ()), names.get("class", ()))
    if len(pages) < recipe.regression.folds:
        raise ValueError(f"expected at least {recipe.regression.folds} pages, one for each fold, got {len(pages)}")
    blocks = _join(recipe, pages, choice)
    if len(np.unique(blocks.labels)) < 2:
        raise ValueError("expected both content and boilerplate on the training pages, found only one")
    mean, deviation = blocks.rows.mean(axis=0), blocks.rows.std(axis=0)
    deviation[deviation == 0] = 1
    scaled = _Blocks((blocks.rows - mean) / deviation, blocks.labels, blocks.weights, blocks.pages)
    losses = _cross_validate(scaled, recipe.regression, seed)
    strength = min(losses, key=losses.__getitem__)
    regression = _fit(scaled, np.arange(len(scaled.labels)), strength)
    weight = regression.coef_[0] / deviation
    return FittedDragnet(choice, weight, float(regression.intercept_[0] - weight @ mean), strength, losses)


def _join(recipe: DragnetRecipe, pages: Sequence[DragnetPage], choice: FeatureChoice) -> _Blocks:
    weights = np.concatenate([page.n_tokens for page in pages]).clip(max=recipe.regression.most_words)
    return _Blocks(
        np.concatenate([page.measures.rows(choice) for page in pages]),
        np.concatenate([page.labels(recipe.least_share) for page in pages]),
        weights / max(weights.mean(), 1e-9),
        np.repeat(np.arange(len(pages)), [len(page.n_tokens) for page in pages]),
    )


def _cross_validate(blocks: _Blocks, chosen: RegressionChoice, seed: int) -> dict[float, float]:
    """Return the mean log loss of each strength on held-out folds; all blocks of a page are in one fold."""
    folds = GroupKFold(chosen.folds, shuffle=True, random_state=seed)
    divisions = list(folds.split(blocks.rows, groups=blocks.pages))
    losses = {}
    for strength in chosen.strengths:
        found = []
        for fitted, held_out in divisions:
            answers = _fit(blocks, fitted, strength).predict_proba(blocks.rows[held_out])
            found.append(
                log_loss(blocks.labels[held_out], answers, sample_weight=blocks.weights[held_out], labels=[0, 1])
            )
        losses[strength] = float(np.mean(found))
    return losses


def _fit(blocks: _Blocks, chosen: IntArray, strength: float) -> Any:
    regression = LogisticRegression(C=strength, max_iter=_MOST_STEPS)
    return regression.fit(blocks.rows[chosen], blocks.labels[chosen], sample_weight=blocks.weights[chosen])
