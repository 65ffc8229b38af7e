from __future__ import annotations

import textwrap

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import html_trees

from scrapy_web2text.labelers.shallow.measures import LINE_WIDTH, ShallowBlocks, shallow_blocks
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import SHALLOW_BLOCKS, segment
from scrapy_web2text.page.parse import to_tree


def measure(html: str) -> ShallowBlocks:
    page = tree_to_page(to_tree(html))
    return shallow_blocks(page, segment(page, SHALLOW_BLOCKS), with_text_density=True)


def density_of(text: str) -> float:
    (density,) = measure(f"<p>{text}</p>").text_density.tolist()
    return density


# Words and links


def test_words_in_links_count_in_their_block():
    measures = measure("<p>one two <a>three <b>four</b></a></p><p>five<a> six</a> seven</p>")
    assert measures.n_words.tolist() == [3, 1, 3]
    assert measures.link_density.tolist() == pytest.approx([1 / 3, 1, 1 / 3])


@pytest.mark.parametrize(
    ("text", "n_words"),
    [
        ("well-known don't 3.5 a.m.", 4),
        ("| … &amp; —", 0),
        ("one\ttwo\n three&nbsp;four\u2003five", 5),
        ("(one) 'two' 3", 3),
        ("日本語の文章", 6),
        ("日本 is Japan。", 4),
        ("Größe ελληνικά", 2),
        ("सौर ऊर्जा", 2),
        ("𝒳 😀", 1),
    ],
)
def test_a_word_is_between_whitespace_and_has_a_letter_or_a_digit(text, n_words):
    assert measure(f"<p>{text}</p>").n_words.tolist() == [n_words]


def test_tokens_without_a_letter_count_for_the_link_density():
    measures = measure("<p><a>Home</a> | <a>News</a> |</p><p>...</p>")
    assert measures.link_density.tolist() == pytest.approx([0.5, 0])


def test_text_density_is_computed_only_on_request():
    page = tree_to_page(to_tree("<p>one"))
    assert shallow_blocks(page, segment(page, SHALLOW_BLOCKS)).text_density is None


# Text density

WORD = "x" * 15  # five of them with their spaces fill a line of 79 columns


@pytest.mark.parametrize(
    ("text", "density"),
    [
        ("one", 1),
        ("one two three | four", 5),
        (" ".join([WORD] * 5), 5),
        (" ".join([WORD] * 4 + ["x" * 16]), 5),  # 80 columns: one line
        (" ".join([WORD] * 4 + ["x" * 17]), 4),  # 81 columns: the last line does not count
        (" ".join([WORD] * 6), 5),
        (" ".join([WORD] * 10), 5),  # two lines, of which the last does not count
        (" ".join([WORD] * 5 + ["x"] * 40 + [WORD]), 22.5),
        ("x" * 200, 1),
        ("x" * 200 + " one two", 1),  # a token longer than a line has a line to itself
        ("one " + "x" * 200, 1),
        ("文" * 40, 40),  # letters of scripts without spaces are tokens of two columns
        ("文" * 100, 40),
    ],
)
def test_text_density_is_tokens_per_full_line(text, density):
    assert density_of(text) == density


def test_a_line_ends_with_its_block():
    measures = measure(f"<p>{' '.join([WORD] * 7)}</p><p>one two</p><ul><li>{' '.join(['x'] * 60)}</li></ul>")
    assert measures.text_density.tolist() == [5, 2, 40]


@given(lengths=st.lists(st.integers(1, 100), min_size=1, max_size=60))
def test_text_is_wrapped_as_the_standard_library_wraps_it(lengths):
    text = " ".join("x" * length for length in lengths)
    lines = textwrap.wrap(text, LINE_WIDTH, break_long_words=False, break_on_hyphens=False)
    full = lines[:-1] or lines
    assert density_of(text) == pytest.approx(sum(len(line.split()) for line in full) / len(full))


@example(source="<p></p>")
@given(source=html_trees(with_controls=False))
def test_measures_of_any_page_are_in_their_range(source):
    measures = measure(source)
    n = len(measures.n_words)
    assert measures.link_density.shape == measures.text_density.shape == (n,)
    assert (measures.n_words >= 0).all()
    assert ((measures.link_density >= 0) & (measures.link_density <= 1)).all()
    assert (measures.text_density > 0).all()
