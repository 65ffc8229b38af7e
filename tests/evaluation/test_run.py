"""Labelers on corpora: scores and reports."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest
from corpora import ARTICLE, ARTICLE_TEXT
from stub_labelers import Failing, Stub

from scrapy_web2text.evaluation.corpora import CorpusPage
from scrapy_web2text.evaluation.run import evaluate_all


def evaluate(labeler, pages, **options):
    return evaluate_all({labeler.name: labeler}, pages, **options)[0]


def article(page_id="1"):
    return CorpusPage(page_id, ARTICLE, ARTICLE_TEXT)


def test_a_right_answer_has_full_scores():
    report = evaluate(Stub(selected=[2, 3]), [article()])
    assert report.words.f1 == 1


def test_texts_are_scored_page_by_page():
    short = CorpusPage("2", "<body><p>Only line of it</p></body>", "Only line of it")
    report = evaluate(Stub(), [article(), short])
    assert report.words.precision == pytest.approx((report.pages[0].words.precision + 1) / 2)


def test_the_pages_are_read_once_for_all_labelers():
    pages = iter([article("1"), article("2")])
    reports = evaluate_all({"all": Stub(), "none": Stub(selected=[])}, pages)
    assert [report.name for report in reports] == ["all", "none"]
    assert [report.words.recall for report in reports] == [1, 0]


def test_threshold_and_decoder_reach_the_labeler():
    stub = Stub()
    evaluate(stub, [article()], threshold=0.7, decoder="marginal")
    assert stub.asked == [(0.7, "marginal")]


def test_a_page_without_an_answer_has_nothing_selected():
    report = evaluate(Failing(), [article()])
    assert report.pages[0].error == "model_error"
    assert report.words.f1 == 0


def test_a_page_that_is_not_html_has_no_answer():
    report = evaluate(Stub(), [article(), CorpusPage("2", b"%PDF-1.7", "Text")])
    assert report.words.recall == 1 / 2
    assert [page.error for page in report.pages] == [None, "not_html"]


def test_an_evaluation_needs_pages():
    with pytest.raises(ValueError, match="expected one or more pages"):
        evaluate(Stub(), [])


def test_a_report_is_plain_data_for_programs():
    report = evaluate(Stub(selected=[2]), [article("1"), article("2")])
    data = json.loads(json.dumps(report.to_dict(n_samples=20, seed=1)))
    assert (data["name"], data["n_pages"], data["words"]["precision"]) == ("stub", 2, 1)
    assert data["intervals"]["word_f1"] == pytest.approx([data["words"]["f1"]] * 2)
    assert set(data["intervals"]) == {"word_precision", "word_recall", "word_f1"}
    assert data["pages"][1] == {
        "id": "2",
        "words": asdict(report.pages[1].words),
        "kind": None,
        "error": None,
    }
