"""The fitting of a modern network: labelled pages in, the weights of the best epoch out."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np
import torch
from torch.nn import functional
from tqdm import tqdm

from scrapy_web2text.features.modern import modern_feature_names
from scrapy_web2text.training.modern.batches import N_STYLES, PAGE_TYPES, collate, draw_batches
from scrapy_web2text.training.modern.crf import chain
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
_LARGEST_GRADIENT = 1.0
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
    choice = recipe.training
    random = np.random.default_rng(seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        mean, deviation = _moments(pages, recipe.network.without)
        network = ModernNetwork(recipe.network, mean, deviation, n_styles=N_STYLES, n_types=len(PAGE_TYPES))
        optimizer = torch.optim.AdamW(network.parameters(), choice.learning_rate, weight_decay=choice.weight_decay)
        n_steps = choice.epochs * sum(1 for _ in draw_batches(pages, choice.batch, np.random.default_rng(seed)))
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _rate(step, n_steps, choice.warm_up))
        average = torch.optim.swa_utils.AveragedModel(network, multi_avg_fn=_averaging(choice.averaged))
        curve: list[float] = []
        best_state = network.state_dict()
        for epoch in range(choice.epochs):
            network.train()
            batches = list(draw_batches(pages, choice.batch, random))
            for drawn in tqdm(batches, desc=f"epoch {epoch + 1}", unit="batch", disable=None):
                loss = batch_loss(network, collate(drawn))
                optimizer.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                torch.nn.utils.clip_grad_norm_(network.parameters(), _LARGEST_GRADIENT)
                optimizer.step()
                schedule.step()
                if choice.averaged and epoch >= choice.epochs // 2:
                    average.update_parameters(network)
            judged = cast("ModernNetwork", average.module) if average.n_averaged else network
            curve.append(score(judged.eval()) if score else float(epoch))
            if curve[-1] >= max(curve):
                best_state = copy.deepcopy(judged.state_dict())
    network.load_state_dict(best_state)
    network.eval()
    best = int(np.argmax(curve))
    return TrainedModern(network, best + 1, curve[best], tuple(curve))


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
    deviation[[name.startswith(tuple(without)) for name in modern_feature_names()]] = np.inf
    return torch.from_numpy(dense.mean(axis=0)), torch.from_numpy(deviation)


def _averaging(kept: float) -> Callable[[Sequence[Tensor], Sequence[Tensor], Tensor | int], None]:
    averaging: Callable[[Sequence[Tensor], Sequence[Tensor], Tensor | int], None]
    averaging = torch.optim.swa_utils.get_ema_multi_avg_fn(kept)  # type: ignore[no-untyped-call]
    return averaging


def _rate(step: int, n_steps: int, warm_up: int) -> float:
    """Return the factor of the learning rate: linear warm-up, cosine decay."""
    return min(1.0, (step + 1) / warm_up) * 0.5 * (1 + math.cos(math.pi * min(1.0, step / n_steps)))
