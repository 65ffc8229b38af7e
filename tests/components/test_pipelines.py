from __future__ import annotations

import asyncio
import gc
import logging
from functools import lru_cache
from typing import Any

import pytest
from mockserver import SENTENCE, CrawlResult, MockSite, article, crawl, spider_of
from msgspec.structs import replace
from parsel import Selector
from scrapy import Request
from scrapy.exceptions import DropItem
from scrapy.http import HtmlResponse
from scrapy.utils.test import get_crawler

from scrapy_web2text import Extraction, Extractor, LowConfidence, ModelError, Web2TextError
from scrapy_web2text import extractor as extractor_module
from scrapy_web2text.crawl import pool as pool_module
from scrapy_web2text.crawl.extractor import CrawlExtractor
from scrapy_web2text.crawl.pool import Pool
from scrapy_web2text.pipelines import Web2TextPipeline
from scrapy_web2text.workers.processes import WorkerProcesses
from scrapy_web2text.workers.worker import check_options

PIPELINE = {"ITEM_PIPELINES": {"scrapy_web2text.Web2TextPipeline": 300}}
ADDON = {"ADDONS": {"scrapy_web2text.Addon": 300}, "ITEM_PIPELINES": {}}
NOTHING = ("model", "confidence", "page_kind", "page_type", "page_type_probability", "encoding", "encoding_source")
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


def test_the_pipeline_alone_fills_in_an_item_that_names_its_page(site: MockSite):
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
    assert len(item["blocks"]) > 3


def test_several_items_of_one_page_share_one_extraction_but_not_their_blocks(site: MockSite):
    url = site.url("/article")
    result = crawl_page(site, {"url": url, "n": 1}, {"url": url, "n": 2}, {"url": url + "#part", "n": 3})
    first, second, _ = result.items
    assert len({item["main_content"] for item in result.items}) == 1
    assert result.web2text_stats["pages"] == 1
    first["blocks"][0]["text"] = first["web2text"]["title"] = "changed"
    assert "changed" not in (second["blocks"][0]["text"], second["web2text"]["title"])


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
    filled = {"main_content": "mine", "web2text": {"by": "me"}}
    result = crawl_page(site, dict(item), {"blocks": None, **item, **filled}, **settings)
    empty, kept = sorted(result.items, key=lambda item: item["main_content"])
    assert empty == {**item, "main_content": "", "blocks": [], "web2text": {**EMPTY, "reason": "no_response"}}
    assert kept == {**item, "blocks": [], **filled}
    kept_fields = {"kept_fields/main_content": 1, "kept_fields/web2text": 1}
    assert result.web2text_stats == {"skipped/no_response": 2, **kept_fields}
    (message,) = [each for each in messages(caplog) if "Keeping the value" not in each]
    assert 'SPIDER_MIDDLEWARES = {"scrapy_web2text.Web2TextSpiderMiddleware": 100}' in message


def test_an_item_from_start_is_reported_as_such(caplog):
    async def start(self):
        yield {"name": "x"}

    result = crawl(spider_of(start=start), ADDON)
    assert result.items[0]["web2text"]["reason"] == "no_response"
    (message,) = messages(caplog)
    assert "The item comes from start(), or an earlier pipeline has replaced the original item" in message
    assert "SPIDER_MIDDLEWARES" not in message


def test_an_item_with_the_url_of_another_page_gets_no_text_and_is_reported_once(site: MockSite, caplog):
    caplog.set_level(logging.DEBUG, "scrapy_web2text")
    urls = ("https://a.test/1", site.url("/article/2"), "/3", site.url("/article"), ["/article"])
    result = crawl_page(site, *({"url": url} for url in urls), **ADDON)
    texts = {str(item["url"]): item["main_content"] for item in result.items}
    assert [SENTENCE in texts[str(url)] for url in urls] == [False, False, False, True, True]
    reasons = {item["web2text"]["reason"] for item in result.items if not item["main_content"]}
    assert reasons == {"other_url"}
    assert result.web2text_stats["skipped/other_url"] == 3
    found = [record for record in caplog.records if "gets no text" in record.getMessage()]
    assert [record.levelname for record in found] == ["WARNING", "DEBUG", "DEBUG"]
    assert "WEB2TEXT_URL_FIELD = None" in found[0].getMessage()


def test_an_item_of_a_list_gets_the_text_of_its_own_page_if_that_is_in_progress(site: MockSite):
    other = site.add("/other", article("About the garden of the castle one reads on the other page, and not here."))

    async def start(self):
        yield Request(site.url("/article"))

    def parse(self, response):
        yield Request(other, self.parse_other, cb_kwargs={"item": {"url": other, "n": 1}, "list_page": response})

    def parse_other(self, response, item, list_page):
        yield item
        yield {"url": list_page.url, "n": 2}

    spider = spider_of(start=start, parse=parse)
    spider.parse_other = parse_other
    result = crawl(spider, ADDON)
    texts = {item["n"]: item["main_content"] for item in result.items}
    assert "garden of the castle" in texts[1]
    assert SENTENCE in texts[2]


def test_values_of_the_spider_are_kept_and_those_of_the_pipeline_replaced(site: MockSite, caplog):
    item = {"url": site.url("/article"), "n": 2}
    result = crawl_page(site, {"url": site.url("/article"), "n": 1, "main_content": "mine"}, item, item)
    texts = sorted((item["n"], item["main_content"]) for item in result.items)
    assert texts[0] == (1, "mine")
    assert all(SENTENCE in text for _, text in texts[1:])
    assert result.web2text_stats["kept_fields/main_content"] == 1
    (message,) = messages(caplog)
    assert message.startswith("Keeping the value of the field 'main_content' in items of dict")


def test_html_of_an_item_makes_place_for_its_text(site: MockSite):
    settings = {"WEB2TEXT_HTML_FIELD": "body", "WEB2TEXT_FIELDS": {"body": "text"}}
    result = crawl_page(site, {"url": site.url("/article"), "body": article()}, **settings)
    assert SENTENCE in result.items[0]["body"]
    assert "<p>" not in result.items[0]["body"]


EMPTY_PAGES = {
    "nothing": "",
    "blank": " \n",
    "navigation": "<html><body><nav><a href=/>Home</a></nav></body></html>",
    "login": "<title>Log in</title><form>Please log in<input type=password></form>",
    "shell": "<div id=root></div><script src=a.js></script>",
    "json": '{"a": "<html>"}',
    "image": b"\x89PNG\r\n\x1a\n",
}


@pytest.mark.parametrize("page", EMPTY_PAGES.values(), ids=EMPTY_PAGES)
def test_items_without_text_are_dropped_on_request(site: MockSite, page):
    site.add("/empty", page)
    (item,) = crawl_page(site, path="/empty", **ADDON).items
    assert item["main_content"] == ""
    result = crawl_page(site, path="/empty", **ADDON, WEB2TEXT_ON_EMPTY="drop")
    assert result.items == []
    assert result.stats["item_dropped_reasons_count/NoText"] == 1


@pytest.mark.parametrize(
    ("item", "settings"),
    [
        ({"url": "https://other.test/"}, ADDON),
        ({"url": "https://other.test/"}, {}),
        ({"html": "<p> "}, {"WEB2TEXT_HTML_FIELD": "html"}),
        ({"html": 7}, {"WEB2TEXT_HTML_FIELD": "html"}),
        ({}, {"WEB2TEXT_MAX_BYTES": 100}),
    ],
    ids=["other_url", "no_response", "html", "html-type", "max_bytes"],
)
def test_items_whose_text_is_missing_are_dropped_on_request_whatever_the_reason(site: MockSite, item, settings):
    item = item or {"url": site.url("/article")}
    assert crawl_page(site, dict(item), **settings, WEB2TEXT_ON_EMPTY="drop").items == []


def test_items_with_text_are_not_dropped(site: MockSite):
    assert len(crawl_page(site, WEB2TEXT_ON_EMPTY="drop").items) == 1


def test_blocks_that_are_not_asked_for_are_no_field(site: MockSite):
    (item,) = crawl_page(site, WEB2TEXT_BLOCKS="none").items
    assert set(item) == {"url", "main_content", "web2text"}


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
FRAME = Selector(text=f"<div><header>Top</header><nav>Menu</nav>{QUESTIONS}</div>").css("div")
ELEMENTS = Selector(text=QUESTIONS).css("h2, p")
LISTS = [[*ELEMENTS], tuple(each.root for each in ELEMENTS), ELEMENTS.getall(), [QUESTIONS], [QUESTIONS.encode()]]
PARTS = [QUESTIONS, QUESTIONS.encode(), MAIN, ELEMENTS, MAIN.root, FRAME, *LISTS]


def test_the_html_in_the_item_can_be_a_part_of_a_page_or_a_page_in_any_form(site: MockSite):
    pages = [article(), Selector(text=article()), FRAME.get()]
    items = [{"n": n, "html": html} for n, html in enumerate([*PARTS, *pages])]
    result = crawl_page(site, *items, WEB2TEXT_HTML_FIELD="html")
    found = {item["n"]: item for item in result.items}  # in any order
    for n in range(len(PARTS)):
        summary = found[n]["web2text"]
        assert found[n]["main_content"].removeprefix("Top\n") == ANSWERS
        assert (summary["method"], summary["confidence"]) == ("fragment", None)
    assert [SENTENCE in found[n]["main_content"] for n in range(len(PARTS), len(items))] == [True, True, False]
    assert result.web2text_stats == {"pages": 14, "method/fragment": 11, "method/rules": 3}
    item, meta = {"url": site.url("/article"), "html": FRAME}, {"web2text": {"fragment": False}}
    assert crawl_page(site, item, meta=meta, WEB2TEXT_HTML_FIELD="html").web2text_stats["method/rules"] == 1


def test_an_html_field_of_another_type_is_an_error_and_not_the_response(site: MockSite, caplog):
    values = [7, {"a": 1}, ["<p>a", 7], Selector(text='{"a": 1}', type="json")]
    result = crawl_page(site, *({"html": html} for html in values * 2), WEB2TEXT_HTML_FIELD="html")
    for item in result.items:
        assert item["main_content"] == ""
        assert (item["web2text"]["method"], item["web2text"]["reason"]) == ("none", "error")
    assert result.web2text_stats == {"errors/TypeError": 8}
    found = messages(caplog, logging.ERROR)
    assert len(found) == len(values) - 1  # two say the same
    problem = "its field 'html' (WEB2TEXT_HTML_FIELD): html: expected bytes, str, "
    assert all(problem in message for message in found)


@pytest.mark.parametrize("form", [str, str.encode], ids=["str", "bytes"])
def test_html_in_the_item_takes_precedence_over_the_response(site: MockSite, form):
    html = form(article("Quite another text is in the item than the one that is on the page of the response."))
    urls = (site.url("/article"), "http://example.com/")
    items = ({"url": url, "html": html} for url in urls)
    result = crawl_page(site, *items, meta={"web2text": {"blocks": "none"}}, WEB2TEXT_HTML_FIELD="html")
    assert all("Quite another text" in item["main_content"] for item in result.items)
    assert "blocks" not in result.by_url[urls[0]]
    assert {item["html"] for item in result.items} == {html if isinstance(html, str) else html.decode()}


def test_items_with_an_empty_html_field_or_without_it_take_the_response_and_are_reported_once(site: MockSite, caplog):
    caplog.set_level(logging.INFO)
    url = site.url("/article")
    empty = [None, "", b"", " \n", Selector(text="a").css("article")]
    items = [*({"url": url, "html": html} for html in empty), {"url": url}, {"url": url, "htm": article()}]
    result = crawl_page(site, *items, WEB2TEXT_HTML_FIELD="html")
    assert all(SENTENCE in item["main_content"] for item in result.items)
    assert result.web2text_stats["empty_html_fields"] == 7
    reports = [text for text in messages(caplog, logging.INFO) if "empty_html_fields" in text]
    assert [text.partition(", so the response")[0] for text in reports] == [
        f"An item of {url} has an empty field 'html' (WEB2TEXT_HTML_FIELD)",
        f"An item of {url} lacks the field 'html' (WEB2TEXT_HTML_FIELD)",
    ]
    assert messages(caplog) == reports[1:]


def test_html_of_any_type_is_text_that_every_feed_can_write(site: MockSite, tmp_path):
    site.add("/windows", "<p>Größe und Gewöhnung</p>".encode("cp1252"), content_type="text/html; charset=windows-1252")
    values = [*PARTS, b"", b"<p>caf\xe9", Selector(text="x").css("h1"), None]
    made = [*(lambda response, n=n: {"url": response.url, "n": n, "html": values[n]} for n in range(len(values)))]
    made += [lambda response: {"url": response.url, "n": len(values), "html": response}]
    kinds = {"jsonlines": "a.jsonl", "xml": "a.xml", "csv": "a.csv", "web2text-parquet": "a.parquet"}
    feeds = {str(tmp_path / name): {"format": kind} for kind, name in kinds.items()}
    result = crawl_page(site, *made, path="/windows", **ADDON, WEB2TEXT_HTML_FIELD="html", FEEDS=feeds)
    found = {item["n"]: item["html"] for item in result.items}
    assert {n for n, html in found.items() if not isinstance(html, str)} == {len(values) - 1}
    assert found[len(values)] == "<p>Größe und Gewöhnung</p>"
    assert found[3].count("<h2>") == found[len(PARTS) - 5].count("<h2>") == 2
    lines = (tmp_path / "a.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(result.items) == len(made)
    assert result.stats.get("log_count/ERROR", 0) == 0


def test_html_is_text_even_where_extraction_is_switched_off(site: MockSite):
    item = {"url": site.url("/article"), "html": ELEMENTS}
    (found,) = crawl_page(site, item, meta={"web2text": False}, WEB2TEXT_HTML_FIELD="html").items
    assert found["html"].startswith("<h2>How do I return")
    assert set(found) == {"url", "html"}


@pytest.mark.parametrize(("html", "reason"), [(article(), "max_bytes"), (b"%PDF-1.7", "not_html")])
def test_html_in_the_item_passes_the_same_gates(site: MockSite, html, reason):
    result = crawl_page(site, {"html": html}, WEB2TEXT_HTML_FIELD="html", WEB2TEXT_MAX_BYTES=100)
    assert result.items[0]["main_content"] == ""
    assert result.web2text_stats == {f"skipped/{reason}": 1}


def test_fields_can_be_chosen(site: MockSite):
    fields = {"title": "title", "body": "text", "how": "method"}
    (item,) = crawl_page(site, {"link": site.url("/article")}, WEB2TEXT_FIELDS=fields, WEB2TEXT_URL_FIELD="link").items
    assert set(item) == {"link", *fields}
    assert (item["title"], item["how"], SENTENCE in item["body"]) == ("The bridge", "rules", True)


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
def test_blocks_and_paths_that_no_item_gets_are_not_exported(site: MockSite, monkeypatch, settings, blocks, has_paths):
    asked = []
    extract = Pool.extract

    def extract_asked(self, options, *args, paths):
        asked.append((options.blocks, paths))
        return extract(self, options, *args, paths=paths)

    monkeypatch.setattr(Pool, "extract", extract_asked)
    item = {"url": site.url("/article"), "html": article()}
    (item,) = crawl_page(site, item, **settings).items
    assert asked == [(blocks, has_paths)]
    assert SENTENCE in item.get("main_content", item.get("body"))
    assert all("path" not in block or block["path"].startswith("/html/") for block in item.get("blocks", ()))


def test_a_callback_gets_blocks_and_paths_that_items_do_not(site: MockSite):
    def make(response):
        return {"url": response.url, "path": response.meta["web2text_result"].blocks[0].path}

    result = crawl_page(site, make, meta={"web2text": True}, **ADDON, WEB2TEXT_FIELDS={"body": "text"})
    assert result.items[0]["path"].startswith("/html/")
    assert SENTENCE in result.items[0]["body"]
    assert result.web2text_stats["pages"] == 1


def test_other_objects_pass_unchanged(site: MockSite, caplog):
    result = crawl_page(site, "a text", "another")
    assert sorted(result.items) == ["a text", "another"]
    assert result.web2text_stats == {"skipped/not_item": 2}
    assert len(messages(caplog)) == 1


def test_request_meta_and_the_spider_attribute_override_options_and_false_skips_the_item(site: MockSite):
    (item,) = crawl_page(site, meta={"web2text": {"blocks": "none"}}, attribute={"blocks": "content"}).items
    assert ("blocks" in item, SENTENCE in item["main_content"]) == (False, True)
    (item,) = crawl_page(site, attribute={"blocks": "content"}).items
    assert {block["label"] for block in item["blocks"]} == {"content"}
    result = crawl_page(site, meta={"web2text": False})
    assert (result.items, result.web2text_stats) == ([{"url": site.url("/article")}], {"skipped/disabled": 1})


@pytest.mark.parametrize(
    ("asked", "key", "problem"),
    [
        ({"treshold": 0.3}, "['treshold']", "unknown option (did you mean threshold?)"),
        ("yes", "", "expected True, False or a dict of options, got 'yes'"),
        ({"model": "no-such-model"}, "['model']", "unknown model 'no-such-model'"),
    ],
)
def test_problems_in_request_meta_are_ignored_counted_and_logged_once(site: MockSite, caplog, asked, key, problem):
    asked = {**asked, "blocks": "none"} if isinstance(asked, dict) else asked
    result = crawl_page(site, meta={"web2text": asked})
    assert SENTENCE in result.items[0]["main_content"]
    assert ("blocks" in result.items[0]) is isinstance(asked, str)
    assert result.web2text_stats["ignored_options"] == 1
    (message,) = messages(caplog)
    assert message.startswith(f"Ignoring meta['web2text']{key} of <GET {site.url('/article')}>: {problem}")


MISSING = {"WEB2TEXT_MODEL": "no/folder/for/a/crawl", "WEB2TEXT_ON_MISSING_MODEL": "fallback"}


@pytest.fixture
def no_extra(monkeypatch):
    """The extra ``metadata`` is not installed."""
    monkeypatch.setattr(extractor_module, "find_spec", lambda name: None)


@pytest.mark.usefixtures("no_extra")
def test_metadata_in_request_meta_without_the_extra_is_ignored_and_logged_once(site: MockSite, caplog):
    url = site.url("/article")
    result = crawl_page(site, *[{"url": url}] * 2, meta={"web2text": {"metadata": True, "blocks": "none"}})
    assert [SENTENCE in item["main_content"] for item in result.items] == [True, True]
    assert not any("blocks" in item for item in result.items)
    (message,) = messages(caplog)
    problem = "needs pip install 'scrapy-web2text[metadata]'"
    assert message == f"Ignoring meta['web2text']['metadata'] of <GET {url}>: {problem}"


@pytest.mark.usefixtures("no_extra")
@pytest.mark.parametrize(
    ("settings", "attribute", "named"),
    [
        ({"WEB2TEXT_FIELDS": {"by": "author"}}, {"metadata": False}, "WEB2TEXT_FIELDS"),
        ({}, {"metadata": True}, "spider attribute web2text, key 'metadata'"),
    ],
)
def test_metadata_without_the_extra_ends_the_crawl_and_names_its_source(settings, attribute, named):
    crawler = get_crawler(spider_of(web2text=attribute), settings | {"WEB2TEXT_EXECUTOR": "inline"})
    crawler.spider = crawler._create_spider()
    with pytest.raises(ValueError, match=f"^{named}: needs pip install"):
        CrawlExtractor(crawler)


@pytest.mark.parametrize(
    ("meta", "settings", "ignored", "model"),
    [
        ({"model": "no-such-model", "fallback": "no-such-rules"}, {}, ["fallback", "model"], "shallow:numwords"),
        ({"fallback": None}, MISSING, [None], "shallow:numwords"),
        ({"model": "no/folder/for/a/request"}, {}, ["model"], "shallow:numwords"),
        (
            {"model": "web2text-2018"},
            {"WEB2TEXT_MODEL": "web2text-2026", "WEB2TEXT_THRESHOLD": "recall"},
            [None],
            "web2text-2026",
        ),
        ({"threshold": "recall"}, {"WEB2TEXT_MODEL": "web2text-2018"}, ["threshold"], "web2text-2018"),
    ],
)
def test_options_of_request_meta_that_do_not_go_together_are_ignored(
    site: MockSite, caplog, meta, settings, ignored, model
):
    result = crawl_page(site, meta={"web2text": meta}, **settings)
    assert result.items[0]["web2text"]["model"] == model
    logged = [message.partition(" of <")[0] for message in messages(caplog) if message.startswith("Ignoring")]
    assert logged == ["Ignoring meta['web2text']" + (f"[{name!r}]" if name else "") for name in ignored]


def test_a_named_threshold_that_is_ignored_leaves_that_of_the_settings():
    settings = {"WEB2TEXT_MODEL": "web2text-2018", "WEB2TEXT_THRESHOLD": 0.7, "WEB2TEXT_EXECUTOR": "inline"}
    crawler = get_crawler(spider_of(), settings)
    crawler.spider = crawler._create_spider()
    extractor = CrawlExtractor(crawler)
    asked = extractor.settings.read_meta({"web2text": {"threshold": "recall"}})
    options = asyncio.run(extractor._usable_options(asked, Request("https://example.com/")))
    assert options == extractor.settings.options


def test_a_page_whose_options_are_tried_has_its_answer_before_the_workers_close():
    crawler = get_crawler(spider_of(), {"WEB2TEXT_EXECUTOR": "process", "WEB2TEXT_WORKERS": 1})
    crawler.spider = crawler._create_spider()
    extractor = CrawlExtractor(crawler)
    asked = extractor.settings.read_meta({"web2text": {"threshold": 0.6}})
    request = Request("https://example.com/")
    response = HtmlResponse(request.url, body=article(), encoding="utf-8", request=request)

    async def extract_and_close():
        answer = asyncio.ensure_future(extractor.extract(response, request, asked))
        await asyncio.sleep(0)
        await extractor._spider_closed()
        return await answer

    assert SENTENCE in asyncio.run(extract_and_close()).text


def test_options_of_several_items_are_tried_once(site: MockSite, monkeypatch):
    tried, run = [], WorkerProcesses.run

    def count(self, function, *args, **kwargs):
        tried.extend(args[:1] if function is check_options else ())
        return run(self, function, *args, **kwargs)

    monkeypatch.setattr(WorkerProcesses, "run", count)
    settings = {"WEB2TEXT_EXECUTOR": "process", "WEB2TEXT_HTML_FIELD": "html"}
    items = [{"url": site.url("/article"), "html": article(f"{SENTENCE} {n}")} for n in range(3)]
    result = crawl_page(site, *items, meta={"web2text": {"threshold": 0.6}}, **settings)
    assert len(result.items) == 3
    assert [options.threshold for options in tried] == [None, 0.6]


def test_options_are_tried_only_once_if_the_settings_broke_meanwhile(site: MockSite, monkeypatch):
    made = []

    def make(options):
        made.append(options)
        if len(made) > 1:
            raise OSError("no more files")
        return Extractor(options)

    monkeypatch.setattr(pool_module, "get_extractor", lru_cache(make))
    (item,) = crawl_page(site, meta={"web2text": {"threshold": 0.6}}).items
    assert SENTENCE in item["main_content"]
    assert len(made) == 2


DROP = {"WEB2TEXT_ON_LOW_CONFIDENCE": "drop", "WEB2TEXT_MIN_CONFIDENCE": 0.5}


@pytest.mark.usefixtures("low_confidence")
@pytest.mark.parametrize(
    ("settings", "meta", "item", "source"),
    [
        (DROP, None, {}, "WEB2TEXT_MIN_CONFIDENCE"),
        ({}, {"min_confidence": 0.5, "on_low_confidence": "drop"}, {}, "min_confidence"),
        ({**DROP, "WEB2TEXT_HTML_FIELD": "html"}, None, {"html": article()}, "WEB2TEXT_MIN_CONFIDENCE"),
    ],
    ids=["settings", "meta", "html"],
)
def test_items_of_low_confidence_are_dropped_on_request(site: MockSite, settings, meta, item, source):
    url = site.url("/article")
    result = crawl_page(site, {"url": url, **item}, meta={"web2text": meta}, **settings)
    ((dropped, error),) = result.dropped
    assert dropped == {"url": url, **item}
    assert str(error) == f"confidence 0.2 is below {source} 0.5: {url}"
    assert result.items == []
    assert result.stats["item_dropped_reasons_count/LowConfidence"] == 1
    assert len(crawl_page(site, {"url": url}).items) == 1  # by default, it passes
    assert (type(error), isinstance(error, Web2TextError), isinstance(error, DropItem)) == (LowConfidence, True, True)


@pytest.mark.usefixtures("broken")
@pytest.mark.parametrize("executor", ["thread", "inline"])
def test_a_bug_is_counted_and_logged_once_and_costs_no_item(site: MockSite, caplog, executor):
    caplog.set_level(logging.DEBUG)
    settings = {"WEB2TEXT_EXECUTOR": executor, "WEB2TEXT_HTML_FIELD": "html"}
    result = crawl_page(site, {"url": site.url("/article")}, {"html": article()}, **settings)
    assert [item["web2text"] for item in result.items] == [{**EMPTY, "reason": "error"}] * 2
    assert result.web2text_stats == {"errors/ZeroDivisionError": 2, "empty_html_fields": 1}
    records = [record for record in caplog.records if "on purpose" in record.getMessage()]
    assert [(record.levelname, bool(record.exc_info)) for record in records] == [("ERROR", True), ("DEBUG", False)]


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"MODEL": "no-such-model"}, ValueError, "MODEL: unknown model 'no-such-model'"),
        ({"FALLBACK": "no-such-rules"}, ValueError, "FALLBACK: unknown rules 'no-such-rules'"),
        (
            {"MODEL": "web2text-2018", "THRESHOLD": "recall"},
            ValueError,
            "THRESHOLD: web2text-2018 has no threshold 'recall'",
        ),
        ({"MODEL": "no/such/folder"}, ModelError, "MODEL: /.*no/such/folder: expected a model folder"),
    ],
)
def test_an_impossible_setting_ends_the_crawl_at_its_start(site: MockSite, settings, error, message):
    given = {f"WEB2TEXT_{name}": value for name, value in settings.items()}
    # A crawl that ends at its start does not close its download handlers.
    with pytest.raises(error, match=f"^WEB2TEXT_{message}"):
        crawl_page(site, **given, DOWNLOAD_HANDLERS={"http": None, "https": None})


def test_the_off_switch_disables_the_pipeline_and_the_middlewares(site: MockSite, caplog):
    caplog.set_level(logging.INFO)
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
    assert "Main content of" not in caplog.text  # no summary


def test_a_callback_that_edits_the_tree_does_not_change_the_answer(site: MockSite):
    def parse(response):
        response.css("p").drop()
        return {"url": response.url}

    (item,) = crawl_page(site, parse).items
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
            left.extend([len(self.extractor.responses._by_address), len(self.extractor._answers)])

    url = site.url("/article")
    settings = {"ITEM_PIPELINES": {Web2TextPipeline: 300, Probe: 900}}
    assert len(crawl_page(site, {"url": url}, {"url": url}, **settings).items) == 2
    assert left == [0, 0]


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"WEB2TEXT_WORKERS": 2}, "WEB2TEXT_EXECUTOR is 'inline'"),
        ({"WEB2TEXT_WORKER_MEMORY": 600_000_000}, "WEB2TEXT_EXECUTOR is 'inline'"),
        ({"WEB2TEXT_SNAPSHOT_BYTES": 5}, "WEB2TEXT_SNAPSHOT_DIR is not set"),
        ({"WEB2TEXT_CHUNK_WORDS": 100}, "WEB2TEXT_FIELDS has no chunks"),
    ],
    ids=["workers", "memory", "snapshot", "chunks"],
)
def test_a_setting_without_effect_is_one_warning(site: MockSite, caplog, settings, reason):
    items = [{"url": site.url("/article")} for _ in range(2)]
    crawl_page(site, *items, WEB2TEXT_EXECUTOR="inline", **settings)
    (name,) = settings
    assert messages(caplog) == [f"{name} has no effect: {reason}"]


@pytest.mark.parametrize(
    "settings",
    [{"WEB2TEXT_WORKERS": 1}, {"WEB2TEXT_CHUNK_WORDS": 100, "WEB2TEXT_FIELDS": {"parts": "chunks"}}],
    ids=["workers", "chunks"],
)
def test_a_setting_with_an_effect_is_not_warned_about(site: MockSite, caplog, settings):
    crawl_page(site, **settings)
    assert messages(caplog) == []


def test_an_old_name_of_an_option_is_an_error():
    with pytest.raises(ValueError, match=r"unknown option preset \(renamed to threshold\)"):
        Extractor(preset="recall")


def test_an_old_name_in_request_meta_is_ignored_counted_and_logged(site: MockSite, caplog):
    result = crawl_page(site, meta={"web2text": {"preset": "recall"}})
    assert result.web2text_stats["ignored_options"] == 1
    assert "unknown option (renamed to threshold)" in messages(caplog)[0]


def test_a_codec_of_python_that_is_not_an_encoding_of_pages_is_ignored(site: MockSite):
    """Scrapy's middleware for meta refreshes decodes the page, and fails."""
    site.add("/page", article().encode(), content_type="text/html; charset=idna")
    (item,) = crawl_page(site, path="/page", METAREFRESH_ENABLED=False).items
    assert SENTENCE in item["main_content"]
    assert item["web2text"]["encoding_source"] == "utf-8"
