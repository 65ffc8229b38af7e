"""The phrases and marks of pages without main content, and the search for them.

The tables are in `phrases.txt`, which is read on first use: ``phrases.ERROR_HEADINGS`` is the table of this name.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain
from typing import Final

_AROUND_HEADINGS: Final = " \t.,:;!?\"'()[]{}<>|/\\-–—_*#…·•»«›‹✕×→➔。！？、（）「」『』"
# In place of a word of texts: what phrases of one or two words need.
_IN_ASCII, _NOT_IN_ASCII = "", " "


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


def count_phrases(text: str, phrases: frozenset[str]) -> int:
    """Return how many of *phrases* occur in *text*."""
    return sum(map(text.__contains__, _find_candidates(phrases, text)))


def has_any(marks: Iterable[str], text: str) -> bool:
    """Return whether one of *marks* occurs in *text*."""
    return any(map(text.__contains__, _find_candidates(marks, text)))  # twice as fast as a generator


def _find_candidates(phrases: Iterable[str], text: str) -> Iterable[str]:
    """Return those of *phrases* that can be in *text*: all but those with an inner word that it lacks."""
    by_word = _by_inner_word(phrases) if isinstance(phrases, frozenset) else {}
    if len(by_word) < 2:
        return phrases
    return chain.from_iterable(map(by_word.__getitem__, by_word.keys() & _words_of(text)))


@cache
def _by_inner_word(phrases: frozenset[str]) -> dict[str, list[str]]:
    """Return *phrases* by a word with others around it, the longest, or else by the characters that they need."""
    by_word: dict[str, list[str]] = {}
    for phrase in phrases:
        characters = _IN_ASCII if phrase.isascii() else _NOT_IN_ASCII
        by_word.setdefault(max(phrase.split(" ")[1:-1], key=len, default=characters), []).append(phrase)
    return by_word


@lru_cache(maxsize=4)
def _words_of(text: str) -> frozenset[str]:
    """Return the words of *text*, and the characters that phrases in it can need."""
    return frozenset((*text.split(" "), _IN_ASCII, _IN_ASCII if text.isascii() else _NOT_IN_ASCII))


@cache
def account_parts() -> tuple[str, ...]:
    """Return the headings of forms for an account as parts of others: with spaces around, in scripts that have them."""
    headings = read_tables()["ACCOUNT_HEADINGS"]
    return tuple(sorted(phrase if phrase[0] > "\u3000" else f" {phrase} " for phrase in headings))
