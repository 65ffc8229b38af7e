"""The labeler of web2text-2026: features to potentials, and the decisions about a whole page after decoding.

The potentials come from `network`, and `labelers.chain` decodes them. Then repeated content is dropped, and all content
if an empty answer has the higher expected word F1.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Final

from scrapy_web2text.common.arrays import DoubleArray, FloatArray
from scrapy_web2text.exceptions import ModelError
from scrapy_web2text.features.modern import (
    FAMILIES,
    ColumnPlan,
    ModernFeatures,
    find_families,
    modern_features,
    plan_columns,
    read_hints,
)
from scrapy_web2text.labelers.base import Labeling
from scrapy_web2text.labelers.chain import ChainLabeler, odds_to_potentials
from scrapy_web2text.labelers.confidence import (
    CONFIDENCE_STATISTICS,
    confidence_statistics,
    drop_unlikely_content,
    predict_f1,
)
from scrapy_web2text.labelers.modern.network import LARGEST_DILATION, ModernNetwork, tensor_shapes
from scrapy_web2text.labelers.modern.repeats import drop_repeats
from scrapy_web2text.labelers.weights import Model
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, BlockSequence

_TYPE_NAME: Final = re.compile(r"[a-z][a-z-]{0,39}")


class ModernLabeler(ChainLabeler[ModernFeatures]):
    """A trained model of the kind ``modern``.

    :param model: a verified model folder.
    :raises ModelError: if the model was trained on other features, or a value is missing or invalid.
    """

    segmentation = MODERN_BLOCKS

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self._plan = _read_plan(model)
        dilations, pooled, grouped = (model.entry(key, list) for key in ("dilations", "pooled", "grouped"))
        self._page_types = _read_page_types(model)
        _check_layers(model, dilations, pooled, grouped)
        _check_tensors(
            model,
            n_dense=len(self._plan.names),
            n_layers=len(dilations),
            n_pooled=len(pooled),
            n_grouped=len(grouped),
            n_types=len(self._page_types),
        )
        self._confidence = _confidence_weights(model)
        self._network = ModernNetwork(model.tensors, dilations, pooled, grouped)

    def features(self, page: Page, blocks: BlockSequence) -> ModernFeatures:
        """Return the modern features of *page*."""
        return modern_features(page, blocks, read_hints(page.document_landmarks), self._plan)

    def _finish(self, page: Page, features: ModernFeatures, labeling: Labeling) -> Labeling:
        """Return *labeling* without repeated or unlikely content, and with the confidence predicted for the result."""
        n_tokens, probabilities = labeling.n_tokens, labeling.probabilities
        assert probabilities is not None  # noqa: S101 - a chain always has probabilities
        places, has_copies = features.groups[-1], features.has_copies
        labels = drop_repeats(page, labeling.blocks, labeling.labels, n_tokens, places=places, has_copies=has_copies)
        labels = drop_unlikely_content(labels, probabilities, n_tokens)
        confidence = predict_f1(confidence_statistics(labels, probabilities, n_tokens), self._confidence)
        return replace(labeling, labels=labels, confidence=confidence)

    def _read(self, features: ModernFeatures) -> tuple[DoubleArray, DoubleArray, tuple[str, float] | None]:
        logits, pairs, summary = self._network(features)
        return *odds_to_potentials(logits, pairs), self._find_page_type(summary)

    def _log_potentials(self, features: ModernFeatures) -> tuple[DoubleArray, DoubleArray]:
        return self._read(features)[:2]

    def _find_page_type(self, summary: FloatArray) -> tuple[str, float] | None:
        """Return the most likely type of a page and its probability; None if the model does not tell types."""
        if not self._page_types:
            return None
        number, probability = self._network.page_type(summary)
        return self._page_types[number], probability


def _read_plan(model: Model) -> ColumnPlan:
    """Return the plan of the columns that *model* was trained on: those of some families, or of all."""
    names = model.entry("features", list)
    plan = plan_columns(find_families([name for name in names if isinstance(name, str)]) or FAMILIES)
    model.check_features("features", names, plan.names)
    return plan


def _confidence_weights(model: Model) -> dict[str, float]:
    weights: dict[str, float] = model.entry("confidence", dict)
    for name in CONFIDENCE_STATISTICS:
        if type(weights.get(name)) not in (int, float):
            raise ModelError(f"{model.folder}: expected confidence.{name} to be a number, got {weights.get(name)!r}")
    return weights


def _read_page_types(model: Model) -> list[str]:
    """Return the names of the page types that *model* tells; none for a model that was trained without."""
    types: list[str] = model.entry("page_types", list) if "page_types" in model.manifest else []
    if not all(isinstance(name, str) and _TYPE_NAME.fullmatch(name) for name in types) or len({*types}) < len(types):
        raise ModelError(f"{model.folder}: expected page_types to be different words, got {types!r}")
    return types


def _check_layers(model: Model, dilations: list[Any], pooled: list[Any], grouped: list[Any]) -> None:
    """Raise ModelError unless the layers see neighbors within reach, and those that summarize are among them."""
    if not all(type(dilation) is int and 0 < dilation <= LARGEST_DILATION for dilation in dilations):
        expected = f"numbers from 1 to {LARGEST_DILATION}"
        raise ModelError(f"{model.folder}: expected dilations to be {expected}, got {dilations!r}")
    for key, layers in (("pooled", pooled), ("grouped", grouped)):
        if not all(type(layer) is int and 0 <= layer < len(dilations) for layer in layers) or (
            len({*layers}) < len(layers)
        ):
            expected = f"different numbers of {len(dilations)} layers"
            raise ModelError(f"{model.folder}: expected {key} to be {expected}, got {layers!r}")


def _check_tensors(model: Model, **sizes: int) -> None:
    """Raise ModelError unless *model* has all tensors of the network, and their shapes agree; see `tensor_shapes`."""
    n_members, _, width = _shape(model, "conv.0.weight", 3)
    n_columns = _shape(model, "names", 2)[1]
    shapes = tensor_shapes(n_members=n_members, width=width, bag_size=n_columns // n_members, **sizes)
    for name, shape in shapes.items():
        model.tensor(name, shape)


def _shape(model: Model, name: str, n_axes: int) -> tuple[int, ...]:
    """Return the shape of a tensor, or ones, which will not fit, for one that is missing or has other axes."""
    shape: tuple[int, ...] = model.tensors[name].shape if name in model.tensors else ()
    return shape if len(shape) == n_axes and min(shape) else (1,) * n_axes
