"""Paragraphs of which a labeler keeps only a part."""

from __future__ import annotations

import lxml.html
import numpy as np
import pytest

from research.web2text.split_paragraphs import content_paragraphs, count_all, count_split
from scrapy_web2text.evaluation.corpora import CorpusPage
from scrapy_web2text.exceptions import PageError
from scrapy_web2text.labelers.base import Labeling
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import TEXT_LEAVES, segment


class Stub:
    """A labeler that selects the blocks with the given indices."""

    def __init__(self, selected):
        self.selected = selected

    def label(self, page, *, threshold=None, decoder=None):
        blocks = segment(page, TEXT_LEAVES)
        labels = np.zeros(blocks.n_blocks, dtype=np.int64)
        labels[self.selected] = 1
        return Labeling(blocks, labels, None, labels)


class Failing:
    def label(self, page, **options):
        raise PageError("model_error", "no finite potentials")


LINKED = "<p>When the river rose again in May the whole valley heard of <a href='/x'>it</a> that evening.</p>"
LINKED_TEXT = "When the river rose again in May the whole valley heard of it that evening."


def test_paragraphs_that_are_kept_in_part_are_counted():
    pages = [CorpusPage("1", f"<body>{LINKED}</body>", LINKED_TEXT), CorpusPage("2", b"%PDF-1.7", "Text")]
    labelers = {"all": Stub([0, 1, 2]), "without link": Stub([0, 2]), "none": Stub([]), "failing": Failing()}
    assert count_all(labelers, pages) == ({"all": 0, "without link": 1, "none": 0, "failing": 0}, 1)


# Twelve words before the link, one in it and two after it.
START = "When the river rose again in May the whole valley heard of"
PARAGRAPH = f"<p>{START} <a href='/x'>it</a> that evening.</p>"


def read(markup):
    return tree_to_page(lxml.html.document_fromstring(f"<body>{markup}</body>"))


def find(markup, boilerplate=()):
    page = read(markup)
    labels = np.ones(page.n_leaves, dtype=np.int64)
    labels[list(boilerplate)] = 0
    return [leaves.tolist() for leaves in content_paragraphs(page, labels)]


def test_a_paragraph_is_its_text_nodes():
    assert find(f"<h1>Flood</h1>{PARAGRAPH}<div>{PARAGRAPH}</div>") == [[1, 2, 3], [4, 5, 6]]


@pytest.mark.parametrize(
    "markup",
    [
        "",
        f"<p>{START} it that evening.</p>",
        f"<p>{START} <a href='/x'>it</a> tonight.</p>",
        f"<div>{START} <a href='/x'>it</a> that evening.</div>",
        f"<p>{START} <script>it</script> that evening</p>",
        f"<div><p></p>{START} <b>it</b> that<p>evening.</p></div>",
    ],
    ids=["no text", "one text node", "14 words", "not in a p element", "a script in it", "around p elements"],
)
def test_texts_that_cannot_be_split_or_are_not_paragraphs_do_not_count(markup):
    assert find(markup) == []


def test_a_line_break_does_not_end_a_paragraph_and_a_list_does():
    assert find(f"<p>{START} it<br>that <i>evening</i>.</p>") == [[0, 1, 2, 3]]
    assert find(f"<object><p>{START} <b>it</b><ul><li>that evening</ul></object>") == []


@pytest.mark.parametrize("leaf", [0, 1, 2])
def test_all_of_a_paragraph_must_be_content(leaf):
    assert find(PARAGRAPH + PARAGRAPH, (leaf,)) == [[3, 4, 5]]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [([1, 1, 1, 1, 1, 1], 0), ([0, 0, 0, 1, 1, 1], 0), ([1, 0, 1, 1, 1, 1], 1), ([0, 1, 1, 1, 1, 0], 2)],
    ids=["all kept", "one lost", "a link lost", "both split"],
)
def test_a_paragraph_is_split_if_its_leaves_have_both_labels(labels, expected):
    page = read(PARAGRAPH + PARAGRAPH)
    paragraphs = content_paragraphs(page, np.ones(6, dtype=np.int64))
    assert count_split(paragraphs, np.array(labels)) == expected
