"""Injection by scrapy-poet, in whole crawls."""

from __future__ import annotations

from typing import Annotated, Any

import attrs
import pytest
from mockserver import SENTENCE, CrawlResult, MockSite, article, crawl, spider_of
from scrapy import Request
from scrapy.http import Response
from scrapy_poet import DummyResponse, PageObjectInputProvider
from subprocesses import run_python
from web_poet import AnyResponse, BrowserResponse, ItemPage, Returns, field
from web_poet.serialization import deserialize_leaf, serialize_leaf
from zyte_common_items import Article, AutoArticlePage

from scrapy_web2text import Extraction, Extractor, MainContent, Web2TextPipeline, extract
from scrapy_web2text.adapters.zyte import to_article
from scrapy_web2text.poet import ArticleProvider, MainContentProvider

RULES = "shallow:numwords"
ADDONS = {"ADDONS": {"scrapy_poet.Addon": 300, "scrapy_web2text.Addon": 400}}


@attrs.define
class News:
    headline: str
    body: str


@attrs.define
class NewsPage(ItemPage, Returns[News]):
    content: MainContent

    @field
    def headline(self) -> str:
        return self.content.title

    @field
    def body(self) -> str:
        return self.content.text


def parse_content(self, response, content: MainContent):
    yield {"url": response.url, "text": content.text, "summary": content.summary, "type": type(content)}


async def parse_page_object(self, response: DummyResponse, page: NewsPage):
    yield attrs.asdict(await page.to_item())


async def parse_both(self, response, content: MainContent, page: NewsPage):
    yield {"url": response.url, "same": content is page.content, "text": content.text}


@pytest.fixture
def calls(monkeypatch) -> list[str]:
    """The URLs that are extracted."""
    calls = []
    extract = Extractor.extract

    def count(self: Extractor, html: Any, url: str | None = None, **kwargs: Any) -> Extraction:
        calls.append(url)
        return extract(self, html, url, **kwargs)

    monkeypatch.setattr(Extractor, "extract", count)
    return calls


def crawl_page(
    url: str, settings: dict[str, Any] | None = None, *, parse: Any = parse_content, meta: Any = None, **attributes: Any
) -> CrawlResult:
    async def start(self):
        yield Request(url, meta=meta)

    result = crawl(spider_of(start=start, parse=parse, **attributes), {**ADDONS, **(settings or {})})
    assert "log_count/ERROR" not in result.stats
    return result


def test_a_callback_gets_the_main_content_of_its_page(site: MockSite):
    (item,) = crawl_page(site.url("/article")).items
    expected = extract(article().encode(), site.url("/article"), encoding="utf-8", model=RULES)
    assert (item["type"], item["text"], item["summary"]) == (MainContent, expected.text, expected.summary)


def test_a_page_object_gets_it_and_the_page_is_downloaded_for_it(site: MockSite):
    (item,) = crawl_page(site.url("/article"), parse=parse_page_object).items
    assert (item["headline"], SENTENCE in item["body"]) == ("The bridge", True)


def test_no_page_is_extracted_twice(site: MockSite, calls):
    result = crawl_page(site.url("/article"), {"WEB2TEXT_IN_MIDDLEWARE": True}, parse=parse_both)
    (item,) = result.items
    assert item["same"]
    assert item["text"] == item["main_content"]
    assert calls == [site.url("/article")]
    assert result.web2text_stats == {"pages": 1, "method/rules": 1}


def test_the_options_of_spider_and_request_apply(site: MockSite):
    url, by_spider = site.url("/article"), {"web2text": {"model": "bte"}}
    crawls = crawl_page(url, **by_spider), crawl_page(url, meta={"web2text": {"model": RULES}}, **by_spider)
    assert [result.items[0]["summary"]["model"] for result in crawls] == ["bte", RULES]


def test_a_request_without_extraction_and_the_off_switch_give_an_empty_content(site: MockSite):
    without_pipeline = {"ITEM_PIPELINES": {Web2TextPipeline: None}}
    skipped = crawl_page(site.url("/article"), without_pipeline, meta={"web2text": False})
    assert skipped.web2text_stats == {"skipped/disabled": 1}
    for result in (skipped, crawl_page(site.url("/article"), {"WEB2TEXT_ENABLED": False})):
        assert result.items[0]["text"] == ""
        assert result.items[0]["summary"]["reason"] == "disabled"


class ShownProvider(PageObjectInputProvider):
    """The page as a browser shows it, as scrapy-zyte-api provides it."""

    provided_classes = frozenset({BrowserResponse, AnyResponse})
    name = "shown"

    def __call__(self, to_provide: set, response: Response):
        shown = BrowserResponse(response.url, html=article(f"By script: {SENTENCE}") + "\ud800")
        return [shown if cls is BrowserResponse else AnyResponse(shown) for cls in to_provide]


@pytest.mark.parametrize("cls", [BrowserResponse, AnyResponse])
def test_the_page_of_a_browser_is_preferred(site: MockSite, cls):
    def parse(self, response, shown, content: MainContent):
        yield {"url": response.url, "text": content.text}

    parse.__annotations__ = {"shown": cls, "content": MainContent}
    url = site.add("/shell", "<title>App</title><script src=app.js></script>")
    (item,) = crawl_page(url, {"SCRAPY_POET_PROVIDERS": {ShownProvider: 1100}}, parse=parse).items
    assert "By script" in item["text"]


@attrs.define
class BridgePage(AutoArticlePage):
    @field
    def headline(self) -> str:
        return self.article.headline.upper()


async def parse_article(self, response: DummyResponse, page: BridgePage, article: Annotated[Article, "any"]):
    yield await page.to_item()
    yield article


def test_articles_of_zyte_common_items_are_provided_to_callbacks_and_page_objects(site: MockSite, calls):
    settings = {
        "SCRAPY_POET_PROVIDERS": {ArticleProvider: 500},
        "ITEM_PIPELINES": {Web2TextPipeline: None},
    }
    by_page, annotated = crawl_page(site.url("/article"), settings, parse=parse_article).items
    expected = to_article(
        Extractor(model=RULES, html=True, metadata=True).extract(article().encode(), site.url("/article"))
    )
    assert annotated == expected
    assert (by_page.headline, by_page.articleBody) == ("THE BRIDGE", expected.articleBody)
    assert len(calls) == 2  # this test and the crawl


def test_scrapy_poets_cache_keeps_the_content(site: MockSite, tmp_path, calls):
    settings = {"SCRAPY_POET_CACHE": str(tmp_path / "cache"), "ITEM_PIPELINES": {Web2TextPipeline: None}}
    first, second = (crawl_page(site.url("/article"), settings) for _ in range(2))
    assert first.items == second.items
    assert SENTENCE in first.items[0]["text"]
    assert len(calls) == 1
    assert second.stats["poet/cache/hit"] == 1


@pytest.mark.parametrize(
    "options",
    [{"blocks": "none"}, {"blocks": "all"}, {"html": True, "markdown": True, "paragraphs": True}],
    ids=["text", "blocks", "forms"],
)
def test_content_is_an_extraction_and_the_same_after_it_was_stored(options):
    extraction = Extractor(model="shallow", **options).extract(article(), "http://example.com/")
    content = MainContent.from_extraction(extraction)
    assert isinstance(content, Extraction)
    assert content.to_dict() == extraction.to_dict()
    assert bool(content.blocks) == (options.get("blocks") != "none")
    assert bool(content.field("paragraphs")) == bool(content.field("html")) == ("html" in options)
    restored = deserialize_leaf(MainContent, serialize_leaf(content))
    assert restored == content
    assert restored.to_dict() == content.to_dict()


def test_the_provider_works_without_the_addon(site: MockSite):
    settings = {"ADDONS": {"scrapy_poet.Addon": 300}, "SCRAPY_POET_PROVIDERS": {MainContentProvider: 500}}
    result = crawl_page(site.url("/article"), settings)
    assert SENTENCE in result.items[0]["text"]
    assert "main_content" not in result.items[0]


def test_main_content_can_be_named_where_scrapy_poet_is_not_installed():
    code = (
        "import sys; sys.modules['scrapy_poet'] = sys.modules['web_poet'] = None; "
        "from scrapy_web2text import *; print(MainContent.__name__)"
    )
    assert run_python(code) == "MainContent"
