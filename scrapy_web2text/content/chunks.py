"""Chunks of the main content for retrieval: runs of paragraphs of a limited length."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import count, groupby
from operator import attrgetter
from typing import Final, Literal, NamedTuple, get_args

from msgspec.structs import replace

from scrapy_web2text.common.budget import watched
from scrapy_web2text.common.checks import NOT_NEGATIVE, POSITIVE_WHOLE, Rule, is_whole, one_of
from scrapy_web2text.content.escaping import Allowance
from scrapy_web2text.extraction import Chunk, Paragraph
from scrapy_web2text.features.texts import count_tokens
from scrapy_web2text.options import DEFAULT_CHUNK_WORDS

ChunkBy = Literal["heading", "size"]
Length = Callable[[str], int]
_Measure = Callable[[list[str]], list[int]]
# A formula between dollar signs, or an escaped character, which neither begins nor ends a formula.
_FORMULA: Final = re.compile(r"\\.|(\$\$?)(?![\s$])(?:[^$\\]++|\\.)++(?<!\s)\1(?!\d)", re.DOTALL)
# A long paragraph is cut into sentences of 40 characters or more. Pieces that are still too long are cut again: into
# lines, up to 8 words, single words, up to 8 letters, single letters. Up to 16 signs belong to the letter before them,
# or are a piece of their own.
_WORD: Final = r"(?:\S++\s*+)"
_LETTER: Final = r"(?:(?:\w[^\w\s\0]{0,16}+|\0++|[^\w\s\0]{1,16}+)\s*+)"
_SENTENCE_END: Final = r"""(?:[.!?…؟۔।॥]["'”’»)\]]*+\s|[。！？｡][」』”’）]*+)\s*+"""
_SENTENCE: Final = re.compile(rf".{{40,}}?{_SENTENCE_END}|.+", re.DOTALL)
_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")
_CELL: Final = re.compile(r"[^\t]*\t|[^\t]+")
_WORDS: Final = tuple(re.compile(pattern) for pattern in (_WORD + "{1,8}", _WORD, _LETTER + "{1,8}", _LETTER))


class _Unit(NamedTuple):
    """A text that is not cut further, with the headings above it: a paragraph, row or code, or a piece of these."""

    text: str
    n_words: int
    parts: Sequence[Paragraph]
    has_heading: bool


def chunk_paragraphs(
    paragraphs: Sequence[Paragraph],
    max_words: int = DEFAULT_CHUNK_WORDS,
    *,
    overlap: int = 0,
    by: ChunkBy = "heading",
    length: Length | None = None,
) -> tuple[Chunk, ...]:
    """Return the paragraphs of an answer in chunks for retrieval.

    :param max_words: largest number of words in a chunk.
    :param overlap: largest number of words that are repeated from the previous chunk under the same heading.
    :param by: whether a chunk also ends before each ``heading``, or only by its ``size``.
    :param length: counts another unit, such as tokens, in place of words; the counts of parts are added up.
    :raises ValueError: if an argument is out of range.
    """
    POSITIVE_WHOLE.check(max_words, "max_words")
    Rule("0 to half of max_words", lambda n: is_whole(n) and 0 <= 2 * n <= max_words).check(overlap, "overlap")
    one_of(*get_args(ChunkBy)).check(by, "by")

    def measure(texts: list[str]) -> list[int]:
        if length is None:
            return [*count_tokens(texts).tolist()]
        lengths = [length(text) for text in watched(texts)]
        for each in lengths:
            NOT_NEGATIVE.check(each, "length")
        return lengths

    most = max_words - overlap
    groups = _group_units(_list_units(paragraphs, most, measure), most, overlap, by_heading=by == "heading")
    # The limit of the headings, paths and links that all chunks of long paragraphs repeat.
    context = ((part.text, *part.heading_path, *[part.path or ""] * 2) for part in paragraphs)
    allowance = Allowance(sum(sum(map(len, texts)) for texts in context))
    return tuple(_write_chunk(position, group, allowance) for position, group in enumerate(groups))


def _list_units(paragraphs: Sequence[Paragraph], most: int, measure: _Measure) -> Iterator[_Unit]:
    """Yield rows, code and paragraphs as units of at most *most* words, each with the headings above it."""
    above, n_above = list[Paragraph](), 0  # headings without a text so far, and their words
    others = count(-1, -1)  # a different number for each paragraph outside of rows
    for _, row in groupby(watched([*paragraphs]), key=lambda part: part.cell[0] if part.cell else next(others)):
        first, *cells = parts = [*row]
        texts = (" ".join(part.text for part in cell) for _, cell in groupby(parts, key=attrgetter("cell")))
        text = "\t".join(texts)
        (n_words,), room = measure([text]), max(most - n_above, 1)
        if first.kind == "heading" and not first.cell and 2 * (n_above + n_words) <= most:
            above.append(first)
            n_above += n_words
            continue
        # Code and rows are cut between lines and cells first. With `tables="text"`, a row is a paragraph with tabs.
        has_lines_or_cells = first.kind == "code" or first.cell or "\t" in text
        patterns = (*((_LINE, _CELL) if has_lines_or_cells else (_SENTENCE, _LINE)), *_WORDS)
        line = f"{text}\n"
        pieces = [(line, n_words)] if n_words <= room else _cut(line, room, measure, patterns)
        for piece, n in pieces:
            headings = "".join(f"{heading.text}\n" for heading in above)
            yield _Unit(headings + piece, n_above + n, [*above, first, *cells], bool(above))
            above, n_above = [], 0
            first, cells = replace(first, links=()), [replace(cell, links=()) for cell in cells[-1:]]
    if above:
        yield _Unit("\n".join(heading.text for heading in above), n_above, above, True)


def _cut(text: str, most: int, measure: _Measure, patterns: Sequence[re.Pattern[str]]) -> Iterator[tuple[str, int]]:
    """Yield the pieces of a long *text* and their numbers of words. Each is cut by the first pattern that suffices.

    A formula is cut only if it is too long itself, such as the text between two dollar signs that is not a formula.
    """
    masked = _FORMULA.sub(lambda match: "\0" * len(match[0]) if match[1] else match[0], text)
    pieces = [(0, len(text), most + 1)]
    for pattern, source in [*((pattern, masked) for pattern in patterns), *((pattern, text) for pattern in patterns)]:
        spans = list[tuple[int, int]]()
        for start, end, n_words in watched(pieces):
            cut = n_words > most
            spans += (match.span() for match in pattern.finditer(source, start, end)) if cut else [(start, end)]
        counts = measure([text[start:end] for start, end in spans])
        pieces = [(*span, n_words) for span, n_words in zip(spans, counts, strict=True)]
    yield from ((text[start:end], n_words) for start, end, n_words in pieces)


def _group_units(units: Iterator[_Unit], most: int, overlap: int, *, by_heading: bool) -> Iterator[list[_Unit]]:
    """Yield the units of each chunk."""
    repeated, group, n_words = list[_Unit](), list[_Unit](), 0
    for unit in watched(units):
        is_end = by_heading and unit.has_heading
        if group and (is_end or n_words + unit.n_words > most):
            yield [*repeated, *group]
            repeated, room = [], 0 if is_end else overlap
            while group and 0 < room >= group[-1].n_words:
                room -= group[-1].n_words
                repeated.append(group.pop())
            repeated.reverse()
            group, n_words = [], 0
        group.append(unit)
        n_words += unit.n_words
    if group:
        yield [*repeated, *group]


def _write_chunk(position: int, group: list[_Unit], allowance: Allowance) -> Chunk:
    first, last = group[0].parts[0], group[-1].parts[-1]
    start, end = (each.path if each.path and allowance.take(len(each.path)) else None for each in (first, last))
    return Chunk(
        text="".join(unit.text for unit in group).rstrip(),
        position=position,
        heading_path=first.heading_path if allowance.take(sum(map(len, first.heading_path))) else (),
        links=tuple({url: None for unit in group for part in unit.parts for url in part.links}),
        paths=(start, end),
        role=max(group, key=lambda unit: len(unit.text)).parts[-1].role,
    )
