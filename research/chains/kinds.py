"""The kinds of chain models: how each segments a page, and which network reads which features."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from research.boilernet import BoilernetNetwork, choose_vocabulary, read_vocabulary
from research.chains.data import SourcePage
from research.chains.labeler import export_tensors, load_weights
from research.chains.recipe import (
    BoilernetRecipe,
    ChainRecipe,
    CrfRecipe,
    SemtextRecipe,
    TunableRecipe,
)
from research.semtext.labeler import SemtextNetwork
from research.semtext.segments import SEMTEXT_BLOCKS, search_and_combine
from research.semtext.strings import semtext_features
from research.web2text.network import SequenceNetwork, describe_networks, networks_to_tensors
from research.web2text.recipe import NetworkChoice
from scrapy_web2text.common.arrays import AnyArray
from scrapy_web2text.exceptions import ModelError
from scrapy_web2text.features.cnn_hmm.page import BLOCK_FEATURE_NAMES, EDGE_FEATURE_NAMES, PageFeatures, page_features
from scrapy_web2text.labelers.weights import Model, load_model
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import TEXT_LEAVES, BlockSequence, Segmentation, segment


class CrfNetwork(nn.Module):
    """The potentials of blocks and pairs, from two networks of the same shape.

    Without hidden layers and with a kernel of 1, the potentials are linear in the features: the CRF of Victor (Spousta,
    Marek, Pecina 2008) on the features of Web2Text. The initial weights come from torch's own generator.
    """

    def __init__(self, choice: NetworkChoice) -> None:
        super().__init__()
        self.unary = SequenceNetwork(len(BLOCK_FEATURE_NAMES), 2, choice, torch.default_generator)
        self.pairwise = SequenceNetwork(len(EDGE_FEATURE_NAMES), 4, choice, torch.default_generator)

    def forward(self, pages: Sequence[PageFeatures]) -> tuple[Tensor, Tensor]:
        """Return the log-odds of the blocks of *pages* and the log-potentials of their pairs, padded with zeros.

        *Shapes:* ``(pages, n)``, ``(pages, n - 1, 4)``
        """
        # Page by page, so that convolutions see the end of the page as at run time.
        logits = [self.unary(torch.from_numpy(page.blocks)[None])[0] for page in pages]
        pairs = [
            self.pairwise(torch.from_numpy(page.edges)[None])[0] if len(page.edges) else torch.zeros(0, 4)
            for page in pages
        ]
        unary = [each[:, 1] - each[:, 0] for each in logits]
        return pad_sequence(unary, batch_first=True), pad_sequence(pairs, batch_first=True)


@dataclass(frozen=True, slots=True, eq=False)
class ChainSystem:
    """A model before its fitting.

    :param network: from the features of some pages to their potentials: log-odds of CONTENT, and log-potentials of the
        label pairs 00, 01, 10, 11. *Shapes:* ``(pages, n)``, ``(pages, n - 1, 4)``
    :param features: reads the features of a page.
    :param manifest: entries of the manifest that describe network and features.
    :param to_tensors: returns the current weights by their names in the model file.
    """

    network: nn.Module
    features: Callable[[Page, BlockSequence], Any]
    manifest: dict[str, Any]
    to_tensors: Callable[[], dict[str, AnyArray]]


@dataclass(frozen=True, slots=True, eq=False)
class ChainKind:
    """A kind of chain models.

    :param recipe: type of its recipes.
    :param segmentation: its segmentation, as the manifest names it.
    :param segment: cuts a page into blocks.
    :param make: returns the model of a recipe, before its fitting to the given pages; paths in the recipe are relative
        to the given folder.
    """

    recipe: type[ChainRecipe]
    segmentation: Segmentation
    segment: Callable[[Page], BlockSequence]
    make: Callable[[Any, Sequence[SourcePage], Path], ChainSystem]


def _make_crf(recipe: CrfRecipe, _: Sequence[SourcePage], __: Path) -> ChainSystem:
    network = CrfNetwork(recipe.networks)
    parts = network.unary, network.pairwise
    manifest = {"networks": describe_networks(*parts)}
    return ChainSystem(network, page_features, manifest, lambda: networks_to_tensors(*parts))


def _make_boilernet(recipe: BoilernetRecipe, pages: Sequence[SourcePage], folder: Path) -> ChainSystem:
    choice = recipe.network
    start = _load_start(recipe, folder)
    if start is None:
        vocabulary = choose_vocabulary([(source.page, source.blocks) for source in pages], choice.words)
    else:
        vocabulary = read_vocabulary(start)
    network = BoilernetNetwork(len(vocabulary), choice.width, choice.units, choice.dropout)
    manifest = {
        "tags": list(vocabulary.tags),
        "words": list(vocabulary.words),
        "network": {"width": choice.width, "units": choice.units},
    }
    return _start_from(start, ChainSystem(network, vocabulary.count, manifest, lambda: export_tensors(network)))


def _make_semtext(recipe: SemtextRecipe, _: Sequence[SourcePage], folder: Path) -> ChainSystem:
    choice = recipe.network
    sizes = {"buckets": choice.buckets, "size": choice.size, "units": choice.units}
    network = SemtextNetwork(
        choice.strings,
        buckets=choice.buckets,
        size=choice.size,
        filters=choice.filters,
        units=choice.units,
        dropout=choice.dropout,
        word_dropout=choice.word_dropout,
    )
    manifest = {"strings": list(choice.strings), "filters": list(choice.filters), "network": sizes}
    features = partial(semtext_features, n_buckets=choice.buckets)
    system = ChainSystem(network, features, manifest, lambda: export_tensors(network))
    return _start_from(_load_start(recipe, folder), system)


def _load_start(recipe: TunableRecipe, folder: Path) -> Model | None:
    """Return the trained model that the training starts from, or None.

    :raises ModelError: if it cannot be read or is of another kind.
    """
    if not recipe.start:
        return None
    model = load_model(folder / recipe.start)
    kind = model.entry("labeler", str)
    if kind != recipe.labeler:
        raise ModelError(f"{model.folder}: expected a model of the kind {recipe.labeler!r}, got {kind!r}")
    return model


def _start_from(start: Model | None, system: ChainSystem) -> ChainSystem:
    """Return *system* with the weights of *start*, which its manifest then names.

    :raises ModelError: if the networks have different shapes.
    """
    if start is None:
        return system
    load_weights(system.network, start)
    origin = {"name": start.manifest["name"], "sha256": start.manifest["weights"]["sha256"]}
    return replace(system, manifest={**system.manifest, "start": origin})


_segment_leaves = partial(segment, segmentation=TEXT_LEAVES)

CHAIN_KINDS: Final[dict[str, ChainKind]] = {
    "crf": ChainKind(CrfRecipe, TEXT_LEAVES, _segment_leaves, _make_crf),
    "boilernet": ChainKind(BoilernetRecipe, TEXT_LEAVES, _segment_leaves, _make_boilernet),
    "semtext": ChainKind(SemtextRecipe, SEMTEXT_BLOCKS, search_and_combine, _make_semtext),
}
