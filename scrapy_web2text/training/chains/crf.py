"""A linear-chain CRF over the features of Web2Text: two networks, fitted together, give its potentials."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from scrapy_web2text.features.cnn_hmm import BLOCK_FEATURE_NAMES, EDGE_FEATURE_NAMES
from scrapy_web2text.training.networks import SequenceNetwork

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_web2text.features.cnn_hmm import PageFeatures
    from scrapy_web2text.training.recipe import NetworkChoice

__all__ = ["CrfNetwork"]


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
