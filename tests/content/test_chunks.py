from __future__ import annotations

import json
from collections.abc import Iterable

import pytest
from contents import content_paragraphs, select
from fuzz.oracles import FREE_FORM, MOST_FORM, measure_chunks
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from strategies import html_trees

from scrapy_web2text import Extractor, extract
from scrapy_web2text.content.chunks import chunk_paragraphs
from scrapy_web2text.features.texts import split_words

WORDS = "one two three four five six seven eight nine ten"
SENTENCES = (
    "The tide comes in twice a day, at the least. The ferry leaves an hour later, at the most. Nobody waits long."
)
TABLE = "<table><tr><th>a<th>b<tr><td><p>c</p><p>d</p><td>e</table>"


def chunks_of(html: str, *args, **options) -> list[dict]:
    paragraphs = content_paragraphs(select(html, url="http://e.org/"))
    return [chunk.to_dict() for chunk in chunk_paragraphs(paragraphs, *args, **options)]


def texts_of(html: str, *args, **options) -> list[str]:
    return [chunk["text"] for chunk in chunks_of(html, *args, **options)]


def letters(texts: Iterable[str]) -> str:
    return "".join("".join(texts).split())


@pytest.mark.parametrize(
    ("html", "options", "texts"),
    [
        ("<p>a<p>b", {}, ["a\nb"]),
        ("<p>a<h2>b</h2><p>c<h2>d</h2><p>e", {}, ["a", "b\nc", "d\ne"]),
        ("<p>a<h2>b</h2><p>c<h2>d</h2><p>e", {"by": "size"}, ["a\nb\nc\nd\ne"]),
        ("<p>a<h2>b</h2><p>c", {"max_words": 2, "by": "size"}, ["a", "b\nc"]),
        ("<h1>a</h1><h2>b</h2><p>c<h3>d</h3>", {}, ["a\nb\nc", "d"]),
        ("<p>a b<p>c d<p>e f", {"max_words": 4}, ["a b\nc d", "e f"]),
        ("<p>a<p>b<p>c<p>d", {"max_words": 2, "overlap": 1}, ["a", "a\nb", "b\nc", "c\nd"]),
        ("<p>a<h2>b</h2><p>c<p>d", {"max_words": 4, "overlap": 2}, ["a", "b\nc", "b\nc\nd"]),
        (TABLE, {}, ["a\tb\nc d\te"]),
        (TABLE, {"max_words": 1}, ["a", "b", "c", "d", "e"]),
        (TABLE, {"max_words": 3}, ["a\tb", "c d\te"]),
        (f"<h2>a</h2><pre>{WORDS}\n  x", {"max_words": 12}, [f"a\n{WORDS}\n  x"]),
        (f"<pre>{WORDS}\n  x", {"max_words": 10}, [WORDS, "  x"]),
        ("<pre>a b c d\n  x", {"max_words": 3}, ["a b c", "d\n  x"]),
        (
            f"<p>$x^2 + y^2$ {WORDS}",
            {"max_words": 6},
            ["$x^2 + y^2$ one two", "three four five six seven", "eight nine ten"],
        ),
        (f"<p>$x^2 {WORDS}$", {"max_words": 3}, ["$x^2 one", "two three four", "five six seven", "eight nine ten$"]),
        (f"<p>{'$' * 100}", {"max_words": 40, "length": len}, ["$" * 32, "$" * 32, "$" * 36]),
        ("<p>It costs $5 or so, and $6", {"max_words": 4}, ["It costs $5 or", "so, and $6"]),
        (
            f"<p>{SENTENCES}",
            {"max_words": 11},
            SENTENCES.replace("most. ", "most.|").replace("least. ", "least.|").split("|"),
        ),
        (f"<p>{'潮位表は港ごとに出されている。' * 6}", {"max_words": 45}, ["潮位表は港ごとに出されている。" * 3] * 2),
        (f"<p>{'中' * 100}", {"max_words": 40}, ["中" * 40, "中" * 40, "中" * 20]),
        ("<p>שלום עולם<p>مرحبا بالعالم", {"max_words": 2}, ["שלום עולם", "مرحبا بالعالم"]),
        ("<p>ab cd<p>ef", {"max_words": 5, "length": len}, ["ab cd", "ef"]),
        (f"<p>{'!' * 100}", {"max_words": 40, "length": len}, ["!" * 32, "!" * 32, "!" * 36]),
        ("<p>X", {}, []),
    ],
)
def test_paragraphs_are_cut_where_a_reader_would(html, options, texts):
    found = texts_of(html, **options)
    assert found == texts
    assert [chunk["position"] for chunk in chunks_of(html, **options)] == [*range(len(texts))]


def test_a_chunk_says_where_it_is():
    html = "<body><h1>A</h1><h2>B</h2><p>c <a href=/d>d</a> <a href=#x>x</a><p>e<h1>F</h1><p><a href=/d>g</a>"
    first, second, third = chunks_of(html, 5)
    assert [chunk["text"] for chunk in (first, second, third)] == ["A\nB\nc d x", "e", "F\ng"]
    assert [chunk["heading_path"] for chunk in (first, second, third)] == [[], ["A", "B"], []]
    assert first["links"] == third["links"] == ["http://e.org/d"]
    assert third["paths"] == ["/html/body/h1[2]/text()[1]", "/html/body/p[3]/a/text()[1]"]
    assert json.loads(json.dumps(first)) == first


def test_a_row_that_is_cut_has_its_links_once_and_takes_linear_time():
    cells = "".join(f"<td>{WORDS} <a href=/{i}>{i}</a>" for i in range(30))
    chunks = chunks_of(f"<table><tr><th>a<th>b<tr>{cells}</table>", 25)
    links = [url for chunk in chunks for url in chunk["links"]]
    assert len(chunks) > 10
    assert links == [f"http://e.org/{i}" for i in range(30)]
    assert chunks[-1]["paths"][1] == chunks_of(f"<table><tr><th>a<th>b<tr>{cells}</table>")[-1]["paths"][1]


def test_the_rows_of_a_table_that_is_written_as_text_are_whole():
    paragraphs = content_paragraphs(
        select(TABLE.replace("<p>", "").replace("</p>", " "), options=Extractor(tables="text").options)
    )
    assert [chunk.text for chunk in chunk_paragraphs(paragraphs, 3)] == ["a\tb", "c d\te"]
    assert [chunk.text for chunk in chunk_paragraphs(paragraphs, 2)] == ["a\tb", "c d", "e"]


@given(html_trees(), st.integers(1, 12), st.sampled_from(["heading", "size"]))
def test_chunks_together_are_the_text_and_none_is_longer(html, most, by):
    paragraphs = content_paragraphs(select(html, ""))
    chunks = chunk_paragraphs(paragraphs, most, by=by)
    assert letters([chunk.text for chunk in chunks]) == letters([paragraph.text for paragraph in paragraphs])
    assert all(len(split_words(chunk.text)) <= most for chunk in chunks)


MANUAL = "Sets $HOME/.files and the paths below it\nfor all users of the system, as -f does. "


@pytest.mark.parametrize("tag", ["p", "pre", "li", "dd", "td"])
@pytest.mark.parametrize(
    "text",
    [
        "$HOME/" + "option and file " * 700 + "/$USER",
        MANUAL * 150,
        MANUAL.replace("$", "").replace(".", "") * 150,
        r"$$\frac{a}{b}" + " + c" * 900 + "$$",
        "x" * 9_000,
        "漢字かな" * 900,
    ],
    ids=["dollars", "manual", "one-sentence", "formula", "one-word", "no-spaces"],
)
def test_no_chunk_of_one_long_paragraph_is_longer_than_asked(tag, text):
    chunks = extract(f"<article><{tag}>{text}</{tag}></article>", fragment=True, chunks=200).chunks
    assert all(len(split_words(chunk.text)) <= 200 for chunk in chunks)
    assert letters(chunk.text for chunk in chunks) == letters([text])


def test_a_long_paragraph_is_cut_at_sentences_then_at_lines():
    sentences = texts_of(f"<pre>{MANUAL}</pre><p>{(MANUAL * 40).replace(chr(10), '<br>')}", 60)[1:]
    assert all(text.endswith("as -f does.") for text in sentences)
    lines = texts_of(f"<p>{(MANUAL.replace('.', '') * 40).replace(chr(10), '<br>')}", 60)
    assert all(text.startswith(("for all users", "Sets $HOME")) for text in lines[1:])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_words": 0}, "max_words: expected a whole number above 0, got 0"),
        ({"max_words": 4, "overlap": 3}, "overlap: expected 0 to half of max_words, got 3"),
        ({"length": lambda text: -len(text)}, "length: expected a number of 0 or more, got -1"),
        ({"by": "page"}, "by: expected one of 'heading', 'size', got 'page'"),
    ],
)
def test_impossible_arguments_are_errors(options, message):
    with pytest.raises(ValueError, match=message):
        chunks_of("<p>a", **options)


def test_no_paragraphs_have_no_chunks():
    assert chunk_paragraphs(()) == extract("", chunks=9).chunks == ()


def test_the_option_gives_chunks_without_paragraphs():
    page = f"<article><h2>A</h2>{f'<p>{WORDS}' * 9}</article>"
    answer = extract(page, chunks=30)
    data = answer.to_dict()
    assert "paragraphs" not in data
    assert data["chunks"] == answer.field("chunks") == [chunk.to_dict() for chunk in answer.chunks]
    paragraphs = extract(page, paragraphs=True, chunks=30).paragraphs
    assert answer.chunks == chunk_paragraphs(paragraphs, 30)
    assert [len(split_words(chunk["text"])) for chunk in data["chunks"]] == [21, 30, 30, 10]
    assert "chunks" not in extract(page, paragraphs=True).to_dict()


HOSTILE = {
    "headings": "<h1>" + "a b " * 40 + "</h1><h2>" + "a b " * 40 + "</h2>" + "<h6>x</h6><p>y" * 800,
    "a long link": "<a href='http://a.b/?" + "q" * 5_000 + "'>" + "<p>x" * 800,
    "a deep paragraph": "<div>" * 900 + "<p>" + "a b. " * 2_000,
    "links": "<p>" + "<a href=http://a.b/c>x</a> y " * 500,
    "letters": "<p>" + "中" * 5_000,
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize(
    "options", [{}, {"max_words": 60, "overlap": 30}, {"max_words": 1}, {"max_words": 2, "by": "size"}]
)
def test_chunks_are_not_much_longer_than_their_page(name, options):
    page = HOSTILE[name]
    answer = Extractor(fragment=True, paragraphs=True).extract(page)
    chunks = chunk_paragraphs(answer.paragraphs, **options)
    assert measure_chunks(chunks) <= MOST_FORM * len(page) + FREE_FORM
    assert (answer.reason == "simplified") == (name in ("headings", "a long link"))
    if "overlap" not in options:
        assert letters([chunk.text for chunk in chunks]) == letters([answer.text])


@pytest.mark.parametrize("name", HOSTILE)
def test_the_work_on_chunks_is_in_proportion_to_the_page(name):
    page = HOSTILE[name]
    (paragraph, *_) = content_paragraphs(select(page))
    counted: list[int] = []
    for times in (1, 4):
        measured = 0

        def count(text: str) -> int:
            nonlocal measured
            measured += len(text)
            return len(text.split())

        chunk_paragraphs([replace(paragraph, text=" ".join([paragraph.text] * times))], 7, length=count)
        counted.append(measured)
    assert counted[1] <= 4.5 * counted[0] + 1_000
