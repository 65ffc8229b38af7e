"""A baseline after BoilerNet: counts of tags and of frequent words per leaf, and a Bi-LSTM over the leaves of the page.

Leonhardt, Anand, Khosla: Boilerplate Removal using a Neural Sequence Labeling Model, WWW 2020, as described in sections
II and IV of the SemText paper (Zhang, Wang). Labels are independent: all potentials of pairs are zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from research.chains.labeler import TorchChainLabeler, read_sizes, run_lstm
from scrapy_web2text.common.arrays import FloatArray, IntArray, UintArray
from scrapy_web2text.exceptions import ModelError
from scrapy_web2text.features.texts import TEXT_COUNTS, read_texts
from scrapy_web2text.labelers.weights import Model
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import TEXT_LEAVES, BlockSequence
from scrapy_web2text.page.tags import TAG_NAMES


@dataclass(frozen=True, slots=True, eq=False)
class LeafCounts:
    """The features of a page of n leaves.

    :param counts: number of elements of each tag of the vocabulary around each leaf, and number of occurrences of each
        word in it. *Shape:* ``(n, v)``
    :param n_tokens: number of words of each leaf. *Shape:* ``(n,)``
    """

    counts: FloatArray
    n_tokens: IntArray


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The tags and words that are counted; words are 64-bit hashes, which do not reveal text."""

    tags: tuple[str, ...]
    words: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.tags) + len(self.words)

    def count(self, page: Page, blocks: BlockSequence) -> LeafCounts:
        """Return the counts of *page*.

        :param blocks: single leaves, at least one.
        """
        n, n_tags = blocks.n_blocks, len(self.tags)
        counts = np.zeros((n, len(self)), dtype=np.float32)
        enclosing = _count_tags(page, blocks)
        for column, tag in enumerate(self.tags):
            if tag in enclosing:
                counts[:, column] = enclosing[tag]
        hashes, n_words = _leaf_words(page, blocks)
        known = np.array(self.words, dtype=np.uint64)
        order = np.argsort(known)
        places = np.minimum(np.searchsorted(known[order], hashes), len(known) - 1)
        is_known = known[order][places] == hashes
        leaves = np.repeat(np.arange(n), n_words)
        np.add.at(counts, (leaves[is_known], n_tags + order[places[is_known]]), 1)
        return LeafCounts(counts, n_words)


class BoilernetNetwork(nn.Module):
    """A dense layer, a Bi-LSTM, and a logit for each leaf.

    :param n_counts: size of the vocabulary.
    :param width: outputs of the dense layer.
    :param units: units of the LSTM in each direction.
    :param dropout: share of the inputs of LSTM and logit that a training step drops, in [0, 1).
    """

    def __init__(self, n_counts: int, width: int, units: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.dense = nn.Linear(n_counts, width)
        self.lstm = nn.LSTM(width, units, batch_first=True, bidirectional=True)
        self.logit = nn.Linear(2 * units, 1)
        self.dropout = dropout

    def forward(self, pages: Sequence[LeafCounts]) -> tuple[Tensor, Tensor]:
        """Return the log-odds of the leaves of *pages*, and zero log-potentials of pairs.

        *Shapes:* ``(pages, n)``, ``(pages, n - 1, 4)``
        """
        sequences = [functional.relu(self.dense(torch.from_numpy(page.counts))) for page in pages]
        hidden = run_lstm(self.lstm, [functional.dropout(each, self.dropout, self.training) for each in sequences])
        odds = self.logit(functional.dropout(hidden, self.dropout, self.training))[..., 0]
        return odds, torch.zeros(len(pages), odds.shape[1] - 1, 4)


class BoilernetLabeler(TorchChainLabeler[LeafCounts]):
    """A trained model of the kind ``boilernet``.

    :param model: a verified model folder.
    :raises ModelError: if the model lacks a value, or a tensor is missing or of another shape.
    """

    segmentation = TEXT_LEAVES

    def __init__(self, model: Model) -> None:
        self._vocabulary = read_vocabulary(model)
        sizes = read_sizes(model, "width", "units")
        with torch.device("meta"):
            network = BoilernetNetwork(len(self._vocabulary), sizes["width"], sizes["units"])
        super().__init__(model, network)

    def features(self, page: Page, blocks: BlockSequence) -> LeafCounts:
        """Return the counts of tags and words of *page*."""
        return self._vocabulary.count(page, blocks)


def read_vocabulary(model: Model) -> Vocabulary:
    """Return the vocabulary of a trained model.

    :raises ModelError: if the manifest lacks it, or it has something else than tag names and hashes.
    """
    tags, words = model.entry("tags", list), model.entry("words", list)
    if not all(isinstance(tag, str) for tag in tags):
        raise ModelError(f"{model.folder}: expected 'tags' to be tag names")
    if not words or not all(type(word) is int and 0 <= word < 1 << 64 for word in words):
        raise ModelError(f"{model.folder}: expected 'words' to be one or more 64-bit hashes")
    return Vocabulary(tuple(tags), tuple(words))


def choose_vocabulary(pages: Sequence[tuple[Page, BlockSequence]], n_words: int) -> Vocabulary:
    """Return all tags around leaves of *pages*, and the *n_words* most frequent words."""
    tags: set[str] = set()
    hashes = []
    for page, blocks in pages:
        tags |= set(_count_tags(page, blocks))
        hashes.append(_leaf_words(page, blocks)[0])
    distinct, counts = np.unique(np.concatenate(hashes), return_counts=True)
    most = np.argsort(-counts, kind="stable")[:n_words]
    return Vocabulary(tuple(sorted(tags)), tuple(distinct[most].tolist()))


def _count_tags(page: Page, blocks: BlockSequence) -> dict[str, IntArray]:
    """Return the number of elements of each tag around each leaf; unknown tags are ``""``. *Shape:* ``(n,)``"""
    slots = page.leaf_slots[blocks.leaves]
    counts = {TAG_NAMES[tag]: page.count_enclosing(page.tags == tag)[slots] for tag in np.unique(page.tags).tolist()}
    return {tag: count for tag, count in counts.items() if count.any()}


def _leaf_words(page: Page, blocks: BlockSequence) -> tuple[UintArray, IntArray]:
    """Return the hashed words of the leaves, and the number of words of each. *Shapes:* ``(t,)``, ``(n,)``"""
    texts = [page.texts[leaf] for leaf in blocks.leaves.tolist()]
    counts, _, hashes = read_texts(texts)
    return hashes, counts[:, TEXT_COUNTS.index("words")]
