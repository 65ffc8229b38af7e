"""What is read of attributes: the words in the names that pages use."""

from __future__ import annotations

import re
import zlib
from functools import lru_cache
from typing import Final

__all__ = ["LONGEST_NAME", "MOST_NAME_WORDS", "NAME_WORD", "N_NAME_HASHES", "AttributeKind", "hash_name"]

# A regular expression. It splits camelCase, kebab-case and snake_case, and skips digits.
NAME_WORD: Final = r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\d_a-zA-Z]+"
# Hashes of words are below this.
N_NAME_HASHES: Final = 1 << 13
# What counts of a name, in words and in characters: it limits the cost of hostile pages.
MOST_NAME_WORDS: Final = 12
LONGEST_NAME: Final = 200
_N_CACHED: Final = 1 << 13
_WORD: Final = re.compile(NAME_WORD)


class AttributeKind:
    """What is read of an attribute, as bits."""

    NAME: Final = 1 << 0  # its words
    WHOLE: Final = 1 << 1  # a hash of its whole value
    MARK: Final = 1 << 2  # bits that a function computes


def hash_name(name: str) -> list[int]:
    """Return the hashes of the first words in *name*, such as the value of a class attribute, in lower case."""
    return [*map(_hash_word, _WORD.findall(name[:LONGEST_NAME])[:MOST_NAME_WORDS])]


@lru_cache(_N_CACHED)
def _hash_word(word: str) -> int:
    """Return the hash of one word. The results are cached, as pages share most of their words."""
    return zlib.crc32(word.lower().encode()) % N_NAME_HASHES
