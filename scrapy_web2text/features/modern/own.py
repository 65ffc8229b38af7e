"""Features of a block's own text."""

from __future__ import annotations

import numpy as np

from scrapy_web2text.arrays import AnyArray, UintArray
from scrapy_web2text.features.characters import CharacterClass
from scrapy_web2text.features.modern.context import Context, share
from scrapy_web2text.features.modern.words import N_WORD_HASHES, are_among, to_word_numbers
from scrapy_web2text.features.stopwords import find_stopwords

__all__ = ["own_features", "title_features"]


def own_features(context: Context) -> dict[str, AnyArray]:
    """Return the columns that need nothing but the block. *Shapes:* ``(n,)``"""
    counts, characters = context.counts, context.characters
    words, chars = counts.words, counts.chars
    last_leaf = context.blocks.ends - 1
    first_char = characters.starts[context.blocks.starts]
    first_char = first_char + (characters.codes[first_char] == ord(" "))
    last_char = characters.ends[last_leaf] - 1
    last_char = last_char - (characters.codes[last_char] == ord(" "))
    end_code = characters.codes[last_char]
    frequency, long_overlap = _word_statistics(context)
    copies, is_repeat = _copies(context)
    return {
        "log_chars": np.log1p(chars),
        "log_words": np.log1p(words),
        "word_length": np.minimum(share(chars, words), 20) / 10,
        "link_density": share(counts.linked_words, words),
        "bold_share": share(counts.bold_words, words),
        "upper_share": share(counts.upper, chars),
        "digit_share": share(counts.digits, chars),
        "mark_share": share(counts.marks, chars),
        "letter_share": share(counts.letters, chars),
        "log_commas": np.log1p(counts.commas),
        "log_full_stops": np.log1p(counts.full_stops),
        "has_currency": counts.currency > 0,
        "words_5": words >= 5,
        "words_15": words >= 15,
        "words_40": words >= 40,
        "is_one_word": words <= 1,
        "is_numeric": (counts.letters == 0) & (counts.digits > 0),
        "has_no_word": words == 0,
        "is_upper": (counts.upper > 1) & (counts.upper >= 0.8 * counts.letters),
        "begins_upper": characters.are(CharacterClass.UPPER)[first_char],
        "begins_digit": characters.are(CharacterClass.DIGIT)[first_char],
        "begins_letter": characters.are(CharacterClass.LETTER)[first_char],
        "ends_full_stop": characters.are(CharacterClass.FULL_STOP)[last_char],
        "ends_comma": characters.are(CharacterClass.COMMA)[last_char],
        "ends_question": (end_code == ord("?")) | (end_code == ord("？")),
        "ends_ellipsis": end_code == ord("…"),
        "ends_letter": characters.are(CharacterClass.LETTER)[last_char],
        "has_copyright": np.add.reduceat(characters.count(characters.codes == ord("©")), context.blocks.starts) > 0,
        "has_bar": np.add.reduceat(characters.count(characters.codes == ord("|")), context.blocks.starts) > 0,
        "has_at": np.add.reduceat(characters.count(characters.codes == ord("@")), context.blocks.starts) > 0,
        "stopword_share": share(context.words.sum(find_stopwords(context.words.hashes)), words),
        "common_share": share(context.words.sum(frequency), words),
        "long_overlap": long_overlap,
        "words_of_longest": words / max(words.max(), 1),
        "log_copies": np.log(copies),
        "is_repeat": is_repeat,
    }


def title_features(context: Context, title_hashes: UintArray) -> dict[str, AnyArray]:
    """Return what blocks share with the page's title and with its first ``h1``. *Shapes:* ``(n,)``

    :param title_hashes: hash of each word of the title.
    """
    words = context.words
    n_words = context.counts.words
    title_words = np.unique(title_hashes)
    shared = words.sum(are_among(words.hashes, title_words))
    covered = np.minimum(share(shared, np.full(context.n, len(title_words))), 1)
    overlap = share(shared, n_words)
    likeness = covered * overlap
    is_h1 = context.page.tags_in({"h1"})[context.containers]
    h1 = int(np.argmax(is_h1)) if is_h1.any() else 0
    best = int(np.argmax(likeness)) if likeness.max() > 0.3 else h1
    h1_words = words.hashes[words.starts[h1] : words.ends[h1]]
    position = np.arange(context.n)
    return {
        "title_overlap": overlap,
        "title_covered": covered,
        "title_likeness": likeness,
        "h1_overlap": share(words.sum(are_among(words.hashes, h1_words)), n_words),
        "behind_title": position >= best,
        "from_title": np.sign(position - best) * np.log1p(np.abs(position - best)) / 4,
        "from_h1": np.sign(position - h1) * np.log1p(np.abs(position - h1)) / 4,
        "has_h1": np.full(context.n, is_h1.any()),
    }


def _word_statistics(context: Context) -> tuple[AnyArray, AnyArray]:
    """Return how common each word is on the page, and how much of each block other long blocks say too.

    The first is the word's log frequency: function words of any language stand out. The second is the share of the
    block's words, stopwords aside, that some other long block has: what belongs to the story shares its vocabulary.
    Words are told apart by numbers below `N_WORD_HASHES`, which spares sorting them; few of a page share a number.

    *Shapes:* ``(t,)``, ``(n,)``.
    """
    words = context.words
    numbers = to_word_numbers(words.hashes)
    log_frequency = np.log(np.maximum(np.bincount(numbers, minlength=N_WORD_HASHES), 1))
    block_of_word = np.repeat(np.arange(context.n), words.ends - words.starts)
    in_long = context.counts.long_words[block_of_word] > 0
    first_long, last_long = np.full((2, N_WORD_HASHES), -1)
    # Where a number comes several times, the assignment that comes last is kept.
    last_long[numbers[in_long]] = block_of_word[in_long]
    first_long[numbers[in_long][::-1]] = block_of_word[in_long][::-1]
    first, last = first_long[numbers], last_long[numbers]
    is_rare = ~find_stopwords(words.hashes)
    is_shared = (last >= 0) & ((first != block_of_word) | (last != block_of_word)) & is_rare
    common: AnyArray = log_frequency[numbers] / np.log(len(numbers) + 2)
    return common, share(words.sum(is_shared), words.sum(is_rare))


def _copies(context: Context) -> tuple[AnyArray, AnyArray]:
    """Return how many blocks have the same words, and whether one before has. *Shapes:* ``(n,)``"""
    words = context.words
    # A block's words as one number: their sum, each weighted by its place.
    places = np.arange(len(words.hashes)) - np.repeat(words.starts, words.ends - words.starts)
    weighted = words.hashes * (2 * places.astype(np.uint64) + np.uint64(1))
    sums = np.zeros(len(weighted) + 1, dtype=np.uint64)
    np.cumsum(weighted, out=sums[1:])
    _, first, numbers, counts = np.unique(
        sums[words.ends] - sums[words.starts], return_index=True, return_inverse=True, return_counts=True
    )
    return counts[numbers].astype(np.float64), first[numbers] < np.arange(context.n)
