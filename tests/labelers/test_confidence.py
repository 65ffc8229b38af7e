from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_web2text.labelers.confidence import (
    CONFIDENCE_STATISTICS,
    EMPTY_PAGE_WORDS,
    WordSums,
    confidence_statistics,
    drop_unlikely_content,
    expected_content_words,
    expected_f1,
    holds_main_content,
    predict_f1,
    share_of_read_words,
)
from scrapy_web2text.labelers.registry import get_rules
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.parse import to_tree


def f1(labels: list[int], probabilities: list[float], n_tokens: list[int]) -> float:
    return expected_f1(np.array(labels), np.array(probabilities), np.array(n_tokens))


@pytest.mark.parametrize(
    ("labels", "probabilities", "n_tokens", "expected"),
    [
        ([1, 0], [1.0, 0.0], [10, 90], 1.0),
        ([1, 1], [1.0, 0.0], [10, 10], 2 * 10 / (20 + 10)),
        ([1, 0], [0.9, 0.2], [10, 5], 2 * 9 / (10 + 10)),
        ([1, 0], [0.0, 0.0], [10, 5], 0.0),
        ([1, 0], [0.5, 0.5], [0, 10], 0.0),
        ([1], [0.5], [0], 0.0),
        ([0, 0], [0.0, 0.0], [10, 90], 1.0),
        ([0, 0], [0.5, 0.25], [20, 100], 1 - 35 / 50),
        ([0, 0], [0.5, 0.25], [4, 4], 1 - 3 / 8),
        ([0], [1.0], [50], 0.0),
        ([0], [1.0], [5000], 0.0),
        ([], [], [], 0.5),
    ],
    ids=[
        "sure",
        "one-too-many",
        "likely",
        "wrong",
        "wordless-selected",
        "only-wordless",
        "nothing-there",
        "nothing-selected",
        "nothing-selected-of-little",
        "limit",
        "beyond-the-limit",
        "no-text",
    ],
)
def test_confidence_is_the_expected_word_f1(labels, probabilities, n_tokens, expected):
    assert f1(labels, probabilities, n_tokens) == pytest.approx(expected)


@given(
    blocks=st.lists(st.tuples(st.integers(0, 1), st.floats(0, 1), st.integers(0, 10_000)), max_size=20),
)
def test_confidence_is_between_0_and_1(blocks):
    columns = zip(*blocks, strict=True) if blocks else ([], [], [])
    assert 0 <= f1(*map(list, columns)) <= 1


def test_expected_content_is_counted_in_words():
    assert expected_content_words(np.array([0.5, 0.25]), np.array([10, 4])) == 6.0


def test_an_empty_answer_is_not_credible_above_50_expected_words():
    assert EMPTY_PAGE_WORDS == 50


@pytest.mark.parametrize(
    ("probabilities", "n_tokens", "expected"),
    [
        ([0.9, 0.1], [100, 100], [1, 0]),  # 100 words of content are expected
        ([0.3, 0.1], [45, 10], [0, 0]),  # only 15 words are expected
        ([0.3, 0.1], [20, 10], [0, 0]),
        ([0.5, 0.1], [20, 10], [1, 0]),  # the page has few words, and a third of them are expected to be content
        ([0.9, 0.1], [20, 10], [1, 0]),
        ([0.4, 0.1], [40, 100], [1, 0]),  # 26 words are expected: selecting some is slightly better
    ],
    ids=["story", "shell", "short-shell", "short-sentence", "short", "close"],
)
def test_content_is_dropped_if_the_empty_answer_is_expected_to_be_better(probabilities, n_tokens, expected):
    labels = np.array([1, 0])
    labels = drop_unlikely_content(labels, WordSums(labels, np.array(probabilities), np.array(n_tokens)))
    assert labels.tolist() == expected


def test_an_empty_answer_stays_empty():
    labels = np.zeros(2, dtype=np.int64)
    sums = WordSums(labels, np.array([0.9, 0.9]), np.array([100, 100]))
    assert drop_unlikely_content(labels, sums).tolist() == [0, 0]


def find_statistics(*answer):
    return confidence_statistics(*answer, WordSums(*answer))


def test_the_f1_is_predicted_from_statistics_of_the_answer():
    labels = np.array([1, 1, 0, 1])
    probabilities, n_tokens = np.array([0.9, 0.9, 0.2, 0.8]), np.array([10, 20, 5, 4])
    statistics = find_statistics(labels, probabilities, n_tokens)
    expected = expected_f1(labels, probabilities, n_tokens)
    odds = np.log(expected / (1 - expected))
    certain = (10 * 0.9 + 20 * 0.9 + 4 * 0.8) / 34
    # With the low threshold, the whole page is content; with the high one, all but five words.
    values = [1, odds, odds**2, np.log(3), 2 / 3, 1, np.log(40), 2 * 34 / (39 + 34), 5 / 39, 1 - certain]
    assert dict(zip(CONFIDENCE_STATISTICS, statistics, strict=True)) == pytest.approx(
        dict(zip(CONFIDENCE_STATISTICS, values, strict=True))
    )
    weights = dict.fromkeys(CONFIDENCE_STATISTICS, 0.0)
    weights |= {"constant": 0.5, "log_odds_of_expected_f1": 1.0, "log_runs": -1.0, "has_content": 0.25}
    score = 0.5 + odds - np.log(3) + 0.25
    assert predict_f1(statistics, weights) == pytest.approx(1 / (1 + np.exp(-score)))


def test_statistics_of_certain_answers_are_finite():
    nothing = find_statistics(np.array([0]), np.array([0.0]), np.array([3]))
    odds = np.log(0.999 / 0.001)
    assert nothing == pytest.approx([1, odds, odds**2, 0, 0, 0, np.log(4), 0, 0, 0])
    wordless = find_statistics(np.array([1, 1]), np.array([1.0, 0.9]), np.array([0, 0]))
    assert np.isfinite(wordless).all()


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("", 1),
        ("Grüße aus Köln", 1),
        ("Gr\ufffd\ufffde aus K\ufffdln", 1 / 3),
        ("Gr\ufffd\ufffde aus der Stadt", 3 / 4),
        ("Gr\ufffd\ufffde", 0),
        ("\ufffd", 0),
        ("eins \ufffd zwei drei", 3 / 4),
        ("これは\ufffdの文章です", 8 / 9),
        ("文\ufffd\ufffd章", 2 / 3),
        ("日本\ufffdabc", 2 / 3),
    ],
)
def test_words_with_a_replacement_character_were_not_read(text, share):
    assert share_of_read_words(text) == pytest.approx(share)


@given(text=st.text(st.sampled_from("aé \ufffd文ก_-\n1"), max_size=30))
def test_the_share_of_read_words_is_a_share(text):
    assert 0 <= share_of_read_words(text) <= 1


# Whether an answer holds main content

TEXT = "The old bridge over the river was rebuilt by the people of the whole town in spring, and it is open."
BANNER = "We and our partners use cookies to store information on your device, and you may change this at any time."
GERMAN = "Wir verwenden Techniken wie Speicher im Gerät und bitten dafür um Ihre Einwilligung nach der Verordnung."
LINK = "<a>some words about other bridges</a>"
PIECES = "<p>A lamp for 12.00" * 99 + f"<p>{TEXT}"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p></p>", False),
        ("<p>Home", False),
        (f"<p>{BANNER}", False),
        (f"<p>{BANNER}<p>{BANNER}<p>{TEXT}", False),
        (f"<p>{GERMAN}", False),
        ("<p>本サイトでは、サービスの向上のためにクッキーを使用しています。", False),
        (f"<p>{LINK} {LINK} {LINK} and two more words", False),
        (PIECES, False),
        (f"<p>{TEXT}", True),
        (f"<p>{TEXT}<p>{TEXT}<p>{BANNER}", True),
        ("<p>" + f"{BANNER} " * 10, True),
        (f"<p>{TEXT} {TEXT} {LINK}", True),
    ],
    ids=[
        *("no-text", "nothing-selected", "banner", "mostly-banner", "german", "japanese", "links", "pieces"),
        *("text", "mostly-text", "long-text-on-cookies", "few-links"),
    ],
)
def test_an_article_can_be_main_content_and_a_banner_or_a_list_of_links_is_not(html, expected):
    page = tree_to_page(to_tree(html))
    assert holds_main_content(page, get_rules("shallow:min-words").label(page)) == expected


def test_rules_without_probabilities_are_trusted():
    page = tree_to_page(to_tree(PIECES))
    labeling = get_rules("shallow:min-words").label(page)
    assert holds_main_content(page, replace(labeling, probabilities=None))
