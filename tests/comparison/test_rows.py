from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_web2text.comparison import rows
from scrapy_web2text.comparison.rows import align_texts

TEXTS = st.text(alphabet="ab \n.桥", max_size=40)


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


@given(before=TEXTS, after=TEXTS)
def test_each_side_is_its_text(before, after):
    found = align_texts(before, after)
    assert (join(found, 0), join(found, 1)) == (before, after)


@given(text=TEXTS)
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
    monkeypatch.setattr(rows, "_LONGEST", 4)
    assert align_texts("abcdefgh", "abcd") == [
        ([("abcd", False)], None),
        ([("[…]\n", True)], []),
    ]


@pytest.mark.parametrize("word", ["a", "a b ", "\n"])
def test_many_equal_words_take_little_time(word):
    found = align_texts(word * 20_000, "b" + word * 20_001)
    assert join(found, 1) == "b" + word * 20_001
