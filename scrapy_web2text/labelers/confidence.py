"""The reliability of an answer: its expected word F1, and checks of the answers of a model and of the rules."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import DoubleArray, IntArray
from scrapy_web2text.common.budget import check_time, watched
from scrapy_web2text.features.characters import UNSPACED_CLASS
from scrapy_web2text.features.texts import count_tokens
from scrapy_web2text.labelers.base import Labeling
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import block_texts, labels_to_mask

# An empty answer is not credible if more words of content than this are expected on the page. On a shorter page, the
# number of its words is the limit.
EMPTY_PAGE_WORDS: Final = 50.0
# Expected word F1 of the empty answer for a page without text. Of nine such pages of WCXB, five have no main content;
# the other four load it by script.
TEXTLESS_PAGE_F1: Final = 0.5
# The statistics that predict the F1 of an answer, see `confidence_statistics`.
CONFIDENCE_STATISTICS: Final = (
    "constant",
    "log_odds_of_expected_f1",
    "squared_log_odds_of_expected_f1",
    "log_runs",
    "runs_per_block",
    "has_content",
    "log_words",
    "agreement_of_thresholds",
    "share_of_gaps",
    "expected_share_of_errors",
)
# Answers with these thresholds are compared: where they agree, no other threshold would change much.
_LOW_AND_HIGH: Final = (0.2, 0.75)
_MIN_F1: Final = 1e-3
# A character that could not be decoded, with the rest of its word; letters of scripts without spaces are words.
_UNREAD_WORD: Final = re.compile(rf"\ufffd(?:\ufffd|[^\W{UNSPACED_CLASS}])*+")


# Words. A longer text is not a banner, whatever its subject.
_MAX_BANNER_WORDS: Final = 150
_MAX_LINKED_SHARE: Final = 0.3
# Minimum expected word F1 of the rules' own answer.
_MIN_CONFIDENCE: Final = 0.3
_MAX_CONSENT_SHARE: Final = 0.5
# Words of banners, walls and their buttons, matched at the beginning of a word, or anywhere in scripts without spaces.
_CONSENT: Final = re.compile(
    r"""\b(?:cookie|consent|gdpr|privacy|opt[ -]out|datenschutz|einwillig|zustimm|confidentialit|consentement|privacidad
    |consentimient|consenso|toestemming|samtyck|samtykke|suostumu|zgod[aęy]|souhlas|конфиденциальност|согласи)
    |クッキー|プライバシー|同意|隐私|隱私|쿠키|개인정보""",
    re.IGNORECASE | re.VERBOSE,
)


def expected_content_words(probabilities: DoubleArray, n_tokens: IntArray) -> float:
    """Return the expected number of words of content on the page. *Shapes:* ``(n,)``, ``(n,)``"""
    return float(np.einsum("i,i->", probabilities, n_tokens))  # not `@`, for the reason in `multiply_each`


def expected_f1(labels: IntArray, probabilities: DoubleArray, n_tokens: IntArray) -> float:
    """Return the approximate expected word F1 of the answer, in [0, 1].

    It is 2 · (expected words of content among the selected words) / (selected words + expected words of content). If
    nothing is selected, the result falls from 1 to 0 as the expected words of content grow to `EMPTY_PAGE_WORDS`.

    *Shapes:* ``(n,)`` each.
    """
    return WordSums(labels, probabilities, n_tokens).expected_f1() if len(labels) else TEXTLESS_PAGE_F1


class WordSums:
    """Sums over the words of a page, from which the expected word F1 follows.

    *Shapes:* ``(n,)`` each.
    """

    def __init__(self, labels: IntArray, probabilities: DoubleArray, n_tokens: IntArray) -> None:
        selected = labels_to_mask(labels)
        chosen = n_tokens[selected]
        self.n_words = int(n_tokens.sum())
        self.n_expected = expected_content_words(probabilities, n_tokens)
        self.n_selected = int(chosen.sum())
        self.n_hits = expected_content_words(probabilities[selected], chosen)
        self.has_content = bool(len(chosen))

    def expected_f1(self) -> float:
        """Return the expected word F1 of the answer."""
        if not self.has_content:
            return self.expected_f1_without_content()
        total = self.n_selected + self.n_expected
        return 2 * self.n_hits / total if total else 0.0

    def expected_f1_without_content(self) -> float:
        """Return the expected word F1 of the empty answer."""
        # The main content of a short page may be a note of ten words, so the number of its words is a limit, too.
        return 1 - min(1.0, self.n_expected / max(1.0, min(EMPTY_PAGE_WORDS, self.n_words)))


def drop_unlikely_content(labels: IntArray, sums: WordSums) -> IntArray:
    """Return *labels*, or only BOILERPLATE if the empty answer has the higher expected word F1. *Shapes:* ``(n,)``

    Walls, error pages and pages that a script has yet to fill have no main content.
    """
    if sums.has_content and sums.expected_f1_without_content() <= sums.expected_f1():
        return labels
    return np.zeros_like(labels)


def confidence_statistics(
    labels: IntArray, probabilities: DoubleArray, n_tokens: IntArray, sums: WordSums
) -> DoubleArray:
    """Return the statistics of an answer that predict its word F1, see `CONFIDENCE_STATISTICS`. *Shape:* ``(10,)``

    The errors of neighboring blocks are correlated, so the expected F1 alone is not enough. An answer in many runs is
    worse than its probabilities say. So is an answer with long gaps: words between the first and the last block of
    content that are not content.

    *Shapes:* ``(n,)`` each, n > 0

    :param sums: the sums of the same answer.
    """
    expected = min(max(sums.expected_f1(), _MIN_F1), 1 - _MIN_F1)
    n_runs = int(labels[0] + np.count_nonzero(labels[1:] > labels[:-1]))  # a run begins where labels rise
    content = labels.nonzero()[0]
    n_between = int(n_tokens[content[0] : content[-1] + 1].sum()) if n_runs else 0
    most, least = (int(n_tokens[probabilities >= threshold].sum()) for threshold in _LOW_AND_HIGH)
    odds = math.log(expected / (1 - expected))
    return np.array(
        [
            1.0,
            odds,
            odds * odds,
            math.log1p(n_runs),
            n_runs / max(len(content), 1),
            float(n_runs > 0),
            math.log1p(sums.n_words),
            2 * least / max(most + least, 1),
            1 - sums.n_selected / max(n_between, 1) if n_runs else 0.0,
            1 - sums.n_hits / max(sums.n_selected, 1) if n_runs else 0.0,
        ]
    )


def predict_f1(statistics: DoubleArray, weights: Mapping[str, float]) -> float:
    """Return the average word F1 of answers with these *statistics*, in (0, 1), by logistic regression.

    :param statistics: the result of `confidence_statistics`. *Shape:* ``(10,)``
    :param weights: a weight for each name in `CONFIDENCE_STATISTICS`.
    """
    score = sum(weights[name] * value for name, value in zip(CONFIDENCE_STATISTICS, statistics.tolist(), strict=True))
    with np.errstate(over="ignore"):
        return float(1 / (1 + np.exp(-score)))


def share_of_read_words(text: str) -> float:
    """Return the share of the words of *text* without U+FFFD, in [0, 1].

    A word with a character that could not be decoded is wrong, and the right word is missing. So precision and recall,
    and with them the expected word F1, fall by the share of these words.
    """
    if "\ufffd" not in text:
        return 1.0
    check_time()
    n_unread = sum(1 for _ in _UNREAD_WORD.finditer(text))
    check_time()
    n_words = int(count_tokens([text.replace("\ufffd", "x")])[0])  # U+FFFD would cut a word in two
    return max(0.0, 1 - n_unread / n_words)


def misses_content(labeling: Labeling) -> bool:
    """Return whether nothing is selected although many words of content are expected, by the probabilities."""
    probabilities = labeling.probabilities
    if probabilities is None or labels_to_mask(labeling.labels).any():
        return False
    return expected_content_words(probabilities, labeling.n_tokens) > EMPTY_PAGE_WORDS


def holds_main_content(page: Page, labeling: Labeling) -> bool:
    """Return whether the selected text can be the main content of *page*.

    The result is False if nothing is selected, or if the probabilities expect most of the content in other blocks, as
    for a few pieces of a product list. It is also False for a short text that consists mostly of links, or of blocks
    about cookies, consent and privacy. A model that selected nothing on such a page is usually right.
    """
    selected = labels_to_mask(labeling.labels)
    n_words = int(labeling.n_tokens[selected].sum())
    probabilities = labeling.probabilities
    if not n_words or (
        probabilities is not None and expected_f1(labeling.labels, probabilities, labeling.n_tokens) < _MIN_CONFIDENCE
    ):
        return False
    if n_words > _MAX_BANNER_WORDS:
        return True
    texts = block_texts(page, labeling.blocks)
    mentions_consent = np.array([_CONSENT.search(text) is not None for text in watched(texts)])
    n_consent = int(labeling.n_tokens[selected & mentions_consent].sum())
    return n_consent < _MAX_CONSENT_SHARE * n_words and _linked_share(page, labeling) < _MAX_LINKED_SHARE


def _linked_share(page: Page, labeling: Labeling) -> float:
    """Return the share of links in the selected text, counted in characters."""
    leaf_labels = labeling.labels[labeling.blocks.leaf_blocks]
    leaves = labeling.blocks.leaves[labels_to_mask(leaf_labels)]
    lengths = np.array([len(page.texts[leaf].strip()) for leaf in leaves.tolist()])
    in_link = page.is_inside({"a"}, leaves)
    return int(lengths[in_link].sum()) / int(lengths.sum())
