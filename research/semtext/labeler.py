"""SemText: words of the tags, the names and the text of each block, a depthwise CNN, a Bi-LSTM and a CRF.

Zhang, Wang: Boilerplate Detection via Semantic Classification of TextBlocks, section III. Word vectors are means over
hashed parts of words and trained with the network, whereas the paper uses published vectors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pad_sequence

from research.chains.labeler import TorchChainLabeler, read_sizes, run_lstm
from research.semtext.segments import SEMTEXT_BLOCKS, search_and_combine
from research.semtext.strings import (
    MOST_WORDS,
    STRINGS,
    SemtextFeatures,
    is_string_selection,
    semtext_features,
)
from scrapy_web2text.common.arrays import IntArray
from scrapy_web2text.exceptions import ModelError
from scrapy_web2text.labelers.weights import Model
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence

_MOST_BLOCKS: Final = 85
_KERNELS: Final = (3, 5, 7)
_MOST_FILTERS: Final = 1 << 16
# Strings are padded to one of these lengths.
_LENGTHS: Final = (8, 20, MOST_WORDS)


class SemtextNetwork(nn.Module):
    """The network of the paper's section III, D to F.

    :param strings: the strings of a block that it reads, of `STRINGS`.
    :param buckets: number of vectors for parts of words.
    :param size: length of these vectors.
    :param filters: number of filters of the kernels 3, 5 and 7, for each of the strings.
    :param units: units of the LSTM in each direction.
    :param dropout: share of the inputs of LSTM and scores that a training step drops, in [0, 1).
    :param word_dropout: share of the words whose vectors a training step sets to zero, in [0, 1).
    """

    def __init__(
        self,
        strings: Sequence[str],
        *,
        buckets: int,
        size: int,
        filters: Sequence[int],
        units: int,
        dropout: float = 0.0,
        word_dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.strings = tuple(strings)
        self.parts = nn.EmbeddingBag(buckets, size, mode="mean")
        self.filters = nn.ModuleDict(
            {
                name: nn.ModuleList(nn.Conv1d(size, n, kernel) for n, kernel in zip(filters, _KERNELS, strict=True))
                for name in self.strings
            }
        )
        self.lstm = nn.LSTM(len(self.strings) * sum(filters), units, batch_first=True, bidirectional=True)
        self.score = nn.Linear(2 * units, 1)
        self.transitions = nn.Parameter(torch.zeros(4))
        self.dropout = dropout
        self.word_dropout = word_dropout
        nn.init.normal_(self.parts.weight, std=0.3)

    def forward(self, pages: Sequence[SemtextFeatures]) -> tuple[Tensor, Tensor]:
        """Return the log-odds of the blocks of *pages*, and the log-potentials of their pairs.

        Sequences of more than 85 blocks are read in parts of similar length; pairs between parts have zero potentials.

        *Shapes:* ``(pages, n)``, ``(pages, n - 1, 4)``
        """
        maps = self._encode(pages)
        sizes = [_split_evenly(len(page.n_tokens)) for page in pages]
        # In one call: the gradient of each slice would take as much memory as all maps.
        parts = torch.split(maps, [size for page_sizes in sizes for size in page_sizes])
        sequences = [functional.dropout(part, self.dropout, self.training) for part in parts]
        hidden = functional.dropout(run_lstm(self.lstm, sequences), self.dropout, self.training)
        scores = self.score(hidden)[..., 0]
        unary, pairwise, place = [], [], 0
        for page_sizes in sizes:
            unary.append(torch.cat([scores[place + i, :size] for i, size in enumerate(page_sizes)]))
            place += len(page_sizes)
            is_inside = torch.ones(sum(page_sizes) - 1, 1)
            is_inside[np.cumsum(page_sizes)[:-1] - 1] = 0
            pairwise.append(is_inside * self.transitions)
        return pad_sequence(unary, batch_first=True), pad_sequence(pairwise, batch_first=True)

    def _encode(self, pages: Sequence[SemtextFeatures]) -> Tensor:
        """Return the feature map of each block, page after page. *Shape:* ``(blocks, maps)``"""
        n_parts = np.concatenate([page.n_parts for page in pages])
        parts = torch.from_numpy(np.concatenate([page.parts for page in pages]))
        words = self.parts(parts, torch.from_numpy(np.cumsum(n_parts) - n_parts))
        if self.training and self.word_dropout:
            words = words * (torch.rand(len(words), 1) >= self.word_dropout)
        words = torch.cat([words, words.new_zeros(1, words.shape[1])])  # padding of the strings
        n_words = np.array([len(page.n_parts) for page in pages])
        before = np.cumsum(n_words) - n_words
        maps = []
        for name in self.strings:
            kind = [page.strings[name] for page in pages]
            n_strings = np.array([len(strings.sizes) for strings in kind])
            numbers = np.concatenate([strings.words + offset for strings, offset in zip(kind, before, strict=True)])
            found = self._convolve(name, words, numbers, np.concatenate([strings.sizes for strings in kind]))
            offsets = np.cumsum(n_strings) - n_strings
            which = np.concatenate([strings.which + offset for strings, offset in zip(kind, offsets, strict=True)])
            maps.append(found[torch.from_numpy(which)])
        return torch.cat(maps, dim=1)

    def _convolve(self, name: str, words: Tensor, numbers: IntArray, sizes: IntArray) -> Tensor:
        """Return the maximum of each filter over each string, as if all strings were padded to 50 words.

        *Shapes:* words ``(w + 1, size)``, numbers ``(t,)``, sizes ``(u,)`` -> ``(u, filters)``
        """
        starts = np.cumsum(sizes) - sizes
        found, order = [], []
        for chosen, length in _group_by_length(sizes):
            table = np.full((len(chosen), length), len(words) - 1, dtype=np.int64)
            rows = np.repeat(np.arange(len(chosen)), sizes[chosen])
            places = np.arange(len(rows)) - np.repeat(np.cumsum(sizes[chosen]) - sizes[chosen], sizes[chosen])
            table[rows, places] = numbers[np.repeat(starts[chosen], sizes[chosen]) + places]
            vectors = words[torch.from_numpy(table)].transpose(1, 2)
            convolutions = cast("Iterable[nn.Conv1d]", self.filters[name])
            maps = [convolution(vectors).amax(dim=2) for convolution in convolutions]
            found.append(functional.relu(torch.cat(maps, dim=1)))
            order.append(chosen)
        places_of = np.argsort(np.concatenate(order))
        return torch.cat(found)[torch.from_numpy(places_of)]


def _split_evenly(n_blocks: int) -> list[int]:
    """Return the sizes of the fewest parts of at most 85 blocks; they differ by one at most."""
    n_parts = -(-n_blocks // _MOST_BLOCKS)
    size, n_larger = divmod(n_blocks, n_parts)
    return [size + 1] * n_larger + [size] * (n_parts - n_larger)


def _group_by_length(sizes: IntArray) -> Iterator[tuple[IntArray, int]]:
    """Yield indices of strings of similar length, and the length to pad them to, at most 50.

    All windows after the last word of a string are zero, so one of them is enough.
    """
    below = -1
    for longest in _LENGTHS:
        chosen = np.flatnonzero((sizes > below) & (sizes <= longest))
        if len(chosen):
            yield chosen, min(MOST_WORDS, longest + _KERNELS[-1])
        below = longest


class SemtextLabeler(TorchChainLabeler[SemtextFeatures]):
    """A trained model of the kind ``semtext``.

    :param model: a verified model folder.
    :raises ModelError: if the model lacks a value, or a tensor is missing or of another shape.
    """

    segmentation = SEMTEXT_BLOCKS

    def __init__(self, model: Model) -> None:
        strings, filters = model.entry("strings", list), model.entry("filters", list)
        if not is_string_selection(strings):
            expected = f"some of {', '.join(STRINGS)}, in this order"
            raise ModelError(f"{model.folder}: expected 'strings' to be {expected}, got {strings!r}")
        if len(filters) != len(_KERNELS) or not all(type(n) is int and 0 < n <= _MOST_FILTERS for n in filters):
            expected = f"{len(_KERNELS)} numbers from 1 to {_MOST_FILTERS}"
            raise ModelError(f"{model.folder}: expected 'filters' to be {expected}, got {filters!r}")
        sizes = read_sizes(model, "buckets", "size", "units")
        self._n_buckets = sizes["buckets"]
        with torch.device("meta"):
            network = SemtextNetwork(strings, filters=filters, **sizes)
        super().__init__(model, network)

    def blocks(self, page: Page) -> BlockSequence:
        """Return the blocks of *page* by Search-and-Combine Segmentation."""
        return search_and_combine(page)

    def features(self, page: Page, blocks: BlockSequence) -> SemtextFeatures:
        """Return the strings of the blocks of *page*."""
        return semtext_features(page, blocks, self._n_buckets)
