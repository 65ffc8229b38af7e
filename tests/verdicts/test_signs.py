"""The signs of single pages, counted with the label CONTENT for every block."""

from __future__ import annotations

import numpy as np
import pytest
from lxml import etree

from scrapy_web2text.extraction import Label
from scrapy_web2text.labelers.base import Labeling
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, segment
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.verdicts.signs import Signs


def signs_of(html) -> Signs:
    page = tree_to_page(to_tree(html) if isinstance(html, str) else html)
    blocks = segment(page, MODERN_BLOCKS)
    n_tokens = np.array([len(page.texts[leaf].split()) for leaf in blocks.leaves[blocks.starts]], dtype=np.int64)
    return Signs(page, Labeling(blocks, np.full(blocks.n_blocks, Label.CONTENT), None, n_tokens))


def test_words_are_counted_by_where_they_are():
    signs = signs_of(
        "<nav><a>one two</a></nav><p>three four five</p><p><a>six</a></p>"
        '<div class="cookie-banner"><p>seven eight</p></div><form><p>nine</p></form><article><p>ten</p></article>'
    )
    assert (signs.n_words, signs.n_content) == (10, 10)
    assert (signs.n_linked, signs.n_linked_content) == (3, 3)
    assert (signs.n_free, signs.n_free_content) == (7, 7)
    assert (signs.n_consent, signs.n_content_outside, signs.n_free_outside) == (2, 8, 5)
    assert (signs.n_content_outside_forms, signs.n_article) == (9, 1)


def test_the_title_its_parts_and_the_first_headings_are_read():
    signs = signs_of("<title>Oh: Not  Found | A Site</title><h2>» Try again!</h2><h3>No heading</h3>")
    assert signs.headings == ("oh: not found | a site", "oh: not found", "a site", "not found | a site", "try again")


@pytest.mark.parametrize(
    ("names", "n_consent"),
    [
        ("onetrust-consent-sdk", 2),
        ("site-cookie-notice", 2),
        ("gdpr", 2),
        ("cookies-not-set", 0),
        ("cookie-recipes", 0),
        ("message", 0),
    ],
)
def test_boxes_that_ask_for_consent_are_known_by_their_names(names, n_consent):
    assert signs_of(f'<div class="{names}"><p>two words</p></div>').n_consent == n_consent


def test_a_name_in_the_head_alone_does_not_make_a_box_that_asks_for_consent():
    signs = signs_of(
        "<html id=Top><link id=cookie-notice-css class=Sheet><body><p class=message>two words</p></body></html>"
    )
    assert sorted(signs.names.split()) == ["cookie-notice-css", "message", "sheet", "top"]
    assert signs.n_consent == 0


@pytest.mark.parametrize("times", [1, 3], ids=["few", "very-many"])
def test_names_of_the_whole_document_are_read_whether_few_or_many(times):
    many = "".join(f"<p class=name-{i}></p>" for i in range(10_000 * times))
    names = signs_of(f"<title class=a></title><div id=b>{many}</div>").names.split()
    assert len(names) == len(set(names))
    assert {"a", "b", "name-0", f"name-{10_000 * times - 1}"} <= {*names}
    assert "name-15000" not in names  # in the middle of very many, or of another page


def test_names_around_an_element_of_a_document_are_read():
    around = etree.HTML("<div id=outer><p class=inner>two words</p></div>")
    assert {*signs_of(around.find(".//p")).names.split()} == {"outer", "inner"}


def test_the_whole_page_does_not_ask_for_consent_by_its_name():
    assert signs_of('<body class="cookie-banner"><p>two words</p></body>').n_consent == 0


def test_an_article_that_is_the_message_of_an_error_does_not_count():
    assert signs_of('<article class="error-404 not-found"><p>two words</p></article>').n_article == 0


def test_only_the_beginning_of_a_long_text_is_read():
    signs = signs_of("<p>" + "x" * 3000 + "</p><p>" + "y" * 3000 + "</p><p>z</p>")
    assert len(signs.text) < 7000
    assert "z" not in signs.text


def test_text_that_is_too_long_to_be_read_counts_as_other_words():
    signs = signs_of("<p>" + "x" * 30000 + "</p><p>not found</p>")
    assert signs.count_content_without(("not found",)) == 3
    assert signs.count_sentences_without(("not found",)) == 3


def test_sentences_with_a_phrase_are_left_out_of_the_count():
    signs = signs_of("<p>It was not found. Look at the map, please.</p>")
    assert signs.count_content_without(("not found",)) == 0
    assert 4 <= signs.count_sentences_without(("not found",)) <= 6


def test_fields_in_boxes_beside_the_content_are_not_counted():
    field = '<input type="password">'
    signs = signs_of(f'{field}<nav>{field}</nav><div class="LoginModal">{field}</div><input type="checkbox">')
    assert (signs.n_passwords, signs.n_fields) == (1, 1)


def test_a_field_outside_of_a_whole_page_is_counted():
    assert signs_of(etree.XML('<div><input type="password"/></div>')).n_passwords == 1


def test_a_mount_point_is_an_element_without_text():
    assert signs_of('<div id="root"></div><p>text</p>').has_mount_point
    assert signs_of("<app-root></app-root>").has_mount_point
    assert not signs_of('<div id="root"><p>text</p></div>').has_mount_point


def test_the_markup_is_read_in_lower_case_and_bounded():
    names = "".join(f'<i id="Name{n}-{"x" * 100}"></i>' for n in range(3000))
    signs = signs_of(
        f'<html><head><meta name="robots" content="NOINDEX"><script src="/A.js"></script><script>{"Y" * 9000}</script>'
        f'<script type="application/ld+json">{{"isAccessibleForFree" : False}}</script></head>'
        f'<body class="Error404">{names}<noscript>Enable IT</noscript></body></html>'
    )
    assert signs.is_unindexed
    assert signs.n_sources == 1
    assert "/a.js" in signs.addresses
    assert len(signs.code) < 4000
    assert signs.data == '{"isaccessibleforfree":false}'
    assert "error404" in signs.root_names
    assert signs.noscript == "enable it"
    assert "name0-" in signs.names
    assert "name2999-" in signs.names
    assert len(signs.names) < 250_000
