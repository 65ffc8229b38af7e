"""The features of Kohlschütter et al. 2010, section 3, for all blocks of the news corpus.

The paper counts 23 features of a block, 64 with those of its neighbors, and 67 with the frequency of its text and of
theirs. Figure 1 names them. Its lists give 23 and 65 here: 21 of each of the three blocks, and two positions. The
frequency of a text was counted on 254,000 pages that were not published; here, it is that among the 621 pages.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from research.kohlschuetter.classes import LabeledBlocks, read_pages
from scrapy_web2text.labelers.shallow.measures import shallow_blocks
from scrapy_web2text.labelers.shallow.trees import TREES

_TAGS = ("h1", "h2", "h3", "h4", "h5", "h6", "p", "div", "a")
_OF_TEXTS = (
    "average word length",
    "average sentence length",
    "start uppercase",
    "start uppercase ratio",
    "full uppercase",
    "full uppercase ratio",
    "full stop ratio",
    "date tokens",
    "vertical bars",
)
# The features of a block that its neighbors have, too, and those of its place.
LOCAL = ("number of words", "link density", "text density", *_OF_TEXTS, *(f"<{tag}>" for tag in _TAGS))
POSITIONS = ("relative position", "absolute position")
# What relates a block to the previous one.
FLOW = ("number of words quotient", "text density quotient", "text density delta")
FREQUENCY = "text frequency"
_SENTENCE_END = re.compile(r"[.?!;](?=\s|$)")
_DATE = re.compile(
    r"(?:(?:19|20)\d\d|\d{1,2}[:/.]\d\d(?:[:/.]\d{2,4})?|[ap]\.?m\.?|[ECMP][SD]T|GMT|(?:jan|febr)(?:uary)?|feb|mar(?:ch)?|apr(?:il)?"
    r"|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|(?:nov|dec)(?:ember)?|(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
    r"[,.]?",
    re.IGNORECASE,
)


@dataclass(frozen=True, eq=False)
class NewsBlocks:
    """All n blocks of the corpus.

    :param columns: the features of the block itself, by name. *Shape of each:* ``(n,)``
    :param by_tree: answers of the simplified trees of the paper.
    :param tokens: number of tokens, words or not. *Shape:* ``(n,)``
    :param classes: values of `TextClass`. *Shape:* ``(n,)``
    :param pages: number of the page. *Shape:* ``(n,)``
    """

    columns: dict[str, NDArray[np.float64]]
    by_tree: dict[str, NDArray[np.int64]]
    tokens: NDArray[np.int64]
    classes: NDArray[np.int64]
    pages: NDArray[np.int64]

    @property
    def words(self) -> NDArray[np.float64]:
        """Number of words of each block, which weights it in all scores. *Shape:* ``(n,)``"""
        return self.columns["number of words"]

    @cached_property
    def is_first(self) -> NDArray[np.bool_]:
        """Whether each block is the first of its page. *Shape:* ``(n,)``"""
        return np.diff(self.pages, prepend=-1) != 0

    def select(self, names: Sequence[str]) -> NDArray[np.float64]:
        """Return the columns *names*, which end with ``(P)``, ``(C)`` or ``(N)``. *Shape:* ``(n, len(names))``"""
        return np.stack([self._column(name) for name in names], axis=1)

    def _column(self, name: str) -> NDArray[np.float64]:
        values, place = self.columns[name[:-4]], name[-2]
        if place == "P":
            return np.where(self.is_first, 0, np.roll(values, 1))
        return np.where(np.roll(self.is_first, -1), 0, np.roll(values, -1)) if place == "N" else values


def name_columns(names: Sequence[str], places: str = "C") -> list[str]:
    """Return the names of the columns that hold *names* of the blocks at *places*, such as ``PCN``."""
    return [f"{name} ({place})" for place in places for name in names]


def load_blocks(data: Path) -> NewsBlocks:
    """Return the blocks of all pages of the corpus."""
    parts, texts = [], []
    for number, source in enumerate(read_pages(data)):
        leaves = _block_texts(source)
        texts += [" ".join(" ".join(leaves_of_one).split()) for leaves_of_one in leaves]
        parts.append(_read_page(source, leaves, number))
    columns = {name: np.concatenate([part.columns[name] for part in parts]) for name in parts[0].columns}
    blocks = NewsBlocks(
        columns,
        {name: np.concatenate([part.by_tree[name] for part in parts]) for name in parts[0].by_tree},
        *(np.concatenate([getattr(part, name) for part in parts]) for name in ("tokens", "classes", "pages")),
    )
    columns[FREQUENCY] = _text_frequencies(texts, blocks.pages)
    words, density = blocks.select(name_columns(LOCAL[:1], "PC")), blocks.select(name_columns(LOCAL[2:3], "PC"))
    columns[FLOW[0]] = words[:, 0] / np.maximum(words[:, 1], 1)
    columns[FLOW[1]] = np.divide(density[:, 0], density[:, 1], out=np.zeros(len(density)), where=density[:, 1] > 0)
    columns[FLOW[2]] = density[:, 1] - density[:, 0]
    return blocks


def text_features(leaves: Sequence[str]) -> list[float]:
    """Return the features of a block that are read from the texts of its *leaves*, in the order of `_OF_TEXTS`."""
    tokens = [token for leaf in leaves for token in leaf.split()]
    words = [token for token in tokens if any(map(str.isalnum, token))]
    text = " ".join(tokens)
    n_words = max(len(words), 1)
    start = sum(word[0].isupper() for word in words)
    full = sum(word.isupper() for word in words)
    n_sentences = max(len(_SENTENCE_END.findall(text)), 1)
    return [
        sum(map(len, words)) / n_words,
        len(words) / n_sentences,
        start,
        start / n_words,
        full,
        full / n_words,
        text.count(".") / n_words,
        sum(_DATE.fullmatch(token) is not None for token in tokens),
        text.count("|"),
    ]


def _block_texts(source: LabeledBlocks) -> list[list[str]]:
    texts, blocks = source.page.texts, source.blocks
    ends = zip(blocks.starts.tolist(), blocks.ends.tolist(), strict=True)
    return [[texts[leaf] for leaf in blocks.leaves[start:end].tolist()] for start, end in ends]


def _read_page(source: LabeledBlocks, leaves: Sequence[Sequence[str]], number: int) -> NewsBlocks:
    """Return the blocks of one page, without what needs all pages."""
    page, blocks = source.page, source.blocks
    measures = shallow_blocks(page, blocks, with_text_density=True)
    n = blocks.n_blocks
    of_texts = np.array([text_features(each) for each in leaves], dtype=np.float64).reshape(n, len(_OF_TEXTS))
    starts = blocks.leaves[blocks.starts]
    values = (measures.n_words, measures.link_density, measures.text_density, *of_texts.T)
    tags = (page.is_inside(frozenset({tag}), starts) for tag in _TAGS)
    places = np.arange(n) / max(n, 1), np.arange(n)
    columns = zip((*LOCAL, *POSITIONS), (*values, *tags, *places), strict=True)
    trees = {name: TREES[name].labels[TREES[name].find_leaves(measures)] for name in ("numwords", "density")}
    tokens = np.array([sum(len(leaf.split()) for leaf in each) for each in leaves], dtype=np.int64)
    return NewsBlocks(
        {name: np.asarray(column, dtype=np.float64) for name, column in columns},
        trees,
        tokens,
        source.classes,
        np.full(n, number),
    )


def _text_frequencies(texts: Sequence[str], pages: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the number of pages that have each text. *Shape:* ``(n,)``"""
    counts = Counter(text for text, _ in set(zip(texts, pages.tolist(), strict=True)))
    return np.array([counts[text] for text in texts], dtype=np.float64)
