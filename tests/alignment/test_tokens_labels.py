from __future__ import annotations

import numpy as np

from scrapy_web2text.alignment.tokens import LeafCoverage, label_blocks
from scrapy_web2text.page.blocks import BlockSequence


def _coverage(n_covered, n_tokens):
    return LeafCoverage(np.array(n_covered), np.array(n_tokens), 1.0)


def _blocks(leaves, starts):
    return BlockSequence(np.array(leaves, dtype=np.int64), np.array(starts, dtype=np.int64))


def test_a_block_is_content_if_half_of_its_tokens_are_covered():
    coverage = _coverage([3, 0, 1, 9, 2], [3, 3, 2, 9, 5])
    assert label_blocks(_blocks([0, 1, 2, 4], [0, 2, 3]), coverage).tolist() == [1, 1, 0]
    assert label_blocks(_blocks([0, 1, 2, 4], [0, 2, 3]), coverage, least_share=0.6).tolist() == [0, 0, 0]


def test_a_block_without_tokens_is_content_if_both_neighbors_are():
    coverage = _coverage([0, 1, 0, 1, 0, 0, 0], [0, 1, 0, 1, 0, 1, 0])
    assert label_blocks(_blocks(range(7), range(7)), coverage).tolist() == [0, 1, 1, 1, 0, 0, 0]


def test_a_page_without_tokens_has_no_content():
    assert label_blocks(_blocks([0, 1], [0, 1]), _coverage([0, 0], [0, 0])).tolist() == [0, 0]
    assert label_blocks(_blocks([], []), _coverage([], [])).tolist() == []
