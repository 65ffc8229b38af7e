from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml.cssselect import CSSSelector
from steps import count_steps
from strategies import html_trees

from scrapy_web2text.common.budget import Budget
from scrapy_web2text.common.selectors import compile_selector
from scrapy_web2text.exceptions import PageTimeout
from scrapy_web2text.metadata.title import select_headline
from scrapy_web2text.page.arrays import Page, tree_to_page
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.page.selection import mark_selected_slots, select_elements

PAGE = """<html class=news><head><title>The site</title><meta name=headline content=" The  headline "></head>
<body class=home><nav>a</nav><main><h1 class=head>b <b>c</b><script>x</script></h1>
<div class="story first"><p>d</p><!-- x --><p class=last>e<i>f</i></p><div class=story>g</div></div>
<p>h</p></main></body></html>"""


def page_of(html: str) -> Page:
    return tree_to_page(to_tree(html))


def texts(html: str, *selectors: str) -> str:
    page = page_of(html)
    is_selected = mark_selected_slots(page, selectors)[page.leaf_slots].tolist()
    return "".join(text.strip() for text, chosen in zip(page.texts, is_selected, strict=True) if chosen)


@pytest.mark.parametrize(
    ("selectors", "selected"),
    [
        (["main .story"], "defg"),
        (["main > p"], "h"),
        (["p + p"], "ef"),
        (["h1 ~ p"], "h"),
        (["h1 + p"], ""),
        ([".story > .story", "h1"], "bcg"),
        (["p:first-child, p:last-child"], "dh"),
        (["//p[@class='last']/i"], "f"),
        (["./body/nav"], "a"),
        (["(//p)[1]", "nav"], "ad"),
        (["html"], "abcdefgh"),
        (["html.news main p"], "defh"),
        (["html > body > nav"], "a"),
        (["body.home > nav"], "a"),
        (["title"], ""),
        ([".none"], ""),
        ([], ""),
    ],
)
def test_the_texts_inside_the_matched_elements_are_selected(selectors, selected):
    assert texts(PAGE, *selectors) == selected


def test_elements_around_the_page_count():
    story = to_tree(PAGE).find(".//div[@class='story first']")
    page = tree_to_page(story)
    assert select_elements(page, ["main > .story"])[0]
    assert select_elements(page, ["main"])[0]
    assert not select_elements(page, ["nav"]).any()


_parts = st.sampled_from(["p", "div", "b", "*", "li", "ul", "table", "td", "p:first-child", "div:last-child", "i"])


@given(html_trees(), _parts, st.sampled_from([" ", " > ", " + ", " ~ "]), _parts)
def test_css_selects_what_lxml_selects(html, first, relation, second):
    css = f"{first}{relation}{second}"
    root = to_tree(html)
    page = tree_to_page(root)
    body = root.find("body")
    expected = {*CSSSelector(css, translator="html")(root)}
    # The page begins with the body, and nodes outside of the body are in it, too.
    inside = [i for i, element in enumerate(page.elements) if body in [*element.iterancestors()][1:]]
    found = select_elements(page, [css])
    assert [i for i in inside if found[i]] == [i for i in inside if page.elements[i] in expected]


HOSTILE = {"nested": "<div><main class=story>{}</main></div>", "siblings": "{}<p>x</p>", "deep": "<div>{}</div>"}


@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("css", ["main .story", "div div p", "p ~ p", "p:first-child", "p + p:last-child"])
def test_css_takes_linear_time_on_hostile_pages(unit, css):
    before, after = unit.split("{}")
    pages = [page_of(before * n + after * n) for n in (1, 50, 400)]
    _, small, large = (count_steps(select_elements, page, [css]) for page in pages)  # the first compiles the selector
    assert large < 12 * small  # 64 times if it were quadratic
    # lxml goes once through the page for each part of a selector, and looks at no more than one sibling of an element.
    paths = [step.find.path for step in compile_selector(css)[0]]
    assert all(path.count("/") == 1 and "count(" not in path for path in paths)


def test_the_time_limit_ends_the_selection():
    page = page_of(PAGE)
    with Budget(timeout=1e-9).running(), pytest.raises(PageTimeout):
        np.sum([select_elements(page, ["main p"]).sum() for _ in range(1000)])


@pytest.mark.parametrize(
    ("selector", "title"),
    [
        ("h1.head", "b c"),
        ("main h1", "b c"),
        ("title", "The site"),
        ("meta[name=headline]", "The headline"),
        ("//meta[@name='headline']/@content", "The headline"),
        ("//h1/text()", "b"),
        ("(string(//h1/b))", "c"),
        ("script, h1", "b c"),
        ("h2", ""),
        ("nav h1", ""),
    ],
)
def test_the_title_is_the_first_text_that_a_selector_finds(selector, title):
    assert select_headline(page_of(PAGE), selector) == title


@pytest.mark.parametrize(("selector", "title"), [("//comment()", "a note"), ("//namespace::*", ""), ("/..", "")])
def test_a_headline_can_be_any_node(selector, title):
    assert select_headline(page_of("<!-- a note --><p>a</p>"), selector) == title
