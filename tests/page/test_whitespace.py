from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_web2text.page import reader
from scrapy_web2text.page.reader import IN_PYTHON, collapse_each

SPACES = [character for character in map(chr, range(0x110000)) if character.isspace()]
MODULES = pytest.mark.parametrize("module", [IN_PYTHON, reader], ids=["python", "reader"])


@MODULES
@given(texts=st.lists(st.text(st.sampled_from([*SPACES, *"ab  \x00\x01\x7fé\u2019\U0001f600"]))))
def test_texts_are_collapsed_as_by_splitting_them(module, texts):
    assert module.collapse_texts(texts) == [" ".join(text.split()) for text in texts]


@MODULES
@pytest.mark.parametrize("space", SPACES, ids=ascii)
def test_every_kind_of_whitespace_is_collapsed(module, space):
    assert module.collapse_texts([f"{space}a{space}{space} b{space}", "c"]) == ["a b", "c"]


@MODULES
def test_a_text_without_its_only_wide_space_equals_the_narrow_text(module):
    (text,) = module.collapse_texts(["one\u3000two"])
    assert {text: 1}["one two"] == 1


def test_texts_are_collapsed_in_batches():
    assert collapse_each([" a  b "] * 2000) == ["a b"] * 2000
