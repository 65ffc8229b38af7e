"""Labelers on corpora: scores and reports."""

from __future__ import annotations

import json
from dataclasses import asdict

import numpy as np
import pytest
from corpora import ARTICLE, ARTICLE_TEXT

from scrapy_web2text.evaluation.corpora import LabeledPage
from scrapy_web2text.evaluation.run import evaluate_all
from scrapy_web2text.exceptions import PageError
from scrapy_web2text.labelers.base import Labeling
from scrapy_web2text.page.blocks import SHALLOW_BLOCKS, TEXT_LEAVES, Segmentation, segment

EVERYTHING = Segmentation("everything", dropped=frozenset())


class Stub:
    """A labeler that selects the blocks with the given indices, or all of them."""

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


def evaluate(labeler, pages, **options):
    return evaluate_all({labeler.name: labeler}, pages, **options)[0]


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
        "error": None,
    }
