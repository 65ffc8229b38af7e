from __future__ import annotations

import gc
import logging
import re
from dataclasses import replace
from typing import Any

import pytest
from mockserver import SENTENCE, CrawlResult, MockSite, article, crawl, spider_of
from parsel import Selector
from scrapy import Request
from scrapy.exceptions import DropItem

from scrapy_web2text import Extraction, Extractor, LowConfidence, ModelError, Web2TextError, pipelines
from scrapy_web2text import extractor as extractor_module
from scrapy_web2text.crawl import extractor as crawl_module
from scrapy_web2text.crawl.extractor import CrawlExtractor
from scrapy_web2text.crawl.pool import Pool
from scrapy_web2text.pipelines import Web2TextPipeline

PIPELINE = {"ITEM_PIPELINES": {"scrapy_web2text.Web2TextPipeline": 300}}
ADDON = {"ADDONS": {"scrapy_web2text.Addon": 300}, "ITEM_PIPELINES": {}}
NOTHING = ("model", "confidence", "page", "page_type", "page_type_probability", "encoding", "encoding_source")
EMPTY = {"method": "none", "n_blocks": 0, "n_content": 0, "title": "", **dict.fromkeys(NOTHING)}


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


def crawl_page(
    site: MockSite, *items: Any, meta: Any = None, path: str = "/article", attribute: Any = None, **settings: Any
) -> CrawlResult:
    """Crawl one page with the pipeline alone, for *items*; a function makes its item from the response.

    :param items: In place of one with the page's URL.
    :param attribute: The spider's ``web2text``.
    """

    async def start(self):
        yield Request(site.url(path), meta=meta)

    def parse(self, response):
        for item in items or ({"url": response.url},):
            yield item(response) if callable(item) else item

    return crawl(spider_of(start=start, parse=parse, web2text=attribute), {**PIPELINE, **settings})


def test_the_pipeline_alone_fills_in_an_item_that_names_its_page(site: MockSite, caplog):
    caplog.set_level(logging.DEBUG)
    result = crawl_page(site)
    (item,) = result.items
    assert SENTENCE in item["main_content"]
    assert "contact" not in item["main_content"]
    assert (item["web2text"]["method"], item["web2text"]["title"]) == ("rules", "The bridge")
    assert item["web2text"]["n_content"] >= 3
    block = next(block for block in item["blocks"] if SENTENCE in block["text"])
    assert list(block) == ["index", "text", "label", "probability", "tag"]
    assert (block["label"], block["tag"]) == ("content", "p")
    assert result.web2text_stats == {"pages": 1, "method/rules": 1}
    assert 0 < result.stats["web2text/extraction_seconds"] < 10
    (logged,) = [record.getMessage() for record in caplog.records if "Scraped from" in record.getMessage()]
    assert re.search(r"<list of \d+: \{'index': 0, 'text': .{40,60}…>", logged)  # in one line
    assert logged.count("'probability'") <= 1
    assert len(item["blocks"]) > 3


@pytest.mark.parametrize("value", [["path", "text"], "path, text", '["path", "text"]'], ids=["list", "text", "json"])
def test_block_fields_are_those_of_the_setting(site: MockSite, value):
    (item,) = crawl_page(site, WEB2TEXT_BLOCK_FIELDS=value).items
    assert list(item["blocks"][0]) == ["path", "text"]
    assert item["blocks"][0]["path"].startswith("/html/body")


def test_several_items_of_one_page_share_one_extraction_but_not_their_blocks(site: MockSite):
    url = site.url("/article")
    result = crawl_page(site, {"url": url, "n": 1}, {"url": url, "n": 2}, {"url": url + "#part", "n": 3})
    first, second, _ = result.items
    assert len({item["main_content"] for item in result.items}) == 1
    assert result.web2text_stats["pages"] == 1
    first["blocks"][0]["text"] = first["web2text"]["title"] = "changed"
    assert "changed" not in (second["blocks"][0]["text"], second["web2text"]["title"])


def test_an_item_object_that_is_yielded_again_has_the_text_of_its_page(site: MockSite):
    item = {"n": 1}
    result = crawl_page(site, item, item, item, **ADDON)
    assert [SENTENCE in found["main_content"] for found in result.items] == [True, True, True]
    assert result.web2text_stats == {"pages": 1, "method/rules": 1}


@pytest.mark.parametrize("filled", [{"main_content": "mine"}, {"main_content": "mine", "web2text": {"by": "me"}}])
def test_filled_fields_are_kept_if_no_response_is_known(site: MockSite, filled):
    (item,) = crawl_page(site, {"blocks": None, **filled}).items
    assert item == {"blocks": [], "web2text": {**EMPTY, "fallback_reason": "no_response"}, **filled}


def test_an_item_from_start_is_reported_as_such(caplog):
    async def start(self):
        yield {"name": "x"}

    (item,) = crawl(spider_of(start=start), ADDON).items
    assert item["web2text"]["fallback_reason"] == "no_response"
    (message,) = messages(caplog)
    assert "The item comes from start(), or an earlier pipeline has replaced the original item" in message
    assert "SPIDER_MIDDLEWARES" not in message


@pytest.mark.parametrize(
    ("item", "settings"),
    [
        ({"url": "http://example.com/"}, {}),
        ({"name": "x"}, {}),
        ({"url": None}, {}),
        ({}, {"WEB2TEXT_URL_FIELD": "none"}),
    ],
)
def test_an_item_without_a_response_is_counted_and_the_missing_setting_is_logged_once(
    site: MockSite, caplog, item, settings
):
    result = crawl_page(site, dict(item), dict(item), **settings)
    assert [item["main_content"] for item in result.items] == ["", ""]
    assert result.items[0]["web2text"] == {**EMPTY, "fallback_reason": "no_response"}
    assert result.web2text_stats == {"skipped/no_response": 2}
    (message,) = messages(caplog)
    assert 'SPIDER_MIDDLEWARES = {"scrapy_web2text.Web2TextSpiderMiddleware": 100}' in message


def test_an_item_of_another_host_than_its_response_is_warned_of_once(site: MockSite, monkeypatch, caplog):
    caplog.set_level(logging.DEBUG, "scrapy_web2text")
    urls = ("https://a.test/1", "https://b.test/2", "https://a.test/3", site.url("/article"))
    result = crawl_page(site, *({"url": url} for url in urls), **ADDON)
    assert all(SENTENCE in item["main_content"] for item in result.items)
    assert result.web2text_stats["foreign_urls"] == 3
    found = [record for record in caplog.records if "from another host" in record.getMessage()]
    assert [record.levelname for record in found] == ["WARNING", "DEBUG", "DEBUG"]
    assert f"with the URL https://a.test/1 gets the text of {site.url('/article')}" in found[0].getMessage()
    assert "WEB2TEXT_URL_FIELD = None" in found[0].getMessage()

    monkeypatch.setattr(pipelines, "_MOST_WARNED_HOSTS", 0)  # a broad crawl warns of a bounded number
    caplog.clear()
    assert crawl_page(site, {"url": urls[0]}, **ADDON).web2text_stats["foreign_urls"] == 1
    assert messages(caplog) == []


@pytest.mark.parametrize(
    ("settings", "item"),
    [
        ({"WEB2TEXT_URL_FIELD": None}, {"url": "https://a.test/1"}),
        ({"WEB2TEXT_URL_FIELD": "link"}, {"url": "https://a.test/1"}),
        ({"WEB2TEXT_HTML_FIELD": "body"}, {"url": "https://a.test/1", "body": article()}),
    ],
    ids=["unset", "another", "html"],
)
def test_items_with_html_of_their_own_or_without_a_known_url_may_be_of_any_host(site: MockSite, settings, item):
    result = crawl_page(site, item, **ADDON, **settings)
    assert result.web2text_stats == {"pages": 1, "method/rules": 1}


QUESTIONS = "<h2>How do I return an item?</h2><p>Send it back within 30 days.</p><h2>Who pays?</h2><p>We do.</p>"
ANSWERS = "How do I return an item?\nSend it back within 30 days.\nWho pays?\nWe do."
MAIN = Selector(text=f"<main>{QUESTIONS}</main>").css("main")[0]
PARTS = [QUESTIONS, QUESTIONS.encode(), MAIN, Selector(text=QUESTIONS).css("h2, p"), MAIN.root]


def test_the_html_in_the_item_can_be_a_part_of_a_page_in_any_form(site: MockSite):
    result = crawl_page(site, *({"html": html} for html in PARTS), WEB2TEXT_HTML_FIELD="html")
    for item in result.items:
        assert item["main_content"] == ANSWERS
        assert (item["web2text"]["method"], item["web2text"]["confidence"]) == ("fragment", None)
    assert result.web2text_stats["method/fragment"] == len(PARTS)


def test_an_element_in_the_item_is_a_fragment_and_a_whole_page_is_a_page(site: MockSite):
    frame = Selector(text=f"<div><header>Top</header><nav>Menu</nav>{QUESTIONS}</div>").css("div")
    settings = {"WEB2TEXT_HTML_FIELD": "html", "WEB2TEXT_MODEL": "shallow"}
    forms = [frame, frame.get(), article(), Selector(text=article())]
    url = site.url("/article")
    result = crawl_page(site, *({"url": url, "n": n, "html": html} for n, html in enumerate(forms)), **settings)
    items = {item["n"]: item for item in result.items}  # in any order
    assert [items[n]["web2text"]["method"] for n in range(4)] == ["fragment", "rules", "rules", "rules"]
    assert all(SENTENCE in items[n]["main_content"] for n in (2, 3))
    (item,) = crawl_page(site, {"url": url, "html": frame}, meta={"web2text": {"fragment": False}}, **settings).items
    assert item["web2text"]["method"] == "rules"


def test_an_html_field_of_another_type_is_an_error_and_not_the_response(site: MockSite, caplog):
    values = [7, {"a": 1}, ["<p>a"], Selector(text='{"a": 1}', type="json")]
    result = crawl_page(site, *({"html": html} for html in values * 2), WEB2TEXT_HTML_FIELD="html")
    for item in result.items:
        assert item["main_content"] == ""
        assert (item["web2text"]["method"], item["web2text"]["fallback_reason"]) == ("none", "error")
    assert result.web2text_stats == {"errors/TypeError": 8}
    found = messages(caplog, logging.ERROR)
    assert len(found) == len(values)
    problem = "expected str, bytes, a Selector or an lxml element in its field 'html' (WEB2TEXT_HTML_FIELD)"
    assert all(problem in message for message in found)


@pytest.mark.parametrize("form", [str, str.encode], ids=["str", "bytes"])
def test_html_in_the_item_takes_precedence_over_the_response(site: MockSite, form):
    html = form(article("Quite another text is in the item than the one that is on the page of the response."))
    result = crawl_page(
        site,
        {"url": site.url("/article"), "html": html},
        {"url": "http://example.com/", "html": html},
        meta={"web2text": {"blocks": "none"}},
        WEB2TEXT_HTML_FIELD="html",
    )
    assert all("Quite another text" in item["main_content"] for item in result.items)
    assert result.by_url[site.url("/article")]["blocks"] == []
    assert {item["html"] for item in result.items} == {html}


@pytest.mark.parametrize("html", [None, "", b"", " \n", Selector(text="a").css("article")], ids=repr)
def test_an_item_whose_html_field_is_empty_takes_the_response(site: MockSite, caplog, html):
    caplog.set_level(logging.INFO)
    result = crawl_page(site, *[{"url": site.url("/article"), "html": html}] * 2, WEB2TEXT_HTML_FIELD="html")
    assert all(SENTENCE in item["main_content"] for item in result.items)
    assert result.web2text_stats["empty_html_fields"] == 2
    assert messages(caplog) == []
    (message,) = [text for text in messages(caplog, logging.INFO) if "empty_html_fields" in text]
    assert message.startswith(f"An item of {site.url('/article')} has an empty field 'html' (WEB2TEXT_HTML_FIELD)")


def test_items_without_the_html_field_are_warned_of_once(site: MockSite, caplog):
    result = crawl_page(site, *[{"url": site.url("/article"), "html": article()}] * 2, WEB2TEXT_HTML_FIELD="htm")
    assert result.web2text_stats["empty_html_fields"] == 2
    (message,) = messages(caplog)
    assert message.startswith(f"An item of {site.url('/article')} lacks the field 'htm' (WEB2TEXT_HTML_FIELD)")


@pytest.mark.parametrize(("html", "reason"), [(article(), "max_bytes"), (b"%PDF-1.7", "not_html")])
def test_html_in_the_item_passes_the_same_gates(site: MockSite, html, reason):
    result = crawl_page(site, {"html": html}, WEB2TEXT_HTML_FIELD="html", WEB2TEXT_MAX_BYTES=100)
    assert result.items[0]["main_content"] == ""
    assert result.web2text_stats == {f"skipped/{reason}": 1}


def test_fields_can_be_chosen(site: MockSite):
    fields = {"title": "title", "body": "text", "how": "method"}
    (item,) = crawl_page(site, {"link": site.url("/article")}, WEB2TEXT_FIELDS=fields, WEB2TEXT_URL_FIELD="link").items
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
    (item,) = crawl_page(site, item, WEB2TEXT_EXECUTOR=executor, **settings).items
    assert asked == [(blocks, has_paths)]
    assert SENTENCE in item.get("main_content", item.get("body"))
    assert all("path" not in block or block["path"].startswith("/html/") for block in item.get("blocks", ()))


@pytest.mark.parametrize("executor", ["process", "inline"])
def test_a_callback_gets_blocks_and_paths_that_items_do_not(site: MockSite, executor):
    def make(response):
        return {"url": response.url, "path": response.meta["web2text_result"].blocks[0].path}

    settings = {**ADDON, "WEB2TEXT_EXECUTOR": executor, "WEB2TEXT_FIELDS": {"body": "text"}}
    result = crawl_page(site, make, meta={"web2text": True}, **settings)
    assert result.items[0]["path"].startswith("/html/")
    assert SENTENCE in result.items[0]["body"]
    assert result.web2text_stats["pages"] == 1


def test_other_objects_pass_unchanged(site: MockSite, caplog):
    result = crawl_page(site, "a text", "another")
    assert sorted(result.items) == ["a text", "another"]
    assert result.web2text_stats == {"skipped/not_item": 2}
    assert len(messages(caplog)) == 1


def test_false_in_request_meta_skips_the_item(site: MockSite):
    result = crawl_page(site, meta={"web2text": False})
    assert result.items == [{"url": site.url("/article")}]
    assert result.web2text_stats == {"skipped/disabled": 1}


def test_request_meta_and_the_spider_attribute_override_options(site: MockSite):
    (item,) = crawl_page(site, meta={"web2text": {"blocks": "none"}}).items
    assert item["blocks"] == []
    assert SENTENCE in item["main_content"]
    (item,) = crawl_page(site, attribute={"blocks": "content"}).items
    assert {block["label"] for block in item["blocks"]} == {"content"}


@pytest.mark.parametrize(
    ("asked", "key", "problem"),
    [
        ({"treshold": 0.3}, "['treshold']", "unknown option (did you mean threshold?); expected one of model, "),
        ({"WEB2TEXT_Treshold": 0.3}, "['WEB2TEXT_Treshold']", "unknown option (did you mean threshold?)"),
        ("yes", "", "expected True, False or a dict of options, got 'yes'"),
        ({"timeout": -1}, "['timeout']", "expected a number above 0 or None, got -1"),
        ({"in_middleware": "yes"}, "['in_middleware']", "expected True or False, got 'yes'"),
        ({"model": "no-such-model"}, "['model']", "unknown model 'no-such-model'"),
    ],
)
def test_problems_in_request_meta_are_ignored_counted_and_logged_once(site: MockSite, caplog, asked, key, problem):
    asked = {**asked, "blocks": "none"} if isinstance(asked, dict) else asked
    result = crawl_page(site, meta={"web2text": asked})
    assert SENTENCE in result.items[0]["main_content"]
    assert bool(result.items[0]["blocks"]) is isinstance(asked, str)
    assert result.web2text_stats["ignored_options"] == 1
    (message,) = messages(caplog)
    assert message.startswith(f"Ignoring meta['web2text']{key} of <GET {site.url('/article')}>: {problem}")


# A crawl that ends at its start does not close its download handlers.
NO_DOWNLOADS = {"DOWNLOAD_HANDLERS": {"http": None, "https": None}}
MISSING = {"WEB2TEXT_MODEL": "no/folder/for/a/crawl", "WEB2TEXT_ON_MISSING_MODEL": "fallback"}


@pytest.fixture
def no_extra(monkeypatch):
    """The extra ``metadata`` is not installed."""
    monkeypatch.setattr(extractor_module, "find_spec", lambda name: None)


@pytest.mark.usefixtures("no_extra")
def test_metadata_in_request_meta_without_the_extra_is_ignored_and_logged_once(site: MockSite, caplog):
    meta = {"web2text": {"metadata": True, "blocks": "none"}}
    url = site.url("/article")
    result = crawl_page(site, {"url": url}, {"url": url}, meta=meta)
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
    with pytest.raises(ValueError, match=f"^{named}: needs pip install"):
        crawl_page(site, attribute=attribute, **settings, **NO_DOWNLOADS)


@pytest.mark.parametrize(
    ("meta", "settings", "ignored", "model"),
    [
        ({"model": "no-such-model", "fallback": "no-such-rules"}, {}, ["fallback", "model"], "shallow:numwords"),
        ({"fallback": None}, MISSING, ["fallback"], "shallow:numwords"),
        ({"on_missing_model": "error"}, MISSING, ["on_missing_model"], "shallow:numwords"),
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
    result = crawl_page(site, meta={"web2text": meta}, **settings)
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
    (item,) = crawl_page(site, meta={"web2text": {"threshold": 0.6}}).items
    assert SENTENCE in item["main_content"]
    assert len(made) == 2


DROP = {"WEB2TEXT_ON_LOW_CONFIDENCE": "drop", "WEB2TEXT_MIN_CONFIDENCE": 0.5}


@pytest.mark.usefixtures("low_confidence")
@pytest.mark.parametrize(
    ("settings", "meta", "item"),
    [
        (DROP, None, {}),
        ({}, {"min_confidence": 0.5, "on_low_confidence": "drop"}, {}),
        ({**DROP, "WEB2TEXT_HTML_FIELD": "html"}, None, {"html": article()}),
    ],
    ids=["settings", "meta", "html"],
)
def test_items_of_low_confidence_are_dropped_on_request(site: MockSite, settings, meta, item):
    url = site.url("/article")
    result = crawl_page(site, {"url": url, **item}, meta={"web2text": meta}, **settings)
    ((dropped, error),) = result.dropped
    assert dropped == {"url": url, **item}
    assert str(error) == f"confidence 0.2 is below min_confidence 0.5: {url}"
    assert result.items == []
    assert result.stats["item_dropped_reasons_count/LowConfidence"] == 1
    assert (type(error), isinstance(error, Web2TextError), isinstance(error, DropItem)) == (LowConfidence, True, True)


@pytest.mark.usefixtures("low_confidence")
def test_items_of_low_confidence_pass_otherwise(site: MockSite):
    assert len(crawl_page(site).items) == 1


@pytest.mark.usefixtures("broken")
@pytest.mark.parametrize("executor", ["thread", "inline"])
def test_a_bug_is_counted_and_logged_once_and_costs_no_item(site: MockSite, caplog, executor):
    caplog.set_level(logging.DEBUG)
    settings = {"WEB2TEXT_EXECUTOR": executor, "WEB2TEXT_HTML_FIELD": "html"}
    result = crawl_page(site, {"url": site.url("/article")}, {"html": article()}, **settings)
    assert [item["web2text"] for item in result.items] == [{**EMPTY, "fallback_reason": "error"}] * 2
    assert result.web2text_stats == {"errors/ZeroDivisionError": 2, "empty_html_fields": 1}
    records = [record for record in caplog.records if "on purpose" in record.getMessage()]
    assert [(record.levelname, bool(record.exc_info)) for record in records] == [("ERROR", True), ("DEBUG", False)]


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"MODEL": "no-such-model"}, ValueError, "MODEL: unknown model 'no-such-model'"),
        ({"FALLBACK": "no-such-rules"}, ValueError, "FALLBACK: unknown rules 'no-such-rules'"),
        ({"MODEL": "web2text-2018", "PRESET": "recall"}, ValueError, "PRESET: web2text-2018 has no preset 'recall'"),
        ({"MODEL": "no/such/folder"}, ModelError, "MODEL: /.*no/such/folder: this folder does not"),
        ({"MODEL": "no/such/folder", "FALLBACK": None}, ModelError, ".*no/such/folder"),
        ({"MODEL": "web2text-2062"}, ValueError, r"MODEL: unknown model .* \(did you mean web2text-2026"),
        ({"BLOCK_FIELDS": "text,xpath"}, ValueError, "BLOCK_FIELDS: expected one or more of index, "),
        ({"THRESHOLD": 2}, ValueError, "THRESHOLD: expected a number between 0 and 1"),
    ],
)
def test_an_impossible_setting_ends_the_crawl_at_its_start(site: MockSite, settings, error, message):
    with pytest.raises(error, match=f"^WEB2TEXT_{message}"):
        crawl_page(site, **{f"WEB2TEXT_{name}": value for name, value in settings.items()}, **NO_DOWNLOADS)


def test_rules_in_place_of_a_missing_model_are_one_warning(site: MockSite, caplog):
    items = [{"url": site.url("/article")}] * 2
    result = crawl_page(site, *items, WEB2TEXT_MODEL="no/such/folder", WEB2TEXT_ON_MISSING_MODEL="fallback")
    assert SENTENCE in result.items[0]["main_content"]
    assert result.items[0]["web2text"]["fallback_reason"] == "no_model"
    assert result.web2text_stats == {"pages": 1, "method/rules": 1, "fallback/no_model": 1}
    (message,) = messages(caplog)
    assert "no/such/folder" in message


def test_the_off_switch_disables_the_pipeline_and_the_middlewares(site: MockSite, caplog):
    (item,) = crawl_page(
        site,
        lambda response: {"url": response.url, "seen": response.meta.get("web2text_result")},
        meta={"web2text": True},
        WEB2TEXT_ENABLED=False,
        SPIDER_MIDDLEWARES={"scrapy_web2text.Web2TextSpiderMiddleware": 100},
        DOWNLOADER_MIDDLEWARES={"scrapy_web2text.Web2TextDownloaderMiddleware": 540},
    ).items
    assert item == {"url": site.url("/article"), "seen": None}
    assert "WEB2TEXT_ENABLED is False" in caplog.text


@pytest.mark.parametrize("executor", ["thread", "inline"])
def test_a_callback_that_edits_the_tree_does_not_change_the_answer(site: MockSite, executor):
    def parse(response):
        response.css("p").drop()
        return {"url": response.url}

    (item,) = crawl_page(site, parse, WEB2TEXT_EXECUTOR=executor).items
    assert SENTENCE in item["main_content"]


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
    settings = {"ITEM_PIPELINES": {Web2TextPipeline: 300, Probe: 900}}
    assert len(crawl_page(site, {"url": url}, {"url": url}, **settings).items) == 2
    assert left == [0, 0]


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"WEB2TEXT_WORKERS": 2}, "WEB2TEXT_EXECUTOR is 'inline'"),
        ({"WEB2TEXT_WORKER_MEMORY": 600_000_000}, "WEB2TEXT_EXECUTOR is 'inline'"),
        ({"WEB2TEXT_HTML": True}, "WEB2TEXT_FIELDS has no 'html', and the callback did not ask for the answer"),
    ],
    ids=["workers", "memory", "html"],
)
def test_a_setting_without_effect_is_one_warning(site: MockSite, caplog, settings, reason):
    items = [{"url": site.url("/article")} for _ in range(2)]
    crawl_page(site, *items, WEB2TEXT_EXECUTOR="inline", **settings)
    (name,) = settings
    assert messages(caplog) == [f"{name} has no effect: {reason}"]


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
    crawl_page(site, meta=meta, **settings)
    assert messages(caplog) == []


@pytest.mark.parametrize("charset", ["idna", "rot13", "undefined", "unicode_escape"])
def test_a_codec_of_python_that_is_not_an_encoding_of_pages_is_ignored(site: MockSite, charset):
    """Scrapy's middleware for meta refreshes decodes the page, and fails."""
    site.add("/page", article().encode(), content_type=f"text/html; charset={charset}")
    (item,) = crawl_page(site, path="/page", METAREFRESH_ENABLED=False).items
    assert SENTENCE in item["main_content"]
    assert item["web2text"]["encoding_source"] == "utf-8"
