from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from places import PAGES

from scrapy_web2text.exceptions import PageError
from scrapy_web2text.extractor import extract
from scrapy_web2text.page.bounds import check_size, has_long_tag
from scrapy_web2text.page.parse import to_tree

RULES = "shallow:numwords"
N = 20_000
# Tags with thousands of attributes, which hide their end from a search for ">" in different ways.
ATTRIBUTES = {
    "none": "a{}",
    "unquoted": "a{}=x",
    "double": 'a{}="x"',
    "single": "a{}='x'",
    "signs": "a{}='<>'",
    "tags": "a{}='<b>'",
    "double-tags": 'a{}="<b>\'</b>"',
    "quote-in-quotes": "a{}='<b class=\"x\">'",
    "spaces": 'a{} = \n  "<b>"',
    "ended": "a{}='<b \"'>".replace(">", "") + ' b{}="\'>"',
    "slashes": "a{}/b{}='>'",
    "joined": "a{}='>'b{}=\">\"",
    "unquoted-quote": 'a{}=x\' b{}=">"',
}


def long_tag(attribute: str, n: int = N) -> bytes:
    attributes = " ".join(attribute.replace("{}", str(i)) for i in range(n))
    return f"<html><body><p>before</p><p {attributes}>The text.</p><p>after</p>".encode()


@pytest.mark.parametrize("attribute", ATTRIBUTES.values(), ids=ATTRIBUTES)
@pytest.mark.parametrize("before", ["", "<script>if (a<b) x='", "<!-- <a href='", "<p title=\"it's\">it's = '"])
def test_a_tag_with_thousands_of_attributes_is_found_whatever_is_in_its_quotes(attribute, before):
    end = {"<s": "</script>", "<!": "-->"}.get(before[:2], "")
    assert has_long_tag(before.encode() + end.encode() + long_tag(attribute))


def test_a_vertical_tab_is_the_name_of_an_attribute_as_for_the_parser():
    page = long_tag("a{}").replace(b"<p a0", b'<p \v=">" a0')
    assert has_long_tag(page)
    with pytest.raises(PageError, match="attributes"):
        to_tree(page)


@given(
    attributes=st.lists(st.sampled_from([value.replace("{}", "") for value in ATTRIBUTES.values()]), min_size=1),
    before=st.sampled_from(["", "'", '="', "<x y='", '<p title=">">']),
)
def test_mixed_attributes_do_not_hide_a_long_tag(attributes, before):
    mixed = " ".join(attributes[i % len(attributes)] for i in range(N))
    page = before.encode() + b">" + b"<p " + mixed.encode() + b">"
    tags = [element for element in etree.HTML(page).iter() if len(element.attrib) > 2]
    assert has_long_tag(page) or all(len(etree.tostring(tag)) < 33_000 for tag in tags)


@pytest.mark.parametrize("attribute", ATTRIBUTES.values(), ids=ATTRIBUTES)
def test_a_page_with_too_many_attributes_of_one_element_is_not_parsed(attribute):
    page = long_tag(attribute)
    with pytest.raises(PageError, match="more than 10,000 attributes") as caught:
        check_size(page)
    assert caught.value.reason == "too_large"
    answer = extract(page, model=RULES)
    assert (answer.text, answer.reason) == ("", "too_large")


def test_a_page_that_is_counted_and_nests_too_deeply_is_not_parsed():
    start, end = long_tag("a{}", 9_000) + b"<a b<" * 300, b"x</b>" * 75_000  # each end is looked for in all levels
    check_size(start + b"<div>" * 2_000 + end)
    with pytest.raises(PageError, match="too much memory"):
        check_size(start + b"<div>" * 3_000 + end)


def test_the_rest_of_a_page_that_nests_too_deeply_is_not_read():
    start = time.thread_time()
    with pytest.raises(PageError, match="too much memory"):
        check_size(b"<div>" * 20_000 + b"</b>" * 200_000)
    assert time.thread_time() - start < 5  # 16 s if each end tag is compared with all levels


LONG_BUT_HARMLESS = {
    "data-url": f"<img alt='x' src='data:image/png;base64,{'Ab9/' * 10_000}'>",
    "path": f"<svg><path d='{'M1 2.5 ' * 10_000}'></svg>",
    "text": f"<p>{'It is a long text. ' * 10_000}</p>",
    "script": f"<script>var a = [{'1, ' * 10_000}]</script>",
    "comparison": f"<script>for(i=0;i<n;i++){{x='{'a ' * 500}'}}{'x = 1; ' * 5_000}</script>",
    "json": f"<script>{{{', '.join(f'{chr(34)}key{i}{chr(34)}: {i}' for i in range(5_000))}}}</script>",
    "attributes": "<p " + " ".join(f"a{i}='{'x' * 20}'" for i in range(9_000)) + ">x</p>",
    "quotes": "<p title='>'>It's > \"</p>" * 2_000,
}


@pytest.mark.parametrize("source", LONG_BUT_HARMLESS.values(), ids=LONG_BUT_HARMLESS)
def test_other_long_parts_of_a_page_are_no_reason_to_refuse_it(source):
    page = f"<html><body>{source}<p>after</p>".encode()
    expected = etree.HTML(page, etree.HTMLParser(encoding="utf-8", huge_tree=True))
    assert etree.tostring(to_tree(page)) == etree.tostring(expected)


@pytest.mark.parametrize("path", PAGES, ids=[path.stem for path in PAGES])
def test_ordinary_pages_are_not_searched_for_attributes(path):
    assert not has_long_tag(path.read_bytes())


def test_a_page_with_its_data_in_one_attribute_is_not_searched_for_attributes():
    assert not has_long_tag(b'<div data-posts="{' + b"&quot;text&quot;" * 60_000 + b'}"><p>Text</p></div>')


# Short tags, whose trees would be more than a hundred times as large as the page.
CROWDED = {
    "br": "<br>",
    "p": "<p>x",
    "cells": "<td>x",
    "comments": "<!>x",
    "instructions": "<?>",
    "attributes": "<p a b c d e f g h i j>x",
    "values": "<p a=1 b=2 c=3 d=4 e=5 f=6>",
    "slashes": "<p a/b/c/d/e/f/g/h>",
}


@pytest.mark.parametrize("part", CROWDED.values(), ids=CROWDED)
def test_a_page_whose_tree_would_take_too_much_memory_is_not_parsed(part):
    page = (part * (1_500_000 // len(part))).encode()
    with pytest.raises(PageError, match="would take too much memory") as caught:
        check_size(page)
    assert caught.value.reason == "too_large"
    answer = extract(page)
    assert (answer.text, answer.method, answer.reason) == ("", "none", "too_large")


LARGE = {
    "specification": '<p id="p1" class="note">The <code>html</code> element, and what it means to be one of the root'
    " elements of documents in this language and in others that are embedded in it or embed it.</p>\n",
    "text": "word " * 20,
    "indentation": "\n" + " " * 40 + "<b>some words</b>",
    "links": '<li class="entry level-2"><a href="/reference/section/page.html#title">The title of a section</a></li>\n',
}


@pytest.mark.parametrize("part", LARGE.values(), ids=LARGE)
def test_long_pages_of_ordinary_tags_are_parsed(part):
    check_size((part * (8_000_000 // len(part))).encode())


@pytest.mark.parametrize("model", ["web2text-2018", "web2text-2026"])
def test_a_page_of_many_blocks_is_left_to_the_rules_before_they_take_too_much_memory(model):
    answer = extract("<body>" + "<p>some words</p>" * 12_000, model=model, blocks="none")  # 204 kB
    assert (answer.method, answer.reason, answer.n_blocks) == ("rules", "too_large", 12_000)
    assert (
        extract("<body>" + "<p>some words</p>" * 12_000, model=model, max_blocks=None, blocks="none").method == "model"
    )
