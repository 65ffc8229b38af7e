"""The decisions about a whole page after decoding, and what they need to know of the page.

Training decides by the same function, so that thresholds and confidence are fitted to the answers that are given.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from scrapy_web2text.common.arrays import BoolArray, DoubleArray, IntArray
from scrapy_web2text.extraction import Label
from scrapy_web2text.features.modern.page import ModernFeatures
from scrapy_web2text.labelers.confidence import WordSums, drop_unlikely_content
from scrapy_web2text.labelers.modern.apart import drop_apart, find_headline_block
from scrapy_web2text.labelers.modern.comments import find_comment_headings, find_first_comment
from scrapy_web2text.labelers.modern.members import Structures, find_structures, join_members
from scrapy_web2text.labelers.modern.next_articles import NextArticles, drop_next_articles, find_next_articles
from scrapy_web2text.labelers.modern.parts import Parts, join_parts
from scrapy_web2text.labelers.modern.repeats import BlockTexts, drop_repeats, read_headings
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
    comment_headings: IntArray
    texts: BlockTexts

    @classmethod
    def of(cls, page: Page, blocks: BlockSequence, features: ModernFeatures, *, comments_are_content: bool) -> Evidence:
        """Return the evidence of *page*."""
        headings, texts = read_headings(page, blocks, features.headings)
        headline = find_headline_block(page, headings, texts)
        return cls(
            find_stated(page, blocks),
            headline,
            find_structures(page, blocks),
            Parts(page, blocks),
            find_next_articles(page, blocks, tag_places=features.groups[0], headings=headings, headline=headline),
            headings[:0] if comments_are_content else find_comment_headings(headings, texts),
            BlockTexts(page, blocks),
        )


class Decision(NamedTuple):
    """The decisions about a page of n blocks.

    :param labels: the final labels. *Shape:* ``(n,)``
    :param sums: the sums over their words.
    :param first_comment: the first block of the comments of readers, which are not content; n for none.
    """

    labels: IntArray
    sums: WordSums
    first_comment: int


def decide(
    labels: IntArray, probabilities: DoubleArray, features: ModernFeatures, evidence: Evidence, threshold: float
) -> Decision:
    """Return the answer for decoded *labels* and *probabilities*.

    What the page states to be content is content. Lists, tables and sentences that belong to the content are completed.
    Comments, later articles, teasers apart from the main text, and repeated and unlikely content are dropped.

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
    first_comment = find_first_comment(evidence.comment_headings, labels, n_tokens)
    if first_comment < len(labels):
        labels = np.where(np.arange(len(labels)) < first_comment, labels, Label.BOILERPLATE)
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
    return Decision(kept, sums if kept is labels else WordSums(kept, probabilities, n_tokens), first_comment)
