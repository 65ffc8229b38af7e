"""Whether what the rules have found is worth giving in place of a model's answer."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from scrapy_web2text.labelers.base import Labelling
from scrapy_web2text.labelers.confidence import expected_f1
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import block_texts

__all__ = ["holds_main_content"]

# Words. A longer text is no banner, whatever it is about.
_SHORT_TEXT: Final = 150
_MOST_LINKED: Final = 0.3
# Expected word F1, below which the rules themselves do not believe in what they have selected.
_LEAST_CONFIDENCE: Final = 0.3
_MOST_CONSENT: Final = 0.5
# What banners, walls and their buttons speak of, by the beginnings of words; in scripts without blanks anywhere.
_CONSENT: Final = re.compile(
    r"""\b(?:cookie|consent|gdpr|privacy|opt[ -]out|datenschutz|einwillig|zustimm|confidentialit|consentement|privacidad
    |consentimient|consenso|toestemming|samtyck|samtykke|suostumu|zgod[aęy]|souhlas|конфиденциальност|согласи)
    |クッキー|プライバシー|同意|隐私|隱私|쿠키|개인정보""",
    re.IGNORECASE | re.VERBOSE,
)


def holds_main_content(page: Page, labelling: Labelling) -> bool:
    """Return whether the selected text may be the main content of *page*.

    It may not where nothing is selected, where the rules expect most of the content elsewhere (odd pieces of a list of
    goods), nor where a short text is full of links or stands mostly in blocks that speak of cookies, consent and
    privacy: a model that has selected nothing is then right.
    """
    selected = labelling.labels == 1
    n_words = int(labelling.n_tokens[selected].sum())
    if not n_words or _confidence(labelling) < _LEAST_CONFIDENCE:
        return False
    if n_words > _SHORT_TEXT:
        return True
    texts = block_texts(page, labelling.blocks)
    speaks_of_consent = np.array([_CONSENT.search(text) is not None for text in texts])
    n_consent = int(labelling.n_tokens[selected & speaks_of_consent].sum())
    return n_consent < _MOST_CONSENT * n_words and _linked_share(page, labelling) < _MOST_LINKED


def _confidence(labelling: Labelling) -> float:
    if labelling.probabilities is None:
        return 1.0
    return expected_f1(labelling.labels, labelling.probabilities, labelling.n_tokens)


def _linked_share(page: Page, labelling: Labelling) -> float:
    """Return the share of the selected characters that stand in a link."""
    leaves = labelling.blocks.leaves[labelling.labels[labelling.blocks.leaf_blocks] == 1]
    lengths = np.array([len(page.texts[leaf].strip()) for leaf in leaves.tolist()])
    in_link = page.count_enclosing(page.tags_in({"a"}))[page.leaf_slots[leaves]] > 0
    return float(lengths @ in_link) / int(lengths.sum())
