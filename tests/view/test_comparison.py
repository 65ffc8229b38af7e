from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_web2text.evaluation.scores import word_scores
from scrapy_web2text.view import comparison
from scrapy_web2text.view.comparison import PageChange, PageChanges, align_texts, compare_texts

TEXTS = st.lists(st.sampled_from("the The river bridge 桥 . \n".split(" ")), max_size=12).map(" ".join)


def test_words_that_were_gained_and_lost_are_counted():
    change = compare_texts("The old bridge, the river", "the bridge bridge and a town")
    assert change.gained == Counter(["bridge", "and", "a", "town"])
    assert change.lost == Counter(["old", "the", "river"])
    assert change.f1 == pytest.approx(2 * 2 / (5 + 6))
    assert not change.is_equal
    assert not change.is_layout


@given(before=TEXTS, after=TEXTS)
def test_the_f1_is_that_of_the_scores_both_ways(before, after):
    scores = word_scores(after, before)
    expected = 1.0 if not (before + after).strip(" \n.") else scores.f1
    assert compare_texts(before, after).f1 == pytest.approx(expected)
    assert compare_texts(after, before).f1 == pytest.approx(expected)


def test_other_spaces_or_another_order_are_a_change_of_layout():
    for after in ("b a", "a\nb", "A, b"):
        change = compare_texts("a b", after)
        assert (change.f1, change.is_layout, change.is_equal) == (1.0, True, False)
    assert compare_texts("a b", "a b").is_equal
    assert not compare_texts("a b", "a b").is_layout


def count(*pairs, most=10):
    changes = PageChanges(most)
    for number, pair in enumerate(pairs):
        changes.add(str(number), compare_texts(*pair))
    return changes


def test_pages_are_sorted_by_f1_then_by_words_then_as_they_came():
    changes = count(("a b", "a"), ("a", "a"), ("a b", "c d"), ("a b c d", "a b"), ("e f", "e"), ("a", "b"))
    assert [change.page for change in changes.greatest] == ["2", "5", "3", "0", "4"]
    assert changes.greatest[0] == PageChange("2", 0.0, 2, 2)
    assert (changes.n_equal, changes.n_changed, changes.n_both) == (1, 5, 6)


def test_only_the_greatest_changes_are_kept():
    changes = count(("a b", "a"), ("a b", "c d"), ("a b c", "a b"), most=2)
    assert [change.page for change in changes.greatest] == ["1", "0"]
    assert changes.n_changed == 3


def test_means_are_over_all_pages_and_over_changed_ones():
    changes = count(("a", "a"), ("a", "b"))
    assert (changes.mean_f1, changes.changed_f1) == (0.5, 0.0)
    assert (PageChanges(1).mean_f1, PageChanges(1).changed_f1) == (None, None)


def test_words_are_counted():
    changes = count(("a", "a cookies cookies the"), ("b", "b cookies"), ("lamp oil", "oil"), ("lamp", "no"))
    assert (changes.n_gained, changes.n_lost) == (5, 2)


def test_lines_are_counted_by_site(monkeypatch):
    monkeypatch.setattr(comparison, "_MOST_LINES", 2)
    changes = PageChanges(10)
    for host, n_changed in (("a.example", 3), ("b.example", 1), ("a.example", 0)):
        for number in range(max(n_changed, 1)):
            after = f"story\n banner\n{number}" if n_changed else "story"
            changes.add(f"https://{host}/{number}", compare_texts("story", after))
    assert changes.lines == [{"line": "banner", "gained": True, "site": "a.example", "pages": 3, "of": 4}]


def test_a_line_of_many_pages_is_counted_after_many_lines_of_two_pages(monkeypatch):
    monkeypatch.setattr(comparison, "_MOST_LINES", 4)
    changes = PageChanges(1)
    for number in range(40):
        added = f"{number // 2}" if number < 8 else "banner"
        changes.add(f"https://a.example/{number}", compare_texts("story", f"story\n{added}"))
    assert (changes.lines[0]["line"], changes.lines[0]["pages"] > 30) == ("banner", True)


def test_pages_of_one_side_are_counted_and_listed():
    changes = PageChanges(1)
    for page in "abc":
        changes.add_only(page, is_before=page == "a")
    assert (changes.n_only_before, changes.only_before) == (1, ["a"])
    assert (changes.n_only_after, changes.only_after) == (2, ["b"])


SHORT_TEXTS = st.text(alphabet="ab \n.桥", max_size=40)


def join(found, side):
    """Return the text of one side."""
    lines = []
    for row in found:
        if row[1] is None:
            lines += row[0][0][0].split("\n")
        else:
            text = "".join(part for part, _ in row[side])
            lines += text.removesuffix("\n").split("\n") if text else []
    return "\n".join(lines)


@given(before=SHORT_TEXTS, after=SHORT_TEXTS)
def test_each_side_is_its_text(before, after):
    found = align_texts(before, after)
    assert (join(found, 0), join(found, 1)) == (before, after)


@given(text=SHORT_TEXTS)
def test_equal_texts_are_one_row(text):
    assert align_texts(text, text) == [([(text, False)], None)]


def test_words_that_changed_are_marked_between_equal_lines():
    found = align_texts("Title\nThe old bridge fell.\nEnd", "Title\nThe new bridge fell.\nEnd")
    assert found == [
        ([("Title", False)], None),
        (
            [("The ", False), ("old ", True), ("bridge fell.\n", False)],
            [("The ", False), ("new ", True), ("bridge fell.\n", False)],
        ),
        ([("End", False)], None),
    ]


def test_lines_of_one_side_have_nothing_beside_them():
    assert align_texts("a\nb", "b") == [([("a\n", True)], []), ([("b", False)], None)]
    assert align_texts("b", "b\n") == [([("b", False)], None), ([], [("\n", True)])]


def test_characters_of_scripts_without_spaces_are_words():
    ((left, right),) = align_texts("古桥很美。", "新桥很美。")
    assert (left[0], right[0]) == (("古", True), ("新", True))


def test_a_sign_alone_between_words_that_changed_is_not_equal():
    ((left, right),) = align_texts("£329.00 now", "We deliver tomorrow. Thanks")
    assert (left, right) == ([("£329.00 now\n", True)], [("We deliver tomorrow. Thanks\n", True)])
    ((left, _),) = align_texts("It ends.", "It begins.")
    assert left == [("It ", False), ("ends", True), (".\n", False)]


def test_long_texts_are_cut(monkeypatch):
    monkeypatch.setattr(comparison, "_LONGEST", 4)
    assert align_texts("abcdefgh", "abcd") == [([("abcd", False)], None), ([("[…]\n", True)], [])]


@pytest.mark.parametrize("word", ["a", "a b ", "\n"])
def test_many_equal_words_take_little_time(word):
    found = align_texts(word * 20_000, "b" + word * 20_001)
    assert join(found, 1) == "b" + word * 20_001
