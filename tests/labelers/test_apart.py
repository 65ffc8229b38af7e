from __future__ import annotations

import numpy as np
import pytest

from scrapy_web2text.features.modern.page import modern_features
from scrapy_web2text.labelers.modern.apart import drop_apart, find_headline_block
from scrapy_web2text.labelers.modern.repeats import read_headings
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, segment
from scrapy_web2text.page.parse import to_tree

MAIN = [(1, 0.97, 60)] * 3  # label, probability and words of each block
OTHER = [(0, 0.1, 12)]
TEASERS = [(1, 0.55, 15)] * 2


def kept(rows, *, headline=-1, places=None, stated=(), threshold=0.45):
    """Return which blocks are content after `drop_apart`, each in a place of its own or in *places*."""
    labels, probabilities, n_tokens = map(np.array, zip(*rows, strict=True))
    numbers = np.arange(len(rows))
    found = drop_apart(
        labels,
        probabilities,
        n_tokens=n_tokens,
        places=numbers if places is None else np.array(places),
        headline=headline,
        is_stated=np.isin(numbers, stated),
        threshold=threshold,
    )
    return np.flatnonzero(found).tolist()


def test_unsure_content_after_the_main_text_is_dropped():
    assert kept([*MAIN, *OTHER, *TEASERS]) == [0, 1, 2]
    assert kept([*MAIN, *OTHER, *TEASERS, *OTHER, *TEASERS]) == [0, 1, 2]


@pytest.mark.parametrize(
    "rows",
    [
        [*MAIN, (0, 0.1, 9), *TEASERS],
        [*MAIN, *OTHER, (1, 0.66, 30)],
        [(1, 0.7, 60), *OTHER, (1, 0.55, 30)],
        [*MAIN, *OTHER, (1, 0.55, 19)],
    ],
    ids=["beside the main text", "sure", "about as sure as the main text", "short"],
)
def test_content_after_the_main_text_is_kept_if_it_is(rows):
    assert kept(rows) == [i for i, (label, *_) in enumerate(rows) if label]


def test_each_run_after_the_main_text_is_judged_by_itself():
    section = [(1, 0.9, 40)]
    assert kept([*MAIN, *OTHER, *TEASERS, *OTHER, *section]) == [0, 1, 2, 7]


def test_posts_in_the_same_places_as_the_main_text_are_kept():
    rows = [*MAIN, *OTHER, *TEASERS]
    assert kept(rows, places=[5, 5, 5, 0, 5, 5]) == [0, 1, 2, 4, 5]
    assert kept(rows, places=[5, 5, 5, 0, 5, 6]) == [0, 1, 2, 4, 5]
    assert kept(rows, places=[5, 5, 5, 0, 7, 6]) == [0, 1, 2]


def test_content_that_the_page_states_is_kept():
    assert kept([*MAIN, *OTHER, *TEASERS], stated=[5]) == [0, 1, 2, 4, 5]


def test_teasers_above_the_headline_are_judged_together():
    card = [(1, 0.55, 10), (0, 0.1, 10)]
    rows = [*card, *card, *MAIN]
    assert kept(rows, headline=4) == [4, 5, 6]
    assert kept(rows) == [0, 2, 4, 5, 6]
    assert kept(rows[2:], headline=2) == [0, 2, 3, 4]  # shorter than a sentence


def test_teasers_right_above_the_headline_are_not_part_of_the_main_text():
    assert kept([*TEASERS, *MAIN], headline=2) == [2, 3, 4]


def test_the_main_text_may_be_above_the_headline_that_was_found():
    rows = [*MAIN, *TEASERS]
    assert kept(rows, headline=3) == [0, 1, 2]
    assert kept([*MAIN, (1, 0.9, 60)], headline=3) == [0, 1, 2, 3]


def test_long_teasers_are_not_the_main_text():
    rows = [*TEASERS * 20, *OTHER, *MAIN]
    assert kept(rows, headline=41) == [41, 42, 43]


@pytest.mark.parametrize(("threshold", "is_kept"), [(0.2, True), (0.45, False), (0.65, False)])
def test_a_low_threshold_keeps_more(threshold, is_kept):
    assert (kept([*MAIN, *OTHER, *TEASERS], threshold=threshold) == [0, 1, 2, 4, 5]) == is_kept


def test_pages_without_content_or_with_one_run_are_as_they_were():
    assert kept(OTHER) == []
    assert kept(TEASERS) == [0, 1]


@pytest.mark.parametrize(
    ("body", "headline"),
    [
        ("<h2>Other news</h2><p>A teaser of other news.</p><h1>The ferry left early</h1><p>Text.</p>", 2),
        ("<p>A teaser.</p><h2>The ferry left early</h2><p>Text.</p>", 1),
        ("<h2>Ferry</h2><p>A teaser.</p><p>The ferry left early</p>", -1),
        ("<h1>The ferry left early</h1><p>Text.</p>", 0),
        ("<p>Text.</p>", -1),
    ],
    ids=["h1", "h2", "no heading, and a short one", "first", "none"],
)
def test_the_headline_is_the_first_heading_that_repeats_the_title(body, headline):
    title = "<title>The ferry left early | Harbor News</title><meta property=og:title content='The ferry left early'>"
    page = tree_to_page(to_tree(f"<head>{title}</head><body>{body}</body>"))
    blocks = segment(page, MODERN_BLOCKS)
    headings = read_headings(page, blocks, modern_features(page, blocks).headings)
    assert find_headline_block(page, *headings) == headline
