"""The labeler of web2text-2026: features to potentials by `network`, and labels to a final answer by `decisions`.

`labelers.chain` decodes the potentials between these two.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import Any, Final

from scrapy_web2text.common.arrays import DoubleArray
from scrapy_web2text.common.checks import Rule, number_from
from scrapy_web2text.exceptions import ModelError
from scrapy_web2text.features.modern.page import MODERN_FEATURE_NAMES, ModernFeatures, modern_features
from scrapy_web2text.labelers.base import Labeling
from scrapy_web2text.labelers.chain import ChainLabeler, ModelOutput, odds_to_potentials
from scrapy_web2text.labelers.confidence import CONFIDENCE_STATISTICS, confidence_statistics, predict_f1
from scrapy_web2text.labelers.modern.comments import TYPES_OF_COMMENTS, read_as_comments
from scrapy_web2text.labelers.modern.decisions import Evidence, decide
from scrapy_web2text.labelers.modern.network import LARGEST_DILATION, ModernNetwork, tensor_shapes
from scrapy_web2text.labelers.modern.roles import RoleNetwork, role_shapes
from scrapy_web2text.labelers.weights import MOST_LAYERS, WIDEST, Model
from scrapy_web2text.options import ROLES
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, BlockSequence

_TYPE_NAME: Final = re.compile(r"[a-z][a-z-]{0,39}")


def _list_of(expected: str, allows: Callable[[Any], bool], *, is_repeatable: bool = False) -> Rule:
    return Rule(
        expected,
        lambda values: (
            (isinstance(values, list) and len(values) <= MOST_LAYERS and all(map(allows, values)))
            and (is_repeatable or len({*values}) == len(values))
        ),
    )


def _numbers(expected: str, least: int, most: int, *, is_repeatable: bool = False) -> Rule:
    return _list_of(expected, lambda value: type(value) is int and least <= value <= most, is_repeatable=is_repeatable)


_PAGE_TYPES: Final = _list_of(
    "different words", lambda name: isinstance(name, str) and bool(_TYPE_NAME.fullmatch(name))
)
_DILATIONS: Final = _numbers(f"numbers from 1 to {LARGEST_DILATION}", 1, LARGEST_DILATION, is_repeatable=True)
_WEIGHT: Final = number_from(-1e6, 1e6)
_CONFIDENCE: Final = Rule(
    f"a table of numbers, with {', '.join(CONFIDENCE_STATISTICS)}",
    lambda weights: (
        isinstance(weights, dict) and all(_WEIGHT.allows(weights.get(name)) for name in CONFIDENCE_STATISTICS)
    ),
)


class ModernLabeler(ChainLabeler[ModernFeatures]):
    """A trained model of the kind ``modern``.

    :param model: a verified model folder.
    :raises ModelError: if the model was trained on other features, or a value is missing or invalid.
    """

    segmentation = MODERN_BLOCKS

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        model.check_features("features", model.entry("features", list), MODERN_FEATURE_NAMES)
        dilations = model.checked("dilations", _DILATIONS)
        layers = _numbers(f"different numbers of {len(dilations)} layers", 0, len(dilations) - 1)
        pooled, grouped = (model.checked(key, layers) for key in ("pooled", "grouped"))
        self._page_types: list[str] = model.checked("page_types", _PAGE_TYPES.or_none) or []
        _check_tensors(
            model,
            n_dense=len(MODERN_FEATURE_NAMES),
            n_layers=len(dilations),
            n_pooled=len(pooled),
            n_grouped=len(grouped),
            n_types=len(self._page_types),
        )
        self.block_bytes = max(self.block_bytes, 80 * model.tensors["last.weight"].size)  # 20 floats for each column
        self._confidence = model.checked("confidence", _CONFIDENCE)
        self.network = ModernNetwork(model.tensors, dilations, pooled, grouped)
        self._roles = _read_roles(model)
        self.has_roles = self._roles is not None

    def features(self, page: Page, blocks: BlockSequence) -> ModernFeatures:
        """Return the modern features of *page*."""
        return modern_features(page, blocks)

    def _finish(
        self, page: Page, features: ModernFeatures, labeling: Labeling, probabilities: DoubleArray, threshold: float, /
    ) -> Labeling:
        are_content = labeling.page_type is not None and labeling.page_type[0] in TYPES_OF_COMMENTS
        evidence = Evidence.of(page, labeling.blocks, features, comments_are_content=are_content)
        labels, sums, first_comment = decide(labeling.labels, probabilities, features, evidence, threshold)
        statistics = confidence_statistics(labels, probabilities, features.n_tokens, sums)
        roles = labeling.roles
        if roles is not None and first_comment < len(labels):
            roles = cache(partial(read_as_comments, roles, first_comment))
        return replace(labeling, labels=labels, confidence=predict_f1(statistics, self._confidence), roles=roles)

    def _run(self, features: ModernFeatures) -> ModelOutput:
        output = self.network(features)
        page_type = self.network.page_type(output.summary, self._page_types) if self._page_types else None
        # The roles are read after the text is written, if at all: until then, only one copy of the columns is kept.
        network, named = self._roles, replace(features, dense=output.rows[0])
        roles = None if network is None else cache(partial(network.read, output.rows, named))
        return ModelOutput(*odds_to_potentials(output.logits, output.pairs), page_type, roles)


def _check_tensors(model: Model, **sizes: int) -> None:
    """Raise ModelError if a tensor of the network is missing from *model* or has a wrong shape; see `tensor_shapes`."""
    n_members, _, width = _shape(model, "conv.0.weight", 3)
    n_columns = _shape(model, "names", 2)[1]
    if max(n_members * width, n_columns) > WIDEST:
        got = f"{n_members} members of width {width} with {n_columns} columns of words"
        raise ModelError(f"{model.folder}: expected at most {WIDEST} columns of all members, got {got}")
    shapes = tensor_shapes(n_members=n_members, width=width, bag_size=n_columns // n_members, **sizes)
    for name, shape in shapes.items():
        model.tensor(name, shape)


def _read_roles(model: Model) -> RoleNetwork | None:
    """Return the network of roles; None if *model* has none.

    :raises ModelError: if the roles are not `ROLES`, or a tensor has a wrong shape.
    """
    known = Rule(f"the roles {', '.join(ROLES)}", lambda roles: isinstance(roles, list) and roles == [*ROLES])
    if model.checked("roles", known.or_none) is None:
        return None
    t = model.tensors
    n_rows = len(t["mean"]) + 4 * t["names"].shape[1] + t["last.weight"].size
    for name, shape in role_shapes(n_rows, min(WIDEST, _shape(model, "roles.0.weight", 2)[1])).items():
        model.tensor(name, shape)
    return RoleNetwork(model.tensors)


def _shape(model: Model, name: str, n_axes: int) -> tuple[int, ...]:
    """Return the shape of a tensor.

    For a tensor that is missing, empty or has another number of axes, it is all ones, which no later check accepts.
    """
    shape: tuple[int, ...] = model.tensors[name].shape if name in model.tensors else ()
    return shape if len(shape) == n_axes and min(shape) else (1,) * n_axes
