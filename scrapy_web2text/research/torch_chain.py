"""What labelers have in common whose networks run with torch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

from scrapy_web2text.arrays import DoubleArray
from scrapy_web2text.exceptions import ModelError
from scrapy_web2text.labelers.chain import ChainLabeler, HasWords
from scrapy_web2text.labelers.weights import Model

__all__ = ["TorchChainLabeler", "export_tensors", "read_sizes", "run_lstm", "to_potentials", "torch_threads"]

_Features = TypeVar("_Features", bound=HasWords)


class TorchChainLabeler(ChainLabeler[_Features]):
    """A trained model whose potentials a torch network gives.

    :param model: a verified model folder.
    :param network: a network of the model's form, which may lie on the device ``meta``, so that a wrong form takes no
        memory; it gets the model's weights.
    :raises ModelError: if the model lacks a value, or a tensor is missing or of another shape.
    """

    def __init__(self, model: Model, network: nn.Module) -> None:
        super().__init__(model)
        state = {
            name: torch.from_numpy(model.tensor(name, tuple(value.shape)).astype(np.float32))
            for name, value in network.state_dict().items()
        }
        network.load_state_dict(state, assign=True)
        self._network = network.eval()

    def _log_potentials(self, features: _Features) -> tuple[DoubleArray, DoubleArray]:
        # A page is too small for more threads: on a busy machine they would mostly wait for each other.
        with torch_threads(1), torch.inference_mode():
            odds, pairs = self._network([features])
        return to_potentials(odds, pairs)


def to_potentials(odds: Tensor, pairs: Tensor) -> tuple[DoubleArray, DoubleArray]:
    """Return what a network says of one page of n blocks as log-potentials.

    *Shapes:* ``(1, n)``, ``(1, n - 1, 4)`` -> ``(n, 2)``, ``(n - 1, 2, 2)``
    """
    content = odds[0].double().numpy()
    return np.stack([np.zeros(len(content)), content], axis=1), pairs[0].double().numpy().reshape(-1, 2, 2)


@contextmanager
def torch_threads(n_threads: int) -> Iterator[None]:
    """Let torch use *n_threads* threads inside the block; torch knows only one number for the whole process."""
    before = torch.get_num_threads()
    torch.set_num_threads(n_threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def export_tensors(network: nn.Module) -> dict[str, NDArray[np.float16]]:
    """Return the weights of *network* as a model file holds them: two bytes each."""
    return {name: value.numpy().astype(np.float16) for name, value in network.state_dict().items()}


def read_sizes(model: Model, *names: str) -> dict[str, int]:
    """Return entries of the manifest's table ``network``.

    :raises ModelError: if one is missing, no number above 0, or impossible with the model's weights.
    """
    most = sum(tensor.size for tensor in model.tensors.values())
    table: dict[str, Any] = model.entry("network", dict)
    for name in names:
        if type(table.get(name)) is not int or not 0 < table[name] <= most:
            expected = f"a number from 1 to {most}, as many as there are weights"
            raise ModelError(f"{model.folder}: expected network.{name} to be {expected}, got {table.get(name)!r}")
    return {name: table[name] for name in names}


def run_lstm(lstm: nn.LSTM, sequences: list[Tensor]) -> Tensor:
    """Return the output of *lstm* for each of *sequences*, zeros behind each.

    *Shapes:* ``(n, in)`` each, ``n`` being 1 at least -> ``(sequences, longest, out)``
    """
    lengths = torch.tensor([len(sequence) for sequence in sequences])
    padded = pad_sequence(sequences, batch_first=True)
    output, _ = lstm(pack_padded_sequence(padded, lengths, batch_first=True, enforce_sorted=False))
    rows: Tensor = pad_packed_sequence(output, batch_first=True)[0]
    return rows
