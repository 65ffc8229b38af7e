"""The answer for one page, as plain data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal

from scrapy_web2text.metadata.read import METADATA_FIELDS, Metadata
from scrapy_web2text.reasons import FallbackReason

if TYPE_CHECKING:
    from scrapy_web2text.content.paragraphs import Paragraph
    from scrapy_web2text.page.blocks import Block

__all__ = ["EXTRACTION_FIELDS", "Extraction", "MainContent", "Method", "drop_forbidden"]

Method = Literal["model", "rules", "structured-data", "none"]

# What XML 1.0 forbids (section 2.2), and with it a feed: control characters, halves of surrogate pairs, two numbers.
_FORBIDDEN: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class Extraction:
    """What was found on one page. Picklable; holds no tree.

    :param text: the main content, one line per run of content between block-level tags; may be empty.
    :param title: the ``h1`` that the page's titles speak of, else ``og:title`` or ``title`` without the name of the
        site; may be empty.
    :param method: who answered: the ``model``, the ``rules``, or ``none``; ``structured-data`` where the page shows
        next to nothing, but holds its content for scripts or search engines.
    :param model: name of the model or rules that answered; None when nobody did.
    :param confidence: expected word F1 of the answer, in [0, 1]; None where none is known.
    :param fallback_reason: why the model did not answer, or why the page was skipped; None if it did.
    :param low_confidence: whether ``confidence`` is below the option ``min_confidence``; never with
        ``on_low_confidence="keep"``.
    :param n_blocks: number of blocks on the page.
    :param n_content: number of blocks labelled CONTENT.
    :param blocks: the blocks that the option ``blocks`` asks for, in document order.
    :param html: the content as a sanitised HTML fragment; None unless the option ``html`` asks for it.
    :param markdown: the content as Markdown; None unless the option ``markdown`` asks for it.
    :param paragraphs: the content's paragraphs, in document order, if the option ``paragraphs`` asks for them.
    :param metadata: what the page says of itself; None unless the option ``metadata`` asks for it.
    :param url: the page's address, if the caller gave one.
    :param elapsed: seconds of work: the processor's time, without waiting.
    """

    text: str = ""
    title: str = ""
    method: Method = "none"
    model: str | None = None
    confidence: float | None = None
    fallback_reason: FallbackReason | None = None
    low_confidence: bool = False
    n_blocks: int = 0
    n_content: int = 0
    blocks: tuple[Block, ...] = ()
    html: str | None = None
    markdown: str | None = None
    paragraphs: tuple[Paragraph, ...] = ()
    metadata: Metadata | None = None
    url: str | None = None
    elapsed: float = 0.0

    @property
    def no_main_content(self) -> bool:
        """Whether the answer is that the page has no main content; a page without an answer is another matter."""
        return self.method in ("model", "rules") and self.n_content == 0

    @property
    def summary(self) -> dict[str, Any]:
        """The answer without its text: what goes into a feed beside it."""
        summary: dict[str, Any] = {
            "method": self.method,
            "model": self.model,
            "confidence": self.confidence,
            "fallback_reason": self.fallback_reason,
            "n_blocks": self.n_blocks,
            "n_content": self.n_content,
            "title": self.title,
        }
        if self.low_confidence:
            summary["low_confidence"] = True
        if self.no_main_content:
            summary["no_main_content"] = True
        return summary

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready plain data, blocks included; forms that were not asked for are left out."""
        data: dict[str, Any] = {
            "url": self.url,
            **self.summary,
            "text": self.text,
            "elapsed": self.elapsed,
            "blocks": self.field("blocks"),
        }
        if self.html is not None:
            data["html"] = self.html
        if self.markdown is not None:
            data["markdown"] = self.markdown
        if self.paragraphs:
            data["paragraphs"] = self.field("paragraphs")
        if self.metadata is not None:
            data["metadata"] = self.field("metadata")
        return data

    def field(self, name: str) -> Any:
        """Return the part of the answer with one of the names in `EXTRACTION_FIELDS`, as plain data for an item."""
        if name in _FROM_METADATA:
            return None if self.metadata is None else self.metadata.to_dict()[name]
        value = getattr(self, name)
        if name in ("blocks", "paragraphs"):
            return [part.to_dict() for part in value]
        return value.to_dict() if isinstance(value, Metadata) else value


class MainContent(Extraction):
    """An :class:`~scrapy_web2text.extraction.Extraction` that scrapy-poet gives to callbacks and page objects.

    ::

        def parse(self, response, content: MainContent):
            yield {"url": response.url, "text": content.text, "title": content.title}
    """

    __slots__ = ()

    @classmethod
    def from_extraction(cls, extraction: Extraction) -> MainContent:
        """Return the same answer in this class."""
        return cls(**{field.name: getattr(extraction, field.name) for field in fields(extraction)})


_FROM_METADATA: Final = tuple(name for name in METADATA_FIELDS if name != "title")
# What may be written into an item.
EXTRACTION_FIELDS: Final = (*(field.name for field in fields(Extraction)), "summary", *_FROM_METADATA)


def drop_forbidden(answer: Extraction) -> Extraction:
    """Return *answer* without the characters that no XML may hold: one of them makes a whole feed unreadable."""
    if _FORBIDDEN.search("".join(_texts(answer))) is None:  # nearly all
        return answer
    cleaned: Extraction = _drop(answer)
    return cleaned


def _texts(answer: Extraction) -> Iterator[str]:
    """Yield whatever text of the page *answer* holds."""
    yield from (answer.text, answer.title, answer.html or "", answer.markdown or "")
    for block in answer.blocks:
        yield from (block.text, block.tag, block.path)
    yield from (paragraph.text for paragraph in answer.paragraphs)
    if answer.metadata is not None:
        values = answer.metadata.to_dict().values()
        yield from ("".join(value) for value in values if value)


def _drop(value: Any) -> Any:
    if isinstance(value, str):
        return _FORBIDDEN.sub("", value)
    if isinstance(value, tuple):
        return tuple(_drop(part) for part in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{field.name: _drop(getattr(value, field.name)) for field in fields(value)})
    return value
