"""The extractor: all steps from a page to its extraction, and the fallback to rules."""

from __future__ import annotations

import logging
import time
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_web2text.content.blocks import export_blocks
from scrapy_web2text.content.forms import FORMS, write_forms
from scrapy_web2text.content.selection import Content, select_content
from scrapy_web2text.content.text import content_text
from scrapy_web2text.exceptions import ModelError, PageError
from scrapy_web2text.extraction import Extraction, drop_forbidden
from scrapy_web2text.labelers.base import Labeler, Labeling
from scrapy_web2text.labelers.budget import Budget
from scrapy_web2text.labelers.confidence import EMPTY_PAGE_WORDS, expected_content_words, expected_f1
from scrapy_web2text.labelers.fallback import holds_main_content
from scrapy_web2text.labelers.registry import get_labeler, get_rules
from scrapy_web2text.metadata.hidden_content import LEAST_LETTERS, find_hidden_content
from scrapy_web2text.metadata.read import METADATA_PACKAGES, read_metadata
from scrapy_web2text.metadata.title import find_headline
from scrapy_web2text.options import OptionError, Options
from scrapy_web2text.page.arrays import Page, tree_to_page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, Label, segment
from scrapy_web2text.page.parse import check_types, parse, to_tree

if TYPE_CHECKING:
    from scrapy_web2text.page.parse import Html
    from scrapy_web2text.reasons import FallbackReason

__all__ = ["Extractor", "extract"]

logger = logging.getLogger(__name__)

# For tests: whether an unexpected error of an extraction is raised, not answered by the rules.
RAISE_ERRORS = False
_logged_errors: set[str] = set()


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

        If an unexpected exception is raised, the rules answer, or the text is empty if they fail too. The reason is
        ``error``; the first exception of each class in a process is logged with its traceback. Only `MemoryError` and
        other subclasses of `Exception` are caught; a crash or an endless loop of a library is not.

        :param url: URL of the page, which relative links are joined to.
        :param encoding: encoding of `bytes`; None, or a name that the Encoding Standard lacks, reads it from the page.
        :raises TypeError: if *html* is of another type.
        :raises ValueError: if *encoding* is not a string.
        """
        start = time.thread_time()
        check_types(html, encoding)
        name = None
        try:
            answer = drop_forbidden(self._answer(html, url, encoding, start))
        except Exception as error:  # the boundary between a page and bugs of this package and of libraries
            if RAISE_ERRORS:
                raise
            name = type(error).__name__
            _log_error(name, url)
        if name is not None:  # after the except clause, which keeps the objects of the failed extraction alive
            answer = replace(self._answer_error(html, url, encoding), error=name)
        return replace(answer, url=url, elapsed=time.thread_time() - start)

    def _answer(self, html: Html, url: str | None, encoding: str | None, start: float) -> Extraction:
        """Return the answer for a page in any form; its URL and elapsed time are not set.

        :param start: CPU time of the thread when the extraction began, in seconds.
        """
        limit = self.options.max_bytes
        if isinstance(html, bytes | str) and limit is not None and _is_longer(html, limit):
            return Extraction(fallback_reason="max_bytes")
        budget = Budget(self.options.timeout, self.options.max_blocks)
        try:
            root, name, source = parse(html, encoding=encoding)
        except PageError as error:
            return Extraction(fallback_reason=error.reason)
        page = tree_to_page(root)
        answer = replace(self._answer_page(page, url, budget), encoding=name, encoding_source=source)
        if len(answer.text) < LEAST_LETTERS // 2:
            answer = self._find_hidden(page, url, answer)
        if not self.options.metadata:
            return answer
        # The slow part of the metadata gets as much time as the extraction took.
        seconds = time.thread_time() - start
        return replace(answer, metadata=read_metadata(root, url=url, text=answer.text, seconds=seconds))

    def _answer_error(self, html: Html, url: str | None, encoding: str | None) -> Extraction:
        """Return the answer of the rules for a page whose extraction failed; an empty one if they fail too."""
        empty = Extraction(fallback_reason="error")
        if self._rules is None:
            return empty
        try:
            root, name, source = parse(html, encoding=encoding)
            answer = drop_forbidden(self._fall_back("error", tree_to_page(root), url))
            return replace(answer, encoding=name, encoding_source=source)
        except Exception:  # noqa: BLE001  the first error is logged
            return empty

    def _answer_page(self, page: Page, url: str | None, budget: Budget) -> Extraction:
        if self._labeler is None:
            return self._fall_back("no_model", page, url)
        options = self.options
        try:
            budget.check_time()
            labeling = self._labeler.label(page, threshold=self._threshold, decoder=options.decoder, budget=budget)
            budget.check_time()
            answer = self._collect(page, url, self._labeler, labeling)
            budget.check_time()
        except PageError as error:
            return self._fall_back(error.reason, page, url)
        doubt = self._find_doubt(self._labeler, labeling, answer)
        return answer if doubt is None else self._fall_back(doubt, page, url, answer)

    def _find_doubt(self, labeler: Labeler, labeling: Labeling, answer: Extraction) -> FallbackReason | None:
        """Return the reason to prefer the rules to *answer*, which was written from *labeling*; None to keep it."""
        if self._rules is not None and self._rules.name == labeler.name:
            return None  # the rules would give the same answer
        if labeler.is_model and Label.CONTENT not in labeling.labels and _expects_content(labeling):
            return "empty"
        if answer.low_confidence and self.options.on_low_confidence == "fallback":
            return "low_confidence"
        return None

    def _fall_back(
        self, reason: FallbackReason, page: Page, url: str | None, doubted: Extraction | None = None
    ) -> Extraction:
        """Return the answer of the rules, with the *reason* for it.

        :param doubted: the model's answer, if it gave one. It is returned if the rules do not find main content either,
            so that a page without main content is not answered with its cookie banner.
        """
        if self._rules is None:
            return Extraction(title=find_headline(page.root), fallback_reason=reason)
        budget = Budget(self.options.timeout)
        try:
            labeling = self._rules.label(page, budget=budget)
            budget.check_time()
            if doubted is not None and not holds_main_content(page, labeling):
                return doubted
            answer = self._collect(page, url, self._rules, labeling)
        except PageError as error:
            return doubted or Extraction(title=find_headline(page.root), fallback_reason=error.reason)
        return replace(answer, fallback_reason=reason)

    def _collect(self, page: Page, url: str | None, labeler: Labeler, labeling: Labeling) -> Extraction:
        blocks, labels, probabilities = labeling.blocks, labeling.labels, labeling.probabilities
        confidence = labeling.confidence
        if confidence is None and probabilities is not None:
            confidence = expected_f1(labels, probabilities, labeling.n_tokens)
        least, keeps = self.options.min_confidence, self.options.on_low_confidence == "keep"
        exported = self.options.blocks
        return Extraction(
            title=find_headline(page.root),
            method="model" if labeler.is_model else "rules",
            model=labeler.name,
            confidence=confidence,
            low_confidence=least is not None and confidence is not None and confidence < least and not keeps,
            n_blocks=blocks.n_blocks,
            n_content=int((labels == Label.CONTENT).sum()),
            blocks=()
            if exported == "none"
            else export_blocks(page, blocks, labels, probabilities, content_only=exported == "content"),
            **_write_content(select_content(page, blocks, labels, probabilities, url=url), self.options),
        )

    def _find_hidden(self, page: Page, url: str | None, answer: Extraction) -> Extraction:
        """Return the hidden content of *page*, or *answer* if there is none."""
        html = find_hidden_content(page.document_root)
        if html is None:
            return answer
        try:
            hidden = tree_to_page(to_tree(html))
        except PageError:
            return answer
        blocks = segment(hidden, MODERN_BLOCKS)
        labels = np.full(blocks.n_blocks, Label.CONTENT, dtype=np.int64)
        content = select_content(hidden, blocks, labels, document=page.root, url=url)
        return replace(
            answer,
            method="structured-data",
            model=None,
            confidence=None,
            low_confidence=False,
            fallback_reason=answer.fallback_reason or "empty",
            **_write_content(content, self.options),
        )


def _write_content(content: Content, options: Options) -> dict[str, Any]:
    """Return the text of *content* and the forms that *options* ask for, by their field names in `Extraction`."""
    names = [name for name in FORMS if getattr(options, name)]
    return {"text": content_text(content), **write_forms(content, names)}


def _is_longer(html: bytes | str, limit: int) -> bool:
    """Return whether a page is longer than *limit* bytes; the length of a `str` is that of its UTF-8 encoding."""
    if len(html) > limit or isinstance(html, bytes) or html.isascii() or len(html) * 4 <= limit:
        return len(html) > limit
    return len(html.encode(errors="surrogatepass")) > limit


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


def _log_error(name: str, url: str | None) -> None:
    """Log the exception that is being handled, the first of this *name* in this process."""
    if name not in _logged_errors:
        _logged_errors.add(name)
        logger.error("Unexpected %s while extracting %s. It is logged once", name, url or "a page", exc_info=True)


@cache
def _warn_once(message: str) -> None:
    logger.warning(message)


def _expects_content(labeling: Labeling) -> bool:
    """Return whether the probabilities expect more content than a page without main content has."""
    probabilities = labeling.probabilities
    return probabilities is not None and expected_content_words(probabilities, labeling.n_tokens) > EMPTY_PAGE_WORDS
