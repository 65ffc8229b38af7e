"""Signals of the quality of a text for filters of corpora, named as in datatrove.

The rules of Gopher (Rae et al., arXiv 2112.11446, appendix A.1), C4 (Raffel et al., JMLR 21, section 2.2) and FineWeb
(Penedo et al., arXiv 2406.17557) use these signals.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from operator import methodcaller
from typing import Final, NamedTuple, cast

from scrapy_web2text.common.budget import check_time
from scrapy_web2text.extraction import Quality

_MOST_CHARACTERS: Final = 1_000_000  # Gopher's rules reject texts of more than 100,000 words, or of long words
_MOST_WORDS: Final = 100_000  # words of a text whose runs are compared
_LONGEST_RUN: Final = 10  # words
_STOP_WORDS: Final = frozenset("the be to of and that have with".split())  # Gopher's
_ELLIPSES: Final = ("...", "…")
_TERMINAL: Final = tuple(".?!\"'。！？｡؟۔।")
_SENTENCE_END: Final = re.compile(r"""[.?!…؟۔।]["'”’»)\]]*+(?!\S)|[。！？｡]""")


class _Parts(NamedTuple):
    """A text with its words, its lines and paragraphs with text, and the result of `_number_runs`."""

    text: str
    words: list[str]
    lines: list[str]
    paragraphs: list[str]
    runs: list[list[int]]


def measure_quality(text: str) -> Quality:
    """Return the `SIGNALS` of *text* by name; of a long text, only the first million characters are measured."""
    from scrapy_web2text.features.texts import split_words  # loads numpy

    text = text[:_MOST_CHARACTERS]
    words = split_words(text)
    lines, paragraphs = ([*filter(str.strip, text.split(end))] for end in ("\n", "\n\n"))
    parts = _Parts(text, words, lines, paragraphs, _number_runs(words[:_MOST_WORDS]))
    signals: dict[str, float] = {}
    for name, measure in SIGNALS.items():
        check_time()
        signals[name] = measure(parts)
    return cast("Quality", signals)


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
    return _ratio(sum(map(has, parts)), len(parts))


def _repeats(parts: list[str], measure: Callable[[str], int] = lambda _: 1) -> float:
    whole = sum(map(measure, parts))
    return _ratio(whole - sum(map(measure, {*parts})), whole)


def _most_frequent_run(parts: _Parts, n: int) -> float:
    """Return the share of characters in all occurrences of the most frequent run of *n* words, at most 1."""
    for run, count in Counter(parts.runs[n - 1]).most_common(1):
        start = parts.runs[n - 1].index(run)
        return min(1.0, count * len(" ".join(parts.words[start : start + n])) / len(parts.text))
    return 0.0


def _repeated_runs(parts: _Parts, n: int) -> float:
    """Return the share of characters in runs of *n* words that occur earlier, too; of runs that overlap, one counts."""
    seen: set[int] = set()
    n_characters = end = 0
    for start, run in enumerate(parts.runs[n - 1]):
        if start >= end and run in seen:
            end = start + n
            n_characters += sum(map(len, parts.words[start:end]))
        elif start >= end:
            seen.add(run)
    return _ratio(n_characters, len(parts.text))


SIGNALS: Final[Mapping[str, Callable[[_Parts], float]]] = {
    "n_words": lambda parts: len(parts.words),
    "avg_word_length": lambda parts: _ratio(sum(map(len, parts.words)), len(parts.words)),
    "stop_word_ratio": lambda parts: _share(parts.words, _STOP_WORDS.__contains__),
    "n_stop_words": lambda parts: len(_STOP_WORDS.intersection(parts.words)),
    "alpha_words_ratio": lambda parts: _share(parts.words, lambda word: word.isalpha() or any(map(str.isalpha, word))),
    "symbol_word_ratio": lambda parts: _ratio(
        max(parts.text.count("#"), sum(map(parts.text.count, _ELLIPSES))), len(parts.words)
    ),
    "n_sentences": lambda parts: len(_SENTENCE_END.findall(parts.text)),
    "n_lines": lambda parts: len(parts.lines),
    "short_line_ratio_chars_30": lambda parts: _share(parts.lines, lambda line: len(line) <= 30),
    "lines_ending_with_terminal_mark_ratio": lambda parts: _share(parts.lines, methodcaller("endswith", _TERMINAL)),
    "bullet_point_lines_ratio": lambda parts: _share(parts.lines, lambda line: line.lstrip()[0] in "-*•"),
    "ellipsis_lines_ratio": lambda parts: _share(parts.lines, lambda line: line.rstrip().endswith(_ELLIPSES)),
    "line_duplicates": lambda parts: _repeats(parts.lines),
    "line_char_duplicates": lambda parts: _repeats(parts.lines, len),
    "paragraph_duplicates": lambda parts: _repeats(parts.paragraphs),
    "paragraph_char_duplicates": lambda parts: _repeats(parts.paragraphs, len),
    **{f"top_{n}_gram": partial(_most_frequent_run, n=n) for n in range(2, 5)},
    **{f"duplicated_{n}_n_grams": partial(_repeated_runs, n=n) for n in range(5, _LONGEST_RUN + 1)},
    "curly_bracket": lambda parts: float("{" in parts.text),
    "lorem_ipsum": lambda parts: float("lorem ipsum" in parts.text.lower()),
}
