"""From the name of a page to its URL and the options of its site: one way for all commands."""

from __future__ import annotations

import json
import re
from pathlib import Path

import inline_workers
import pytest
from mockserver import SENTENCE, article
from view.served import open_session

from scrapy_web2text.cli.main import main
from scrapy_web2text.sources.files import facts_path
from scrapy_web2text.workers.processes import WorkerProcesses

KEPT = "https://kept.example/a"
RULES = ("--model", "shallow:numwords")


def extract(capsys, page, *arguments):
    assert main(["extract", page, "--format", "json", *RULES, *arguments]) == 0
    found = json.loads(capsys.readouterr().out)
    return found["url"], found["text"]


def batch(capsys, page, *arguments):
    assert main(["batch", page, "--out", "-", "--jobs", "1", *RULES, *arguments]) == 0
    found = json.loads(capsys.readouterr().out)
    return found.get("url"), found["text"]


def view(capsys, page, *arguments):
    assert main(["view", page, "--out", "view.html", "--force", *RULES, *arguments]) == 0
    capsys.readouterr()
    (shown,) = re.findall(r'id="page-0">(.*?)</script>', Path("view.html").read_text(encoding="utf-8"))
    found = json.loads(shown)
    return found["facts"].get("url"), find_content(found)


def label(capsys, page, *arguments):
    found = open_session(page, "--out", "labels.jsonl", *RULES, *arguments).read(0)
    capsys.readouterr()
    return found["facts"].get("url"), find_content(found)


def find_content(shown):
    return "\n".join(text for text, label in zip(shown["texts"], shown["labels"], strict=True) if label)


every_command = pytest.mark.parametrize("ask", [extract, batch, view, label])


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder with a page that says its URL, a page of a snapshot, and a rule for the site of the latter."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(WorkerProcesses, "run", inline_workers.run)
    pages = tmp_path / "pages"
    pages.mkdir()
    html = article().replace("<head>", "<head><link rel=canonical href=https://said.example/c>", 1)
    for name in ("kept.html", "other.html"):
        (pages / name).write_text(html, encoding="utf-8")
    facts_path(pages / "kept.html").write_text(json.dumps({"url": KEPT}), encoding="utf-8")
    (tmp_path / "sites.toml").write_text('["kept.example"]\nexclude = "p"\n', encoding="utf-8")
    return pages


@every_command
@pytest.mark.parametrize("sources", [(), ("--url-from", "canonical", "--url-from", "https://e.example/{path}")])
def test_a_page_of_a_snapshot_has_the_url_that_is_kept(capsys, ask, sources):
    assert ask(capsys, "pages/kept.html", *sources)[0] == KEPT


@every_command
def test_the_rule_for_its_site_applies(capsys, ask):
    assert SENTENCE in ask(capsys, "pages/kept.html")[1]
    assert SENTENCE not in ask(capsys, "pages/kept.html", "--sites", "sites.toml")[1]
    assert SENTENCE in ask(capsys, "pages/other.html", "--sites", "sites.toml")[1]


@every_command
def test_a_template_has_the_path_of_a_file_as_it_is_given(capsys, ask):
    template = ("--url-from", "https://e.example/{path}")
    assert ask(capsys, "pages/other.html", *template)[0] == "https://e.example/pages/other.html"


@pytest.mark.parametrize("ask", [batch, view, label])
def test_in_a_folder_it_has_the_path_in_the_folder(capsys, ask, folder):
    (folder / "kept.html").unlink()
    assert ask(capsys, "pages", "--url-from", "https://e.example/{path}")[0] == "https://e.example/other.html"


@every_command
def test_the_page_says_its_url_if_asked_or_if_there_are_rules(capsys, ask):
    said = "https://said.example/c"
    assert ask(capsys, "pages/other.html")[0] is None
    assert ask(capsys, "pages/other.html", "--url-from", "canonical")[0] == said
    assert ask(capsys, "pages/other.html", "--sites", "sites.toml")[0] == said
