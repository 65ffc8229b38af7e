from __future__ import annotations

import gc
import logging
import re
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import pytest
import scrapy
from mockserver import SENTENCE, MockSite, article, crawl
from parsel import Selector
from scrapy import Request, Spider
from scrapy.exceptions import DropItem

from scrapy_web2text import Extraction, Extractor, LowConfidence, ModelError, Web2TextError, pipelines
from scrapy_web2text import extractor as extractor_module
from scrapy_web2text.crawl import extractor as crawl_module
from scrapy_web2text.crawl.extractor import CrawlExtractor
from scrapy_web2text.crawl.pool import Pool
from scrapy_web2text.pipelines import Web2TextPipeline

PIPELINE = {"ITEM_PIPELINES": {"scrapy_web2text.Web2TextPipeline": 300}}
EMPTY = {"method": "none", "model": None, "confidence": None, "n_blocks": 0, "n_content": 0, "title": ""} | {
    "page": None,
    "page_type": None,
    "page_type_probability": None,
    "encoding": None,
    "encoding_source": None,
}


def spider_of(url: str, *items: Any, meta: dict[str, Any] | None = None, settings: dict[str, Any] | None = None):
    """Return a spider that yields *items* from the page at *url*; a function makes its item from the response."""

    class Pages(Spider):
        name = "pages"
        custom_settings: ClassVar = {**PIPELINE, **(settings or {})}

        async def start(self):
            yield Request(url, meta=meta)

        def parse(self, response):
            for item in items or ({"url": response.url},):
                yield item(response) if callable(item) else item

    return Pages


@pytest.fixture
def low_confidence(monkeypatch):
    """The confidence of every answer is below ``min_confidence``."""
    extract = Extractor.extract

    def extract_low(self, *args: Any, **kwargs: Any) -> Extraction:
        return replace(extract(self, *args, **kwargs), confidence=0.2, low_confidence=True)

    monkeypatch.setattr(Extractor, "extract", extract_low)


@pytest.fixture
def broken(monkeypatch):
    """Every extraction fails because of a bug in the package."""

    def extract(self, *args: Any, **kwargs: Any) -> Extraction:
        raise ZeroDivisionError("on purpose")

    monkeypatch.setattr(Extractor, "extract", extract)


def messages(caplog, level: int = logging.WARNING) -> list[str]:
    return [
        record.getMessage()
        for record in caplog.records
        if record.name.startswith("scrapy_web2text") and record.levelno >= level
    ]


def test_the_pipeline_alone_fills_in_an_item_that_names_its_page(site: MockSite):
    (item,) = crawl(spider_of(site.url("/article"))).items
    assert SENTENCE in item["main_content"]
    assert "contact" not in item["main_content"]
    assert item["web2text"]["method"] == "rules"
    assert item["web2text"]["title"] == "The bridge"
    assert item["web2text"]["n_content"] >= 3


def test_blocks_are_plain_data(site: MockSite):
    (item,) = crawl(spider_of(site.url("/article"))).items
    block = next(block for block in item["blocks"] if SENTENCE in block["text"])
    assert list(block) == ["index", "text", "label", "probability", "tag"]
    assert (block["label"], block["tag"]) == ("content", "p")


@pytest.mark.parametrize("value", [["path", "text"], "path, text", '["path", "text"]'], ids=["list", "text", "json"])
def test_block_fields_are_those_of_the_setting(site: MockSite, value):
    (item,) = crawl(spider_of(site.url("/article"), settings={"WEB2TEXT_BLOCK_FIELDS": value})).items
    assert list(item["blocks"][0]) == ["path", "text"]
    assert item["blocks"][0]["path"].startswith("/html/body")


def test_the_log_shows_blocks_in_one_line(site: MockSite, caplog):
    caplog.set_level(logging.DEBUG)
    (item,) = crawl(spider_of(site.url("/article"))).items
    (logged,) = [record.getMessage() for record in caplog.records if "Scraped from" in record.getMessage()]
    assert re.search(r"<list of \d+: \{'index': 0, 'text': .{40,60}…>", logged)
    assert logged.count("'probability'") <= 1
    assert len(item["blocks"]) > 3


def test_stats_count_pages_methods_and_seconds(site: MockSite):
    result = crawl(spider_of(site.url("/article")))
    assert result.web2text_stats == {"pages": 1, "method/rules": 1}
    assert 0 < result.stats["web2text/extraction_seconds"] < 10


def test_several_items_of_one_page_share_one_extraction(site: MockSite):
    url = site.url("/article")
    result = crawl(spider_of(url, {"url": url, "n": 1}, {"url": url, "n": 2}, {"url": url + "#part", "n": 3}))
    assert len({item["main_content"] for item in result.items}) == 1
    assert result.web2text_stats["pages"] == 1


def test_items_of_one_page_do_not_share_their_blocks(site: MockSite):
    url = site.url("/article")
    first, second = crawl(spider_of(url, {"url": url}, {"url": url})).items
    first["blocks"][0]["text"] = first["web2text"]["title"] = "changed"
    assert "changed" not in (second["blocks"][0]["text"], second["web2text"]["title"])


ADDON = {"ADDONS": {"scrapy_web2text.Addon": 300}, "ITEM_PIPELINES": {}}


def test_an_item_object_that_is_yielded_again_has_the_text_of_its_page(site: MockSite):
    item = {"n": 1}
    result = crawl(spider_of(site.url("/article"), item, item, item, settings=ADDON))
    assert [SENTENCE in found["main_content"] for found in result.items] == [True, True, True]
    assert result.web2text_stats == {"pages": 1, "method/rules": 1}


@pytest.mark.parametrize("filled", [{"main_content": "mine"}, {"main_content": "mine", "web2text": {"by": "me"}}])
def test_filled_fields_are_kept_if_no_response_is_known(site: MockSite, filled):
    (item,) = crawl(spider_of(site.url("/article"), {"blocks": None, **filled})).items
    summary = {**EMPTY, "fallback_reason": "no_response"}
    assert item == {"blocks": [], "web2text": summary, **filled}


def test_an_item_from_start_is_reported_as_such(site: MockSite, caplog):
    class Pages(spider_of(site.url("/article"), settings=ADDON)):
        async def start(self):
            yield {"name": "x"}

    (item,) = crawl(Pages).items
    assert item["web2text"]["fallback_reason"] == "no_response"
    (message,) = messages(caplog)
    assert "The item comes from start(), or an earlier pipeline has replaced the original item" in message
    assert "SPIDER_MIDDLEWARES" not in message


def test_the_url_can_be_in_another_field(site: MockSite):
    spider = spider_of(site.url("/article"), {"link": site.url("/article")}, settings={"WEB2TEXT_URL_FIELD": "link"})
    assert SENTENCE in crawl(spider).items[0]["main_content"]


@pytest.mark.parametrize("item", [{"url": "http://example.com/"}, {"name": "x"}, {"url": None}])
def test_an_item_without_a_response_is_counted_and_the_missing_setting_is_logged_once(site: MockSite, caplog, item):
    result = crawl(spider_of(site.url("/article"), dict(item), dict(item)))
    assert [item["main_content"] for item in result.items] == ["", ""]
    assert result.items[0]["web2text"] == {**EMPTY, "fallback_reason": "no_response"}
    assert result.web2text_stats == {"skipped/no_response": 2}
    (message,) = messages(caplog)
    assert 'SPIDER_MIDDLEWARES = {"scrapy_web2text.Web2TextSpiderMiddleware": 100}' in message


def crawl_list(site: MockSite, *urls: str, **settings: Any):
    """Crawl a page whose callback yields an item with each of *urls*, although these are other pages."""
    spider = spider_of(site.url("/article"), *({"url": url} for url in urls), settings=settings)
    return crawl(spider, {"ADDONS": {"scrapy_web2text.Addon": 300}})


def test_an_item_of_another_host_than_its_response_is_warned_of_once(site: MockSite, caplog):
    caplog.set_level(logging.DEBUG, "scrapy_web2text")
    result = crawl_list(site, "https://a.test/1", "https://b.test/2", "https://a.test/3", site.url("/article"))
    assert all(SENTENCE in item["main_content"] for item in result.items)
    assert result.web2text_stats["foreign_urls"] == 3
    found = [record for record in caplog.records if "from another host" in record.getMessage()]
    assert [record.levelname for record in found] == ["WARNING", "DEBUG", "DEBUG"]
    assert f"with the URL https://a.test/1 gets the text of {site.url('/article')}" in found[0].getMessage()
    assert "WEB2TEXT_URL_FIELD = None" in found[0].getMessage()


@pytest.mark.parametrize(
    "settings", [{"WEB2TEXT_URL_FIELD": None}, {"WEB2TEXT_URL_FIELD": "link"}], ids=["unset", "another"]
)
def test_items_whose_url_is_not_known_are_not_compared(site: MockSite, settings):
    assert "foreign_urls" not in crawl_list(site, "https://a.test/1", **settings).web2text_stats


def test_an_item_with_html_of_its_own_may_be_of_any_host(site: MockSite):
    item = {"url": "https://a.test/1", "body": article()}
    spider = spider_of(site.url("/article"), item, settings={"WEB2TEXT_HTML_FIELD": "body"})
    result = crawl(spider, {"ADDONS": {"scrapy_web2text.Addon": 300}})
    assert result.web2text_stats == {"pages": 1, "method/rules": 1}


def test_a_broad_crawl_warns_of_a_bounded_number_of_hosts(site: MockSite, monkeypatch, caplog):
    monkeypatch.setattr(pipelines, "_MOST_WARNED_HOSTS", 0)
    assert crawl_list(site, "https://a.test/1").web2text_stats["foreign_urls"] == 1
    assert messages(caplog) == []


def test_an_item_without_url_field_in_a_crawl_without_url_field_has_no_response(site: MockSite):
    result = crawl(spider_of(site.url("/article"), settings={"WEB2TEXT_URL_FIELD": "none"}))
    assert result.web2text_stats == {"skipped/no_response": 1}


@pytest.mark.parametrize("html", [article(), article().encode()], ids=["str", "bytes"])
def test_the_html_can_be_in_the_item(site: MockSite, html):
    item = {"url": "http://example.com/", "html": html}
    (item,) = crawl(spider_of(site.url("/article"), item, settings={"WEB2TEXT_HTML_FIELD": "html"})).items
    assert SENTENCE in item["main_content"]
    assert item["html"] == html


QUESTIONS = "<h2>How do I return an item?</h2><p>Send it back within 30 days.</p><h2>Who pays?</h2><p>We do.</p>"
ANSWERS = "How do I return an item?\nSend it back within 30 days.\nWho pays?\nWe do."
PARTS = {
    "str": QUESTIONS,
    "bytes": QUESTIONS.encode(),
    "selector": Selector(text=f"<main>{QUESTIONS}</main>").css("main")[0],
    "selectors": Selector(text=QUESTIONS).css("h2, p"),
    "element": Selector(text=f"<main>{QUESTIONS}</main>").css("main")[0].root,
}


@pytest.mark.parametrize("html", PARTS.values(), ids=PARTS)
def test_the_html_in_the_item_can_be_a_part_of_a_page_in_any_form(site: MockSite, html):
    settings = {"WEB2TEXT_HTML_FIELD": "html"}
    result = crawl(spider_of(site.url("/article"), {"html": html}, settings=settings))
    (item,) = result.items
    assert item["main_content"] == ANSWERS
    assert (item["web2text"]["method"], item["web2text"]["confidence"]) == ("fragment", None)
    assert result.web2text_stats["method/fragment"] == 1


def test_an_element_in_the_item_is_a_fragment_whatever_it_looks_like(site: MockSite):
    frame = Selector(text=f"<div><header>Top</header><nav>Menu</nav>{QUESTIONS}</div>").css("div")
    settings = {"WEB2TEXT_HTML_FIELD": "html", "WEB2TEXT_MODEL": "shallow"}
    url = site.url("/article")
    items = [{"url": url, "html": frame}, {"url": url, "html": frame.get()}]
    result = crawl(spider_of(url, *items, settings=settings))
    methods = {type(item["html"]): item["web2text"]["method"] for item in result.items}  # in any order
    assert methods == {type(frame): "fragment", str: "rules"}
    asked = {"web2text": {"fragment": False}}
    result = crawl(spider_of(url, items[0], meta=asked, settings=settings))
    assert [item["web2text"]["method"] for item in result.items] == ["rules"]


def test_a_whole_page_in_the_item_is_a_page(site: MockSite):
    settings = {"WEB2TEXT_HTML_FIELD": "html", "WEB2TEXT_MODEL": "shallow"}
    items = [{"html": article()}, {"html": Selector(text=article())}]
    for item in crawl(spider_of(site.url("/article"), *items, settings=settings)).items:
        assert SENTENCE in item["main_content"]
        assert item["web2text"]["method"] == "rules"


@pytest.mark.parametrize("html", [7, {"a": 1}, ["<p>a"], Selector(text='{"a": 1}', type="json")], ids=type)
def test_an_html_field_of_another_type_is_an_error_and_not_the_response(site: MockSite, caplog, html):
    items = [{"html": html}, {"html": html}]
    result = crawl(spider_of(site.url("/article"), *items, settings={"WEB2TEXT_HTML_FIELD": "html"}))
    for item in result.items:
        assert item["main_content"] == ""
        assert (item["web2text"]["method"], item["web2text"]["fallback_reason"]) == ("none", "error")
    assert result.web2text_stats == {"errors/TypeError": 2}
    (message,) = messages(caplog, logging.ERROR)
    assert "expected str, bytes, a Selector or an lxml element in its field 'html' (WEB2TEXT_HTML_FIELD)" in message


def test_selectors_that_found_nothing_are_an_empty_field(site: MockSite):
    item = {"url": site.url("/article"), "html": Selector(text="a").css("article")}
    (item,) = crawl(spider_of(site.url("/article"), item, settings={"WEB2TEXT_HTML_FIELD": "html"})).items
    assert SENTENCE in item["main_content"]


def test_html_in_the_item_takes_precedence_over_the_response(site: MockSite):
    other = article("Quite another text is in the item than the one that is on the page of the response.")
    item = {"url": site.url("/article"), "html": other}
    spider = spider_of(
        site.url("/article"), item, meta={"web2text": {"blocks": "none"}}, settings={"WEB2TEXT_HTML_FIELD": "html"}
    )
    (item,) = crawl(spider).items
    assert "Quite another text" in item["main_content"]
    assert item["blocks"] == []


@pytest.mark.parametrize("html", [None, "", b"", " \n"])
def test_an_item_whose_html_field_is_empty_takes_the_response(site: MockSite, caplog, html):
    caplog.set_level(logging.INFO)
    items = [{"url": site.url("/article"), "html": html}] * 2
    result = crawl(spider_of(site.url("/article"), *items, settings={"WEB2TEXT_HTML_FIELD": "html"}))
    for item in result.items:
        assert SENTENCE in item["main_content"]
    assert result.web2text_stats["empty_html_fields"] == 2
    assert messages(caplog) == []
    (message,) = [text for text in messages(caplog, logging.INFO) if "empty_html_fields" in text]
    assert message.startswith(f"An item of {site.url('/article')} has an empty field 'html' (WEB2TEXT_HTML_FIELD)")


def test_items_without_the_html_field_are_warned_of_once(site: MockSite, caplog):
    items = [{"url": site.url("/article"), "html": article()}] * 2
    result = crawl(spider_of(site.url("/article"), *items, settings={"WEB2TEXT_HTML_FIELD": "htm"}))
    assert result.web2text_stats["empty_html_fields"] == 2
    (message,) = messages(caplog)
    assert message.startswith(f"An item of {site.url('/article')} lacks the field 'htm' (WEB2TEXT_HTML_FIELD)")


def test_html_in_the_item_is_skipped_if_it_is_too_long(site: MockSite):
    settings = {"WEB2TEXT_HTML_FIELD": "html", "WEB2TEXT_MAX_BYTES": 100}
    result = crawl(spider_of(site.url("/article"), {"html": article()}, settings=settings))
    assert result.items[0]["main_content"] == ""
    assert result.web2text_stats == {"skipped/max_bytes": 1}


def test_html_in_the_item_is_skipped_if_it_is_not_html(site: MockSite):
    settings = {"WEB2TEXT_HTML_FIELD": "html"}
    result = crawl(spider_of(site.url("/article"), {"html": b"%PDF-1.7"}, settings=settings))
    assert result.items[0]["main_content"] == ""
    assert result.web2text_stats == {"skipped/not_html": 1}


def test_fields_can_be_chosen(site: MockSite):
    fields = {"title": "title", "body": "text", "how": "method"}
    (item,) = crawl(spider_of(site.url("/article"), settings={"WEB2TEXT_FIELDS": fields})).items
    assert (item["title"], item["how"]) == ("The bridge", "rules")
    assert SENTENCE in item["body"]
    assert "main_content" not in item


@pytest.mark.parametrize("executor", ["process", "inline"])
@pytest.mark.parametrize(
    ("settings", "blocks", "has_paths"),
    [
        ({}, "all", False),
        ({"WEB2TEXT_BLOCK_FIELDS": "text,path"}, "all", True),
        ({"WEB2TEXT_FIELDS": {"body": "text"}, "WEB2TEXT_BLOCK_FIELDS": "text,path"}, "none", True),
        ({"WEB2TEXT_FIELDS": {"body": "text"}, "WEB2TEXT_HTML_FIELD": "html"}, "none", False),
    ],
    ids=["default", "paths", "text", "html-field"],
)
def test_blocks_and_paths_that_no_item_gets_are_not_exported(
    site: MockSite, monkeypatch, executor, settings, blocks, has_paths
):
    asked = []
    extract = Pool.extract

    def extract_asked(self, extractor, *args, paths):
        asked.append((extractor.options.blocks, paths))
        return extract(self, extractor, *args, paths=paths)

    monkeypatch.setattr(Pool, "extract", extract_asked)
    item = {"url": site.url("/article"), "html": article()}
    settings = {**settings, "WEB2TEXT_EXECUTOR": executor}
    (item,) = crawl(spider_of(site.url("/article"), item, settings=settings)).items
    assert asked == [(blocks, has_paths)]
    assert SENTENCE in item.get("main_content", item.get("body"))
    assert all("path" not in block or block["path"].startswith("/html/") for block in item.get("blocks", ()))


@pytest.mark.parametrize("executor", ["process", "inline"])
def test_a_callback_gets_blocks_and_paths_that_items_do_not(site: MockSite, executor):
    class Pages(Spider):
        name = "pages"
        custom_settings: ClassVar = {
            "ADDONS": {"scrapy_web2text.Addon": 300},
            "WEB2TEXT_EXECUTOR": executor,
            "WEB2TEXT_FIELDS": {"body": "text"},
        }

        async def start(self):
            yield Request(site.url("/article"), meta={"web2text": True})

        def parse(self, response):
            yield {"url": response.url, "path": response.meta["web2text_result"].blocks[0].path}

    result = crawl(Pages)
    assert result.items[0]["path"].startswith("/html/")
    assert SENTENCE in result.items[0]["body"]
    assert result.web2text_stats["pages"] == 1


class Declared(scrapy.Item):
    url = scrapy.Field()
    main_content = scrapy.Field()


@dataclass
class Bare:
    url: str


@dataclass(frozen=True)
class Frozen:
    url: str
    main_content: str = ""


@pytest.mark.parametrize(
    ("item_class", "missing"),
    [
        (Declared, {"blocks", "web2text"}),
        (Bare, {"main_content", "blocks", "web2text"}),
        (Frozen, {"main_content", "blocks", "web2text"}),
    ],
)
def test_fields_that_an_item_class_lacks_are_skipped_with_one_warning(site: MockSite, caplog, item_class, missing):
    url = site.url("/article")
    result = crawl(spider_of(url, item_class(url=url), item_class(url=url)))
    assert [type(item) for item in result.items] == [item_class, item_class]
    counted = {name for name in result.web2text_stats if name.startswith("missing_fields/")}
    assert counted == {f"missing_fields/{name}" for name in missing}
    (message,) = messages(caplog)
    assert item_class.__name__ in message
    assert "WEB2TEXT_ON_MISSING_FIELD" in message


def test_fields_that_an_item_class_has_are_filled_in(site: MockSite):
    url = site.url("/article")
    (item,) = crawl(spider_of(url, Declared(url=url))).items
    assert SENTENCE in item["main_content"]


def test_a_missing_field_can_be_an_error(site: MockSite):
    url = site.url("/article")
    result = crawl(spider_of(url, Bare(url=url), settings={"WEB2TEXT_ON_MISSING_FIELD": "error"}))
    assert result.items == []
    (error,) = result.errors
    assert isinstance(error, KeyError)
    assert "Bare does not take fields of WEB2TEXT_FIELDS" in str(error)


def test_other_objects_pass_unchanged(site: MockSite, caplog):
    result = crawl(spider_of(site.url("/article"), "a text", "another"))
    assert sorted(result.items) == ["a text", "another"]
    assert result.web2text_stats == {"skipped/not_item": 2}
    assert len(messages(caplog)) == 1


def test_false_in_request_meta_skips_the_item(site: MockSite):
    result = crawl(spider_of(site.url("/article"), meta={"web2text": False}))
    assert result.items == [{"url": site.url("/article")}]
    assert result.web2text_stats == {"skipped/disabled": 1}


def test_request_meta_overrides_options(site: MockSite):
    (item,) = crawl(spider_of(site.url("/article"), meta={"web2text": {"blocks": "none"}})).items
    assert item["blocks"] == []
    assert SENTENCE in item["main_content"]


def test_the_spider_attribute_overrides_options(site: MockSite):
    spider = spider_of(site.url("/article"))
    spider.web2text = {"blocks": "content"}
    (item,) = crawl(spider).items
    assert {block["label"] for block in item["blocks"]} == {"content"}


@pytest.mark.parametrize(
    ("asked", "key", "problem"),
    [
        ({"treshold": 0.3}, "['treshold']", "unknown option (did you mean threshold?); expected one of model, "),
        ({"WEB2TEXT_Treshold": 0.3}, "['WEB2TEXT_Treshold']", "unknown option (did you mean threshold?)"),
        ("yes", "", "expected True, False or a dict of options, got 'yes'"),
        ({"timeout": -1}, "['timeout']", "expected a number above 0 or None, got -1"),
        ({"in_middleware": "yes"}, "['in_middleware']", "expected True or False, got 'yes'"),
    ],
)
def test_problems_in_request_meta_are_ignored_counted_and_logged_once(site: MockSite, caplog, asked, key, problem):
    result = crawl(spider_of(site.url("/article"), meta={"web2text": asked}))
    assert SENTENCE in result.items[0]["main_content"]
    assert result.web2text_stats["ignored_options"] == 1
    (message,) = messages(caplog)
    assert message.startswith(f"Ignoring meta['web2text']{key} of <GET {site.url('/article')}>: {problem}")


def test_an_unknown_model_in_request_meta_is_ignored_counted_and_logged_once(site: MockSite, caplog):
    result = crawl(spider_of(site.url("/article"), meta={"web2text": {"model": "no-such-model", "blocks": "none"}}))
    assert SENTENCE in result.items[0]["main_content"]
    assert result.items[0]["blocks"] == []
    assert result.web2text_stats["ignored_options"] == 1
    assert "no-such-model" in messages(caplog)[0]


@pytest.fixture
def no_extra(monkeypatch):
    """The extra ``metadata`` is not installed."""
    monkeypatch.setattr(extractor_module, "find_spec", lambda name: None)


@pytest.mark.usefixtures("no_extra")
def test_metadata_in_request_meta_without_the_extra_is_ignored_and_logged_once(site: MockSite, caplog):
    meta = {"web2text": {"metadata": True, "blocks": "none"}}
    url = site.url("/article")
    result = crawl(spider_of(url, {"url": url}, {"url": url}, meta=meta))
    assert [SENTENCE in item["main_content"] for item in result.items] == [True, True]
    assert [item["blocks"] for item in result.items] == [[], []]
    assert "errors/OptionError" not in result.web2text_stats
    (message,) = messages(caplog)
    problem = "needs pip install 'scrapy-web2text[metadata]'"
    assert message == f"Ignoring meta['web2text']['metadata'] of <GET {url}>: {problem}"


@pytest.mark.usefixtures("no_extra")
@pytest.mark.parametrize(
    ("settings", "attribute", "named"),
    [
        ({"WEB2TEXT_METADATA": "1"}, None, "WEB2TEXT_METADATA"),
        ({"WEB2TEXT_FIELDS": {"by": "author"}}, None, "WEB2TEXT_FIELDS"),
        ({"WEB2TEXT_FIELDS": {"by": "author"}}, {"metadata": False}, "WEB2TEXT_FIELDS"),
        ({}, {"metadata": True}, "spider attribute web2text, key 'metadata'"),
    ],
)
def test_metadata_without_the_extra_ends_the_crawl_and_names_its_source(site: MockSite, settings, attribute, named):
    spider = spider_of(site.url("/article"), settings={**settings, "DOWNLOAD_HANDLERS": {"http": None, "https": None}})
    spider.web2text = attribute
    with pytest.raises(ValueError, match=f"^{named}: needs pip install"):
        crawl(spider)


@pytest.mark.parametrize(
    ("meta", "settings", "ignored", "model"),
    [
        ({"model": "no-such-model", "fallback": "no-such-rules"}, {}, ["fallback", "model"], "shallow:numwords"),
        (
            {"fallback": None},
            {"WEB2TEXT_MODEL": "no/folder/for/a/crawl", "WEB2TEXT_ON_MISSING_MODEL": "fallback"},
            ["fallback"],
            "shallow:numwords",
        ),
        (
            {"on_missing_model": "error"},
            {"WEB2TEXT_MODEL": "no/folder/for/a/crawl", "WEB2TEXT_ON_MISSING_MODEL": "fallback"},
            ["on_missing_model"],
            "shallow:numwords",
        ),
        ({"model": "no/folder/for/a/request"}, {}, ["model"], "shallow:numwords"),
        (
            {"model": "web2text-2018"},
            {"WEB2TEXT_MODEL": "web2text-2026", "WEB2TEXT_PRESET": "recall"},
            ["model"],
            "web2text-2026",
        ),
        ({"preset": "recall"}, {"WEB2TEXT_MODEL": "web2text-2018"}, ["preset"], "web2text-2018"),
        ({"model": "no/folder/for/a/request", "fallback": None}, {}, ["model"], "shallow:numwords"),
    ],
)
def test_options_of_request_meta_that_do_not_go_together_are_ignored(
    site: MockSite, caplog, meta, settings, ignored, model
):
    result = crawl(spider_of(site.url("/article"), meta={"web2text": meta}, settings=settings))
    assert result.items[0]["web2text"]["model"] == model
    logged = [message.partition(" of <")[0] for message in messages(caplog) if message.startswith("Ignoring")]
    assert logged == [f"Ignoring meta['web2text'][{name!r}]" for name in ignored]


def test_options_are_tried_only_once_if_the_settings_broke_meanwhile(site: MockSite, monkeypatch):
    made = []

    def make(options):
        made.append(options)
        if len(made) > 1:
            raise OSError("no more files")
        return Extractor(options)

    monkeypatch.setattr(crawl_module, "_make_extractor", make)
    meta = {"web2text": {"threshold": 0.6}}
    (item,) = crawl(spider_of(site.url("/article"), meta=meta)).items
    assert SENTENCE in item["main_content"]
    assert len(made) == 2


@pytest.mark.usefixtures("low_confidence")
@pytest.mark.parametrize(("settings", "n_items"), [({"WEB2TEXT_ON_LOW_CONFIDENCE": "drop"}, 0), ({}, 1)])
def test_items_of_low_confidence_are_dropped_if_the_settings_say_so(site: MockSite, settings, n_items):
    result = crawl(spider_of(site.url("/article"), settings=settings))
    assert len(result.items) == n_items
    assert result.stats.get("item_dropped_reasons_count/LowConfidence", 0) == 1 - n_items


@pytest.mark.usefixtures("low_confidence")
def test_items_of_low_confidence_are_dropped_if_request_meta_says_so(site: MockSite):
    meta = {"web2text": {"min_confidence": 0.5, "on_low_confidence": "drop"}}
    result = crawl(spider_of(site.url("/article"), meta=meta))
    ((item, error),) = result.dropped
    assert item == {"url": site.url("/article")}
    assert str(error) == f"confidence 0.2 is below min_confidence 0.5: {site.url('/article')}"


@pytest.mark.usefixtures("low_confidence")
def test_items_with_html_of_low_confidence_are_dropped_too(site: MockSite):
    settings = {"WEB2TEXT_ON_LOW_CONFIDENCE": "drop", "WEB2TEXT_HTML_FIELD": "html"}
    assert len(crawl(spider_of(site.url("/article"), {"html": article()}, settings=settings)).dropped) == 1


def test_low_confidence_is_a_web2text_error_and_a_drop_item():
    assert issubclass(LowConfidence, Web2TextError)
    assert issubclass(LowConfidence, DropItem)


@pytest.mark.usefixtures("broken")
@pytest.mark.parametrize("executor", ["thread", "inline"])
def test_a_bug_is_counted_and_logged_once_and_costs_no_item(site: MockSite, caplog, executor):
    caplog.set_level(logging.DEBUG)
    settings = {"WEB2TEXT_EXECUTOR": executor, "WEB2TEXT_HTML_FIELD": "html"}
    url = site.url("/article")
    result = crawl(spider_of(url, {"url": url}, {"html": article()}, settings=settings))
    assert [item["web2text"] for item in result.items] == [{**EMPTY, "fallback_reason": "error"}] * 2
    assert result.web2text_stats == {"errors/ZeroDivisionError": 2, "empty_html_fields": 1}
    records = [record for record in caplog.records if "on purpose" in record.getMessage()]
    assert [(record.levelname, bool(record.exc_info)) for record in records] == [("ERROR", True), ("DEBUG", False)]


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"WEB2TEXT_MODEL": "no-such-model"}, ValueError, "^WEB2TEXT_MODEL: unknown model 'no-such-model'"),
        ({"WEB2TEXT_FALLBACK": "no-such-rules"}, ValueError, "^WEB2TEXT_FALLBACK: unknown rules 'no-such-rules'"),
        (
            {"WEB2TEXT_MODEL": "web2text-2018", "WEB2TEXT_PRESET": "recall"},
            ValueError,
            "^WEB2TEXT_PRESET: web2text-2018 has no preset 'recall'",
        ),
        ({"WEB2TEXT_MODEL": "no/such/folder"}, ModelError, r"^WEB2TEXT_MODEL: /.*no/such/folder: this folder does not"),
        ({"WEB2TEXT_MODEL": "no/such/folder", "WEB2TEXT_FALLBACK": None}, ModelError, "no/such/folder"),
        (
            {"WEB2TEXT_MODEL": "web2text-2062"},
            ValueError,
            r"^WEB2TEXT_MODEL: unknown model .* \(did you mean web2text-2026",
        ),
        (
            {"WEB2TEXT_BLOCK_FIELDS": "text,xpath"},
            ValueError,
            "^WEB2TEXT_BLOCK_FIELDS: expected one or more of index, ",
        ),
        ({"WEB2TEXT_THRESHOLD": 2}, ValueError, "^WEB2TEXT_THRESHOLD: expected a number between 0 and 1"),
    ],
)
def test_an_impossible_setting_ends_the_crawl_at_its_start(site: MockSite, settings, error, message):
    # A crawl that ends at its start does not close its download handlers.
    settings = {**settings, "DOWNLOAD_HANDLERS": {"http": None, "https": None}}
    with pytest.raises(error, match=message):
        crawl(spider_of(site.url("/article"), settings=settings))


def test_rules_in_place_of_a_missing_model_are_one_warning(site: MockSite, caplog):
    url = site.url("/article")
    settings = {"WEB2TEXT_MODEL": "no/such/folder", "WEB2TEXT_ON_MISSING_MODEL": "fallback"}
    result = crawl(spider_of(url, {"url": url}, {"url": url}, settings=settings))
    assert SENTENCE in result.items[0]["main_content"]
    assert result.items[0]["web2text"]["fallback_reason"] == "no_model"
    assert result.web2text_stats == {"pages": 1, "method/rules": 1, "fallback/no_model": 1}
    (message,) = messages(caplog)
    assert "no/such/folder" in message


def test_the_off_switch_disables_the_pipeline(site: MockSite, caplog):
    result = crawl(spider_of(site.url("/article"), settings={"WEB2TEXT_ENABLED": False}))
    assert result.items == [{"url": site.url("/article")}]
    assert "WEB2TEXT_ENABLED is False" in caplog.text


@pytest.mark.parametrize("executor", ["thread", "inline"])
def test_a_callback_that_edits_the_tree_does_not_change_the_answer(site: MockSite, executor):
    def parse(response):
        response.css("p").drop()
        return {"url": response.url}

    (item,) = crawl(spider_of(site.url("/article"), parse, settings={"WEB2TEXT_EXECUTOR": executor})).items
    assert SENTENCE in item["main_content"]


@pytest.mark.parametrize("executor", ["thread", "inline"])
def test_the_executors_give_the_same_answer(site: MockSite, executor):
    url = site.add("/umlauts", article("Über den Fluß führt seit jener Zeit eine schöne Brücke aus Stein und Holz."))
    (item,) = crawl(spider_of(url, settings={"WEB2TEXT_EXECUTOR": executor})).items
    assert "Über den Fluß führt seit jener Zeit eine schöne Brücke" in item["main_content"]


def test_a_finished_crawl_keeps_no_response(site: MockSite):
    left = []

    class Probe:
        @classmethod
        def from_crawler(cls, crawler):
            probe = cls()
            probe.extractor = CrawlExtractor.of(crawler)
            return probe

        def close_spider(self):
            gc.collect()
            left.extend([len(self.extractor.responses._by_url), len(self.extractor._answers)])

    url = site.url("/article")
    spider = spider_of(
        url, {"url": url}, {"url": url}, settings={"ITEM_PIPELINES": {Web2TextPipeline: 300, Probe: 900}}
    )
    assert len(crawl(spider).items) == 2
    assert left == [0, 0]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"WEB2TEXT_WORKERS": 2}, "WEB2TEXT_WORKERS has no effect: WEB2TEXT_EXECUTOR is 'inline'"),
        (
            {"WEB2TEXT_WORKER_MEMORY": 600_000_000},
            "WEB2TEXT_WORKER_MEMORY has no effect: WEB2TEXT_EXECUTOR is 'inline'",
        ),
        (
            {"WEB2TEXT_HTML": True},
            "WEB2TEXT_HTML has no effect: WEB2TEXT_FIELDS has no 'html', and the callback did not ask for the answer",
        ),
    ],
    ids=["workers", "memory", "html"],
)
def test_a_setting_without_effect_is_one_warning(site: MockSite, caplog, settings, message):
    url = site.url("/article")
    crawl(spider_of(url, {"url": url}, {"url": url}, settings={"WEB2TEXT_EXECUTOR": "inline", **settings}))
    assert messages(caplog) == [message]


@pytest.mark.parametrize(
    ("settings", "meta"),
    [
        ({"WEB2TEXT_WORKERS": 1}, {}),
        ({"WEB2TEXT_HTML": True, "WEB2TEXT_FIELDS": {"content": "html"}}, {}),
        ({"WEB2TEXT_METADATA": True, "WEB2TEXT_FIELDS": {"by": "author"}}, {}),
        ({"WEB2TEXT_HTML": True, "WEB2TEXT_IN_MIDDLEWARE": True}, {}),
        ({"WEB2TEXT_HTML": True}, {"web2text": True}),
        ({"WEB2TEXT_HTML": True, "DOWNLOADER_MIDDLEWARES": {"scrapy_poet.InjectionMiddleware": 543}}, {}),
    ],
    ids=["workers", "field", "metadata", "middleware", "meta", "poet"],
)
def test_a_setting_with_an_effect_is_not_warned_about(site: MockSite, caplog, settings, meta):
    crawl(spider_of(site.url("/article"), meta=meta, settings=settings))
    assert messages(caplog) == []


@pytest.mark.parametrize("charset", ["idna", "rot13", "undefined", "unicode_escape"])
def test_a_codec_of_python_that_is_not_an_encoding_of_pages_is_ignored(site: MockSite, charset):
    """Scrapy's middleware for meta refreshes decodes the page, and fails."""
    url = site.add("/page", article().encode(), content_type=f"text/html; charset={charset}")
    (item,) = crawl(spider_of(url, settings={"METAREFRESH_ENABLED": False})).items
    assert SENTENCE in item["main_content"]
    assert item["web2text"]["encoding_source"] == "utf-8"
