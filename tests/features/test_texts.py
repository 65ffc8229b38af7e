"""The compiled reading of texts against the one in Python, and that one against plain Python."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import PAGES

from scrapy_web2text.features import python_texts, texts
from scrapy_web2text.features.characters import class_table
from scrapy_web2text.features.stopwords import hash_word
from scrapy_web2text.features.texts import TEXT_COUNTS, read_texts
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.parse import to_tree

# Words and signs of several scripts, whitespace, and characters beyond 16 bits.
PARTS = (
    *"aZ9_.,;:!?©|@ \t\n\x01\xa0é",
    "Word",
    "ßẞİ",
    "日本",
    "ไทย",
    "٣٤",
    "。、？",
    "€",
    "e\u0301",
    "𝐀𝟙",
    "😀",
    "𠀀𠀁",
)
TEXTS = st.lists(st.one_of(st.lists(st.sampled_from(PARTS), min_size=1).map("".join), st.text(min_size=1)), min_size=1)


@pytest.fixture(scope="module")
def compiled():
    return pytest.importorskip("scrapy_web2text.features._texts", reason="there is no compiled module for texts")


def read_with(module, strings: list[str]) -> list[list]:
    found = module.read_texts(strings)
    assert [array.dtype for array in found] == [np.int64, np.int64, np.uint64]
    return [array.tolist() for array in found]


@given(strings=TEXTS)
def test_both_readings_of_texts_agree(compiled, strings):
    strings = [string.replace("\0", " ") for string in strings]
    assert read_with(compiled, strings) == read_with(python_texts, strings)


def count_with(module, strings: list[str]) -> list[list]:
    return [array.tolist() for array in module.count_between_spaces(strings)]


@given(strings=TEXTS)
def test_both_counts_of_tokens_agree(compiled, strings):
    strings = [string.replace("\0", " ") for string in strings]
    assert count_with(compiled, strings) == count_with(python_texts, strings)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_both_readings_of_pages_agree(compiled, path):
    strings = tree_to_page(to_tree(path.read_bytes())).texts
    assert read_with(compiled, strings) == read_with(python_texts, strings)
    assert count_with(compiled, strings) == count_with(python_texts, strings)


def test_every_character_is_read_alike(compiled):
    strings = [chr(code) for code in range(1, 0x10FFFF, 31)]
    for first in range(0, len(strings), 20_000):
        chunk = strings[first : first + 20_000]
        assert read_with(compiled, chunk) == read_with(python_texts, chunk)
        assert count_with(compiled, chunk) == count_with(python_texts, chunk)


def test_tokens_end_at_every_space_and_at_letters_of_scripts_without_spaces():
    strings = ["a,b - c", "a\xa0b\u2009c\u3000d", "\u200b", " \xa0", "Go語go!"]
    assert count_with(python_texts, strings) == [[3, 4, 1, 0, 3], [2, 4, 0, 0, 3]]


def test_the_counts_and_edges_of_texts_are_those_that_their_names_say():
    reading = read_texts(["  The 2 Öre,\n\t€5! ", "© | @|", " 日本。", "\t"])
    counts = [dict(zip(TEXT_COUNTS, row, strict=True)) for row in reading.counts.tolist()]
    present = {"commas", "full_stops", "currency"}
    assert counts[0] == {
        name: {"chars": 16, "words": 4, "letters": 6, "upper": 2, "digits": 2, "marks": 2}.get(name, name in present)
        for name in TEXT_COUNTS
    }
    assert [(row["copyrights"], row["bars"], row["ats"]) for row in counts] == [
        (0, 0, 0),
        (1, 2, 1),
        (0, 0, 0),
        (0,) * 3,
    ]
    assert [row["words"] for row in counts] == [4, 0, 2, 0]
    assert reading.edges[:, 2].tolist() == [ord("!"), ord("|"), ord("。"), 0]
    assert reading.edges[:, 0].tolist() == [class_table()[ord(first)] for first in "T©日"] + [0]
    assert reading.hashes.tolist() == [hash_word(word) for word in ("the", "2", "öre", "5", "日", "本")]


@st.composite
def word_blocks(draw):
    """Generate the numbers of words in blocks, and which blocks are long and which words are counted."""
    sizes = draw(st.lists(st.integers(0, 6), min_size=1, max_size=8))
    n = sum(sizes)
    numbers, is_counted = (draw(st.lists(each, min_size=n, max_size=n)) for each in (st.integers(0, 7), st.booleans()))
    is_long = draw(st.lists(st.booleans(), min_size=len(sizes), max_size=len(sizes)))
    bounds = np.cumsum([0, *sizes])
    return np.array(numbers, dtype=np.int64), bounds, np.array(is_long), np.array(is_counted, dtype=bool)


def relate_one_by_one(numbers, bounds, is_long, is_counted) -> tuple[list[int], list[int]]:
    blocks = [numbers[start:end].tolist() for start, end in pairwise(bounds)]
    shared = []
    for block, start in enumerate(bounds[:-1]):
        others = {word for i, words in enumerate(blocks) if i != block and is_long[i] for word in words}
        shared.append(sum(word in others and is_counted[start + i] for i, word in enumerate(blocks[block])))
    return [numbers.tolist().count(number) for number in numbers], shared


@pytest.mark.parametrize("name", ["compiled", "python"])
@given(words=word_blocks())
def test_words_of_other_long_blocks_are_counted(request, name, words):
    module = request.getfixturevalue("compiled") if name == "compiled" else python_texts
    frequencies, shared = module.relate_words(*words, 8)
    assert (frequencies.tolist(), shared.tolist()) == relate_one_by_one(*words)


@pytest.mark.parametrize("name", ["compiled", "python"])
@given(words=word_blocks(), wanted=st.sets(st.integers(0, 9)))
def test_hashes_among_others_are_counted(request, name, words, wanted):
    module = request.getfixturevalue("compiled") if name == "compiled" else python_texts
    numbers, bounds = words[:2]
    counts = module.count_among(
        numbers.astype(np.uint64), bounds[:-1], bounds[1:], np.array(sorted(wanted), dtype=np.uint64)
    )
    spans = pairwise(bounds)
    assert counts.tolist() == [sum(number in wanted for number in numbers[start:end].tolist()) for start, end in spans]


def test_many_hashes_are_told_apart(compiled):
    hashes = np.arange(40_000, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    bounds = np.array([0, 10_000, 40_000])
    wanted = np.sort(hashes[::2])
    for module in (compiled, python_texts):
        assert module.count_among(hashes, bounds[:-1], bounds[1:], wanted).tolist() == [5_000, 15_000]


def test_the_module_in_python_reads_where_the_compiled_one_does_not_work(monkeypatch):
    strings = ["Some words.", "日本"]
    expected = read_texts(strings)
    monkeypatch.setattr(texts, "KERNEL", python_texts)
    found = read_texts(strings)
    assert (found.counts.tolist(), found.hashes.tolist()) == (expected.counts.tolist(), expected.hashes.tolist())
