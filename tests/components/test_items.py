"""Every kind of item that Scrapy knows, each in a whole crawl."""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import attrs
import pydantic
import pytest
import scrapy
from itemadapter import ItemAdapter
from mockserver import ADDON, SENTENCE, CrawlResult, MockSite, crawl, spider_of

from scrapy_web2text import MainContentItem


class BareItem(scrapy.Item):
    url = scrapy.Field()


class Declared(BareItem):
    main_content = scrapy.Field()
    blocks = scrapy.Field()
    web2text = scrapy.Field()


class Ready(MainContentItem):
    author = scrapy.Field()


@dataclass
class BareData:
    url: str


@dataclass
class Data(BareData):
    main_content: str | None = None
    blocks: list[dict[str, Any]] = field(default_factory=list)
    web2text: dict[str, Any] | None = None


@attrs.define
class BareAttrs:
    url: str


@attrs.define
class Attrs(BareAttrs):
    main_content: str | None = None
    blocks: list[dict[str, Any]] = attrs.Factory(list)
    web2text: dict[str, Any] | None = None


class BareModel(pydantic.BaseModel):
    url: str


class Model(BareModel):
    main_content: str | None = None
    blocks: list[dict[str, Any]] = []
    web2text: dict[str, Any] | None = None


class StrictModel(Model, validate_assignment=True):
    pass


class OpenModel(BareModel, extra="allow"):
    pass


class FrozenModel(Model, frozen=True):
    pass


class NumberModel(BareModel, validate_assignment=True):
    main_content: int = 0


FULL = [dict, Declared, MainContentItem, Ready, Data, Attrs, Model, StrictModel]
BARE = [BareItem, BareData, BareAttrs, BareModel, OpenModel]


def crawl_items(site: MockSite, *kinds: type, **settings: Any) -> CrawlResult:
    """Crawl one page that has two items of each of *kinds*."""

    def parse(self, response):
        for kind in kinds * 2:
            yield kind(url=response.url)

    result = crawl(spider_of(site.url("/article"), parse=parse), {**ADDON, **settings})
    assert result.web2text_stats["pages"] == 1
    return result


def test_all_fields_of_items_of_any_kind_are_filled_in(site: MockSite):
    result = crawl_items(site, *FULL)
    assert Counter(map(type, result.items)) == dict.fromkeys(FULL, 2)
    for item in map(ItemAdapter, result.items):
        assert SENTENCE in item["main_content"]
        assert [block["label"] for block in item["blocks"]].count("content") == 4
        assert (item["web2text"]["method"], item["web2text"]["title"]) == ("rules", "The bridge")


def test_items_that_take_no_fields_pass_with_one_warning_for_their_class(site: MockSite, caplog):
    caplog.set_level(logging.WARNING)
    kinds = [*BARE, FrozenModel, NumberModel]
    result = crawl_items(site, *kinds)
    assert Counter(map(type, result.items)) == dict.fromkeys(kinds, 2)
    counted = {name: n for name, n in result.web2text_stats.items() if name.startswith("missing_fields/")}
    assert counted == dict.fromkeys([f"missing_fields/{name}" for name in ("main_content", "blocks", "web2text")], 14)
    messages = [record.getMessage() for record in caplog.records if record.name.startswith("scrapy_web2text")]
    assert Counter(message.split()[2] for message in messages) == Counter(kind.__name__ for kind in kinds)
    assert all("WEB2TEXT_ON_MISSING_FIELD" in message and "Error(" not in message for message in messages)
    beginning = "Items of BareItem do not take fields of WEB2TEXT_FIELDS: main_content, blocks, web2text. Declare them"
    assert any(message.startswith(beginning) for message in messages)
    (of_numbers,) = [message for message in messages if "NumberModel" in message]
    assert "main_content (1 validation error for NumberModel" in of_numbers


class OnlyText(BareItem):
    main_content = scrapy.Field()


def test_a_class_that_has_some_of_the_fields_is_no_warning(site: MockSite, caplog):
    caplog.set_level(logging.INFO)
    result = crawl_items(site, OnlyText)
    assert all(SENTENCE in item["main_content"] for item in result.items)
    (record,) = [each for each in caplog.records if "WEB2TEXT_FIELDS" in each.getMessage()]
    assert record.levelname == "INFO"
    assert record.getMessage().startswith("Items of OnlyText do not take fields of WEB2TEXT_FIELDS: blocks, web2text. ")


def test_missing_fields_are_an_error_only_if_the_settings_say_so(site: MockSite):
    result = crawl_items(site, *BARE, WEB2TEXT_ON_MISSING_FIELD="error")
    assert result.items == []
    assert Counter(map(type, result.errors)) == {KeyError: 10}
    assert "Items of BareData do not take fields of WEB2TEXT_FIELDS: main_content, blocks, web2text" in {
        error.args[0] for error in result.errors
    }


def test_fields_of_an_article_are_filled_in_by_their_names(site: MockSite):
    Article = pytest.importorskip("zyte_common_items").Article  # noqa: N806
    fields = '{"articleBody": "text", "headline": "title", "articleBodyHtml": "html", "bodyOfText": "text"}'
    result = crawl_items(site, Article, WEB2TEXT_FIELDS=fields)
    for article in result.items:
        assert SENTENCE in article.articleBody
        assert article.headline == "The bridge"
        assert f"<p>{SENTENCE} {SENTENCE}</p>" in article.articleBodyHtml
    missing = {name: n for name, n in result.web2text_stats.items() if name.startswith("missing_fields/")}
    assert missing == {"missing_fields/bodyOfText": 2}


def test_the_ready_item_has_the_fields_that_the_settings_name():
    assert set(MainContentItem.fields) == {"url", "main_content", "blocks", "web2text"}
    assert set(Ready.fields) == {*MainContentItem.fields, "author"}
