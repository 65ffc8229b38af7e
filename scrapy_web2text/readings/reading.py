"""A reading: which blocks of a page are main content, as a reader decided block by block.

It holds no text of the page. Blocks are named by their numbers, and by hashes of their texts, so that a reading still
fits a page whose blocks are cut slightly differently, and is refused for another page.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from scrapy_web2text.page.blocks import Label

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scrapy_web2text.arrays import IntArray

__all__ = ["Reading", "find_runs", "hash_prefixes", "hash_text"]

_N_DIGITS: Final = 10


@dataclass(frozen=True, slots=True)
class Reading:
    """The labels that a reader gave to the n blocks of a page.

    :param corpus: the corpus of the page, as `evaluation.open_corpus` takes it; empty for a page of one's own.
    :param id: name of the page in the corpus, or its URL, or its file.
    :param content: the first and the last number of each run of content, from 0, in order.
    :param hashes: `hash_text` of the text of each block. *Shape:* ``(n,)``
    :param certainty: how sure the reader is that another careful one would agree, in [0, 1].
    :param type: page type, such as ``forum``.
    :param kind: what the page is: ``content``, or why it has none: ``login``, ``contact``, ``error``, ``shell``, ….
    :param url: URL of the page.
    :param file: the file that holds the page, relative to the file of the reading.
    :param record: the page's record in *file*, if that is a WARC file: its ``WARC-Record-ID``.
    :param words: number of words of each block; empty if unknown. *Shape:* ``(n,)``
    :param paths: XPath of each block, empty where it has none; empty if unknown. *Shape:* ``(n,)``
    :param published: what the reader thinks of the published clean text: ``right``, ``partly`` or ``wrong``; None if
        there is none.
    :param reader: who read the page, in free text.
    :param note: the reader's reason, in a few words.
    """

    corpus: str
    id: str
    content: tuple[tuple[int, int], ...]
    hashes: tuple[str, ...]
    certainty: float = 1.0
    type: str | None = None
    kind: str = "content"
    url: str | None = None
    file: str | None = None
    published: str | None = None
    reader: str = ""
    note: str = ""
    record: str | None = None
    words: tuple[int, ...] = ()
    paths: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        numbers = [number for run in self.content for number in run]
        if numbers != sorted(numbers) or (numbers and not 0 <= numbers[0] <= numbers[-1] < self.n_blocks):
            raise ValueError(f"content: expected runs of blocks below {self.n_blocks}, in order, got {self.content}")
        if not 0 <= self.certainty <= 1:
            raise ValueError(f"certainty: expected a number from 0 to 1, got {self.certainty}")
        for name, values in (("words", self.words), ("paths", self.paths)):
            if len(values) not in (0, self.n_blocks):
                raise ValueError(f"{name}: expected {self.n_blocks} values, one for each block, got {len(values)}")
        if self.words and min(self.words) < 0:
            raise ValueError(f"words: expected whole numbers from 0, got {min(self.words)}")

    @property
    def n_blocks(self) -> int:
        """Number of blocks that the reader saw."""
        return len(self.hashes)

    @property
    def labels(self) -> IntArray:
        """The labels of the blocks that the reader saw. *Shape:* ``(n,)``"""
        labels = np.full(self.n_blocks, int(Label.BOILERPLATE), dtype=np.int64)
        for first, last in self.content:
            labels[first : last + 1] = Label.CONTENT
        return labels


def find_runs(values: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """Return the first and the last number of each run of true values, as `Reading.content` has those of content."""
    runs: list[tuple[int, int]] = []
    for number, value in enumerate(values):
        if value:
            first = runs.pop()[0] if runs and runs[-1][1] == number - 1 else number
            runs.append((first, number))
    return tuple(runs)


def hash_text(text: str) -> str:
    """Return the first ten hexadecimal digits of the SHA-1 of a block's text, each run of whitespace as one space."""
    return next(hash_prefixes([text], ""))


def hash_prefixes(texts: Iterable[str], space: str) -> Iterator[str]:
    """Yield the `hash_text` of the first text, of the first two joined by *space*, and so on."""
    digest = hashlib.sha1(usedforsecurity=False)
    for number, text in enumerate(texts):
        squeezed = " ".join(text.split())
        digest.update(f"{space if number else ''}{squeezed}".encode("utf-8", "surrogatepass"))
        yield digest.hexdigest()[:_N_DIGITS]
