"""The answer for one page as typed records.

Their annotations determine the plain data, the fields of items, the columns of tables, and what a worker may send.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Annotated, Any, Final, Literal, TypedDict

from msgspec import UNSET, Meta, Struct
from msgspec.structs import asdict

from scrapy_web2text.common.display import format_share, round_number, show_facts, write_answer_html
from scrapy_web2text.options import DEFAULT_BLOCK_FIELDS, PART_OPTIONS, Role
from scrapy_web2text.reasons import Reason, explain_no_content

__all__ = [
    "EXTRACTION_FIELDS",
    "FIELDS_OF_METADATA",
    "PARTS",
    "Block",
    "Breadcrumb",
    "Chunk",
    "EncodingSource",
    "Extraction",
    "Label",
    "MainContent",
    "Metadata",
    "Method",
    "PageKind",
    "Paragraph",
    "ParagraphKind",
    "Post",
    "Product",
    "Quality",
    "Record",
]

Method = Literal["model", "rules", "fragment", "selector", "structured-data", "none"]
PageKind = Literal[
    "content",
    "index",  # links alone
    "consent",  # asks for consent to cookies
    "challenge",  # checks for robots, or refuses them
    "login",  # asks to sign in, to sign up or to reset a password
    "error",  # not found, broken, forbidden
    "script_shell",  # a script or a redirect would bring the content
    "paywall",  # the beginning of a text for subscribers
    "empty",  # no main content, for none of these reasons
]
EncodingSource = Literal["bom", "argument", "meta", "utf-8", "detected", "default"]
ParagraphKind = Literal["heading", "paragraph", "list-item", "table-cell", "quote", "code", "caption", "definition"]

_Share = Annotated[float, Meta(ge=0, le=1)]
_Count = Annotated[int, Meta(ge=0)]
_ClassName = Annotated[str, Meta(pattern=r"\A[^\W\d]\w*\Z", max_length=100)]


class Label(IntEnum):
    """The answer for one block."""

    BOILERPLATE = 0
    CONTENT = 1


_LABEL_NAMES: Final = tuple(label.name.lower() for label in Label)  # by their values


class Record(Struct, frozen=True, forbid_unknown_fields=True):
    """An answer or a part of an answer. Records from a worker are checked; the constructor checks nothing."""

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON-ready plain data."""
        return {name: _to_plain(getattr(self, name)) for name in self.__struct_fields__}


class Block(Record, frozen=True):
    """One block of a page with its label.

    :param index: position in document order, from 0.
    :param text: its text, with whitespace collapsed and trimmed.
    :param probability: calibrated probability of CONTENT, in [0, 1]; None if the labeler has no probabilities.
    :param tag: name of the innermost element that contains the whole block.
    :param path: XPath of that element, or of the text node if the block has only one; None if it is too long or does
        not exist.
    :param hidden: whether readers do not see it; known only for blocks that the labeler labeled CONTENT.
    :param role: its role on the page, such as ``title`` or ``body``, whatever its label; None if unknown.
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


class Paragraph(Record, frozen=True):
    """One paragraph of the main content.

    :param text: the text, with a line break for each ``br`` and after each line of code.
    :param kind: its kind, such as ``heading`` or ``list-item``.
    :param block_indices: the blocks that it was made from, as in ``Block.index``; empty for text from a script.
    :param probability: mean probability of CONTENT of these blocks, weighted by their share of the text; None if the
        labeler has no probabilities.
    :param level: level of a heading, 1 to 6; None for other kinds.
    :param heading_path: the headings above it, outermost first.
    :param links: the URLs of its links, each once.
    :param cell: row and column in a data table, from 0; rows are counted over all tables. None outside of data tables.
    :param path: XPath of the innermost element or text node that holds the whole paragraph, as `Block.path`.
    :param role: the role of its first block, as `Block.role`.
    """

    text: str
    kind: ParagraphKind
    block_indices: tuple[int, ...]
    probability: float | None
    level: int | None = None
    heading_path: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    cell: tuple[int, int] | None = None
    path: str | None = None
    role: Role | None = None


class Chunk(Record, frozen=True):
    """A part of the main content for retrieval.

    :param text: paragraphs, each on a line of its own, with the headings directly above them.
    :param position: its number among the chunks, from 0.
    :param heading_path: the headings above its first paragraph, outermost first.
    :param links: the URLs of its links, each once.
    :param paths: the paths of its first and its last paragraph.
    :param role: the role of its longest paragraph.
    """

    text: str
    position: int
    heading_path: tuple[str, ...]
    links: tuple[str, ...]
    paths: tuple[str | None, str | None]
    role: Role | None


class Post(Record, frozen=True):
    """A post or a comment.

    :param text: its blocks, one per line.
    :param author: name of its author; None if it is not marked.
    :param date: when it was written: the value of a ``time`` element, else the text that is marked as a date, else
        None.
    """

    text: str
    author: str | None = None
    date: str | None = None


class Product(Record, frozen=True):
    """What a page offers. The price is a decimal number, the availability a name in schema.org such as ``InStock``.

    :param image: its URL, absolute.
    :param rating: the mean of its ratings, as the page states it.
    :param gtin: its global trade item number, such as an EAN.
    """

    name: str | None = None
    price: str | None = None
    currency: str | None = None
    brand: str | None = None
    sku: str | None = None
    availability: str | None = None
    description: str | None = None
    image: str | None = None
    rating: str | None = None
    gtin: str | None = None


class Breadcrumb(Record, frozen=True):
    """One of the breadcrumbs of a page: its text, and its absolute URL, if it has one."""

    name: str
    url: str | None = None


class Metadata(Record, frozen=True):
    """The metadata of a page. Values that were not found are None or empty.

    :param title: the name of the recipe on a page with a single recipe; else the value of :attr:`Extraction.title`,
        else the headline in the structured data.
    :param author: names of the authors, joined by commas.
    :param date: day of publication, as YYYY-MM-DD.
    :param language: ISO 639 code of the language of the text; the declared language of the page if the text is short.
    :param language_score: its probability, in [0, 1]; None for a language that is only declared.
    :param canonical_url: the page's own URL, an absolute ``http`` or ``https`` URL.
    :param image: an absolute ``http`` or ``https`` URL.
    :param date_modified: day of the last change, as YYYY-MM-DD.
    :param breadcrumbs: the links from the start of the site down to the page.
    :param images: URLs of the images in the main content.
    :param product: what the page offers; None if it is not the page of a product.
    """

    title: str | None = None
    author: str | None = None
    date: str | None = None
    language: str | None = None
    language_score: float | None = None
    site_name: str | None = None
    description: str | None = None
    canonical_url: str | None = None
    image: str | None = None
    tags: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    date_modified: str | None = None
    breadcrumbs: tuple[Breadcrumb, ...] = ()
    images: tuple[str, ...] = ()
    product: Product | None = None


class Quality(TypedDict):
    """The quality signals of a text, see `features.quality`."""

    n_words: int
    avg_word_length: float
    stop_word_ratio: float
    n_stop_words: int
    alpha_words_ratio: float
    symbol_word_ratio: float
    n_sentences: int
    n_lines: int
    short_line_ratio_chars_30: float
    lines_ending_with_terminal_mark_ratio: float
    bullet_point_lines_ratio: float
    ellipsis_lines_ratio: float
    line_duplicates: float
    line_char_duplicates: float
    paragraph_duplicates: float
    paragraph_char_duplicates: float
    top_2_gram: float
    top_3_gram: float
    top_4_gram: float
    duplicated_5_n_grams: float
    duplicated_6_n_grams: float
    duplicated_7_n_grams: float
    duplicated_8_n_grams: float
    duplicated_9_n_grams: float
    duplicated_10_n_grams: float
    curly_bracket: float
    lorem_ipsum: float


# The value of a part that no option asked for. It never appears in a message, an item or a table.
_NOT_ASKED: Final[Any] = UNSET


class Extraction(Record, frozen=True, kw_only=True):
    """The answer for one page. It can be pickled and does not hold the tree.

    The fields from ``method`` to ``low_confidence`` are its summary. Plain data have the fields after
    ``blocks`` only if they are not empty. Reading a part that no option asked for raises an AttributeError. A part is
    None or empty if it fails, or if the page has no such part or no answer.

    :param url: URL of the page, if the caller passed one.
    :param method: the source of the answer: ``model``, ``rules`` or ``none``; ``fragment`` for a part of a page, whose
        text is content except for plain furniture; ``selector`` for the elements of the option ``include``;
        ``structured-data`` for content from the scripts of a page that shows almost no text.
    :param page_kind: the kind of the page: ``content``, ``index``, ``consent``, ``challenge``, ``login``, ``error``,
        ``script_shell``, ``paywall`` or ``empty``; None for a page that was not read or has no answer.
    :param page_type: type of a page with content: ``article``, ``documentation``, ``forum``, ``service``, ``listing``,
        ``collection`` or ``product``; None if the labeler does not predict page types.
    :param page_type_probability: probability of ``page_type``, in [0, 1]; None if ``page_type`` is None.
    :param model: name of the model or rules that answered; None for other methods.
    :param confidence: expected word F1 of the answer, in [0, 1]; None if it is unknown.
    :param reason: why the model did not answer, why a part of the answer is missing, why the page could not
        be read as it is, or why it was skipped; else None.
    :param n_blocks: number of blocks on the page.
    :param n_content: number of blocks labeled CONTENT.
    :param title: what the option ``title_selector`` selects, else the ``h1`` that resembles the titles of the page,
        else ``og:title`` or ``title`` without the name of the site; may be empty.
    :param encoding: encoding of the page by its name in the Encoding Standard, in lower case; None for a page that was
        not passed as `bytes`, or was not read.
    :param encoding_source: where the encoding is from: ``bom`` (byte order mark), ``argument``, ``meta`` (the page
        declares it), ``utf-8`` (the page is valid UTF-8), ``detected`` (a guess), ``default`` (no guess); else None.
    :param low_confidence: whether ``confidence`` is below the option ``min_confidence``; never with
        ``on_low_confidence="keep"``.
    :param text: the main content, one line per run of content between block-level tags; may be empty.
    :param elapsed: CPU time of the extraction, in seconds; time spent waiting does not count.
    :param blocks: the blocks that the option ``blocks`` asks for, in document order.
    :param error: class of the last unexpected exception; None if there was none.
    :param html: the content as a sanitized HTML fragment, for the option ``html``.
    :param markdown: the content as Markdown, for the option ``markdown``.
    :param paragraphs: the paragraphs of the content, for the option ``paragraphs``.
    :param chunks: the chunks of the content, for the option ``chunks``.
    :param metadata: the metadata of the page, for the option ``metadata``, or if ``languages`` does not list the
        language of the text.
    :param posts: the posts of a forum, for the option ``posts``.
    :param comments: the comments of readers below the content, for ``comments="separate"``.
    :param quality: the quality signals of the text, by name, for the option ``quality``.
    """

    url: str | None = None
    method: Method = "none"
    page_kind: PageKind | None = None
    page_type: str | None = None
    page_type_probability: float | None = None
    model: str | None = None
    confidence: _Share | None = None
    reason: Reason | None = None
    n_blocks: _Count = 0
    n_content: _Count = 0
    title: str = ""
    encoding: str | None = None
    encoding_source: EncodingSource | None = None
    low_confidence: bool = False
    text: str = ""
    elapsed: float = 0.0
    blocks: tuple[Block, ...] = ()
    error: _ClassName | None = None
    html: str | None = _NOT_ASKED
    markdown: str | None = _NOT_ASKED
    paragraphs: tuple[Paragraph, ...] = _NOT_ASKED
    chunks: tuple[Chunk, ...] = _NOT_ASKED
    metadata: Metadata | None = _NOT_ASKED
    posts: tuple[Post, ...] = _NOT_ASKED
    comments: tuple[Post, ...] = _NOT_ASKED
    quality: Quality | None = _NOT_ASKED

    @property
    def no_main_content(self) -> bool:
        """Whether the labeler found no main content on the page; False for a page without an answer."""
        return self.method not in ("structured-data", "none") and self.n_content == 0

    @property
    def summary(self) -> dict[str, Any]:
        """The answer without its content, for an item field of its own. Values that are False are left out."""
        values = {name: _to_plain(getattr(self, name)) for name in (*_SUMMARY, "no_main_content")}
        return {name: value for name, value in values.items() if value is not False}

    def to_dict(self, block_fields: Sequence[str] = DEFAULT_BLOCK_FIELDS) -> dict[str, Any]:
        """Return the answer as JSON-ready plain data, without the parts that it lacks.

        :param block_fields: the fields in the data of each block, in this order.
        """
        data = {"url": self.url, **self.summary, "text": self.text, "elapsed": round_number(self.elapsed)}
        data["blocks"] = self.field("blocks", block_fields)
        parts = {name: self.field(name) for name in PARTS}
        return data | {name: part for name, part in parts.items() if part not in (None, [])}

    def field(self, name: str, block_fields: Sequence[str] = DEFAULT_BLOCK_FIELDS) -> Any:
        """Return one of the `EXTRACTION_FIELDS`, as plain data for an item."""
        if name in FIELDS_OF_METADATA:
            metadata = getattr(self, "metadata", None)
            return None if metadata is None else _to_plain(getattr(metadata, name))
        if name == "blocks":
            return [block.to_dict(block_fields) for block in self.blocks]
        return _to_plain(getattr(self, name, None))

    def __repr__(self) -> str:
        """Return one line: the method, the numbers, and the beginning of the texts."""
        return show_facts(type(self).__name__, self._facts | {"title": self.title, "text": self.text})

    def _repr_html_(self) -> str:
        """Return what Jupyter shows: the confidence, the text, other facts, and a folded table of the blocks."""
        sure = "unknown" if self.confidence is None else format_share(self.confidence)
        facts = {
            "kind": self.page_kind and self.page_kind.replace("_", " "),
            "model": self.model or self.method,
            "reason": self.reason,
            "blocks of content": f"{self.n_content:,} of {self.n_blocks:,}" if self.n_blocks else None,
            "url": self.url,
        }
        heading = f"{self.title or 'No title'}{f' · confidence {sure}' if self.n_blocks else ''}"
        nothing = f"No main content{explain_no_content(self.page_kind)}."
        # The heading has the title.
        return write_answer_html(heading, facts, self.blocks, self.text.removeprefix(f"{self.title}\n") or nothing)

    @property
    def _facts(self) -> dict[str, Any]:
        names = ("url", "method", "page_kind", "model", "confidence", "reason", "n_blocks", "n_content")
        return {name: self.field(name) for name in names}


# The value of a part that was asked for and that the page does not have.
EMPTY_PARTS: Final[Mapping[str, Any]] = {
    name: () if Extraction.__annotations__[name].startswith("tuple") else None for name in PART_OPTIONS
}


class _Part:
    """Reads a part of an answer, or raises an error if no option asked for it. Without an answer, the part is empty."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._read = Extraction.__dict__[name].__get__

    def __get__(self, answer: Extraction, owner: type) -> Any:
        value = self._read(answer, owner)
        if value is not _NOT_ASKED:
            return value
        if answer.method == "none":
            return EMPTY_PARTS[self._name]
        raise AttributeError(
            f"{self._name}: the page was extracted without it; "
            f"expected extract(html, {self._name}={PART_OPTIONS[self._name]!r})"
        )


# Reading an attribute goes through `_Part`. msgspec still encodes and compares the fields of the Struct.
for _name in PART_OPTIONS:
    setattr(Extraction, _name, _Part(_name))


class MainContent(Extraction, frozen=True):
    """An :class:`~scrapy_web2text.extraction.Extraction` that scrapy-poet passes to callbacks and page objects.

    ::

        def parse(self, response, content: MainContent):
            yield {"url": response.url, "text": content.text, "title": content.title}
    """

    @classmethod
    def from_extraction(cls, extraction: Extraction) -> MainContent:
        """Return the same answer as an instance of this class."""
        return cls(**asdict(extraction))


_NAMES: Final = Extraction.__struct_fields__
_SUMMARY: Final = _NAMES[_NAMES.index("method") : _NAMES.index("text")]
# Plain data have these only if they are not empty.
PARTS: Final = _NAMES[_NAMES.index("error") :]
# An answer has a title without the option `metadata`, too.
FIELDS_OF_METADATA: Final = tuple(name for name in Metadata.__struct_fields__ if name != "title")
# Names for `Extraction.field`, and so for the setting WEB2TEXT_FIELDS.
EXTRACTION_FIELDS: Final = (*_NAMES, "summary", *FIELDS_OF_METADATA)


def _to_plain(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [_to_plain(part) for part in value]
    if isinstance(value, dict):
        return {name: _to_plain(part) for name, part in value.items()}
    if isinstance(value, float):
        return round_number(value)
    return value.to_dict() if isinstance(value, Record) else value
