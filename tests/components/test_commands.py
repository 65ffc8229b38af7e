"""``scrapy web2text`` as a user calls it: through Scrapy's own command line, in projects and outside of them."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import subprocess
import sys
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

import pytest
from documents import code_blocks
from mockserver import QUIET, SENTENCE, article
from places import DOCS
from scrapy import cmdline
from scrapy.crawler import AsyncCrawlerRunner, Crawler
from scrapy.settings import Settings
from subprocesses import run_python

from scrapy_web2text import Extractor, extract
from scrapy_web2text.commands import Web2TextCommand
from scrapy_web2text.content.forms import FORMATS
from scrapy_web2text.reasons import describe_failure

if TYPE_CHECKING:
    from mockserver import MockSite

RULES = "shallow:numwords"
TEXT = "\n".join(["The bridge", *[f"{SENTENCE} {SENTENCE}"] * 3]) + "\n"
SPIDERS = """
import scrapy

class Bare(scrapy.Spider):
    name = "bare"
    allowed_domains = ["example.com"]
    start_urls = ["http://example.com/"]
    custom_settings = {"WEB2TEXT_FIELDS": {"body": "text"}, "USER_AGENT": "bare/1", "FEEDS": {"bare.jsonl": {}}}
    web2text = {"model": "bte"}
"""


class Process(AsyncCrawlerRunner):
    """Crawls as `AsyncCrawlerProcess` does, but in an event loop that is closed after the test."""

    def crawl(self, crawler: Crawler) -> None:
        self._crawler = crawler

    def start(self) -> None:
        async def run() -> None:
            await AsyncCrawlerRunner.crawl(self, self._crawler)

        asyncio.run(run())


@pytest.fixture
def run(monkeypatch, capsys):
    """Run the command in this process; return its exit code, output and messages."""
    monkeypatch.setattr(cmdline, "AsyncCrawlerProcess", Process)

    def run(*arguments: str, **settings: Any) -> tuple[int, str, str]:
        chosen = {**QUIET, "RETRY_ENABLED": False, "WEB2TEXT_MODEL": RULES, "LOG_ENABLED": False, **settings}
        with pytest.raises(SystemExit) as caught:
            cmdline.execute(["scrapy", "web2text", *arguments], Settings(chosen))
        captured = capsys.readouterr()
        return caught.value.code, captured.out, captured.err

    return run


@pytest.fixture
def project(tmp_path):
    """The folder of a project that obeys robots.txt, has feeds, and cuts its crawls short."""
    package = tmp_path / "shop"
    (package / "spiders").mkdir(parents=True)
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = shop.settings\n")
    (package / "__init__.py").touch()
    (package / "spiders" / "__init__.py").write_text(SPIDERS)
    (package / "settings.py").write_text(
        'SPIDER_MODULES = ["shop.spiders"]\nROBOTSTXT_OBEY = True\nUSER_AGENT = "shop/1"\nRETRY_ENABLED = False\n'
        'ADDONS = {"scrapy_web2text.Addon": 300}\nFEEDS = {"feed.jsonl": {"format": "jsonlines", "overwrite": True}}\n'
        'JOBDIR = "job"\nWEB2TEXT_MODEL = "shallow:numwords"\nWEB2TEXT_ENABLED = False\nLOG_LEVEL = "ERROR"\n'
    )
    (tmp_path / "feed.jsonl").write_text("kept\n")
    return tmp_path


def run_program(*arguments: str, name: str = "web2text", cwd: Any = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-X", "utf8", "-m", "scrapy", name, *arguments]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=600, check=False, cwd=cwd)


def test_scrapy_knows_the_command():
    (entry,) = [entry for entry in entry_points(group="scrapy.commands") if entry.name == "web2text"]
    assert entry.load() is Web2TextCommand


def test_a_page_is_printed_in_the_format(run, site: MockSite):
    form, url = FORMATS["markdown"], site.url("/article")
    expected = Extractor(model=RULES, **form.options).extract(article(), url)
    assert run(url, "--format", "markdown") == (0, form.write(expected) + "\n", "")
    assert run(url) == (0, TEXT, "")


def test_the_url_of_a_file_is_read(run, tmp_path):
    page = tmp_path / "page.html"
    page.write_text(article(), encoding="utf-8")
    assert run(page.as_uri()) == (0, TEXT, "")


def test_json_of_a_page_is_all_of_the_answer(run, site: MockSite):
    url = site.url("/article")
    code, out, err = run(url, "--format", "json")
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert found == {
        **extract(article().encode(), url, encoding="utf-8", model=RULES).to_dict(),
        "elapsed": found["elapsed"],
    }
    assert len(found["blocks"]) == 9


def test_several_pages_come_in_order_each_under_its_name_or_as_a_line_of_json(run, site: MockSite):
    other, url = site.add("/other", article(f"Another {SENTENCE}", title="Other")), site.url("/article")
    code, out, err = run(other, url, other)
    lines = out.splitlines()
    headers = [line for line in lines if line.startswith("### ")]
    assert (code, err) == (0, "")
    assert headers == [f"### {other} | Other", f"### {url} | The bridge", f"### {other} | Other"]
    assert lines[1:2] == ["Other"]
    assert lines[2].startswith("Another The old bridge")
    assert f"\n\n{headers[1]}\n{TEXT}\n" in out

    moved = site.add("/moved", status=301, Location="/other")
    code, out, _ = run(moved, url, "--format", "json", "-s", "WEB2TEXT_BLOCKS=none")
    found = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [(page["url"], page["blocks"]) for page in found] == [(other, []), (url, [])]


def test_a_page_is_read_in_the_encoding_that_its_server_names(run, site: MockSite):
    body = f"<meta charset=utf-8><p>Größe {SENTENCE}".encode("latin-1")
    url = site.add("/latin", body, content_type="text/html; charset=latin-1")
    assert run(url)[1] == f"Größe {SENTENCE}\n"


def test_pages_without_an_answer_are_reported_and_the_others_printed(run, site: MockSite):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        closed = f"http://127.0.0.1:{listener.getsockname()[1]}/"
    names = {
        site.url("/none"): "status 404",
        site.add("/image", b"\x89PNG\r\n", content_type="image/png"): describe_failure("not_html"),
        closed: "onnect",
    }
    code, out, err = run(*names, site.url("/article"))
    assert code == 1
    assert out == f"### {site.url('/article')} | The bridge\n{TEXT}\n"
    messages = err.splitlines()
    assert len(messages) == len(names)
    for message, (name, reason) in zip(messages, names.items(), strict=True):
        assert message.startswith(f"scrapy web2text: {name}: ")
        assert reason in message


def test_a_url_that_the_project_cannot_fetch_is_reported(site: MockSite, project):
    with (project / "shop" / "settings.py").open("a") as settings:
        settings.write("DOWNLOADER_MIDDLEWARES = {'no.such.Middleware': 1}\n")
    done = run_program(site.url("/article"), "--nolog", cwd=project)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"scrapy web2text: {site.url('/article')}: no response\n"


def test_a_failed_fetch_is_told_once_without_log_lines_of_scrapy(project):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        closed = f"http://127.0.0.1:{listener.getsockname()[1]}/"
    done = run_program(closed, "-s", "RETRY_ENABLED=True", "-s", "RETRY_TIMES=1", cwd=project)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.startswith(f"scrapy web2text: {closed}: ")


def test_elements_that_a_page_does_not_have_are_reported(run, site: MockSite):
    url = site.url("/article")
    status, out, err = run(url, WEB2TEXT_INCLUDE=".nope")
    assert (status, SENTENCE in out) == (0, True)
    assert err == (
        f"scrapy web2text: {url}: the selectors of include (.nope) find no text; the page is answered without them\n"
    )


def test_settings_apply(run, site: MockSite):
    page = site.url("/article")
    status, _, err = run(page, "-s", "WEB2TEXT_MAX_BYTES=100")
    message = "no answer: the page is longer than WEB2TEXT_MAX_BYTES (max_bytes)"
    assert (status, err) == (1, f"scrapy web2text: {page}: {message}\n")
    url = site.add("/gone", "<html><body></body></html>", status=410)
    message = "no main content: the page shows no text of its own (empty)"
    assert run(url, "-s", "WEB2TEXT_STATUSES=410") == (0, "", f"scrapy web2text: {url}: {message}\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "expected URLs, got none"),
        (("http://a.test/", "page.html"), "expected URLs, got page.html"),
        (("http://[bad",), "Invalid IPv6 URL"),
        (("-s", "WEB2TEXT_MODEL=nix", "http://x/"), "WEB2TEXT_MODEL: unknown model 'nix'"),
        (("-s", "WEB2TEXT_MODEL=./nix", "http://x/"), "/nix: expected a model folder"),
        (
            ("-s", 'WEB2TEXT_SITES={"a.b": {"model": "nix"}}', "http://x/"),
            "WEB2TEXT_SITES, site 'a.b', key 'model': unknown",
        ),
        (("-s", "WEB2TEXT_ENABLED=False", "http://x/"), "WEB2TEXT_ENABLED is False"),
        (("--spider", "none", "http://x/"), "spider not found: 'none'"),
    ],
    ids=["no-page", "file", "invalid", "model", "folder", "site", "disabled", "spider"],
)
def test_wrong_arguments_and_settings_are_exit_code_2(run, arguments, message):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert "Traceback" not in err


def test_help_describes_the_arguments(run):
    code, out, _ = run("--help")
    assert code == 0
    assert "scrapy web2text [options] URL ..." in out
    assert "{text,markdown,html,json}" in out


def test_the_program_works_outside_of_a_project(site: MockSite, tmp_path):
    done = run_program(site.url("/article"), "-s", f"WEB2TEXT_MODEL={RULES}", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, TEXT, "")


def test_the_program_takes_the_settings_of_its_project_and_touches_none_of_its_files(site: MockSite, project):
    site.add("/robots.txt", "User-agent: shop\nDisallow: /private\n", content_type="text/plain")
    private = site.add("/private", article())
    try:
        done = run_program(site.url("/article"), private, "-s", "ROBOTSTXT_USER_AGENT=shop", cwd=project)
    finally:
        site.add("/robots.txt", "", status=404)
    assert done.returncode == 1
    assert done.stdout == f"### {site.url('/article')} | The bridge\n{TEXT}\n"
    assert done.stderr == f"scrapy web2text: {private}: Forbidden by robots.txt\n"
    assert (project / "feed.jsonl").read_text() == "kept\n"
    assert not (project / "job").exists()


def test_the_settings_of_a_spider_can_be_used(site: MockSite, project):
    done = run_program(site.url("/article"), "--spider", "bare", "--format", "json", cwd=project)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["model"] == "bte"
    assert not (project / "bare.jsonl").exists()


def test_the_command_of_the_quickstart_parses_a_page_and_waits_for_the_pipeline(site: MockSite, project):
    page = (DOCS / "quickstart.md").read_text(encoding="utf-8")
    (options,) = re.findall(r"^\$ scrapy parse (.*) https://", page, re.MULTILINE)
    (spider,) = [block.text for block in code_blocks("python", pages=("quickstart.md",)) if "Spider" in block.text]
    (project / "shop/spiders/news.py").write_text(spider.replace('"example.com"', '"127.0.0.1"'), encoding="utf-8")
    settings = ("-s", "WEB2TEXT_ENABLED=1", "-s", "JOBDIR=", "-s", "ROBOTSTXT_OBEY=0")
    arguments = [*options.split(), "--spider", "news", "--nocolour", *settings, site.url("/article")]
    done = run_program(*arguments, name="parse", cwd=project)
    assert done.returncode == 0
    items = done.stdout.partition("# Scraped Items")[2]
    assert SENTENCE in re.sub(r"'\s+'", "", items)
    assert "'method': 'rules'" in items


def test_the_list_of_commands_loads_nothing_heavy():
    code = (
        "import sys, scrapy.cmdline; before = set(sys.modules); import scrapy_web2text.commands; "
        "print(*sorted(name for name in set(sys.modules) - before))"
    )
    names = ("_version", "commands", "exceptions", "reasons")
    assert run_python(code).split() == ["scrapy_web2text", *(f"scrapy_web2text.{name}" for name in names)]
