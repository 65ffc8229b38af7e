from __future__ import annotations

import numpy as np
import pytest

from scrapy_web2text.extractor import Extractor
from scrapy_web2text.labelers.modern.repeats import (
    BlockTexts,
    collapsed_texts,
    drop_repeats,
    find_doubles,
    find_repeats,
)
from scrapy_web2text.page.arrays import Page, tree_to_page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, BlockSequence, segment
from scrapy_web2text.page.parse import to_tree

LINE = "The ferry left the harbor at noon, and no one on the quay was sorry to see it go again."


def blocks_of(body: str) -> tuple[Page, BlockSequence]:
    page = tree_to_page(to_tree(f"<body>{body}</body>"))
    return page, segment(page, MODERN_BLOCKS)


def repeats(
    texts: list[str | None], n_tokens: int = 20, exempt: tuple[int, ...] = (), places: list[int] | None = None
) -> list[int]:
    """Return the numbers of the repeats among blocks of *n_tokens* words each, in *places* or each in its own."""
    numbers = np.arange(len(texts))
    is_exempt = np.isin(numbers, exempt)
    words = np.full(len(texts), n_tokens)
    return np.flatnonzero(find_repeats(texts, is_exempt, words, np.array(places or numbers))).tolist()


def drop(page, blocks, labels, n_tokens, has_copies):
    """Return the labels without repeats, with each block in a place of its own."""
    places = np.arange(len(labels))
    return drop_repeats(BlockTexts(page, blocks), labels, n_tokens, places=places, has_copies=has_copies)


@pytest.mark.parametrize(
    ("copies", "expected"),
    [
        (f"<p>{LINE} One.</p><p>{LINE} Two.</p><p>{LINE} Three.</p>", [1, 1, 1, 0, 0, 0, 1]),
        ("<p>La la la</p><p>Oh</p><p>Hey</p>", [1] * 7),
        (f"<pre>{LINE} One.</pre><pre>{LINE} Two.</pre><pre>{LINE} Three.</pre>", [1] * 7),
    ],
    ids=["long-copy", "refrain", "code"],
)
def test_only_long_copies_are_dropped(copies, expected):
    page, blocks = blocks_of(f"{copies}<div class=mobile>{copies}</div><p>The end.</p>")
    labels, n_tokens = np.ones(7, dtype=np.int64), np.array([19, 19, 19, 19, 19, 19, 2])
    if "La la" in copies:
        n_tokens = np.array([3, 1, 1, 3, 1, 1, 2])
    has_copies = np.array([True] * 6 + [False])
    assert drop(page, blocks, labels, n_tokens, has_copies).tolist() == expected
    assert drop(page, blocks, labels, n_tokens, np.ones(7, dtype=bool)).tolist() == expected


def test_without_copies_the_labels_stay():
    page, blocks = blocks_of("<p>a</p><p>b</p>")
    labels = np.array([1, 1])
    assert drop(page, blocks, labels, labels, np.array([False, False])) is labels
    assert drop(page, blocks, labels, labels, np.array([True, True])) is labels


def test_a_copy_of_boilerplate_is_not_a_repeat():
    page, blocks = blocks_of(f"<p>{LINE}</p><p>{LINE}</p>")
    labels = np.array([0, 1])
    assert drop(page, blocks, labels, np.array([50, 50]), np.array([True, True])).tolist() == [0, 1]


def test_a_repeat_is_a_run_of_texts_that_have_all_occurred_before():
    assert repeats(["a", "b", "a", "b", "c"]) == [2, 3]
    assert repeats(["a", "b", "a", None, "b"]) == []  # two runs of 20 words
    assert repeats(["a", "b", "a", None, "b"], n_tokens=40) == [2, 4]


def test_a_repeat_has_at_least_40_words():
    assert repeats(["a", "a"], n_tokens=39) == []
    assert repeats(["a", "a"], n_tokens=40) == [1]


def test_exempt_blocks_are_not_repeats_but_can_be_repeated():
    assert repeats(["a", "a", "a"], n_tokens=40, exempt=(1,)) == [2]
    assert repeats(["a", "a"], n_tokens=40, exempt=(0,)) == [1]


def test_a_text_in_the_same_place_of_the_template_is_meant_to_be_there():
    assert repeats(["a", "b", "a", "b"], places=[1, 2, 1, 2]) == []
    assert repeats(["a", "b", "a", "b"], places=[1, 2, 1, 3]) == []  # half of the words
    assert repeats(["a", "b", "c", "a", "b", "c"], places=[1, 2, 3, 1, 4, 5]) == [3, 4, 5]


def test_a_long_run_in_the_same_order_is_a_second_copy_wherever_it_is():
    page = [f"{number}" for number in range(20)]
    assert repeats(page * 2, places=[1] * 40) == [*range(20, 40)]
    assert repeats(page[:19] * 2, places=[1] * 38) == []
    assert repeats(page + page[::-1], places=[1] * 40) == []


def test_a_short_text_right_after_its_first_copy_is_a_double():
    def doubles(texts, places=(1, 2, 3), n_tokens=2, exempt=()):
        n = len(texts)
        is_exempt = np.isin(np.arange(n), exempt)
        return find_doubles(texts, is_exempt, np.full(n, n_tokens), np.array(places)[:n]).nonzero()[0].tolist()

    assert doubles(["a", "a", "a"]) == [1, 2]
    assert doubles(["a", "b", "a"]) == []
    assert doubles(["a", "a", "a"], places=[1, 1, 2]) == [2]
    assert doubles(["a", "a"], exempt=[1]) == []
    assert doubles([None, None]) == []
    assert [doubles(["a", "a"], n_tokens=n) for n in (1, 20, 21)] == [[], [1], []]


def test_a_product_has_its_name_once():
    cards = "".join(
        f"<div><a href=/{name}><h2>The {name} lamp</h2></a><div><h3>The {name} lamp</h3><p>{LINE}</p></div></div>"
        f"<blockquote>The {name} lamp</blockquote>"
        for name in ("red", "green", "blue")
    )
    page, blocks = blocks_of(cards)
    ones = np.ones(blocks.n_blocks, dtype=int)
    assert drop(page, blocks, ones, 3 * ones, ones > 0).tolist() == [1, 0, 1, 1] * 3


def test_the_meals_of_a_week_stay_and_a_second_layout_goes():
    day = f"<h3>Day</h3><p>{LINE}</p><p>{LINE} Again.</p>"
    menu = Extractor(fallback=None).extract(f"<html><body><h1>Meals of the week</h1>{day * 5}</body></html>")
    assert menu.text.count("sorry to see it") == 10
    story = "".join(f"<p>{LINE} And so on, {word}.</p>" for word in ("one", "two", "three", "four"))
    twice = Extractor(fallback=None).extract(
        f"<html><body><h1>News</h1><div class=desktop>{story}</div><div class=phone>{story}</div></body></html>"
    )
    assert twice.text.count("sorry to see it") == 4


def test_code_tables_and_terms_are_found_around_the_first_leaf():
    html = "<p>a <code>b</code></p><pre>c</pre><table><tr><td><p>d</table><p><code>e</code> f</p><dl><dd>g</dl>"
    page, blocks = blocks_of(html)
    assert BlockTexts(page, blocks).is_exempt.tolist() == [False, True, True, True, True]


def test_texts_are_compared_with_whitespace_collapsed():
    page, blocks = blocks_of("<p> a\n b <b>c</b></p><p>d</p><p>e\t</p>")
    assert collapsed_texts(page, blocks, np.array([0, 2])) == ["a b c", "e"]
