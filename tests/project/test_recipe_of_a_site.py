"""The recipe "My site comes out wrong" of the documentation, run as it is written, on a local site."""

from __future__ import annotations

import ast
import json
import re
import shlex
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit

import pytest
from documents import section
from mockserver import NAVIGATION, crawl
from scrapy import Spider

from scrapy_web2text.cli.diff import DIFFERENT
from scrapy_web2text.cli.main import main
from scrapy_web2text.labels.files import read_labels
from scrapy_web2text.view.server import EditorServer
from scrapy_web2text.view.session import LabelsMessage

if TYPE_CHECKING:
    from mockserver import MockSite

RULE_RECIPE, RECIPE = (
    section("fix-a-site.md", title) for title in ("With selectors found by a command", "With a model of its own")
)
RULE_COMMANDS, COMMANDS = (
    [shlex.split(line, comments=True) for line in re.findall(r"^\$ (.*)$", recipe, re.MULTILINE)]
    for recipe in (RULE_RECIPE, RECIPE)
)
MODEL = {"ADDONS": {"scrapy_web2text.Addon": 300}, "WEB2TEXT_MODEL": "web2text-2026"}
N_PAGES = 12
LINE = "It was on the {} day of our journey that the {}, which we had followed so far, left its {} valley for the sea. "
WORDS = ("river", "road", "railway", "border", "canal", "path", "coast")
# What the site puts into each story, and its readers do not want.
CLUB = "Members of our readers' club {} read this story a week before all others, and they travel with us each spring. "


def story_of(number: int) -> str:
    """Return a page whose story has a part that only readers of the site know to be boilerplate."""
    lines = [LINE.format(f"{number}{i}th", WORDS[(number + i) % 7], WORDS[(number * i) % 7]) for i in range(8)]
    paragraphs = [f"<p class=line>{line * 2}</p>" for line in lines]
    club = f"<h4>Our club</h4><p class=club-line>{CLUB.format(number)}<a href=/club>Join the club</a></p>"
    body = "".join([*paragraphs[:4], f"<div class=club-teaser>{club}</div>", *paragraphs[4:]])
    return (
        f"<title>Day {number}</title><body><header><ul class=nav>{NAVIGATION}</ul></header>"
        f"<main class=story><h1>Day {number}</h1>{body}</main>"
        "<footer><p>All rights reserved. <a href=/terms>Terms</a> <a href=/imprint>Imprint</a></p></footer></body>"
    )


def run_crawl(words: list[str], site: MockSite, **more: Any) -> Any:
    """Run ``scrapy crawl pages`` with the options in *words*, ``-O FILE`` and ``-s NAME=value``."""

    class Pages(Spider):
        name = "pages"
        start_urls: ClassVar = [site.add(f"/story/{number}", story_of(number)) for number in range(N_PAGES)]

        def parse(self, response):
            yield {"url": response.url}

    options = dict(zip(words[::2], words[1::2], strict=True))
    settings = dict([options["-s"].split("=")]) if "-s" in options else {}
    feeds = {"FEEDS": {options["-O"]: {"format": "jsonlines", "overwrite": True}}} if "-O" in options else {}
    return crawl(Pages, {**MODEL, **settings, **feeds, **more})


def label_all(server: EditorServer) -> None:
    """Label all pages, as readers of the site would, in place of a browser; then end the command."""
    for number in range(len(server.session)):
        page = server.session.read(number)
        labels = "".join(str(int("journey" in text or text.startswith("Day"))) for text in page["texts"])
        server.session.save(number, LabelsMessage(labels, page["saved"]["version"], done=True))
    raise KeyboardInterrupt


@pytest.fixture(autouse=True)
def readers(tmp_path, monkeypatch):
    """The commands run in a new folder, and readers of the site answer in place of a browser."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("webbrowser.open", lambda url: None)
    monkeypatch.setattr(EditorServer, "serve_forever", label_all)


def test_the_recipe_leads_from_the_wrong_item_to_a_rule(site: MockSite, capsys):
    crawled, labeled, found = [[word.replace("example.com", "127.0.0.1") for word in words] for words in RULE_COMMANDS]
    assert (crawled[:2], labeled[:2], found[:2]) == (["scrapy", "crawl"], ["web2text", "label"], ["web2text", "rule"])
    before = run_crawl(crawled[3:], site).by_url
    assert all("readers' club" in item["main_content"] for item in before.values())

    assert main(labeled[1:]) == 0
    capsys.readouterr()
    assert main(found[1:]) == 0
    messages = capsys.readouterr().err
    netloc = urlsplit(next(iter(before))).netloc
    shown = [line.replace("example.com", netloc) for line in RULE_RECIPE.splitlines() if "web2text rule:" in line]
    assert messages.splitlines() == shown

    (name,) = re.findall(r'WEB2TEXT_SITES = "(.*)"', RULE_RECIPE)
    after = run_crawl([], site, WEB2TEXT_SITES=name).by_url
    assert not any("readers' club" in item["main_content"] for item in after.values())
    assert all("journey" in item["main_content"] for item in after.values())


def test_it_has_these_commands():
    first = [" ".join(words[:2]) for words in COMMANDS]
    names = ("view", "label", "tune", "batch", "batch", "diff")
    expected = ["scrapy crawl", *(f"web2text {name}" for name in names)]
    assert first == expected


def test_the_recipe_leads_from_the_wrong_item_to_the_tuned_model(site: MockSite, tmp_path, monkeypatch, capsys):
    pytest.importorskip("torch", reason="needs torch")
    from scrapy_web2text.training.modern import tuning

    monkeypatch.setattr(tuning, "TuningChoice", partial(tuning.TuningChoice, rounds=3, patience=1))  # faster
    crawled, *commands = [[word.replace("example.com", "127.0.0.1") for word in words] for words in COMMANDS]
    before = run_crawl(crawled[3:], site).by_url
    assert all("readers' club" in item["main_content"] for item in before.values())

    statuses = [main(words[1:]) for words in commands]
    output = capsys.readouterr().out
    assert statuses == [0, 0, 0, 0, 0, DIFFERENT]
    assert len(read_labels(tmp_path / "labels.jsonl")) == N_PAGES
    assert f"labeled pages    {N_PAGES}, each held out once" in output
    assert json.loads((tmp_path / "my-site" / "manifest.json").read_text(encoding="utf-8"))
    assert re.search(rf"line lost +Our club \({N_PAGES} of {N_PAGES} pages", output)
    assert all((tmp_path / name).stat().st_size > 10_000 for name in ("wrong.html", "diff.html"))

    (rule,) = re.findall(r"WEB2TEXT_SITES = (.*)", RECIPE)
    sites = ast.literal_eval(rule.replace("example.com", "127.0.0.1"))
    after = run_crawl([], site, WEB2TEXT_SITES=sites).by_url
    assert not any("readers' club" in item["main_content"] for item in after.values())
    assert all("journey" in item["main_content"] for item in after.values())
