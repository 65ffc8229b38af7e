"""The answer for one page, as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

from scrapy_web2text.article import make_article
from scrapy_web2text.budget import batches, watched
from scrapy_web2text.content.display import ShortList, show_facts, write_table
from scrapy_web2text.content.escaping import drop_forbidden_characters
from scrapy_web2text.content.forms import OPTIONAL_PARTS
from scrapy_web2text.metadata.read import METADATA_FIELDS, Metadata
from scrapy_web2text.options import DEFAULT_BLOCK_FIELDS
from scrapy_web2text.reasons import FallbackReason
from scrapy_web2text.rounding import round_number
from scrapy_web2text.verdicts.kinds import PageKind

if TYPE_CHECKING:
    from zyte_common_items import Article

    from scrapy_web2text.content.paragraphs import Paragraph
    from scrapy_web2text.page.blocks import Block
    from scrapy_web2text.page.encoding import EncodingSource

__all__ = ["EXTRACTION_FIELDS", "FIELDS_OF_METADATA", "Extraction", "MainContent", "Method", "drop_forbidden"]

_Part = TypeVar("_Part")

# How the annotations of fields without strings begin.
_NUMBERS: Final = ("int", "float", "bool", "Label", "tuple[int")

Method = Literal["model", "rules", "fragment", "selector", "structured-data", "none"]


@dataclass(frozen=True, slots=True)
class Extraction:
    """The answer for one page. It can be pickled and does not hold the tree.

    :param text: the main content, one line per run of content between block-level tags; may be empty.
    :param title: what the option ``title_selector`` selects, else the ``h1`` that resembles the titles of the page,
        else ``og:title`` or ``title`` without the name of the site; may be empty.
    :param method: the source of the answer: ``model``, ``rules`` or ``none``; ``fragment`` for a part of a page, whose
        text is content except for plain furniture; ``selector`` for the elements of the option ``include``;
        ``structured-data`` for content from the scripts of a page that shows almost no text.
    :param page: the kind of the page: ``content``, ``index``, ``consent``, ``challenge``, ``login``, ``error``,
        ``script_shell``, ``paywall`` or ``empty``; None for a page that was not read or has no answer.
    :param page_type: type of a page with content: ``article``, ``documentation``, ``forum``, ``service``, ``listing``,
        ``collection`` or ``product``; None if the labeler does not tell.
    :param page_type_probability: probability of ``page_type``, in [0, 1]; None without one.
    :param model: name of the model or rules that answered; None if neither did.
    :param confidence: expected word F1 of the answer, in [0, 1]; None if it is unknown.
    :param fallback_reason: why the model did not answer, why a part of the answer is missing, why the page could not
        be read as it is, or why it was skipped; else None.
    :param error: class of the last unexpected exception; None if there was none.
    :param low_confidence: whether ``confidence`` is below the option ``min_confidence``; never with
        ``on_low_confidence="keep"``.
    :param n_blocks: number of blocks on the page.
    :param n_content: number of blocks labeled CONTENT.
    :param blocks: the blocks that the option ``blocks`` asks for, in document order.
    :param block_fields: what the plain data of each block hold, as the option ``block_fields`` asks.
    :param html: the content as a sanitized HTML fragment; None unless the option ``html`` asks for it.
    :param markdown: the content as Markdown; None unless the option ``markdown`` asks for it.
    :param paragraphs: the paragraphs of the content; empty unless the option ``paragraphs`` asks for them.
    :param metadata: the metadata of the page; None unless the option ``metadata`` asks for it.
    :param encoding: encoding of the page by its name in the Encoding Standard, in lower case; None for a page that was
        not passed as `bytes`, or was not read.
    :param encoding_source: where the encoding is from: ``bom`` (byte order mark), ``argument``, ``meta`` (the page
        declares it), ``utf-8`` (the page is valid UTF-8), ``detected`` (a guess), ``default`` (no guess); else None.
    :param url: URL of the page, if the caller passed one.
    :param elapsed: CPU time of the extraction, in seconds; time spent waiting does not count.
    """

    text: str = ""
    title: str = ""
    method: Method = "none"
    page: PageKind | None = None
    page_type: str | None = None
    page_type_probability: float | None = None
    model: str | None = None
    confidence: float | None = None
    fallback_reason: FallbackReason | None = None
    error: str | None = None
    low_confidence: bool = False
    n_blocks: int = 0
    n_content: int = 0
    blocks: tuple[Block, ...] = ()
    block_fields: tuple[str, ...] = DEFAULT_BLOCK_FIELDS
    html: str | None = None
    markdown: str | None = None
    paragraphs: tuple[Paragraph, ...] = ()
    metadata: Metadata | None = None
    encoding: str | None = None
    encoding_source: EncodingSource | None = None
    url: str | None = None
    elapsed: float = 0.0

    @property
    def no_main_content(self) -> bool:
        """Whether the answer is that the page does not have main content; False for a page without an answer."""
        return self.method not in ("structured-data", "none") and self.n_content == 0

    @property
    def summary(self) -> dict[str, Any]:
        """The answer without its content, for an item field next to it."""
        summary: dict[str, Any] = {
            "method": self.method,
            "page": self.page,
            "page_type": self.page_type,
            "page_type_probability": round_number(self.page_type_probability),
            "model": self.model,
            "confidence": round_number(self.confidence),
            "fallback_reason": self.fallback_reason,
            "n_blocks": self.n_blocks,
            "n_content": self.n_content,
            "title": self.title,
            "encoding": self.encoding,
            "encoding_source": self.encoding_source,
        }
        if self.low_confidence:
            summary["low_confidence"] = True
        if self.no_main_content:
            summary["no_main_content"] = True
        return summary

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as JSON-ready plain data, without the `OPTIONAL_PARTS` that it lacks."""
        data: dict[str, Any] = {
            "url": self.url,
            **self.summary,
            "text": self.text,
            "elapsed": round_number(self.elapsed),
            "blocks": self.field("blocks"),
        }
        if self.error is not None:
            data["error"] = self.error
        asked_for = (name for name in OPTIONAL_PARTS if getattr(self, name) not in (None, ()))
        return data | {name: self.field(name) for name in asked_for}

    def to_article(self) -> Article:
        """Return the answer as a `zyte_common_items.Article`, with what the options ``html`` and ``metadata`` give.

        :raises ModuleNotFoundError: without the extra ``zyte``.
        :raises ValueError: if the URL of the page is unknown.
        """
        return make_article(self)

    def to_html_view(self) -> str:
        """Return an HTML document that shows the blocks with their labels, beside the text; it needs no network.

        The page itself is not in it: an answer does not hold that. ``web2text view`` shows it, too.
        """
        from scrapy_web2text.view.document import write_view  # noqa: PLC0415  only this needs it
        from scrapy_web2text.view.facts import facts_of_answer  # noqa: PLC0415

        return write_view([facts_of_answer(self, self.url or "page")])

    def field(self, name: str) -> Any:
        """Return one of the `EXTRACTION_FIELDS`, as plain data for an item."""
        if name in FIELDS_OF_METADATA:
            return None if self.metadata is None else self.metadata.to_dict()[name]
        if name == "blocks":
            return ShortList([block.to_dict(self.block_fields) for block in self.blocks])
        if name == "paragraphs":
            return ShortList([paragraph.to_dict() for paragraph in self.paragraphs])
        value = getattr(self, name)
        return round_number(value) if isinstance(value, float) else _to_plain(value)

    def __repr__(self) -> str:
        """Return one line: the method, the numbers, and the beginning of the texts."""
        return show_facts(type(self).__name__, self._facts | {"title": self.title, "text": self.text})

    def _repr_html_(self) -> str:
        """Return the blocks as an HTML table, which Jupyter shows. Those of the content are highlighted."""
        facts = ", ".join(f"{name} {value}" for name, value in self._facts.items() if value not in (None, ""))
        return write_table(f"{self.title} ({facts})" if self.title else facts, self.blocks, self.text)

    @property
    def _facts(self) -> dict[str, Any]:
        return {
            "url": self.url,
            "method": self.method,
            "page": self.page,
            "model": self.model,
            "confidence": round_number(self.confidence),
            "fallback_reason": self.fallback_reason,
            "n_blocks": self.n_blocks,
            "n_content": self.n_content,
        }


class MainContent(Extraction):
    """An :class:`~scrapy_web2text.extraction.Extraction` that scrapy-poet passes to callbacks and page objects.

    ::

        def parse(self, response, content: MainContent):
            yield {"url": response.url, "text": content.text, "title": content.title}
    """

    __slots__ = ()

    @classmethod
    def from_extraction(cls, extraction: Extraction) -> MainContent:
        """Return the same answer as an instance of this class."""
        return cls(**{field.name: getattr(extraction, field.name) for field in fields(extraction)})


# An answer has a title without the option `metadata`, too.
FIELDS_OF_METADATA: Final = tuple(name for name in METADATA_FIELDS if name != "title")
# Names for `Extraction.field`, and so for the setting WEB2TEXT_FIELDS.
_FIELDS = tuple(field.name for field in fields(Extraction) if field.name != "block_fields")
EXTRACTION_FIELDS: Final = (*_FIELDS, "summary", *FIELDS_OF_METADATA)


def _to_plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_to_plain(part) for part in value]
    return value.to_dict() if hasattr(value, "to_dict") else value


def drop_forbidden(part: _Part) -> _Part:
    """Return *part* of an answer, or a whole one, without the characters that XML forbids.

    One of them makes a whole feed unreadable.
    """
    strings: list[str] = []
    _add_strings(part, strings)
    texts = "".join(strings)
    if drop_forbidden_characters(texts) == texts:  # almost always
        return part
    cleaned: _Part = _drop(part)
    return cleaned


def _add_strings(value: Any, strings: list[str]) -> None:
    """Add the strings in *value* that come from the page to *strings*: in tuples and dataclasses, too."""
    if isinstance(value, str):
        strings.append(value)
    elif isinstance(value, tuple):
        for batch in batches(value):
            strings.extend(_strings_of_parts(batch))
    elif is_dataclass(value):
        for name in _fields_with_strings(type(value)):  # type: ignore[arg-type]
            _add_strings(getattr(value, name), strings)


def _strings_of_parts(parts: Sequence[Any]) -> Iterable[str]:
    """Return the strings in *parts*, which are strings, or blocks, or paragraphs."""
    if not is_dataclass(parts[0]):
        return parts
    # Field by field takes a third of the time.
    names = _fields_with_strings(type(parts[0]))  # type: ignore[arg-type]
    return chain.from_iterable(filter(None, map(attrgetter(name), parts)) for name in names)


@cache
def _fields_with_strings(kind: Any) -> tuple[str, ...]:
    """Return the names of the fields of a dataclass, without those that are numbers."""
    return tuple(field.name for field in fields(kind) if not str(field.type).startswith(_NUMBERS))


def _drop(value: Any) -> Any:
    """Return a copy of *value*, of tuples and dataclasses, with forbidden characters dropped from its strings."""
    if isinstance(value, str):
        return drop_forbidden_characters(value)
    if isinstance(value, tuple):
        return tuple(_drop(part) for part in watched(value, len(value)))
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{name: _drop(getattr(value, name)) for name in _fields_with_strings(type(value))})
    return value
