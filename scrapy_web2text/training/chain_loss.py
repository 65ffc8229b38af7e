"""A differentiable linear-chain CRF over two labels in torch: likelihood of a labeling, and marginals.

Messages are products of 2 x 2 matrices in log space. A parallel scan multiplies all prefixes in log2(n) steps, which is
much faster in torch than one step per block.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["evaluate_chain"]

_IMPOSSIBLE = -1e4


def evaluate_chain(unary: Tensor, pairwise: Tensor, mask: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    """Return the log-odds of the marginal of each block, and the negative log-likelihood of *labels* for each page.

    :param unary: log-potential of CONTENT relative to BOILERPLATE. *Shape:* ``(pages, n)``
    :param pairwise: log-potentials of 00, 01, 10, 11. *Shape:* ``(pages, n - 1, 4)``
    :param mask: which positions hold blocks; the padding of a page comes last. *Shape:* ``(pages, n)``
    :param labels: *Shape:* ``(pages, n)``
    :returns: *Shapes:* ``(pages, n)``, ``(pages,)``
    """
    n_pages, n = unary.shape
    potentials = torch.stack([torch.zeros_like(unary), unary], dim=-1) * mask[..., None]
    is_pair = (mask[:, 1:] & mask[:, :-1])[:, :, None, None]
    pairs = pairwise.view(n_pages, n - 1, 2, 2) * is_pair
    identity = torch.tensor([[0.0, _IMPOSSIBLE], [_IMPOSSIBLE, 0.0]])
    steps = torch.where(is_pair, pairs + potentials[:, 1:, None, :], identity)
    first = potentials[:, :1]
    forward = torch.cat([first, torch.logsumexp(first[..., None] + _scan(steps), dim=2)], dim=1)
    backward = torch.logsumexp(_scan(steps.flip(1).transpose(-1, -2)), dim=2).flip(1)
    backward = torch.cat([backward, torch.zeros(n_pages, 1, 2)], dim=1)
    beliefs = forward + backward
    score = (potentials.gather(2, labels[..., None])[..., 0]).sum(1)
    codes = (2 * labels[:, :-1] + labels[:, 1:])[..., None]
    score = score + (pairs.flatten(2).gather(2, codes)[..., 0] * is_pair[..., 0, 0]).sum(1)
    return beliefs[..., 1] - beliefs[..., 0], torch.logsumexp(forward[:, -1], dim=-1) - score


def _scan(matrices: Tensor) -> Tensor:
    """Return the log-space products of all prefixes. *Shapes:* ``(pages, n, 2, 2)`` -> the same"""
    distance = 1
    while distance < matrices.shape[1]:
        product = _multiply(matrices[:, :-distance], matrices[:, distance:])
        matrices = torch.cat([matrices[:, :distance], product], dim=1)
        distance *= 2
    return matrices


def _multiply(left: Tensor, right: Tensor) -> Tensor:
    return torch.logsumexp(left[..., :, :, None] + right[..., None, :, :], dim=-2)
