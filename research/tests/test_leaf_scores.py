"""The scores of text leaves, and the command that prints them."""

from __future__ import annotations

import numpy as np
import pytest
from corpora import ARTICLE, ARTICLE_TEXT, write_cleaneval
from hypothesis import given
from hypothesis import strategies as st
from stub_labelers import Failing, Stub

from research import leaves
from research.leaf_scores import (
    block_scores,
    bootstrap_block_scores,
    confusion_counts,
    evaluate_leaves,
)
from scrapy_web2text.evaluation.corpora import CorpusPage
from scrapy_web2text.evaluation.scores import interval
from scrapy_web2text.page.blocks import SHALLOW_BLOCKS, TEXT_LEAVES, Segmentation

labels = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), max_size=20)


@given(pairs=labels)
def test_counts_equal_those_of_a_naive_count(pairs):
    predicted, expected = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    counts = [pairs.count(pair) for pair in [(1, 1), (1, 0), (0, 1), (0, 0)]]
    assert confusion_counts(predicted, expected).tolist() == counts


def test_scores_follow_their_definitions():
    assert block_scores(np.array([6, 2, 3, 9])).tolist() == pytest.approx([15 / 20, 6 / 8, 6 / 9, 12 / 17])


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ([0, 0, 0, 0], [0, 0, 0, 0]),
        ([0, 0, 0, 5], [1, 0, 0, 0]),
        ([0, 0, 4, 0], [0, 0, 0, 0]),
        ([3, 0, 0, 0], [1, 1, 1, 1]),
    ],
    ids=["nothing", "only true negatives", "nothing found", "all found"],
)
def test_scores_are_0_if_the_divisor_is_0(counts, expected):
    assert block_scores(np.array(counts)).tolist() == expected


def test_a_bootstrap_has_a_seed():
    counts = np.random.default_rng(1).integers(0, 50, size=(40, 4))
    first = bootstrap_block_scores(counts, n_samples=50, seed=3)
    assert first.shape == (50, 4)
    assert np.array_equal(first, bootstrap_block_scores(counts, n_samples=50, seed=3))
    assert not np.array_equal(first, bootstrap_block_scores(counts, n_samples=50, seed=4))


def test_the_interval_holds_the_pooled_scores():
    counts = np.random.default_rng(1).integers(0, 50, size=(40, 4))
    low, high = interval(bootstrap_block_scores(counts, n_samples=500, seed=0))
    pooled = block_scores(counts.sum(axis=0))
    assert (low < pooled).all()
    assert (pooled < high).all()


def test_equal_pages_have_an_interval_of_width_0():
    low, high = interval(bootstrap_block_scores(np.array([[3, 1, 1, 5]] * 7), n_samples=20, seed=0))
    assert low.tolist() == high.tolist()


EVERYTHING = Segmentation("everything", dropped=frozenset())


def evaluate(labeler, pages, **options):
    return evaluate_leaves({labeler.name: labeler}, pages, **options)[0]


def article(page_id="1"):
    return CorpusPage(page_id, ARTICLE, ARTICLE_TEXT)


def test_a_right_answer_has_full_scores():
    report = evaluate(Stub(selected=[2, 3]), [article()])
    assert report.counts.tolist() == [[2, 0, 0, 3]]
    assert report.blocks.f1 == report.words.f1 == 1


def test_leaves_are_scored_together():
    short = CorpusPage("2", "<body><p>Only line of it</p></body>", "Only line of it")
    report = evaluate(Stub(), [article(), short])
    assert report.counts.tolist() == [[2, 3, 0, 0], [1, 0, 0, 0]]
    assert report.blocks.precision == 3 / 6


def test_labelers_and_peers_are_scored_on_the_same_pages():
    labelers = {"all": Stub(), "none": Stub(selected=[])}
    reports = evaluate_leaves(labelers, iter([article("1"), article("2")]), peers={"peer": lambda html: ARTICLE_TEXT})
    assert {report.name: report.counts.tolist() for report in reports} == {
        "all": [[2, 3, 0, 0]] * 2,
        "none": [[0, 0, 2, 3]] * 2,
        "peer": [[2, 0, 0, 3]] * 2,
    }


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
    page = CorpusPage("1", HIDDEN, "First part of it all and so on.\nSecond part of it.")
    assert evaluate(Stub(segmentation, selected), [page]).counts.tolist() == [expected]


def test_leaves_that_a_labeler_drops_are_boilerplate():
    without_links = Segmentation("without-links", dropped=frozenset({"a", "noscript"}))
    page = CorpusPage("1", HIDDEN, "First part of it all and so on.")
    assert evaluate(Stub(without_links), [page]).counts.tolist() == [[2, 0, 1, 0]]


def test_a_page_without_an_answer_has_nothing_selected():
    assert evaluate(Failing(), [article()]).counts.tolist() == [[0, 0, 2, 3]]


def test_a_page_that_is_not_html_has_no_leaves():
    report = evaluate(Stub(), [article(), CorpusPage("2", b"%PDF-1.7", "Text")])
    assert report.counts.tolist() == [[2, 3, 0, 0], [0, 0, 0, 0]]


def test_the_intervals_are_those_of_leaves_and_of_words():
    report = evaluate(Stub(selected=[2]), [article("1"), article("2")])
    intervals = report.intervals(n_samples=20, seed=1)
    assert intervals["f1"] == pytest.approx([2 / 3, 2 / 3])
    names = ["accuracy", "precision", "recall", "f1", "word_precision", "word_recall", "word_f1"]
    assert list(intervals) == list(report.scores()) == names


def test_the_command_prints_a_table(tmp_path, monkeypatch, capsys):
    arguments = ["--corpus", "cleaneval", "--data", str(write_cleaneval(tmp_path)), "--split", "web2text"]
    monkeypatch.setattr("sys.argv", ["leaves", *arguments, "--part", "test", "--model", "shallow", "--samples", "10"])
    leaves.main()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("10 leaves, 40.0% of them content")
    assert lines[1] == "cleaneval web2text test: 2 pages"
    assert lines[4].split()[:4] == ["accuracy", "precision", "recall", "f1"]
    assert lines[5].split()[:4] == ["shallow", ".800", "[.800,", ".800]"]
