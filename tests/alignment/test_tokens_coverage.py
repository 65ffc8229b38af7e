from __future__ import annotations

import numpy as np
import pytest

from scrapy_web2text.alignment.tokens import cover_leaves

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


def test_a_short_leaf_inside_the_content_is_covered():
    assert _covered([LONG, "see", "more", OTHER], f"{LONG} see {OTHER}") == [13, 1, 0, 11]


def test_one_of_two_copies_is_covered():
    assert _covered([LONG, "Menu", OTHER, LONG, OTHER], f"{LONG}\n{OTHER}") in ([13, 0, 11, 0, 0], [0, 0, 0, 13, 11])


def test_both_copies_are_covered_if_the_clean_text_has_both():
    assert _covered([LONG, "Menu", LONG], f"{LONG}\n{LONG}") == [13, 0, 13]


def test_leaves_in_another_order_are_found():
    assert _covered([LONG, "Menu", OTHER], f"{OTHER}\n{LONG}") == [13, 0, 11]


def test_leaves_in_reverse_order_are_found():
    texts = [" ".join(f"{letter}{word}" for word in ("lpha", "eta", "amma")) for letter in "abcdefgh"]
    assert cover_leaves(texts, "\n".join(texts[::-1])).coverage == 1


def test_a_short_leaf_in_another_order_is_found_near_content_only():
    texts = [LONG, "Price", OTHER]
    clean = f"Price\n{LONG}\n{OTHER}"
    assert _covered(texts, clean) == [13, 1, 11]
    filler = [f"filler {i}" for i in range(20)]
    assert _covered([LONG, OTHER, *filler, "Price"], clean) == [13, 11, *[0] * 21]


def test_stray_words_far_from_content_are_not_covered():
    filler = [f"filler {i}" for i in range(20)]
    clean = f"missing sentence with contact inside of it\n{LONG}"
    assert _covered(["contact", *filler, LONG], clean) == [0, *[0] * 20, 13]


def test_a_few_common_words_of_a_long_leaf_are_not_covered():
    texts = ["the river is long and one of those where no other person ever was", LONG]
    assert _covered(texts, f"the river\n{LONG}") == [0, 13]


def test_a_leaf_that_is_refused_does_not_keep_its_words_from_others():
    copy = f"{OTHER} and then followed by very much more text that is missing from the clean version of this page"
    texts = [LONG, copy, OTHER]
    assert _covered(texts, f"{OTHER}\n{LONG}") == [13, 0, 11]


def test_leaves_that_are_not_shown_match_only_the_rest_of_the_clean_text():
    texts = [LONG, OTHER, LONG]
    assert _covered(texts, f"{OTHER}\n{LONG}", is_shown=np.array([False, True, True])) == [0, 11, 13]
    assert _covered(texts[:2], f"{LONG}\n{OTHER}", is_shown=np.array([False, True])) == [13, 11]


def test_a_pair_that_does_not_belong_together_is_not_good():
    coverage = cover_leaves([LONG], f"{LONG} {OTHER} {OTHER}")
    assert coverage.coverage == pytest.approx(13 / 35)
    assert not coverage.is_good


@pytest.mark.parametrize(("texts", "share"), [([LONG], 1), ([], 1)], ids=["page with text", "page without text"])
def test_an_empty_clean_text_makes_all_of_the_page_boilerplate(texts, share):
    coverage = cover_leaves(texts, " ")
    assert coverage.n_covered.tolist() == [0] * len(texts)
    assert coverage.coverage == share
    assert coverage.is_good


def test_a_page_without_text_covers_nothing_of_the_clean_text():
    assert cover_leaves([], LONG).coverage == 0


def test_only_shown_leaves_make_a_pair_good():
    is_shown = np.array([True, False])
    coverage = cover_leaves([LONG, OTHER], f"{LONG}\n{OTHER}", is_shown)
    assert coverage.n_covered.tolist() == [13, 11]
    assert coverage.coverage == pytest.approx(13 / 24)
