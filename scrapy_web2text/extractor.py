"""The extractor: the one chain of all steps from a page to its extraction, with the fallback beside it."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, replace
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from lxml import etree

from scrapy_web2text.content.blocks import export_blocks
from scrapy_web2text.content.html import content_html, find_base
from scrapy_web2text.content.paragraphs import content_paragraphs
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
from scrapy_web2text.page.blocks import MODERN_BLOCKS, segment
from scrapy_web2text.page.parse import to_tree

if TYPE_CHECKING:
    from scrapy_web2text.page.parse import Html
    from scrapy_web2text.reasons import FallbackReason

__all__ = ["Extractor", "extract"]

logger = logging.getLogger(__name__)


def extract(html: Html, /, url: str | None = None, *, encoding: str | None = None, **options: Any) -> Extraction:
    """Return the main content of one page.

    :param html: the page as `bytes`, `str`, parsel Selector or lxml tree.
    :param encoding: how `bytes` are encoded; None, and a name that Python does not know, looks into the page.
    :param options: those of :class:`Options`, by name.
    :raises TypeError: if *html* is nothing that can hold a page.
    :raises ValueError: if an option is unknown or its value impossible.
    """
    return Extractor(**options).extract(html, url, encoding=encoding)


class Extractor:
    """Extracts the main content of pages; safe to share between threads, and cheap to make.

    :raises ValueError: if an option is unknown; an OptionError if its value is impossible, no model has the name, the
        model lacks the preset, or the extra that it needs is not installed.
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
            _warn_once(f"No model: {error}. The rules {self._rules.name} answer for it.")
        except ValueError as error:
            raise OptionError("model", str(error)) from error
        self._threshold = _find_threshold(self.options, self._labeler)

    def extract(self, html: Html, url: str | None = None, *, encoding: str | None = None) -> Extraction:
        """Return the main content of one page; whatever the page is like, there is an answer.

        :param encoding: how `bytes` are encoded; None, and a name that Python does not know, looks into the page.
        :raises TypeError: if *html* is nothing that can hold a page.
        :raises ValueError: if *encoding* is no name.
        """
        start = time.thread_time()
        answer = drop_forbidden(self._answer(html, url, encoding, start))
        return replace(answer, url=url, elapsed=time.thread_time() - start)

    def _answer(self, html: Html, url: str | None, encoding: str | None, start: float) -> Extraction:
        limit = self.options.max_bytes
        if isinstance(html, bytes | str) and limit is not None and _is_longer(html, limit):
            return Extraction(fallback_reason="max_bytes")
        budget = Budget(self.options.timeout, self.options.max_blocks)
        try:
            root = to_tree(html, encoding=encoding)
        except PageError as error:
            return Extraction(fallback_reason=error.reason)
        source = _Source(root, tree_to_page(root), url)
        answer = self._answer_page(source, budget)
        if len(answer.text) < LEAST_LETTERS // 2:
            answer = self._find_hidden(source, answer)
        if not self.options.metadata:
            return answer
        # It may take as long as the extraction has.
        seconds = time.thread_time() - start
        return replace(answer, metadata=read_metadata(root, url=url, text=answer.text, seconds=seconds))

    def _answer_page(self, source: _Source, budget: Budget) -> Extraction:
        if self._labeler is None:
            return self._fall_back(source, "no_model")
        options = self.options
        try:
            budget.check_time()
            labelling = self._labeler.label(
                source.page, threshold=self._threshold, decoder=options.decoder, budget=budget
            )
            budget.check_time()
            answer = self._render(source, self._labeler, labelling)
            budget.check_time()
        except PageError as error:
            return self._fall_back(source, error.reason)
        doubt = self._find_doubt(self._labeler, labelling, answer)
        return answer if doubt is None else self._fall_back(source, doubt, answer)

    def _find_doubt(self, labeler: Labeler, labelling: Labeling, answer: Extraction) -> FallbackReason | None:
        """Return why the *answer* is not to be given as it is; None if it is."""
        if self._rules is not None and self._rules.name == labeler.name:
            return None  # they would say the same again
        if labeler.is_model and not labelling.labels.any() and _expects_content(labelling):
            return "empty"
        if answer.low_confidence and self.options.on_low_confidence == "fallback":
            return "low_confidence"
        return None

    def _fall_back(self, source: _Source, reason: FallbackReason, doubted: Extraction | None = None) -> Extraction:
        """Return the rules' answer with the *reason* why the model's is not given.

        :param doubted: the answer that the rules are to better. It stands if they find no main content either: a page
            without one does not become its cookie banner.
        """
        if self._rules is None:
            return Extraction(title=find_headline(source.root), fallback_reason=reason)
        budget = Budget(self.options.timeout)
        try:
            labelling = self._rules.label(source.page, budget=budget)
            budget.check_time()
            if doubted is not None and not holds_main_content(source.page, labelling):
                return doubted
            answer = self._render(source, self._rules, labelling)
        except PageError as error:
            return doubted or Extraction(title=find_headline(source.root), fallback_reason=error.reason)
        return replace(answer, fallback_reason=reason)

    def _render(self, source: _Source, labeler: Labeler, labelling: Labeling) -> Extraction:
        page, blocks, labels, probabilities = source.page, labelling.blocks, labelling.labels, labelling.probabilities
        confidence = labelling.confidence
        if confidence is None and probabilities is not None:
            confidence = expected_f1(labels, probabilities, labelling.n_tokens)
        least, keeps = self.options.min_confidence, self.options.on_low_confidence == "keep"
        exported = self.options.blocks
        return Extraction(
            title=find_headline(source.root),
            method="model" if labeler.is_model else "rules",
            model=labeler.name,
            confidence=confidence,
            low_confidence=least is not None and confidence is not None and confidence < least and not keeps,
            n_blocks=blocks.n_blocks,
            n_content=int(labels.sum()),
            blocks=()
            if exported == "none"
            else export_blocks(page, blocks, labels, probabilities, content_only=exported == "content"),
            **_write_content(source, page, labelling, self.options),
        )

    def _find_hidden(self, source: _Source, answer: Extraction) -> Extraction:
        """Return *answer*, or the content that the page shows nobody, where it holds some."""
        html = find_hidden_content(source.root)
        if html is None:
            return answer
        try:
            hidden = tree_to_page(to_tree(html))
        except PageError:
            return answer
        blocks = segment(hidden, MODERN_BLOCKS)
        everything = np.ones(blocks.n_blocks, dtype=np.int64)
        content = _write_content(source, hidden, Labeling(blocks, everything, None, everything), self.options)
        content["paragraphs"] = tuple(replace(paragraph, block_indices=()) for paragraph in content["paragraphs"])
        reason = answer.fallback_reason or "empty"
        content.update(method="structured-data", model=None, confidence=None, low_confidence=False)
        return replace(answer, fallback_reason=reason, **content)


@dataclass(frozen=True, slots=True)
class _Source:
    """A page that is being extracted: its tree, the arrays made from it, and its address if that is known."""

    root: etree._Element
    page: Page
    url: str | None


def _write_content(source: _Source, page: Page, labelling: Labeling, options: Options) -> dict[str, Any]:
    """Return the content of *page*, that of *source* or one that is hidden in it, in the forms that are asked for."""
    blocks, labels = labelling.blocks, labelling.labels
    content: dict[str, Any] = {"text": content_text(page, blocks, labels), "paragraphs": ()}
    if options.html or options.markdown:  # the latter is made from the former
        html = content_html(page, blocks, labels, base=find_base(source.root, source.url))
        content["html"] = html if options.html else None
        content["markdown"] = _to_markdown(html) if options.markdown else None
    if options.paragraphs:
        content["paragraphs"] = content_paragraphs(page, blocks, labels, labelling.probabilities)
    return content


def _is_longer(html: bytes | str, limit: int) -> bool:
    """Return whether a page has more bytes than *limit*, a `str` in UTF-8."""
    if len(html) > limit or isinstance(html, bytes) or html.isascii() or len(html) * 4 <= limit:
        return len(html) > limit
    return len(html.encode(errors="surrogatepass")) > limit


def _to_markdown(html: str) -> str:
    from scrapy_web2text.content.markdown import html_to_markdown  # noqa: PLC0415  its libraries are slow to import

    return html_to_markdown(html)


def _find_threshold(options: Options, labeler: Labeler | None) -> float | None:
    """Return the threshold that is asked for, by value or by name; None for the labeler's own.

    Rules have no use for presets, as with decoders.

    :raises OptionError: if the labeler is a model without that preset.
    """
    if options.threshold is not None or options.preset is None or labeler is None or not labeler.is_model:
        return options.threshold
    if options.preset not in labeler.presets:
        expected = f"one of {', '.join(labeler.presets)}" if labeler.presets else "a threshold instead, as it has none"
        raise OptionError("preset", f"{labeler.name} has no preset {options.preset!r}; expected {expected}")
    return labeler.presets[options.preset]


@cache
def _warn_once(message: str) -> None:
    logger.warning(message)


def _expects_content(labelling: Labeling) -> bool:
    probabilities = labelling.probabilities
    return probabilities is not None and expected_content_words(probabilities, labelling.n_tokens) > EMPTY_PAGE_WORDS
