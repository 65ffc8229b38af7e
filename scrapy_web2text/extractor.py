"""The extractor: all steps from a page to its extraction."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar

from scrapy_web2text.budget import Budget
from scrapy_web2text.content.arrangement import arrange_content
from scrapy_web2text.content.blocks import export_blocks
from scrapy_web2text.content.forms import FORMS, write_forms
from scrapy_web2text.content.selection import Content, select_content, select_hidden_content
from scrapy_web2text.content.text import content_text
from scrapy_web2text.exceptions import PageError
from scrapy_web2text.extraction import Extraction, drop_forbidden
from scrapy_web2text.labelers.choice import Labeled, LabelerChoice
from scrapy_web2text.labelers.confidence import share_of_read_words
from scrapy_web2text.labelers.fragment import FRAGMENT
from scrapy_web2text.metadata.hidden_content import LEAST_LETTERS
from scrapy_web2text.metadata.read import METADATA_PACKAGES, read_metadata
from scrapy_web2text.metadata.title import find_headline
from scrapy_web2text.options import OptionError, Options
from scrapy_web2text.page.arrays import Page, tree_to_page
from scrapy_web2text.page.blocks import Label
from scrapy_web2text.page.bounds import is_longer, most_blocks
from scrapy_web2text.page.events import deep_reason
from scrapy_web2text.page.parse import check_types, is_empty, parse
from scrapy_web2text.page.responses import is_html, is_response, stated_encoding
from scrapy_web2text.steps import Steps, log_error
from scrapy_web2text.verdicts.judge import judge_page
from scrapy_web2text.verdicts.kinds import REFUSALS, TEXTLESS_KINDS, TYPED_KINDS

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from scrapy_web2text.labelers.base import Labeling
    from scrapy_web2text.page.fragments import Extent
    from scrapy_web2text.page.parse import Html
    from scrapy_web2text.page.responses import ResponseLike
    from scrapy_web2text.verdicts.kinds import PageKind

    # The main content and its text.
    _Main: TypeAlias = tuple[Content, str]
    # Arranges content as the options want it.
    _Arrange: TypeAlias = Callable[[Content], Content]

__all__ = ["Extractor", "extract"]

_Part = TypeVar("_Part")

# For tests: whether an unexpected error of an extraction is raised, not answered by the rules.
RAISE_ERRORS = False


def extract(
    html: Html | ResponseLike, /, url: str | None = None, *, encoding: str | None = None, **options: Any
) -> Extraction:
    """Return the main content of one page, or of a part of one.

    :param html: the page as a response of Scrapy or web-poet, `bytes`, `str`, parsel Selector or lxml tree.
    :param url: URL of the page, which relative links are joined to; None takes that of the response.
    :param encoding: encoding of `bytes`; None takes that of the response. None, or a name that the Encoding Standard
        lacks, reads it from the page.
    :param options: the fields of :class:`Options`, by name.
    :raises TypeError: if *html* is of another type.
    :raises ValueError: if an option is unknown or has an invalid value, or *encoding* is not a string.
    """
    return Extractor(**options).extract(html, url, encoding=encoding)


class Extractor:
    """Extracts the main content of pages. Threads can share an extractor, and creating one is cheap.

    :raises ValueError: if an option is unknown; an OptionError if its value is invalid, the model is unknown or lacks
        the preset, or a required extra is not installed.
    :raises ModelError: if the model folder is missing or invalid, and ``on_missing_model`` is ``error`` or ``fallback``
        is None.
    """

    def __init__(self, options: Options | None = None, /, **overrides: Any) -> None:
        if options is not None and not isinstance(options, Options):
            raise ValueError(
                f"options: expected Options, or options by name as in Extractor(threshold=0.5), got {options!r}"
            )
        self.options = (options or Options()).replace(**overrides)
        if self.options.metadata and not all(map(find_spec, METADATA_PACKAGES)):
            raise OptionError("metadata", "needs pip install 'scrapy-web2text[metadata]'")
        self._labelers = LabelerChoice(self.options)

    def extract(self, html: Html | ResponseLike, url: str | None = None, *, encoding: str | None = None) -> Extraction:
        """Return the main content of one page. Every page gets an answer, however broken it is.

        A part of the answer that is late or raises an unexpected exception is left out: the text, the blocks, a form,
        the title, the metadata. The reason is then ``timeout`` or ``error``. If there is no text yet, the rules answer,
        or the text is empty if they fail too. The first exception of each class in a process is logged with its
        traceback. Only `MemoryError` and other subclasses of `Exception` are caught; a crash or an endless loop of a
        library is not.

        :param html: see :func:`extract`. The reason is ``not_html`` for a response that is not HTML.
        :param url: URL of the page, which relative links are joined to; None takes that of the response.
        :param encoding: encoding of `bytes`; None takes that of the response. None, or a name that the Encoding
            Standard lacks, reads it from the page.
        :raises TypeError: if *html* is of another type.
        :raises ValueError: if *encoding* is not a string.
        """
        start = time.thread_time()
        if is_response(html):
            url = str(html.url) if url is None else url
            encoding = stated_encoding(html) if encoding is None else encoding
            if not is_html(html):
                return Extraction(fallback_reason="not_html", url=url)
            html = html.body
        check_types(html, encoding)
        try:
            answer = self._answer(html, url, encoding)
        except Exception as error:  # the boundary between a page and bugs of this package and of libraries
            if RAISE_ERRORS:
                raise
            answer = Extraction(fallback_reason="error", error=log_error(error, url))
        elapsed = time.thread_time() - start
        return replace(answer, url=url, elapsed=elapsed, block_fields=self.options.block_fields)

    def _answer(self, html: Html, url: str | None, encoding: str | None) -> Extraction:
        """Return the answer for a page in any form; its URL and elapsed time are not set."""
        options = self.options
        if is_longer(html, options.max_bytes):
            return Extraction(fallback_reason="max_bytes")
        if is_empty(html):
            return Extraction(page="empty", fallback_reason="empty_body")
        limit = most_blocks(html, options.max_blocks, self._labelers.first.block_bytes if self._labelers.first else 0)
        # The model has half of the time, so that the rules can still answer.
        budget = Budget(options.timeout and 2 * options.timeout, limit)
        with budget.running():
            try:
                parsed = parse(html, encoding=encoding)
                page = tree_to_page(parsed.root)
            except PageError as error:
                return Extraction(fallback_reason=error.reason)
            answer = self._answer_page(page, url, budget, parsed.extent)
            return replace(answer, encoding=parsed.encoding, encoding_source=parsed.source)

    def _answer_page(self, page: Page, url: str | None, budget: Budget, extent: Extent) -> Extraction:
        """Return the answer for *page*, one part after another; each is written once, and can fail by itself."""
        steps = Steps(url, raises=RAISE_ERRORS)
        answer = Extraction(title=_write_part(steps, partial(find_headline, page.root)) or "")
        arrange = partial(arrange_content, options=self.options, title=answer.title)
        labeled, main = self._read(page, url, arrange, steps, budget, extent)
        # However short a fragment is, a reader sees no more of it.
        is_fragment = labeled is not None and labeled.labeler is FRAGMENT
        kind = None if labeled is None else steps.attempt(partial(self._judge, page, labeled, extent))
        if labeled is not None:
            if kind in TEXTLESS_KINDS and self.options.page_verdict and Label.CONTENT in labeled.labeling.labels:
                labeled = labeled.without_content()
                main = steps.attempt(partial(_write_main, page, labeled.labeling, url, arrange))
            answer = _describe(answer, self._lower_confidence(labeled, main, steps), kind)
        is_short = main is None or (len(main[1]) < LEAST_LETTERS // 2 and not is_fragment)
        if is_short and kind not in REFUSALS:
            hidden = steps.attempt(lambda: _write_hidden(page, url, arrange, main))
            if hidden is not None:
                main, steps.reason = hidden, steps.reason or "empty"
                answer = replace(
                    answer, method="structured-data", page="content", model=None, confidence=None, low_confidence=False
                )
        if main is not None:
            content, text = main
            answer = replace(answer, text=text, **self._write_parts(page, labeled, content, steps))
        if self.options.metadata:
            read = partial(read_metadata, page.root, url=url, text=answer.text)
            metadata = _write_part(steps, read)
            answer = replace(answer, metadata=metadata)
        return replace(answer, fallback_reason=steps.reason or deep_reason(page.root), error=steps.error)

    def _read(
        self, page: Page, url: str | None, arrange: Callable[..., Content], steps: Steps, budget: Budget, extent: Extent
    ) -> tuple[Labeled | None, _Main | None]:
        """Return labels, content and text of *page*, by the rules if those of the model fail; None if they fail too."""
        labelers = self._labelers
        labeled = labelers.label(page, steps, budget, extent)
        while labeled is not None:
            # The headline of a fragment is content like the rest of it.
            arranged = partial(arrange, title="") if labeled.labeler is FRAGMENT else arrange
            main = steps.attempt(partial(_write_main, page, labeled.labeling, url, arranged))
            if main is not None:
                return labeled, main
            labeled = None if labeled.labeler is labelers.rules else labelers.label_by_rules(page, steps)
        return None, None

    def _judge(self, page: Page, labeled: Labeled, extent: Extent) -> PageKind:
        """Return the kind of *page*; what the caller calls a fragment is content, whatever it says."""
        if labeled.labeler is FRAGMENT and (extent == "element" or self.options.fragment is True):
            return "content" if Label.CONTENT in labeled.labeling.labels else "empty"
        return judge_page(page, labeled.labeling)

    def _lower_confidence(self, labeled: Labeled, main: _Main | None, steps: Steps) -> Labeled:
        """Return *labeled* with a lower confidence if characters of the text could not be decoded."""
        if main is None or "\ufffd" not in main[1]:
            return labeled
        share = steps.attempt(partial(share_of_read_words, main[1]))
        return labeled if share is None else labeled.lower(share, self.options)

    def _write_parts(self, page: Page, labeled: Labeled | None, content: Content, steps: Steps) -> dict[str, Any]:
        """Return the blocks and forms that the options ask for, by their field names in `Extraction`."""
        parts: dict[str, Any] = {}
        exported = self.options.blocks
        if labeled is not None and exported != "none":
            labeling = labeled.labeling
            export = partial(export_blocks, page, labeling.blocks, labeling.labels, labeling.probabilities)
            parts["blocks"] = _write_part(steps, partial(export, content_only=exported == "content")) or ()
        names = [name for name in FORMS if getattr(self.options, name)]
        return parts | write_forms(content, names, partial(_write_part, steps))


def _describe(answer: Extraction, labeled: Labeled, kind: PageKind | None) -> Extraction:
    """Return *answer* with the kind of the page, the labeler, the confidence and the counts of these labels."""
    labeler, labeling = labeled.labeler, labeled.labeling
    page_type, probability = (kind in TYPED_KINDS and labeling.page_type) or (None, None)
    is_fragment = labeler is FRAGMENT
    return replace(
        answer,
        method="fragment" if is_fragment else "model" if labeler.is_model else "rules",
        page=kind,
        page_type=page_type,
        page_type_probability=probability,
        model=None if is_fragment else labeler.name,
        confidence=labeled.confidence,
        low_confidence=labeled.low_confidence,
        n_blocks=labeling.blocks.n_blocks,
        n_content=int((labeling.labels == Label.CONTENT).sum()),
    )


def _write_part(steps: Steps, write: Callable[[], _Part]) -> _Part | None:
    """Return a part of the answer, without forbidden characters; None if writing or cleaning it fails."""
    return steps.attempt(lambda: drop_forbidden(write()))


def _write_main(page: Page, labeling: Labeling, url: str | None, arrange: _Arrange) -> _Main:
    """Return the content that the labels select, with its text."""
    selected = select_content(page, labeling.blocks, labeling.labels, labeling.probabilities, url=url)
    content = arrange(selected)
    return content, drop_forbidden(content_text(content))


def _write_hidden(page: Page, url: str | None, arrange: _Arrange, main: _Main | None) -> _Main | None:
    """Return the content in the scripts of *page*, with its text; None if there is none.

    :param main: the content that the labels select, if its text is short; what the options leave out counts, too.
    """
    if main is not None and main[0].n_selected >= LEAST_LETTERS // 2:
        return None
    selected = select_hidden_content(page, url)
    if selected is None:
        return None
    content = arrange(selected)
    return content, drop_forbidden(content_text(content))
