"""Finds texts that occur more than once: equal texts by a hash, similar texts by MinHash."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from rensa import RMinHash

    from scrapy_web2text.batch.page_answers import PageAnswer

DuplicateKind = Literal["exact", "near"]
# What workers compute from each text: nothing, a hash, or a hash and a sketch.
FingerprintMode: TypeAlias = DuplicateKind | None
# A hash of the text, and a sketch of its words by MinHash. The sketch is empty if only equal texts are searched for.
Fingerprint: TypeAlias = tuple[str, str]

_N_PERMUTATIONS: Final = 128
_N_BANDS: Final = 32  # these find nearly all pairs above the least similarity if it is 0.5 or more
_SEED: Final = 1
_WORDS: Final = 5  # in a shingle
_CHARACTERS: Final = 10  # in a shingle of a text without whitespace between words
_LONGEST_WORD: Final = 15  # characters, on average; longer "words" mean a script without spaces between words


@dataclass(frozen=True, slots=True)
class DuplicateSearch:
    """How texts that occur more than once are found and treated.

    :param drops_duplicates: whether duplicates are left out; else they are marked.
    :param similarity: least share of common runs of words; None to find only equal texts.
    """

    drops_duplicates: bool = False
    similarity: float | None = None

    @property
    def fingerprints(self) -> FingerprintMode:
        """What workers compute from each text to compare it with others."""
        return "exact" if self.similarity is None else "near"


def fingerprint_text(text: str, asked: FingerprintMode) -> Fingerprint | None:
    """Return the fingerprint of *text*; None if the text is empty or *asked* is None."""
    if asked is None or not text:
        return None
    digest = hashlib.sha256(text.encode()).hexdigest()[:32]
    return digest, _sketch(text) if asked == "near" else ""


def _sketch(text: str) -> str:
    # The allocator of rensa reserves a gigabyte of addresses, which is more than workers have left.
    os.environ.setdefault("MIMALLOC_ARENA_RESERVE", "0")
    from rensa import RMinHash  # the extra `dedup`

    words = text.lower().split()
    if len(text) > _LONGEST_WORD * len(words):
        joined = "".join(words)
        shingles = [joined[i : i + _CHARACTERS] for i in range(max(len(joined) - _CHARACTERS, 0) + 1)]
    else:
        shingles = [" ".join(words[i : i + _WORDS]) for i in range(max(len(words) - _WORDS, 0) + 1)]
    sketch = RMinHash(_N_PERMUTATIONS, _SEED)
    sketch.update(shingles)
    return base64.b64encode(sketch.__getstate__()).decode()


class Duplicates:
    """Finds the texts that resemble an earlier text.

    :param seen: the lines of earlier texts.
    :param remember: called with a line of bytes for each new text.
    """

    def __init__(
        self, search: DuplicateSearch, seen: bytes = b"", remember: Callable[[bytes], object] = lambda _: None
    ) -> None:
        self._places: dict[bytes, str] = {}
        self._remember = remember
        self._index = None
        if search.similarity is not None:
            from rensa import RMinHashDeduplicator

            self._index = RMinHashDeduplicator(search.similarity, _N_PERMUTATIONS, True, _N_BANDS, _SEED)
        for line in seen.splitlines():
            self._add(*json.loads(line))

    def find(self, answer: PageAnswer) -> tuple[DuplicateKind, str] | None:
        """Return how the text of an answer resembles an earlier text, and the place of the earlier text.

        If there is no such text, remember the text of the answer and return None.
        """
        if answer.fingerprint is None:
            return None
        digest, sketch = answer.fingerprint
        found = self._places.get(bytes.fromhex(digest))
        if found is not None:
            return "exact", found
        if self._index is not None:
            similar = self._index.get_duplicates(_load_sketch(sketch))
            if similar:
                return "near", min(similar)
        self._add(answer.place, digest, sketch)
        self._remember(f"{json.dumps([answer.place, digest, sketch])}\n".encode())
        return None

    def _add(self, place: str, digest: str, sketch: str) -> None:
        self._places[bytes.fromhex(digest)] = place
        if self._index is not None:
            self._index.add(place, _load_sketch(sketch))


def mark_duplicate(line: str, kind: DuplicateKind, of: str) -> str:
    """Return the JSON of an answer with its *kind* of duplicate, and the place of the text that it repeats."""
    return f"{line.rstrip()[:-1]}, {json.dumps({'duplicate': kind, 'duplicate_of': of})[1:]}\n"


def _load_sketch(state: str) -> RMinHash:
    from rensa import RMinHash

    sketch = RMinHash(_N_PERMUTATIONS, _SEED)
    sketch.__setstate__(base64.b64decode(state))
    return sketch
