from __future__ import annotations

import json
import logging
import re

import numpy as np
import pytest
from hypothesis import example, given, settings
from strategies import html_trees

from scrapy_web2text.common.budget import Budget
from scrapy_web2text.exceptions import PageTimeout
from scrapy_web2text.extraction import Label
from scrapy_web2text.labelers import rules as rules_module
from scrapy_web2text.labelers.bte import BTE_LEAVES
from scrapy_web2text.labelers.registry import get_rules
from scrapy_web2text.labelers.shallow.rules import SHALLOW_NAMES, parse_shallow_rules
from scrapy_web2text.labelers.weights import find_model, read_manifest
from scrapy_web2text.options import OTHER_RULES
from scrapy_web2text.page.arrays import Page, tree_to_page
from scrapy_web2text.page.blocks import SHALLOW_BLOCKS, segment
from scrapy_web2text.page.parse import to_tree

SENTENCE = "The old bridge over the river was rebuilt by the people of the whole town in spring."
ARTICLE = f"<ul><li><a>Home</a><li><a>News</a></ul><h1>Bridge</h1><p>{SENTENCE}</p>Imprint"
NAMES = (*SHALLOW_NAMES, *OTHER_RULES)
every_rule = pytest.mark.parametrize("name", NAMES)
TABLE = read_manifest(find_model("shallow"))["probabilities"]
every_calibrated_rule = pytest.mark.parametrize("name", TABLE)


def page_of(html: str) -> Page:
    return tree_to_page(to_tree(html))


@pytest.fixture
def table(tmp_path, monkeypatch):
    """Write a table of probabilities for the rules to read."""

    def write(content: object) -> None:
        (tmp_path / "manifest.json").write_text(json.dumps(content), encoding="utf-8")

    monkeypatch.setattr(rules_module, "find_model", lambda _: tmp_path)
    return write


def manifest(**probabilities: object) -> dict[str, object]:
    return {"format_version": 1, "name": "shallow", "probabilities": probabilities}


# All rules


@every_rule
def test_rules_label_blocks(name):
    rules = get_rules(name)
    labeling = rules.label(page_of(ARTICLE))
    assert (rules.name, rules.method) == (name, "rules")
    assert rules.segmentation is (BTE_LEAVES if name == "bte" else SHALLOW_BLOCKS)
    assert labeling.labels.dtype == np.int64
    assert labeling.labels[3] == 1
    assert labeling.n_tokens.tolist() == [1, 1, 1, 17, 1]


@every_rule
@settings(max_examples=10)  # for each rule; the fuzzer goes on
@example(source="<p></p>")
@given(source=html_trees(with_controls=False))
def test_each_block_of_any_page_has_a_label(name, source):
    page = page_of(source)
    rules = get_rules(name)
    labeling = rules.label(page)
    n_blocks = segment(page, rules.segmentation).n_blocks
    assert labeling.labels.shape == labeling.n_tokens.shape == (n_blocks,)
    assert set(labeling.labels.tolist()) <= {0, 1}


@every_calibrated_rule
def test_probabilities_of_content_are_higher_than_those_of_boilerplate(name):
    labeling = get_rules(name).label(page_of(ARTICLE))
    assert ((labeling.probabilities > 0) & (labeling.probabilities < 1)).all()
    kept, dropped = (labeling.probabilities[labeling.labels == label] for label in (Label.CONTENT, Label.BOILERPLATE))
    assert not len(dropped) or kept.max() > dropped.min()


@every_rule
def test_a_forum_with_its_posts_in_noscript_has_content(name):
    posts = "".join(f"<div><p>{SENTENCE} {number}</p></div>" for number in range(9))
    labeling = get_rules(name).label(page_of(f"<div id=app></div><noscript>{posts}</noscript><p>Imprint"))
    assert labeling.labels[:8].any()


def test_rules_respect_the_time_limit():
    with pytest.raises(PageTimeout), Budget(timeout=1e-9).running():
        get_rules("shallow").label(page_of("<p>a"))


# Probabilities and thresholds


def test_the_probability_of_a_block_is_that_of_its_leaf(table):
    table(manifest(**{"shallow:min-words": [0.25, 0.75]}))
    labeling = parse_shallow_rules("shallow:min-words").label(page_of(ARTICLE))
    assert labeling.probabilities.tolist() == [0.25, 0.25, 0.25, 0.75, 0.25]


def test_blocks_that_a_filter_changes_are_a_separate_group(table):
    table(manifest(**{"shallow:min-words+largest": [0.1, 0.9, 0.5, 0.6]}))
    page = page_of(f"<p>{SENTENCE} {SENTENCE}<p>no<p>{SENTENCE}")
    labeling = parse_shallow_rules("shallow:min-words+largest").label(page)
    assert labeling.labels.tolist() == [1, 0, 0]
    assert labeling.probabilities.tolist() == [0.9, 0.1, 0.6]


def test_rules_with_other_thresholds_have_the_probabilities_of_the_default_ones(table):
    table(manifest(**{"shallow:min-words": [0.25, 0.75]}))
    labeling = parse_shallow_rules("shallow:min-words?n_words=1").label(page_of(ARTICLE))
    assert labeling.labels.tolist() == [1, 1, 1, 1, 1]
    assert labeling.probabilities.tolist() == [0.75] * 5


@pytest.mark.parametrize(
    ("threshold", "labels"), [(None, [0, 0, 0, 1, 0]), (0.2, [1] * 5), (0.75, [0, 0, 0, 1, 0]), (0.8, [0] * 5)]
)
def test_a_threshold_applies_to_the_probabilities(table, threshold, labels):
    table(manifest(**{"shallow:min-words": [0.25, 0.75]}))
    labeling = parse_shallow_rules("shallow:min-words").label(page_of(ARTICLE), threshold=threshold, decoder="viterbi")
    assert labeling.labels.tolist() == labels


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            manifest(**{"shallow:min-words": [0.5]}),
            r"expected 2 numbers between 0 and 1 .* shallow:min-words, got \[0.5]",
        ),
        (manifest(**{"shallow:min-words": [0.5, 1.5]}), r"expected 2 numbers .*, got \[0.5, 1.5]"),
        (manifest(**{"shallow:min-words": ["high", None]}), r"expected 2 numbers .*, got \['high', None]"),
        (manifest(), "expected 2 numbers .*, got None"),
        ({"format_version": 1, "name": "shallow"}, "expected 2 numbers .*, got None"),
        ({"format_version": 0}, "expected format_version 1"),
        (None, "cannot read the manifest"),
    ],
    ids=["too-few", "not-a-probability", "not-a-number", "other-rules", "no-table", "other-format", "missing"],
)
def test_a_missing_or_invalid_table_is_logged_once_and_keeps_the_labels(table, caplog, content, message):
    if content:
        table(content)
    rules = parse_shallow_rules("shallow:min-words")
    for _ in range(3):
        labeling = rules.label(page_of(ARTICLE), threshold=0.1)
        assert labeling.probabilities is None
        assert labeling.labels.tolist() == [0, 0, 0, 1, 0]
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert re.match(f"Using shallow:min-words without probabilities: .*{message}", record.getMessage())


# Names


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("shallow:xyz", "unknown rules 'shallow:xyz' .*: expected one of shallow, shallow:numwords, .*, bte"),
        ("shallow:numword", r"unknown rules 'shallow:numword' \(did you mean shallow:numwords\?\): expected one of"),
        ("shallow:numwords+none", "unknown rules"),
        ("shallow:numwords+largest+main-content", "unknown rules"),
        ("none", "unknown rules"),
        ("shallow:min-words?n_cats=1", "'shallow:min-words[?]n_cats=1': unknown threshold n_cats"),
        ("shallow:min-words?n_words=many", "could not convert string to float"),
        ("shallow:min-words?n_words=nan", "expected a finite number, got 'nan'"),
        ("shallow:min-words?n_words", "bad query field"),
    ],
)
def test_an_invalid_name_raises_an_error_that_says_why(name, message):
    with pytest.raises(ValueError, match=message):
        parse_shallow_rules(name)
