"""A block with its label, as an answer lists it: plain data, which loads no other library."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import repeat
from typing import Any, Final

from scrapy_web2text.common.rounding import round_number
from scrapy_web2text.options import DEFAULT_BLOCK_FIELDS, Role


class Label(IntEnum):
    """The answer for one block."""

    BOILERPLATE = 0
    CONTENT = 1


_LABEL_NAMES: Final = tuple(label.name.lower() for label in Label)  # by their values


@dataclass(frozen=True, slots=True)
class Block:
    """One block of a page with its label.

    :param index: position in document order, from 0.
    :param text: its text, with whitespace collapsed and trimmed.
    :param probability: calibrated probability of CONTENT, in [0, 1]; None if the labeler has no probabilities.
    :param tag: name of the innermost element that contains the whole block.
    :param path: XPath of that element, or of the text node if the block is a single one; None if it is too long
        or does not exist.
    :param hidden: whether a reader does not see it, which is known of blocks that the labeler called content.
    :param role: what it is on its page, whatever its label: one of the roles of the options, such as ``title`` or
        ``body``; None if the labeler does not tell.
    """

    index: int
    text: str
    label: Label
    probability: float | None
    tag: str
    path: str | None
    hidden: bool = False
    role: Role | None = None

    def to_dict(self, names: Sequence[str] = DEFAULT_BLOCK_FIELDS) -> dict[str, Any]:
        """Return the fields *names* of the block as JSON-ready plain data."""
        label, probability = _LABEL_NAMES[self.label], round_number(self.probability)
        data = {"index": self.index, "text": self.text, "label": label, "probability": probability, "tag": self.tag}
        if names == DEFAULT_BLOCK_FIELDS:  # almost always, and this takes half of the time
            return data
        return {name: data[name] if name in data else getattr(self, name) for name in names}


def make_blocks(*columns: Sequence[Any]) -> tuple[Block, ...]:
    """Return the blocks with the values in *columns*, one for each field in order, all of the same length."""
    # The constructor of a frozen class takes twice as long, and a page has hundreds of blocks.
    blocks = [*map(Block.__new__, repeat(Block, len(columns[0])))]
    for name, column in zip(Block.__slots__, columns, strict=True):
        deque(map(getattr(Block, name).__set__, blocks, column), maxlen=0)
    return tuple(blocks)
