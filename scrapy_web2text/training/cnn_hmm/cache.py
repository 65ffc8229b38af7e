"""Features and labels of corpora in files, since aligning a corpus takes longer than learning from it."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final
from zipfile import BadZipFile

import numpy as np
from lxml import etree
from tqdm import tqdm

import scrapy_web2text
from scrapy_web2text.training.cnn_hmm.data import LabelledRows, label_pages

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_web2text.evaluation.corpora import Corpus, LabelledPage

__all__ = ["default_cache", "load_rows"]

_FIELDS: Final = ("lengths", "labels", "block_features", "edge_features")
# What features and labels depend on, as paths in the package.
_PROGRAM: Final = (
    "page",
    "features/characters.py",
    "features/stopwords.py",
    "features/columns.py",
    "features/cnn_hmm",
    "alignment/chains.py",
    "alignment/gaps.py",
    "alignment/moves.py",
    "alignment/runs.py",
    "alignment/characters",
    "training/cnn_hmm/data.py",
)


def default_cache() -> Path:
    """Return the user's folder for what can be computed again."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "scrapy-web2text"


def load_rows(corpus: Corpus, ids: Sequence[str], cache: Path, description: str) -> LabelledRows:
    """Return features and labels of some pages of a corpus, from *cache* if they are there.

    A file of the cache is named after a hash of the pages, their texts and the program, so a wrong one is never taken.

    :param description: words for the progress bar.
    :raises ValueError: if the corpus lacks one of the pages, or no page has blocks.
    """
    path = cache / f"{corpus.name.replace('/', '-')}-{_hash_pages(corpus.pages(ids))}.npz"
    try:
        with path.open("rb") as file, np.load(file) as arrays:
            return LabelledRows(*(arrays[field] for field in _FIELDS))
    except (OSError, EOFError, BadZipFile, KeyError, ValueError):  # not there, or damaged
        rows = label_pages(tqdm(corpus.pages(ids), total=len(ids), desc=description, unit="page", disable=None))
    cache.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.{os.getpid()}")
    with unfinished.open("wb") as output:
        np.savez(output, **{field: getattr(rows, field) for field in _FIELDS})
    unfinished.replace(path)
    return rows


def _hash_pages(pages: Iterator[LabelledPage]) -> str:
    """Return a hash of *pages*, and of all that makes features and labels of them."""
    digest = hashlib.sha256(f"{etree.LXML_VERSION} {etree.LIBXML_VERSION}".encode())
    package = Path(scrapy_web2text.__file__).parent
    for part in _PROGRAM:
        for path in sorted((package / part).rglob("*.py")) or [package / part]:
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    for page in pages:
        html = page.html if isinstance(page.html, bytes) else page.html.encode("utf-8", "surrogatepass")
        for content in (page.id.encode(), html, page.text.encode("utf-8", "surrogatepass")):
            digest.update(hashlib.sha256(content).digest())
    return digest.hexdigest()[:32]
