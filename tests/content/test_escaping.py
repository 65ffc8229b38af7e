from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scrapy_web2text.content.escaping import (
    _AT_LINE_START,
    _BRACKET,
    _FORBIDDEN,
    _SPECIAL,
    drop_forbidden_characters,
    escape_markdown,
    escape_markdown_line,
)

EDGES = [0x00, 0x08, 0x09, 0x0A, 0x0D, 0x1F, 0x20, 0x7E, 0x7F, 0x80, 0x85, 0x9F, 0xA0, 0xC2, 0xD7FF, 0xD800, 0xDFFF]
CHARACTERS = [*map(chr, [*EDGES, 0xE000, 0xFFFD, 0xFFFE, 0xFFFF, 0x10000, 0x10FFFF]), *"ab\u2019"]


@pytest.mark.parametrize("character", CHARACTERS, ids=ascii)
def test_every_forbidden_character_is_dropped_or_read_as_windows_1252(character):
    is_dropped = _FORBIDDEN.match(character) is not None
    assert (drop_forbidden_characters(f"a{character}b") != f"a{character}b") == is_dropped


@given(st.text(st.sampled_from(CHARACTERS)))
def test_no_forbidden_character_is_left(text):
    kept = drop_forbidden_characters(text)
    assert not _FORBIDDEN.search(kept)
    assert drop_forbidden_characters(kept) == kept


@given(st.text(st.sampled_from([*"\\`*[<]_&~!#; \n", "a", "b", "é"])))
def test_markdown_is_escaped_wherever_the_expression_finds_something(text):
    assert escape_markdown(text) == _BRACKET.sub(r"\\[", _SPECIAL.sub(r"\\\g<0>", text))


@given(st.text(st.sampled_from([*"#-+>=~|:09.) \t\n", "\u0663", "\u3000", "a"]), max_size=6))
@example("\u0663. a")
def test_the_start_of_a_line_is_escaped_wherever_the_expression_finds_something(text):
    is_escaped = escape_markdown_line(text) != escape_markdown(text)
    assert is_escaped == (_AT_LINE_START.match(escape_markdown(text)) is not None)
