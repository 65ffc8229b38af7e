"""Labelers on corpora: scores, reports, and paragraphs of which only a part is kept."""

from __future__ import annotations

import json
from dataclasses import asdict

import lxml.html
import numpy as np
import pytest
from corpora import ARTICLE, ARTICLE_TEXT

from scrapy_web2text.evaluation import LabeledPage, evaluate, evaluate_all
from scrapy_web2text.evaluation.run import content_paragraphs, count_split
from scrapy_web2text.exceptions import PageError
from scrapy_web2text.labelers.base import Labeling
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import SHALLOW_BLOCKS, TEXT_LEAVES, Segmentation, segment

EVERYTHING = Segmentation("everything", dropped=frozenset())


class Stub:
    """A labeler that selects the blocks with the given indices, or all of them."""

    is_model = False
    block_bytes = 0

    def __init__(self, segmentation=TEXT_LEAVES, selected=None):
        self.name = "stub"
        self.segmentation = segmentation
        self.selected = selected
        self.asked = []

    def label(self, page, *, threshold=None, decoder=None):
        self.asked.append((threshold, decoder))
        blocks = segment(page, self.segmentation)
        labels = np.full(blocks.n_blocks, int(self.selected is None), dtype=np.int64)
        labels[self.selected or []] = 1
        return Labeling(blocks, labels, None, labels)


class Failing(Stub):
    def label(self, page, **options):
        raise PageError("model_error", "no finite potentials")


def article(page_id="1"):
    return LabeledPage(page_id, ARTICLE, ARTICLE_TEXT)


def test_a_right_answer_has_full_scores():
    report = evaluate(Stub(selected=[2, 3]), [article()])
    assert report.counts.tolist() == [[2, 0, 0, 3]]
    assert report.blocks.f1 == report.words.f1 == 1


def test_blocks_are_scored_together_and_texts_page_by_page():
    short = LabeledPage("2", "<body><p>Only line of it</p></body>", "Only line of it")
    report = evaluate(Stub(), [article(), short])
    assert report.counts.tolist() == [[2, 3, 0, 0], [1, 0, 0, 0]]
    assert report.blocks.precision == 3 / 6
    assert report.words.precision == pytest.approx((report.pages[0].words.precision + 1) / 2)


def test_the_pages_are_read_once_for_all_labelers():
    pages = iter([article("1"), article("2")])
    reports = evaluate_all({"all": Stub(), "none": Stub(selected=[])}, pages)
    assert [report.name for report in reports] == ["all", "none"]
    assert [report.counts.tolist() for report in reports] == [[[2, 3, 0, 0]] * 2, [[0, 0, 2, 3]] * 2]


def test_threshold_and_decoder_reach_the_labeler():
    stub = Stub()
    evaluate(stub, [article()], threshold=0.7, decoder="marginal")
    assert stub.asked == [(0.7, "marginal")]


HIDDEN = "<body><p>First part of <a href='/x'>it all</a> and so on.</p><noscript>Second part of it.</noscript></body>"


@pytest.mark.parametrize(
    ("segmentation", "selected", "expected"),
    [
        (TEXT_LEAVES, None, [3, 0, 0, 0]),
        (SHALLOW_BLOCKS, None, [3, 0, 0, 0]),
        (EVERYTHING, None, [4, 0, 0, 0]),
        (EVERYTHING, [0, 1, 2], [3, 0, 1, 0]),
    ],
    ids=["text leaves", "larger blocks", "more leaves", "more leaves, not selected"],
)
def test_other_segmentations_are_compared_leaf_by_leaf(segmentation, selected, expected):
    page = LabeledPage("1", HIDDEN, "First part of it all and so on.\nSecond part of it.")
    assert evaluate(Stub(segmentation, selected), [page]).counts.tolist() == [expected]


def test_leaves_that_a_labeler_drops_are_boilerplate():
    without_links = Segmentation("without-links", dropped=frozenset({"a", "noscript"}))
    page = LabeledPage("1", HIDDEN, "First part of it all and so on.")
    assert evaluate(Stub(without_links), [page]).counts.tolist() == [[2, 0, 1, 0]]


def test_a_page_without_an_answer_has_nothing_selected():
    report = evaluate(Failing(), [article()])
    assert report.counts.tolist() == [[0, 0, 2, 3]]
    assert report.pages[0].error == "model_error"
    assert report.words.f1 == 0


def test_a_page_that_is_not_html_has_no_blocks():
    report = evaluate(Stub(), [article(), LabeledPage("2", b"%PDF-1.7", "Text")])
    assert report.counts.tolist() == [[2, 3, 0, 0], [0, 0, 0, 0]]
    assert [page.error for page in report.pages] == [None, "not_html"]


LINKED = "<p>When the river rose again in May the whole valley heard of <a href='/x'>it</a> that evening.</p>"
LINKED_TEXT = "When the river rose again in May the whole valley heard of it that evening."


@pytest.mark.parametrize(
    ("selected", "expected"), [([0, 1, 2], (0, 1)), ([0, 2], (1, 1)), ([], (0, 1))], ids=["all", "without link", "none"]
)
def test_paragraphs_that_are_kept_in_part_are_counted(selected, expected):
    report = evaluate(Stub(selected=selected), [LabeledPage("1", f"<body>{LINKED}</body>", LINKED_TEXT), article()])
    assert report.paragraphs == expected
    assert report.to_dict(n_samples=1)["paragraphs"] == list(expected)
    assert [page["paragraphs"] for page in report.to_dict(n_samples=1)["pages"]] == [list(expected), [0, 0]]


def test_a_page_without_an_answer_has_no_split_paragraphs():
    pages = [LabeledPage("1", f"<body>{LINKED}</body>", LINKED_TEXT), LabeledPage("2", b"%PDF-1.7", "Text")]
    assert evaluate(Failing(), pages).paragraphs == (0, 1)


def test_an_evaluation_needs_pages():
    with pytest.raises(ValueError, match="expected one or more pages"):
        evaluate(Stub(), [])


def test_a_report_is_plain_data_for_programs():
    report = evaluate(Stub(selected=[2]), [article("1"), article("2")])
    data = json.loads(json.dumps(report.to_dict(n_samples=20, seed=1)))
    assert (data["name"], data["n_pages"], data["n_leaves"], data["n_content_leaves"]) == ("stub", 2, 10, 4)
    assert data["blocks"] == {"accuracy": 0.8, "precision": 1.0, "recall": 0.5, "f1": pytest.approx(2 / 3)}
    assert data["intervals"]["f1"] == pytest.approx([2 / 3, 2 / 3])
    assert set(data["intervals"]) == {"accuracy", "precision", "recall", "f1", "word_f1"}
    assert data["pages"][1] == {
        "id": "2",
        "true_positives": 1,
        "false_positives": 0,
        "false_negatives": 1,
        "true_negatives": 3,
        "words": asdict(report.pages[1].words),
        "kind": None,
        "snippets": [0, 0, 0, 0],
        "paragraphs": [0, 0],
        "error": None,
    }


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
