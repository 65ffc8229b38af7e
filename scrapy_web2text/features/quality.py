"""Quality signals of a text, as used to filter corpora, named as in datatrove.

The rules of Gopher (Rae et al., arXiv 2112.11446, appendix A.1), C4 (Raffel et al., JMLR 21, section 2.2) and FineWeb
(Penedo et al., arXiv 2406.17557) use these signals.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from operator import methodcaller
from typing import Final

from scrapy_web2text.common.budget import check_time
from scrapy_web2text.extraction import Quality

_MOST_CHARACTERS: Final = 1_000_000  # Gopher's rules reject texts of more than 100,000 words, or of long words
_MOST_WORDS: Final = 100_000  # words of a text whose runs are compared
_LONGEST_RUN: Final = 10  # words
_STOP_WORDS: Final = frozenset("the be to of and that have with".split())  # Gopher's
_ELLIPSES: Final = ("...", "…")
_TERMINAL: Final = tuple(".?!\"'。！？｡؟۔।")
_SENTENCE_END: Final = re.compile(r"""[.?!…؟۔।]["'”’»)\]]*+(?!\S)|[。！？｡]""")


def measure_quality(text: str) -> Quality:
    """Return the signals of *text*. Only the first million characters are measured."""
    from scrapy_web2text.features.texts import split_words  # loads numpy

    text = text[:_MOST_CHARACTERS]
    words = split_words(text)
    lines, paragraphs = ([*filter(str.strip, text.split(end))] for end in ("\n", "\n\n"))
    runs = _Runs(text, words[:_MOST_WORDS])
    return {
        "n_words": len(words),
        "avg_word_length": _ratio(sum(map(len, words)), len(words)),
        "stop_word_ratio": _share(words, _STOP_WORDS.__contains__),
        "n_stop_words": len(_STOP_WORDS.intersection(words)),
        "alpha_words_ratio": _share(words, lambda word: word.isalpha() or any(map(str.isalpha, word))),
        "symbol_word_ratio": _ratio(max(text.count("#"), sum(map(text.count, _ELLIPSES))), len(words)),
        "n_sentences": len(_SENTENCE_END.findall(text)),
        "n_lines": len(lines),
        "short_line_ratio_chars_30": _share(lines, lambda line: len(line) <= 30),
        "lines_ending_with_terminal_mark_ratio": _share(lines, methodcaller("endswith", _TERMINAL)),
        "bullet_point_lines_ratio": _share(lines, lambda line: line.lstrip()[0] in "-*•"),
        "ellipsis_lines_ratio": _share(lines, lambda line: line.rstrip().endswith(_ELLIPSES)),
        "line_duplicates": _repeats(lines),
        "line_char_duplicates": _repeats(lines, len),
        "paragraph_duplicates": _repeats(paragraphs),
        "paragraph_char_duplicates": _repeats(paragraphs, len),
        "top_2_gram": runs.most_frequent(2),
        "top_3_gram": runs.most_frequent(3),
        "top_4_gram": runs.most_frequent(4),
        "duplicated_5_n_grams": runs.repeated(5),
        "duplicated_6_n_grams": runs.repeated(6),
        "duplicated_7_n_grams": runs.repeated(7),
        "duplicated_8_n_grams": runs.repeated(8),
        "duplicated_9_n_grams": runs.repeated(9),
        "duplicated_10_n_grams": runs.repeated(10),
        "curly_bracket": float("{" in text),
        "lorem_ipsum": float("lorem ipsum" in text.lower()),
    }


class _Runs:
    """The runs of words in a text, up to ten words long."""

    def __init__(self, text: str, words: list[str]) -> None:
        self._text, self._words = text, words
        self._numbers = _number_runs(words)

    def most_frequent(self, n: int) -> float:
        """Return the share of characters in all occurrences of the most frequent run of *n* words, at most 1."""
        check_time()
        numbers = self._numbers[n - 1]
        for run, count in Counter(numbers).most_common(1):
            start = numbers.index(run)
            return min(1.0, count * len(" ".join(self._words[start : start + n])) / len(self._text))
        return 0.0

    def repeated(self, n: int) -> float:
        """Return the share of characters in runs of *n* words that occur earlier; of runs that overlap, one counts."""
        check_time()
        seen: set[int] = set()
        n_characters = end = 0
        for start, run in enumerate(self._numbers[n - 1]):
            if start >= end and run in seen:
                end = start + n
                n_characters += sum(map(len, self._words[start:end]))
            elif start >= end:
                seen.add(run)
        return _ratio(n_characters, len(self._text))


def _number_runs(words: list[str]) -> list[list[int]]:
    """Return, for each length from one word up, a number for each run of words; equal runs have equal numbers."""
    import numpy as np

    numbers: dict[str, int] = {}
    singles = np.array([numbers.setdefault(word, len(numbers)) for word in words], dtype=np.int64)
    runs = [singles]
    for n in range(1, _LONGEST_RUN):
        check_time()
        runs.append(np.unique(runs[-1][:-1] * len(words) + singles[n:], return_inverse=True)[1])
    return [each.tolist() for each in runs]


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _share(parts: list[str], has: Callable[[str], bool]) -> float:
    check_time()
    return _ratio(sum(map(has, parts)), len(parts))


def _repeats(parts: list[str], measure: Callable[[str], int] = lambda _: 1) -> float:
    check_time()
    whole = sum(map(measure, parts))
    return _ratio(whole - sum(map(measure, {*parts})), whole)
