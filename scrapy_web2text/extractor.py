"""The extractor: all steps from a page to its extraction, and the fallback to rules."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar

from scrapy_web2text.budget import Budget
from scrapy_web2text.content.blocks import export_blocks
from scrapy_web2text.content.forms import FORMS, write_forms
from scrapy_web2text.content.selection import Content, select_content, select_hidden_content
from scrapy_web2text.content.text import content_text
from scrapy_web2text.exceptions import ModelError, PageError
from scrapy_web2text.extraction import Extraction, drop_forbidden
from scrapy_web2text.labelers.base import Labeler, Labeling
from scrapy_web2text.labelers.confidence import expected_f1
from scrapy_web2text.labelers.fallback import holds_main_content, misses_content
from scrapy_web2text.labelers.registry import get_labeler, get_rules
from scrapy_web2text.metadata.hidden_content import LEAST_LETTERS
from scrapy_web2text.metadata.read import METADATA_PACKAGES, read_metadata
from scrapy_web2text.metadata.title import find_headline
from scrapy_web2text.options import OptionError, Options
from scrapy_web2text.page.arrays import Page, tree_to_page
from scrapy_web2text.page.blocks import Label
from scrapy_web2text.page.bounds import is_longer, most_blocks
from scrapy_web2text.page.events import deep_reason
from scrapy_web2text.page.parse import check_types, parse
from scrapy_web2text.steps import Steps, log_error

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from scrapy_web2text.page.parse import Html
    from scrapy_web2text.reasons import FallbackReason

    # The main content and its text.
    _Main: TypeAlias = tuple[Content, str]

__all__ = ["Extractor", "extract"]

_Part = TypeVar("_Part")

logger = logging.getLogger(__name__)

# For tests: whether an unexpected error of an extraction is raised, not answered by the rules.
RAISE_ERRORS = False


def extract(html: Html, /, url: str | None = None, *, encoding: str | None = None, **options: Any) -> Extraction:
    """Return the main content of one page.

    :param html: the page as `bytes`, `str`, parsel Selector or lxml tree.
    :param url: URL of the page, which relative links are joined to.
    :param encoding: encoding of `bytes`; None, or a name that the Encoding Standard lacks, reads it from the page.
    :param options: the fields of :class:`Options`, by name.
    :raises TypeError: if *html* is of another type.
    :raises ValueError: if an option is unknown or has an invalid value, or *encoding* is not a string.
    """
    return Extractor(**options).extract(html, url, encoding=encoding)


class Extractor:
    """Extracts the main content of pages. Threads can share an extractor, and creating one is cheap.

    :raises ValueError: if an option is unknown; an OptionError if its value is invalid, the model is unknown or lacks
        the preset, or a required extra is not installed.
    :raises ModelError: if the model folder is missing or invalid and ``fallback`` is None.
    """

    def __init__(self, options: Options | None = None, /, **overrides: Any) -> None:
        if options is not None and not isinstance(options, Options):
            raise ValueError(
                f"options: expected Options, or options by name as in Extractor(threshold=0.5), got {options!r}"
            )
        self.options = (options or Options()).replace(**overrides)
        try:
            self._rules = None if self.options.fallback is None else get_rules(self.options.fallback)
        except ValueError as error:
            raise OptionError("fallback", str(error)) from error
        if self.options.metadata and not all(map(find_spec, METADATA_PACKAGES)):
            raise OptionError("metadata", "needs pip install 'scrapy-web2text[metadata]'")
        self._labeler: Labeler | None = None
        try:
            self._labeler = get_labeler(self.options.model)
        except ModelError as error:
            if self._rules is None:
                raise
            _warn_once(f"Model not loaded, falling back to the rules {self._rules.name}: {error}")
        except ValueError as error:
            raise OptionError("model", str(error)) from error
        self._threshold = _find_threshold(self.options, self._labeler)

    def extract(self, html: Html, url: str | None = None, *, encoding: str | None = None) -> Extraction:
        """Return the main content of one page. Every page gets an answer, however broken it is.

        A part of the answer that is late or raises an unexpected exception is left out: the text, the blocks, a form,
        the title, the metadata. The reason is then ``timeout`` or ``error``. If there is no text yet, the rules answer,
        or the text is empty if they fail too. The first exception of each class in a process is logged with its
        traceback. Only `MemoryError` and other subclasses of `Exception` are caught; a crash or an endless loop of a
        library is not.

        :param url: URL of the page, which relative links are joined to.
        :param encoding: encoding of `bytes`; None, or a name that the Encoding Standard lacks, reads it from the page.
        :raises TypeError: if *html* is of another type.
        :raises ValueError: if *encoding* is not a string.
        """
        start = time.thread_time()
        check_types(html, encoding)
        try:
            answer = self._answer(html, url, encoding)
        except Exception as error:  # the boundary between a page and bugs of this package and of libraries
            if RAISE_ERRORS:
                raise
            answer = Extraction(fallback_reason="error", error=log_error(error, url))
        return replace(answer, url=url, elapsed=time.thread_time() - start)

    def _answer(self, html: Html, url: str | None, encoding: str | None) -> Extraction:
        """Return the answer for a page in any form; its URL and elapsed time are not set."""
        options = self.options
        if is_longer(html, options.max_bytes):
            return Extraction(fallback_reason="max_bytes")
        limit = most_blocks(html, options.max_blocks, self._labeler.block_bytes if self._labeler else 0)
        # The model has half of the time, so that the rules can still answer.
        budget = Budget(options.timeout and 2 * options.timeout, limit)
        with budget.running():
            try:
                root, name, source = parse(html, encoding=encoding)
                page = tree_to_page(root)
            except PageError as error:
                return Extraction(fallback_reason=error.reason)
            return replace(self._answer_page(page, url, budget), encoding=name, encoding_source=source)

    def _answer_page(self, page: Page, url: str | None, budget: Budget) -> Extraction:
        """Return the answer for *page*, one part after another; each is written once, and can fail by itself."""
        steps = Steps(url, raises=RAISE_ERRORS)
        answer = Extraction(title=_write_part(steps, partial(find_headline, page.root)) or "")
        labeled, main = self._read(page, url, steps, budget)
        if labeled is not None:
            answer = labeled.describe(answer)
        if main is None or len(main[1]) < LEAST_LETTERS // 2:
            hidden = steps.attempt(lambda: _write_text(select_hidden_content(page, url)))
            if hidden is not None:
                main, steps.reason = hidden, steps.reason or "empty"
                answer = replace(answer, method="structured-data", model=None, confidence=None, low_confidence=False)
        if main is not None:
            content, text = main
            answer = replace(answer, text=text, **self._write_parts(page, labeled, content, steps))
        if self.options.metadata:
            # The slow part of the metadata gets as much time as the extraction took.
            read = partial(read_metadata, page.root, url=url, text=answer.text)
            metadata = _write_part(steps, lambda: read(seconds=budget.seconds_used))
            answer = replace(answer, metadata=metadata)
        return replace(answer, fallback_reason=steps.reason or deep_reason(page.root), error=steps.error)

    def _read(self, page: Page, url: str | None, steps: Steps, budget: Budget) -> tuple[_Labeled | None, _Main | None]:
        """Return labels, content and text of *page*, by the rules if those of the model fail; None if they fail too."""
        labeled = self._label(page, steps, budget)
        while labeled is not None:
            main = steps.attempt(partial(labeled.write, page, url))
            if main is not None:
                return labeled, main
            labeled = None if labeled.labeler is self._rules else self._label_by_rules(page, steps)
        return None, None

    def _label(self, page: Page, steps: Steps, budget: Budget) -> _Labeled | None:
        """Return the labels by the model or, with the reason, by the rules; None if neither gives any."""
        if self._labeler is None:
            steps.reason = "no_model"
            return self._label_by_rules(page, steps)
        options = self.options
        labeler, half = self._labeler, budget.with_timeout(options.timeout)
        label = partial(labeler.label, page, threshold=self._threshold, decoder=options.decoder)
        with half.running():
            first = steps.attempt(lambda: _Labeled.create(labeler, label(), options))
        if first is None:
            return self._label_by_rules(page, steps)
        doubt = self._find_doubt(first)
        if doubt is None:
            return first
        if self._rules is None:
            steps.reason = doubt
            return None
        # In half of the time too, so that the text of the model can still be written.
        with half.running():
            second = self._label_by_rules(page, steps, only_main_content=True)
        if second is not None:
            steps.reason = doubt
        return second or first

    def _label_by_rules(self, page: Page, steps: Steps, *, only_main_content: bool = False) -> _Labeled | None:
        """Return the labels by the rules; None if they give none.

        :param only_main_content: whether to return None if the rules do not find main content either, so that a page
            without main content is not answered with its cookie banner.
        """
        rules, options = self._rules, self.options
        if rules is None:
            return None

        def label() -> _Labeled | None:
            labeling = rules.label(page)
            if only_main_content and not holds_main_content(page, labeling):
                return None
            return _Labeled.create(rules, labeling, options)

        return steps.attempt(label)

    def _find_doubt(self, labeled: _Labeled) -> FallbackReason | None:
        """Return the reason to prefer the rules to the labels of the model; None to keep them."""
        labeler, labeling = labeled.labeler, labeled.labeling
        if self._rules is not None and self._rules.name == labeler.name:
            return None  # the rules would give the same answer
        if labeler.is_model and misses_content(labeling):
            return "empty"
        if labeled.low_confidence and self.options.on_low_confidence == "fallback":
            return "low_confidence"
        return None

    def _write_parts(self, page: Page, labeled: _Labeled | None, content: Content, steps: Steps) -> dict[str, Any]:
        """Return the blocks and forms that the options ask for, by their field names in `Extraction`."""
        parts: dict[str, Any] = {}
        exported = self.options.blocks
        if labeled is not None and exported != "none":
            labeling = labeled.labeling
            export = partial(export_blocks, page, labeling.blocks, labeling.labels, labeling.probabilities)
            parts["blocks"] = _write_part(steps, partial(export, content_only=exported == "content")) or ()
        names = [name for name in FORMS if getattr(self.options, name)]
        return parts | write_forms(content, names, partial(_write_part, steps))


@dataclass(frozen=True, slots=True, eq=False)
class _Labeled:
    """The labels of a page, the labeler that gave them, and the confidence in them."""

    labeler: Labeler
    labeling: Labeling
    confidence: float | None
    low_confidence: bool

    @classmethod
    def create(cls, labeler: Labeler, labeling: Labeling, options: Options) -> _Labeled:
        """Return the labels with their confidence, from the labeler or from the probabilities."""
        confidence = labeling.confidence
        if confidence is None and labeling.probabilities is not None:
            confidence = expected_f1(labeling.labels, labeling.probabilities, labeling.n_tokens)
        least, keeps = options.min_confidence, options.on_low_confidence == "keep"
        is_low = least is not None and confidence is not None and confidence < least and not keeps
        return cls(labeler, labeling, confidence, is_low)

    def write(self, page: Page, url: str | None) -> _Main | None:
        """Return the content that the labels select, with its text."""
        labeling = self.labeling
        return _write_text(select_content(page, labeling.blocks, labeling.labels, labeling.probabilities, url=url))

    def describe(self, answer: Extraction) -> Extraction:
        """Return *answer* with the labeler, the confidence and the counts of these labels."""
        return replace(
            answer,
            method="model" if self.labeler.is_model else "rules",
            model=self.labeler.name,
            confidence=self.confidence,
            low_confidence=self.low_confidence,
            n_blocks=self.labeling.blocks.n_blocks,
            n_content=int((self.labeling.labels == Label.CONTENT).sum()),
        )


def _write_part(steps: Steps, write: Callable[[], _Part]) -> _Part | None:
    """Return a part of the answer, without forbidden characters; None if writing or cleaning it fails."""
    return steps.attempt(lambda: drop_forbidden(write()))


def _write_text(content: Content | None) -> _Main | None:
    """Return *content* with its text; None without content."""
    return None if content is None else (content, drop_forbidden(content_text(content)))


def _find_threshold(options: Options, labeler: Labeler | None) -> float | None:
    """Return the threshold that the options give, by value or by preset; None for the labeler's own.

    Rules ignore presets, as they ignore decoders.

    :raises OptionError: if the labeler is a model without that preset.
    """
    if options.threshold is not None or options.preset is None or labeler is None or not labeler.is_model:
        return options.threshold
    if options.preset not in labeler.presets:
        expected = f"one of {', '.join(labeler.presets)}" if labeler.presets else "a threshold, as it has no presets"
        raise OptionError("preset", f"{labeler.name} has no preset {options.preset!r}; expected {expected}")
    return labeler.presets[options.preset]


@cache
def _warn_once(message: str) -> None:
    logger.warning(message)
