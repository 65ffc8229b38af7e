"""The compiled reading of texts against the one in Python, and that one against plain Python."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import PAGES

from scrapy_web2text.features.characters import class_table
from scrapy_web2text.features.hashing import STOPWORDS, hash_word, to_word_numbers
from scrapy_web2text.features.texts import IN_PYTHON, TEXT_COUNTS, read_texts
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.parse import to_tree

# Words and signs of several scripts, whitespace, and characters beyond 16 bits.
PARTS = (
    *"aZ9_.,;:!?©|@ \t\n\x01\xa0é",
    *("Word", "ßẞİ", "日本", "ไทย", "٣٤", "。、？", "€", "e\u0301", "𝐀𝟙", "😀", "𠀀𠀁"),
)
TEXTS = st.lists(st.one_of(st.lists(st.sampled_from(PARTS), min_size=1).map("".join), st.text(min_size=1)), min_size=1)


@pytest.fixture(scope="module")
def compiled():
    return pytest.importorskip("scrapy_web2text.features._texts", reason="there is no compiled module for texts")


def read_with(module, strings: list[str]) -> list[list]:
    found = module.read_texts(strings)
    assert [array.dtype for array in found] == [np.int64, np.int64, np.uint64]
    return [array.tolist() for array in found]


def check_readings(compiled, strings: list[str]) -> None:
    assert read_with(compiled, strings) == read_with(IN_PYTHON, strings)
    assert count_with(compiled, strings) == count_with(IN_PYTHON, strings)
    shown = [string for string in strings if any(character > " " for character in string)]
    fast, slow = (
        [array.tolist() for array in module.read_ascii_texts(shown)] if shown else None
        for module in (compiled, IN_PYTHON)
    )
    assert fast == slow


@given(strings=TEXTS)
def test_both_readings_of_texts_agree(compiled, strings):
    check_readings(compiled, [string.replace("\0", " ") for string in strings])


@given(strings=st.lists(st.text("aZ_ 19é.,;:/@©\n日", min_size=1), min_size=1))
def test_both_readings_of_ascii_words_agree(compiled, strings):
    check_readings(compiled, strings)


def count_with(module, strings: list[str]) -> list[list]:
    return [array.tolist() for array in module.count_between_spaces(strings)]


def test_tokens_end_at_every_space_and_at_letters_of_scripts_without_spaces():
    strings = ["a,b - c", "a\xa0b\u2009c\u3000d", "\u200b", " \xa0", "Go語go!"]
    assert count_with(IN_PYTHON, strings) == [[3, 4, 1, 0, 3], [2, 4, 0, 0, 3]]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_both_readings_of_pages_agree(compiled, path):
    check_readings(compiled, tree_to_page(to_tree(path.read_bytes())).texts)


@pytest.mark.slow
def test_every_character_is_read_alike(compiled):
    check_readings(compiled, [chr(code) for code in (*range(1, 0x3000, 7), *range(0x3000, 0x10FFFF, 499))])


def test_the_counts_and_edges_of_texts_are_those_that_their_names_say():
    rows, edges, hashes = read_texts(["  The 2 Öre,\n\t€5! ", "© | @|", " 日本。", "\t"])
    counts = [dict(zip(TEXT_COUNTS, row, strict=True)) for row in rows.tolist()]
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
    assert edges[:, 2].tolist() == [ord("!"), ord("|"), ord("。"), 0]
    assert edges[:, 0].tolist() == [class_table()[ord(first)] for first in "T©日"] + [0]
    assert hashes.tolist() == [hash_word(word) for word in ("the", "2", "öre", "5", "日", "本")]


@st.composite
def word_blocks(draw):
    """Generate the hashes of words in blocks, some of them stopwords, and which blocks are long."""
    hashes = [hash_word(word) for word in ("the", "of", "ferry", "harbor", "noon", "quay")]
    blocks = draw(st.lists(st.lists(st.sampled_from(hashes), max_size=14), min_size=1, max_size=8))
    is_long = draw(st.lists(st.booleans(), min_size=len(blocks), max_size=len(blocks)))
    words = np.array([word for block in blocks for word in block], dtype=np.uint64)
    return words, np.cumsum([0, *map(len, blocks)]), np.array(is_long)


def measure_one_by_one(hashes, bounds, is_long):
    blocks = [hashes[start:end].tolist() for start, end in pairwise(bounds)]
    stopwords = {hash_word(word) for word in STOPWORDS}
    frequencies = Counter(hashes.tolist())
    for i, words in enumerate(blocks):
        others = {word for j, other in enumerate(blocks) if j != i and is_long[j] for word in other}
        commonness = sum(np.log(frequencies[word]) / np.log(len(hashes) + 2) for word in words)
        n_shared = sum(word in others and word not in stopwords for word in words)
        yield sum(word in stopwords for word in words), pytest.approx(commonness), n_shared


@pytest.mark.parametrize("name", ["compiled", "python"])
@given(words=word_blocks())
def test_words_of_blocks_are_measured(request, name, words):
    module = request.getfixturevalue("compiled") if name == "compiled" else IN_PYTHON
    *measures, keys, bag, bag_sizes = module.measure_words(*words)
    spans = [words[0][start:end] for start, end in pairwise(words[1])]
    bags = [span if len(span) <= 12 else np.concatenate([span[:6], span[-6:]]) for span in spans]
    assert bag.tolist() == to_word_numbers(np.concatenate(bags)).tolist()
    assert bag_sizes.tolist() == [*map(len, bags)]
    assert [*zip(*(each.tolist() for each in measures), strict=True)] == [*measure_one_by_one(*words)]
    texts_of_keys = {
        (key, *words[0][start:end].tolist()) for key, (start, end) in zip(keys, pairwise(words[1]), strict=True)
    }
    assert len(texts_of_keys) == len({text[0] for text in texts_of_keys}) == len({text[1:] for text in texts_of_keys})


@given(sizes=st.lists(st.integers(1, 3), min_size=1, max_size=6), seed=st.integers(0, 99))
def test_both_modules_count_blocks_alike(compiled, sizes, seed):
    random = np.random.default_rng(seed)
    n_texts = sum(sizes)
    given = random.integers(0, 20, (n_texts, 12)), np.cumsum([0, *sizes[:-1]]), random.integers(0, 4, n_texts)
    (table, before), in_python = (module.count_blocks(*given) for module in (compiled, IN_PYTHON))
    assert (table.tolist(), before.tolist()) == tuple(each.tolist() for each in in_python)
    counts, starts, around = given
    ends = [*starts[1:], n_texts]
    for block, (start, end) in enumerate(zip(starts, ends, strict=True)):
        all_words, bits = counts[start:end, 1], around[start:end]
        words, in_link, in_bold = (int((all_words * each).sum()) for each in (1, bits & 1, bits >> 1))
        is_long = words >= 15 and counts[start:end, 7].sum() > 0 and in_link < words / 2
        assert table[12:, block].tolist() == [in_link, in_bold, words * is_long]
    assert before[:, -1].tolist() == table[[1, 12, 14]].sum(axis=1).tolist()


@pytest.mark.parametrize("name", ["compiled", "python"])
@given(words=word_blocks(), wanted=st.sets(st.sampled_from([0, hash_word("the"), hash_word("quay"), 1 << 63])))
def test_hashes_among_others_are_counted(request, name, words, wanted):
    module = request.getfixturevalue("compiled") if name == "compiled" else IN_PYTHON
    hashes, bounds = words[:2]
    counts = module.count_among(hashes, bounds, np.array([*wanted], dtype=np.uint64))
    spans = pairwise(bounds)
    assert counts.tolist() == [sum(word in wanted for word in hashes[start:end].tolist()) for start, end in spans]


def test_many_hashes_are_told_apart(compiled):
    hashes = np.arange(40_000, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    bounds = np.array([0, 10_000, 40_000])
    for module in (compiled, IN_PYTHON):
        assert module.count_among(hashes, bounds, hashes[::2]).tolist() == [5_000, 15_000]
