"""The network of `labelers.modern` in torch, which is trained, and is the reference for the network in numpy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Self, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from scrapy_web2text.features.hashing import N_WORD_HASHES
from scrapy_web2text.labelers.modern.layers import N_BAGS
from scrapy_web2text.labelers.modern.network import MAX_INPUT
from scrapy_web2text.labelers.sums import MANY_NAMES
from scrapy_web2text.page.reader import N_NAME_HASHES
from scrapy_web2text.training.modern.batches import Batch
from scrapy_web2text.training.modern.recipe import BAGS, NetworkChoice
from scrapy_web2text.verdicts.kinds import PAGE_TYPES


class TorchNetwork(nn.Module):
    """The mean of several networks of the same shape, each fitted from a seed of its own.

    Single networks differ by their seeds as much as by any choice, and the mean is better than each of them. Several
    narrow networks cost as much as a single wide network.
    """

    def __init__(self, members: Sequence[Member]) -> None:
        super().__init__()
        self.members = nn.ModuleList(members)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[np.generic]], choice: NetworkChoice) -> Self:
        """Return the network with the weights in *arrays*, which `to_arrays` returned.

        It has a single style, and random heads of page types.
        """
        mean, deviation = (torch.from_numpy(arrays[name].astype(np.float32)) for name in ("mean", "deviation"))
        members = [Member(choice, mean, deviation, n_styles=1, n_types=len(PAGE_TYPES)) for _ in range(choice.members)]
        for number, member in enumerate(members):
            member.load_arrays(arrays, number)
        return cls(members).eval()

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
        """Return the mean logits of blocks, of pairs and of page types, with the shapes of `Member.forward`."""
        logits, pairs, types = (
            torch.stack(parts).mean(0) for parts in zip(*(member(batch) for member in self.members), strict=True)
        )
        return logits, pairs, types

    def to_arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return the arrays that `labelers.modern.network.ModernNetwork` reads, see `tensor_shapes` there."""
        every = [cast("Member", member).to_arrays() for member in self.members]
        arrays = {name: np.stack([arrays[name] for arrays in every]) for name in every[0]}
        # The members see the same columns, and their embeddings of a word are rows side by side.
        shared = {name: arrays[name][0] for name in ("mean", "deviation")}
        tables = {name: np.concatenate([*arrays[name]], axis=1) for name in ("names", "words")}
        return arrays | shared | tables


class Member(nn.Module):
    """A network from dense columns and bags of words to the logits of blocks, pairs and page types.

    :param mean: mean of each dense column over the training pages. *Shape:* ``(F,)``
    :param deviation: standard deviation of each dense column over the training pages. *Shape:* ``(F,)``
    :param n_styles: number of styles of annotation; answers are given in style 0.
    """

    mean: Tensor
    deviation: Tensor

    def __init__(self, choice: NetworkChoice, mean: Tensor, deviation: Tensor, *, n_styles: int, n_types: int) -> None:
        super().__init__()
        self.choice = choice
        width, size = choice.width, choice.embedding
        self.register_buffer("mean", mean)
        self.register_buffer("deviation", deviation)
        self.names = nn.Parameter(torch.empty(N_NAME_HASHES, size).normal_(std=0.05))
        self.words = nn.Parameter(torch.empty(N_WORD_HASHES, size).normal_(std=0.05))
        self.input = nn.Linear(len(mean) + N_BAGS * size, width)
        self.style = nn.Parameter(torch.zeros(n_styles, width))
        self.norm = nn.ModuleList(nn.LayerNorm(width) for _ in choice.dilations)
        self.conv = nn.ModuleList(nn.Linear(3 * width, width) for _ in choice.dilations)
        self.out = nn.ModuleList(nn.Linear(width, width) for _ in choice.dilations)
        self.pool = nn.ModuleList(nn.Linear(3 * width, width) for _ in choice.pooled)
        self.group = nn.ModuleList(nn.Linear(2 * width, width) for _ in choice.grouped)
        self.last = nn.LayerNorm(width)
        self.unary = nn.Linear(width, 1)
        self.pairwise = nn.Linear(2 * width, 4)
        self.page_type = nn.Linear(3 * width, n_types)
        # Start from the prior that neighbors mostly have the same label.
        nn.init.zeros_(self.pairwise.weight)
        with torch.no_grad():
            self.pairwise.bias.copy_(torch.tensor([1.0, -1.0, -1.0, 1.0]))
        for name, table in zip(BAGS, (self.names, self.words), strict=True):
            if name.startswith(choice.without):
                nn.init.zeros_(table)
                table.requires_grad_(False)

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
        """Return the logits of blocks, of pairs and of page types.

        *Shapes:* ``(pages, length)``, ``(pages, length - 1, 4)``, ``(pages, n_types)``.
        """
        choice = self.choice
        dense = ((batch.dense - self.mean) / self.deviation).clamp(-MAX_INPUT, MAX_INPUT)
        dense = self._drop(dense, choice.input_dropout)
        rows = self.input(torch.cat([dense, self._bags(batch)], dim=1)) + self.style[batch.styles[batch.pages]]
        mask = batch.mask[:, :, None].to(rows.dtype)
        hidden = torch.zeros(*batch.mask.shape, rows.shape[1]).index_put((batch.pages, batch.places), rows)
        hidden = functional.relu(hidden) * mask
        for layer, dilation in enumerate(choice.dilations):
            view = _shifted(self.norm[layer](hidden) * mask, dilation)
            step = self.out[layer](functional.relu(self.conv[layer](view)))
            hidden = (hidden + self._drop(step, choice.dropout)) * mask
            if layer in choice.pooled:
                summary = self.pool[choice.pooled.index(layer)](_summary(hidden, batch))
                hidden = (hidden + summary[:, None]) * mask
            if layer in choice.grouped:
                means = self.group[choice.grouped.index(layer)](_group_means(hidden[batch.pages, batch.places], batch))
                hidden = hidden.index_put((batch.pages, batch.places), means, accumulate=True)
        hidden = self.last(hidden)
        pairs = torch.cat([hidden[:, :-1], hidden[:, 1:]], dim=2)
        return self.unary(hidden)[..., 0], self.pairwise(pairs), self.page_type(_summary(hidden * mask, batch))

    def _bags(self, batch: Batch) -> Tensor:
        """Return the mean embeddings of the words around each block. *Shape:* ``(blocks, 6 * embedding)``"""
        names = self._bag_sums(self.names, batch.names, batch.n_names)
        steps = torch.zeros(2 * len(names), names.shape[1])
        steps = steps.index_add(0, batch.open_slots, names).index_add(0, batch.close_slots, -names)
        # Sums are in double precision, since many small numbers are added and subtracted again.
        paths = torch.cumsum(steps.double(), dim=0).float()[batch.open_slots[batch.owners]]
        inner = (batch.owners != batch.containers)[:, None]
        near = names[batch.owners] + torch.where(inner, names[batch.containers], 0.0)
        words = _means(self._bag_sums(self.words, batch.words, batch.n_words))
        headings = torch.where((batch.headings >= 0)[:, None], words[batch.headings.clamp(min=0)], 0.0)
        titles = _means(self._bag_sums(self.words, batch.title_words, batch.n_title_words))[batch.pages]
        kinds = _means(self._bag_sums(self.names, batch.page_names, batch.n_page_names))[batch.pages]
        bags = [_means(near), _per_root(paths - near), words, headings, titles, kinds]
        if not self.training:
            return torch.cat(bags, dim=1)
        return torch.cat([self._drop_bag(bag, batch, per_page=bag is not words) for bag in bags], dim=1)

    def _bag_sums(self, table: Tensor, numbers: Tensor, counts: Tensor) -> Tensor:
        """Return the sum of the rows of each bag, and their number; training drops some words."""
        offsets = torch.cumsum(counts, 0) - counts
        kept = torch.ones(len(numbers))
        if self.training:
            kept = (torch.rand(len(numbers)) >= self.choice.word_dropout).float()
        sums = functional.embedding_bag(numbers, table, offsets, mode="sum", per_sample_weights=kept)
        bag_of_word = torch.repeat_interleave(torch.arange(len(counts)), counts)
        n_kept = torch.zeros(len(counts)).index_add_(0, bag_of_word, kept)
        return torch.cat([sums, n_kept[:, None]], dim=1)

    def _drop(self, rows: Tensor, share: float) -> Tensor:
        """Drop a *share* of the values in training. On CPUs, torch's own dropout takes four times as long."""
        return rows * ((torch.rand_like(rows) >= share) / (1 - share)) if self.training and share else rows

    def _drop_bag(self, bag: Tensor, batch: Batch, *, per_page: bool) -> Tensor:
        n = len(batch.mask) if per_page else len(bag)
        kept = (torch.rand(n, 1) >= self.choice.bag_dropout).float()
        return bag * (kept[batch.pages] if per_page else kept)

    def to_arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return the arrays of this member.

        Style 0 is added to the bias of the input. The weights of linear layers are transposed. The embeddings, which
        take most of the bytes, have half precision.
        """
        arrays: dict[str, NDArray[np.generic]] = {
            "mean": self.mean.numpy(),
            "deviation": self.deviation.numpy(),
            "names": self.names.detach().half().numpy(),
            "words": self.words.detach().half().numpy(),
        }
        for name, module in self._layers():
            weight, bias = module.weight.detach(), module.bias.detach()
            if name == "input":
                bias = bias + self.style[0].detach()
            arrays[f"{name}.weight"] = (weight.T if isinstance(module, nn.Linear) else weight).contiguous().numpy()
            arrays[f"{name}.bias"] = bias.numpy()
        return arrays

    def load_arrays(self, arrays: Mapping[str, NDArray[np.generic]], number: int) -> None:
        """Take the weights of a member from the arrays of a `ModernNetwork`, which have style 0 in the bias."""
        size = self.choice.embedding
        tables = slice(number * size, (number + 1) * size)
        with torch.no_grad():
            for table, name in ((self.names, "names"), (self.words, "words")):
                table.copy_(torch.from_numpy(arrays[name][:, tables].astype(np.float32)))
            for name, module in self._layers():
                weight = torch.from_numpy(arrays[f"{name}.weight"][number])
                module.weight.copy_(weight.T if isinstance(module, nn.Linear) else weight)
                module.bias.copy_(torch.from_numpy(arrays[f"{name}.bias"][number]))
            self.style.zero_()

    def _layers(self) -> Iterator[tuple[str, nn.Linear | nn.LayerNorm]]:
        """Yield the layers with weights, by name, except the head of page types, which is fitted after the network."""
        for name, module in self.named_modules():
            if name != "page_type" and isinstance(module, (nn.Linear, nn.LayerNorm)):
                yield name, module


def _shifted(rows: Tensor, steps: int) -> Tensor:
    """Return each row joined with the rows *steps* before and after. *Shapes:* ``(…, n, c)`` -> ``(…, n, 3c)``"""
    padded = functional.pad(rows, (0, 0, steps, steps))
    return torch.cat([padded[:, : -2 * steps], rows, padded[:, 2 * steps :]], dim=2)


def _per_root(sums: Tensor) -> Tensor:
    """Return sums divided by the square root of the count, since one name can matter in the large bag of far names.

    For counts above `MANY_NAMES`, the result is the mean times the root of `MANY_NAMES`.
    """
    counts = sums[:, -1:].round().clamp(min=1)
    return sums[:, :-1] / torch.maximum(counts.sqrt(), counts / MANY_NAMES**0.5)


def _means(sums: Tensor) -> Tensor:
    return sums[:, :-1] / sums[:, -1:].round().clamp(min=1)


def _group_means(rows: Tensor, batch: Batch) -> Tensor:
    """Return, for each block, the means of its groups. *Shapes:* ``(blocks, c)`` -> ``(blocks, 2 * c)``"""
    means = []
    for groups in batch.groups:
        n_groups = int(groups.max()) + 1
        sizes = torch.zeros(n_groups).index_add(0, groups, torch.ones(len(groups)))
        sums = torch.zeros(n_groups, rows.shape[1]).index_add(0, groups, rows)
        means.append((sums / sizes[:, None].clamp(min=1))[groups])
    return torch.cat(means, dim=1)


def _summary(rows: Tensor, batch: Batch) -> Tensor:
    """Return the mean, the mean weighted by the logarithm of words, and the maximum over the blocks of each page.

    *Shapes:* ``(pages, n, c)`` -> ``(pages, 3 * c)``
    """
    mask = batch.mask[:, :, None].to(rows.dtype)
    weight = torch.log1p(batch.n_tokens)[:, :, None] * mask
    weighted = (rows * weight).sum(1) / weight.sum(1).clamp(min=1e-6)
    return torch.cat([rows.sum(1) / mask.sum(1), weighted, rows.masked_fill(mask == 0, -torch.inf).amax(1)], dim=1)
