"""The command that scores any extractor: which pages, what counts as a failure, and the files for leaderboards."""

from __future__ import annotations

import json
import time

import pytest
from corpora import ARTICLE, ARTICLE_TEXT, write_cleaneval, write_plain, write_wcxb

from research.leaderboard import find_corpora, is_trained_on, list_ids, load_system, main, make_table, score
from scrapy_web2text.evaluation.corpora import CorpusPage, open_corpus

PAGES = [CorpusPage(str(number), html, "one two") for number, html in enumerate(("<p>one two", "<p>", "", "<p>x"))]


def answer_by_url(html, url=None):
    return f"{url} one two" if url else None


def never_answer(html, url):
    while True:
        try:
            time.sleep(0.01)
        except Exception:  # noqa: BLE001  as extractors do
            return "one two"


def run(monkeypatch, *arguments):
    monkeypatch.setattr("sys.argv", ["leaderboard", *map(str, arguments)])
    main()


def test_all_corpora_with_texts_are_found_and_scored_on_their_val_part(tmp_path):
    write_plain(write_wcxb(write_cleaneval(tmp_path)), "more/news")
    (tmp_path / "unlabelled" / "html").mkdir(parents=True)
    assert find_corpora(tmp_path) == ["cleaneval", "wcxb", "more/news"]
    assert list_ids(open_corpus("wcxb", tmp_path), "val", tmp_path) == ("0002",)
    assert list_ids(open_corpus("wcxb", tmp_path), "all", tmp_path) == ("0001", "0002")


def test_no_page_of_a_published_test_part_is_scored(tmp_path):
    folder = write_plain(tmp_path, "seeds/blogs") / "seeds" / "blogs"
    ids = [f"page-{number}" for number in range(60)]
    (folder / "meta.jsonl").write_text(
        "".join(json.dumps({"id": each, "url": f"http://{each}.example/"}) + "\n" for each in ids)
    )
    for page_id in ids:
        (folder / "html" / f"{page_id}.html").write_text(ARTICLE)
        (folder / "text" / f"{page_id}.txt").write_text(ARTICLE_TEXT)
    corpus = open_corpus("seeds/blogs", tmp_path)
    val = list_ids(corpus, "val", tmp_path)
    assert 1 < len(val) < 20
    (folder / "test.txt").write_text(f"{val[0]}\n")
    assert list_ids(corpus, "val", tmp_path) == val[1:]


def test_failures_are_counted_and_have_an_empty_text():
    def fail_sometimes(html, url):
        return {"<p>one two": "one two", "<p>": "!", "": 5}[html]

    reports, texts = score({"late": never_answer, "odd": fail_sometimes}, PAGES, timeout=0.05)
    assert [page.error for page in reports[0].pages] == ["Timeout"] * 4
    assert [page.error for page in reports[1].pages] == [None, None, "TypeError", "KeyError"]
    assert texts["odd"] == {"0": "one two", "1": "!", "2": "", "3": ""}
    rows = [line.split(" | ") for line in make_table("news", reports, texts).splitlines()[2:]]
    assert [row[0] for row in rows] == ["| `odd`", "| `late`"]
    assert rows[0][1].startswith(".250")
    assert [row[3:] for row in rows] == [["2", "0", "1 |"], ["0", "4", "0 |"]]


def test_a_function_gets_the_url_if_it_takes_one(monkeypatch):
    assert load_system(f"{__name__}:answer_by_url")("<p>", "http://a.example/") == "http://a.example/ one two"
    assert load_system("html:unescape")("&lt;", "http://a.example/") == "<"


@pytest.mark.parametrize(
    ("name", "corpus", "expected"),
    [("web2text-2026", "wcxb", True), ("web2text-2026", "seeds/l3s_gn1", False), ("resiliparse", "wcxb", False)],
)
def test_a_model_is_marked_where_its_recipe_has_pages_of_the_corpus(name, corpus, expected):
    assert is_trained_on(name, corpus) == expected


def test_the_command_writes_a_page_and_answers(tmp_path, monkeypatch):
    # The formats of both leaderboards, with pages that are made up.
    write_wcxb(tmp_path)
    bench = tmp_path / "bench.jsonl"
    html = '<main cc-select="true"><p data-anno-uid=7>A <marked-text>B</marked-text></p></main>'
    record = {"track_id": "a-1", "url": "http://a.example/", "html": html, "groundtruth_content": "A B"}
    bench.write_text(json.dumps(record) + "\n\n" + json.dumps(record | {"track_id": "b-2"}) + "\n")
    out, answers = tmp_path / "PAGE.md", tmp_path / "answers"
    options = ("--data", tmp_path, "--part", "all", "--out", out, "--predictions", answers, "--webmainbench", bench)
    run(monkeypatch, "html:unescape", "web2text-2026", *options)
    page = out.read_text()
    assert page.startswith("# Leaderboard\n\nAll pages of each corpus, with those of test parts.\n")
    assert "## wcxb\n\n2 pages, SHA-256" in page
    assert "| `web2text-2026`\\* | " in page
    wcxb = json.loads((answers / "wcxb" / "html-unescape.json").read_text())
    assert wcxb == {"0001": ARTICLE, "0002": "<body><p>Log in</p></body>"}
    lines = (answers / "webmainbench" / "html-unescape.jsonl").read_text().splitlines()
    assert [json.loads(line)["track_id"] for line in lines] == ["a-1", "b-2"]
    assert json.loads(lines[0]) == record | {"llm_webkit_md": "<main><p>A B</p></main>"}


def test_a_corpus_without_pages_in_the_part_is_named(tmp_path, monkeypatch):
    write_plain(tmp_path, "news")
    run(monkeypatch, "bte", "--data", tmp_path, "--pages", "1", "--out", tmp_path / "a.md", "--corpus", "news")
    assert "## news\n\n0 pages\n" in (tmp_path / "a.md").read_text()


def test_an_unknown_system_is_an_error_of_the_command(tmp_path, monkeypatch, capsys):
    with pytest.raises(SystemExit):
        run(monkeypatch, "no_such_module:extract", "--data", tmp_path, "--out", tmp_path / "a.md")
    assert "no_such_module" in capsys.readouterr().err
