"""The recipes for other packages, where these are installed."""

from __future__ import annotations

import json
import re
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from runpy import run_path
from typing import TYPE_CHECKING, Any

import attrs
import pytest
from documents import code_blocks, section
from mockserver import ADDON, SENTENCE, MockSite, article, crawl, spider_of
from places import ROOT
from scrapy.settings import Settings
from scrapy_poet import DummyResponse
from subprocesses import run_script
from view.browser import CHROMIUM
from zyte_common_items import AutoArticlePage

from scrapy_web2text import Addon
from scrapy_web2text.options import DEFAULT_MODEL

if TYPE_CHECKING:
    from collections.abc import Iterator

HANDLER = "scrapy.core.downloader.handlers._aiohttp.AiohttpDownloadHandler"  # needs no reactor of Twisted
LOGIN = "<title>Log in</title><form>Please log in<input type=password></form>"
SHELL = f"<title>App</title><script>document.write(`{article().partition('<body>')[2]}`)</script>"


def recipe(heading: str, number: int = 0, **names: Any) -> dict[str, Any]:
    """Return what a block of Python below *heading* defines."""
    blocks = re.findall(r"^```python\n(.*?)^```", section("recipes.md", heading), re.MULTILINE | re.DOTALL)
    exec(blocks[number], names)
    return names


@pytest.fixture
def api() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The address of a server with the interface of Zyte API, whose browser runs scripts, and what it was asked for."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            answer = {"url": asked[-1]["url"], "statusCode": 200, "browserHtml": article()}
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/", asked
    server.shutdown()
    server.server_close()


def zyte_settings(url: str) -> dict[str, Any]:
    pytest.importorskip("scrapy_zyte_api", reason="needs scrapy-zyte-api")
    addons = {"scrapy_poet.Addon": 300, "scrapy_web2text.Addon": 400, "scrapy_zyte_api.Addon": 500}
    others = dict.fromkeys(("ZYTE_API_FALLBACK_HTTP_HANDLER", "ZYTE_API_FALLBACK_HTTPS_HANDLER"), HANDLER)
    return {"ADDONS": addons, "ZYTE_API_KEY": "a", "ZYTE_API_URL": url, **others}


def test_scrapy_zyte_api(api):
    url, asked = api
    result = crawl(recipe("With scrapy-zyte-api")["RenderedSpider"], zyte_settings(url))
    assert SENTENCE in result.items[0]["main_content"]
    assert [request.get("browserHtml") for request in asked] == [True]


@attrs.define
class BridgePage(AutoArticlePage):
    pass


async def parse_page(self, response: DummyResponse, page: BridgePage):
    yield await page.to_item()


def test_page_objects_for_zyte_api_get_an_article_without_asking_it_for_one(api):
    url, asked = api
    settings = recipe("Page objects that need an Article")
    chosen = {"SCRAPY_POET_PROVIDERS": settings["SCRAPY_POET_PROVIDERS"]} | zyte_settings(url) | {"WEB2TEXT_FIELDS": {}}
    chosen["ZYTE_API_AUTOMAP_PARAMS"] = {"browserHtml": True}
    (item,) = crawl(spider_of("https://example.com/story", parse=parse_page), chosen).items
    assert (item.headline, SENTENCE in item.articleBodyHtml) == ("The bridge", True)
    assert [request.get("article") for request in asked] == [None]


def test_scrapy_playwright(site: MockSite, tmp_path):
    pytest.importorskip("scrapy_playwright", reason="needs scrapy-playwright")
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    settings, spider = (
        block.text for block in code_blocks("python", pages=("recipes.md",)) if "playwright" in block.text
    )
    code = f"""
import json
from scrapy.crawler import CrawlerProcess
{settings}
{spider.replace("https://example.com/app", site.add("/app", SHELL))}
process = CrawlerProcess({{
    **{ADDON}, "DOWNLOAD_HANDLERS": DOWNLOAD_HANDLERS, "FEEDS": {{"items.jsonl": {{"format": "jsonlines"}}}},
    "PLAYWRIGHT_LAUNCH_OPTIONS": {{"executable_path": {CHROMIUM!r}, "args": ["--no-sandbox"]}},
}})
process.crawl(ShellSpider)
process.start()
"""
    run_script(code, tmp_path)
    (line,) = (tmp_path / "items.jsonl").read_text(encoding="utf-8").splitlines()
    assert SENTENCE in json.loads(line)["main_content"]


@pytest.mark.filterwarnings("ignore:Spider.log")
@pytest.mark.parametrize(
    ("page", "failed"),
    [(article(), set()), (LOGIN, {"few_pages_are_walls"})],
    ids=["article", "login"],
)
def test_spidermon(site: MockSite, caplog, page, failed):
    pytest.importorskip("spidermon", reason="needs spidermon")
    heading = "Monitors for Spidermon"
    chosen = {name: value for name, value in recipe(heading, 1).items() if name.isupper()}
    chosen |= {
        "SPIDERMON_SPIDER_CLOSE_MONITORS": [recipe(heading)["MainContentSuite"]],
        "WEB2TEXT_MODEL": DEFAULT_MODEL,
    }
    caplog.set_level("INFO")
    crawl(spider_of(site.add("/page", page)), {**ADDON, **chosen})
    found = dict(
        re.findall(
            r"^\[Spidermon\] MainContentMonitor/test_(\w+)\.\.\. (\w+)", "\n".join(caplog.messages), re.MULTILINE
        )
    )
    assert len(found) == 4
    assert {name for name, state in found.items() if state != "OK"} == failed


def test_without_the_addon_the_log_has_no_whole_texts_and_the_contract_is_known(site: MockSite, caplog):
    caplog.set_level("DEBUG", logger="scrapy.core.scraper")
    settings = {name: value for name, value in recipe("Without the add-on").items() if name.isupper()}
    (item,) = crawl(spider_of(site.add("/page", article(SENTENCE * 20))), settings).items
    (scraped,) = [message for message in caplog.messages if message.startswith("Scraped from")]
    assert len(str(item)) > 5_000 > 1_500 > len(scraped)
    added = Settings()
    Addon.update_pre_crawler_settings(added)
    assert settings["SPIDER_CONTRACTS"] == added.getdict("SPIDER_CONTRACTS")


def test_prometheus(site: MockSite):
    pytest.importorskip("prometheus_client", reason="needs prometheus-client")
    from prometheus_client import REGISTRY

    extension = recipe("Numbers for Prometheus or StatsD")["PrometheusStats"]
    crawl(spider_of(site.url("/article")), {**ADDON, "EXTENSIONS": {extension: 500}, "PROMETHEUS_PORT": 0})
    assert REGISTRY.get_sample_value("scrapy_web2text", {"stat": "pages"}) == 1


def test_statsd(site: MockSite):
    collector = run_path(str(ROOT / "example_project" / "example_project" / "statsd.py"))["StatsdStats"]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        server.settimeout(5)
        crawl(
            spider_of(site.url("/article")), {**ADDON, "STATS_CLASS": collector, "STATSD_PORT": server.getsockname()[1]}
        )
        sent = {server.recv(1000) for _ in range(4)}
    assert {b"web2text.pages:1|c", b"web2text.method.rules:1|c", b"web2text.page_kind.content:1|c"} < sent
