"""The decisions about a whole page after decoding, and what they need to know of the page.

Training decides by the same function, so that thresholds and confidence are fitted to the answers that are given.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scrapy_web2text.common.arrays import BoolArray, DoubleArray, IntArray
from scrapy_web2text.extraction import Label
from scrapy_web2text.features.modern.page import ModernFeatures
from scrapy_web2text.labelers.confidence import WordSums, drop_unlikely_content
from scrapy_web2text.labelers.modern.apart import drop_apart, find_headline
from scrapy_web2text.labelers.modern.members import Structures, find_structures, join_members
from scrapy_web2text.labelers.modern.next_articles import NextArticles, drop_next_articles, find_next_articles
from scrapy_web2text.labelers.modern.parts import Parts, join_parts
from scrapy_web2text.labelers.modern.repeats import BlockTexts, drop_repeats
from scrapy_web2text.labelers.modern.stated import find_stated
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What the decisions about a page of n blocks need to know of it, besides its features.

    :param is_stated: which blocks the page states to be content. *Shape:* ``(n,)``
    :param headline: the block of the headline, -1 for none.
    """

    is_stated: BoolArray
    headline: int
    structures: Structures
    parts: Parts
    next_articles: NextArticles | None
    texts: BlockTexts

    @classmethod
    def of(cls, page: Page, blocks: BlockSequence, features: ModernFeatures) -> Evidence:
        """Return the evidence of *page*."""
        places, headings = features.groups[0], features.headings
        headline = find_headline(page, blocks, headings)
        return cls(
            find_stated(page, blocks),
            headline,
            find_structures(page, blocks),
            Parts(page, blocks),
            find_next_articles(page, blocks, places=places, headings=headings, headline=headline),
            BlockTexts(page, blocks),
        )


def decide(
    labels: IntArray, probabilities: DoubleArray, features: ModernFeatures, evidence: Evidence, threshold: float
) -> tuple[IntArray, WordSums]:
    """Return the final labels for decoded *labels* and *probabilities*, and the sums over their words.

    What the page states to be content is content. Lists, tables and sentences that belong to the content are completed.
    Later articles, teasers apart from the main text, and repeated and unlikely content are dropped.

    *Shapes:* ``(n,)`` each

    :param threshold: the threshold of the labels.
    """
    n_tokens, places = features.n_tokens, features.groups[-1]
    labels = np.where(evidence.is_stated, Label.CONTENT, labels)
    labels = join_members(
        labels,
        probabilities,
        structures=evidence.structures,
        n_tokens=n_tokens,
        headings=features.headings,
        threshold=threshold,
    )
    labels = join_parts(evidence.parts, labels, probabilities)
    labels = drop_next_articles(evidence.next_articles, labels, n_tokens)
    labels = drop_apart(
        labels,
        probabilities,
        n_tokens=n_tokens,
        places=places,
        headline=evidence.headline,
        is_stated=evidence.is_stated,
        threshold=threshold,
    )
    labels = drop_repeats(evidence.texts, labels, n_tokens, places=places, has_copies=features.has_copies)
    sums = WordSums(labels, probabilities, n_tokens)
    kept = drop_unlikely_content(labels, sums)
    return kept, sums if kept is labels else WordSums(kept, probabilities, n_tokens)
