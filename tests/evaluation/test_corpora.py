from __future__ import annotations

import json

import pytest
from corpora import ARTICLE, ARTICLE_TEXT, write_cleaneval, write_plain, write_wcxb

from scrapy_web2text.evaluation.corpora import clean_cleaneval_text, open_corpus, read_split


def test_cleaneval_pages_come_without_wrapper_and_marks_in_the_order_of_their_numbers(tmp_path):
    corpus = open_corpus("cleaneval", write_cleaneval(tmp_path))
    assert corpus.ids == ("1", "2", "10")
    page = next(corpus.pages(["10"]))
    facts = ("10", ARTICLE, ARTICLE_TEXT, "http://valley.example/10", None)
    assert (page.id, page.html, page.text, page.url, page.kind) == facts


def test_cleaneval_pages_have_line_ends_of_all_kinds_and_malformed_bytes(tmp_path):
    write_cleaneval(tmp_path)
    (tmp_path / "cleaneval" / "orig" / "1.html").write_bytes(b"<text>\r\n<p>caf\xe9</p>\r<p>b</p>\n</text>")
    page = next(open_corpus("cleaneval", tmp_path).pages([1]))
    assert page.html == "<p>caf</p>\n<p>b</p>"
    assert page.url is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("URL: http://x.org/\nText", "Text"),
        ("URL: http://x.org/", ""),
        ("Text\nURL: stays", "Text\nURL: stays"),
        ("  <l>* one\n <l> 12. two\n<l>» three\n<L>four\n<l>123. five", "one\ntwo\nthree\nfour\n123. five"),
        ("a <p> b <H>c <h1>", "a b c <h1>"),
        ("a\n   __________ \n----------\n---\nb", "a\n---\nb"),
        ("\n\n  a\n\n\n \t b  \n", "a\nb"),
    ],
    ids=["url", "only a url", "url elsewhere", "list marks", "marks", "rules", "whitespace"],
)
def test_cleaneval_texts_are_cleaned(text, expected):
    assert clean_cleaneval_text(text) == expected


def test_wcxb_pages_have_a_type(tmp_path):
    article, shell = open_corpus("wcxb", write_wcxb(tmp_path)).pages()
    assert article.html == ARTICLE.encode()
    assert (article.text, article.url, article.kind) == (ARTICLE_TEXT, "http://valley.example/flood", "article")
    assert (shell.text, shell.url, shell.kind) == ("", None, None)


@pytest.mark.parametrize("with_meta", [False, True], ids=["pages alone", "with meta.jsonl"])
def test_any_folder_of_pages_and_texts_is_a_corpus(tmp_path, *, with_meta):
    corpus = open_corpus("more/valley", write_plain(tmp_path, "more/valley", with_meta=with_meta))
    assert corpus.ids == ("valley.example_1",)
    (page,) = corpus.pages()
    assert page.html == ARTICLE.encode()
    assert page.text == ARTICLE_TEXT
    assert (page.url, page.kind) == (("http://valley.example/1", "article") if with_meta else (None, None))


def test_facts_of_pages_may_hold_any_character(tmp_path):
    folder = write_plain(tmp_path, "valley", with_meta=True) / "valley"
    url = "http://valley.example/\u2028\x85"
    entry = json.dumps({"id": "valley.example_1", "url": url}, ensure_ascii=False)
    (folder / "meta.jsonl").write_text(f"{entry}\n", encoding="utf-8")
    (page,) = open_corpus("valley", tmp_path).pages()
    assert page.url == url


@pytest.mark.parametrize(
    ("name", "expected"),
    [("cleaneval", "cleaneval/clean"), ("wcxb", "wcxb/dev/ground-truth"), ("valley", "valley/text")],
)
def test_the_error_of_a_missing_corpus_names_the_expected_files(tmp_path, name, expected):
    with pytest.raises(ValueError, match=expected):
        open_corpus(name, tmp_path)


def test_the_error_of_missing_pages_names_them(tmp_path):
    corpus = open_corpus("cleaneval", write_cleaneval(tmp_path))
    for ids, message in (([1, 3], r"corpus cleaneval has no page 3$"), (range(1, 8), "no page 3, 4, 5 and 2 more")):
        with pytest.raises(ValueError, match=message):
            corpus.pages(ids)


def test_the_ids_of_a_split_are_strings(tmp_path):
    write_cleaneval(write_wcxb(tmp_path))
    assert read_split(tmp_path / "splits" / "cleaneval.json", "web2text", "test") == ("2", "10")
    assert read_split(tmp_path / "splits" / "wcxb-dev.json", None, "val") == ("0002",)


SPLITS = '{"web2text": {"test": [1]}}'


@pytest.mark.parametrize(
    ("text", "split", "part", "message"),
    [
        (SPLITS, "other", "test", "split 'other' does not exist, found web2text"),
        (SPLITS, "web2text", "val", "part 'val' does not exist, found test"),
        ('{"test": [1]}', "web2text", "test", "split 'web2text' does not exist, found test"),
        ('{"test": [1]}', "test", "test", "part 'test' does not exist, found a list"),
        (SPLITS, None, "web2text", "expected the name of a split, one of web2text"),
        ("{", None, "test", r"splits\.json: expected JSON"),
    ],
    ids=["no such split", "no such part", "split of one split", "too deep", "no split named", "damaged"],
)
def test_the_error_of_a_missing_split_names_the_others(tmp_path, text, split, part, message):
    path = tmp_path / "splits.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read_split(path, split, part)
