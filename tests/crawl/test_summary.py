from __future__ import annotations

from statistics import median_low

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_web2text.crawl.summary import Summary


def test_an_empty_summary_has_zero_pages():
    assert str(Summary()) == "0 pages"


def test_the_line_has_pages_methods_reasons_confidence_and_time():
    summary = Summary()
    for _ in range(1200):
        summary.add("model", None, 0.9, 0.01)
    summary.add("rules", "timeout", 0.5, 10)
    summary.add("rules", "no_model", None, 0.01)
    summary.add("rules", "timeout", 0.5, 10)
    summary.add("none", "not_html", None, 0)
    assert str(summary) == (
        "1,204 pages; methods: model 1,200, rules 3, none 1; fallbacks: timeout 2, no_model 1; no answer: not_html 1; "
        "median confidence 0.90; 26.6 ms per page"
    )


def test_one_page_is_singular():
    summary = Summary()
    summary.add("rules", None, None, 0.0123)
    assert str(summary) == "1 page; methods: rules 1; 12.3 ms per page"


@given(confidences=st.lists(st.integers(0, 100)))
def test_the_median_is_that_of_the_confidences(confidences):
    summary = Summary()
    for percent in confidences:
        summary.add("model", None, percent / 100, 0)
    assert summary.median_confidence == (median_low(confidences) / 100 if confidences else None)


@pytest.mark.parametrize(("confidence", "expected"), [(0.004, 0.0), (0.996, 1.0), (1.0000001, 1.0), (-0.1, 0.0)])
def test_confidences_are_counted_by_percent(confidence, expected):
    summary = Summary()
    summary.add("model", None, confidence, 0)
    assert summary.median_confidence == expected
