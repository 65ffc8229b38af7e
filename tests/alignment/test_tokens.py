from __future__ import annotations

import numpy as np
import pytest

from scrapy_web2text.alignment.tokens import LeafCoverage, cover_leaves, label_blocks, read_tokens
from scrapy_web2text.page.blocks import BlockSequence

LONG = "the quick brown fox jumps over the lazy dog near the river bank"
OTHER = "seven wizards brewed a bitter potion while the others were sleeping"


def _covered(texts, clean, **options):
    return cover_leaves(texts, clean, **options).n_covered.tolist()


def test_leaves_of_the_clean_text_are_covered():
    coverage = cover_leaves(["Home", LONG, "Share this", OTHER, "Imprint"], f"{LONG}\n{OTHER}")
    assert coverage.n_covered.tolist() == [0, 13, 0, 11, 0]
    assert coverage.n_tokens.tolist() == [1, 13, 2, 11, 1]
    assert coverage.coverage == 1
    assert coverage.is_good


FILLER = [f"filler {i}" for i in range(20)]
CASES = {
    "a short leaf inside the content": ([LONG, "see", "more", OTHER], f"{LONG} see {OTHER}", [13, 1, 0, 11]),
    "both copies if the clean text has both": ([LONG, "Menu", LONG], f"{LONG}\n{LONG}", [13, 0, 13]),
    "leaves in another order": ([LONG, "Menu", OTHER], f"{OTHER}\n{LONG}", [13, 0, 11]),
    "a short leaf in another order near content": ([LONG, "Price", OTHER], f"Price\n{LONG}\n{OTHER}", [13, 1, 11]),
    "no short leaf in another order far from content": (
        [LONG, OTHER, *FILLER, "Price"],
        f"Price\n{LONG}\n{OTHER}",
        [13, 11, *[0] * 21],
    ),
    "no stray words far from content": (
        ["contact", *FILLER, LONG],
        f"missing sentence with contact inside of it\n{LONG}",
        [*[0] * 21, 13],
    ),
    "no few common words of a long leaf": (
        ["the river is long and one of those where no other person ever was", LONG],
        f"the river\n{LONG}",
        [0, 13],
    ),
    "a leaf whose words are in a leaf that is refused": (
        [LONG, f"{OTHER} and then followed by very much more text that is missing from the clean version", OTHER],
        f"{OTHER}\n{LONG}",
        [13, 0, 11],
    ),
    "nothing of a page without text": ([], LONG, []),
}


@pytest.mark.parametrize(("texts", "clean", "expected"), CASES.values(), ids=CASES)
def test_leaves_are_covered_as_expected(texts, clean, expected):
    assert _covered(texts, clean) == expected


def test_one_of_two_copies_is_covered():
    assert _covered([LONG, "Menu", OTHER, LONG, OTHER], f"{LONG}\n{OTHER}") in ([13, 0, 11, 0, 0], [0, 0, 0, 13, 11])


def test_leaves_in_reverse_order_are_found():
    texts = [" ".join(f"{letter}{word}" for word in ("lpha", "eta", "amma")) for letter in "abcdefgh"]
    assert cover_leaves(texts, "\n".join(texts[::-1])).coverage == 1


def test_leaves_that_are_not_shown_match_only_the_rest_of_the_clean_text():
    texts = [LONG, OTHER, LONG]
    assert _covered(texts, f"{OTHER}\n{LONG}", is_shown=np.array([False, True, True])) == [0, 11, 13]
    assert _covered(texts[:2], f"{LONG}\n{OTHER}", is_shown=np.array([False, True])) == [13, 11]


def test_a_pair_that_does_not_belong_together_is_not_good():
    coverage = cover_leaves([LONG], f"{LONG} {OTHER} {OTHER}")
    assert coverage.coverage == pytest.approx(13 / 35)
    assert not coverage.is_good


@pytest.mark.parametrize("texts", [[LONG], []], ids=["page with text", "page without text"])
def test_an_empty_clean_text_makes_all_of_the_page_boilerplate(texts):
    coverage = cover_leaves(texts, " ")
    assert coverage.n_covered.tolist() == [0] * len(texts)
    assert coverage.coverage == 1
    assert coverage.is_good
    assert cover_leaves([], LONG).coverage == 0


def test_only_shown_leaves_make_a_pair_good():
    is_shown = np.array([True, False])
    coverage = cover_leaves([LONG, OTHER], f"{LONG}\n{OTHER}", is_shown)
    assert coverage.n_covered.tolist() == [13, 11]
    assert coverage.coverage == pytest.approx(13 / 24)


def _coverage(n_covered, n_tokens):
    return LeafCoverage(np.array(n_covered), np.array(n_tokens), 1.0)


def _blocks(leaves, starts):
    return BlockSequence(np.array(leaves, dtype=np.int64), np.array(starts, dtype=np.int64))


def test_a_block_is_content_if_half_of_its_tokens_are_covered():
    coverage = _coverage([3, 0, 1, 9, 2], [3, 3, 2, 9, 5])
    assert label_blocks(_blocks([0, 1, 2, 4], [0, 2, 3]), coverage).tolist() == [1, 1, 0]


def test_a_block_without_tokens_is_content_if_both_neighbors_are():
    coverage = _coverage([0, 1, 0, 1, 0, 0, 0], [0, 1, 0, 1, 0, 1, 0])
    assert label_blocks(_blocks(range(7), range(7)), coverage).tolist() == [0, 1, 1, 1, 0, 0, 0]
    assert label_blocks(_blocks([0, 1], [0, 1]), _coverage([0, 0], [0, 0])).tolist() == [0, 0]
    assert label_blocks(_blocks([], []), _coverage([], [])).tolist() == []


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("Two words", "two, WORDS!"),
        ("soft\u00adhyphen", "softhyphen"),
        ("ﬁne", "fine"),
        ("１２", "12"),
        ("word3", "word 3"),
        ("snake_case", "snake case"),
        ("日本語", "日 本 語"),
        ("", " … "),
    ],
    ids=["case and marks", "soft hyphen", "ligature", "wide digits", "footnote", "underscore", "no spaces", "none"],
)
def test_texts_that_read_alike_have_the_same_tokens(text, other):
    numbers: dict[str, int] = {}
    assert read_tokens([text], numbers).tokens.tolist() == read_tokens([other], numbers).tokens.tolist()


def test_tokens_are_numbered_by_word_and_counted_by_text():
    first, second, third = read_tokens(["a b a"], {}).tokens.tolist()
    assert first == third != second
    text = read_tokens(["one two", "—", "three"], {})
    assert text.counts.tolist() == [2, 0, 1]
    assert text.owners.tolist() == [0, 0, 2]
    assert text.count(text.tokens != 1).tolist() == [1, 0, 1]
    assert not len(read_tokens([], {}).tokens)
