"""The sentences of walls in a text. A thousand are searched at once, most of which one look at the text excludes."""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np

from scrapy_web2text.arrays import IntArray
from scrapy_web2text.verdicts import phrases

__all__ = ["SENTENCES", "find_sentences"]

SENTENCES: Final = tuple(
    sorted(
        phrases.ACCOUNT_SENTENCES
        | phrases.CHALLENGE_SENTENCES
        | phrases.CONSENT_WORDS
        | phrases.ERROR_SENTENCES
        | phrases.PAYWALL_SENTENCES
        | phrases.SCRIPT_SENTENCES
    )
)
_N_HASHES: Final = 1 << 16
_ALWAYS: Final = _N_HASHES  # in place of the hash of a triple, for sentences of two characters
_N_TRIPLES: Final = 8  # of a sentence that are looked up; more exclude hardly any more sentences


def find_sentences(text: str) -> frozenset[str]:
    """Return the `SENTENCES` that occur in *text*. Only those are searched whose triples of characters all occur."""
    occurs = np.zeros(_N_HASHES + 1, dtype=bool)
    occurs[_hash_triples(text)] = True
    occurs[_ALWAYS] = True
    triples = _tabled_triples()
    # The triple in the middle excludes most, so that the others of few sentences are looked up.
    candidates = np.flatnonzero(occurs[triples[_N_TRIPLES // 2]])
    candidates = candidates[occurs[triples[:, candidates]].all(axis=0)]
    return frozenset(filter(text.__contains__, map(SENTENCES.__getitem__, candidates.tolist())))


def _hash_triples(text: str) -> IntArray:
    """Return a hash of each three neighboring characters. *Shape:* ``(max(len(text) - 2, 0),)``"""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(np.int64)
    return (codes[:-2] * 40_503 + codes[1:-1] * 10_007 + codes[2:]) % _N_HASHES


@cache
def _tabled_triples() -> IntArray:
    """Return hashes of triples from all over each sentence. *Shape:* ``(_N_TRIPLES, len(SENTENCES))``"""
    hashes = [_hash_triples(sentence) for sentence in SENTENCES]
    rows = [
        row[np.linspace(0, len(row) - 1, _N_TRIPLES).astype(np.int64)] if len(row) else [_ALWAYS] * _N_TRIPLES
        for row in hashes
    ]
    return np.array(rows).T.copy()
