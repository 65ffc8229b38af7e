"""Selectors, languages and rules for sites on the command line."""

from __future__ import annotations

import json

import pytest
from mockserver import SENTENCE

from scrapy_web2text import exceptions
from scrapy_web2text.cli.main import main

PAGE = f"""<html><head><title>t</title><link rel=canonical href=https://shop.a.example/x></head><body><h1>Head</h1>
<div class=story><p>A note.</p><p class=promo>Buy!</p></div><p>{SENTENCE} {SENTENCE} {SENTENCE}</p></body></html>"""
GERMAN = "Die alte Brücke über den Fluss wurde im Frühjahr jenes Jahres von den Leuten der Stadt neu gebaut. " * 3
RULES = '["a.example"]\ninclude = ".story"\ntitle = "h1"\n["b.example/*"]\nexclude = ".story"\n'


@pytest.fixture
def files(tmp_path):
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "x.html").write_text(PAGE, encoding="utf-8")
    (tmp_path / "sites.toml").write_text(RULES, encoding="utf-8")
    return tmp_path


def extract(capsys, files, *arguments: str) -> tuple[int, str, str]:
    status = main(["extract", str(files / "pages" / "x.html"), "--model", "shallow", *arguments])
    return status, *capsys.readouterr()


def test_elements_are_selected_by_arguments(capsys, files):
    arguments = ("--include", ".story", "--include", "h1", "--exclude", ".promo", "--title-selector", "h1")
    assert extract(capsys, files, *arguments, "--title", "include") == (0, "Head\nA note.\n", "")


def test_elements_that_a_page_does_not_have_are_reported(capsys, files):
    status, out, err = extract(capsys, files, "--include", ".nope", "--include", "//nope")
    assert (status, SENTENCE in out) == (0, True)
    assert err == (
        f"web2text extract: {files / 'pages' / 'x.html'}: the selectors of include (.nope, //nope) find no text; the "
        "page is answered without them\n"
    )


def test_a_text_in_another_language_is_not_an_answer(capsys, files):
    (files / "pages" / "x.html").write_text(f"<html><body><p>{GERMAN}</p></body></html>", encoding="utf-8")
    assert extract(capsys, files, "--languages", "en,de")[0] == 0
    status, out, err = extract(capsys, files, "--languages", "en")
    assert (status, out) == (1, "")
    assert "no answer: the text is in a language that --languages does not list (language)" in err


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ([], "A note.\nBuy!\n"),
        (["--url-from", "https://b.example/{path}"], f"{SENTENCE} {SENTENCE} {SENTENCE}\n"),
        (["--url-from", "https://c.example/{path}", "--include", "h1"], "Head\n"),
    ],
    ids=["canonical", "template", "no-rule"],
)
def test_rules_apply_by_the_url_of_a_file(capsys, files, arguments, text):
    assert extract(capsys, files, "--sites", str(files / "sites.toml"), *arguments) == (0, text, "")


def test_a_batch_applies_the_rules_and_counts_pages_without_the_elements(capsys, files):
    (files / "pages" / "y.html").write_text(PAGE.replace("class=story", ""), encoding="utf-8")
    arguments = ["--out", "-", "--model", "shallow", "--jobs", "1", "--sites", str(files / "sites.toml")]
    assert main(["batch", str(files / "pages"), *arguments]) == 0
    out, err = capsys.readouterr()
    line, _ = map(json.loads, out.splitlines())
    assert (line["text"], line["title"], line["method"]) == ("A note.\nBuy!", "Head", "selector")
    assert "2 pages; content 2; no match for include 1; " in err


NO_URL = "no rule of --sites applies; see --url-from"


@pytest.mark.parametrize(
    ("arguments", "n_reports"),
    [
        (["--sites", "sites.toml"], 1),
        (["--sites", "sites.toml", "--url-from", "https://c.example/{path}"], 0),
        (["--sites", "empty.toml"], 0),
        ([], 0),
    ],
)
def test_pages_without_a_url_to_which_no_rule_applies_are_reported_once(
    capsys, caplog, files, monkeypatch, arguments, n_reports
):
    monkeypatch.chdir(files)
    exceptions.warn_once.cache_clear()
    for name in ("x", "y"):
        (files / "pages" / f"{name}.html").write_text(PAGE.replace("rel=canonical", ""), encoding="utf-8")
    (files / "empty.toml").touch()
    assert main(["batch", "pages", "--out", "-", "--model", "shallow", "--jobs", "1", *arguments]) == 0
    assert capsys.readouterr().err.count(f"web2text batch: no page has a URL, so {NO_URL}\n") == n_reports
    assert main(["view", "pages", "--model", "shallow", *arguments]) == 0
    assert [text for text in caplog.messages if NO_URL in text] == [f"A page has no URL, so {NO_URL}"] * n_reports


@pytest.mark.parametrize(
    ("rules", "problem"),
    [
        (None, "--sites: expected a dict from domains to dicts of options, its JSON, or the path of a TOML file, got"),
        ('["a.example"]\ninclude = "main["', "site 'a.example', key 'include': expected a CSS selector or an XPath"),
        ('["a.example"]\nmodel = "nomodel"', "site 'a.example', key 'model': "),
    ],
    ids=["no-file", "selector", "model"],
)
def test_rules_that_cannot_be_used_are_an_error(capsys, files, rules, problem):
    file = files / "rules.toml"
    if rules is not None:
        file.write_text(rules, encoding="utf-8")
    status, _, err = extract(capsys, files, "--sites", str(file))
    assert (status, problem in err) == (1, True)
