"""The paragraphs of the main content, each with the blocks that it was made from."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import Final, NamedTuple

import numpy as np

from scrapy_web2text.common.budget import watched
from scrapy_web2text.content.content import Content
from scrapy_web2text.content.escaping import Allowance
from scrapy_web2text.content.nodes import Code, Document, Node, Passage, list_links, plain_text
from scrapy_web2text.extraction import Paragraph, ParagraphKind
from scrapy_web2text.labelers.base import Labeling
from scrapy_web2text.labelers.roles import name_roles
from scrapy_web2text.page.paths import common_elements, find_paths
from scrapy_web2text.page.tags import HEADING_TAGS

_KINDS: Final[dict[str, ParagraphKind]] = {
    **dict.fromkeys(HEADING_TAGS, "heading"),
    "li": "list-item",
    "td": "table-cell",
    "th": "table-cell",
    "blockquote": "quote",
    "pre": "code",
    "figcaption": "caption",
    "caption": "caption",
    "dt": "definition",
    "dd": "definition",
}
_LONGEST_HEADING: Final = 200  # characters; a longer heading is text that only looks like a heading
# Spaces that images leave: at an end of a line or a cell, or beside another space.
_IDLE_SPACES: Final = re.compile(r" +(?=[ \t]|\Z)|(?:^|(?<=\t)) +")


def write_paragraphs(
    content: Content, labeling: Labeling | None, document: Document, allowance: Allowance | None = None
) -> tuple[Paragraph, ...]:
    """Return *document* as paragraphs, in its order.

    :param content: the content from which the document was built, which has the blocks of each passage.
    :param labeling: labeling with the roles of the blocks; None if they are unknown.
    :param allowance: the length of the paragraphs and their chunks, in characters. Links, paths and headings above a
        paragraph that do not fit are left out.
    """
    places = _place_passages(document.children, "", None, count())
    # A caption that the text does not have is no paragraph; the title is one.
    placed = [each for each in places if each.text and each.passage.span[0] >= -1]
    if not placed:
        return ()
    allowance = allowance or Allowance()
    # Chunks can repeat each text and link once. A chunk with a single paragraph has the path of the paragraph twice.
    allowance.n_left -= 3 * sum(len(each.text) for each in placed)
    roles = None if labeling is None else name_roles(labeling)
    paths = _find_paths(content, placed)
    leaf_blocks, texts = content.leaf_blocks.tolist(), [content.page.texts[leaf] for leaf in content.leaves.tolist()]
    title = [*content.title_blocks], [content.title] * len(content.title_blocks)
    above: list[tuple[int, str]] = []
    paragraphs = []
    for each, path in watched(zip(placed, paths, strict=True), len(placed)):
        level = int(each.passage.kind[1]) if each.kind == "heading" else None
        is_outline = level is not None and each.cell is None
        if is_outline:
            above = [heading for heading in above if heading[0] < (level or 0)]
        heading_path = tuple(text for _, text in above)
        start, stop = each.passage.span
        columns = (leaf_blocks[start:stop], texts[start:stop]) if start >= 0 else title
        blocks, probability = _find_blocks(content, *columns)
        length = 2 * len(path or "")
        has_path = bool(blocks) and length <= allowance.n_left and allowance.take(length)
        paragraphs.append(
            Paragraph(
                each.text,
                each.kind,
                blocks,
                probability,
                level,
                heading_path if allowance.take(sum(map(len, heading_path))) else (),
                tuple(url for url in dict.fromkeys(list_links(each.passage)) if allowance.take(2 * len(url))),
                each.cell,
                path if has_path else None,
                roles[blocks[0]] if roles and blocks else None,
            )
        )
        if level is not None and is_outline and len(each.text) <= _LONGEST_HEADING:
            above.append((level, " ".join(each.text.split())))
    return tuple(paragraphs)


class _Placed(NamedTuple):
    """A passage with its text and its place in the document."""

    passage: Passage
    text: str
    kind: ParagraphKind
    cell: tuple[int, int] | None


def _place_passages(
    nodes: Iterable[Node | str], around: str, cell: tuple[int, int] | None, rows: Iterator[int]
) -> Iterator[_Placed]:
    """Yield the passages in *nodes*, in their order.

    :param around: the kind of the node that holds *nodes*.
    :param rows: the numbers of the next rows.
    """
    for node in nodes:
        if isinstance(node, Passage):
            kind = _KINDS.get(node.kind) or _KINDS.get(around, "paragraph")
            yield _Placed(node, _write_text(node), kind, cell)
        elif isinstance(node, Node):
            row = next(rows) if node.kind == "tr" else -1
            for i, child in enumerate(node.children):
                yield from _place_passages([child], node.kind, (row, i) if row >= 0 else cell, rows)


def _write_text(passage: Passage) -> str:
    text = plain_text(passage, "\n")
    if isinstance(passage, Code):
        return text
    return "\n".join(filter(None, (_IDLE_SPACES.sub("", line) for line in text.split("\n"))))


def _find_paths(content: Content, placed: Sequence[_Placed]) -> list[str | None]:
    spans = np.array([each.passage.span for each in placed])
    first = content.leaves.take(spans[:, 0], mode="clip")
    last = content.leaves.take(spans[:, 1] - 1, mode="clip")
    return find_paths(content.page, common_elements(content.page, first, last), first, last)


def _find_blocks(content: Content, leaf_blocks: list[int], texts: list[str]) -> tuple[tuple[int, ...], float | None]:
    """Return the blocks of a passage, and their mean probability, weighted by the length of their texts in the passage.

    :param leaf_blocks: the block of each of the *texts*.
    :param texts: the texts of the passage.
    """
    weights = Counter[int]()
    for block, text in zip(leaf_blocks, texts, strict=True):
        weights[block] += len(text)
    blocks, probability = tuple(weights), None
    if content.probabilities is not None and len(blocks) == 1:  # as in most passages; saves a quarter of the time
        probability = float(content.probabilities[blocks[0]])
    elif content.probabilities is not None and blocks:
        probability = float(np.average(content.probabilities[[*blocks]], weights=[*weights.values()]))
    return () if content.is_from_script else blocks, probability
