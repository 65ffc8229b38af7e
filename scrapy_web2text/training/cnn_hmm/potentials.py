"""Logits and potentials of the two networks on the pages of a corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from scrapy_web2text.training.calibration import Potentials

if TYPE_CHECKING:
    from torch import Tensor

    from scrapy_web2text.arrays import DoubleArray
    from scrapy_web2text.training.cnn_hmm.data import LabeledRows, Sequences
    from scrapy_web2text.training.networks import SequenceNetwork

__all__ = ["make_potentials", "page_logits"]


def make_potentials(unary: SequenceNetwork, pairwise: SequenceNetwork, pages: LabeledRows) -> Potentials:
    """Return the potentials that two trained networks give to *pages*."""
    return Potentials(
        _log_potentials(unary, pages.blocks),
        [pair.reshape(-1, 2, 2) for pair in _log_potentials(pairwise, pages.edges)],
    )


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
