from __future__ import annotations

import numpy as np
import pytest

from scrapy_web2text import Label, extract
from scrapy_web2text.labelers.base import Labeling
from scrapy_web2text.labelers.selector import SelectorLabeler, exclude_elements
from scrapy_web2text.page.arrays import Page, tree_to_page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, block_texts, segment
from scrapy_web2text.page.parse import to_tree

PAGE = """<nav>Home</nav><main><p>One two <i class=ad>three</i> four</p><aside>Five</aside>
<textarea>six</textarea></main><footer>Seven</footer>"""


@pytest.fixture
def page() -> Page:
    return tree_to_page(to_tree(PAGE))


def labeled(page: Page, labeling: Labeling) -> list[tuple[str, int]]:
    return [*zip(block_texts(page, labeling.blocks), labeling.labels.tolist(), strict=True)]


def whole(page: Page, *, probabilities: bool = True) -> Labeling:
    blocks = segment(page, MODERN_BLOCKS)
    n = blocks.n_blocks
    return Labeling(blocks, np.ones(n, dtype=np.int64), np.full(n, 0.9) if probabilities else None, np.arange(n))


def test_all_text_inside_the_elements_is_content(page):
    labeling = SelectorLabeler(["main"]).label(page)
    assert labeled(page, labeling) == [("Home", 0), ("One two three four", 1), ("Five", 1), ("Seven", 0)]
    assert (labeling.probabilities, labeling.confidence) == (None, None)
    assert labeling.n_tokens.tolist() == [1, 4, 1, 1]


def test_a_block_is_cut_where_an_element_begins_and_ends(page):
    labeling = SelectorLabeler([".ad"]).label(page)
    assert labeled(page, labeling)[1:4] == [("One two", 0), ("three", 1), ("four", 0)]


@pytest.mark.parametrize("selector", [".none", "textarea", "title"])
def test_elements_without_text_for_readers_have_no_content(page, selector):
    assert Label.CONTENT not in SelectorLabeler([selector]).label(page).labels


def test_excluded_elements_are_boilerplate_for_sure(page):
    labeling = exclude_elements(page, whole(page), ["aside", "footer"])
    assert labeled(page, labeling) == [("Home", 1), ("One two three four", 1), ("Five", 0), ("Seven", 0)]
    assert labeling.probabilities is not None
    assert labeling.probabilities.tolist() == [0.9, 0.9, 0, 0]
    assert labeling.n_tokens.tolist() == [0, 1, 2, 3]  # as they were


def test_a_block_that_is_partly_excluded_is_cut_and_counted_again(page):
    labeling = exclude_elements(page, whole(page), [".ad"])
    assert labeled(page, labeling)[1:4] == [("One two", 1), ("three", 0), ("four", 1)]
    assert labeling.n_tokens.tolist() == [1, 2, 1, 1, 1, 1]


def test_labels_without_probabilities_stay_without(page):
    assert exclude_elements(page, whole(page, probabilities=False), ["aside"]).probabilities is None


@pytest.mark.parametrize(("html", "exclude"), [(PAGE, []), (PAGE, [".none"]), ("<p></p>", ["p"])])
def test_without_excluded_elements_the_labels_stay_the_same(html, exclude):
    page = tree_to_page(to_tree(html))
    labeling = whole(page)
    assert exclude_elements(page, labeling, exclude) is labeling


@pytest.mark.parametrize("model", ["web2text-2026", "web2text-2018", "shallow", "bte"])
def test_no_labeler_answers_with_excluded_elements(model):
    first, second, third = (
        f"The {n} bridge over the river was built by the people of the {n} town, stone by {n} stone, in spring. " * 3
        for n in ("first", "second", "third")
    )
    html = f"<body><p>{first}</p><div class=x><p>{second}</p></div><p>{third}</p></body>"
    answer = extract(html, model=model, fragment=False, exclude=".x")
    assert "second" in extract(html, model=model, fragment=False).text
    assert answer.text.split("\n") == [first.strip(), third.strip()]
    assert all(block.label is Label.BOILERPLATE for block in answer.blocks if "second" in block.text)
