from __future__ import annotations

import json
import sys

import pytest
from mockserver import SENTENCE, article
from subprocesses import run_python

from scrapy_web2text.batch.duplicates import Duplicates, DuplicateSearch, fingerprint_text, mark_duplicate
from scrapy_web2text.batch.page_answers import PageAnswer

WORDS = [f"word{n}" for n in range(400)]


@pytest.fixture
def compare(run, tmp_path):
    """Run the command on pages with these texts; return its status, the lines and messages."""

    def compare(texts, *arguments: str):
        pages = [json.dumps({"html": article(text)}) + "\n" for text in texts]
        (tmp_path / "in.jsonl").write_text("".join(pages))
        return run("in.jsonl", "--duplicates", *arguments)

    return compare


def line(text: str, place: str, asked="near") -> PageAnswer:
    return PageAnswer("{}\n", "model", None, None, 0.0, place=place, fingerprint=fingerprint_text(text, asked))


def marks(lines):
    return [(line["record"], line.get("duplicate"), line.get("duplicate_of")) for line in lines]


@pytest.mark.parametrize("resume", [(), ("--resume",)])
def test_equal_texts_are_marked(compare, resume):
    texts = [SENTENCE, f"Another {SENTENCE}", SENTENCE, SENTENCE]
    status, lines, err = compare(texts, "mark", *resume)
    assert status == 0
    expected = [(0, None, None), (1, None, None), (2, "exact", "in.jsonl#0"), (3, "exact", "in.jsonl#0")]
    assert marks(lines) == expected
    assert err.endswith("; duplicates: 2 (exact 2)\n")


def test_equal_texts_are_dropped(compare):
    status, lines, err = compare([SENTENCE, SENTENCE, f"Another {SENTENCE}"], "drop")
    assert (status, marks(lines)) == (0, [(0, None, None), (2, None, None)])
    assert "; 1 page" not in err
    assert err.startswith("web2text batch: 3 pages; ")


def test_similar_texts_are_found_by_an_extra(compare):
    pytest.importorskip("rensa", reason="needs the extra dedup")
    texts = [" ".join(WORDS), " ".join([*WORDS, "more"]), " ".join(reversed(WORDS))]
    _, lines, err = compare(texts, "mark", "--similarity", "0.8")
    assert marks(lines) == [(0, None, None), (1, "near", "in.jsonl#0"), (2, None, None)]
    assert err.endswith("; duplicates: 1 (near 1)\n")


def test_what_a_filter_leaves_out_is_not_compared(compare):
    arguments = ("--min-confidence", "1", "--on-low-confidence", "drop")
    _, lines, err = compare(["A few words.", "A few words."], "drop", *arguments)
    assert (lines, "duplicates:" in err) == ([], False)


def test_pages_without_a_text_are_not_duplicates():
    assert fingerprint_text("", "exact") is None
    assert Duplicates(DuplicateSearch()).find(PageAnswer("{}\n", "none", "empty", None, 0.0)) is None


def test_what_an_earlier_process_has_seen_is_found():
    pytest.importorskip("rensa", reason="needs the extra dedup")
    lines = []
    first = Duplicates(DuplicateSearch(similarity=0.8), remember=lines.append)
    assert first.find(line(" ".join(WORDS), "a")) is None
    second = Duplicates(DuplicateSearch(similarity=0.8), b"".join(lines), lines.append)
    assert second.find(line(" ".join(WORDS), "b")) == ("exact", "a")
    assert second.find(line(" ".join(WORDS[1:]), "b")) == ("near", "a")
    assert len(lines) == 1


@pytest.mark.parametrize(
    ("first", "second", "is_near"),
    [
        ("one two", "one  TWO", True),
        ("one two", "two one", False),
        ("橋は春に町の人々によって再建された。" * 20, "橋は春に町の人々によって再建された。" * 21, True),
        ("橋は春に町の人々によって再建された。" * 20, "川の向こうに古い駅がある。" * 20, False),
    ],
    ids=["case", "order", "characters", "other characters"],
)
def test_texts_are_compared_by_their_runs_of_words_or_characters(first, second, is_near):
    pytest.importorskip("rensa", reason="needs the extra dedup")
    found = Duplicates(DuplicateSearch(similarity=0.8))
    found.find(line(first, "a"))
    assert (found.find(line(second, "b")) is not None) == is_near


def test_a_mark_is_the_end_of_a_line():
    marked = json.loads(mark_duplicate('{"path": "b"}\n', "exact", 'a"\\udce9#1'))
    assert marked == {"path": "b", "duplicate": "exact", "duplicate_of": 'a"\\udce9#1'}


def test_sketches_take_few_addresses():
    pytest.importorskip("rensa", reason="needs the extra dedup")
    if not sys.platform.startswith("linux"):
        pytest.skip("needs the limits of Linux")
    program = (
        "import resource; from scrapy_web2text.batch.duplicates import fingerprint_text\n"
        "resource.setrlimit(resource.RLIMIT_AS, (800_000_000, 800_000_000))\n"
        "print(len(fingerprint_text('a b', 'near')[1]) > 100)"
    )
    assert run_python(program) == "True"


def test_what_cannot_be_compared_is_status_1(run, compare, monkeypatch):
    assert run("in.jsonl", "--similarity", "0.8")[2] == "web2text batch: --similarity: expected --duplicates, too\n"
    monkeypatch.setattr("scrapy_web2text.common.checks.find_spec", lambda name: None)
    status, _, err = compare([SENTENCE], "mark", "--similarity", "0.8")
    assert (status, "needs pip install 'scrapy-web2text[dedup]'" in err) == (1, True)


@pytest.mark.parametrize("number", ["0", "1.1", "x", "nan"])
def test_a_similarity_is_above_0_and_up_to_1(compare, number):
    with pytest.raises(SystemExit):
        compare([SENTENCE], "mark", "--similarity", number)


def test_a_fingerprint_without_similarity_has_no_sketch():
    assert fingerprint_text("a", "exact") == ("ca978112ca1bbdcafac231b39a23dc4d", "")
