"""The phrases and marks of pages without main content, and the search for them.

The tables are in `phrases.txt`, which is read on first use: ``phrases.ERROR_HEADINGS`` is the table of this name.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import IntArray

_AROUND_HEADINGS: Final = " \t.,:;!?\"'()[]{}<>|/\\-–—_*#…·•»«›‹✕×→➔。！？、（）「」『』"
_N_HASHES: Final = 1 << 16
_ALWAYS: Final = _N_HASHES  # in place of the hash of a triple, for sentences of two characters
_N_TRIPLES: Final = 8  # of a sentence that are looked up; more exclude hardly any more sentences


def __getattr__(name: str) -> frozenset[str]:
    if not name.isupper() or name not in read_tables():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    table: frozenset[str] = globals().setdefault(name, read_tables()[name])  # next time found without this function
    return table


@cache
def read_tables() -> dict[str, frozenset[str]]:
    """Return the tables by name."""
    lines = files(__package__).joinpath("phrases.txt").read_text("utf-8").split("\n")
    tables = " ".join(line for line in lines if not line.startswith("#")).split(" [")[1:]
    named = (table.partition("] ")[::2] for table in tables)
    return {name: frozenset(map(str.strip, entries.split(" | "))) for name, entries in named}


def fold(text: str) -> str:
    """Return *text* in lower case, with single spaces and straight apostrophes."""
    return " ".join(text.lower().split()).replace("’", "'")


def bare(heading: str) -> str:
    """Return a heading without the marks around it."""
    return heading.strip(_AROUND_HEADINGS)


def count_phrases(text: str, phrases: Iterable[str]) -> int:
    """Return how many of *phrases* occur in *text*."""
    return sum(map(text.__contains__, phrases))


def has_any(marks: Iterable[str], text: str) -> bool:
    """Return whether one of *marks* occurs in *text*."""
    return any(map(text.__contains__, marks))  # twice as fast as a generator


@cache
def account_parts() -> tuple[str, ...]:
    """Return the headings of forms for an account as parts of others: with spaces around, in scripts that have them."""
    headings = read_tables()["ACCOUNT_HEADINGS"]
    return tuple(sorted(phrase if phrase[0] > "\u3000" else f" {phrase} " for phrase in headings))


@cache
def list_sentences() -> tuple[str, ...]:
    """Return all sentences of walls, and the words of consent, sorted."""
    names = [name for name in read_tables() if name.endswith(("_SENTENCES", "CONSENT_WORDS"))]
    return tuple(sorted(frozenset().union(*(read_tables()[name] for name in names))))


def find_sentences(text: str) -> frozenset[str]:
    """Return the sentences of `list_sentences` that occur in *text*.

    A thousand are searched at once: only those whose triples of characters all occur, which few do.
    """
    occurs = np.zeros(_N_HASHES + 1, dtype=bool)
    occurs[_hash_triples(text)] = True
    occurs[_ALWAYS] = True
    triples = _tabled_triples()
    # The triple in the middle excludes most, so that the others of few sentences are looked up.
    candidates = np.flatnonzero(occurs[triples[_N_TRIPLES // 2]])
    candidates = candidates[occurs[triples[:, candidates]].all(axis=0)]
    return frozenset(filter(text.__contains__, map(list_sentences().__getitem__, candidates.tolist())))


def _hash_triples(text: str) -> IntArray:
    """Return a hash of each three neighboring characters. *Shape:* ``(max(len(text) - 2, 0),)``"""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(np.int64)
    return (codes[:-2] * 40_503 + codes[1:-1] * 10_007 + codes[2:]) % _N_HASHES


@cache
def _tabled_triples() -> IntArray:
    """Return hashes of triples from all over each sentence. *Shape:* ``(_N_TRIPLES, number of sentences)``"""
    hashes = [_hash_triples(sentence) for sentence in list_sentences()]
    rows = [
        row[np.linspace(0, len(row) - 1, _N_TRIPLES).astype(np.int64)] if len(row) else [_ALWAYS] * _N_TRIPLES
        for row in hashes
    ]
    return np.array(rows).T.copy()
