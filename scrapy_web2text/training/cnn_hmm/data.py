"""Features and labels of many pages, one page after another: the data that the networks are fitted to, cached in files,
since aligning a corpus takes longer than training on it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from lxml import etree

import scrapy_web2text
from scrapy_web2text.alignment.characters import align_page
from scrapy_web2text.features.cnn_hmm import page_features
from scrapy_web2text.page.blocks import TEXT_LEAVES, segment
from scrapy_web2text.training.corpora import no_progress, read_cache, segment_page, write_cache

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scrapy_web2text.common.arrays import FloatArray, IntArray
    from scrapy_web2text.evaluation.corpora import Corpus, LabeledPage
    from scrapy_web2text.training.corpora import Track

_segment = partial(segment, segmentation=TEXT_LEAVES)
_FIELDS: Final = ("lengths", "labels", "block_features", "edge_features")
# The modules and folders of the package that features and labels depend on.
_PROGRAM: Final = ("page", "features", "alignment", "training/corpora.py", "training/cnn_hmm/data.py")


@dataclass(frozen=True, slots=True, eq=False)
class Sequences:
    """Rows of many pages, one page after another, with the class of each row.

    *Shapes:* features ``(n_rows, F)``, targets ``(n_rows,)``, lengths ``(n_pages,)``.

    :param lengths: number of rows of each page.
    """

    features: FloatArray
    targets: IntArray
    lengths: IntArray

    @property
    def starts(self) -> IntArray:
        """The first row of each page. *Shape:* ``(n_pages,)``"""
        starts: IntArray = np.cumsum(self.lengths) - self.lengths
        return starts


@dataclass(frozen=True, slots=True, eq=False)
class LabeledRows:
    """Features and labels of the blocks and edges of many pages, one page after another; each page has blocks.

    *Shapes:* lengths ``(n_pages,)``, labels ``(n_blocks,)``, block features ``(n_blocks, F)``, edge features
    ``(n_blocks - n_pages, E)``.

    :param lengths: number of blocks of each page.
    """

    lengths: IntArray
    labels: IntArray
    block_features: FloatArray
    edge_features: FloatArray

    @property
    def blocks(self) -> Sequences:
        """The blocks with their labels."""
        return Sequences(self.block_features, self.labels, self.lengths)

    @property
    def edges(self) -> Sequences:
        """The edges, with classes 0 to 3 for the label pairs 00, 01, 10 and 11."""
        pairs = 2 * self.labels[:-1] + self.labels[1:]
        inside = np.ones(len(pairs), dtype=bool)
        inside[np.cumsum(self.lengths)[:-1] - 1] = False
        return Sequences(self.edge_features, pairs[inside], self.lengths - 1)

    @classmethod
    def join(cls, parts: Sequence[LabeledRows]) -> LabeledRows:
        """Return the rows of all *parts*.

        :raises ValueError: if *parts* is empty.
        """
        if not parts:
            raise ValueError("expected one or more pages with blocks, found none")
        return cls(*(np.concatenate([getattr(part, field) for part in parts]) for field in _FIELDS))


def label_pages(pages: Iterable[LabeledPage]) -> LabeledRows:
    """Return the features of *pages*, and the labels that follow from their clean texts.

    Pages that cannot be parsed or have no blocks are skipped.

    :raises ValueError: if no page remains.
    """
    return LabeledRows.join([rows for rows in map(_label_page, pages) if rows is not None])


def _label_page(source: LabeledPage) -> LabeledRows | None:
    segmented = segment_page(source, _segment)
    if segmented is None:
        return None
    page, blocks = segmented
    features = page_features(page, blocks)
    labels = align_page(page, blocks, source.text)
    return LabeledRows(np.array([blocks.n_blocks]), labels, features.blocks, features.edges)


def load_rows(
    corpus: Corpus, ids: Sequence[str], cache: Path, *, title: str = "", track: Track = no_progress
) -> LabeledRows:
    """Return features and labels of some pages of a corpus, from *cache* if they are there.

    The name of a file in the cache is a hash of the pages, their texts and the code, so stale files are never read.

    :param title: title of the progress report.
    :raises ValueError: if the corpus lacks one of the pages, or no page has blocks.
    """
    path = cache / f"{corpus.name.replace('/', '-')}-{_hash_pages(corpus.pages(ids))}.npz"
    arrays = read_cache(path)
    if arrays.keys() >= {*_FIELDS}:
        return LabeledRows(*(arrays[field] for field in _FIELDS))
    rows = label_pages(track(corpus.pages(ids), len(ids), title=title))
    write_cache(path, {field: getattr(rows, field) for field in _FIELDS})
    return rows


def _hash_pages(pages: Iterator[LabeledPage]) -> str:
    """Return a hash of *pages* and of the code that turns them into features and labels."""
    digest = hashlib.sha256(f"{etree.LXML_VERSION} {etree.LIBXML_VERSION}".encode())
    package = Path(scrapy_web2text.__file__).parent
    for part in _PROGRAM:
        folder = package / part
        files = [folder] if folder.is_file() else sorted([*folder.rglob("*.py"), *folder.rglob("*.pyx")])
        for path in files:
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    for page in pages:
        html = page.html if isinstance(page.html, bytes) else page.html.encode("utf-8", "surrogatepass")
        for content in (page.id.encode(), html, page.text.encode("utf-8", "surrogatepass")):
            digest.update(hashlib.sha256(content).digest())
    return digest.hexdigest()[:32]
