"""``web2text rule`` from labels to a rule that ``--sites`` takes."""

from __future__ import annotations

import tomllib
from dataclasses import replace

import pytest
from labeled_pages import write_labels
from modern_training import html_of
from view.served import open_session

from scrapy_web2text.cli.main import _COMMANDS, main
from scrapy_web2text.labels.files import PageLabels, find_runs, hash_text
from scrapy_web2text.labels.pages import read_blocks
from scrapy_web2text.sources.sites import read_sites, rule_to_toml
from scrapy_web2text.view.session import LabelsMessage

EXAMPLES = _COMMANDS["rule"][1:]
PROMO = "Subscribe to the letter of the valley, which comes each week with all that has happened in it, for nothing."


def write_page(number):
    """Return a page that says where it is from."""
    link = f'<link rel="canonical" href="https://www.valley.example:8080/{number}">'
    page = html_of(number)
    assert "<body>" in page
    return page.replace("<body>", f'{link}<body><div class="promo"><p>{PROMO}</p></div>')


@pytest.fixture
def labels(tmp_path):
    """Labels of four pages of a site in which the letter is not content, but all the rest is."""
    readings = []
    for number in range(4):
        (tmp_path / f"{number}.html").write_text(write_page(number), encoding="utf-8")
        texts = read_blocks(write_page(number)).texts
        content = find_runs(text != PROMO for text in texts)
        url = f"https://www.valley.example:8080/{number}"
        readings.append(PageLabels("", url, content, tuple(map(hash_text, texts)), file=f"{number}.html", url=url))
    write_labels(tmp_path / "labels.jsonl", readings)
    return readings


@pytest.fixture
def run(tmp_path, capsys):
    """Run the command on the labels; return its status, its output and its messages."""

    def run(*arguments, model="shallow:all"):
        status = main(["rule", str(tmp_path / "labels.jsonl"), "--model", model, *map(str, arguments)])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


def test_the_rule_is_one_for_sites(run, labels, tmp_path, capsys):
    status, out, err = run()
    assert status == 0
    assert out == '["valley.example:8080"]\nexclude = [".promo"]\n'
    assert "web2text rule: valley.example:8080: labeled pages: 4, each held out once\n" in err
    assert "with a rule 1.000\n" in err
    sites = tmp_path / "sites.toml"
    sites.write_text(out, encoding="utf-8")
    assert read_sites(str(sites)) == tomllib.loads(out)
    page = str(tmp_path / "0.html")
    assert main(["extract", page, "--model", "shallow:all"]) == 0
    assert PROMO in capsys.readouterr().out
    assert main(["extract", page, "--model", "shallow:all", "--sites", str(sites)]) == 0
    text = capsys.readouterr().out
    assert text.strip()
    assert PROMO not in text


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_examples_of_the_help_work_after_the_example_of_label(run, labels, tmp_path, monkeypatch, capsys, example):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "saved_pages"
    for number in range(4):
        (folder / f"{number % 2}").mkdir(parents=True, exist_ok=True)
        (tmp_path / f"{number}.html").rename(folder / f"{number % 2}" / f"{number}.html")
    (tmp_path / "labels.jsonl").unlink()
    session = open_session(_COMMANDS["label"][1].split()[-1], "--out", "labels.jsonl")
    for number in range(len(session)):
        page = session.read(number)
        marked = "".join(str(int(text != PROMO)) for text in page["texts"])
        session.save(number, LabelsMessage(marked, page["saved"]["version"], done=True))
    status = main([*example.split()[1:], "--model", "shallow:all"])
    assert (status, capsys.readouterr().err.count("skipped")) == (0, 0)
    assert "--out" not in example or "exclude" in (tmp_path / "sites.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "is_stable"),
    [("promo", True), ("text-2xl", False), ("css-1abc", False), ("flex", False), ("md-4", False), ("letter", True)],
)
def test_classes_that_style_are_warned_of(run, labels, tmp_path, name, is_stable):
    for number in range(4):
        page = tmp_path / f"{number}.html"
        page.write_text(page.read_text(encoding="utf-8").replace("promo", name), encoding="utf-8")
    status, out, err = run()
    assert (status, f'exclude = [".{name}"]\n' in out) == (0, True)
    assert ("classes that style or are generated may not last" in err) is not is_stable


def test_a_file_is_written_only_if_there_is_a_rule(run, labels, tmp_path):
    out = tmp_path / "rules.toml"
    assert run("--out", out)[:2] == (0, "")
    assert out.read_text(encoding="utf-8") == '["valley.example:8080"]\nexclude = [".promo"]\n'
    status, _, err = run("--out", out)
    assert status == 1
    assert f"--out: {out} exists; --force overwrites it\n" in err
    full = [replace(reading, content=((0, reading.n_blocks - 1),)) for reading in labels]
    write_labels(tmp_path / "labels.jsonl", full)
    status, _, err = run("--out", out, "--force")
    assert (status, "valley.example:8080: no corrections yet, so no rule is needed\n" in err) == (1, True)
    assert "promo" in out.read_text(encoding="utf-8")
    write_labels(tmp_path / "labels.jsonl", [replace(each, url="http://other.example/") for each in labels])
    assert run("--out", out, "--force")[0] == 0
    assert [*tomllib.loads(out.read_text(encoding="utf-8"))] == ["other.example"]


SITES = {
    "https://WWW.Other.Example./a": "other.example",
    "https://me:secret@other.example:8080/": "other.example:8080",
    "https://bücher.example/": "bücher.example",
    "https://a\x7f'\"b/": "a\x7f'\"b",
    **dict.fromkeys(
        ("page 1", "file:///1", "https://[::1]/", "http://[", "http://a*b/", "http://a..b/"), "example.com"
    ),
    "https://a\x7f'\"]b/": "example.com",
}


def test_each_site_has_a_rule_of_its_own_and_pages_without_a_domain_that_of_an_example(run, labels, tmp_path):
    readings = [replace(each, url=None, id=f"{url}#{each.file}") for url in SITES for each in labels]
    write_labels(tmp_path / "labels.jsonl", readings)
    status, out, err = run()
    assert status == 0
    assert read_sites(tomllib.loads(out)) == {site: {"exclude": [".promo"]} for site in SITES.values()}
    assert err.count("the labels have no URL: write the domain of the site in place of example.com\n") == 1


def test_a_single_page_is_not_held_out(run, labels, tmp_path):
    write_labels(tmp_path / "labels.jsonl", labels[:1])
    status, out, err = run()
    assert (status, bool(out)) == (0, True)
    assert "labeled pages: 1, not held out: label more pages\n" in err


def test_pages_that_cannot_be_used_are_named(run, labels, tmp_path):
    (tmp_path / "0.html").write_text("<p>another page", encoding="utf-8")
    (tmp_path / "1.html").unlink()
    (tmp_path / "2.html").write_text("", encoding="utf-8")
    status, _, err = run()
    assert status == 0
    assert err.count("web2text rule: skipped https://www.valley.example:8080/") == 3
    assert "/0: the labels no longer fit the page\n" in err


def test_labels_of_which_none_fits_and_an_unknown_model_are_errors(run, labels, tmp_path):
    status, out, err = run("--pages", tmp_path / "elsewhere")
    assert (status, out) == (1, "")
    assert "expected labels that fit their pages, found none\n" in err
    status, out, err = run(model="none")
    assert (status, out, "web2text rule: " in err, "'none'" in err) == (1, "", True, True)


def test_selectors_with_quotes_are_toml():
    rule = {"include": ['[id^="post-"]', '[id="it\'s"]'], "exclude": ['[class~="\\fc "]']}
    assert tomllib.loads(rule_to_toml("example.com", rule)) == {"example.com": rule}
