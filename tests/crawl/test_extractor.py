"""Whole crawls over pages of all kinds: no item is lost, no crawl stops."""

from __future__ import annotations

import gzip
import logging
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from mockserver import ADDON, NAVIGATION, SENTENCE, CrawlResult, MockSite, article, crawl
from scrapy import Request, Spider
from scrapy.exceptions import DropItem
from scrapy.http import HtmlResponse

if TYPE_CHECKING:
    from collections.abc import Iterable

PIPELINE = {"ITEM_PIPELINES": {"scrapy_web2text.Web2TextPipeline": 300}}
JAPANESE = "川にかかる古い橋は、町の人々の手でその年の春に建て直された。" * 8
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))


def spider_of(*urls: str, **settings: Any) -> type[Spider]:
    class Pages(Spider):
        name = "pages"
        start_urls: ClassVar = list(urls)
        custom_settings: ClassVar = settings
        handle_httpstatus_list: ClassVar = [404, 500]

        def parse(self, response):
            yield {"url": response.url, "title": response.css("title::text").get() if is_html(response) else None}

    return Pages


def is_html(response) -> bool:
    return isinstance(response, HtmlResponse)


def crawl_page(url: str, settings: dict[str, Any]) -> CrawlResult:
    return crawl_pages([url], settings)


def crawl_pages(urls: Iterable[str], settings: dict[str, Any]) -> CrawlResult:
    result = crawl(spider_of(*urls, RETRY_ENABLED=False, **settings))
    assert len(result.items) == len([*urls])
    assert result.stats["finish_reason"] == "finished"
    assert "log_count/ERROR" not in result.stats
    return result


def add_all(site: MockSite, pages: dict[str, tuple[str | None, bytes, Any]]) -> dict[str, Any]:
    """Serve the pages, each a Content-Type, a body and what to expect; return what to expect by URL."""
    return {
        site.add(f"/all/{name}", body, content_type=content_type): expected
        for name, (content_type, body, expected) in pages.items()
    }


SKIPPED = {
    "pdf": ("application/pdf", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3", "not_html"),
    "ascii-pdf": ("application/pdf", b"%PDF-1.7\nall of it ASCII", "not_html"),
    "json": ("application/json", b'{"html": "<html><body></body></html>"}', "not_html"),
    "png": ("image/png", PNG, "not_html"),
    "png-as-html": ("text/html", PNG, "not_html"),
    "pdf-as-html": ("text/html", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3", "not_html"),
    "gzip-as-html": ("text/html; charset=utf-8", b"\x1f\x8b\x08\x00" + bytes(100), "not_html"),
    "text": ("text/plain", SENTENCE.encode(), "not_html"),
    "too-long": ("text/html", article().encode() + b" " * 100_000, "max_bytes"),
    "no-bytes": ("text/html", b"", "empty_body"),
    "whitespace": ("text/html", b" \n\t ", "empty_body"),
    "mark": ("text/html", b"\xef\xbb\xbf", "empty_body"),
}
EMPTY = {
    "comment": b"<!-- nothing -->",
    "no-text": b"<html><body></body></html>",
    "script": b"<html><body><script>let x = 1</script></body></html>",
    "xml-declaration": b'<?xml version="1.0" encoding="utf-8"?>',
    "navigation": f"<html><body><ul>{NAVIGATION}</ul></body></html>".encode(),
}
SHIFT_JIS_META = article(JAPANESE).replace("<head>", '<head><meta charset="shift_jis">').encode("shift_jis")
UNUSUAL = {
    "utf-8": ("text/html; charset=utf-8", article(JAPANESE).encode(), JAPANESE),
    "utf-16": ("text/html", article(JAPANESE).encode("utf-16"), JAPANESE),
    "shift-jis": ("text/html; charset=shift_jis", article(JAPANESE).encode("shift_jis"), JAPANESE),
    "wrong-encoding": ("text/html; charset=utf-8", SHIFT_JIS_META, JAPANESE),
    "unknown-encoding": ("text/html; charset=no-such-encoding", article().encode(), SENTENCE),
    "invalid-bytes": (
        "text/html; charset=utf-8",
        article(JAPANESE).encode().replace(b"Terms", b"\xff\xfe\x80"),
        JAPANESE,
    ),
    "no-type": (None, article().replace("<!DOCTYPE html><html>", '<html lang="en">').encode(), SENTENCE),
    "xhtml": ("application/xhtml+xml", article().encode(), SENTENCE),
    "xml": ("text/xml", b'<?xml version="1.0"?>' + article().encode(), SENTENCE),
    "deep": ("text/html", b"<div>" * 1900 + article().encode(), SENTENCE),
    "nul": ("text/html", article().replace(SENTENCE, SENTENCE[:9] + "\x00" + SENTENCE[9:]).encode(), SENTENCE),
    "unclosed": ("text/html", article(f"<b>{SENTENCE}").encode(), SENTENCE),
}


surfaces = pytest.mark.parametrize(
    "settings",
    [PIPELINE, ADDON, {**ADDON, "WEB2TEXT_IN_MIDDLEWARE": True}, {**ADDON, "WEB2TEXT_EXECUTOR": "inline"}],
    ids=["pipeline", "addon", "in-middleware", "inline"],
)


@surfaces
def test_other_responses_are_skipped_with_their_reason(site: MockSite, settings):
    reasons = add_all(site, SKIPPED)
    reasons |= {site.add(f"/status/{status}", article(), status=status): "status" for status in (404, 500)}
    result = crawl_pages(reasons, {**settings, "WEB2TEXT_MAX_BYTES": 50_000})
    for url, reason in reasons.items():
        item = result.by_url[url]
        assert (item["main_content"], item["blocks"]) == ("", [])
        summary = item["web2text"]
        assert (summary["method"], summary["fallback_reason"], summary["confidence"]) == ("none", reason, None)
        assert summary["page"] == ("empty" if reason == "empty_body" else None)
    assert result.web2text_stats == Counter(f"skipped/{reason}" for reason in reasons.values())


@surfaces
def test_a_page_without_content_gives_an_empty_text(site: MockSite, settings):
    urls = add_all(site, {name: ("text/html", body, "") for name, body in EMPTY.items()})
    result = crawl_pages(urls, settings)
    assert {item["main_content"] for item in result.items} == {""}
    assert result.web2text_stats["pages"] == len(EMPTY)


@surfaces
def test_unusual_pages_are_extracted(site: MockSite, settings):
    texts = add_all(site, UNUSUAL)
    result = crawl_pages(texts, settings)
    assert {url for url, text in texts.items() if text not in result.by_url[url]["main_content"]} == set()
    assert result.web2text_stats == {"pages": len(UNUSUAL), "method/rules": len(UNUSUAL)}


@surfaces
@pytest.mark.parametrize(
    ("content_type", "codec", "source"),
    [("text/html; charset=koi8-r", "koi8-r", "argument"), ("text/html", "koi8-r", "detected")],
    ids=["header", "none"],
)
def test_the_encoding_of_a_page_and_its_source_are_stated(site: MockSite, settings, content_type, codec, source):
    words = "Старый сторож каждое утро открывал ворота парка и медленно обходил дорожки. " * 4
    result = crawl_page(site.add("/legacy", article(words).encode(codec), content_type=content_type), settings)
    (item,) = result.items
    assert words.strip() in item["main_content"]
    assert (item["web2text"]["encoding"], item["web2text"]["encoding_source"]) == ("koi8-r", source)
    assert result.web2text_stats.get("encodings_detected", 0) == (source == "detected")


@surfaces
def test_a_compressed_page_is_extracted_once_decompressed(site: MockSite, settings):
    url = site.add("/page", gzip.compress(article().encode()), **{"Content-Encoding": "gzip"})
    assert SENTENCE in crawl_page(url, settings).items[0]["main_content"]


@surfaces
@pytest.mark.parametrize(
    ("status", "headers", "body"),
    [
        (301, {"Location": "/article"}, "moved"),
        (200, {}, '<html><head><meta http-equiv="refresh" content="0; url=/article"></head></html>'),
    ],
    ids=["redirect", "refresh"],
)
def test_the_final_page_of_a_redirect_is_extracted(site: MockSite, settings, status, headers, body):
    result = crawl_page(site.add("/moved", body, status=status, **headers), settings)
    assert result.items[0]["url"] == site.url("/article")
    assert SENTENCE in result.items[0]["main_content"]
    assert result.web2text_stats["pages"] == 1


@surfaces
def test_bad_pages_do_not_affect_good_ones(site: MockSite, settings):
    bad = [site.add(f"/bad{n}", PNG, content_type="text/html") for n in range(5)]
    good = [site.add(f"/good{n}", article(f"{SENTENCE} This is page number {n}.")) for n in range(20)]
    result = crawl(spider_of(*bad, *good, *(site.url(f"/missing{n}") for n in range(5)), **settings))
    assert len(result.items) == 30
    for n, url in enumerate(good):
        assert f"This is page number {n}." in result.by_url[url]["main_content"]
    assert result.web2text_stats == {
        "pages": 20,
        "method/rules": 20,
        "skipped/not_html": 5,
        "skipped/status": 5,
    }


def test_an_error_page_is_extracted_if_its_status_is_in_the_setting(site: MockSite):
    url = site.add("/page", article(), status=404)
    result = crawl_page(url, {**PIPELINE, "WEB2TEXT_STATUSES": "200-299,404"})
    assert SENTENCE in result.items[0]["main_content"]


def test_settings_can_be_strings_as_from_the_command_line(site: MockSite):
    settings = {
        "WEB2TEXT_TIMEOUT": "none",
        "WEB2TEXT_MAX_BYTES": "100000",
        "WEB2TEXT_WORKERS": "1",
        "WEB2TEXT_IN_MIDDLEWARE": "False",
        "WEB2TEXT_FIELDS": '{"text": "text"}',
        "WEB2TEXT_FALLBACK": "",
    }
    (item,) = crawl_page(site.url("/article"), {**PIPELINE, **settings}).items
    assert SENTENCE in item["text"]


def test_a_broken_callback_does_not_affect_other_pages(site: MockSite):
    class Pages(spider_of(site.url("/article"), site.url("/article?broken"), **ADDON)):
        def parse(self, response):
            yield from super().parse(response)
            if "broken" in response.url:
                raise LookupError("on purpose")

    result = crawl(Pages)
    assert [SENTENCE in item["main_content"] for item in result.items] == [True, True]


def test_results_in_copied_meta_can_be_stored_on_disk(site: MockSite, tmp_path):
    class Pages(spider_of(JOBDIR=str(tmp_path), SCHEDULER_DEBUG=True, **ADDON)):
        async def start(self):
            yield Request(site.url("/article"), meta={"web2text": True})

        def parse(self, response):
            yield Request(site.url("/article?next"), callback=self.parse_next, meta={"mine": 1, **own(response.meta)})

        def parse_next(self, response):
            yield {"url": response.url, "seen": response.meta["web2text_result"].url}

    def own(meta):
        return {name: value for name, value in meta.items() if name.startswith("web2text")}

    result = crawl(Pages)
    assert result.items[0]["seen"] == site.url("/article?next")
    assert "scheduler/unserializable" not in result.stats
    assert result.web2text_stats["pages"] == 2


def test_pages_from_the_http_cache_are_extracted_too(site: MockSite, tmp_path):
    settings = {**ADDON, "HTTPCACHE_ENABLED": True, "HTTPCACHE_DIR": str(tmp_path), "WEB2TEXT_IN_MIDDLEWARE": True}
    crawl_page(site.url("/article"), settings)
    result = crawl_page(site.url("/article"), settings)
    assert result.stats["httpcache/hit"] == 1
    assert SENTENCE in result.items[0]["main_content"]


@surfaces
def test_a_retried_page_is_extracted_once(site: MockSite, settings):
    url = site.add("/flaky", article())
    site.n_failures["/flaky"] = 1
    result = crawl(spider_of(url, **settings))
    assert result.stats["retry/count"] == 1
    assert [SENTENCE in item["main_content"] for item in result.items] == [True]
    assert result.web2text_stats["pages"] == 1


# Scrapy 2.15 leaves a file of its queue open.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_stopped_crawl_can_be_resumed(site: MockSite, tmp_path):
    urls = [site.add(f"/stored{n}", article(f"{SENTENCE} Number {n}.")) for n in range(12)]

    class Pages(spider_of(JOBDIR=str(tmp_path), CONCURRENT_REQUESTS=1, **ADDON)):
        async def start(self):
            for url in urls:
                yield Request(url, meta={"web2text": True, "web2text_result": "of another page"})

        def parse(self, response):
            yield {"url": response.url, "early": response.meta["web2text_result"].text}

    first = crawl(Pages, {"CLOSESPIDER_PAGECOUNT": 4})
    assert 4 <= len(first.items) < 12
    assert "scheduler/unserializable" not in first.stats
    second = crawl(Pages)
    items = first.items + second.items
    assert sorted(item["url"] for item in items) == sorted(urls)
    for item in items:
        assert f"Number {item['url'].rpartition('stored')[2]}." in item["main_content"]
        assert item["early"] == item["main_content"]
    assert first.web2text_stats["pages"] + second.web2text_stats["pages"] == 12


def test_an_item_that_a_later_pipeline_drops_is_counted_as_its_page(site: MockSite):
    class Dropper:
        def process_item(self, item):
            if "drop" in item["url"]:
                raise DropItem("on purpose")
            return item

    urls = [site.url("/article?keep"), site.url("/article?drop")]
    result = crawl(spider_of(*urls, **ADDON, ITEM_PIPELINES={Dropper: 400}))
    assert [item["url"] for item in result.items] == urls[:1]
    assert [item["url"] for item, _ in result.dropped] == urls[1:]
    assert result.web2text_stats["pages"] == 2


def test_fields_decide_which_forms_are_extracted(site: MockSite):
    fields = {"body": "html", "md": "markdown", "parts": "paragraphs", "by": "author", "said": "metadata"}
    page = article().replace("<title>", '<meta name="author" content="Ada Penn"><title>')
    item = crawl_page(site.add("/forms", page), {**ADDON, "WEB2TEXT_FIELDS": fields}).items[0]
    assert f"<p>{SENTENCE} {SENTENCE}</p>" in item["body"]
    assert f"{SENTENCE} {SENTENCE}" in item["md"]
    assert {part["kind"] for part in item["parts"]} >= {"paragraph"}
    assert item["by"] == "Ada Penn"
    assert item["said"]["author"] == "Ada Penn"


def test_each_page_is_logged_at_debug_level(site: MockSite, caplog):
    caplog.set_level(logging.DEBUG, "scrapy_web2text")
    crawl_page(site.url("/article"), ADDON)
    record, _ = [record for record in caplog.records if record.name == "scrapy_web2text.crawl.journal"]
    assert record.levelname == "DEBUG"
    assert site.url("/article") in record.getMessage()
    assert record.spider.name == "pages"


def test_two_crawls_in_one_process_are_independent(site: MockSite):
    for n in (1, 2):
        result = crawl_page(site.url("/article"), {**ADDON, "WEB2TEXT_FIELDS": {f"text{n}": "text"}})
        assert set(result.items[0]) == {"url", "title", f"text{n}"}
        assert result.web2text_stats["pages"] == 1


def test_the_crawl_ends_with_a_summary_in_one_line(site: MockSite, caplog, tmp_path):
    caplog.set_level(logging.INFO)
    urls = [site.add(f"/page{n}", article()) for n in range(5)]
    broken = str(tmp_path / "no-model")
    settings = {"WEB2TEXT_MODEL": broken, "WEB2TEXT_ON_MISSING_MODEL": "fallback"}
    crawl(spider_of(*urls, site.add("/image", PNG), **ADDON), settings)
    (record,) = [record for record in caplog.records if record.getMessage().startswith("Main content of ")]
    assert re.fullmatch(
        r"Main content of pages: 5 pages; content 5; skipped 1 \(not_html 1\); fallbacks 5 \(no_model 5\); "
        r"median confidence 0\.9\d; [\d.]+ ms per page with the (compiled reader|reader in Python)",
        record.getMessage(),
    )
    assert (record.levelname, record.name, record.spider.name) == ("INFO", "scrapy_web2text.crawl.journal", "pages")


def test_a_crawl_without_extraction_has_no_summary(site: MockSite, caplog):
    caplog.set_level(logging.INFO)
    crawl(spider_of(site.url("/article"), **ADDON, WEB2TEXT_ENABLED=False))
    assert "Main content of" not in caplog.text


def test_a_long_crawl_has_a_summary_at_intervals(site: MockSite, caplog):
    caplog.set_level(logging.INFO)
    urls = [site.add(f"/page{n}", article()) for n in range(4)]
    crawl(spider_of(*urls, **ADDON, DOWNLOAD_DELAY=0.1, WEB2TEXT_LOG_INTERVAL="0.05"))
    lines = [message for message in caplog.messages if message.startswith("Main content of pages: ")]
    assert len(lines) > 2
    assert "4 pages; content 4; " in lines[-1]
