"""Runs of content apart from the main text: on many pages, teasers of other texts.

A teaser looks like the beginning of an article, so its blocks alone have much evidence. But the main text is surer than
the teasers above its headline or after its end. A run there needs more evidence than the blocks of the main text.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import BoolArray, DoubleArray, IntArray
from scrapy_web2text.common.budget import watched
from scrapy_web2text.extraction import Label
from scrapy_web2text.labelers.modern.members import scale_odds
from scrapy_web2text.metadata.title import find_title, fold_title
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import labels_to_mask

_GAP: Final = 10  # words of boilerplate between two runs
_LEAST_WORDS: Final = 20  # a shorter run can be a note, or the line of an author
_LEAST_TITLE: Final = 8  # letters of a headline
_SURE: Final = 0.6  # subtracted from the probability of each word; the main run has the largest sum of what is left
_MOST_ODDS: Final = 2.25  # times the odds of the threshold: a run with higher odds is content
_LEAST_DIFFERENCE: Final = 0.2  # from the mean probability of the main run
_MOST_SHARED: Final = (
    0.5  # share of the words that are in the same places of the template as the main run, as posts are
)


def find_headline_block(page: Page, headings: IntArray, texts: list[str]) -> int:
    """Return the first heading that repeats the title of the page, or a part of it; -1 for none.

    :param headings: the blocks that are headings. *Shape:* ``(h,)``
    :param texts: their texts.
    """
    title = fold_title(find_title(page.document_landmarks)) if texts else ""
    folded = map(fold_title, watched(texts))
    repeats = (i for i, text in enumerate(folded) if len(text) >= _LEAST_TITLE and text in title)
    first = next(repeats, None)
    return -1 if first is None else int(headings[first])


def drop_apart(
    labels: IntArray,
    probabilities: DoubleArray,
    *,
    n_tokens: IntArray,
    places: IntArray,
    headline: int,
    is_stated: BoolArray,
    threshold: float,
) -> IntArray:
    """Return *labels* with BOILERPLATE for the runs of content that are much less likely than the main one.

    Boilerplate and the headline divide the content into runs. The runs above the headline of the main run are judged
    together, and each run after the main run by itself.

    :param n_tokens: number of words of each block.
    :param places: the place of each block in the template of the page, by tags and classes, as a number.
    :param headline: the block of the headline, -1 for none.
    :param is_stated: blocks that the page states to be content; runs that contain some are kept.
    :param threshold: the threshold of the labels.

    *Shapes:* ``(n,)`` each.
    """
    is_content = labels_to_mask(labels)
    content = is_content.nonzero()[0]
    skipped = np.where(is_content, 0, n_tokens).cumsum()[content]
    is_above = content < headline
    is_first = (np.diff(skipped) >= _GAP) | np.diff(is_above)
    if not is_first.any():  # as on many pages
        return labels
    runs = np.concatenate([[0], is_first.cumsum()])
    n_words = np.maximum(n_tokens[content], 1)
    main = int(np.bincount(runs, (probabilities[content] - _SURE) * n_words).argmax())
    is_apart = np.arange(runs[-1] + 1) > main
    in_main = runs == main
    if is_above[0] and not is_above[in_main].any():
        runs[is_above], is_apart[0] = 0, True
    is_shared = np.isin(places[content], places[content[in_main]])
    sizes, shared, hits = (
        np.bincount(runs, weights, len(is_apart))
        for weights in (n_words, n_words * is_shared, n_words * probabilities[content])
    )
    means = hits / np.maximum(sizes, 1)
    highest = min(scale_odds(threshold, _MOST_ODDS), means[main] - _LEAST_DIFFERENCE)
    is_apart &= (sizes >= _LEAST_WORDS) & (means < highest) & (shared < _MOST_SHARED * sizes)
    is_apart[runs[is_stated[content]]] = False
    labels = labels.copy()
    labels[content[is_apart[runs]]] = Label.BOILERPLATE
    return labels
