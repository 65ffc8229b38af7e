from __future__ import annotations

import re

import pytest

from scrapy_web2text.common.selectors import check_selector, compile_selector


@pytest.mark.parametrize(
    ("text", "relations"),
    [
        ("main .story", [["", " "]]),
        ("main > .story, h1 + p ~ p", [["", ">"], ["", "+", "~"]]),
        ("//main//p", [[""]]),
        (" ./body/main ", [[""]]),
        ("(//p)[1]", [[""]]),
        (".story", [[""]]),
    ],
)
def test_a_selector_has_a_step_for_each_relation(text, relations):
    assert [[step.relation for step in steps] for steps in compile_selector(text)] == relations


@pytest.mark.parametrize(
    "text", ["main .story", "p:first-child", "#a", "[data-x]", "p:not(.a)", "//p[re:test(@class, '^a')]", "//a[@href]"]
)
def test_selectors_of_elements_are_accepted(text):
    check_selector(text)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("main[", "expected a CSS selector or an XPath, got 'main['"),
        ("", "expected a CSS selector or an XPath, got ''"),
        ("p::text", "a pseudo-element, such as ::text, is not an element"),
        ("p:unknown", "got 'p:unknown'"),
        ("//p[", "got '//p['"),
        ("//x:p", "got '//x:p'"),
        ("div " * 2000 + "p", "expected a shorter CSS selector or XPath, got 'div div"),
        ("a:is(" * 500 + "a" + ")" * 500, "got 'a:is(a:is("),
        ("//title[unknown()]", "got '//title[unknown()]'"),
        ("/html/@lang", "expected a selector of elements, got '/html/@lang'"),
        ("(//p/text())[1]", "expected a selector of elements"),
        ("(count(//p))", "expected a selector of elements"),
    ],
)
def test_what_does_not_select_elements_is_an_error_that_says_so(text, problem):
    with pytest.raises(ValueError, match=re.escape(problem)):
        check_selector(text)


@pytest.mark.parametrize("text", ["//meta[@name='x']/@content", "//h1/text()", "(string(//h1))", "h1"])
def test_a_title_may_be_a_value(text):
    check_selector(text, with_values=True)


@pytest.mark.parametrize("text", ["(count(//p))", "(1 = 1)"])
def test_a_title_is_not_a_number_or_a_truth_value(text):
    with pytest.raises(ValueError, match="expected a selector of elements"):
        check_selector(text, with_values=True)
