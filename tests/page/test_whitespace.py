from __future__ import annotations

import pytest
from hypothesis import example, given
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


@MODULES
@given(
    parts=st.lists(
        st.one_of(
            st.text().map(lambda text: text.encode("utf-8", "surrogatepass")),
            st.characters(categories=["Cs"]).map(lambda text: text.encode("utf-8", "surrogatepass")),
            st.binary(max_size=9),
            st.sampled_from(
                [b"eight ab", b"\xc0\x80", b"\xe0\x80\x80", b"\xf0\x80\x80\x80", b"\xf4\x90\x80\x80", b"\xe2\x82"]
            ),
        )
    )
)
@example(parts=[b"twelve bytes", b"\xe2\x82\xac"])
def test_utf_8_is_what_python_decodes(module, parts):
    page = b"".join(parts)
    try:
        page.decode("utf-8")
    except UnicodeDecodeError:
        assert not module.is_utf_8(page)
    else:
        assert module.is_utf_8(page)


@MODULES
def test_every_pair_of_bytes_is_utf_8_as_in_python(module):
    for first in range(0xC0, 0x100):
        for second in range(0x80, 0xD0):
            for rest in (b"", b"\x80", b"\x80\x80"):
                page = bytes([first, second]) + rest
                is_valid = page.decode("utf-8", "replace").encode() == page
                assert module.is_utf_8(page) == is_valid, page
