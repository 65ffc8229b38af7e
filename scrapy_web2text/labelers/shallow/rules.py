"""Kohlschütter's shallow-text rules by name: a classifier, with an optional filter and optional thresholds.

Examples: ``shallow:numwords``, ``shallow:density+main-content``, ``shallow:min-words?n_words=5``.

The filters are Largest Content and Main Content of section 4.3.2 of the paper. The paper does not say how blocks are
joined before the largest run is chosen, how the title is recognized, or which strings begin the comments. The method
and the constants here were chosen so that the means come near figures 2a and 2b of the paper.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final
from urllib.parse import parse_qsl

import numpy as np

from scrapy_web2text.common.arrays import BoolArray, IntArray
from scrapy_web2text.common.budget import watched
from scrapy_web2text.common.suggestions import did_you_mean
from scrapy_web2text.labelers.rules import Decision, RuleLabeler
from scrapy_web2text.labelers.shallow.measures import shallow_blocks
from scrapy_web2text.labelers.shallow.trees import TREES, Tree
from scrapy_web2text.options import OTHER_RULES
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import SHALLOW_BLOCKS, BlockSequence, block_texts, labels_to_mask, mask_to_labels

# Turns a page, its blocks, and the number of words and the content flag of each block into new content flags.
Filter = Callable[[Page, BlockSequence, IntArray, BoolArray], BoolArray]

_WORD: Final = re.compile(r"[^\W\d]+")
_TITLE_WORD: Final = re.compile(r"\w+")
# Separators between the title of a page and the name of its site.
_TITLE_SEPARATOR: Final = re.compile(r"(?<!\s)\s+[|»:·–—-]+\s+|(?:(?<!\s)\s+)?[|»·]\s*|:\s+")
_TITLE_PART_WORDS: Final = 4
# A block begins the comments section if its text is one of these phrases, perhaps with a number ("23 comments").
_COMMENT_HEADINGS: Final = frozenset(
    {
        "comments",
        "user comments",
        "readers comments",
        "reader comments",
        "your comments",
        "add comment",
        "add your comment",
        "post a comment",
        "leave a comment",
        "have your say",
        "what do you think",
    }
)
_MAX_HEADING_LENGTH: Final = 40
# Words of content. Comments follow the text that they are about; a menu item "Comments" precedes it.
_WORDS_BEFORE_COMMENTS: Final = 60


def keep_largest(page: Page, blocks: BlockSequence, n_words: IntArray, is_content: BoolArray) -> BoolArray:  # noqa: ARG001
    """Return the run of neighboring content blocks with the most words. *Shapes:* ``(n,)``"""
    return _largest_run(n_words, is_content, bridged=0)


def keep_main_content(page: Page, blocks: BlockSequence, n_words: IntArray, is_content: BoolArray) -> BoolArray:
    """Return the largest run between title and comments, and all blocks between the title and this run.

    A run includes the block before it as its heading. Runs with a single block between them are joined.

    *Shapes:* ``(n,)``
    """
    texts = block_texts(page, blocks)
    is_content = is_content.copy()
    is_content[_find_comments(texts, n_words, is_content) :] = False
    with_heading = is_content.copy()
    with_heading[:-1] |= is_content[1:]
    kept = _largest_run(n_words, with_heading, bridged=1)
    title = _find_block(texts, _title_forms(page))
    if title is None or not kept[title:].any():
        return kept
    first = int(kept.nonzero()[0][0])
    kept[:title] = False
    kept[title:first] = True
    return kept


def _largest_run(n_words: IntArray, is_content: BoolArray, *, bridged: int) -> BoolArray:
    """Return the content blocks of the run with the most words; of equal runs, of the first. *Shapes:* ``(n,)``

    :param bridged: maximum number of other blocks between two content blocks of a run.
    """
    content = is_content.nonzero()[0]
    kept = np.zeros(len(is_content), dtype=bool)
    if len(content):
        is_first = np.ones(len(content), dtype=bool)
        is_first[1:] = content[1:] - content[:-1] > bridged + 1
        starts = is_first.nonzero()[0]
        run = int(np.argmax(np.add.reduceat(n_words[content], starts)))
        kept[content[starts[run] : np.append(starts, len(content))[run + 1]]] = True
    return kept


def _find_comments(texts: list[str], n_words: IntArray, is_content: BoolArray) -> int:
    """Return the first block of the comments section, or the number of blocks if there is none."""
    is_below = np.cumsum(n_words * is_content) >= _WORDS_BEFORE_COMMENTS
    for i in watched(is_below.nonzero()[0].tolist()):
        if len(texts[i]) <= _MAX_HEADING_LENGTH and _words_of(_WORD, texts[i]) in _COMMENT_HEADINGS:
            return int(i)
    return len(texts)


def _title_forms(page: Page) -> set[str]:
    """Return the headlines that the page's ``title`` suggests: all of it, its longest part and its other long parts."""
    title = next((element.text or "" for element in page.document_landmarks.titles), "")
    parts = [_words_of(_TITLE_WORD, part) for part in _TITLE_SEPARATOR.split(title)]
    long_parts = {part for part in parts if part.count(" ") + 1 >= _TITLE_PART_WORDS}
    return ({_words_of(_TITLE_WORD, title), max(parts, key=len)} | long_parts) - {""}


def _find_block(texts: list[str], wanted: set[str]) -> int | None:
    """Return the first block whose words are one of *wanted*; None if there is none."""
    longest = 2 * max(map(len, wanted), default=0)
    return next(
        (i for i, text in enumerate(watched(texts)) if len(text) <= longest and _words_of(_TITLE_WORD, text) in wanted),
        None,
    )


def _words_of(word: re.Pattern[str], text: str) -> str:
    return " ".join(word.findall(text.lower()))


FILTERS: Final[Mapping[str, Filter]] = MappingProxyType({"largest": keep_largest, "main-content": keep_main_content})


DEFAULT_CLASSIFIER: Final = "numwords"
# All classifiers, alone and with each filter.
SHALLOW_NAMES: Final = tuple(
    f"shallow:{classifier}{ending}" for ending in ("", *(f"+{name}" for name in FILTERS)) for classifier in TREES
)
_NAME: Final = re.compile(r"shallow(?::([^+?]*))?(?:\+([^?]*))?(?:\?(.*))?")


class ShallowRules(RuleLabeler):
    """A classifier of blocks, with an optional filter.

    The groups are the leaves of the tree, for blocks whose label the filter keeps, then the same leaves again, for
    blocks whose label the filter changes.

    :param tree: the classifier.
    :param keep: the filter; None for no filter.
    :param table_name: name of the rules whose probabilities to use: the same rules with the paper's thresholds.
    """

    segmentation = SHALLOW_BLOCKS

    def __init__(self, name: str, tree: Tree, keep: Filter | None = None, table_name: str | None = None) -> None:
        super().__init__(name, len(tree.labels) * (1 if keep is None else 2), table_name)
        self._tree = tree
        self._keep = keep

    def decide(self, page: Page, blocks: BlockSequence) -> Decision:
        """Return the labels and groups of the *blocks* of *page*."""
        measures = shallow_blocks(page, blocks, with_text_density=self._tree.needs_text_density)
        leaves = self._tree.find_leaves(measures)
        labels = self._tree.labels[leaves]
        if self._keep is None:
            return Decision(labels, leaves, measures.n_words)
        kept = mask_to_labels(self._keep(page, blocks, measures.n_words, labels_to_mask(labels)))
        return Decision(kept, leaves + len(self._tree.labels) * (kept != labels), measures.n_words)


def parse_shallow_rules(name: str) -> ShallowRules:
    """Return the rules called *name*: ``shallow[:classifier][+filter][?threshold=number&…]``.

    :raises ValueError: if there are no such rules, or a threshold is unknown or not a number.
    """
    match = _NAME.fullmatch(name)
    classifier, ending, thresholds = match.groups() if match else (None, None, None)
    classifier = classifier or DEFAULT_CLASSIFIER
    if match is None or classifier not in TREES or not (ending is None or ending in FILTERS):
        known = ("shallow", *SHALLOW_NAMES, *OTHER_RULES)
        raise ValueError(f"unknown rules {name!r}{did_you_mean([name], known)}: expected one of {', '.join(known)}")
    plain_name = f"shallow:{classifier}" + (f"+{ending}" if ending else "")
    try:
        pairs = parse_qsl(thresholds or "", keep_blank_values=True, strict_parsing=bool(thresholds))
        tree = TREES[classifier].with_thresholds(**{key: _to_number(value) for key, value in pairs})
    except ValueError as error:
        raise ValueError(f"rules {name!r}: {error}") from error
    full_name = plain_name + (f"?{thresholds}" if thresholds else "")
    return ShallowRules(full_name, tree, FILTERS[ending] if ending else None, plain_name)


def _to_number(value: str) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"expected a finite number, got {value!r}")
    return number
