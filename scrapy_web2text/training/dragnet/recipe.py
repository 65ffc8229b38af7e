"""Recipes of Dragnet models: all choices made before a training."""

from __future__ import annotations

from dataclasses import dataclass

from scrapy_web2text.labelers.dragnet.features import FEATURE_SETS
from scrapy_web2text.training.recipe import check, check_name, check_positive

__all__ = ["CorpusChoice", "DragnetRecipe", "NamesChoice", "RegressionChoice"]


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
    share: float

    def __post_init__(self) -> None:
        check("names.odds", self.odds, "a number above 1", ok=self.odds > 1)
        check("names.share", self.share, "a number in [0, 1)", ok=0 <= self.share < 1)


@dataclass(frozen=True, slots=True)
class RegressionChoice:
    """How the weights are fitted.

    :param folds: number of folds of the training pages on which the strength is chosen.
    :param strengths: candidate inverse strengths of the L2 penalty, scikit-learn's ``C``.
    :param most_words: the weight of a block is its number of words, at most this.
    """

    folds: int
    strengths: tuple[float, ...]
    most_words: int

    def __post_init__(self) -> None:
        check("regression.folds", self.folds, "a number above 1", ok=self.folds > 1)
        check("regression.strengths", self.strengths, "one or more numbers", ok=bool(self.strengths))
        for strength in self.strengths:
            check_positive("regression.strengths", strength)
        check_positive("regression.most_words", self.most_words)


@dataclass(frozen=True, slots=True)
class DragnetRecipe:
    """A Dragnet model before its training.

    :param labeler: kind of the model: ``dragnet``.
    :param features: the feature sets, of ``st``, ``cetr`` and ``ic``.
    :param val: corpus whose part ``val`` the model is scored on; no choice is made there.
    :param least_share: a block with more than this share of its tokens in the clean text is content.
    :param threshold: least probability of content, in (0, 1).
    """

    name: str
    labeler: str
    features: tuple[str, ...]
    val: str
    least_share: float
    threshold: float
    corpora: tuple[CorpusChoice, ...]
    names: NamesChoice
    regression: RegressionChoice

    def __post_init__(self) -> None:
        check_name(self.name)
        check("labeler", self.labeler, "'dragnet'", ok=self.labeler == "dragnet")
        sets = f"some of {', '.join(FEATURE_SETS)}"
        check("features", self.features, sets, ok=bool(self.features) and set(self.features) <= set(FEATURE_SETS))
        check("least_share", self.least_share, "a number in [0, 1)", ok=0 <= self.least_share < 1)
        check("threshold", self.threshold, "a number between 0 and 1", ok=0 < self.threshold < 1)
        check("corpora", self.corpora, "one or more corpora", ok=bool(self.corpora))
        chosen = [(corpus.name, corpus.part) for corpus in self.corpora]
        check("corpora", chosen, "each corpus and part once", ok=len(set(chosen)) == len(chosen))
        is_held_out = (self.val, "val") not in chosen and (self.val, "all") not in chosen
        check("corpora", chosen, f"no pages of {self.val} val, on which the model is scored", ok=is_held_out)
