"""Dragnet's logistic regression over its feature sets, which labels each block by itself."""

from __future__ import annotations

import numpy as np

from research.dragnet.features import (
    DRAGNET_BLOCKS,
    FEATURE_SETS,
    DragnetFeatures,
    FeatureChoice,
    cut_at_starts,
    measure_blocks,
)
from scrapy_web2text.exceptions import ModelError
from scrapy_web2text.labelers.chain import ChainLabeler, ModelOutput, odds_to_potentials
from scrapy_web2text.labelers.weights import Model
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence


class DragnetLabeler(ChainLabeler[DragnetFeatures]):
    """A trained model of the kind ``dragnet``: a chain with uniform pairwise potentials.

    Each block is therefore decided by itself, and both decoders give the same answer.

    :param model: a verified model folder.
    :raises ModelError: if the model was trained on other features, or a value is missing or invalid.
    """

    segmentation = DRAGNET_BLOCKS

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self.choice = _read_choice(model)
        model.check_features("features", model.entry("features", list), self.choice.names)
        with np.errstate(invalid="ignore"):  # a signaling NaN; the potentials are checked
            self._weight = model.tensor("weight", (len(self.choice.names),)).astype(np.float64)
        self._bias = float(model.tensor("bias", (1,))[0])

    def blocks(self, page: Page) -> BlockSequence:
        """Return the blocks of *page*."""
        return cut_at_starts(page)

    def features(self, page: Page, blocks: BlockSequence) -> DragnetFeatures:
        """Return the features of *page* that the model uses."""
        measures = measure_blocks(page, blocks, self.choice.sets)
        return DragnetFeatures(measures.rows(self.choice), measures.n_words)

    def _run(self, features: DragnetFeatures) -> ModelOutput:
        logits = np.einsum("ij,j->i", features.rows, self._weight) + self._bias
        return ModelOutput(*odds_to_potentials(logits, np.zeros((len(logits) - 1, 4))))


def _read_choice(model: Model) -> FeatureChoice:
    """Return the feature columns that *model* uses."""
    lists = {key: model.entry(key, list) for key in ("feature_sets", "ids", "classes")}
    for key, values in lists.items():
        if not all(isinstance(value, str) for value in values):
            raise ModelError(f"{model.folder}: expected {key} to be strings, got {values!r}")
    unknown = sorted(set(lists["feature_sets"]) - set(FEATURE_SETS))
    if unknown or not lists["feature_sets"]:
        raise ModelError(
            f"{model.folder}: expected feature_sets from {', '.join(FEATURE_SETS)}, got {lists['feature_sets']}"
        )
    return FeatureChoice(tuple(lists["feature_sets"]), tuple(lists["ids"]), tuple(lists["classes"]))
