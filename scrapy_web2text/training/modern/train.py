"""The fitting of a modern network: labelled pages in, the weights of the best epoch out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch.nn import functional

from scrapy_web2text.features.modern import MODERN_FEATURE_NAMES
from scrapy_web2text.training.chain_loss import chain
from scrapy_web2text.training.epochs import fit_epochs
from scrapy_web2text.training.modern.batches import N_STYLES, PAGE_TYPES, collate
from scrapy_web2text.training.modern.network import ModernNetwork

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from torch import Tensor

    from scrapy_web2text.training.modern.batches import Batch, TrainingPage
    from scrapy_web2text.training.modern.recipe import ModernRecipe

__all__ = ["TrainedModern", "predict", "train_modern"]

# An empty page is as wrong as half of its words when this many words of it are selected.
_HALF_WRONG_WORDS = 50.0
_TYPE_WEIGHT = 0.1
_SMALL_DEVIATION = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class TrainedModern:
    """A network with the weights of its best epoch.

    :param score: of that epoch, by the function that chose it.
    :param curve: score of each epoch.
    """

    network: ModernNetwork
    epoch: int
    score: float
    curve: tuple[float, ...]


def train_modern(
    recipe: ModernRecipe,
    pages: Sequence[TrainingPage],
    score: Callable[[ModernNetwork], float] | None,
    *,
    seed: int,
) -> TrainedModern:
    """Return the network that *recipe* makes of *pages*, with the weights of the epoch that *score* likes best.

    Without a *score*, it is the last epoch.

    Torch's own generator is seeded, and put back to where it was.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        mean, deviation = _moments(pages, recipe.network.without)
        network = ModernNetwork(recipe.network, mean, deviation, n_styles=N_STYLES, n_types=len(PAGE_TYPES))

        def loss(drawn: list[TrainingPage]) -> Tensor:
            return batch_loss(network, collate(drawn))

        curve = fit_epochs(network, pages, loss, score, recipe.training, seed=seed)
    return TrainedModern(network, curve.epoch, curve.score, curve.scores)


def batch_loss(network: ModernNetwork, batch: Batch) -> Tensor:
    """Return the loss of *network* on a batch.

    Per page: the CRF's negative log-likelihood per block, the cross-entropy of the marginals weighted by the root of
    the words, and one minus the expected word F1; for the batch, a little of the cross-entropy of the page type, which
    teaches the network what kind of page it sees.
    """
    unary, pairwise, types = network(batch)
    log_odds, surprise = chain(unary, pairwise, batch.mask, batch.labels)
    mask, targets, words = batch.mask.float(), batch.targets, batch.n_tokens
    weight = torch.sqrt(words + 0.1) * mask
    entropy = functional.binary_cross_entropy_with_logits(log_odds, targets, reduction="none")
    selected = (torch.sigmoid(log_odds) * words * mask).sum(1)
    wanted = (words * targets).sum(1)
    hit = (torch.sigmoid(log_odds) * words * targets).sum(1)
    miss = torch.where(
        wanted > 0, 1 - 2 * hit / (selected + wanted).clamp(min=1e-6), selected / (selected + _HALF_WRONG_WORDS)
    )
    loss = ((surprise / mask.sum(1) + (entropy * weight).sum(1) / weight.sum(1) + miss) * batch.weights).mean()
    type_loss = functional.cross_entropy(types, batch.page_types, ignore_index=-1, reduction="sum")
    return loss + _TYPE_WEIGHT * type_loss / len(batch.page_types)


def predict(network: ModernNetwork, page: TrainingPage) -> tuple[Tensor, Tensor]:
    """Return the potentials of one page. *Shapes:* ``(n,)``, ``(n - 1, 4)``"""
    with torch.inference_mode():
        unary, pairwise, _ = network(collate([page]))
    return unary[0], pairwise[0]


def _moments(pages: Sequence[TrainingPage], without: Sequence[str]) -> tuple[Tensor, Tensor]:
    """Return mean and deviation of the dense columns; that of a column that is left out is infinite."""
    dense = np.concatenate([page.features.dense for page in pages])
    deviation = dense.std(axis=0)
    deviation[deviation < _SMALL_DEVIATION] = 1.0
    deviation[[name.startswith(tuple(without)) for name in MODERN_FEATURE_NAMES]] = np.inf
    return torch.from_numpy(dense.mean(axis=0)), torch.from_numpy(deviation)
