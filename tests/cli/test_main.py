from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from mockserver import SENTENCE, article
from random_models import write_model
from scrapy.http import HtmlResponse

from scrapy_web2text import Extractor, __version__, extract
from scrapy_web2text.cli.main import main
from scrapy_web2text.content.forms import FORMATS
from scrapy_web2text.crawl import fetching
from scrapy_web2text.reasons import REASONS, describe_failure

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


def run_process(*arguments: str, page: bytes | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-X", "utf8", "-W", "error", "-m", "scrapy_web2text", *arguments]
    done = subprocess.run(command, input=page, capture_output=True, timeout=60, check=False)
    return subprocess.CompletedProcess(command, done.returncode, done.stdout.decode(), done.stderr.decode())


def test_the_text_of_a_file_is_printed(run, file):
    assert run("extract", file, "--model", RULES) == (0, TEXT, "")


def test_json_holds_all_of_the_extraction(run, file):
    status, out, err = run("extract", file, "--model", RULES, "--format", "json")
    found = json.loads(out)
    assert (status, err) == (0, "")
    assert found == {**extract(article().encode(), model=RULES).to_dict(), "elapsed": found["elapsed"]}
    assert found["text"] + "\n" == TEXT
    assert [block["label"] for block in found["blocks"]] == ["boilerplate"] * 4 + ["content"] * 4 + ["boilerplate"]


def test_markdown_can_begin_with_front_matter(run, file):
    status, out, err = run("extract", file, "--model", RULES, "--format", "md", "--front-matter", "--title", "include")
    start, title, language, confidence, end, *lines = out.split("\n")
    assert (status, err, start, end) == (0, "", "---", "---")
    assert (title, language) == ('title: "The bridge"', 'language: "en"')
    assert confidence.startswith("confidence: 0.9")
    assert lines[:3] == ["", "# The bridge", ""]


def test_front_matter_needs_no_extra(run, file, monkeypatch):
    monkeypatch.setattr("scrapy_web2text.content.forms.find_spec", lambda name: None)
    _, out, _ = run("extract", file, "--model", RULES, "--format", "md", "--front-matter")
    assert [line.partition(":")[0] for line in out.split("\n")[:4]] == ["---", "title", "confidence", "---"]


def test_a_page_without_content_has_no_front_matter(run, tmp_path):
    page = tmp_path / "empty.html"
    page.write_text("<title>a</title><body></body>", encoding="utf-8")
    assert run("extract", str(page), "--model", RULES, "--format", "md", "--front-matter")[1] == ""


def test_front_matter_is_for_markdown(run, file):
    status, out, err = run("extract", file, "--front-matter")
    assert (status, out) == (1, "")
    assert "--front-matter: expected --format md, got text" in err


def test_the_switches_of_the_output_are_arguments(run, file):
    switches = "--links text --images drop --tables text --title include --text-layout headings".split()
    _, out, _ = run("extract", file, "--model", RULES, *switches)
    assert out == "# " + TEXT.replace("\n", "\n\n").rstrip("\n") + "\n"


@pytest.mark.parametrize(("blocks", "n_blocks"), [("none", 0), ("content", 4), ("all", 9)])
def test_json_holds_the_blocks_asked_for(run, file, blocks, n_blocks):
    _, out, _ = run("extract", file, "--model", RULES, "--format", "json", "--blocks", blocks)
    assert len(json.loads(out)["blocks"]) == n_blocks


@pytest.mark.parametrize("name", ["md", "html"])
def test_the_content_is_printed_with_its_markup(run, file, name):
    form = FORMATS[name]
    expected = Extractor(model=RULES, **form.options).extract(article())
    assert run("extract", file, "--model", RULES, "--format", name) == (0, form.write(expected) + "\n", "")


def test_a_compressed_file_is_decompressed(run, tmp_path):
    (tmp_path / "page.html.gz").write_bytes(gzip.compress(article().encode()))
    assert run("extract", str(tmp_path / "page.html.gz"), "--model", RULES) == (0, TEXT, "")


def test_standard_input_is_read(run, monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(article().encode())))
    assert run("extract", "-", "--model", RULES) == (0, TEXT, "")


def test_the_encoding_can_be_given(run, tmp_path):
    path = tmp_path / "page.html"
    path.write_bytes(f"<meta charset=latin-1><p>Größe {SENTENCE}".encode())
    status, out, _ = run("extract", str(path), "--model", RULES, "--encoding", "utf-8")
    assert (status, out) == (0, f"Größe {SENTENCE}\n")


def test_a_url_is_fetched_and_read_in_the_encoding_of_its_response(run, monkeypatch):
    body = f"<meta charset=utf-8><p>Größe {SENTENCE}".encode("latin-1")
    monkeypatch.setattr(fetching, "fetch", lambda url, max_bytes: HtmlResponse(url, body=body, encoding="latin-1"))
    _, out, _ = run("extract", "https://example.com/", "--model", RULES, "--format", "json")
    assert (json.loads(out)["url"], json.loads(out)["text"]) == ("https://example.com/", f"Größe {SENTENCE}")


def test_the_options_of_a_model_are_handed_on(run, file, tmp_path):
    folder = str(write_model(tmp_path / "model"))
    for threshold in ("0.001", "0.999"):
        options = ("--model", folder, "--threshold", threshold, "--decoder", "marginal", "--format", "json")
        _, out, _ = run("extract", file, *options)
        expected = extract(article(), model=folder, threshold=float(threshold), decoder="marginal")
        assert json.loads(out)["n_content"] == expected.n_content


def test_a_page_that_is_too_long_to_download_has_no_answer(run, monkeypatch):
    def fetch(url, max_bytes):
        assert max_bytes == 100
        raise fetching.TooLongError(url)

    monkeypatch.setattr(fetching, "fetch", fetch)
    message = "web2text extract: https://a.example/: no answer: the page is longer than max_bytes (max_bytes)\n"
    assert run("extract", "https://a.example/", "--model", RULES, "--max-bytes", "100") == (1, "", message)


def test_limits_can_be_unset(run, tmp_path):
    page = tmp_path / "long.html"
    page.write_text(f"<p>{SENTENCE}</p><!-- {'x' * 10_000_000} -->")
    assert run("extract", str(page), "--model", RULES)[0] == 1
    options = ("--max-bytes", "none", "--max-blocks", "none", "--timeout", "None")
    assert run("extract", str(page), "--model", RULES, *options) == (0, f"{SENTENCE}\n", "")


def test_at_most_one_byte_over_the_limit_is_read_from_standard_input(run, monkeypatch):
    source = io.BytesIO(b"x" * 1000)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=source))
    assert run("extract", "-", "--max-bytes", "99")[0] == 1
    assert source.tell() == 100


@pytest.mark.parametrize("name", ["text", "md", "html"])
def test_a_page_without_main_content_prints_nothing_but_a_message(run, tmp_path, name):
    page = tmp_path / "empty.html"
    page.write_text("<html><body></body></html>")
    message = f"web2text extract: {page}: no main content (empty)\n"
    assert run("extract", str(page), "--model", RULES, "--format", name) == (0, "", message)
    status, out, err = run("extract", str(page), "--model", RULES, "--format", "json")
    assert (status, json.loads(out)["no_main_content"], err) == (0, True, message)


def test_a_missing_model_is_an_error(run, file, tmp_path):
    status, out, err = run("extract", file, "--model", str(tmp_path / "none"))
    assert (status, out) == (1, "")
    assert err.startswith(f"web2text extract: {tmp_path / 'none'}: this folder does not exist. The model ")


def test_arguments_that_a_format_does_not_show_are_named(run, file):
    arguments = ("--html", "--metadata", "--markdown", "--blocks", "none", "--block-fields", "index,text")
    status, _, err = run("extract", file, "--model", RULES, *arguments, "--format", "md")
    named = [f"--{name}" for name in ("html", "markdown", "metadata", "blocks", "block-fields")]
    messages = [f"web2text extract: {name} has no effect with --format md\n" for name in named]
    assert status == 0
    assert err.startswith("".join(messages))
    assert "no effect with" not in run("extract", file, "--model", RULES, "--html", "--format", "json")[2]


def test_block_fields_are_those_of_the_argument(run, file):
    _, out, _ = run("extract", file, "--model", RULES, "--format", "json", "--block-fields", "path, text")
    assert list(json.loads(out)["blocks"][0]) == ["path", "text"]


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["--treshold", "0.5"], "--treshold 0.5 (did you mean --threshold?)"),
        (["--on_missing_model=error"], "--on_missing_model=error (did you mean --on-missing-model?)"),
        (["--speed"], "--speed"),
        (["-x", "more"], "-x more"),
    ],
)
def test_an_unknown_argument_is_answered_with_a_similar_one(capsys, file, arguments, hint):
    with pytest.raises(SystemExit, match="2"):
        main(["extract", file, *arguments])
    assert capsys.readouterr().err.endswith(f"web2text extract: error: unrecognized arguments: {hint}\n")


def test_a_fallback_is_reported_on_standard_error(run, file, tmp_path):
    model = str(write_model(tmp_path / "model"))
    options = ("--model", model, "--min-confidence", "1", "--on-low-confidence", "fallback")
    message = f"answered by {RULES}: {REASONS['low_confidence']} (low_confidence)"
    assert run("extract", file, *options) == (0, TEXT, f"web2text extract: {message}\n")


def test_rules_in_place_of_a_broken_model_are_reported_once(file, tmp_path):
    (tmp_path / "broken").mkdir()
    done = run_process("extract", file, "--model", str(tmp_path / "broken"), "--on-missing-model", "fallback")
    assert (done.returncode, done.stdout) == (0, TEXT)
    assert done.stderr.startswith("Model not loaded, falling back to the rules shallow:numwords: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("page", "options", "message"),
    [
        ("none.html", (), "none.html"),
        ("page.html", ("--model", "none"), "unknown model 'none'"),
        ("page.html", ("--model", "shallow:none"), "unknown rules 'shallow:none'"),
        ("page.html", ("--threshold", "2"), "threshold: expected a number between 0 and 1"),
        ("page.pdf", (), "no answer: the content is not HTML, by its type or by its first bytes (not_html)"),
        (".", (), "directory"),
        ("page.html", ("--timeout", "0"), "timeout: expected a number above 0 or None, got 0.0"),
        ("page.html", ("--max-bytes", "100"), "page.html: no answer: the page is longer than max_bytes (max_bytes)"),
        ("page.html", ("--fallback", "nix"), "unknown rules 'nix'"),
        (
            "big.html.gz",
            ("--max-bytes", "1000"),
            "big.html.gz: no answer: the page is longer than max_bytes (max_bytes)",
        ),
        ("page.html", ("--model", "./nix", "--fallback", "none"), "nix"),
    ],
    ids=[
        *("no-file", "no-model", "no-rules", "threshold", "binary", "folder"),
        *("timeout", "max-bytes", "fallback", "packed", "no-fallback"),
    ],
)
def test_failures_are_status_1_with_a_message(run, file, tmp_path, page, options, message):
    (tmp_path / "page.pdf").write_bytes(b"%PDF-1.7")
    (tmp_path / "big.html.gz").write_bytes(gzip.compress(b"x" * 10_000)[:-9])  # a complete read would fail
    status, out, err = run("extract", str(tmp_path / page), "--model", RULES, *options)
    assert (status, out) == (1, "")
    assert err.startswith("web2text extract: ")
    assert message in err


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("extract",),
        ("extract", "-", "--format", "xml"),
        ("fly",),
        ("extract", "-", "--threshold", "high"),
        ("extract", "-", "--timeout", "long"),
        ("extract", "-", "--max-bytes", "1.5"),
        ("extract", "-", "--encoding", "hex"),
        ("extract", "-", "--encoding", "klingon"),
    ],
    ids=["nothing", "no-page", "format", "command", "threshold", "timeout", "max-bytes", "codec", "encoding"],
)
def test_wrong_arguments_are_status_2(capsys, arguments):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage: web2text" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["extract", "--help"]], ids=" ".join)
def test_help_and_version_are_printed(capsys, arguments):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 0
    out = capsys.readouterr().out
    assert __version__ in out if "--version" in arguments else "usage: web2text" in out


def test_the_arguments_of_the_process_are_the_default(monkeypatch, capsys, file):
    monkeypatch.setattr(sys, "argv", ["web2text", "extract", file, "--model", RULES])
    assert main() == 0
    assert capsys.readouterr().out == TEXT


def run_without_torch(*arguments):
    program = "import sys; sys.modules['torch'] = None; from scrapy_web2text.cli.main import main; sys.exit(main())"
    command = [sys.executable, "-W", "error", "-c", program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_the_help_of_a_training_needs_no_extra():
    done = run_without_torch("train", "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert "--seed" in done.stdout


def test_training_names_the_extra_that_it_needs():
    done = run_without_torch("train", "recipe.toml", "--data", "corpora", "--out", "trained")
    message = "web2text train: needs torch: pip install 'scrapy-web2text[train]'\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", message)


def low_confidence_options(file):
    confidence = extract(Path(file).read_bytes(), model=RULES).confidence
    return confidence, ("--model", RULES, "--min-confidence", f"{confidence + 0.001}")


def test_an_answer_with_a_low_confidence_is_none(run, file):
    confidence, options = low_confidence_options(file)
    message = f"{file}: no answer: confidence {confidence:.2f} is below {confidence + 0.001:g}"
    assert run("extract", file, *options) == (1, "", f"web2text extract: {message}\n")
    assert run("extract", file, *options, "--format", "json")[:2] == (1, "")
    assert run("extract", file, "--model", RULES, "--min-confidence", f"{confidence - 0.001}") == (0, TEXT, "")


def test_an_answer_with_a_low_confidence_can_be_marked(run, file):
    confidence, options = low_confidence_options(file)
    message = f"{file}: confidence {confidence:.2f} is below {confidence + 0.001:g}"
    flagged = (*options, "--on-low-confidence", "flag")
    assert run("extract", file, *flagged) == (0, TEXT, f"web2text extract: {message}\n")
    assert json.loads(run("extract", file, *flagged, "--format", "json")[1])["low_confidence"] is True
    assert run("extract", file, *options, "--on-low-confidence", "keep") == (0, TEXT, "")


def test_rules_can_answer_instead_of_a_low_confidence(run, file, tmp_path):
    model = str(write_model(tmp_path / "model"))
    options = ("--model", model, "--min-confidence", "1", "--on-low-confidence", "fallback", "--format", "json")
    found = json.loads(run("extract", file, *options)[1])
    assert (found["model"], found["fallback_reason"]) == (RULES, "low_confidence")


def test_an_action_without_a_confidence_is_refused(run, file):
    message = "web2text extract: --on-low-confidence: expected --min-confidence, too\n"
    assert run("extract", file, "--on-low-confidence", "flag") == (1, "", message)


@pytest.fixture
def linked(tmp_path):
    """The path of a file that says its URL, with a relative link in its content."""
    path = tmp_path / "story.html"
    head = "<link rel=canonical href=https://a.example/stories/one>"
    path.write_text(head + article(f"{SENTENCE} <a href=two>More</a>"), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("source", "url"),
    [("canonical", "https://a.example/stories/one"), ("https://b.example/x/{stem}", "https://b.example/x/story")],
)
def test_links_are_joined_to_the_url_of_a_file(run, linked, source, url):
    options = ("--model", RULES, "--url-from", source)
    _, out, err = run("extract", linked, *options, "--format", "md")
    assert (f"[More]({url.rpartition('/')[0]}/two)" in out, err) == (True, "")
    assert json.loads(run("extract", linked, *options, "--format", "json")[1])["url"] == url


def test_standard_input_has_the_url_that_it_says(run, linked, monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(Path(linked).read_bytes())))
    sources = ("--url-from", "https://b.example/{stem}", "--url-from", "canonical")
    _, out, _ = run("extract", "-", "--model", RULES, *sources, "--format", "json")
    assert json.loads(out)["url"] == "https://a.example/stories/one"


def test_a_fetched_page_keeps_its_url_if_it_says_none(run, monkeypatch):
    body = article().encode()
    monkeypatch.setattr(fetching, "fetch", lambda url, max_bytes: HtmlResponse(url, body=body))
    sources = ("--url-from", "canonical", "--url-from", "https://b.example/{stem}")
    _, out, _ = run("extract", "https://example.com/", "--model", RULES, *sources, "--format", "json")
    assert json.loads(out)["url"] == "https://example.com/"


def test_a_url_is_fetched_by_the_program(site):
    done = run_process("extract", site.url("/article"), "--model", RULES)
    assert (done.returncode, done.stdout, done.stderr) == (0, TEXT, "")


def test_the_program_fails_with_a_message(site):
    done = run_process("extract", site.url("/none"), "--model", RULES)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"web2text extract: {site.url('/none')}: status 404\n"


@pytest.mark.parametrize("content_type", ["application/json", "text/plain", "application/rss+xml"])
def test_other_content_types_have_no_answer(site, content_type):
    url = site.add("/data", f"{SENTENCE}\n" * 20, content_type=content_type)
    done = run_process("extract", url)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"web2text extract: {url}: {describe_failure('not_html')}\n"


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


def test_the_program_reads_standard_input():
    done = run_process("extract", "-", "--model", RULES, "--format", "json", page=article().encode())
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["text"] + "\n" == TEXT


def test_ctrl_c_ends_a_command_with_a_message(run, file, monkeypatch):
    def extract(self, *args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(Extractor, "extract", extract)
    assert run("extract", file) == (130, "", "web2text: interrupted\n")


@pytest.mark.parametrize(
    ("choice", "method"), [((), "fragment"), (("--fragment", "false"), "rules"), (("--fragment", "true"), "fragment")]
)
def test_a_file_can_be_a_fragment(run, tmp_path, choice, method):
    path = tmp_path / "part.html"
    path.write_text("<h2>Who pays?</h2><p>We do.</p>", encoding="utf-8")
    status, out, _ = run("extract", str(path), "--model", RULES, "--format", "json", *choice)
    assert (status, json.loads(out)["method"]) == (0, method)
