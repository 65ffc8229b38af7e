from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_web2text.blocks import SHALLOW_BLOCKS, segment
from scrapy_web2text.dom import to_tree
from scrapy_web2text.exceptions import PageTimeout
from scrapy_web2text.labelers.base import Budget
from scrapy_web2text.labelers.shallow import NumWordsRules, ShallowBlocks, classify_by_n_words, shallow_blocks
from scrapy_web2text.page import Page, tree_to_page

NO, YES = False, True


def page_of(html: str) -> Page:
    return tree_to_page(to_tree(html))


def measure(html: str) -> ShallowBlocks:
    page = page_of(html)
    return shallow_blocks(page, segment(page, SHALLOW_BLOCKS))


def classify(n_words: list[int], link_density: list[float]) -> list[bool]:
    return classify_by_n_words(ShallowBlocks(np.array(n_words), np.array(link_density))).tolist()


# Algorithm 2 of the paper: both sides of each of its limits.
@pytest.mark.parametrize(
    ("density", "previous_density", "n_words", "next_n_words", "previous_n_words", "is_content"),
    [
        (0.333333, 0.000000, 40, 40, 40, YES),
        (0.333334, 0.000000, 40, 40, 40, NO),
        (0.333334, 0.555557, 99, 99, 99, NO),
        (1.000000, 0.000000, 99, 99, 99, NO),
        # Behind a block with few links
        (0.0, 0.555556, 16, 15, 4, NO),
        (0.0, 0.555556, 16, 15, 5, YES),
        (0.0, 0.555556, 16, 16, 4, YES),
        (0.0, 0.555556, 17, 15, 4, YES),
        (0.0, 0.000000, 1, 0, 0, NO),
        (0.0, 0.000000, 17, 0, 0, YES),
        # Behind a block of links
        (0.0, 0.555557, 40, 17, 99, NO),
        (0.0, 0.555557, 40, 18, 99, YES),
        (0.0, 0.555557, 41, 17, 99, YES),
        (0.0, 1.000000, 17, 16, 5, NO),
        (0.0, 1.000000, 0, 18, 0, YES),
    ],
)
def test_a_block_is_classified_as_the_paper_has_it(
    density, previous_density, n_words, next_n_words, previous_n_words, is_content
):
    found = classify([previous_n_words, n_words, next_n_words], [previous_density, density, 0.0])
    assert found[1] is is_content


@given(
    blocks=st.lists(
        st.tuples(
            st.sampled_from([0, 4, 5, 15, 16, 17, 18, 40, 41]),
            st.sampled_from([0.0, 0.333333, 1 / 3, 0.555556, 5 / 9, 0.555557, 1.0]),
        ),
        min_size=1,
    )
)
def test_a_page_is_classified_block_by_block(blocks):
    padded = [(0, 0.0), *blocks, (0, 0.0)]
    expected = [_algorithm_2(*three) for three in zip(padded, padded[1:], padded[2:], strict=False)]
    assert classify(*map(list, zip(*blocks, strict=True))) == expected


def _algorithm_2(previous: tuple[int, float], current: tuple[int, float], following: tuple[int, float]) -> bool:
    if current[1] > 0.333333:
        return False
    if previous[1] > 0.555556:
        return current[0] > 40 or following[0] > 17
    return current[0] > 16 or following[0] > 15 or previous[0] > 4


def test_no_blocks_have_no_classes():
    assert classify([], []) == []


def test_words_in_links_are_counted_in_their_block():
    measures = measure("<p>one two <a>three <b>four</b></a></p><p>five<a> six</a> seven</p><p>...</p>")
    assert measures.n_words.tolist() == [3, 1, 3, 0]
    assert measures.link_density.tolist() == pytest.approx([1 / 3, 1, 1 / 3, 0])


def test_letters_of_scripts_without_blanks_count_as_words():
    assert measure("<p>日本語の<a>文章</a></p>").n_words.tolist() == [6]


def test_a_page_without_text_has_no_measures():
    measures = measure("<p></p>")
    assert measures.n_words.tolist() == measures.link_density.tolist() == []


def test_rules_label_blocks_and_know_no_probabilities():
    sentence = "The old bridge over the river was rebuilt by the people of the whole town in spring."
    labelling = NumWordsRules().label(page_of(f"<ul><li><a>Home</a><li><a>News</a></ul><h1>Bridge</h1><p>{sentence}"))
    assert labelling.labels.tolist() == [0, 0, 0, 1]
    assert labelling.labels.dtype == np.int64
    assert labelling.probabilities is None
    assert labelling.n_tokens.tolist() == [1, 1, 1, 17]


def test_rules_take_a_threshold_and_a_decoder_and_have_no_use_for_them():
    page = page_of("<p>one two three")
    assert NumWordsRules().label(page, threshold=0.1, decoder="marginal").labels.tolist() == [0]


def test_rules_keep_to_their_time():
    with pytest.raises(PageTimeout):
        NumWordsRules().label(page_of("<p>a"), budget=Budget(timeout=1e-9))


def test_rules_are_no_model_and_have_a_name():
    rules = NumWordsRules()
    assert (rules.name, rules.is_model, rules.segmentation) == ("shallow:numwords", False, SHALLOW_BLOCKS)
