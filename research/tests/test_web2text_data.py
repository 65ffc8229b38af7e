"""Rows of features and labels."""

from __future__ import annotations

import numpy as np
import pytest
from labeled_rows import make_page, make_pages

from research.web2text.data import LabeledRows, label_pages
from scrapy_web2text.evaluation.corpora import CorpusPage

STORY = "The ferry to the island runs again since Monday, after two weeks of storms and repairs."
PAGE = f"<title>t</title><body><ul><li><a href=/>Home</a><li>Contact</ul><p>{STORY}</p><p>Footer</p>"


def same_rows(a, b):
    return all(np.array_equal(getattr(a, field), getattr(b, field)) for field in LabeledRows.__slots__)


def test_a_page_becomes_its_features_and_the_labels_of_its_clean_text():
    rows = label_pages([CorpusPage("1", PAGE, STORY)])
    assert rows.lengths.tolist() == [4]
    assert rows.labels.tolist() == [0, 0, 1, 0]
    assert rows.block_features.shape == (4, 128)
    assert rows.edge_features.shape == (3, 25)
    assert rows.block_features.dtype == rows.edge_features.dtype == np.float32


def test_edges_have_the_pairs_of_labels_inside_each_page():
    rows = LabeledRows.join([make_page(4, 0), make_page(1, 1), make_page(3, 2)])
    rows = LabeledRows(rows.lengths, np.array([0, 0, 1, 1, 1, 1, 0, 0]), rows.block_features, rows.edge_features)
    edges = rows.edges
    assert edges.targets.tolist() == [0, 1, 3, 2, 0]
    assert edges.lengths.tolist() == [3, 0, 2]
    assert edges.starts.tolist() == [0, 3, 3]
    assert rows.blocks.starts.tolist() == [0, 4, 5]
    assert len(edges.features) == 5


def test_pages_without_blocks_are_skipped_unless_there_are_no_others():
    empty = CorpusPage("empty", "<p> </p>", "")
    assert label_pages([empty, CorpusPage("good", PAGE, STORY)]).lengths.tolist() == [4]
    with pytest.raises(ValueError, match="expected one or more pages with blocks, found none"):
        label_pages([empty])


def test_joined_rows_are_those_of_all_parts_in_order():
    joined = LabeledRows.join([make_pages(3), make_pages(5, 2)])
    assert same_rows(joined, LabeledRows.join([make_page(3, 0), make_page(5, 0), make_page(2, 1)]))
