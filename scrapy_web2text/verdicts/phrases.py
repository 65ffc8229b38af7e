"""The phrases and marks of pages without main content, and the search for them.

The tables are in `phrases.txt`, which is read on first use. ``phrases.ERROR_HEADINGS`` is the table ERROR_HEADINGS.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Final

_AROUND_HEADINGS: Final = " \t.,:;!?\"'()[]{}<>|/\\-–—_*#…·•»«›‹✕×→➔。！？、（）「」『』"


def __getattr__(name: str) -> frozenset[str]:
    if not name.isupper() or name not in read_tables():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, read_tables()[name])  # so that Python finds it the next time


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
    """Return a heading without the punctuation around it."""
    return heading.strip(_AROUND_HEADINGS)


def count_phrases(text: str, phrases: frozenset[str]) -> int:
    """Return how many of *phrases* occur in *text*."""
    return sum(map(text.__contains__, phrases))


def has_any(marks: Iterable[str], text: str) -> bool:
    """Return whether one of *marks* occurs in *text*."""
    return any(map(text.__contains__, marks))  # twice as fast as a generator


@cache
def account_parts() -> tuple[str, ...]:
    """Return the headings of forms for an account as they are searched in longer headings.

    Spaces surround them, except in scripts without spaces between words.
    """
    headings = read_tables()["ACCOUNT_HEADINGS"]
    return tuple(sorted(phrase if phrase[0] > "\u3000" else f" {phrase} " for phrase in headings))
