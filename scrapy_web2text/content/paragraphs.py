"""The paragraphs of the main content, each with the blocks that it was made of."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

import numpy as np

from scrapy_web2text.arrays import DoubleArray, IntArray
from scrapy_web2text.content.structure import HEADINGS, Structure, cut_lines, group_lines
from scrapy_web2text.content.text import content_leaves, join_code, line_pieces
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence

__all__ = ["Paragraph", "ParagraphKind", "content_paragraphs"]


ParagraphKind = Literal["heading", "paragraph", "list-item", "table-cell", "quote", "code", "caption", "definition"]

_KINDS: Final[dict[str, ParagraphKind]] = {
    **dict.fromkeys(HEADINGS, "heading"),
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


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One paragraph of the main content.

    :param text: its text; lines that a ``br`` parts, and lines of code, are parted by line breaks.
    :param kind: what it is in the page.
    :param block_indices: the blocks that it comes from, as ``Block.index`` counts them.
    :param probability: mean probability of CONTENT of these blocks, weighted by their share of its text; None where the
        labeler knows none.
    """

    text: str
    kind: ParagraphKind
    block_indices: tuple[int, ...]
    probability: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return the paragraph as JSON-ready plain data."""
        return {**asdict(self), "block_indices": list(self.block_indices)}


def content_paragraphs(
    page: Page, blocks: BlockSequence, labels: IntArray, probabilities: DoubleArray | None
) -> tuple[Paragraph, ...]:
    """Return the content blocks as paragraphs, in document order.

    :param labels: *Shape:* ``(n,)``; :param probabilities: *Shape:* ``(n,)``
    """
    leaves, owners = content_leaves(page, blocks, labels)
    if not len(leaves):
        return ()
    slots = page.leaf_slots[leaves]
    texts = dict(zip(slots.tolist(), map(page.texts.__getitem__, leaves.tolist()), strict=True))
    block_of = dict(zip(slots.tolist(), owners.tolist(), strict=True))
    structure = Structure(page)
    paragraphs = []
    for place, lines in group_lines(structure, cut_lines(structure, slots)):
        kind = _KINDS.get(place[-1].tag, "paragraph") if place else "paragraph"
        if kind == "code":
            text = join_code(structure, lines, texts)
        else:
            text = "\n".join(" ".join("".join(line_pieces(structure, line, texts)).split()) for line in lines)
        weights: dict[int, int] = {}
        for slot in (slot for line in lines for slot in line.slots):
            weights[block_of[slot]] = weights.get(block_of[slot], 0) + len(texts[slot])
        indices = tuple(weights)
        probability = (
            None
            if probabilities is None
            else float(np.average(probabilities[list(indices)], weights=list(weights.values())))
        )
        paragraphs.append(Paragraph(text, kind, indices, probability))
    return tuple(paragraphs)
