"""Shared parts of the labelers whose networks run with torch."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from scrapy_web2text.common.arrays import DoubleArray
from scrapy_web2text.exceptions import ModelError
from scrapy_web2text.labelers.chain import ChainLabeler, HasWords, ModelOutput, odds_to_potentials
from scrapy_web2text.labelers.weights import Model
from scrapy_web2text.training.fitting import torch_threads

_Features = TypeVar("_Features", bound=HasWords)


class TorchChainLabeler(ChainLabeler[_Features]):
    """A trained model with a torch network that gives the potentials.

    :param model: a verified model folder.
    :param network: a network of the same shape, which gets the weights of the model. It can be on the device ``meta``,
        so that a wrong shape takes no memory.
    :raises ModelError: if the model lacks a value, or a tensor is missing or of another shape.
    """

    def __init__(self, model: Model, network: nn.Module) -> None:
        super().__init__(model)
        load_weights(network, model)
        self._network = network.eval()

    def _run(self, features: _Features) -> ModelOutput:
        # One thread, since a page is small and several threads would mostly wait for each other on a busy machine.
        with torch_threads(1), torch.inference_mode():
            odds, pairs = self._network([features])
        return ModelOutput(*to_potentials(odds, pairs))


def to_potentials(odds: Tensor, pairs: Tensor) -> tuple[DoubleArray, DoubleArray]:
    """Return the output of a network for one page of n blocks as log-potentials.

    *Shapes:* ``(1, n)``, ``(1, n - 1, 4)`` -> ``(n, 2)``, ``(n - 1, 2, 2)``
    """
    return odds_to_potentials(odds[0].numpy(), pairs[0].numpy())


def export_tensors(network: nn.Module) -> dict[str, NDArray[np.float16]]:
    """Return the weights of *network* in half precision, by their names in a model file."""
    return {name: value.numpy().astype(np.float16) for name, value in network.state_dict().items()}


def load_weights(network: nn.Module, model: Model) -> None:
    """Give *network* the weights of *model*, which `export_tensors` wrote.

    :raises ModelError: if a tensor is missing or of another shape.
    """
    state = {
        name: torch.from_numpy(model.tensor(name, tuple(value.shape)).astype(np.float32))
        for name, value in network.state_dict().items()
    }
    network.load_state_dict(state, assign=True)


def read_sizes(model: Model, *names: str) -> dict[str, int]:
    """Return entries of the table ``network`` of the manifest.

    :raises ModelError: if an entry is missing, is not a number above 0, or does not fit the weights.
    """
    most = sum(tensor.size for tensor in model.tensors.values())
    table: dict[str, Any] = model.entry("network", dict)
    for name in names:
        if type(table.get(name)) is not int or not 0 < table[name] <= most:
            expected = f"a number from 1 to {most}, the number of weights"
            raise ModelError(f"{model.folder}: expected network.{name} to be {expected}, got {table.get(name)!r}")
    return {name: table[name] for name in names}


def run_lstm(lstm: nn.LSTM, sequences: list[Tensor]) -> Tensor:
    """Return the output of *lstm*, one layer in both directions, for each of *sequences*, padded with zeros.

    Each direction reads padded sequences; the second one reads sequences that are reversed before they are padded. The
    values are those of packed sequences, but the gradient does not copy all sequences for each one and each step.

    *Shapes:* ``(n, in)`` each, with ``n`` at least 1 -> ``(sequences, longest, out)``
    """
    sizes = torch.tensor([len(sequence) for sequence in sequences])[:, None]
    rows = torch.cat([*sequences, sequences[0].new_zeros(1, lstm.input_size)])
    places = torch.arange(int(sizes.max()))
    is_inside = places < sizes
    reversed_places = torch.where(is_inside, sizes - 1 - places, places)
    starts = sizes.cumsum(0) - sizes
    zeros = rows.new_zeros(1, len(sequences), lstm.hidden_size)
    outputs = []
    for order, weights in zip((places, reversed_places), lstm.all_weights, strict=True):
        padded = functional.embedding(torch.where(is_inside, starts + order, len(rows) - 1), rows)
        # The arguments: has_biases, num_layers, dropout, train, bidirectional, batch_first.
        outputs.append(torch.lstm(padded, (zeros, zeros), [*weights], True, 1, 0.0, lstm.training, False, True)[0])
    ahead, back = outputs
    back = back.gather(1, reversed_places[..., None].expand_as(back))
    return torch.cat([ahead, back], dim=2) * is_inside[..., None]
