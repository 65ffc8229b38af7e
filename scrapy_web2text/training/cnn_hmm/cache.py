"""Caches features and labels of corpora in files, since aligning a corpus takes longer than training on it."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from lxml import etree

import scrapy_web2text
from scrapy_web2text.training.cnn_hmm.data import LabeledRows, label_pages
from scrapy_web2text.training.npz import NPZ_ERRORS
from scrapy_web2text.training.progress import no_progress

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_web2text.evaluation.corpora import Corpus, LabeledPage
    from scrapy_web2text.training.progress import Track

__all__ = ["load_rows"]

_FIELDS: Final = ("lengths", "labels", "block_features", "edge_features")
# The modules and folders of the package that features and labels depend on.
_PROGRAM: Final = (
    "page",
    "features/character_classes.py",
    "features/characters.py",
    "features/hashing.py",
    "features/stopwords.py",
    "features/texts.py",
    "features/python_texts.py",
    "features/cnn_hmm",
    "alignment/chains.py",
    "alignment/gaps.py",
    "alignment/joined.py",
    "alignment/moves.py",
    "alignment/runs.py",
    "alignment/characters",
    "training/pages.py",
    "training/cnn_hmm/data.py",
)


def load_rows(
    corpus: Corpus, ids: Sequence[str], cache: Path, *, title: str = "", track: Track = no_progress
) -> LabeledRows:
    """Return features and labels of some pages of a corpus, from *cache* if they are there.

    The name of a file in the cache is a hash of the pages, their texts and the code, so stale files are never read.

    :param title: title of the progress report.
    :raises ValueError: if the corpus lacks one of the pages, or no page has blocks.
    """
    path = cache / f"{corpus.name.replace('/', '-')}-{_hash_pages(corpus.pages(ids))}.npz"
    try:
        with path.open("rb") as file, np.load(file) as arrays:
            return LabeledRows(*(arrays[field] for field in _FIELDS))
    except NPZ_ERRORS:
        rows = label_pages(track(corpus.pages(ids), len(ids), title=title))
    cache.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.{os.getpid()}")
    with unfinished.open("wb") as output:
        np.savez(output, **{field: getattr(rows, field) for field in _FIELDS})
    unfinished.replace(path)
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
