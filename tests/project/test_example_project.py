from __future__ import annotations

import importlib
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from places import ROOT
from scrapy.http import HtmlResponse, TextResponse
from twisted.python.failure import Failure

pytestmark = pytest.mark.crawl

PROJECT = ROOT / "example_project"
SITE = PROJECT / "site"
OTHER_FILES = {"/docs/stations.json", "/shop/cable-lengths.txt"}
OTHERS = ("articles", "notes")
RULES = ("-s", "WEB2TEXT_MODEL=shallow:numwords")


def page_paths() -> set[str]:
    pages = (path.relative_to(SITE).as_posix() for path in SITE.rglob("*.htm*"))
    return {"/" + page.removesuffix("index.html") for page in pages}


def run_demo(feed: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-X", "utf8", "-W", "error", str(PROJECT / "demo.py"), "-o", str(feed), *arguments]
    return subprocess.run(command, capture_output=True, encoding="utf-8", timeout=120, check=False)


@dataclass(frozen=True)
class Demo:
    done: subprocess.CompletedProcess[str]
    items: list[dict[str, Any]]
    others: dict[str, list[dict[str, Any]]]

    def item(self, path: str) -> dict[str, Any]:
        [item] = [item for item in self.items if urlsplit(item["url"]).path == path]
        return item


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    feed = tmp_path_factory.mktemp("demo") / "clean.jsonl"
    done = run_demo(feed, *RULES)
    return Demo(done, read_feed(feed), {name: read_feed(feed.with_name(f"{name}.jsonl")) for name in OTHERS})


def read_feed(feed: Path) -> list[dict[str, Any]]:
    lines = feed.read_bytes().decode("utf-8").splitlines() if feed.exists() else []
    return [json.loads(line) for line in lines]


@pytest.fixture
def pages_module(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(PROJECT))
    return importlib.import_module("example_project.spiders.pages")


def test_the_demo_succeeds_and_logs_nothing(demo: Demo) -> None:
    assert (demo.done.returncode, demo.done.stderr) == (0, "")


def test_every_page_becomes_exactly_one_item(demo: Demo) -> None:
    paths = sorted(urlsplit(item["url"]).path for item in demo.items)
    assert paths == sorted(page_paths() | OTHER_FILES)
    assert {tuple(item) for item in demo.items} == {("url", "main_content", "blocks", "web2text")}


def test_the_news_story_is_kept_and_its_surroundings_are_not(demo: Demo) -> None:
    item = demo.item("/courier/night-ferry.html")
    text = item["main_content"]
    assert item["web2text"]["method"] == "rules"
    assert item["web2text"]["title"] == "Night ferry returns to Marrow Bay after eleven years"
    assert "For eleven years the last boat out of Marrow Bay has been the quarter past seven." in text
    assert "The ship is not new. The Saint Brannoc carried sheep" in text
    assert "one of them had asked for the soup recipe." in text
    for around in ("Subscribe", "Front page", "Most read", "Chip shop", "Advertisement", "Manage cookies"):
        assert around not in text


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/kawabe/yado.html", "戸口に吊るされた小さな鈴だけが"),
        ("/heron/light.htm", "the keeper’s wife hung her washing"),
    ],
    ids=["Shift_JIS", "windows-1252"],
)
def test_declared_encodings_are_used(demo: Demo, path: str, words: str) -> None:
    assert words in " ".join(block["text"] for block in demo.item(path)["blocks"])


def test_a_page_without_text_is_still_an_item(demo: Demo) -> None:
    assert len(demo.item("/soon/")["main_content"]) < 40


@pytest.mark.parametrize("path", sorted(OTHER_FILES))
def test_a_file_that_is_not_html_is_skipped_with_a_reason(demo: Demo, path: str) -> None:
    item = demo.item(path)
    assert item["main_content"] == ""
    assert item["web2text"]["method"] == "none"
    assert item["web2text"]["reason"]


def test_the_output_shows_five_pages_and_what_was_removed_and_fits_the_terminal(demo: Demo) -> None:
    first, *lines = demo.done.stdout.splitlines()
    assert first.startswith("Crawling ")
    assert max(len(line) for line in lines[: lines.index("Written:")]) <= 79
    assert len([line for line in lines if line.startswith("  kept ")]) == 5
    removed = lines[lines.index("Night ferry returns to Marrow Bay after eleven years") + 3]
    assert removed.startswith("  removed ")
    assert "Cookie policy" in removed
    assert "not_html" not in demo.done.stdout


def test_the_output_sums_up_the_other_pages(demo: Demo) -> None:
    lines = demo.done.stdout.splitlines()
    [rest] = [line for line in lines if line.startswith("11 more pages: ")]
    assert lines[lines.index(rest) + 2] == "  skipped: 2 not HTML, 1 not found, 2 forbidden by robots.txt"
    for name in ("clean", *OTHERS):
        assert any(f"{name}.jsonl " in line for line in lines)


def test_the_output_ends_with_the_next_commands(demo: Demo) -> None:
    title, *commands = demo.done.stdout.splitlines()[-3:]
    assert title == "Next:"
    assert [command.split("web2text ")[1].split(" ")[0] for command in commands] == ["view", "serve"]


def test_articles_have_their_fields_filled_in(demo: Demo) -> None:
    [article] = [item for item in demo.others["articles"] if item["url"].endswith("/courier/night-ferry.html")]
    assert article["headline"] == "Night ferry returns to Marrow Bay after eleven years"
    assert "For eleven years the last boat out of Marrow Bay" in article["articleBody"]
    assert "<p>For eleven years the last boat out of Marrow Bay" in article["articleBodyHtml"]
    assert len(demo.others["articles"]) == len(page_paths() | OTHER_FILES)


def test_notes_contain_injected_content(demo: Demo) -> None:
    [note] = [item for item in demo.others["notes"] if item["url"].endswith("/courier/night-ferry.html")]
    assert set(note) == {"url", "title", "words", "beginning"}
    assert note["title"] == "Night ferry returns to Marrow Bay after eleven years"
    assert note["words"] > 200
    [note] = [item for item in demo.others["notes"] if item["url"].endswith("/kawabe/yado.html")]
    assert note["words"] > 100  # letters, as Japanese has no spaces
    assert len(note["beginning"]) <= 80
    assert not {urlsplit(item["url"]).path for item in demo.others["notes"]} & OTHER_FILES


def test_the_demo_fails_if_pages_have_no_answer(tmp_path: Path) -> None:
    done = run_demo(tmp_path / "clean.jsonl", "-s", "ADDONS={}")
    assert done.returncode == 1
    assert "16 of 16 pages have no answer: /, /clinic/about.html" in done.stderr


def test_the_spider_stays_on_its_domain_and_sends_at_most_max_pages_requests(pages_module: Any) -> None:
    spider = pages_module.PagesSpider(url="https://www.town.example/", max_pages="3")
    body = """<a href="/a">a</a> <a href="https://other.example/">other</a> <a href="/a#part">a</a>
        <a href="https://sub.town.example/b">b</a> <a href="/">home</a> <a href="/c">c</a>"""
    page, *requests = spider.parse(HtmlResponse("https://www.town.example/", body=body, encoding="utf-8"))
    assert page == {"url": "https://www.town.example/"}
    assert [request.url for request in requests] == ["https://www.town.example/a", "https://sub.town.example/b"]
    assert spider.allowed_domains == ["town.example"]


def test_the_spider_follows_links_in_html_only(pages_module: Any) -> None:
    spider = pages_module.PagesSpider(url="https://town.example/")
    response = TextResponse("https://town.example/x.txt", body=b"<a href='/a'>a</a>")
    assert list(spider.parse(response)) == [{"url": "https://town.example/x.txt"}]


@pytest.mark.parametrize(
    ("name", "value"),
    [("url", "town.example"), ("url", "ftp://town.example/"), ("max_pages", "0"), ("max_pages", "many")],
    ids=["no scheme", "not HTTP", "zero", "not a number"],
)
def test_the_spider_refuses_invalid_arguments(pages_module: Any, name: str, value: str) -> None:
    with pytest.raises(ValueError, match=f"^{name}: expected .*, got '{value}'$"):
        pages_module.PagesSpider(**{name: value})


def test_a_failed_first_request_is_logged_in_one_line(pages_module: Any, caplog: pytest.LogCaptureFixture) -> None:
    pages_module.PagesSpider().explain(Failure(OSError("refused")))  # type: ignore[no-untyped-call]
    [record] = caplog.records
    assert record.getMessage().startswith("Could not fetch http://127.0.0.1:8000/: refused; start the local site with")


def test_a_crawl_that_cannot_start_gives_the_reason(tmp_path: Path) -> None:
    done = run_demo(tmp_path / "clean.jsonl", "-s", "WEB2TEXT_MODEL=no-such-model")
    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    assert line.startswith("Could not start the crawl: ")
    assert "unknown model 'no-such-model'" in line
