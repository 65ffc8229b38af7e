"""Paragraphs of which a labeler keeps only a part."""

from __future__ import annotations

import lxml.html
import numpy as np
import pytest

from scrapy_web2text.evaluation.paragraphs import content_paragraphs, count_split
from scrapy_web2text.page.arrays import Page, tree_to_page

# Twelve words before the link, one in it and two after it.
START = "When the river rose again in May the whole valley heard of"
PARAGRAPH = f"<p>{START} <a href='/x'>it</a> that evening.</p>"


def read(markup: str) -> Page:
    return tree_to_page(lxml.html.document_fromstring(f"<body>{markup}</body>"))


def find(markup: str, boilerplate: tuple[int, ...] = ()) -> list[list[int]]:
    page = read(markup)
    labels = np.ones(page.n_leaves, dtype=np.int64)
    labels[list(boilerplate)] = 0
    return [leaves.tolist() for leaves in content_paragraphs(page, labels)]


def test_a_paragraph_is_its_text_nodes() -> None:
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
def test_texts_that_cannot_be_split_or_are_not_paragraphs_do_not_count(markup: str) -> None:
    assert find(markup) == []


def test_a_line_break_does_not_end_a_paragraph_and_a_list_does() -> None:
    assert find(f"<p>{START} it<br>that <i>evening</i>.</p>") == [[0, 1, 2, 3]]
    assert find(f"<object><p>{START} <b>it</b><ul><li>that evening</ul></object>") == []


@pytest.mark.parametrize("leaf", [0, 1, 2])
def test_all_of_a_paragraph_must_be_content(leaf: int) -> None:
    assert find(PARAGRAPH + PARAGRAPH, (leaf,)) == [[3, 4, 5]]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [([1, 1, 1, 1, 1, 1], 0), ([0, 0, 0, 1, 1, 1], 0), ([1, 0, 1, 1, 1, 1], 1), ([0, 1, 1, 1, 1, 0], 2)],
    ids=["all kept", "one lost", "a link lost", "both split"],
)
def test_a_paragraph_is_split_if_its_leaves_have_both_labels(labels: list[int], expected: int) -> None:
    page = read(PARAGRAPH + PARAGRAPH)
    paragraphs = content_paragraphs(page, np.ones(6, dtype=np.int64))
    assert count_split(paragraphs, np.array(labels)) == expected
