from __future__ import annotations

from dataclasses import dataclass

import pytest
from parsel import Selector
from scrapy.settings import Settings

from scrapy_web2text import Web2TextSettings
from scrapy_web2text.crawl.items import ItemValues, read_html


def values(fields=None, chosen=None, **settings):
    given = {} if fields is None else {"WEB2TEXT_FIELDS": fields}
    return ItemValues(Web2TextSettings.from_settings(Settings({**given, **settings})), chosen or {})


@dataclass
class Page:
    body: str | None = None
    link: str = "u"


@pytest.mark.parametrize(
    ("reader", "item", "value", "expected"),
    [
        (ItemValues(None, {}), {"main_content": "a"}, "text", "a"),
        (values(), {"main_content": "a"}, "text", "a"),
        (values({"body": "text"}), {"body": "a", "main_content": "b"}, "text", "a"),
        (values({"body": "text", "copy": "text"}), {"copy": "a"}, "text", "a"),
        (values({"body": "text"}), Page("a"), "text", "a"),
        (values({"body": "text"}), Page(), "text", None),
        (values({"body": "html"}), {"main_content": "a"}, "text", "a"),
        (values({"body": "text"}, {"text": "mine"}), {"body": "a", "mine": "b"}, "text", "b"),
        (values({"body": "text"}, {"text": None}), {"body": "a"}, "text", "a"),
        (values(), {"url": "a"}, "url", "a"),
        (values({"final": "url"}), {"url": "a", "final": "b"}, "url", "a"),
        (values({"final": "url"}), {"final": "b"}, "url", "b"),
        (values(WEB2TEXT_URL_FIELD="link"), Page(), "url", "u"),
        (values(WEB2TEXT_URL_FIELD=None), {"url": "a"}, "url", "a"),
        (values(), {"web2text": {"title": "t"}}, "title", "t"),
        (values({"s": "summary", "head": "title"}), {"s": {"title": "t"}, "head": "h"}, "title", "h"),
        (values({"s": "summary", "head": "title"}), {"s": {"title": "t"}}, "title", "t"),
        (values({"s": "summary"}), {"s": "not a dict"}, "title", None),
        (values(), "not an item", "text", None),
    ],
)
def test_values_are_found_where_the_settings_write_them(reader, item, value, expected):
    assert reader.find(item, value) == expected


def test_a_value_can_be_found_if_a_field_or_the_summary_has_it():
    reader = values({"body": "text", "s": "summary"})
    names = ("text", "summary", "confidence", "method", "markdown", "html")
    assert [name for name in names if reader.can_find(name)] == ["text", "summary", "confidence", "method"]
    assert values({"body": "text"}, {"markdown": "md"}).can_find("markdown")
    assert not values({"body": "text"}).can_find("confidence")


def test_an_empty_field_is_a_field():
    reader = values({"body": "text"})
    assert [reader.has_field(item, "text") for item in ({"body": ""}, {}, "no item")] == [True, False, False]


def test_the_summary_is_a_field_for_its_values():
    reader = values({"body": "text", "s": "summary", "sure": "confidence"})
    assert reader.fields_of("confidence") == ["sure", "s"]
    assert reader.fields_of("text") == ["body"]
    assert reader.fields_of("html") == []
    assert reader.has_field({"s": None}, "confidence")
    assert not reader.has_field({"s": None}, "text")


@pytest.mark.parametrize("as_list", [False, True], ids=["selectors", "list"])
def test_overlapping_selectors_are_read_once(as_list):
    found = Selector("<div><h1>One</h1><div><p>Two</p></div></div>").css("div, h1, h1 ~ div")
    html = read_html([*found] if as_list else found)
    assert (html.text.count("One"), html.text.count("Two"), html.is_element) == (1, 1, True)
