"""Fitting of networks to pages with torch: the loss of a chain, and the loop over epochs.

The chain is a differentiable CRF over two labels. Its messages are products of 2 x 2 matrices. A parallel scan
computes the products of all prefixes in log2(n) steps, which is much faster in torch than one step per block. Each
product is divided by its largest entry. The factor does not matter, since the likelihood of a labeling is a product of
conditional probabilities, which are ratios of messages.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Protocol, TypeVar, cast

import numpy as np
import torch
from torch import Tensor, nn

from scrapy_web2text.common.checks import NOT_NEGATIVE, POSITIVE
from scrapy_web2text.training.corpora import Track, no_progress
from scrapy_web2text.training.recipe import SHARE_BELOW_ONE

# A smaller share of a message counts as this share, so that its logarithm is finite.
_LEAST_SHARE = 1e-30


def evaluate_chain(unary: Tensor, pairwise: Tensor, mask: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    """Return the log-odds of the marginal of each block, and the negative log-likelihood of *labels* for each page.

    :param unary: log-potential of CONTENT relative to BOILERPLATE. *Shape:* ``(pages, n)``
    :param pairwise: log-potentials of 00, 01, 10, 11. *Shape:* ``(pages, n - 1, 4)``
    :param mask: which positions hold blocks; the padding of a page comes last. *Shape:* ``(pages, n)``
    :param labels: *Shape:* ``(pages, n)``
    :returns: *Shapes:* ``(pages, n)``, ``(pages,)``
    """
    n_pages, n = unary.shape
    potentials = torch.stack([torch.zeros_like(unary), unary], dim=-1)
    is_pair = mask[:, 1:, None, None]
    steps = pairwise.view(n_pages, n - 1, 2, 2) + potentials[:, 1:, None, :]
    products = torch.where(is_pair, torch.exp(steps - steps.detach().amax((2, 3), keepdim=True)), torch.eye(2))
    first = torch.softmax(potentials[:, :1], dim=2)
    ones = torch.ones(n_pages, 1, 2)
    forward = torch.cat([first, (first[..., None] * _scan(products)).sum(2)], dim=1)
    backward = torch.cat([_scan(products.flip(1).transpose(-1, -2)).sum(2).flip(1), ones], dim=1)
    backward = torch.log(backward.clamp(min=_LEAST_SHARE))
    beliefs = torch.log(forward.clamp(min=_LEAST_SHARE)) + backward
    start = torch.log_softmax(potentials[:, 0] + backward[:, 0], dim=1).gather(1, labels[:, :1])[:, 0]
    rows = steps.gather(2, labels[:, :-1, None, None].expand(-1, -1, 1, 2))[:, :, 0]
    moves = torch.log_softmax(rows + backward[:, 1:], dim=2).gather(2, labels[:, 1:, None])[..., 0]
    return beliefs[..., 1] - beliefs[..., 0], -start - (moves * mask[:, 1:]).sum(1)


def _scan(matrices: Tensor) -> Tensor:
    """Return the products of all prefixes, up to a factor. *Shapes:* ``(pages, n, 2, 2)`` -> the same"""
    distance = 1
    while distance < matrices.shape[1]:
        product = matrices[:, :-distance] @ matrices[:, distance:]
        product = product / product.detach().amax((2, 3), keepdim=True)
        matrices = torch.cat([matrices[:, :distance], product], dim=1)
        distance *= 2
    return matrices


_LARGEST_GRADIENT = 1.0
# Pages of similar length share a batch, which has at most this many blocks, padding included.
_MOST_BLOCKS = 6000
_BATCHES_SORTED = 12
# The moving average looks back over at most a fourth of all steps, on average.
_SHARE_AVERAGED = 4.0


class _HasBlocks(Protocol):
    @property
    def n_blocks(self) -> int: ...


_Page = TypeVar("_Page", bound=_HasBlocks)
_Network = TypeVar("_Network", bound="nn.Module")


@dataclass(frozen=True, slots=True)
class EpochChoice:
    """The options for fitting the weights.

    :param batch: largest number of pages per step.
    :param learning_rate: largest step size of AdamW, reached after ``warm_up`` steps and followed by a cosine decay.
    :param averaged: decay of the moving average of the weights over the second half of the epochs; 0 for no average.
    """

    epochs: Annotated[int, POSITIVE]
    batch: Annotated[int, POSITIVE]
    learning_rate: Annotated[float, POSITIVE]
    warm_up: Annotated[int, POSITIVE]
    weight_decay: Annotated[float, NOT_NEGATIVE]
    averaged: Annotated[float, SHARE_BELOW_ONE]


def fit_epochs(
    network: _Network,
    pages: Sequence[_Page],
    loss: Callable[[list[_Page]], Tensor],
    score: Callable[[_Network], float] | None,
    choice: EpochChoice,
    *,
    seed: int,
    least_steps: int = 0,
    track: Track = no_progress,
) -> list[float]:
    """Fit *network* to *pages*, keep the weights of the epoch with the best *score*, and return the scores.

    If several epochs have the best score, as is common with few pages, the last of them is kept.

    :param loss: the loss of *network* on a batch of pages; it may draw from torch's own generator.
    :param score: the score of a network; None keeps the last epoch.
    :param least_steps: least number of steps in all. With few pages, each epoch passes over them several times.
    """
    random = np.random.default_rng(seed)
    optimizer = torch.optim.AdamW(network.parameters(), choice.learning_rate, weight_decay=choice.weight_decay)
    n_steps = choice.epochs * sum(1 for _ in draw_batches(pages, choice.batch, np.random.default_rng(seed)))
    n_passes = max(1, math.ceil(least_steps / n_steps))
    n_steps *= n_passes
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _rate(step, n_steps, choice.warm_up))
    # The second half of the steps is averaged. If there are few steps, the later steps have most of the weight.
    decay = min(choice.averaged, max(0.0, 1 - _SHARE_AVERAGED / n_steps)) if n_passes > 1 else choice.averaged
    averaging = torch.optim.swa_utils.get_ema_multi_avg_fn(decay)  # type: ignore[no-untyped-call]
    average = torch.optim.swa_utils.AveragedModel(network, multi_avg_fn=averaging)
    scores: list[float] = []
    best_state = network.state_dict()
    for epoch in range(choice.epochs):
        network.train()
        batches = [batch for _ in range(n_passes) for batch in draw_batches(pages, choice.batch, random)]
        for drawn in track(batches, len(batches), title=f"epoch {epoch + 1}", unit="step"):
            optimizer.zero_grad()
            loss(drawn).backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(network.parameters(), _LARGEST_GRADIENT)
            optimizer.step()
            schedule.step()
            if choice.averaged and epoch >= choice.epochs // 2:
                average.update_parameters(network)
        judged = cast("_Network", average.module) if average.n_averaged else network
        scores.append(score(judged.eval()) if score else float(epoch))
        if scores[-1] >= max(scores):
            best_state = copy.deepcopy(judged.state_dict())
    network.load_state_dict(best_state)
    network.eval()
    return scores


def draw_batches(pages: Sequence[_Page], size: int, random: np.random.Generator) -> Iterator[list[_Page]]:
    """Yield all *pages* once, in batches of at most *size* pages of similar length, in random order."""
    order = random.permutation(len(pages))
    batches: list[list[_Page]] = []
    for start in range(0, len(order), size * _BATCHES_SORTED):
        chunk = sorted((pages[i] for i in order[start : start + size * _BATCHES_SORTED]), key=lambda p: p.n_blocks)
        batch: list[_Page] = []
        for page in chunk:
            if batch and (len(batch) >= size or page.n_blocks * (len(batch) + 1) > _MOST_BLOCKS):
                batches.append(batch)
                batch = []
            batch.append(page)
        batches.append(batch)
    for i in random.permutation(len(batches)):
        yield batches[i]


def _rate(step: int, n_steps: int, warm_up: int) -> float:
    """Return the factor of the learning rate: linear warm-up, then cosine decay."""
    return min(1.0, (step + 1) / warm_up) * 0.5 * (1 + math.cos(math.pi * min(1.0, step / n_steps)))


@contextmanager
def torch_threads(n_threads: int) -> Iterator[None]:
    """Make torch use *n_threads* threads inside the block; the number applies to the whole process."""
    before = torch.get_num_threads()
    torch.set_num_threads(n_threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)
