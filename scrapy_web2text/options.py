"""The options of an extraction, each declared once, with its default and its help."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, Literal, NamedTuple, get_args

from scrapy_web2text._version import __version__
from scrapy_web2text.common.checks import FLAG, FRACTION, POSITIVE, POSITIVE_WHOLE, SHARE, TEXT, Rule
from scrapy_web2text.common.option import Option, add_options_to_docstring, list_options, option
from scrapy_web2text.common.suggestions import suggest
from scrapy_web2text.exceptions import MarkedError

DEFAULT_MODEL = "web2text-2026"
DEFAULT_CHUNK_WORDS: Final = 250  # such a chunk, with its headings, fits into the 512 tokens of embedding models

Decoder = Literal["viterbi", "marginal"]
BlocksExport = Literal["none", "content", "all"]
NamedThreshold = Literal["precision", "balanced", "recall"]
LowConfidenceAction = Literal["keep", "flag", "fallback", "drop"]
FragmentOption = Literal["auto"] | bool
Switch = Literal["keep", "text", "drop"]
Choice = Literal["auto", "exclude", "include"]
CommentsPlace = Literal["auto", "exclude", "include", "separate"]
HiddenText = Literal["auto", "keep", "drop"]
Math = Literal["tex", "text", "drop"]
TextLayout = Literal["lines", "paragraphs", "headings"]
MissingModelAction = Literal["error", "fallback"]
BlockField = Literal["index", "text", "label", "probability", "tag", "path", "hidden", "role"]

# The role of a block on its page. `models/readings/GUIDE.md` defines the roles for readers.
Role = Literal[
    "title", "lead", "byline", "body", "heading", "caption", "comment", "post_header", "author_bio", "related",
    "tags", "other",
]  # fmt: skip
ROLES: Final[tuple[Role, ...]] = get_args(Role)
NAMED_THRESHOLDS: Final[tuple[NamedThreshold, ...]] = get_args(NamedThreshold)

BLOCK_FIELDS: Final[tuple[BlockField, ...]] = get_args(BlockField)
# Paths are a third of a feed with blocks, and most feeds have no use for them.
DEFAULT_BLOCK_FIELDS: Final[tuple[BlockField, ...]] = ("index", "text", "label", "probability", "tag")

# Rules other than ``shallow:…``, for messages; `labelers/registry.py` loads them.
OTHER_RULES: Final = ("bte",)
RULE_NAMES: Final = ", ".join(("shallow:…", *OTHER_RULES))

# Option -> the role of the blocks that it includes or excludes.
ROLE_OPTIONS: Final = {"lead": "lead", "captions": "caption", "bylines": "byline", "comments": "comment"}

# Old name of an option or field -> its new name. Only versions before the first release had the old names.
RENAMED: Final[Mapping[str, str]] = {"preset": "threshold", "page_verdict": "page_kind"}

_LANGUAGE: Final = re.compile("[A-Za-z]{2,3}(?:[-_][A-Za-z]{2,4})?")


class OptionError(MarkedError, ValueError):
    """An option has an invalid value."""

    def __init__(self, option: str, problem: str) -> None:
        super().__init__(option, problem)  # pickle passes these arguments when it creates the error again
        self.option = option
        self.problem = problem

    @property
    def marked(self) -> str:
        """The message with the names of options between backticks."""
        return f"`{self.option}`: {self.problem}"


class LabelerFacts(NamedTuple):
    """Facts about the labeler that decide, with the options, which options have an effect.

    :param by_rules: whether rules label the pages.
    :param has_roles: whether the labels come with roles.
    """

    by_rules: bool
    has_roles: bool


def _to_texts(value: object, separator: str | None = None) -> tuple[str, ...] | None:
    """Return one or more strings as a tuple, divided at *separator*; None if *value* has another type."""
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, Collection) or isinstance(texts, bytes | Mapping) or not all(map(TEXT.allows, texts)):
        return None
    return tuple(part.strip() for text in texts for part in (text.split(separator) if separator else [text]))


def _to_names(value: object) -> tuple[str, ...]:
    return _to_texts(value, ",") or ()


def _read_languages(value: object) -> tuple[str, ...]:
    """Return the codes in *value* in lower case and without their regions, each once."""
    return tuple(dict.fromkeys(code.replace("_", "-").partition("-")[0].lower() for code in _to_names(value)))


def _is_language_list(value: object) -> bool:
    return not value or all(map(_LANGUAGE.fullmatch, _to_names(value) or [""]))


def _check_selectors(value: object) -> tuple[str, ...]:
    selectors = _to_texts(value) or ()
    for selector in selectors:
        _check_selector(selector)
    return selectors


def _check_selector(selector: str | None, *, with_values: bool = False) -> str | None:
    if selector is not None:
        from scrapy_web2text.common.selectors import check_selector  # loads lxml

        check_selector(selector, with_values=with_values)
    return selector


def _explain_missing_roles(options: Options, facts: LabelerFacts) -> object:
    return not facts.has_roles and f"`model` is {options.model!r}, which does not predict the roles of blocks"


_THRESHOLD: Final = Rule(
    f"{FRACTION.expected}, or one of {', '.join(map(repr, NAMED_THRESHOLDS))}",
    lambda value: value in NAMED_THRESHOLDS if isinstance(value, str) else FRACTION.allows(value),
)
_BLOCK_FIELDS: Final = Rule(
    f"one or more of {', '.join(map(repr, BLOCK_FIELDS))}",
    lambda value: _to_names(value) != () and {*_to_names(value)} <= {*BLOCK_FIELDS},
)
_SELECTORS: Final = Rule("a selector or a list of selectors", lambda value: _to_texts(value) is not None)
_part: Final = partial(option, False, is_part=True)
_selectors: Final = partial(option, (), rule=_SELECTORS, clean=_check_selectors, metavar="SELECTOR", level="basic")
_limit: Final = partial(option, rule=POSITIVE_WHOLE.or_none)


@dataclass(frozen=True, slots=True)
class Options:
    """The options of an extraction, validated on construction.

    :raises OptionError: a ValueError that names the option, if a value is of the wrong type or out of range.
    """

    model: str = option(
        DEFAULT_MODEL,
        f"a shipped model, the path of a model folder, or the name of rules ({RULE_NAMES})",
        rule=Rule("a model name or folder", lambda value: isinstance(value, os.PathLike) or TEXT.allows(value)),
        clean=os.fspath,
        level="basic",
    )
    fallback: str | None = option(
        "shallow:numwords",
        "the rules that answer if the model cannot; without them, the text is empty, and the reason is given",
        rule=Rule("the name of rules", TEXT.allows).or_none,
        metavar="RULES",
    )
    on_missing_model: MissingModelAction = option(
        "error",
        'what to do if the model folder is missing or damaged: raise an `"error"`, or let the rules answer all pages '
        '(`"fallback"`)',
        why_idle=lambda options, _: (
            options.fallback is None and "`fallback` is None, so there are no rules to fall back to"
        ),
    )
    threshold: float | NamedThreshold | None = option(
        None,
        'minimum probability of a content block, or the name of one: `"precision"` selects fewer wrong words, '
        '`"recall"` misses fewer words, and `"balanced"` is the model\'s own',
        rule=_THRESHOLD.or_none,
        why_idle=lambda options, facts: (
            facts.by_rules
            and isinstance(options.threshold, str)
            and f"`model` is {options.model!r}, and rules have no named thresholds"
        ),
        level="basic",
    )
    decoder: Decoder | None = option(
        None,
        'how probabilities become labels: `"viterbi"` takes the best labeling of the whole page, `"marginal"` labels '
        "each block by its own probability; by default, the model's own choice",
        why_idle=lambda options, facts: facts.by_rules and f"`model` is {options.model!r}, and rules have no decoders",
    )
    min_confidence: float | None = option(
        None,
        "minimum confidence of an answer; `on_low_confidence` says what happens to answers below it",
        rule=SHARE.or_none,
        why_idle=lambda options, _: (
            options.on_low_confidence == "keep"
            and '`on_low_confidence` is "keep"; expected "flag", "fallback" or "drop"'
        ),
    )
    on_low_confidence: LowConfidenceAction = option(
        "keep",
        'what to do with an answer below `min_confidence`: `"keep"` it as it is, `"flag"` it, ask the rules '
        '(`"fallback"`), or `"drop"` it',
        why_idle=lambda options, _: (
            options.min_confidence is None and "`min_confidence` is None, so no confidence counts as low"
        ),
    )
    include: tuple[str, ...] = _selectors(
        "CSS or XPath selectors of the elements that are the content; on a page without them, the model answers"
    )
    exclude: tuple[str, ...] = _selectors("CSS or XPath selectors of the elements that are not content")
    title_selector: str | None = option(
        None,
        "CSS or XPath selector of the title; if it matches nothing, the title is found without it",
        rule=Rule("a selector", TEXT.allows).or_none,
        clean=partial(_check_selector, with_values=True),
        metavar="SELECTOR",
    )
    languages: tuple[str, ...] = option(
        (),
        'ISO 639 codes of the languages to keep, such as `"en,de"`; a text in another language is left out',
        rule=Rule("ISO 639 codes such as 'en'", _is_language_list),
        clean=_read_languages,
        metavar="CODES",
    )
    fragment: FragmentOption = option(
        "auto",
        "whether the input is a part of a page, in which everything but plain furniture is content; by default, its "
        "tags decide",
        rule=Rule("'auto', True or False", lambda value: value == "auto" or FLAG.allows(value)),
        metavar="{auto,true,false}",
    )
    hidden: HiddenText = option(
        "auto",
        'what to do with text that a reader does not see: `"auto"` drops it if at least half of the words of the '
        'content remain, `"keep"` keeps what is labeled as content, and `"drop"` always drops it',
    )
    page_kind: bool = option(
        True,
        "whether consent walls, checks for robots, logins, errors and pages that need a script have an empty text",
    )
    blocks: BlocksExport = option("all", "which blocks the answer lists")
    block_fields: tuple[BlockField, ...] = option(
        DEFAULT_BLOCK_FIELDS,
        'the fields of each block in plain data, in this order; the default lacks `"path"`, `"hidden"` and `"role"`',
        rule=_BLOCK_FIELDS,
        clean=_to_names,
        metavar="NAMES",
        why_idle=lambda options, _: options.blocks == "none" and '`blocks` is "none"',
    )
    html: bool = _part("the main content as a sanitized HTML fragment", level="basic")
    markdown: bool = _part("the main content as Markdown", level="basic")
    paragraphs: bool = _part("the paragraphs of the main content, each with its blocks")
    chunks: int | None = option(
        None,
        "parts of the main content for retrieval, each of at most this many words",
        rule=Rule("a number of words above 0", POSITIVE_WHOLE.allows).or_none,
        is_part=True,
    )
    metadata: bool = _part("author, date, language and other metadata of the page", level="basic")
    posts: bool = _part("the posts of a forum, each with its author and date", why_idle=_explain_missing_roles)
    quality: bool = _part("quality signals of the text, as used to filter corpora")
    links: Switch = option("keep", 'links: `"keep"` them, write only their `"text"`, or `"drop"` both')
    images: Switch = option("keep", 'images: `"keep"` them, write their descriptions as `"text"`, or `"drop"` both')
    tables: Switch = option(
        "keep", 'data tables: `"keep"` them, write their rows as lines of `"text"`, or `"drop"` them'
    )
    math: Math = option(
        "tex", 'formulas: `"tex"` is TeX between dollar signs, `"text"` is TeX without them, and `"drop"` drops them'
    )
    title: Choice = option(
        "auto",
        'the title of the page in the content: `"auto"` if its headline is labeled as content, `"exclude"` never, '
        '`"include"` once, at the top',
    )
    lead: Choice = option(
        "auto",
        'the standfirst in the content: `"auto"` if it is labeled as content, `"exclude"` never, `"include"` always',
        why_idle=_explain_missing_roles,
    )
    captions: Choice = option(
        "auto", "captions of images, tables and videos in the content: as for `lead`", why_idle=_explain_missing_roles
    )
    bylines: Choice = option(
        "auto",
        'authors, dates and places in the content: as for `lead`; in a forum, `"include"` also writes one line before '
        "each post, with its author and date",
        why_idle=_explain_missing_roles,
    )
    comments: CommentsPlace = option(
        "auto",
        'comments of readers and reviews in the content: `"auto"` if they are labeled as content, `"exclude"` never, '
        '`"include"` always, `"separate"` apart from the text',
        why_idle=_explain_missing_roles,
        level="basic",
    )
    text_layout: TextLayout = option(
        "lines",
        'layout of the text: `"lines"` without empty lines, `"paragraphs"` with an empty line between them, or '
        '`"headings"`, which are paragraphs with # before each heading',
    )
    timeout: float | None = option(
        10.0,
        "CPU seconds after which the model no longer labels a page; the whole page gets twice this time",
        rule=POSITIVE.or_none,
    )
    max_bytes: int | None = _limit(10_000_000, "largest page that is read, in bytes")
    max_blocks: int | None = _limit(50_000, "largest page that the model labels, in blocks")

    def __post_init__(self) -> None:
        for name, each in OPTIONS.items():
            value = getattr(self, name)
            try:
                value = each.check(value)
            except ValueError as error:
                raise OptionError(name, str(error)) from error
            # Workers may not know the class of a string that is not a plain str.
            object.__setattr__(self, name, str.__str__(value) if isinstance(value, str) else value)

    def replace(self, **changes: Any) -> Options:
        """Return these options with *changes*, validated.

        :raises ValueError: if a name is unknown; an OptionError if a value is of the wrong type or out of range.
        """
        unknown = sorted(set(changes) - OPTIONS.keys())
        if unknown:
            raise ValueError(f"unknown option {', '.join(unknown)}{hint_at_option(unknown, OPTIONS)}")
        return replace(self, **changes)

    @property
    def parts(self) -> list[str]:
        """The parts of an answer that these options ask for."""
        values = {name: getattr(self, name) for name in PART_OPTIONS}
        return [name for name, value in values.items() if value not in (None, False, "auto", "exclude", "include")]

    def to_settings(self) -> dict[str, Any]:
        """Return how a text was made: the version of this package, the model, and options unlike the defaults."""
        values = ((name, getattr(self, name), each.default) for name, each in OPTIONS.items())
        changed = {name: value for name, value, usual in values if value != usual and name != "blocks"}
        return {"version": __version__, "model": self.model, **changed}


OPTIONS: Final[Mapping[str, Option]] = list_options(Options)
# Options that only ask for a part of the answer. They are not settings: in a crawl, the fields of items ask for it.
OPTIONAL_PARTS: Final = tuple(name for name, each in OPTIONS.items() if each.is_part)
# Part of an answer -> the value of the option of the same name that asks for it.
PART_OPTIONS: Final[Mapping[str, Any]] = {
    **dict.fromkeys(OPTIONAL_PARTS, True),
    "chunks": DEFAULT_CHUNK_WORDS,
    "comments": "separate",
}
add_options_to_docstring(Options)


def hint_at_option(unknown: Sequence[str], known: Iterable[str]) -> str:
    """Return the end of a message about *unknown* options: what to write in their place."""
    name = unknown[0]
    if name in RENAMED:
        return f" (renamed to {RENAMED[name]})"
    if name == "sites":
        return "; rules for sites apply in crawls (WEB2TEXT_SITES) and commands (--sites) only"
    return suggest([each.lower().removeprefix("web2text_") for each in unknown], known)
