"""Whole crawls over pages of all kinds: no item is lost, no crawl stops."""

from __future__ import annotations

import gzip
import logging
import re
from collections import Counter
from typing import Any, ClassVar

import pytest
from mockserver import ADDON, NAVIGATION, SENTENCE, CrawlResult, MockSite, article, crawl
from scrapy import Request, Spider
from scrapy.exceptions import DropItem
from scrapy.http import HtmlResponse

PIPELINE = {"ITEM_PIPELINES": {"scrapy_web2text.Web2TextPipeline": 300}}
JAPANESE = "川にかかる古い橋は、町の人々の手でその年の春に建て直された。" * 8
RUSSIAN = "Старый сторож каждое утро открывал ворота парка и медленно обходил дорожки. " * 4
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))


def spider_of(*urls: str, **settings: Any) -> type[Spider]:
    class Pages(Spider):
        name = "pages"
        start_urls: ClassVar = list(urls)
        custom_settings: ClassVar = settings
        handle_httpstatus_list: ClassVar = [404, 500]

        def parse(self, response):
            is_html = isinstance(response, HtmlResponse)
            yield {"url": response.url, "title": response.css("title::text").get() if is_html else None}

    return Pages


def crawl_page(url: str, settings: dict[str, Any]) -> CrawlResult:
    result = crawl(spider_of(url, **settings))
    assert len(result.items) == 1
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
    "json": ("application/json", b'{"html": "<html><body></body></html>"}', "not_html"),
    "png": ("image/png", PNG, "not_html"),
    "png-as-html": ("text/html", PNG, "not_html"),
    "too-long": ("text/html", article().encode() + b" " * 100_000, "max_bytes"),
    "no-bytes": ("text/html", b"", "empty_body"),
    "mark": ("text/html", b"\xef\xbb\xbf", "empty_body"),
}
EMPTY = {
    "no-text": b"<html><body></body></html>",
    "script": b"<html><body><script>let x = 1</script></body></html>",
    "xml-declaration": b'<?xml version="1.0" encoding="utf-8"?>',
    "navigation": f"<html><body><ul>{NAVIGATION}</ul></body></html>".encode(),
}
SHIFT_JIS_META = article(JAPANESE).replace("<head>", '<head><meta charset="shift_jis">').encode("shift_jis")
UNUSUAL = {
    "utf-16": ("text/html", article(JAPANESE).encode("utf-16"), JAPANESE),
    "wrong-encoding": ("text/html; charset=utf-8", SHIFT_JIS_META, JAPANESE),
    "unknown-encoding": ("text/html; charset=no-such-encoding", article().encode(), SENTENCE),
    "no-type": (None, article().replace("<!DOCTYPE html><html>", '<html lang="en">').encode(), SENTENCE),
    "xml": ("text/xml", b'<?xml version="1.0"?>' + article().encode(), SENTENCE),
    "deep": ("text/html", b"<div>" * 1900 + article().encode(), SENTENCE),
    "koi8-r": ("text/html; charset=koi8-r", article(RUSSIAN).encode("koi8-r"), RUSSIAN.strip()),
    "koi8-r-unstated": ("text/html", article(RUSSIAN).encode("koi8-r"), RUSSIAN.strip()),
}


def add_late_pages(site: MockSite) -> dict[str, str]:
    """Serve pages that come compressed, after redirects or after an error; return their texts by their final URLs."""
    site.add("/moved", "moved", status=301, Location="/by/redirect")
    refresh = '<html><head><meta http-equiv="refresh" content="0; url=/by/refresh"></head></html>'
    site.add("/refreshed", refresh)
    site.n_failures["/flaky"] = 1
    ways = {name: site.add(f"/by/{name}", article(f"{SENTENCE} By {name}.")) for name in ("redirect", "refresh")}
    ways["flaky"] = site.add("/flaky", article(f"{SENTENCE} By flaky."))
    packed = gzip.compress(article(f"{SENTENCE} By gzip.").encode())
    ways["gzip"] = site.add("/gzip", packed, **{"Content-Encoding": "gzip"})
    return {url: f"By {name}." for name, url in ways.items()}


@pytest.mark.parametrize(
    "settings",
    [PIPELINE, ADDON, {**ADDON, "WEB2TEXT_IN_MIDDLEWARE": True}, {**ADDON, "WEB2TEXT_EXECUTOR": "inline"}],
    ids=["pipeline", "addon", "in-middleware", "inline"],
)
def test_a_crawl_of_pages_of_all_kinds_loses_none(site: MockSite, settings):
    reasons = add_all(site, SKIPPED)
    reasons |= {site.add(f"/status/{status}", article(), status=status): "status" for status in (404, 500)}
    empty = add_all(site, {name: ("text/html", body, "") for name, body in EMPTY.items()})
    texts = add_all(site, UNUSUAL)
    late = add_late_pages(site)
    urls = [*reasons, *empty, *texts, site.url("/moved"), site.url("/refreshed"), *[*late][2:]]
    result = crawl(spider_of(*urls, **settings, WEB2TEXT_MAX_BYTES=50_000, RETRY_HTTP_CODES=[503]))
    assert (len(result.items), result.stats["retry/count"]) == (len(urls), 1)
    assert result.stats["finish_reason"] == "finished"
    assert "log_count/ERROR" not in result.stats
    for url, reason in reasons.items():
        item = result.by_url[url]
        assert (item["main_content"], item["blocks"]) == ("", [])
        summary = item["web2text"]
        assert (summary["method"], summary["reason"], summary["confidence"]) == ("none", reason, None)
        assert summary["page_kind"] == ("empty" if reason == "empty_body" else None)
    assert {result.by_url[url]["main_content"] for url in empty} == {""}
    assert {url for url, text in (texts | late).items() if text not in result.by_url[url]["main_content"]} == set()
    for name, source in (("koi8-r", "argument"), ("koi8-r-unstated", "detected")):
        summary = result.by_url[site.url(f"/all/{name}")]["web2text"]
        assert (summary["encoding"], summary["encoding_source"]) == ("koi8-r", source)
    stats = result.web2text_stats
    skipped = {name: n for name, n in stats.items() if name.startswith("skipped/")}
    assert skipped == Counter(f"skipped/{reason}" for reason in reasons.values())
    assert stats["pages"] == len(empty) + len(texts) + len(late)


def test_settings_can_be_strings_as_from_the_command_line(site: MockSite):
    settings = {
        "WEB2TEXT_TIMEOUT": "none",
        "WEB2TEXT_MAX_BYTES": "100000",
        "WEB2TEXT_WORKERS": "1",
        "WEB2TEXT_IN_MIDDLEWARE": "False",
        "WEB2TEXT_FIELDS": '{"text": "text"}',
        "WEB2TEXT_FALLBACK": "",
        "WEB2TEXT_STATUSES": "200-299,404",
    }
    (item,) = crawl_page(site.add("/page", article(), status=404), {**PIPELINE, **settings}).items
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
    fields = {
        "body": "html",
        "md": "markdown",
        "parts": "paragraphs",
        "by": "author",
        "said": "metadata",
        "rag": "chunks",
    }
    page = article().replace("<title>", '<meta name="author" content="Ada Penn"><title>')
    item = crawl_page(site.add("/forms", page), {**ADDON, "WEB2TEXT_FIELDS": fields}).items[0]
    assert f"<p>{SENTENCE} {SENTENCE}</p>" in item["body"]
    assert f"{SENTENCE} {SENTENCE}" in item["md"]
    assert {part["kind"] for part in item["parts"]} >= {"paragraph"}
    assert [chunk["position"] for chunk in item["rag"]] == [*range(len(item["rag"]))] != []
    assert item["by"] == "Ada Penn"
    assert item["said"]["author"] == "Ada Penn"


def test_two_crawls_in_one_process_are_independent(site: MockSite):
    for n in (1, 2):
        result = crawl_page(site.url("/article"), {**ADDON, "WEB2TEXT_FIELDS": {f"text{n}": "text"}})
        assert set(result.items[0]) == {"url", "title", f"text{n}"}
        assert result.web2text_stats["pages"] == 1


def test_the_crawl_ends_with_a_summary_in_one_line(site: MockSite, caplog, tmp_path):
    caplog.set_level(logging.DEBUG)
    urls = [site.add(f"/page{n}", article()) for n in range(5)]
    broken = str(tmp_path / "no-model")
    settings = {"WEB2TEXT_MODEL": broken, "WEB2TEXT_ON_MISSING_MODEL": "fallback"}
    crawl(spider_of(*urls, site.add("/image", PNG), **ADDON), settings)
    (record,) = [record for record in caplog.records if record.getMessage().startswith("Main content of ")]
    assert re.fullmatch(
        r"Main content of pages: 5 pages; content 5; skipped 1 \(not_html 1\); fallbacks 5 \(no_model 5\); "
        r"median confidence \.9\d; [\d.]+ ms per page(| with the reader in Python)",
        record.getMessage(),
    )
    assert (record.levelname, record.name, record.spider.name) == ("INFO", "scrapy_web2text.crawl.journal", "pages")
    logged = [record for record in caplog.records if record.getMessage().startswith(f"Extracted {urls[0]} by rules: ")]
    assert [(record.levelname, record.spider.name) for record in logged] == [("DEBUG", "pages")]


def test_a_long_crawl_has_a_summary_at_intervals(site: MockSite, caplog):
    caplog.set_level(logging.INFO)
    urls = [site.add(f"/page{n}", article()) for n in range(4)]
    crawl(spider_of(*urls, **ADDON, DOWNLOAD_DELAY=0.1, WEB2TEXT_LOG_INTERVAL="0.05"))
    lines = [message for message in caplog.messages if message.startswith("Main content of pages: ")]
    assert len(lines) > 2
    assert "4 pages; content 4; " in lines[-1]


@pytest.mark.parametrize("pattern", ["127.0.0.1/article/", "127.0.0.1/article", "other.example/*"])
def test_a_rule_that_applies_to_no_page_of_its_host_is_reported(site: MockSite, caplog, pattern):
    settings = {**ADDON, "WEB2TEXT_SITES": {pattern: {"threshold": 0.5}}}
    crawl(spider_of(site.url("/article")), settings)
    reports = [message for message in caplog.messages if "WEB2TEXT_SITES" in message]
    expected = f"The rule for {pattern!r} in WEB2TEXT_SITES applied to no page of its host"
    assert [report.partition(". Its path")[0] for report in reports] == [expected] * pattern.endswith("article/")
