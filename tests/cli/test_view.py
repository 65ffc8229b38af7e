from __future__ import annotations

import gzip
import io
import json
import re

import pytest
from mockserver import article, write_articles

from scrapy_web2text import extract
from scrapy_web2text.cli.main import main

PAGE = re.compile(r'<script type="application/json" id="page-\d+">(.*?)</script>')


@pytest.fixture
def run(tmp_path, capsys):
    """Run the command in this process; return its status, the data of the pages in the viewer, and messages."""

    def run(*arguments: object):
        out = tmp_path / "view.html"
        status = main(["view", *map(str, arguments), "--out", str(out)])
        html = out.read_text(encoding="utf-8") if out.exists() else ""
        return status, [json.loads(data) for data in PAGE.findall(html)], capsys.readouterr().err

    return run


@pytest.fixture
def folder(tmp_path):
    return write_articles(tmp_path / "pages", 3)


def write_feed(path, items):
    text = "".join(f"{json.dumps(item)}\n\n" for item in items)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def test_a_page_is_shown(run, folder, monkeypatch):
    monkeypatch.chdir(folder)
    status, pages, err = run("0.html", "--url-from", "https://x.example/{path}", "--model", "bte")
    assert (status, len(pages)) == (0, 1)
    assert (pages[0]["facts"]["url"], pages[0]["facts"]["model"]) == ("https://x.example/0.html", "bte")
    assert pages[0]["html"]
    assert err.endswith("view.html: 1 page\n")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(article().encode())))
    assert len(run("-")[1]) == 1


def test_a_feed_is_not_read_from_standard_input(run, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b'\n{"url": "https://a.example/", "text": "a"}\n')))
    status, pages, err = run("-")
    assert (status, pages) == (1, [])
    assert err == "web2text view: - is one HTML page; name the feed as a file\n"


def test_a_folder_is_a_list_of_the_least_sure_pages(run, folder):
    status, pages, err = run(folder, "--limit", 2)
    confidences = [page["facts"]["confidence"] for page in pages]
    assert (status, confidences) == (0, sorted(confidences))
    assert err.endswith("view.html: 2 pages\n")


@pytest.mark.parametrize("name", ["feed.jsonl", "feed.jl.gz"])
def test_a_feed_shows_its_items(run, folder, tmp_path, name):
    answer = extract(article())
    items = [{**answer.to_dict(), "url": "https://x.example/"}, {"path": "0.html", "text": "a"}, {"text": "b"}]
    _, pages, _ = run(write_feed(tmp_path / name, items))
    assert {page["name"] for page in pages} == {"https://x.example/", "0.html", "line 5"}
    assert [page["html"] for page in pages] == [None] * 3


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("[1]", "expected an object, got a list"),
        ("{", "expected JSON, got"),
        ("[" * 200_000, "expected JSON"),
        ("", "found none"),
    ],
    ids=["list", "broken", "deep", "empty"],
)
def test_a_broken_feed_is_reported(run, tmp_path, line, problem):
    path = tmp_path / "feed.jsonl"
    path.write_text(line, encoding="utf-8")
    status, pages, err = run(path)
    assert (status, pages) == (1, [])
    assert problem in err


def test_not_a_number_is_no_confidence(run, tmp_path):
    path = tmp_path / "feed.jsonl"
    path.write_text('{"confidence": NaN, "text": "a"}', encoding="utf-8")
    assert "confidence" not in run(path)[1][0]["facts"]


def test_only_a_viewer_is_overwritten(run, folder, tmp_path):
    (tmp_path / "view.html").write_text("mine", encoding="utf-8")
    status, _, err = run(folder)
    assert status == 1
    assert "exists; --force overwrites it" in err
    assert run(folder, "--force")[0] == 0
    assert run(folder)[0] == 0


def test_a_viewer_in_the_folder_of_the_pages_is_not_one_of_them(run, folder, tmp_path):
    assert tmp_path in folder.parents
    assert [len(run(tmp_path)[1]) for _ in range(2)] == [3, 3]
    (folder / "old.html").write_bytes((tmp_path / "view.html").read_bytes())
    assert len(run(folder)[1]) == 3
