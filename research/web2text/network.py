"""The networks of Web2Text 2018 in torch, trained here and the reference for the numpy ones of `labelers.cnn_hmm`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from scrapy_web2text.common.arrays import FloatArray
from scrapy_web2text.features.cnn_hmm.page import BLOCK_FEATURE_NAMES, EDGE_FEATURE_NAMES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from research.web2text.data import LabeledRows, Sequences
    from research.web2text.recipe import NetworkChoice
    from scrapy_web2text.common.arrays import DoubleArray
    from scrapy_web2text.training.calibration import Potentials


class SequenceNetwork(nn.Module):
    """Convolutions over the blocks (or edges) of a page, with zero padding, and ReLU between them.

    Web2Text, section 3.3: 128 or 25 features, then 50, 50, 50 and 10 channels, then 2 or 4 logits.

    :param n_features: number of features per block or edge.
    :param n_outputs: number of logits per block or edge.
    :param generator: source of the initial weights.
    """

    def __init__(self, n_features: int, n_outputs: int, choice: NetworkChoice, generator: torch.Generator) -> None:
        super().__init__()
        sizes = (n_features, *choice.channels, n_outputs)
        self.layers = tuple(zip(sizes[:-1], sizes[1:], choice.kernels, strict=True))
        self.weights = nn.ParameterList(
            _truncated_normal((kernel, size_in, size_out), choice.deviation, generator)
            for size_in, size_out, kernel in self.layers
        )
        self.biases = nn.ParameterList(
            nn.Parameter(torch.zeros(size_out), requires_grad=choice.bias) for _, size_out, _ in self.layers
        )

    def forward(self, features: Tensor, *, keep: float = 1.0, generator: torch.Generator | None = None) -> Tensor:
        """Return the logits.

        *Shapes:* features ``(batch, n, n_features)``, result ``(batch, n, n_outputs)``.

        :param keep: share of the weights that is used, drawn from *generator*; the others count as 0 (DropConnect).
        """
        x = features.transpose(1, 2)
        for i, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            if i > 0:
                x = functional.relu(x)
            used = weight
            if keep < 1:
                used = weight * (torch.empty_like(weight).bernoulli_(keep, generator=generator) / keep)
            x = functional.conv1d(x, used.permute(2, 1, 0), bias, padding=weight.shape[0] // 2)
        return x.transpose(1, 2)

    def to_arrays(self) -> dict[str, FloatArray]:
        """Return the parameters by their names in a model file.

        *Shapes:* ``"0.weight"`` ``(kernel, in, out)``, ``"0.bias"`` ``(out,)``, and so on for each layer.
        """
        arrays: dict[str, FloatArray] = {}
        for i, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            arrays[f"{i}.weight"] = weight.detach().numpy().copy()
            arrays[f"{i}.bias"] = bias.detach().numpy().copy()
        return arrays


def networks_to_tensors(unary: SequenceNetwork, pairwise: SequenceNetwork) -> dict[str, FloatArray]:
    """Return the weights of both networks by their names in a model file."""
    networks = {"unary": unary, "pairwise": pairwise}
    return {
        f"{part}.{name}": array for part, network in networks.items() for name, array in network.to_arrays().items()
    }


def describe_networks(unary: SequenceNetwork, pairwise: SequenceNetwork) -> dict[str, Any]:
    """Return the entry of the manifest that describes both networks."""
    parts = {"unary": (unary, BLOCK_FEATURE_NAMES), "pairwise": (pairwise, EDGE_FEATURE_NAMES)}
    return {
        part: {"features": list(names), "layers": [list(layer) for layer in network.layers]}
        for part, (network, names) in parts.items()
    }


def _truncated_normal(shape: Sequence[int], deviation: float, generator: torch.Generator) -> nn.Parameter:
    """Return normally distributed values within two standard deviations of zero."""
    values = torch.empty(tuple(shape))
    nn.init.trunc_normal_(values, std=deviation, a=-2 * deviation, b=2 * deviation, generator=generator)
    return nn.Parameter(values)


def make_potentials(unary: SequenceNetwork, pairwise: SequenceNetwork, pages: LabeledRows) -> Potentials:
    """Return the potentials that two trained networks give to *pages*."""
    pairs = [pair.reshape(-1, 2, 2) for pair in _log_potentials(pairwise, pages.edges)]
    return [*zip(_log_potentials(unary, pages.blocks), pairs, strict=True)]


def page_logits(network: SequenceNetwork, sequences: Sequences) -> Tensor:
    """Return the logits of all rows; no row sees another page. *Shape:* ``(n_rows, n_outputs)``"""
    features = torch.from_numpy(sequences.features)
    with torch.inference_mode():
        pages = [network(page[None])[0] for page in torch.split(features, sequences.lengths.tolist()) if len(page)]
    return torch.cat(pages) if pages else torch.zeros(0, network.layers[-1][1])


def _log_potentials(network: SequenceNetwork, sequences: Sequences) -> list[DoubleArray]:
    """Return the log-softmax of the logits, page by page."""
    values = torch.log_softmax(page_logits(network, sequences).double(), dim=1).numpy()
    return np.split(values, sequences.starts[1:])
