"""A newcomer's crawl: every item has the text of its own page, or none and a reason."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import attrs
import pytest
import scrapy
from documents import code_blocks, section
from itemadapter import ItemAdapter
from itemloaders.processors import TakeFirst
from mockserver import ADDON, SENTENCE, CrawlResult, MockSite, article, crawl
from places import ROOT
from scrapy.loader import ItemLoader

from scrapy_web2text import MainContentItem

PAGES = ("list", "boats", "gardens", "kitchens", "ladders", "museums", "old", "rivers")


def sentence(name: str) -> str:
    return f"Everything that the people of the town know about {name} is written down on this page and on no other one."


@pytest.fixture
def shop(site: MockSite) -> MockSite:
    """A list, and the pages to which it links; one is redirected, one names its canonical URL."""
    links = "".join(f"<li><a href='/{name}?utm_source=list'>{name}</a></li>" for name in PAGES[1:])
    site.add("/list", article(sentence("list")).replace("</h1>", f"</h1><ol>{links}</ol>", 1))
    for name in PAGES[1:]:
        site.add(f"/{name}", article(sentence(name)))
    site.add("/old", "", status=301, Location="/museums")
    canonical = f"<link rel=canonical href='{site.url('/the-rivers')}'>"
    site.add("/rivers", article(sentence("rivers")).replace("<head>", f"<head>{canonical}"))
    return site


@dataclass
class DataItem:
    url: str | list[str] = ""
    kind: str = ""
    main_content: str = ""
    web2text: dict[str, Any] | None = None


@attrs.define
class AttrsItem:
    url: str = ""
    kind: str = ""
    main_content: str = ""
    web2text: dict[str, Any] | None = None


class ScrapyItem(MainContentItem):
    kind = scrapy.Field()


class FirstLoader(ItemLoader):
    default_output_processor = TakeFirst()


class Newcomer(scrapy.Spider):
    """Yields items as the tutorials of Scrapy do. The field `kind` says how, and of which page the item is."""

    name = "newcomer"

    def parse(self, response):
        yield {"url": response.url, "kind": "list list"}
        for link in response.css("ol a"):
            yield {"url": response.urljoin(link.attrib["href"]), "kind": "from-list none"}
        yield from response.follow_all(css="ol a", callback=self.parse_page, cb_kwargs={"list_page": response})
        for item_class in (dict, DataItem, AttrsItem, ScrapyItem):
            item = item_class(url=response.urljoin("/boats"), kind=f"cb-kwargs-{item_class.__name__} boats")
            yield response.follow("/boats", self.parse_more, cb_kwargs={"item": item}, dont_filter=True)
        item = {"kind": "meta gardens"}
        yield response.follow("/gardens", self.parse_meta, meta={"item": item}, dont_filter=True)
        yield scrapy.FormRequest(response.urljoin("/kitchens"), self.parse_form, method="GET", formdata={"q": "a"})

    def parse_page(self, response, list_page):
        name = response.request.url.partition("?")[0].rpartition("/")[2]
        page = "museums" if "museums" in response.url else name
        if "redirect_urls" in response.meta:
            yield {"url": response.meta["redirect_urls"][0], "kind": "redirected museums"}
        canonical = response.css("link[rel=canonical]::attr(href)").get()
        if canonical:
            yield {"url": canonical, "kind": f"canonical {page}"}
        for item_class in (DataItem, AttrsItem, ScrapyItem):
            yield item_class(url=response.url, kind=f"{item_class.__name__} {page}")
        for loader_class, item in ((ItemLoader, {}), (ItemLoader, DataItem()), (FirstLoader, ScrapyItem())):
            loader = loader_class(item=item, response=response)
            loader.add_value("url", response.url)
            loader.add_value("kind", f"{loader_class.__name__} {page}")
            yield loader.load_item()
        clean = response.url.partition("?")[0]
        for kind, url in {
            "clean": clean,
            "relative": f"/{page}",
            "fragment": f"{clean}#part",
            "tracking": f"{clean}?fbclid=1&utm_medium=b",
            "slash": f"{clean}/",
        }.items():
            yield {"url": url, "kind": f"{kind} {page}"}
        yield {"kind": f"no-url {page}"}
        yield {"url": "https://elsewhere.test/", "kind": "other-site none"}

    def parse_more(self, response, item):
        yield item

    def parse_meta(self, response):
        item = response.meta["item"]
        item["url"] = response.url
        yield item

    async def parse_form(self, response):
        yield {"url": response.url, "kind": "form kitchens"}
        other = await self.crawler.engine.download_async(scrapy.Request(response.urljoin("/ladders"), dont_filter=True))
        yield {"url": other.url, "kind": "inline ladders"}
        yield {"url": response.url, "kind": "form-again kitchens"}


def run(site: MockSite, spider: type[scrapy.Spider] = Newcomer, **settings: Any) -> CrawlResult:
    spider = type("Started", (spider,), {"start_urls": [site.url("/list")]})
    return crawl(spider, {**ADDON, **settings})


def pages_of(text: str) -> str:
    """Return the names of the pages whose sentences are in *text*."""
    return " ".join(name for name in PAGES if sentence(name) in text)


def test_every_item_has_the_text_of_its_own_page_or_none_and_a_reason(shop: MockSite, caplog):
    result = run(shop)
    found = [ItemAdapter(item) for item in result.items]
    kinds = [item["kind"] if isinstance(item["kind"], str) else item["kind"][-1] for item in found]
    wrong = []
    for item, kind in zip(found, kinds, strict=True):
        how, page = kind.split()
        got = pages_of(item["main_content"])
        # A link of the list may have its page in progress when the item of the list comes to the pipeline.
        named = str(item.get("url")).partition("?")[0].rpartition("/")[2]
        right = {"", named} if how == "from-list" else {"" if page == "none" else page}
        if got not in right or (not got and item["web2text"]["reason"] != "other_url"):
            wrong.append((kind, item.get("url"), got, item["web2text"]["reason"]))
    assert wrong == []
    assert len(set(kinds)) > 70
    assert result.errors == []
    warnings = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert sum("gets no text: it comes from the callback of" in message for message in warnings) == 1


def test_every_page_is_extracted_once(shop: MockSite):
    result = run(shop)
    n_responses = result.stats["response_received_count"]
    assert result.web2text_stats["pages"] <= n_responses


class Strict(Newcomer):
    """Yields only items of other pages."""

    def parse(self, response):
        for link in response.css("ol a"):
            yield {"url": response.urljoin(link.attrib["href"]), "kind": "from-list none"}


def test_items_of_a_list_have_no_text_and_can_be_dropped(shop: MockSite):
    result = run(shop, Strict)
    assert {(item["main_content"], item["web2text"]["reason"]) for item in result.items} == {("", "other_url")}
    assert run(shop, Strict, WEB2TEXT_ON_EMPTY="drop").items == []
    texts = {pages_of(item["main_content"]) for item in run(shop, Strict, WEB2TEXT_URL_FIELD=None).items}
    assert texts == {"list"}


def run_scrapy(*arguments: str, folder: Path, status: int = 0) -> str:
    """Run a command of Scrapy in *folder*, and return its log."""
    path = os.pathsep.join([str(ROOT), *filter(None, sys.path)])
    command = [sys.executable, "-m", "scrapy", *arguments]
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stderr
    return done.stderr


@pytest.mark.parametrize(
    ("setting", "problem"),
    [
        ("WEB2TEXT_THRESHOLD=2", "expected a number between 0 and 1"),
        ("WEB2TEXT_MODEL=web2text-2025", "unknown model 'web2text-2025' (did you mean web2text-2026?)"),
        ("WEB2TEXT_MODEL=./missing", 'For answers by rules, set WEB2TEXT_ON_MISSING_MODEL="fallback"'),
        ('WEB2TEXT_FIELDS={"text": "txet"}', "got 'text': 'txet' (did you mean text?)"),
    ],
)
def test_a_wrong_setting_ends_the_crawl_with_one_line(tmp_path, setting: str, problem: str):
    spider = tmp_path / "spider.py"
    spider.write_text('import scrapy\n\n\nclass Any(scrapy.Spider):\n    name = "any"\n', encoding="utf-8")
    arguments = ["-s", 'ADDONS={"scrapy_web2text.Addon": 300}', "-s", setting, "-L", "WARNING"]
    log = run_scrapy("runspider", str(spider), *arguments, folder=tmp_path, status=1)
    (line,) = log.splitlines()
    assert f" ERROR: {setting.partition('=')[0]}: " in line
    assert problem in line


def test_the_recipe_for_html_in_a_project_of_scrapy_fills_every_feed(site: MockSite, tmp_path):
    run_scrapy("startproject", "trial", folder=tmp_path)
    folder = tmp_path / "trial"
    settings = next(block.text for block in code_blocks("python", pages=("quickstart.md",)) if "FEEDS" in block.text)
    others = {"a.xml": "xml", "a.csv": "csv", "a.txt": "web2text-txt", "a.md": "web2text-markdown"}
    feeds = {name: {"format": kind} for name, kind in others.items()}
    with (folder / "trial" / "settings.py").open("a", encoding="utf-8") as file:
        file.write(f"\n{settings}\nFEEDS |= {feeds}\nROBOTSTXT_OBEY = False\nDOWNLOAD_DELAY = 0\n")
    recipe = section("recipes.md", "Items with HTML of their own").partition("```python\n")[2].partition("```")[0]
    code = recipe.replace("https://example.com/story", site.url("/article"))
    (folder / "trial" / "spiders" / "feed.py").write_text(code, encoding="utf-8")
    log = run_scrapy("crawl", "feed", folder=folder)
    assert " ERROR: " not in log
    assert f"{SENTENCE} {SENTENCE} {SENTENCE}" not in log
    (line,) = (folder / "clean.jsonl").read_text(encoding="utf-8").splitlines()
    item = json.loads(line)
    assert item["html"].startswith("<h1>The bridge</h1>\n<p>The old bridge")
    assert SENTENCE in item["main_content"]
    assert "<p>" not in item["main_content"]
    for name in others:
        assert SENTENCE in (folder / name).read_text(encoding="utf-8")
