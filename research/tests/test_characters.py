from __future__ import annotations

import random
from functools import cache
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from research.alignment import characters as align
from research.alignment import matches
from research.alignment.characters import align_leaves, align_symbols, counts_to_labels
from research.alignment.matches import MASK, read_texts, text_to_words

IMPOSSIBLE = float("-inf")


def make_words(n, seed=0):
    letters = random.Random(seed)
    return ["".join(letters.choices("abcdefghijklmnopqrstuvwxyz", k=8)) for _ in range(n)]


def align_blocks(texts, clean):
    return counts_to_labels(*align_leaves(texts, clean))


# The slow twins.


def best_score(source, clean, matched=None):
    """Return the score of the best alignment, or of the best one that pairs exactly the *matched* source symbols."""
    codes, folded = (source.codes.tolist(), clean.codes.tolist()), (source.folded.tolist(), clean.folded.tolist())

    def pair(j, i):
        if folded[0][j] != folded[1][i]:
            return IMPOSSIBLE
        return int(clean.gains[i] if codes[0][j] == codes[1][i] else clean.lengths[i])

    @cache
    def best(j, i, in_run):
        """The best score of the first j source and i clean symbols, the last source symbol being skipped or not."""
        if i == 0:
            skipped_all = not any((matched or ())[:j])
            return 0.0 if skipped_all and in_run == (j > 0) else IMPOSSIBLE
        if in_run:
            if j == 0 or (matched and matched[j - 1]):
                return IMPOSSIBLE
            return max(best(j - 1, i, True), best(j - 1, i, False) - 2)
        length = int(clean.lengths[i - 1])
        if j == 0:
            return best(0, i - 1, False) - length
        either = max(best(j, i - 1, False), best(j, i - 1, True)) - 6 * length
        if matched is None or matched[j - 1]:
            paired = max(best(j - 1, i - 1, False), best(j - 1, i - 1, True)) + pair(j - 1, i - 1)
            return max(either, paired)
        return either

    n, m = len(source), len(clean)
    return max(best(n, m, False), best(n, m, True))


def naive_anchors(source, clean, length):
    """Return where runs that occur once in *source*, with ``|`` between leaves, start in it and in *clean*."""
    at = [i for i, character in enumerate(source) if character != "|"]
    text = source.replace("|", "")
    runs = [text[i : i + length] for i in range(len(text) - length + 1)]
    found = set()
    for c in range(len(clean) - length + 1):
        run = clean[c : c + length]
        if runs.count(run) == 1:
            start = runs.index(run)
            if "|" not in source[at[start] : at[start + length - 1]]:
                found.add((at[start], c))
    return found


def heaviest_by_trying(found, length):
    def follows(first, second):
        slack = min(length - 1, second[2] - length)
        return all(first[side] + first[2] <= second[side] + slack for side in (0, 1))

    best = 0
    for n in range(1, len(found) + 1):
        for chain in combinations(sorted(found), n):
            if all(follows(a, b) for a, b in pairwise(chain)):
                best = max(best, sum(match[2] for match in chain))
    return best


def characters(text):
    return read_texts(text.split("|")).characters


short_texts = st.text(alphabet="abA1.é|", max_size=9)


@given(source=short_texts, clean=st.text(alphabet="abA1.é", max_size=8))
def test_a_gap_is_aligned_as_well_as_the_slow_twin_can(source, clean):
    a, b = characters(source), characters(clean)
    matched = align_symbols(a, b)
    assert best_score(a, b, tuple(matched.tolist())) == best_score(a, b)


@given(source=st.lists(st.sampled_from(["a", "the", "The", "longer", "3.1"]), min_size=1, max_size=8), clean=st.data())
def test_words_are_aligned_as_well_as_the_slow_twin_can(source, clean):
    words = clean.draw(st.lists(st.sampled_from(["a", "the", "THE", "longer", "3.1", "x"]), min_size=1, max_size=7))
    a, b = read_texts([" ".join(source)]), read_texts([" ".join(words)])
    numbers = {}
    first, _ = text_to_words(a, slice(0, len(a.characters)), numbers)
    second, _ = text_to_words(b, slice(0, len(b.characters)), numbers)
    assert len(first) == len(source)
    matched = align_symbols(first, second)
    assert best_score(first, second, tuple(matched.tolist())) == best_score(first, second)


def test_a_skipped_run_is_found_however_long_it_is():
    source = characters("start" + "|" * 5000 + "end")
    assert np.flatnonzero(align_symbols(source, characters("startend"))).tolist() == [0, 1, 2, 3, 4, 5005, 5006, 5007]


def test_rows_of_gains_are_computed_again_when_memory_ends(monkeypatch):
    monkeypatch.setattr("research.alignment.characters._MAX_CACHED", 0)
    text = characters("abcabc")
    assert align_symbols(text, text).all()


@given(
    source=st.text(alphabet="abcd|", max_size=60), clean=st.text(alphabet="abcd", max_size=40), length=st.integers(1, 5)
)
def test_anchors_are_the_runs_that_occur_once(source, clean, length):
    in_source, in_clean = matches._find_anchors_in_leaves(characters(source).codes, characters(clean).codes, length)
    found = set(zip(in_source.tolist(), in_clean.tolist(), strict=True))
    assert found == naive_anchors(source, clean, length)


@given(
    source=st.text(alphabet="abcdeABCDE|", max_size=80), clean=st.text(alphabet="abcdeAB", max_size=60), data=st.data()
)
def test_matches_are_equal_stretches_in_ascending_order(source, clean, data):
    length = data.draw(st.integers(2, 4))
    found = matches.find_matches(characters(source), characters(clean), length).tolist()
    for s, c, n in found:
        assert source[s : s + n].lower() == clean[c : c + n].lower()
        assert n >= 1
    for (s, c, n), (next_s, next_c, _) in pairwise(found):
        assert next_s >= s + n
        assert next_c >= c + n
    assert bool(found) == bool(naive_anchors(source, clean, length))


@given(
    found=st.lists(
        st.tuples(st.integers(0, 30), st.integers(0, 30), st.integers(3, 9)),
        min_size=1,
        max_size=8,
        unique_by=lambda match: (match[0] + match[2], match[1] + match[2]),
    )
)
def test_no_chain_of_matches_is_heavier(found):
    weights = {(s + n, c + n): n for s, c, n in found}  # cutting keeps the ends
    chain = matches._chain(np.array(found), 3)
    assert sum(weights[s + n, c + n] for s, c, n in chain.tolist()) == heaviest_by_trying(found, 3)
    for (s, c, n), (next_s, next_c, _) in pairwise(chain.tolist()):
        assert s + n <= next_s
        assert c + n <= next_c


def test_matches_grow_up_to_the_text_that_differs():
    words = make_words(30)
    source, clean = characters("|".join(words)), characters("".join(words[::2]))
    found = matches.find_matches(source, clean, 3)
    assert found[:, 2].tolist() == [8] * 15


def test_texts_are_read_without_whitespace():
    text = read_texts(["A b\xa0\n", "", "  ", "Ünï c"])
    assert text.characters.codes.tolist() == [ord("A"), ord("b"), MASK, MASK, MASK, *map(ord, "Ünïc")]
    assert text.characters.folded.tolist() == [ord("a"), ord("b"), MASK, MASK, MASK, *map(ord, "ünïc")]
    assert text.starts_word.tolist() == [True, True, True, True, True, True, False, False, True]
    assert text.count(text.characters.codes != MASK).tolist() == [2, 0, 0, 4]


@pytest.mark.parametrize(
    "text", ["İstanbul", "\ud800 lone", "𝐀𝐁 😀", "\x00"], ids=["dotted", "surrogate", "astral", "nul"]
)
def test_any_character_is_aligned_with_itself(text):
    assert align_blocks([text], text).tolist() == [1]


def test_words_of_a_part_begin_where_the_part_begins():
    words, firsts = text_to_words(read_texts(["alpha beta", "gamma"]), slice(2, 12), {})
    assert firsts.tolist() == [0, 3, 7, 8]  # pha, beta, the mask, ga
    assert words.codes.tolist() == [0, 1, MASK, 3]
    assert words.lengths.tolist() == [3, 4, 1, 2]
    assert words.gains.tolist() == [9, 12, 1, 6]


@given(kept=st.lists(st.booleans(), min_size=1, max_size=30), n_words=st.integers(1, 6))
def test_blocks_in_the_clean_text_are_content(kept, n_words):
    words = make_words(len(kept) * n_words)
    texts = [" ".join(words[i * n_words : (i + 1) * n_words]) for i in range(len(kept))]
    clean = "\n\n".join(text.upper() for text, is_kept in zip(texts, kept, strict=True) if is_kept)
    assert align_blocks(texts, clean).tolist() == [int(is_kept) for is_kept in kept]


def test_a_block_is_content_if_more_than_two_thirds_are_aligned():
    n_aligned, n_characters = np.array([0, 1, 1, 2, 2, 3, 4, 5]), np.array([0, 1, 2, 2, 3, 4, 6, 6])
    assert counts_to_labels(n_aligned, n_characters).tolist() == [0, 1, 0, 1, 0, 1, 0, 1]


def test_counts_are_those_of_the_characters_without_whitespace():
    n_aligned, n_characters = align_leaves(["Hello there, world and more", " nav "], "Hello there world and\nmore")
    assert n_aligned.tolist() == [22, 0]
    assert n_characters.tolist() == [23, 3]


@pytest.mark.parametrize(
    ("texts", "clean", "expected"),
    [
        ([], "text", []),
        (["text", " ", ""], "", [0, 0, 0]),
        (["text", " ", ""], " \n ", [0, 0, 0]),
        (["", "text"], "text", [0, 1]),
    ],
    ids=["no blocks", "empty clean text", "whitespace as clean text", "empty block"],
)
def test_pairs_without_text_have_labels(texts, clean, expected):
    assert align_blocks(texts, clean).tolist() == expected


def test_of_contradicting_anchors_the_heaviest_chain_is_kept():
    words = make_words(60)
    teaser, article = " ".join(words[:3]), [" ".join(words[i : i + 10]) for i in range(10, 60, 10)]
    # The teaser comes before the article in the page and after it in the clean text.
    assert align_blocks([teaser, *article], " ".join([*article, teaser])).tolist() == [0, 1, 1, 1, 1, 1]


@pytest.fixture
def page_pair():
    words = make_words(400)
    texts = [" ".join(words[i : i + 10]) for i in range(0, 400, 10)]
    expected = [int(i % 3 > 0) for i in range(40)]
    return texts, " ".join(text for text, label in zip(texts, expected, strict=True) if label), expected


def test_a_large_gap_is_divided_again(page_pair, monkeypatch):
    texts, clean, expected = page_pair
    doubled = ["Share this page now", *texts, "other words between them", *texts]
    # Only the words between occur once in the whole page; the part after them is divided on its own.
    monkeypatch.setattr(align, "_MAX_CELLS", 10_000)
    found = align_blocks(doubled, "other words between them " + clean).tolist()
    assert found == [0] * 41 + [1] + expected


def test_a_large_gap_without_anchors_is_aligned_by_words(monkeypatch):
    monkeypatch.setattr(align, "_MAX_CELLS", 400)
    texts = ["one two one two", "three", "one two one two", "three three"]
    assert align_blocks(texts, "one two one two one two one two three three").tolist() == [1, 0, 1, 1]


@pytest.mark.parametrize(("name", "limit"), [("_MAX_CELLS", 3), ("_BUDGET", 10)])
def test_a_gap_that_is_too_large_stays_unaligned(name, limit, monkeypatch):
    monkeypatch.setattr(align, name, limit)
    assert align_blocks(["a b a b a b"], "a b a b a b").tolist() == [0]


@pytest.mark.parametrize(
    ("texts", "clean"),
    [
        (["a a a a " * 10] * 2_000, "a " * 80_000),
        (["a b " * 40_000], "b a " * 30_000),
        (["x " * 100_000], " ".join(make_words(20_000))),
        (make_words(20_000), " ".join(make_words(20_000)[::-1])),
    ],
    ids=["one letter", "two letters", "no overlap", "reversed"],
)
def test_hostile_pairs_are_aligned_within_limits(texts, clean):
    assert len(align_blocks(texts, clean)) == len(texts)
