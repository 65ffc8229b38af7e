from __future__ import annotations

import pytest

from scrapy_web2text.labelers.shallow.measures import shallow_blocks
from scrapy_web2text.labelers.shallow.rules import FILTERS
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import SHALLOW_BLOCKS, block_texts, segment
from scrapy_web2text.page.parse import to_tree

TEXT = "The old bridge over the river was rebuilt by the people of the whole town."  # 15 words
LONG = " ".join([TEXT] * 4)  # 60 words
SHORT = "Share this"


def keep(name: str, *paragraphs: str, title: str = "") -> list[str]:
    """Return the blocks that a filter keeps of a page where paragraphs of at least ten words are content."""
    page = tree_to_page(to_tree(f"<title>{title}</title>" + "".join(f"<p>{text}</p>" for text in paragraphs)))
    blocks = segment(page, SHALLOW_BLOCKS)
    n_words = shallow_blocks(page, blocks).n_words
    is_content = n_words >= 10
    before = is_content.copy()
    kept = FILTERS[name](page, blocks, n_words, is_content)
    assert (is_content == before).all()
    return [text for text, is_kept in zip(block_texts(page, blocks), kept.tolist(), strict=True) if is_kept]


@pytest.mark.parametrize("name", FILTERS)
def test_without_content_nothing_is_kept(name):
    assert keep(name) == []
    assert keep(name, SHORT, SHORT) == []


# Largest Content


def test_the_run_of_content_with_the_most_words_is_kept():
    assert keep("largest", LONG, SHORT, LONG, TEXT, SHORT, TEXT) == [LONG, TEXT]


def test_the_size_of_a_run_is_its_words_and_of_equal_runs_the_first_is_kept():
    assert keep("largest", TEXT, TEXT, TEXT, SHORT, LONG) == [LONG]
    assert keep("largest", f"A {TEXT}", SHORT, f"B {TEXT}") == [f"A {TEXT}"]


# Main Content


def test_runs_separated_by_one_block_and_a_heading_are_joined():
    assert keep("main-content", LONG, SHORT, "Heading", TEXT) == [LONG, "Heading", TEXT]
    assert keep("main-content", LONG, SHORT, SHORT, "Heading", TEXT) == [LONG]


def test_everything_between_the_title_and_the_largest_run_is_content():
    page = (TEXT, "Bridge rebuilt", "by Anna", "3 May", "Photo: Ben", LONG)
    assert keep("main-content", *page, title="Bridge rebuilt - The Courier") == list(page[1:])


def test_text_before_the_title_is_boilerplate_but_a_title_after_all_content_is_ignored():
    assert keep("main-content", LONG, "Bridge rebuilt", TEXT, title="Bridge rebuilt") == ["Bridge rebuilt", TEXT]
    assert keep("main-content", LONG, SHORT, SHORT, "Bridge rebuilt", title="Bridge rebuilt") == [LONG]


@pytest.mark.parametrize(
    ("title", "heading"),
    [
        ("Bridge rebuilt", "BRIDGE REBUILT!"),
        ("Bridge rebuilt | Courier", "Bridge rebuilt"),
        ("Courier: Bridge rebuilt", "Bridge rebuilt"),
        ("The Daily Courier Online Edition » All of the bridge » Home", "All of the bridge"),
    ],
)
def test_the_headline_is_the_title_or_a_part_of_it(title, heading):
    assert keep("main-content", heading, SHORT, SHORT, SHORT, LONG, title=title)[0] == heading


@pytest.mark.parametrize("title", ["", "   ", "Another bridge", "| -", "A: Bridge rebuilt soon"])
def test_without_a_headline_only_the_run_is_kept(title):
    assert keep("main-content", "Bridge rebuilt", SHORT, SHORT, "Intro", LONG, title=title) == ["Intro", LONG]


@pytest.mark.parametrize("heading", ["Comments", "User comments:", "23 Comments", "comments (4)", "Have your say"])
def test_comments_after_the_text_are_boilerplate(heading):
    assert keep("main-content", LONG, heading, TEXT, TEXT) == [LONG]


@pytest.mark.parametrize("heading", ["Comments are closed since May", "No comment", "23"])
def test_another_heading_does_not_begin_comments(heading):
    assert keep("main-content", LONG, heading, TEXT) == [LONG, heading, TEXT]


def test_a_menu_item_does_not_begin_comments():
    assert keep("main-content", "Comments", TEXT, LONG) == ["Comments", TEXT, LONG]
