from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest
from mockserver import SENTENCE, article

from scrapy_web2text.cli.diff import DIFFERENT
from scrapy_web2text.cli.main import main
from scrapy_web2text.sources.records import load_zstd


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run the command in the folder of the test; return its status, output and messages."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object):
        status = main(["diff", *map(str, arguments)])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


@pytest.fixture
def feed(tmp_path):
    """Write items to a feed, and return its name."""

    def feed(name, *items):
        data = "".join(f"{json.dumps(item)}\n" for item in items).encode()
        if name.endswith(".gz"):
            data = gzip.compress(data)
        elif name.endswith(".zst"):
            zstd = load_zstd() or pytest.skip("needs backports.zstd")
            data = zstd.compress(data)
        (tmp_path / name).write_bytes(data)
        return name

    return feed


def page(number, text="The old bridge", **more):
    return {"url": f"https://x.example/{number}", "text": text, **more}


def facts(out):
    """Return the first lines of the report, by their names."""
    return dict(re.split(r" {2,}", line, maxsplit=1) for line in out.partition("\n\n")[0].splitlines())


def test_feeds_of_one_name_are_told_apart_by_their_folders(run, feed, tmp_path):
    folders = [tmp_path / "x" / name / "deep" for name in "ab"]
    for folder in folders:
        folder.mkdir(parents=True)
        Path(feed("clean.jsonl", page(1))).rename(folder / "clean.jsonl")
    status, out, err = run(*(str(folder / "clean.jsonl") for folder in folders))
    only = {name for name in facts(out) if name.startswith("only in")}
    assert (status, err) == (0, "")
    assert only == {f"only in {Path(name, 'deep', 'clean.jsonl')}" for name in "ab"}


def test_a_feed_compared_to_itself_is_named_once(run, feed, tmp_path):
    path = feed("clean.jsonl", page(1))
    status, out, err = run(path, path)
    assert (status, out.count("only in")) == (0, 1)
    assert err == f"web2text diff: {path} and {path} are the same file\n"
    (tmp_path / "link.jsonl").symlink_to(path)
    assert "are the same file" in run(path, str(tmp_path / "link.jsonl"))[2]


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
def test_pages_are_matched_by_url_and_sorted_by_what_changed(run, feed, suffix):
    before = feed(f"a.jsonl{suffix}", page(1), page(2), page(3), page(4), page(5))
    after = feed(
        f"b.jl{suffix}", page(5), page(4, "the old\nbridge"), page(2, "A lamp"), page(3, "The old lamp"), page(6)
    )
    status, out, err = run(before, after)
    assert (status, err) == (DIFFERENT, "")
    assert facts(out) == {
        "pages in both": "4",
        "equal": "1",
        "changed": "3 (1 of them only in spacing or order)",
        f"only in {Path(before).name}": "1",
        f"only in {Path(after).name}": "1",
        "word F1": "mean .667; of changed pages .556",
        "words": "3 gained, 4 lost",
        "line lost": "The old bridge (3 of 4 pages of x.example)",
    }
    assert out.partition("\n\n")[2].splitlines() == [
        "   F1   gained     lost  page",
        " .000       +2       -3  https://x.example/2",
        " .667       +1       -1  https://x.example/3",
        "1.000       +0       -0  https://x.example/4",
    ]


@pytest.mark.parametrize(
    ("items", "arguments", "expected"),
    [
        ([page(1), page(2)], (), 0),
        ([page(1), page(2, "The lamp")], (), DIFFERENT),
        ([page(1), page(2, "The lamp")], ("--min-f1", "0.7"), 0),
        ([page(1), page(2, "The lamp")], ("--min-f1", "0.71"), DIFFERENT),
        ([page(1)], (), DIFFERENT),
        ([page(1)], ("--common",), 0),
        ([page(1), page(2), page(3)], (), DIFFERENT),
        ([page(1), page(2), page(3)], ("--common",), 0),
        ([page(1), page(2), {"url": "https://x.example/3"}], (), DIFFERENT),
        ([page(1), page(2), {"url": "https://x.example/3"}], ("--common",), 0),
        ([page(1), page(2, "the old bridge")], (), DIFFERENT),
        ([page(1), page(2, "the old bridge")], ("--min-f1", "0.9999"), 0),
    ],
)
def test_the_exit_status_says_whether_the_sides_are_similar_enough(run, feed, items, arguments, expected):
    before = feed("a.jsonl", page(1), page(2))
    assert run(before, feed("b.jsonl", *items), *arguments)[0] == expected


def test_items_that_cannot_be_compared_are_counted(run, feed):
    others = [page(1, "other"), {"text": "a"}, {"url": "", "text": "a"}, {"url": "u", "text": 5}, {"url": "v"}]
    status, out, _ = run(feed("a.jsonl", page(1), *others), feed("b.jsonl", page(1, None), page(1)))
    assert status == DIFFERENT
    assert facts(out)["skipped of a.jsonl"] == "without a URL or path 2, without a text 2, duplicates 1"
    assert facts(out)["skipped of b.jsonl"] == "duplicates 1"
    assert facts(out)["words"] == "0 gained, 3 lost"


def test_pages_without_a_url_are_matched_by_their_place(run, feed):
    items = [{"path": "a.warc", "record": n, "text": str(n)} for n in (1, 2)] + [{"path": "b.html", "text": "b"}]
    assert facts(run(feed("a.jsonl", *items), feed("b.jsonl", *reversed(items)))[1])["equal"] == "3"


def test_the_text_of_a_crawl_is_found_and_any_field_can_be_named(run, feed):
    before = feed("a.jsonl", {"url": "u", "main_content": "a", "title": "x"})
    after = feed("b.jsonl", {"url": "u", "main_content": "a", "title": "y"})
    assert run(before, after)[0] == 0
    assert run(before, after, "--text-field", "title")[0] == DIFFERENT


def test_json_has_the_same_numbers(run, feed):
    before = feed("a.jsonl", page(1), page(2), {"a": 1})
    status, out, _ = run(before, feed("b.jsonl", page(1), page(2, "The lamp"), page(3)), "--format", "json")
    assert status == DIFFERENT
    assert json.loads(out) == {
        "settings": {},
        "equal": 1,
        "changed": 1,
        "layout_only": 0,
        "only_before": 0,
        "only_after": 1,
        "mean_f1": 0.7,
        "mean_f1_of_changed": 0.4,
        "gained": 1,
        "lost": 2,
        "lines": [],
        "pages": [{"page": "https://x.example/2", "f1": 0.4, "gained": 1, "lost": 2}],
        "pages_only_before": [],
        "pages_only_after": ["https://x.example/3"],
        "skipped_before": {"without a URL or path": 1},
        "skipped_after": {},
    }


def test_lines_that_several_pages_of_a_site_lost_are_named(run, feed):
    before = feed("a.jsonl", *(page(n, "The lamp\nAccept all cookies") for n in range(3)))
    after = feed("b.jsonl", *(page(n, "The lamp" if n else "The lamp\nAccept all cookies") for n in range(3)))
    assert facts(run(before, after)[1])["line lost"] == "Accept all cookies (2 of 3 pages of x.example)"
    assert facts(run(after, before)[1])["line gained"] == "Accept all cookies (2 of 3 pages of x.example)"


def test_no_more_pages_are_listed_than_asked_for(run, feed):
    before = feed("a.jsonl", page(1), page(2), page(3))
    after = feed("b.jsonl", page(1, "a"), page(2, "b"), page(3, "The old"))
    _, out, err = run(before, after, "--limit", 1, "--out", "diff.html")
    assert out.count("https://") == 1
    assert err == "web2text diff: diff.html: 1 page\n"


def test_blocks_of_batches_are_beside_the_texts(run, tmp_path):
    (tmp_path / "page.html").write_text(article(), encoding="utf-8")
    for name, rules in (("a", "shallow:numwords"), ("b", "bte")):
        command = ["batch", "page.html", "--out", f"{name}.jsonl", "--model", rules, "--blocks", "all", "--jobs", "1"]
        assert main([*command, "--exclude", "h1"] if name == "b" else command) == 0
    assert run("a.jsonl", "b.jsonl", "--out", "diff.html")[0] == DIFFERENT
    html = (tmp_path / "diff.html").read_text(encoding="utf-8")
    shown = json.loads(re.search(r'id="page-0">(.*?)</script>', html)[1])
    assert (shown["before"]["name"], shown["after"]["facts"]["model"]) == ("a.jsonl", "bte")
    assert SENTENCE in json.dumps(shown["rows"])
    _, out, _ = run("a.jsonl", "b.jsonl")
    expected = [("model", "shallow:numwords -> bte"), ("exclude", "default -> h1")]
    assert [each for each in facts(out).items() if "->" in each[1]] == expected
    assert json.loads(run("b.jsonl", "a.jsonl", "--format", "json")[1])["settings"]["exclude"] == [["h1"], "default"]
    long = json.dumps({"settings": {"model": "a" * 1_000_000}})
    for other in (
        '{"settings": 1}',
        "[" * 100_000,
        '{"settings": {"a": NaN}}',
        f'{{"settings": {{"{"a" * 101}": 1}}}}',
        long,
    ):
        (tmp_path / "a.jsonl.settings.json").write_text(other, encoding="utf-8")
        assert json.loads(run("a.jsonl", "b.jsonl", "--format", "json")[1])["settings"] == {}


def test_names_cannot_command_a_terminal(run, feed):
    url = "https://x.example/\x1b[2J"
    _, out, _ = run(feed("a.jsonl", page(1, url=url)), feed("b.jsonl", {"url": url, "text": "a"}))
    assert "\x1b" not in out
    assert "https://x.example/\\x1b[2J" in out


def test_halves_of_characters_are_compared_and_written(run, feed):
    before, url = feed("a.jsonl", page(1, "a \ud83d")), "https://x.example/\ud83d"
    assert run(before, before)[0] == 0
    _, out, _ = run(feed("a.jsonl", page(1, url=url)), feed("b.jsonl", page(1, "A", url=url)), "--format", "json")
    assert json.loads(out.encode())["pages"][0]["page"] == url


def test_a_long_page_with_another_word_is_not_listed_as_equal(run, feed):
    text = "word " * 5_000
    _, out, _ = run(feed("a.jsonl", page(1, text)), feed("b.jsonl", page(1, f"{text}more")))
    assert out.splitlines()[-1] == " .999       +1       -0  https://x.example/1"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("a.jsonl", "pages"), "pages: expected a feed in JSON Lines, as web2text batch pages --out FEED writes it"),
        (("a.jsonl", "missing.jsonl"), "No such file or directory"),
        (("a.jsonl", "missing"), "missing: No such file or directory"),
        (("a.jsonl", "list.jsonl"), "list.jsonl:1: expected an object, got a list"),
        (("a.jsonl", "other.jsonl"), "found none: a.jsonl has 1 page; other.jsonl has 1 page. Pages are matched by"),
        (("a.jsonl", "none.jsonl"), "0 pages, 1 without a text (text or main_content; --text-field names another)"),
        (("a.jsonl", "b.jsonl.gz"), "invalid compressed data"),
        (("a.jsonl", "a.jsonl", "--out", "no/diff.html"), "expected a file in a folder that exists"),
        (("a.jsonl", "a.jsonl", "--out", "page.html"), "page.html exists; --force overwrites it"),
    ],
)
def test_what_cannot_be_compared_is_an_error(run, feed, tmp_path, arguments, problem):
    feed("a.jsonl", page(1))
    feed("other.jsonl", page(2))
    feed("none.jsonl", {"url": "https://x.example/1"})
    (tmp_path / "pages").mkdir()
    (tmp_path / "list.jsonl").write_text("[]", encoding="utf-8")
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(b"{}" * 100)[:-9])
    (tmp_path / "page.html").write_text(article(), encoding="utf-8")
    status, out, err = run(*arguments)
    assert (status, out) == (1, "")
    assert problem in err


def test_a_line_that_is_too_long_is_refused(run, feed, monkeypatch):
    monkeypatch.setattr("scrapy_web2text.sources.tables._LONGEST_LINE", 100)
    status, _, err = run(feed("a.jsonl", page(1, "long " * 100)), feed("b.jsonl", page(1)))
    assert status == 1
    assert "a.jsonl:1: expected a line of at most 100 bytes" in err
