from __future__ import annotations

import argparse
import gzip
import io
import json
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest
from mockserver import SENTENCE, article
from random_models import write_model

from scrapy_web2text import Extractor, __version__, extract
from scrapy_web2text.cli.main import _COMMANDS, main
from scrapy_web2text.content.forms import FORMATS
from scrapy_web2text.sources import responses
from scrapy_web2text.sources.source import Source

RULES = "shallow:numwords"
TEXT = "\n".join(["The bridge", *[f"{SENTENCE} {SENTENCE}"] * 3]) + "\n"


@pytest.fixture
def run(capsys):
    """Run the command in this process; return its status, output and messages."""

    def run(*arguments: str) -> tuple[int, str, str]:
        status = main(arguments)
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


def run_process(*arguments: str) -> tuple[int, str, str]:
    command = [sys.executable, "-X", "utf8", "-W", "error", "-m", "scrapy_web2text", *arguments]
    done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_the_text_of_a_file_or_of_standard_input_is_printed(run, file, tmp_path, monkeypatch):
    (tmp_path / "page.html.gz").write_bytes(gzip.compress(article().encode()))
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(article().encode())))
    for page in (file, str(tmp_path / "page.html.gz"), "-"):
        assert run("extract", page, "--model", RULES) == (0, TEXT, "")


def test_json_holds_all_of_the_extraction(run, file):
    status, out, err = run("extract", file, "--model", RULES, "--format", "json")
    found = json.loads(out)
    assert (status, err) == (0, "")
    assert found == {**extract(article().encode(), model=RULES).to_dict(), "elapsed": found["elapsed"]}
    assert found["text"] + "\n" == TEXT
    assert [block["label"] for block in found["blocks"]] == ["boilerplate"] * 4 + ["content"] * 4 + ["boilerplate"]


def test_markdown_can_begin_with_front_matter(run, file):
    status, out, err = run(
        "extract", file, "--model", RULES, "--format", "markdown", "--front-matter", "--title", "include"
    )
    start, title, language, confidence, end, *lines = out.split("\n")
    assert (status, err, start, end) == (0, "", "---", "---")
    assert (title, language) == ('title: "The bridge"', 'language: "en"')
    assert confidence.startswith("confidence: 0.9")
    assert lines[:3] == ["", "# The bridge", ""]


def test_front_matter_needs_no_extra(run, file, monkeypatch):
    monkeypatch.setattr("scrapy_web2text.content.forms.find_spec", lambda name: None)
    _, out, _ = run("extract", file, "--model", RULES, "--format", "markdown", "--front-matter")
    assert [line.partition(":")[0] for line in out.split("\n")[:4]] == ["---", "title", "confidence", "---"]


def test_a_page_without_content_has_no_front_matter(run, tmp_path):
    page = tmp_path / "empty.html"
    page.write_text("<title>a</title><body></body>", encoding="utf-8")
    assert run("extract", str(page), "--model", RULES, "--format", "markdown", "--front-matter")[1] == ""


@pytest.mark.parametrize("name", ["markdown", "html"])
def test_the_content_is_printed_with_its_markup(run, file, name):
    form = FORMATS[name]
    expected = Extractor(model=RULES, **form.options).extract(article())
    assert run("extract", file, "--model", RULES, "--format", name) == (0, form.write(expected) + "\n", "")


def test_the_encoding_can_be_given(run, tmp_path):
    path = tmp_path / "page.html"
    path.write_bytes(f"<meta charset=latin-1><p>Größe {SENTENCE}".encode())
    status, out, _ = run("extract", str(path), "--model", RULES, "--encoding", "utf-8")
    assert (status, out) == (0, f"Größe {SENTENCE}\n")


def test_a_url_is_fetched_and_read_in_the_encoding_of_its_response(run, monkeypatch):
    body = f"<meta charset=utf-8><p>Größe {SENTENCE}".encode("latin-1")
    monkeypatch.setattr(responses, "fetch_page", lambda url, max_bytes: Source(body, url, "latin-1"))
    sources = ("--url-from", "canonical", "--url-from", "https://b.example/{path}")  # the page says no URL
    _, out, _ = run("extract", "https://example.com/", "--model", RULES, *sources, "--format", "json")
    assert (json.loads(out)["url"], json.loads(out)["text"]) == ("https://example.com/", f"Größe {SENTENCE}")


def test_at_most_one_byte_over_the_limit_is_read_from_standard_input(run, monkeypatch):
    source = io.BytesIO(b"x" * 1000)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=source))
    assert run("extract", "-", "--max-bytes", "99")[0] == 1
    assert source.tell() == 100


@pytest.mark.parametrize("name", ["text", "markdown", "html"])
def test_a_page_without_main_content_prints_nothing_but_a_message(run, tmp_path, name):
    page = tmp_path / "empty.html"
    page.write_text("<html><body></body></html>")
    message = f"web2text extract: {page}: no main content: the page shows no text of its own (empty)\n"
    assert run("extract", str(page), "--model", RULES, "--format", name) == (0, "", message)
    status, out, err = run("extract", str(page), "--model", RULES, "--format", "json")
    assert (status, json.loads(out)["no_main_content"], err) == (0, True, message)


def test_arguments_that_a_format_does_not_show_are_named(run, file):
    arguments = ("--html", "--metadata", "--markdown", "--blocks", "none", "--block-fields", "index,text")
    status, _, err = run("extract", file, "--model", RULES, *arguments, "--format", "markdown")
    named = [f"--{name}" for name in ("blocks", "block-fields", "html", "markdown", "metadata")]
    messages = [f"web2text extract: {name} has no effect with --format markdown\n" for name in named]
    assert status == 0
    assert err.startswith("".join(messages))
    assert "no effect with" not in run("extract", file, "--model", RULES, "--html", "--format", "json")[2]


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["--treshold", "0.5"], "--treshold 0.5 (did you mean --threshold?)"),
        (["--on_missing_model=error"], "--on_missing_model=error (did you mean --on-missing-model?)"),
        (["--speed"], "--speed"),
        (["-x", "more"], "-x more"),
        (["more.html"], "more.html; web2text batch reads several pages"),
    ],
)
def test_an_unknown_argument_is_answered_with_a_similar_one(capsys, file, arguments, hint):
    with pytest.raises(SystemExit, match="2"):
        main(["extract", file, *arguments])
    assert capsys.readouterr().err == f"web2text extract: unrecognized arguments: {hint}; see web2text extract --help\n"


HINT = "; a URL begins with http:// or https://"


@pytest.mark.parametrize(
    ("page", "hint"),
    [
        *(
            (page, HINT)
            for page in ("a.example/b", "ftp://a.example/b", "a.example", "WWW.a.Example:80", "localhost:80")
        ),
        *((page, "") for page in ("page.html", "PAGE.HTM", "x.txt", "page", "a.htm.gz", "no.xhtml")),
    ],
)
def test_a_url_without_a_scheme_is_answered_with_a_hint(run, page, hint):
    message = f"web2text extract: {page}: No such file or directory{hint}\n"
    assert run("extract", page) == (1, "", message)
    assert run("view", page)[2] == message.replace("extract", "view")


def test_a_fallback_is_reported_on_standard_error(run, file, tmp_path):
    model = str(write_model(tmp_path / "model"))
    options = ("--model", model, "--min-confidence", "1", "--on-low-confidence", "fallback")
    message = f"answered by {RULES}: the model's confidence is below --min-confidence (low_confidence)"
    assert run("extract", file, *options) == (0, TEXT, f"web2text extract: {message}\n")


def test_rules_in_place_of_a_broken_model_are_reported_once(file, tmp_path):
    (tmp_path / "broken").mkdir()
    options = ("--model", str(tmp_path / "broken"), "--on-missing-model", "fallback")
    status, out, err = run_process("extract", file, *options)
    assert (status, out) == (0, TEXT)
    assert err.startswith("web2text extract: --model cannot be loaded, and the rules shallow:numwords answer: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("page", "options", "message"),
    [
        ("none.html", (), "none.html: No such file or directory\n"),
        ("page.html", ("--model", "nix"), "unknown model 'nix'"),
        ("page.html", ("--model", "shallow:none"), "unknown rules 'shallow:none'"),
        ("page.pdf", (), "no answer: the content is not HTML, by its type or by its first bytes (not_html)"),
        (
            "page.html",
            ("--model", "precise"),
            "--model: unknown model 'precise' (did you mean --threshold precision?); ",
        ),
        ("page.html", ("--include", "["), "extract: --include: expected a CSS selector or an XPath, got '['"),
        (".", (), "expected one page, got a folder: see web2text batch"),
        (
            "a.warc.gz",
            (),
            "expected HTML files, as WEB2TEXT_SNAPSHOT_DIR keeps them, got an archive: see web2text batch",
        ),
        ("a.jsonl", (), "a.jsonl: expected HTML files"),
        ("a.parquet", (), "a.parquet: expected HTML files"),
        ("a.zip", (), "a.zip: expected pages, or WARC files and other archives of pages; unpack it first"),
        ("lines", (), "lines: no answer: the content is not HTML, by its type or by its first bytes (not_html)"),
        ("records", (), "records: no answer: the content is not HTML, by its type or by its first bytes (not_html)"),
        ("page.html", ("--max-bytes", "100"), "page.html: no answer: the page is longer than --max-bytes (max_bytes)"),
        ("page.html", ("--fallback", "nix"), "unknown rules 'nix'"),
        (
            "big.html.gz",
            ("--max-bytes", "1000"),
            "big.html.gz: no answer: the page is longer than --max-bytes (max_bytes)",
        ),
        ("page.html", ("--model", "./nix"), "/nix: expected a model folder"),
        ("page.html", ("--model", "./nix"), '. For answers by rules, set --on-missing-model="fallback"\n'),
        ("page.html", ("--front-matter",), "--front-matter: expected --format markdown, got text"),
    ],
)
def test_failures_are_status_1_with_a_message(run, file, tmp_path, page, options, message):
    (tmp_path / "page.pdf").write_bytes(b"%PDF-1.7")
    (tmp_path / "lines").write_text(json.dumps({"html": article()}) * 2)
    (tmp_path / "records").write_text(f"WARC/1.0\r\n\r\n{article()}")
    (tmp_path / "big.html.gz").write_bytes(gzip.compress(b"x" * 10_000)[:-9])  # a complete read would fail
    status, out, err = run("extract", str(tmp_path / page), "--model", RULES, *options)
    assert (status, out) == (1, "")
    assert err.startswith("web2text extract: ")
    assert message in err


@pytest.mark.parametrize(
    "arguments",
    [
        ("--speed",),
        ("extract",),
        ("extract", "-", "--format", "xml"),
        ("fly",),
        ("extract", "-", "--threshold", "high"),
        ("extract", "-", "--threshold", "2"),
        ("extract", "-", "--links", "none"),
        ("extract", "-", "--min-confidence", "-1"),
        ("extract", "-", "--timeout", "long"),
        ("extract", "-", "--timeout", "0"),
        ("extract", "-", "--max-bytes", "1.5"),
        ("extract", "-", "--encoding", "hex"),
        ("extract", "-", "--encoding", "klingon"),
        ("train", "recipe.toml", "--data", "d", "--out", "o", "--seed", "0", "-1"),
        ("train", "recipe.toml", "--data", "d", "--out", "o", "--threads", "0"),
        ("tune", "labels.jsonl", "--out", "o", "--seed", str(2**32)),
        ("evaluate", "--corpus", "c", "--data", "d", "--samples", "0"),
        ("evaluate", "--corpus", "c", "--data", "d", "--pages", "0"),
        ("diff", "pages", "--new-threshold", "5"),
        ("evaluate", "--corpus", "c", "--data", "d", "--threshold", "2"),
        ("label", "saved_pages", "--metadata"),
        ("label", "saved_pages", "--port", "65536"),
        ("serve", "--port", "-1"),
    ],
    ids=" ".join,
)
def test_wrong_arguments_are_status_2(capsys, arguments):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert re.fullmatch(r"web2text.*: .*; see web2text.* --help\n", capsys.readouterr().err)


@pytest.mark.parametrize(
    "arguments", [["--version"], ["--help"], ["extract", "--help"], ["help"], ["help", "help"]], ids=" ".join
)
def test_help_and_version_are_printed(capsys, arguments):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 0
    out = capsys.readouterr().out
    assert __version__ in out if "--version" in arguments else "usage: web2text" in out


def test_a_misspelled_argument_before_the_command_is_answered_with_a_similar_one(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["--verison"])
    message = "web2text: unrecognized arguments: --verison (did you mean --version?); see web2text --help\n"
    assert capsys.readouterr().err == message
    with pytest.raises(SystemExit, match="2"):
        main(["--"])
    assert capsys.readouterr().err == "web2text: unrecognized arguments: --; see web2text --help\n"


def test_help_names_the_command_that_it_explains(capsys):
    with pytest.raises(SystemExit, match="0"):
        main(["help", "rule"])
    assert capsys.readouterr().out.startswith("usage: web2text rule ")
    with pytest.raises(SystemExit, match="2"):
        main(["help", "rul"])
    assert "(did you mean rule?)" in capsys.readouterr().err


def test_without_a_command_the_help_is_printed(run, capsys):
    status, out, err = run()
    assert (status, err) == (0, "")
    assert out.endswith("\nweb2text help COMMAND describes a command\n")
    with pytest.raises(SystemExit):
        main(["--help"])
    assert capsys.readouterr().out == out
    assert "extract   print the main content of a page" in out


@pytest.mark.parametrize(
    ("command", "own", "basic"),
    [
        (
            "extract",
            "--format --encoding --front-matter",
            "--model --threshold --include --exclude --html --markdown --metadata --comments --no-comments",
        ),
        (
            "label",
            "--out --reader --port --no-browser",
            "--model --threshold --include --exclude",
        ),
    ],
)
def test_the_help_has_the_options_of_a_command_and_basic_ones_and_help_all_has_all(capsys, command, own, basic):
    def read_options(help_option):
        with pytest.raises(SystemExit, match="0"):
            main([command, help_option])
        out = capsys.readouterr().out
        listed = set(re.findall(r"^  (?:-h, )?(--[a-z-]+)", out, re.MULTILINE))
        assert listed - {"--help"} == set(re.findall(r"\[(--[a-z-]+)", out))  # in the usage
        return listed

    listed = read_options("--help")
    assert listed == {"--help", "--help-all", *own.split(), *basic.split()}
    assert read_options("--help-all") > listed | {"--decoder", "--timeout", "--sites", "--url-from"}


def test_the_arguments_of_the_process_are_the_default(monkeypatch, capsys, file):
    monkeypatch.setattr(sys, "argv", ["web2text", "extract", file, "--model", RULES])
    assert main() == 0
    assert capsys.readouterr().out == TEXT


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--help"], (0, "")),
        (["recipe.toml", "--data", "corpora", "--out", "trained"],
         (1, "web2text train: needs torch: pip install 'scrapy-web2text[train]'\n")),
    ],
    ids=["help", "run"],
)  # fmt: skip
def test_training_but_not_its_help_names_the_extra_that_it_needs(arguments, expected):
    program = "import sys; sys.modules['torch'] = None; from scrapy_web2text.cli.main import main; sys.exit(main())"
    command = [sys.executable, "-W", "error", "-c", program, "train", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == expected


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("serve", "--port", "abc"),
            "serve: --port: expected a whole number from 0 to 65535, got abc; see web2text serve --help",
        ),
        (
            ("extract", "-", "--format", "x"),
            "extract: --format: expected one of text, markdown, html, json, got x; see web2text extract --help",
        ),
        (
            ("extract", "-", "--format", "jsn"),
            (
                "extract: --format: expected one of text, markdown, html, json, got jsn (did you mean json?); "
                "see web2text extract --help"
            ),
        ),
        (
            ("extract", "-", "--threshold", "precise"),
            (
                "extract: --threshold: expected a number between 0 and 1, both excluded, or one of precision, balanced,"
                " recall or none, got precise (did you mean precision?); see web2text extract --help"
            ),
        ),
    ],
)
def test_arguments_that_cannot_be_parsed_are_told_in_one_line(capsys, arguments, message):
    with pytest.raises(SystemExit):
        main(arguments)
    assert capsys.readouterr().err.replace("'", "") == f"web2text {message}\n"  # Python 3.14 quotes no choices


def test_a_misspelled_command_is_answered_with_a_similar_one(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["extrct", "page.html"])
    err = capsys.readouterr().err
    assert err.startswith("web2text: command: expected one of extract, batch, view, ")
    assert err.endswith(", got 'extrct' (did you mean extract?); see web2text --help\n")


def test_options_without_effect_are_named_once_as_arguments(run, file):
    _, out, err = run("extract", file, "--model", RULES, "--min-confidence", "0.1")
    assert (out, err.count("\n")) == (TEXT, 1)
    assert err.startswith('web2text extract: --min-confidence has no effect: --on-low-confidence is "keep"; ')


@pytest.mark.parametrize("command", _COMMANDS)
def test_the_help_of_a_command_ends_with_two_examples_of_it(capsys, monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit, match="0"):
        main([command, "--help"])
    *_, examples = capsys.readouterr().out.partition("\nexamples:\n")
    lines = examples.splitlines()
    assert len(lines) == 2
    module = import_module(f"scrapy_web2text.cli.{command}")
    parser = argparse.ArgumentParser(prog=command, exit_on_error=False)
    module.add_arguments(parser)
    for line in lines:
        assert len(line) < 80
        words = line.split()
        assert words[:2] == ["web2text", command]
        parser.parse_args(words[2:])


def test_the_help_groups_the_digits_of_defaults(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    for command in ("evaluate", "batch"):
        with pytest.raises(SystemExit, match="0"):
            main([command, "--help"])
        defaults = re.findall(r"\(default: ([^)]*)\)", capsys.readouterr().out)
        assert [value for value in defaults if "," in value]
        assert [value for value in defaults if re.fullmatch(r"\d{4,}", value)] == []


def test_an_answer_with_a_low_confidence_is_none_or_marked(run, file):
    confidence = extract(Path(file).read_bytes(), model=RULES).confidence
    low = f"confidence {confidence:.3f} is below {confidence + 0.001:g}".replace("0.", ".")
    options = ("--model", RULES, "--min-confidence", f"{confidence + 0.001}")
    for form in ("text", "json"):
        message = f"web2text extract: {file}: no answer: {low}\n"
        assert run("extract", file, *options, "--on-low-confidence", "drop", "--format", form) == (1, "", message)
    flagged = (*options, "--on-low-confidence", "flag")
    assert run("extract", file, *flagged) == (0, TEXT, f"web2text extract: {file}: {low}\n")
    assert json.loads(run("extract", file, *flagged, "--format", "json")[1])["low_confidence"] is True
    assert run("extract", file, *options)[:2] == (0, TEXT)
    sure = ("--min-confidence", f"{confidence - 0.001}", "--on-low-confidence", "drop")
    assert run("extract", file, "--model", RULES, *sure) == (0, TEXT, "")


@pytest.fixture
def linked(tmp_path):
    """The path of a file that says its URL, with a relative link in its content."""
    path = tmp_path / "story.html"
    head = "<link rel=canonical href=https://a.example/stories/one>"
    path.write_text(head + article(f"{SENTENCE} <a href=two>More</a>"), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("source", "url"),
    [("canonical", "https://a.example/stories/one"), ("https://b.example/x/{path}", "https://b.example/x/story.html")],
)
def test_links_are_joined_to_the_url_of_a_file(run, linked, monkeypatch, source, url):
    monkeypatch.chdir(Path(linked).parent)
    linked = Path(linked).name
    options = ("--model", RULES, "--url-from", source)
    _, out, err = run("extract", linked, *options, "--format", "markdown")
    assert (f"[More]({url.rpartition('/')[0]}/two)" in out, err) == (True, "")
    assert json.loads(run("extract", linked, *options, "--format", "json")[1])["url"] == url


def test_standard_input_has_the_url_that_it_says(run, linked, monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(Path(linked).read_bytes())))
    sources = ("--url-from", "https://b.example/{path}", "--url-from", "canonical")
    _, out, _ = run("extract", "-", "--model", RULES, *sources, "--format", "json")
    assert json.loads(out)["url"] == "https://a.example/stories/one"


def test_a_url_is_fetched_by_the_program(site):
    assert run_process("extract", site.url("/article"), "--model", RULES) == (0, TEXT, "")


@pytest.mark.parametrize("command", ["extract PAGE", "batch DIR --out -"])
def test_a_closed_pipe_ends_the_program_quietly(file, command):
    folder = Path(file).parent
    for i in range(20):  # more than a pipe holds
        (folder / f"{i}.html").write_text(f"<p>{SENTENCE * 1000}</p>")
    (folder / "0.html").write_text(f"<p>{SENTENCE * 10_000}</p>")
    arguments = command.replace("PAGE", str(folder / "0.html")).replace("DIR", str(folder)).split()
    program = [sys.executable, "-W", "error", "-m", "scrapy_web2text", *arguments, "--model", RULES]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.read(10)
        process.stdout.close()
        messages = process.stderr.read().decode()
    assert (process.returncode, messages) == (141, "")


def test_ctrl_c_ends_a_command_with_a_message(run, file, monkeypatch):
    def extract(self, *args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(Extractor, "extract", extract)
    assert run("extract", file) == (130, "", "web2text: interrupted\n")
