from __future__ import annotations

from statistics import median_low

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_web2text import Extraction
from scrapy_web2text.answer import summary as summary_module
from scrapy_web2text.answer.summary import Summary, page_without_content


def test_the_line_has_pages_with_and_without_content_causes_confidence_time_and_a_reader_in_python(monkeypatch):
    monkeypatch.setattr(summary_module, "is_compiled", lambda module: False)
    summary = Summary()
    for _ in range(1200):
        summary.add("model", None, 0.9, 0.01)
    summary.add("rules", "timeout", 0.5, 10)
    summary.add("rules", "no_model", None, 0.01)
    summary.add("rules", "timeout", 0.5, 10)
    summary.add("none", "worker_died", None, 0)
    for kind in ("index", "challenge", "challenge"):
        summary.add("model", None, 0.3, 0.01, no_content=kind)
    summary.count("skipped", "status")
    summary.count("errors", "LookupError")
    summary.count("errors", "LookupError")
    assert str(summary) == (
        "1,207 pages; content 1,203; no content 3 (challenge 2, index 1); no answer 1 (worker_died 1); skipped 1 "
        "(status 1); errors 2 (LookupError 2); fallbacks 3 (timeout 2, no_model 1); low confidence 3 (below .5); "
        "median confidence .90; 26.5 ms per page with the reader in Python"
    )


def test_a_summary_has_no_page_one_page_or_only_skipped_ones(monkeypatch):
    monkeypatch.setattr(summary_module, "is_compiled", lambda module: True)
    assert str(Summary()) == "0 pages"
    assert not Summary()
    summary = Summary()
    summary.add("rules", None, None, 0.0123)
    assert str(summary) == "1 page; content 1; 12.3 ms per page"
    skipped = Summary()
    skipped.count("skipped", "not_html")
    assert str(skipped) == "0 pages; skipped 1 (not_html 1)"
    assert skipped


def test_a_confidence_is_low_below_the_least_or_if_known_to_be():
    summary = Summary(0.75)
    assert [summary.add("model", None, confidence, 0) for confidence in (0.74, 0.75, None)] == [True, False, False]
    assert summary.add("rules", "low_confidence", 0.9, 0, is_low=True)
    assert "; low confidence 2 (below .75); " in str(summary)


@pytest.mark.parametrize(
    ("has_content", "kind", "expected"),
    [
        (True, "content", None),
        (True, "index", None),
        (False, "challenge", "challenge"),
        (False, "content", "no_main_content"),
        (False, None, "no_main_content"),
    ],
)
def test_a_page_without_content_is_counted_by_its_kind(has_content, kind, expected):
    answer = Extraction(method="model", n_content=int(has_content), page_kind=kind)
    assert page_without_content(answer) == expected


@given(confidences=st.lists(st.integers(0, 100)))
def test_the_median_is_that_of_the_confidences(confidences):
    summary = Summary()
    for percent in confidences:
        summary.add("model", None, percent / 100, 0)
    assert summary.median_confidence == (median_low(confidences) / 100 if confidences else None)


def test_confidences_outside_of_the_range_count_as_its_ends():
    for confidence, expected in ((1.0000001, 1.0), (-0.1, 0.0)):
        summary = Summary()
        summary.add("model", None, confidence, 0)
        assert summary.median_confidence == expected
