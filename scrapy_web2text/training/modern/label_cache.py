"""Leaf coverages of corpora in files, so that a change of the features does not require a new alignment."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from scrapy_web2text.alignment.tokens import LeafCoverage, cover_leaves
from scrapy_web2text.arrays import AnyArray, BoolArray
from scrapy_web2text.training.npz import NPZ_ERRORS

__all__ = ["LabelCache"]


_VERSION: Final = "5"  # of the alignment: entries of other versions are ignored


class LabelCache:
    """The leaf coverages of the pages of one corpus, computed on first use.

    An entry belongs to a page id. It is computed again if leaf texts, clean text or choice of leaves change.

    :param path: an ``.npz`` file, read if it exists and written by :meth:`save`. A damaged file is ignored.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._entries: dict[str, tuple[str, LeafCoverage]] = _read(path)
        self._is_changed = False

    def cover(self, page_id: str, texts: Sequence[str], clean: str, is_shown: BoolArray | None = None) -> LeafCoverage:
        """Return the share of each text leaf that is in the clean text, see `cover_leaves`."""
        digest = _digest(texts, clean, is_shown)
        known, coverage = self._entries.get(page_id, ("", None))
        if coverage is None or known != digest:
            coverage = cover_leaves(texts, clean, is_shown)
            self._entries[page_id] = digest, coverage
            self._is_changed = True
        return coverage

    def save(self) -> None:
        """Write the file if an entry is new."""
        if not self._is_changed:
            return
        digests = [digest for digest, _ in self._entries.values()]
        coverages = [coverage for _, coverage in self._entries.values()]
        empty = [np.zeros(0, dtype=np.int64)]
        self._path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = self._path.with_name(f"{self._path.name}.{os.getpid()}.npz")
        np.savez_compressed(
            unfinished,
            ids=np.array(list(self._entries), dtype=np.str_),
            digests=np.array(digests, dtype=np.str_),
            n_leaves=np.array([len(coverage.n_tokens) for coverage in coverages], dtype=np.int64),
            n_covered=np.concatenate(empty + [coverage.n_covered for coverage in coverages]),
            n_tokens=np.concatenate(empty + [coverage.n_tokens for coverage in coverages]),
            coverage=np.array([coverage.coverage for coverage in coverages], dtype=np.float64),
        )
        unfinished.replace(self._path)
        self._is_changed = False


def _read(path: Path) -> dict[str, tuple[str, LeafCoverage]]:
    try:
        with path.open("rb") as file, np.load(file) as arrays:
            return _split_entries(dict(arrays))
    except NPZ_ERRORS:
        return {}


def _split_entries(arrays: dict[str, AnyArray]) -> dict[str, tuple[str, LeafCoverage]]:
    """Return the entries by page id.

    :raises KeyError: if an array is missing.
    :raises ValueError: if the arrays do not agree.
    """
    bounds = np.cumsum(arrays["n_leaves"])[:-1]
    coverages = map(
        LeafCoverage,
        np.split(arrays["n_covered"], bounds),
        np.split(arrays["n_tokens"], bounds),
        arrays["coverage"].tolist(),
    )
    entries = zip(arrays["digests"].tolist(), coverages, strict=True)
    return dict(zip(arrays["ids"].tolist(), entries, strict=True))


def _digest(texts: Sequence[str], clean: str, is_shown: BoolArray | None) -> str:
    joined = "\0".join([_VERSION, clean, *texts])
    shown = b"" if is_shown is None else np.packbits(is_shown).tobytes()
    return hashlib.blake2b(joined.encode("utf-8", "surrogatepass") + shown, digest_size=16).hexdigest()
