from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_web2text.page.whitespace import collapse_each

SPACES = [character for character in map(chr, range(0x110000)) if character.isspace()]


@given(st.lists(st.text(st.sampled_from([*SPACES, *"ab  \x00\x01\u2019\U0001f600"]))))
def test_texts_are_collapsed_as_by_splitting_them(texts):
    assert collapse_each(texts) == [" ".join(text.split()) for text in texts]


@pytest.mark.parametrize("space", SPACES, ids=ascii)
def test_every_kind_of_whitespace_is_collapsed(space):
    assert collapse_each([f"{space}a{space}{space} b{space}", "c"]) == ["a b", "c"]


def test_texts_are_collapsed_in_batches():
    assert collapse_each([" a  b "] * 2000) == ["a b"] * 2000
