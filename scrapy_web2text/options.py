"""The options of an extraction, with their defaults."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from scrapy_web2text._version import __version__
from scrapy_web2text.common.checks import (
    FLAG,
    FRACTION,
    POSITIVE,
    POSITIVE_WHOLE,
    SHARE,
    TEXT,
    Rule,
    one_of,
    one_or_more,
)
from scrapy_web2text.common.suggestions import did_you_mean

DEFAULT_MODEL = "web2text-2026"
DEFAULT_CHUNK_WORDS: Final = 250  # with their headings, what models for embeddings read at once: 512 tokens

Decoder = Literal["viterbi", "marginal"]
BlocksExport = Literal["none", "content", "all"]
NamedThreshold = Literal["precision", "balanced", "recall"]
LowConfidenceAction = Literal["keep", "flag", "fallback", "drop"]
FragmentOption = Literal["auto", True, False]
Switch = Literal["keep", "text", "drop"]
Choice = Literal["auto", "exclude", "include"]
CommentsPlace = Literal["auto", "exclude", "include", "separate"]
HiddenText = Literal["auto", "keep", "drop"]
Math = Literal["tex", "text", "drop"]
TextLayout = Literal["lines", "paragraphs", "headings"]
MissingModelAction = Literal["error", "fallback"]
BlockField = Literal["index", "text", "label", "probability", "tag", "path", "hidden", "role"]

# What a block is on its page. `models/readings/GUIDE.md` says how readers told them apart.
Role = Literal[
    "title", "lead", "byline", "body", "heading", "caption", "comment", "post_header", "author_bio", "related",
    "tags", "other",
]  # fmt: skip
ROLES: Final[tuple[Role, ...]] = get_args(Role)
NAMED_THRESHOLDS: Final[tuple[NamedThreshold, ...]] = get_args(NamedThreshold)

BLOCK_FIELDS: Final[tuple[BlockField, ...]] = get_args(BlockField)
# Paths are a third of a feed with blocks, and most feeds have no use for them.
DEFAULT_BLOCK_FIELDS: Final[tuple[BlockField, ...]] = ("index", "text", "label", "probability", "tag")

# Option -> the role of the blocks that it includes or excludes.
ROLE_OPTIONS: Final = {"lead": "lead", "captions": "caption", "bylines": "byline", "comments": "comment"}

# Names that are no longer in use -> what takes their place. Only versions before the first release had them.
RENAMED: Final[Mapping[str, str]] = {"preset": "threshold", "page_verdict": "page_kind"}

_LANGUAGE: Final = re.compile(r"\s*([A-Za-z]{2,3})(?:[-_][A-Za-z]{2,4})?\s*")


class OptionError(ValueError):
    """An option has an invalid value."""

    def __init__(self, option: str, problem: str) -> None:
        super().__init__(option, problem)  # pickle passes these arguments when it creates the error again
        self.option = option
        self.problem = problem

    def __str__(self) -> str:
        """Return the message."""
        return f"{self.option}: {self.problem}"


@dataclass(frozen=True, slots=True)
class Options:
    """The options of an extraction, validated on construction.

    :param model: name of a shipped model, path of a model folder, or rules: ``shallow:…``, ``bte``.
    :param fallback: rules that answer if the model cannot; None leaves the text empty and states the reason.
    :param on_missing_model: the action if the model folder is missing or damaged: ``error`` raises a
        :class:`~scrapy_web2text.exceptions.ModelError`, ``fallback`` lets the rules answer all pages.
    :param threshold: least content probability, in (0, 1), or the name of one that was chosen on the validation pages
        of the model: ``precision``, ``balanced`` or ``recall``; None takes that of the model.
    :param decoder: ``viterbi`` (max-marginals) or ``marginal``; None takes that of the model.
    :param min_confidence: answers with a lower confidence, in [0, 1], are low; None disables the check.
    :param on_low_confidence: the action for a low answer: ``keep`` returns it unchanged, ``flag`` marks it in the
        summary, ``fallback`` asks the rules, ``drop`` drops the item of a crawl and acts as ``flag`` elsewhere.
    :param include: selectors of the elements whose text is the content, CSS or XPath; a string is one selector. On a
        page without such elements, the model answers.
    :param exclude: selectors of elements whose text is not content.
    :param title_selector: selector of the title; where it matches nothing, the title is found without it.
    :param languages: ISO 639 codes of the languages to keep, such as ``("en", "de")`` or ``"en,de"``; a text in another
        language is left out. Empty keeps all (extra ``metadata``).
    :param fragment: whether the input is a part of a page, in which everything except plain furniture is content;
        ``auto`` means input without html, head and body elements that does not look like a whole page either.
    :param hidden: whether text that a reader does not see is content as labeled: ``auto`` drops it if at least half of
        the words of the content remain, ``drop`` always does, and ``keep`` never.
    :param page_kind: whether the text is left empty if the page has no content, but asks for consent or a login,
        checks for robots, reports an error, or needs a script.
    :param blocks: which blocks the answer lists.
    :param block_fields: what the plain data of each block hold, in this order, some of `BLOCK_FIELDS`. The objects in
        ``Extraction.blocks`` are always complete.
    :param html: whether the answer holds the content as HTML.
    :param markdown: whether the answer holds the content as Markdown.
    :param paragraphs: whether the answer lists the paragraphs of the content, each with its blocks.
    :param chunks: most words of each chunk that the answer lists; None lists no chunks.
    :param metadata: whether the answer holds the metadata of the page: author, date, language, … (extra
        ``metadata``).
    :param posts: whether the answer lists the posts of a forum, each with its author and date.
    :param quality: whether the answer holds signals of the quality of its text, which filters of corpora ask for.
    :param links: whether all forms ``keep`` links, write only their ``text``, or ``drop`` both.
    :param images: whether HTML and Markdown ``keep`` images, all forms write only their descriptions as ``text``, or
        all forms ``drop`` both.
    :param tables: whether HTML and Markdown ``keep`` data tables, write their rows as lines of ``text``, or all forms
        ``drop`` them.
    :param math: whether all forms write formulas as ``tex`` between dollar signs, as its plain ``text``, or ``drop``
        them.
    :param title: whether all forms ``exclude`` the title of the page, or ``include`` it once, as their first line; with
        ``auto``, the headline is there if its block is content.
    :param lead: whether the standfirst of an article is content as labeled (``auto``), or by its role: ``include`` or
        ``exclude`` it. Only web2text-2026 tells roles; in other answers, this option and the next three do nothing.
    :param captions: the same for the captions of images and tables.
    :param bylines: the same for authors, dates and places.
    :param comments: the same for the comments of readers; with ``separate``, the answer lists them apart from its text.
    :param text_layout: whether the text is ``lines`` without empty ones, ``paragraphs`` with an empty line between
        them, or also has ``headings`` marked with ``#``.
    :param timeout: CPU seconds after which the model no longer labels a page; all of the page gets twice this time.
        None sets no limit.
    :param max_bytes: longest page that is parsed, in bytes; None sets no limit.
    :param max_blocks: largest number of blocks that the model labels; None sets no limit.
    :raises OptionError: a ValueError that names the option, if a value is of the wrong type or out of range.
    """

    model: str = DEFAULT_MODEL
    fallback: str | None = "shallow:numwords"
    on_missing_model: MissingModelAction = "error"
    threshold: float | NamedThreshold | None = None
    decoder: Decoder | None = None
    min_confidence: float | None = None
    on_low_confidence: LowConfidenceAction = "keep"
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    title_selector: str | None = None
    languages: tuple[str, ...] = ()
    fragment: FragmentOption = "auto"
    hidden: HiddenText = "auto"
    page_kind: bool = True
    blocks: BlocksExport = "all"
    block_fields: tuple[BlockField, ...] = DEFAULT_BLOCK_FIELDS
    html: bool = False
    markdown: bool = False
    paragraphs: bool = False
    chunks: int | None = None
    metadata: bool = False
    posts: bool = False
    quality: bool = False
    links: Switch = "keep"
    images: Switch = "keep"
    tables: Switch = "keep"
    math: Math = "tex"
    title: Choice = "auto"
    lead: Choice = "auto"
    captions: Choice = "auto"
    bylines: Choice = "auto"
    comments: CommentsPlace = "auto"
    text_layout: TextLayout = "lines"
    timeout: float | None = 10.0
    max_bytes: int | None = 10_000_000
    max_blocks: int | None = 50_000

    def __post_init__(self) -> None:
        if isinstance(self.model, os.PathLike):
            object.__setattr__(self, "model", os.fspath(self.model))
        for name in self.__slots__:
            if isinstance(value := getattr(self, name), str):
                object.__setattr__(self, name, str.__str__(value))  # workers may not know the class of another string
        for name, rule in RULES.items():
            try:
                rule.check(getattr(self, name))
            except ValueError as error:
                raise OptionError(name, str(error)) from None
        object.__setattr__(self, "block_fields", tuple(map(str.__str__, self.block_fields)))
        self._read_selectors()
        object.__setattr__(self, "languages", _read_languages(self.languages))

    def _read_selectors(self) -> None:
        """Make tuples of the selectors, and check them."""
        for name in ("include", "exclude"):
            given = getattr(self, name)
            selectors = _read_texts(given)
            if selectors is None:
                raise OptionError(name, f"expected a selector or a list of selectors, got {given!r}")
            object.__setattr__(self, name, selectors)
            for selector in selectors:
                _check_selector(name, selector)
        if self.title_selector is not None:
            _check_selector("title_selector", self.title_selector, with_values=True)

    def replace(self, **changes: Any) -> Options:
        """Return these options with *changes*, validated.

        :raises ValueError: if a name is unknown; an OptionError if a value is of the wrong type or out of range.
        """
        unknown = sorted(set(changes) - set(self.__slots__))
        if unknown:
            hint = name_replacement(unknown[0]) or did_you_mean(unknown, self.__slots__)
            raise ValueError(f"unknown option {', '.join(unknown)}{hint}; expected some of {', '.join(self.__slots__)}")
        return replace(self, **changes)

    def to_settings(self) -> dict[str, Any]:
        """Return what made a text: the version of this package, the model, and other options unlike the defaults."""
        values = ((field.name, getattr(self, field.name), field.default) for field in fields(self))
        changed = {name: value for name, value, usual in values if value != usual and name != "blocks"}
        return {"version": __version__, "model": self.model, **changed}


def name_replacement(name: str) -> str:
    """Return what took the place of an option that was called *name*, for messages; empty if there is none."""
    return f" (renamed to {RENAMED[name]})" if name in RENAMED else ""


def _read_choices(kind: Any) -> tuple[Any, ...]:
    """Return the values of a `Literal`, after None if it may be None, too; nothing for another type."""
    first, *rest = get_args(kind) if get_origin(kind) is Union else (kind,)
    return (*([None] if rest else []), *get_args(first)) if get_origin(first) is Literal else ()


# Option -> its values, if they are a few strings.
CHOICES: Final = {name: found for name, kind in get_type_hints(Options).items() if (found := _read_choices(kind))}
_LIMIT: Final = POSITIVE_WHOLE.or_none
RULES: Final[Mapping[str, Rule]] = {
    **{name: one_of(*choices) for name, choices in CHOICES.items()},
    **{field.name: FLAG for field in fields(Options) if field.type == "bool"},
    "model": Rule("a model name or folder", TEXT.allows),
    "fallback": Rule("the name of rules", TEXT.allows).or_none,
    "threshold": Rule(
        f"{FRACTION.expected}, or one of {', '.join(map(repr, NAMED_THRESHOLDS))}",
        lambda value: value in NAMED_THRESHOLDS if isinstance(value, str) else FRACTION.allows(value),
    ).or_none,
    "min_confidence": SHARE.or_none,
    "title_selector": Rule("a selector", TEXT.allows).or_none,
    "fragment": Rule("'auto', True or False", lambda value: value == "auto" or FLAG.allows(value)),
    "block_fields": one_or_more(one_of(*BLOCK_FIELDS), f"one or more of {', '.join(BLOCK_FIELDS)}"),
    "timeout": POSITIVE.or_none,
    "chunks": Rule("a number of words above 0", POSITIVE_WHOLE.allows).or_none,
    "max_bytes": _LIMIT,
    "max_blocks": _LIMIT,
}


def find_idle_options(options: Options, *, by_rules: bool, has_roles: bool) -> Iterator[tuple[str, str]]:
    """Yield the options that are set but have no effect, each with the reason. The defaults yield none."""
    by_role = () if has_roles else ("posts", *ROLE_OPTIONS)
    chosen = (name for name in by_role if getattr(options, name) not in ("auto", False))
    yield from ((name, f"model is {options.model!r}, which tells no roles of blocks") for name in chosen)
    if by_rules:
        if options.decoder is not None:
            yield "decoder", f"model is {options.model!r}, and rules have no decoders"
        if isinstance(options.threshold, str):
            yield "threshold", f"model is {options.model!r}, and rules have no named thresholds"
    if options.min_confidence is not None and options.on_low_confidence == "keep":
        yield "min_confidence", 'on_low_confidence is "keep"; expected "flag", "fallback" or "drop"'
    if options.min_confidence is None and options.on_low_confidence != "keep":
        yield "on_low_confidence", "min_confidence is None, so no confidence counts as low"
    if options.on_missing_model == "fallback" and options.fallback is None:
        yield "on_missing_model", "fallback is None, so there are no rules to fall back to"
    if options.block_fields != DEFAULT_BLOCK_FIELDS and options.blocks == "none":
        yield "block_fields", 'blocks is "none"'


def _read_texts(value: object) -> tuple[str, ...] | None:
    """Return *value*, a string or some strings, as a tuple; None if it is anything else."""
    texts = (value,) if isinstance(value, str) else value
    if not isinstance(texts, Iterable) or isinstance(texts, bytes | Mapping):
        return None
    texts = tuple(texts)
    return tuple(map(str.__str__, texts)) if all(map(TEXT.allows, texts)) else None


def _check_selector(name: str, selector: str, *, with_values: bool = False) -> None:
    from scrapy_web2text.common.selectors import check_selector  # loads lxml

    try:
        check_selector(selector, with_values=with_values)
    except ValueError as error:
        raise OptionError(name, str(error)) from error


def _read_languages(value: object) -> tuple[str, ...]:
    """Return the codes in *value*, some strings or one with commas, in lower case and without their regions.

    :raises OptionError: if it is anything else.
    """
    codes = _read_texts(value.split(",") if isinstance(value, str) and value else value or ())
    matches = None if codes is None else [*map(_LANGUAGE.fullmatch, codes)]
    if matches is None or None in matches:
        raise OptionError("languages", f"expected ISO 639 codes such as 'en', got {value!r}")
    return tuple(dict.fromkeys(match[1].lower() for match in matches if match))
