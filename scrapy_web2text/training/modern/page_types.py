"""Fits the head of a finished network that tells the types of pages.

The network learns the types as an auxiliary task, with a head that is not calibrated. This head is fitted anew to the
summaries of the pages; the rest of the network, and so every label, stays as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import torch
from torch.nn import functional

from scrapy_web2text.labelers.modern.network import ModernNetwork
from scrapy_web2text.training.modern.batches import PAGE_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scrapy_web2text.arrays import AnyArray, FloatArray
    from scrapy_web2text.training.modern.batches import TrainingPage
    from scrapy_web2text.training.modern.recipe import NetworkChoice

__all__ = ["fit_head", "fit_page_types", "predict_page_types", "summarize_pages"]

# Weight of the squared weights of standardized columns. With .1, the mean probability of the named types is their share
# of right ones on the validation pages of WCXB.
_PENALTY: Final = 0.1
_MOST_STEPS: Final = 300
_SMALL_DEVIATION: Final = 1e-3


def fit_head(choice: NetworkChoice, tensors: dict[str, AnyArray], pages: Sequence[TrainingPage]) -> dict[str, AnyArray]:
    """Return the tensors of the head, fitted to *pages*; none if they do not have several types.

    :param tensors: of the finished network.
    """
    summaries, types = summarize_pages(_network(choice, tensors), pages)
    return fit_page_types(summaries, types) if len({*types}) > 1 else {}


def predict_page_types(
    choice: NetworkChoice, tensors: dict[str, AnyArray], pages: Iterable[TrainingPage]
) -> list[tuple[str, float]]:
    """Return the most likely type of each page and its probability.

    :param tensors: of the finished network and of its head.
    """
    network = _network(choice, tensors)
    predicted = [network.page_type(network(page.features)[2]) for page in pages]
    return [(PAGE_TYPES[number], probability) for number, probability in predicted]


def _network(choice: NetworkChoice, tensors: dict[str, AnyArray]) -> ModernNetwork:
    return ModernNetwork(tensors, list(choice.dilations), list(choice.pooled), list(choice.grouped))


def summarize_pages(network: ModernNetwork, pages: Iterable[TrainingPage]) -> tuple[FloatArray, list[int]]:
    """Return the summaries of the *pages* whose types are known, and these types. *Shapes:* ``(p, 3 * width)``, p

    Corpora of another style than that of the answers often have one type, which would become too likely.
    """
    known = [page for page in pages if page.page_type >= 0 and page.style == 0]
    summaries = [network(page.features)[2] for page in known]
    return np.stack(summaries) if summaries else np.zeros((0, 0), dtype=np.float32), [page.page_type for page in known]


def fit_page_types(
    summaries: FloatArray, types: Sequence[int], *, n_types: int = len(PAGE_TYPES)
) -> dict[str, AnyArray]:
    """Return the tensors of the head, fitted by logistic regression.

    :param summaries: of the pages, as the network returns them. *Shape:* ``(p, 3 * width)``
    :param types: the type of each page. *Length:* p
    """
    mean, deviation = summaries.mean(axis=0), summaries.std(axis=0) + _SMALL_DEVIATION
    rows, targets = torch.from_numpy((summaries - mean) / deviation), torch.tensor(types)
    weight = torch.zeros(rows.shape[1], n_types, requires_grad=True)
    bias = torch.zeros(n_types, requires_grad=True)
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
