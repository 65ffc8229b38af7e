"""The paragraphs of the main content, each with the blocks that it was made from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any, Final, Literal

import numpy as np

from scrapy_web2text.common.budget import watched
from scrapy_web2text.common.rounding import round_number
from scrapy_web2text.content.content import Content
from scrapy_web2text.content.text import write_code, write_lines
from scrapy_web2text.page.arrays import HEADING_TAGS

ParagraphKind = Literal["heading", "paragraph", "list-item", "table-cell", "quote", "code", "caption", "definition"]

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


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One paragraph of the main content.

    :param text: the text, with a line break for each ``br`` and after each line of code.
    :param kind: the role of the paragraph on the page.
    :param block_indices: the blocks that it was made from, as in ``Block.index``; empty for hidden content.
    :param probability: mean probability of CONTENT of these blocks, weighted by their share of the text; None if the
        labeler has no probabilities.
    """

    text: str
    kind: ParagraphKind
    block_indices: tuple[int, ...]
    probability: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return the paragraph as JSON-ready plain data."""
        return {
            **asdict(self),
            "block_indices": list(self.block_indices),
            "probability": round_number(self.probability),
        }


def content_paragraphs(content: Content, _: object = None) -> tuple[Paragraph, ...]:
    """Return the content as paragraphs, in document order."""
    if not content.lines:
        return ()
    block_of = dict(zip(content.slots.tolist(), content.leaf_blocks.tolist(), strict=True))  # images have none
    paragraphs = []
    if content.title:
        paragraphs.append(_write_paragraph(content, content.title, "heading", dict.fromkeys(content.title_blocks, 1)))
    written = iter(write_lines(content))
    for groups in watched(content.paragraphs(content.lines)):
        place = groups[0][0]
        kind = _KINDS.get(place[-1].tag, "paragraph") if place else "paragraph"
        lines = [line for _, lines in groups for line in lines]
        separator = "\n" if len(groups) == 1 else " "
        cells = [separator.join(islice(written, len(lines))) for _, lines in groups]
        text = write_code(content, lines) if kind == "code" else "\t".join(cells)
        weights: Counter[int] = Counter()
        for slot in (slot for line in lines for slot in line.slots if slot in block_of):
            weights[block_of[slot]] += len(content.texts[slot])
        paragraphs.append(_write_paragraph(content, text, kind, weights))
    return tuple(paragraphs)


def _write_paragraph(content: Content, text: str, kind: ParagraphKind, weights: Mapping[int, int]) -> Paragraph:
    """Return a paragraph; *weights* gives the share of each block in it."""
    probability, blocks = None, tuple(weights)
    if content.probabilities is not None and len(blocks) == 1:  # most; numpy would take a quarter of their time
        probability = float(content.probabilities[blocks[0]])
    elif content.probabilities is not None and blocks:
        probability = float(np.average(content.probabilities[[*blocks]], weights=[*weights.values()]))
    return Paragraph(text, kind, () if content.is_hidden else blocks, probability)
