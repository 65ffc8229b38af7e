from __future__ import annotations

import dataclasses

import pytest

from scrapy_web2text.readings.fit import UNKNOWN, fit_hashes, fit_reading
from scrapy_web2text.readings.reading import Reading, find_runs, hash_text

TEXTS = ["Menu", "Reply", "A first text", "Reply", "A second text", "Reply", "Imprint"]
PATHS = tuple(f"/html/body/p[{number}]" for number in range(1, 8))
READING = Reading("", "a", ((2, 4),), tuple(map(hash_text, TEXTS)), paths=PATHS)


def labels_of(texts, paths=(), reading=READING):
    return fit_reading(reading, texts, paths).labels.tolist()


def test_an_unchanged_page_is_labeled_as_it_was():
    fit = fit_reading(READING, TEXTS, PATHS)
    assert (fit.labels.tolist(), fit.is_complete) == ([0, 0, 1, 1, 1, 0, 0], True)


def test_new_blocks_have_no_label():
    fit = fit_reading(READING, ["Banner", *TEXTS[:3], "New", *TEXTS[3:]])
    assert fit.labels.tolist() == [UNKNOWN, 0, 0, 1, UNKNOWN, 1, 1, 0, 0]
    assert (fit.n_unknown, fit.lost, fit.is_complete) == (2, (), False)


def test_blocks_that_are_gone_are_reported():
    fit = fit_reading(READING, TEXTS[1:4])
    assert (fit.labels.tolist(), fit.lost) == ([0, 1, 1], (0, 4, 5, 6))


def test_of_equal_texts_the_path_decides():
    texts = ["Menu", "Reply", "Imprint"]
    paths = [PATHS[0], PATHS[3], PATHS[6]]
    assert labels_of(texts, paths) == [0, 1, 0]
    assert labels_of(texts) == [0, 0, 0]


def test_paths_that_changed_do_not_matter():
    assert labels_of(TEXTS, [f"/html/body/div{path}" for path in PATHS]) == READING.labels.tolist()


def test_paths_that_moved_do_not_mislead():
    texts, paths = ["a", "a", "a", "b"], [f"/html/body/p[{number}]" for number in range(1, 6)]
    reading = Reading("", "a", ((2, 2),), tuple(map(hash_text, texts)), paths=tuple(paths[:4]))
    assert labels_of(["new", *texts], paths, reading) == [UNKNOWN, 0, 0, 1, 0]


def test_blocks_that_moved_keep_their_labels():
    assert labels_of(["Imprint", *TEXTS[:6]]) == [0, 0, 0, 1, 1, 1, 0]
    assert labels_of(["A second text", *TEXTS[:4], *TEXTS[5:]]) == [1, 0, 0, 1, 1, 0, 0]


def test_a_text_with_two_labels_that_moved_is_in_doubt():
    reading = dataclasses.replace(READING, content=((1, 1), (4, 4)))
    fit = fit_reading(reading, ["A second text", "Imprint", "Reply", "Menu"])
    assert (fit.labels.tolist(), fit.lost) == ([1, 0, UNKNOWN, 0], (1, 2, 3, 5))


@pytest.mark.parametrize("space", [" ", ""])
def test_the_parts_of_a_block_get_its_label(space):
    whole = dataclasses.replace(
        READING, hashes=(*READING.hashes[:2], hash_text(f"A first{space}text"), *READING.hashes[3:])
    )
    assert labels_of([*TEXTS[:2], "A first", "text", *TEXTS[3:]], reading=whole) == [0, 0, 1, 1, 1, 1, 0, 0]


def test_a_page_without_blocks_has_lost_all():
    assert fit_reading(READING, []).lost == tuple(range(7))
    assert fit_hashes(Reading("", "a", (), ()), []).is_complete


def test_runs_are_the_runs_of_labels():
    assert find_runs([1, 1, 0, 1]) == ((0, 1), (3, 3))
    assert find_runs(READING.labels) == READING.content
    assert find_runs([]) == ()


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ({"words": (1,)}, "words: expected 7 values"),
        ({"paths": ("/html",)}, "paths: expected 7 values"),
        ({"words": (-1,) * 7}, "words: expected whole numbers from 0, got -1"),
    ],
)
def test_words_and_paths_are_checked(field, message):
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(READING, **field)
