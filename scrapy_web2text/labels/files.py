"""The labels that readers gave to the blocks of pages, main content or not, and files of these labels.

Labels hold no text of the page. Blocks are named by their numbers, and by hashes of their texts, so that labels still
fit a page that has changed a little, and are refused for another page.

A labels file is JSON Lines, which may be compressed with xz. Each line is a page; its keys are the parameters of
`PageLabels`.
"""

from __future__ import annotations

import hashlib
import json
import lzma
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Final, TypeAlias

import numpy as np
from msgspec import Meta

from scrapy_web2text.common.arrays import IntArray
from scrapy_web2text.common.checks import SHARE
from scrapy_web2text.common.decoding import to_type
from scrapy_web2text.extraction import Label

_N_DIGITS: Final = 10
# A file of a few kilobytes can decompress to any size. The labels of ten thousand long pages have fewer bytes.
_MOST_BYTES: Final = 1_000_000_000
_NEEDED: Final = ("corpus", "id", "content", "hashes")
# The number of words of a block; sums of these numbers fit into arrays.
_Words: TypeAlias = Annotated[int, Meta(ge=0, le=2**31 - 1)]


@dataclass(frozen=True, slots=True)
class PageLabels:
    """The labels that a reader gave to the n blocks of a page; docs/labels.md has the meaning of each field.

    :param hashes: `hash_text` of the text of each block. *Shape:* ``(n,)``
    :param published: what the reader thinks of the published clean text: ``right``, ``partly`` or ``wrong``; None if
        there is none.
    :param words: number of words of each block; empty if unknown. *Shape:* ``(n,)``
    :param paths: XPath of each block, empty where it has none; empty if unknown. *Shape:* ``(n,)``
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
    words: tuple[_Words, ...] = ()
    paths: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        numbers = [number for run in self.content for number in run]
        if numbers != sorted(numbers) or (numbers and not 0 <= numbers[0] <= numbers[-1] < self.n_blocks):
            raise ValueError(f"content: expected runs of blocks below {self.n_blocks}, in order, got {self.content}")
        SHARE.check(self.certainty, "certainty")
        for name, values in (("words", self.words), ("paths", self.paths)):
            if len(values) not in (0, self.n_blocks):
                raise ValueError(f"{name}: expected {self.n_blocks} values, one for each block, got {len(values)}")

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
    """Return the first and the last number of each run of true values, as in `PageLabels.content`."""
    runs: list[tuple[int, int]] = []
    for number, value in enumerate(values):
        if value:
            first = runs.pop()[0] if runs and runs[-1][1] == number - 1 else number
            runs.append((first, number))
    return tuple(runs)


def hash_text(text: str) -> str:
    """Return the first ten hexadecimal digits of the SHA-1 of a block's text, each run of whitespace as one space."""
    squeezed = " ".join(text.split()).encode("utf-8", "surrogatepass")
    return hashlib.sha1(squeezed, usedforsecurity=False).hexdigest()[:_N_DIGITS]


def read_labels(path: Path) -> dict[tuple[str, str], PageLabels]:
    """Return the labels in a file by corpus and page id; if a page has several entries, the last labels."""
    return {(labels.corpus, labels.id): labels for labels, _ in read_lines(path)}


def read_lines(path: Path) -> list[tuple[PageLabels, str]]:
    """Return the labels of each line of a file, and the line itself, which can have keys of other programs."""
    try:
        with lzma.open(path) if path.suffix == ".xz" else path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
        lines = data.decode("utf-8-sig").split("\n")
    except OSError as error:
        raise ValueError(f"{path}: cannot read the labels file: {error.strerror}") from None
    except (lzma.LZMAError, EOFError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: expected JSON Lines, compressed if the name ends in .xz: {error}") from None
    if len(data) > _MOST_BYTES:
        raise ValueError(f"{path}: expected labels of at most {_MOST_BYTES:,} bytes, decompressed")
    numbered = enumerate(lines, 1)
    return [(read_line(line, f"{path}:{number}"), line.strip()) for number, line in numbered if line.strip()]


def write_line(labels: PageLabels) -> str:
    """Return *labels* as JSON, without optional keys that are empty."""
    entry = {key: value for key, value in asdict(labels).items() if value not in (None, "", ()) or key in _NEEDED}
    return json.dumps(entry, separators=(",", ":"))  # in ASCII, since names of files may not be UTF-8


def read_line(line: str, where: str) -> PageLabels:
    """Return the labels of a line."""
    try:
        return to_type(PageLabels, json.loads(line))
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"{where}: expected JSON: {error}") from None
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
