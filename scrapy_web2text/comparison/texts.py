"""The texts of two answers for a page, compared by words."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from scrapy_web2text.evaluation.scores import word_tokens

__all__ = ["TextChange", "compare_texts"]


@dataclass(frozen=True, slots=True)
class TextChange:
    """What changed between two texts, as bags of lower-case words.

    :param f1: word F1 of one text against the other, in [0, 1]; 1 for two texts without words.
    :param gained: words that the second text has more often, and how much more.
    :param lost: words that the first text has more often.
    :param is_equal: whether the texts are the same, character by character.
    """

    f1: float
    gained: Counter[str]
    lost: Counter[str]
    is_equal: bool = False

    @property
    def is_layout(self) -> bool:
        """Whether the words are the same, but not their order, or what is between them."""
        return not self.is_equal and not self.gained and not self.lost


def compare_texts(before: str, after: str) -> TextChange:
    """Return what changed from the text *before* to the text *after*."""
    if before == after:
        return TextChange(1.0, Counter(), Counter(), is_equal=True)
    first, second = Counter(word_tokens(before)), Counter(word_tokens(after))
    total = first.total() + second.total()
    f1 = 2 * (first & second).total() / total if total else 1.0
    return TextChange(f1, second - first, first - second)
