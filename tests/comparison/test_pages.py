from __future__ import annotations

from scrapy_web2text.comparison.pages import PageChange, PageChanges
from scrapy_web2text.comparison.texts import compare_texts


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


def test_words_are_counted_by_pages_without_stopwords():
    changes = count(("a", "a cookies cookies the"), ("b", "b cookies"), ("lamp oil", "oil"), ("lamp", "no"))
    assert changes.words == ([("cookies", 2)], [("lamp", 2)])
    assert (changes.n_gained, changes.n_lost) == (5, 2)


def test_pages_of_one_side_are_counted_and_listed():
    changes = PageChanges(1)
    for page in "abc":
        changes.add_only(page, is_before=page == "a")
    assert (changes.n_only_before, changes.only_before) == (1, ["a"])
    assert (changes.n_only_after, changes.only_after) == (2, ["b"])
