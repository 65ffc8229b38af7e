"""A differentiable linear-chain CRF over two labels in torch: likelihood of a labeling, and marginals.

Messages are products of 2 x 2 matrices. A parallel scan multiplies all prefixes in log2(n) steps, which is much faster
in torch than one step per block. Each product is divided by its largest entry: messages are needed up to a factor only,
since the likelihood of a labeling is a product of conditional probabilities.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["evaluate_chain"]

# Below this share of the message, a label is as good as impossible.
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
