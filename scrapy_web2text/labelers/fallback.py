"""The checks that decide whether the answer of a model is doubtful, and whether that of the rules may replace it."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from scrapy_web2text.budget import watched
from scrapy_web2text.labelers.base import Labeling
from scrapy_web2text.labelers.confidence import EMPTY_PAGE_WORDS, expected_content_words, expected_f1
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import block_texts, labels_to_mask

__all__ = ["holds_main_content", "misses_content"]

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


def misses_content(labeling: Labeling) -> bool:
    """Return whether nothing is selected, though the probabilities expect more than a page without main content has."""
    probabilities = labeling.probabilities
    if probabilities is None or labels_to_mask(labeling.labels).any():
        return False
    return expected_content_words(probabilities, labeling.n_tokens) > EMPTY_PAGE_WORDS


def holds_main_content(page: Page, labeling: Labeling) -> bool:
    """Return whether the selected text can be the main content of *page*.

    It cannot if nothing is selected, or if the rules expect most of the content elsewhere, as with single pieces of a
    product list. A short text must not consist mostly of links, nor of blocks about cookies, consent and privacy.
    Where this check fails, a model that selected nothing is usually right.
    """
    selected = labels_to_mask(labeling.labels)
    n_words = int(labeling.n_tokens[selected].sum())
    if not n_words or _confidence(labeling) < _MIN_CONFIDENCE:
        return False
    if n_words > _MAX_BANNER_WORDS:
        return True
    texts = block_texts(page, labeling.blocks)
    mentions_consent = np.array([_CONSENT.search(text) is not None for text in watched(texts)])
    n_consent = int(labeling.n_tokens[selected & mentions_consent].sum())
    return n_consent < _MAX_CONSENT_SHARE * n_words and _linked_share(page, labeling) < _MAX_LINKED_SHARE


def _confidence(labeling: Labeling) -> float:
    if labeling.probabilities is None:
        return 1.0
    return expected_f1(labeling.labels, labeling.probabilities, labeling.n_tokens)


def _linked_share(page: Page, labeling: Labeling) -> float:
    """Return the share of links in the selected text, counted in characters."""
    leaf_labels = labeling.labels[labeling.blocks.leaf_blocks]
    leaves = labeling.blocks.leaves[labels_to_mask(leaf_labels)]
    lengths = np.array([len(page.texts[leaf].strip()) for leaf in leaves.tolist()])
    in_link = page.is_inside({"a"}, leaves)
    return int(lengths[in_link].sum()) / int(lengths.sum())
