"""Whoever reads a page, it is parsed once."""

from __future__ import annotations

import json

import pytest
from view.served import open_session, write_site_page

from scrapy_web2text import Extractor, Options
from scrapy_web2text.batch.page_answers import PageWork, answer_page
from scrapy_web2text.cli.main import main
from scrapy_web2text.page import parse as parse_module
from scrapy_web2text.sources.pages import PageSources
from scrapy_web2text.sources.source import Source
from scrapy_web2text.sources.urls import STATED
from scrapy_web2text.view.seen import show_page
from scrapy_web2text.view.session import LabelsMessage


@pytest.fixture
def parsed(monkeypatch):
    """The pages that were parsed, in order; one that is parsed again is in it twice."""
    found: list[bytes] = []
    parse = parse_module._parse

    def record(page: bytes):
        found.append(page)
        return parse(page)

    monkeypatch.setattr(parse_module, "_parse", record)
    return found


@pytest.fixture
def folder(tmp_path):
    """A folder with three pages of a site, which say their URLs, and the rule of another site."""
    pages = tmp_path / "pages"
    pages.mkdir()
    for number in range(3):
        (pages / f"{number}.html").write_text(write_site_page(number), encoding="utf-8")
    (tmp_path / "sites.toml").write_text('["b.example"]\nexclude = "p"\n', encoding="utf-8")
    return pages


def run(*arguments: object) -> None:
    assert main([*map(str, arguments)]) == 0


def test_every_command_that_shows_or_extracts_pages_parses_each_once(folder, parsed, tmp_path):
    page, sites = folder / "0.html", ("--sites", tmp_path / "sites.toml")
    for n_pages, command in (
        (1, ("extract", page, *sites)),
        (1, ("extract", page, "--format", "json", "--url-from", "canonical")),
        (3, ("view", folder, "--out", tmp_path / "a.html", *sites)),
    ):
        parsed.clear()
        run(*command)
        assert len(parsed) == n_pages, command


def test_the_label_editor_parses_a_page_once_when_it_is_listed_and_once_when_it_is_opened(folder, parsed, tmp_path):
    session = open_session(folder, "--out", tmp_path / "labels.jsonl", "--sites", tmp_path / "sites.toml")
    assert len(parsed) == len(set(parsed)) == 3
    for number in range(3):
        parsed.clear()
        page = session.read(number)
        labels = "".join(map(str, page["labels"]))
        session.save(number, LabelsMessage(labels, page["saved"]["version"], done=True))
        assert len(parsed) == 1


def test_the_suggestion_of_a_rule_parses_labeled_pages_once_and_the_open_one_not_again(folder, parsed, tmp_path):
    session = open_session(folder, "--out", tmp_path / "labels.jsonl", "--model", "shallow")
    for number in range(2):
        page = session.read(number)
        labels = "".join(str(int("Letter" not in text)) for text in page["texts"])
        session.save(number, LabelsMessage(labels, page["saved"]["version"], done=True))
    session.read(2)
    parsed.clear()
    found = session.read_rule(2)
    assert found["rule"]
    assert found["labels"] is not None
    assert len(parsed) == 2
    session.read_rule(2)
    assert len(parsed) == 2


def test_serve_and_batch_parse_a_page_once(folder, parsed):
    options = Options(model="shallow")
    answer = show_page(options, write_site_page(0).encode(), "utf-8")["answer"]
    assert answer["markdown"]
    assert len(parsed) == 1
    work = PageWork(PageSources(options, url_sources=STATED))
    line = json.loads(answer_page({"path": "0.html"}, folder / "0.html", work).json)
    assert line["url"] == "https://www.valley.example/0"
    assert len(parsed) == 2


@pytest.mark.parametrize("wrap", [bytes, bytes.decode], ids=["bytes", "str"])
def test_a_source_is_parsed_once_for_several_extractors(parsed, wrap):
    source = Source.of(wrap(write_site_page(0).encode()), "https://a.example/")
    answers = [Extractor(model=model).extract(source) for model in ("shallow", "bte")]
    assert [answer.url for answer in answers] == ["https://a.example/"] * 2
    assert answers[0].text
    assert source.markup == write_site_page(0)
    assert len(parsed) == 1
