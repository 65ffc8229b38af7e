from __future__ import annotations

import gzip
import json
import re

import pytest
from mockserver import SENTENCE, article, write_articles
from view.served import open_session

from scrapy_web2text.cli.main import main
from scrapy_web2text.labels.files import read_labels
from scrapy_web2text.view.server import EditorServer
from scrapy_web2text.view.session import LabelsMessage


@pytest.fixture
def folder(tmp_path):
    return write_articles(tmp_path / "pages", 2)


@pytest.fixture
def out(tmp_path):
    return tmp_path / "labels.jsonl"


def test_the_editor_is_served_on_a_valid_port_until_it_is_interrupted(folder, out, monkeypatch, capsys):
    def interrupt(server):
        raise KeyboardInterrupt

    opened = []
    monkeypatch.setattr(EditorServer, "serve_forever", interrupt)
    monkeypatch.setattr("webbrowser.open", opened.append)
    assert main(["label", str(folder), "--out", str(out)]) == 0
    captured = capsys.readouterr()
    assert opened[0] in captured.out
    assert "2 pages; open http://127.0.0.1:" in captured.out
    assert "0 labeled pages" in captured.err
    assert "next: web2text rule labels.jsonl --out sites.toml" in captured.err
    assert main(["label", str(folder / "0.html"), "--out", str(out), "--no-browser"]) == 0
    again = capsys.readouterr().out
    assert "1 page; open " in again
    assert len(opened) == 1
    port = re.search(r":(\d+)/", opened[0])[1]  # a browser keeps edits by it
    assert f"127.0.0.1:{port}/" in again
    with EditorServer(None, int(port)):
        assert main(["label", str(folder), "--out", str(out), "--no-browser"]) == 1
        assert f"cannot listen at {port}" in capsys.readouterr().err
        assert main(["label", str(folder), "--out", str(out), "--no-browser", "--port", "0"]) == 0
        capsys.readouterr()


def test_pages_that_cannot_be_labeled_are_reported(folder, out, capsys):
    (folder / "empty.html").write_bytes(b"")
    (folder / "broken.html.gz").write_bytes(gzip.compress(b"<p>cut")[:-9])
    assert len(open_session(folder, "--out", out)) == 2
    err = capsys.readouterr().err
    assert "skipped empty.html: " in err
    assert "skipped broken.html.gz: " in err


def test_there_must_be_a_page(tmp_path, out, capsys):
    (tmp_path / "page.html").write_text("<body></body>", encoding="utf-8")
    with pytest.raises(ValueError, match="expected pages with blocks, found none"):
        open_session(tmp_path, "--out", out)
    assert "skipped page.html: " in capsys.readouterr().err
    with pytest.raises(ValueError, match=r"feed.jsonl: expected HTML files, .*, got an archive"):
        open_session(tmp_path / "feed.jsonl", "--out", out)


def test_files_with_one_url_are_two_pages(folder, out):
    assert len(open_session(folder, "--out", out, "--url-from", "https://x.example/")) == 2


def test_files_of_one_name_in_two_folders_are_two_pages(folder, tmp_path, out):
    other = tmp_path / "other"
    other.mkdir()
    (other / "0.html").write_text(article(f"{SENTENCE} Another one."), encoding="utf-8")
    for place in (folder, other, other):
        session = open_session(place, "--out", out)
        number = [entry["name"] for entry in session.list_pages()].index("0.html")
        page = session.read(number)
        labels = "".join(map(str, page["labels"]))
        session.save(number, LabelsMessage(labels, page["saved"]["version"], done=True))
    assert {name for _, name in read_labels(out)} == {"0.html", (other / "0.html").resolve().as_posix()}


@pytest.mark.parametrize("options", [("--model", "bte"), ("--include", "p"), ("--exclude", "p")])
def test_blocks_are_those_of_readings_whatever_answers(folder, out, options):
    own = open_session(folder / "0.html", "--out", out).read(0)
    page = open_session(folder / "0.html", "--out", out, *options).read(0)
    assert page["texts"] == own["texts"]
    assert len(page["labels"]) == len(page["paths"]) == len(own["labels"])
    assert page["html"]


def test_content_from_a_script_is_labeled_by_the_blocks_of_the_page(tmp_path, out):
    body = json.dumps({"@type": "Article", "headline": "A title", "articleBody": f"{SENTENCE} " * 20})
    html = f'<html><body><p>Loading</p><script type="application/ld+json">{body}</script></body></html>'
    (tmp_path / "page.html").write_text(html, encoding="utf-8")
    page = open_session(tmp_path / "page.html", "--out", out).read(0)
    assert (page["texts"], page["labels"]) == (["Loading"], [0])
