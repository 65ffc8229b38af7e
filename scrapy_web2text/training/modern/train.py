"""Fits a modern network to labeled pages, keeps the weights of the best epoch, and fits the head for page types.

The network learns the types as an auxiliary task, with a head that is not calibrated. A final head is then fitted to
the summaries of the pages. The rest of the network does not change, so the labels stay the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from scrapy_web2text.common.arrays import AnyArray, DoubleArray, FloatArray
from scrapy_web2text.features.modern.page import MODERN_FEATURE_NAMES
from scrapy_web2text.labelers.chain import odds_to_potentials
from scrapy_web2text.labelers.modern.network import ModernNetwork
from scrapy_web2text.training.corpora import Track, no_progress
from scrapy_web2text.training.fitting import evaluate_chain, fit_epochs
from scrapy_web2text.training.modern.batches import N_STYLES, Batch, TrainingPage, collate
from scrapy_web2text.training.modern.network import Member, TorchNetwork
from scrapy_web2text.training.modern.recipe import ModernRecipe, NetworkChoice
from scrapy_web2text.verdicts.kinds import PAGE_TYPES

# Words. If this number is selected on a page without content, the F1 loss of the page is one half.
_HALF_WRONG_WORDS = 50.0
# The weight of the loss of the page types, an auxiliary task.
TYPE_WEIGHT = 0.1
_SMALL_DEVIATION = 1e-3


def train_modern(
    recipe: ModernRecipe,
    pages: Sequence[TrainingPage],
    score: Callable[[Member], float] | None,
    *,
    seed: int,
    track: Track = no_progress,
) -> tuple[TorchNetwork, list[list[float]]]:
    """Return the network of *recipe*, fitted to *pages*, and the scores of the epochs of each member.

    Each member has the weights of its best epoch. Two seeds have no member in common. The state of torch's own
    generator does not change.
    """
    choice = recipe.training
    mean, deviation = _moments(pages, recipe.network)
    members, curves = [], []
    for number in range(recipe.network.members):
        with torch.random.fork_rng(devices=[]):
            own_seed = seed * recipe.network.members + number
            torch.manual_seed(own_seed)
            member = Member(recipe.network, mean, deviation, n_styles=N_STYLES, n_types=len(PAGE_TYPES))
            loss = partial(_loss_of_pages, member)
            curve = fit_epochs(
                member, pages, loss, score, choice, seed=own_seed, least_steps=choice.least_steps, track=track
            )
            curves.append(curve)
            members.append(member)
    return TorchNetwork(members), curves


def _loss_of_pages(member: Member, pages: list[TrainingPage]) -> Tensor:
    return batch_loss(member, collate(pages))


def batch_loss(network: Member, batch: Batch) -> Tensor:
    """Return the loss of *network* on a batch.

    The loss of a page is a sum of three terms: the negative log-likelihood of the CRF, per block; the cross-entropy of
    the marginals, weighted by the square root of the number of words; and one minus the expected word F1. As an
    auxiliary task, the cross-entropy of the page types is added with a small weight.
    """
    unary, pairwise, types = network(batch)
    log_odds, surprise = evaluate_chain(unary, pairwise, batch.mask, batch.labels)
    mask, targets, words = batch.mask.float(), batch.labels.float(), batch.n_tokens
    entropy = functional.binary_cross_entropy_with_logits(log_odds, targets, reduction="none")
    selected = (torch.sigmoid(log_odds) * words * mask).sum(1)
    wanted = (words * targets).sum(1)
    hit = (torch.sigmoid(log_odds) * words * targets).sum(1)
    miss = torch.where(
        wanted > 0, 1 - 2 * hit / (selected + wanted).clamp(min=1e-6), selected / (selected + _HALF_WRONG_WORDS)
    )
    loss = ((surprise / mask.sum(1) + mean_by_words(entropy, batch) + miss) * batch.weights).mean()
    type_loss = functional.cross_entropy(types, batch.page_types, ignore_index=-1, reduction="sum")
    return loss + TYPE_WEIGHT * type_loss / len(batch.page_types)


def mean_by_words(losses: Tensor, batch: Batch) -> Tensor:
    """Return the mean of the *losses* of the blocks of each page, weighted by the square root of their words.

    *Shapes:* ``(pages, length)`` -> ``(pages,)``
    """
    weight = torch.sqrt(batch.n_tokens + 0.1) * batch.mask
    return (losses * weight).sum(1) / weight.sum(1)


def predict(network: Member | TorchNetwork, page: TrainingPage) -> tuple[DoubleArray, DoubleArray]:
    """Return the log-potentials of one page. *Shapes:* ``(n, 2)``, ``(n - 1, 2, 2)``"""
    with torch.inference_mode():
        logits, pairs, _ = network(collate([page]))
    return odds_to_potentials(logits[0].numpy(), pairs[0].numpy())


def _moments(pages: Sequence[TrainingPage], choice: NetworkChoice) -> tuple[Tensor, Tensor]:
    """Return the mean and the deviation of each dense column; the deviation of a removed column is infinite."""
    dense = np.concatenate([page.features.dense for page in pages])
    deviation = dense.std(axis=0)
    deviation[deviation < _SMALL_DEVIATION] = 1.0
    deviation[[name.startswith(choice.without) for name in MODERN_FEATURE_NAMES]] = np.inf
    return torch.from_numpy(dense.mean(axis=0)), torch.from_numpy(deviation)


# The factor of the squared weights of standardized columns in the loss. With .1, the mean probability of the predicted
# types equals the share of right types on the validation pages of WCXB.
_PENALTY: Final = 0.1
_MOST_STEPS: Final = 300


def to_numpy_network(choice: NetworkChoice, tensors: dict[str, AnyArray]) -> ModernNetwork:
    """Return the network that answers at run time, with the *tensors* of a trained network."""
    return ModernNetwork(tensors, list(choice.dilations), list(choice.pooled), list(choice.grouped))


def fit_head(network: ModernNetwork, pages: Sequence[TrainingPage]) -> dict[str, AnyArray]:
    """Return the tensors of the head, fitted to *pages*; empty if the pages have fewer than two types.

    Only pages of style 0, the style of the answers, count. Corpora of other styles often have a single type, which
    would become too likely.
    """
    known = [page for page in pages if page.page_type >= 0 and page.style == 0]
    types = [page.page_type for page in known]
    if len({*types}) < 2:
        return {}
    return fit_page_types(np.stack([network(page.features)[2] for page in known]), types)


def fit_page_types(summaries: FloatArray, types: Sequence[int]) -> dict[str, AnyArray]:
    """Return the tensors of the head, fitted by logistic regression.

    :param summaries: the summary of each page, as the network returns it. *Shape:* ``(p, 3 * width)``
    :param types: the type of each page. *Length:* p
    """
    mean, deviation = summaries.mean(axis=0), summaries.std(axis=0) + _SMALL_DEVIATION
    rows, targets = torch.from_numpy((summaries - mean) / deviation), torch.tensor(types)
    weight = torch.zeros(rows.shape[1], len(PAGE_TYPES), requires_grad=True)
    bias = torch.zeros(len(PAGE_TYPES), requires_grad=True)
    optimizer = torch.optim.LBFGS([weight, bias], max_iter=_MOST_STEPS, line_search_fn="strong_wolfe")

    def step() -> torch.Tensor:
        optimizer.zero_grad()
        loss = functional.cross_entropy(rows @ weight + bias, targets) + _PENALTY * weight.square().sum()
        loss.backward()  # type: ignore[no-untyped-call]
        return loss

    optimizer.step(step)  # type: ignore[no-untyped-call]
    scaled = weight.detach().numpy() / deviation[:, None]
    return {
        "page_type.weight": scaled.astype(np.float32),
        "page_type.bias": (bias.detach().numpy() - mean @ scaled).astype(np.float32),
    }
