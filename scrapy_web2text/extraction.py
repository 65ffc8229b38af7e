"""The answer for one page, as plain data."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final, Literal

from scrapy_web2text.common.rounding import round_number
from scrapy_web2text.content.display import show_facts, write_table
from scrapy_web2text.content.forms import OPTIONAL_PARTS
from scrapy_web2text.metadata.read import METADATA_FIELDS, Metadata
from scrapy_web2text.options import DEFAULT_BLOCK_FIELDS, DEFAULT_CHUNK_WORDS
from scrapy_web2text.reasons import FallbackReason
from scrapy_web2text.verdicts.kinds import PageKind

if TYPE_CHECKING:
    from zyte_common_items import Article

    from scrapy_web2text.content.chunks import ChunkBy, Length
    from scrapy_web2text.content.paragraphs import Paragraph
    from scrapy_web2text.content.posts import Post
    from scrapy_web2text.page.blocks import Block
    from scrapy_web2text.page.encoding import EncodingSource

__all__ = ["EXTRACTION_FIELDS", "FIELDS_OF_METADATA", "Extraction", "MainContent", "Method"]

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
    :param chunk_words: most words of each chunk in the plain data, as the option ``chunks`` asks; None for no chunks.
    :param posts: the posts of a forum; empty unless the option ``posts`` asks for them.
    :param comments: the comments of readers below the content; empty unless the option ``comments`` is ``separate``.
    :param metadata: the metadata of the page; None unless the option ``metadata`` asks for it.
    :param quality: the signals of the quality of the text, by name; None unless the option ``quality`` asks for them.
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
    chunk_words: int | None = None
    posts: tuple[Post, ...] = ()
    comments: tuple[Post, ...] = ()
    metadata: Metadata | None = None
    quality: dict[str, float] | None = None
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
        left_out = "chunks" if self.chunk_words is None else "paragraphs"
        parts = {name: self.field(name) for name in (*OPTIONAL_PARTS, "comments") if name != left_out}
        return data | {name: part for name, part in parts.items() if part not in (None, [])}

    def chunks(
        self, max_words: int | None = None, *, overlap: int = 0, by: ChunkBy = "heading", length: Length | None = None
    ) -> list[dict[str, Any]]:
        """Return the content in chunks for retrieval, as plain data; the answer must have paragraphs.

        :param max_words: most words of a chunk; None takes the option ``chunks``, else 250.
        :param overlap: most words that a chunk repeats of the one before it under the same heading.
        :param by: whether a chunk ends before each ``heading``, or by its ``size`` alone.
        :param length: counts in another unit, such as tokens; the counts of parts are added up.
        :raises ValueError: if an argument is impossible, or the answer has a text but no paragraphs, without a reason.
        """
        from scrapy_web2text.content.chunks import chunk_paragraphs  # loads numpy

        if self.text and not self.paragraphs and self.fallback_reason is None:
            raise ValueError("chunks: expected an answer with paragraphs, as from extract(html, paragraphs=True)")
        words = (self.chunk_words or DEFAULT_CHUNK_WORDS) if max_words is None else max_words
        return chunk_paragraphs(self.paragraphs, words, overlap, by, length)

    def to_article(self) -> Article:
        """Return the answer as a `zyte_common_items.Article`, with what the options ``html`` and ``metadata`` give.

        :raises ModuleNotFoundError: without the extra ``zyte``.
        :raises ValueError: if the URL of the page is unknown.
        """
        try:
            from zyte_common_items import Article, ArticleMetadata, Author, Breadcrumb, Image
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(
                "to_article: needs pip install 'scrapy-web2text[zyte]'", name=error.name
            ) from error
        found = self.metadata
        url = self.url or (found and found.canonical_url)
        if not url:
            raise ValueError("to_article: expected the URL of the page, as in extract(html, url)")
        # An answer by selectors has no confidence; a page without text is not an article.
        probability = 1.0 if self.confidence is None else self.confidence
        article = Article(
            url=url,
            headline=self.title or None,
            articleBody=self.text or None,
            articleBodyHtml=self.html or None,
            metadata=ArticleMetadata(probability=probability if self.text else 0.0),
        )
        if found is not None:
            article.authors = [Author(name=name, nameRaw=name) for name in found.authors] or None
            article.datePublished, article.dateModified = found.date, found.date_modified
            article.description, article.inLanguage = found.description, found.language
            article.breadcrumbs = [Breadcrumb(name=part.name, url=part.url) for part in found.breadcrumbs] or None
            article.mainImage = Image(url=found.image) if found.image else None
            article.images = [Image(url=image) for image in found.images] or None
            article.canonicalUrl = found.canonical_url
        return article

    def to_html_view(self) -> str:
        """Return an HTML document that shows the blocks with their labels, beside the text; it needs no network.

        The page itself is not in it: an answer does not hold that. ``web2text view`` shows it, too.
        """
        from scrapy_web2text.view.document import write_view  # only this needs it
        from scrapy_web2text.view.facts import facts_of_answer

        return write_view([facts_of_answer(self, self.url or "page")])

    def field(self, name: str) -> Any:
        """Return one of the `EXTRACTION_FIELDS`, as plain data for an item."""
        if name in FIELDS_OF_METADATA:
            return None if self.metadata is None else self.metadata.to_dict()[name]
        if name == "blocks":
            return [block.to_dict(self.block_fields) for block in self.blocks]
        value = (self.paragraphs and self.chunks()) if name == "chunks" else getattr(self, name)
        return round_number(value) if isinstance(value, float) else _to_plain(value)

    def __repr__(self) -> str:
        """Return one line: the method, the numbers, and the beginning of the texts."""
        return show_facts(type(self).__name__, self._facts | {"title": self.title, "text": self.text})

    def _repr_html_(self) -> str:
        """Return what Jupyter shows: the text, and a table of the blocks, in which content is highlighted."""
        facts = ", ".join(f"{name} {value}" for name, value in self._facts.items() if value not in (None, ""))
        return write_table(f"{self.title} ({facts})" if self.title else facts, self.blocks, self.text)

    @property
    def _facts(self) -> dict[str, Any]:
        names = ("url", "method", "page", "model", "confidence", "fallback_reason", "n_blocks", "n_content")
        return {name: self.field(name) for name in names}


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
_NAMES = {"chunk_words": "chunks", "block_fields": ""}
_FIELDS = tuple(filter(None, (_NAMES.get(field.name, field.name) for field in fields(Extraction))))
EXTRACTION_FIELDS: Final = (*_FIELDS, "summary", *FIELDS_OF_METADATA)


def _to_plain(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [_to_plain(part) for part in value]
    if isinstance(value, dict):
        return {name: round_number(part) if isinstance(part, float) else part for name, part in value.items()}
    return value.to_dict() if hasattr(value, "to_dict") else value
