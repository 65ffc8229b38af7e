"""The classes of characters, from the Unicode database, and tables in which they are looked up."""

from __future__ import annotations

import sys
import unicodedata
from enum import IntFlag
from functools import cache
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import AnyArray, BoolArray, Uint16Array, Uint32Array


class CharacterClass(IntFlag):
    """Classes of characters; a character can be in several."""

    WORD = 1 << 0  # ASCII letter, digit or underscore
    CAPITAL = 1 << 1  # ASCII
    DIGIT = 1 << 2
    PUNCTUATION = 1 << 3  # . , ? ; : !
    SENTENCE_END = 1 << 4  # . ? ! ;
    WHITESPACE = 1 << 5
    UPPER = 1 << 6
    FOREIGN_WORD = 1 << 7  # letter or digit beyond ASCII
    TOKEN = 1 << 8  # part of a word of any script
    UNSPACED = 1 << 9  # letter of a script without spaces between words: a word of its own
    LETTER = 1 << 10
    FULL_STOP = 1 << 11  # ends a sentence in any script
    COMMA = 1 << 12  # in any script
    CURRENCY = 1 << 13
    MARK = 1 << 14  # punctuation of any kind
    SPACE = 1 << 15  # by HTML or by Unicode; also a control character


_N_ASCII: Final = 0x80
_N_TABLED: Final = 0x10000
_FIRST_BEYOND: Final = chr(_N_TABLED)
_N_AT_ONCE: Final = 0x1000  # code points; all of them at once would take 7 MB of temporary memory
# First and last code points of scripts without spaces between words: Thai, Lao, Burmese, Khmer, kana, Han.
UNSPACED_SCRIPTS: Final = (
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0x3005, 0x3007),
    (0x3040, 0x30FF),
    (0x31F0, 0x31FF),
    (0x3400, 0x9FFF),
    (0xF900, 0xFAFF),
    (0xFF66, 0xFF9F),
    (0x20000, 0x3FFFF),
)
# The same characters, for use inside the brackets of a pattern.
UNSPACED_CLASS: Final = "".join(f"{chr(low)}-{chr(high)}" for low, high in UNSPACED_SCRIPTS)
# Spaces that HTML does not collapse.
_OTHER_SPACES: Final = np.array([0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000])
_FULL_STOPS: Final = ".?!…。！？｡؟۔।"
_COMMAS: Final = ",;:，、；：،"


def classify(code: int) -> int:
    """Return the `CharacterClass` flags of a code point."""
    return int(class_table()[code] if code < _N_TABLED else _classify(np.array([code]))[0])


@cache
def class_table() -> Uint16Array:
    """Return the classes of the first 65,536 code points. *Shape:* ``(65536,)``"""
    starts = range(0, _N_TABLED, _N_AT_ONCE)
    return np.concatenate([_classify(np.arange(start, start + _N_AT_ONCE)) for start in starts])


def classes_in(text: str) -> Uint16Array:
    """Return the classes of all code points. *Shape:* ``(1114112,)``

    Beyond the table, classes are filled in only for the characters of *text* and of earlier texts.
    """
    classes, is_known = _all_classes()
    codes = np.array([code for code in map(ord, set(text)) if code >= _N_TABLED], dtype=np.int64)
    codes = codes[~is_known[codes]]
    if len(codes):
        classes[codes] = _classify(codes)
        is_known[codes] = True
    return classes


@cache
def _all_classes() -> tuple[Uint16Array, BoolArray]:
    """Return an array for the classes of all code points, and which code points beyond the table are filled in.

    The system gives memory only to the parts that are written. *Shapes:* ``(1114112,)`` twice
    """
    classes = np.zeros(sys.maxunicode + 1, dtype=np.uint16)
    classes[:_N_TABLED] = class_table()
    return classes, np.zeros(len(classes), dtype=bool)


@cache
def lower_table() -> Uint32Array:
    """Return the lower case of the first 65,536 code points. *Shape:* ``(65536,)``"""
    return np.fromiter(map(ord, map(lower, map(chr, range(_N_TABLED)))), dtype=np.uint32, count=_N_TABLED)


def lower(character: str) -> str:
    """Return *character* in lower case; unchanged if it is beyond the table or becomes several characters."""
    lowered = character.lower() if character < _FIRST_BEYOND else character
    return lowered if len(lowered) == 1 else character


def _classify(codes: AnyArray) -> Uint16Array:
    """Return the classes of code points, one by one from the Unicode database. *Shapes:* ``(c,)`` -> ``(c,)``"""
    categories = np.array([unicodedata.category(chr(code)) for code in codes.tolist()])
    majors = categories.astype("U1")
    is_alphanumeric = (majors == "L") | (majors == "N")
    is_word = (codes < _N_ASCII) & (is_alphanumeric | (codes == ord("_")))
    is_whitespace = (codes > 0) & (codes <= ord(" "))
    is_unspaced = np.any([(codes >= low) & (codes <= high) for low, high in UNSPACED_SCRIPTS], axis=0)
    members = {
        CharacterClass.WORD: is_word,
        CharacterClass.CAPITAL: is_word & (categories == "Lu"),
        CharacterClass.DIGIT: categories == "Nd",
        CharacterClass.PUNCTUATION: _is_one_of(codes, ".,?;:!"),
        CharacterClass.SENTENCE_END: _is_one_of(codes, ".?!;"),
        CharacterClass.WHITESPACE: is_whitespace,
        CharacterClass.UPPER: categories == "Lu",
        CharacterClass.FOREIGN_WORD: is_alphanumeric & ~is_word,
        CharacterClass.TOKEN: is_alphanumeric | (codes == ord("_")) | ((majors == "M") & ~is_unspaced),
        CharacterClass.UNSPACED: (majors == "L") & is_unspaced,
        CharacterClass.LETTER: majors == "L",
        CharacterClass.FULL_STOP: _is_one_of(codes, _FULL_STOPS),
        CharacterClass.COMMA: _is_one_of(codes, _COMMAS),
        CharacterClass.CURRENCY: categories == "Sc",
        CharacterClass.MARK: majors == "P",
        CharacterClass.SPACE: is_whitespace | np.isin(codes, _OTHER_SPACES),
    }
    classes = np.zeros(len(codes), dtype=np.uint16)
    for character_class, is_member in members.items():
        classes[is_member] |= np.uint16(character_class)
    return classes


def _is_one_of(codes: AnyArray, characters: str) -> BoolArray:
    return np.isin(codes, [ord(character) for character in characters])
