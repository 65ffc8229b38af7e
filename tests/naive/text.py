"""Counts over the text of one leaf.

Lengths are Python code points. The original counts UTF-16 units, which differ for astral characters only.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

__all__ = ["Counts", "collapse", "count_text", "is_whitespace"]

STOPWORDS = frozenset(
    """a about above after again against all am an and any are as at be because been before being below between both
    but by cannot could did do does doing down during each few for from further had has have having he her here hers
    herself him himself his how i if in into is it its itself me more most my myself no nor not of off on once only or
    other ought our ours ourselves out over own same she should so some such than that the their theirs them themselves
    then there these they this those through to too under until up very was we were what when where which while who
    whom why with would you your yours yourself yourselves""".split()
)
PUNCTUATION = ".,?;:!"
SENTENCE_ENDS = ".?!;"
CONTROL_OR_SPACE = "".join(map(chr, range(0x21)))
ASCII_WHITESPACE = " \t\n\x0b\f\r"


@dataclass(frozen=True)
class Counts:
    """Counters of a CDOM node: a leaf's own, or the sums over the leaves below. Lengths in characters."""

    chars: int
    words: int
    sentences: int
    punctuation: int
    digits: int
    stopwords: int
    capitals: int
    word_chars: int
    link_chars: int
    has_copyright: bool
    has_email: bool
    has_url: bool
    has_year: bool
    ends_with_punctuation: bool
    ends_with_question_mark: bool
    has_form: bool


def count_text(text: str) -> Counts:
    """Return the counters of a leaf."""
    trimmed = trim(text)
    words = list_words(trimmed)
    return Counts(
        chars=max(1, len(trimmed)),
        words=len(words),
        sentences=count_sentences(trimmed),
        punctuation=sum(character in PUNCTUATION for character in trimmed),
        digits=sum(character.isdecimal() for character in trimmed),
        stopwords=sum(word in STOPWORDS for word in words),
        capitals=sum(is_uppercase(word[0]) for word in words),
        word_chars=sum(len(word) for word in words),
        link_chars=0,
        has_copyright="©" in trimmed,
        has_email=has_email(trimmed),
        has_url=has_url(trimmed),
        has_year=has_year(trimmed),
        ends_with_punctuation=trimmed[-1:] in tuple(PUNCTUATION),
        ends_with_question_mark=trimmed[-1:] == "?",
        has_form=False,
    )


def collapse(raw: str) -> str:
    """Return the text with each run of whitespace as one space; no-break spaces and both ends are kept.

    Whitespace is every character up to U+0020. The original collapses only the five of HTML, but trims all of these.
    """
    return re.sub("[\x01-\x20]+", " ", raw)


def trim(text: str) -> str:
    """Return the text without the characters up to U+0020 at its ends."""
    return text.strip(CONTROL_OR_SPACE)


def is_whitespace(text: str) -> bool:
    """Return whether a text is only whitespace: a no-break space counts as whitespace, a zero-width space does not."""
    return all(character <= " " or character.isspace() for character in text)


def is_uppercase(character: str) -> bool:
    """Return whether a character is an uppercase letter."""
    return unicodedata.category(character) == "Lu"


def list_words(text: str) -> list[str]:
    """Return the runs of ASCII word characters: an accented letter splits a word, other scripts have none."""
    return re.findall("[A-Za-z0-9_]+", text)


def count_sentences(text: str) -> int:
    """Return 1 + the number of gaps between a sentence's end and an uppercase letter."""
    n_sentences = 1
    for gap in re.finditer(f"[{ASCII_WHITESPACE}]+", text):  # the text is trimmed, so a gap has neighbors
        if text[gap.start() - 1] in SENTENCE_ENDS and is_uppercase(text[gap.end()]):
            n_sentences += 1
    return n_sentences


# In the next three functions, word boundaries are those of Unicode (Python's \w); digits, words and whitespace are
# ASCII.


def has_email(text: str) -> bool:
    """Return whether the text has a word, an @ and a word or dot in a row."""
    return re.search(r"(?<!\w)[A-Za-z0-9_]+@[A-Za-z0-9_.]", text) is not None


def has_url(text: str) -> bool:
    """Return whether the text has a URL with its scheme."""
    return re.search(rf"(?<!\w)(https?|ftp)://[^{ASCII_WHITESPACE}/$.?#][^{ASCII_WHITESPACE}]*\b", text) is not None


def has_year(text: str) -> bool:
    """Return whether the text has a word of four digits."""
    return re.search(r"(?<!\w)[0-9]{4}(?!\w)", text) is not None
