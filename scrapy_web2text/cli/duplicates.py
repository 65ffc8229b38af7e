"""Texts that occur more than once: equal ones by a hash, similar ones by MinHash."""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from scrapy_web2text.cli.arguments import number_in

if TYPE_CHECKING:
    from rensa import RMinHash

    from scrapy_web2text.cli.lines import Line

__all__ = [
    "Duplicate",
    "DuplicateKind",
    "Duplicates",
    "Fingerprint",
    "Fingerprints",
    "add_duplicate_arguments",
    "choose_fingerprints",
    "fingerprint_text",
    "open_duplicates",
]

DuplicateKind = Literal["exact", "near"]
# What workers compute of each text: nothing, a hash, or also a sketch.
Fingerprints: TypeAlias = Literal["exact", "near"] | None

_N_PERMUTATIONS: Final = 128
_N_BANDS: Final = 32  # finds nearly all pairs above the least similarity, if that is 0.5 or more
_SEED: Final = 1
_WORDS: Final = 5  # in a shingle
_CHARACTERS: Final = 10  # in a shingle of a text without whitespace between words
_LONGEST_WORD: Final = 15  # characters, on average; of a text with more, the words are unknown


@dataclass(frozen=True, slots=True)
class Duplicate:
    """How a text resembles that of an earlier page.

    :param of: the place of that page.
    """

    kind: DuplicateKind
    of: str

    def mark(self, line: str) -> str:
        """Return the JSON of an answer with this."""
        return f"{line.rstrip()[:-1]}, {json.dumps({'duplicate': self.kind, 'duplicate_of': self.of})[1:]}\n"


class Fingerprint(NamedTuple):
    """What is compared of a text.

    :param digest: hash of the text.
    :param sketch: sketch of its words by MinHash; empty if only equal texts are found.
    """

    digest: str
    sketch: str


def add_duplicate_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments to *parser*."""
    parser.add_argument(
        "--duplicates",
        choices=("mark", "drop"),
        help="what happens to a text that an earlier page has: its answer names that page, or is left out",
    )
    parser.add_argument(
        "--similarity",
        type=number_in(lambda number: 0 < number <= 1, "a number above 0, up to 1"),
        metavar="NUMBER",
        help="with --duplicates: also find texts that share this part of their runs of five words, such as 0.8",
    )


def choose_fingerprints(args: argparse.Namespace) -> Fingerprints:
    """Return what the parsed arguments ask to be compared.

    :raises ValueError: if they contradict each other, or the extra is not installed.
    """
    if args.similarity is None:
        return None if args.duplicates is None else "exact"
    if args.duplicates is None:
        raise ValueError("--similarity: expected --duplicates, too")
    if find_spec("rensa") is None:
        raise ValueError("--similarity: needs pip install 'scrapy-web2text[dedup]'")
    return "near"


def open_duplicates(args: argparse.Namespace, seen: bytes = b"") -> Duplicates | None:
    """Return what finds the duplicates that the parsed arguments ask for; *seen* is what an earlier process saw."""
    return (
        None
        if args.duplicates is None
        else Duplicates(args.similarity, are_dropped=args.duplicates == "drop", seen=seen)
    )


def fingerprint_text(text: str, asked: Fingerprints) -> Fingerprint | None:
    """Return what is compared of *text*; None for an empty one."""
    if asked is None or not text:
        return None
    digest = hashlib.sha256(text.encode()).hexdigest()[:32]
    return Fingerprint(digest, _sketch(text) if asked == "near" else "")


def _sketch(text: str) -> str:
    # Its allocator reserves a gigabyte of addresses, which is more than workers have left.
    os.environ.setdefault("MIMALLOC_ARENA_RESERVE", "0")
    from rensa import RMinHash  # noqa: PLC0415  the extra `dedup`

    words = text.lower().split()
    if len(text) > _LONGEST_WORD * len(words):
        joined = "".join(words)
        shingles = [joined[i : i + _CHARACTERS] for i in range(max(len(joined) - _CHARACTERS, 0) + 1)]
    else:
        shingles = [" ".join(words[i : i + _WORDS]) for i in range(max(len(words) - _WORDS, 0) + 1)]
    sketch = RMinHash(_N_PERMUTATIONS, _SEED)
    sketch.update(shingles)
    return base64.b64encode(sketch.__getstate__()).decode()


@dataclass(frozen=True, slots=True)
class _Seen:
    """A text that has been seen first, at *place*."""

    place: str
    fingerprint: Fingerprint

    def to_json(self) -> bytes:
        return f"{json.dumps([self.place, *self.fingerprint])}\n".encode()


class Duplicates:
    """Finds the texts that resemble an earlier one.

    :param similarity: least share of common shingles; None to find only equal texts.
    :param are_dropped: whether duplicates are left out.
    :param seen: what :meth:`take_new` has returned for earlier texts, joined.
    """

    def __init__(self, similarity: float | None, *, are_dropped: bool, seen: bytes = b"") -> None:
        self.are_dropped = are_dropped
        self._places: dict[bytes, str] = {}
        self._new: list[_Seen] = []
        self._index = None
        if similarity is not None:
            from rensa import RMinHashDeduplicator  # noqa: PLC0415

            self._index = RMinHashDeduplicator(similarity, _N_PERMUTATIONS, True, _N_BANDS, _SEED)
        for line in seen.splitlines():
            place, *fingerprint = json.loads(line)
            self._add(_Seen(place, Fingerprint(*fingerprint)))

    def find(self, line: Line) -> Duplicate | None:
        """Return how the text of a line resembles an earlier one; else remember it, and return None."""
        if line.fingerprint is None or line.is_left_out:
            return None
        fingerprint = Fingerprint(*line.fingerprint)
        found = self._places.get(bytes.fromhex(fingerprint.digest))
        if found is not None:
            return Duplicate("exact", found)
        if self._index is not None:
            similar = self._index.get_duplicates(_load_sketch(fingerprint.sketch))
            if similar:
                return Duplicate("near", min(similar))
        text = _Seen(line.place, fingerprint)
        self._add(text)
        self._new.append(text)
        return None

    def take_new(self) -> Iterable[bytes]:
        """Return the texts that have been remembered since the last call, as lines of bytes."""
        new, self._new = self._new, []
        return [text.to_json() for text in new]

    def _add(self, text: _Seen) -> None:
        self._places[bytes.fromhex(text.fingerprint.digest)] = text.place
        if self._index is not None:
            self._index.add(text.place, _load_sketch(text.fingerprint.sketch))


def _load_sketch(state: str) -> RMinHash:
    from rensa import RMinHash  # noqa: PLC0415

    sketch = RMinHash(_N_PERMUTATIONS, _SEED)
    sketch.__setstate__(base64.b64decode(state))
    return sketch
