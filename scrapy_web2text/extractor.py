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
from scrapy_web2text.content.images import content_images
from scrapy_web2text.content.selection import Content, select_content, select_hidden_content
from scrapy_web2text.content.text import content_text
from scrapy_web2text.exceptions import PageError
from scrapy_web2text.extraction import Extraction, drop_forbidden
from scrapy_web2text.labelers.choice import Labeled, LabelerChoice
from scrapy_web2text.labelers.confidence import share_of_read_words
from scrapy_web2text.metadata.hidden_content import LEAST_LETTERS
from scrapy_web2text.metadata.languages import LANGUAGE_PACKAGES, identify_language, known_languages
from scrapy_web2text.metadata.read import METADATA_PACKAGES, Metadata, read_metadata
from scrapy_web2text.metadata.title import find_headline, select_headline
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
    _Arrange: TypeAlias = Callable[..., Content]

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
        _check_extra(self.options)
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
        answer = Extraction(title=_write_part(steps, partial(self._find_title, page)) or "")
        arrange = partial(arrange_content, options=self.options, title=answer.title)
        labeled, main = self._read(page, url, arrange, steps, budget, extent)
        kind: PageKind | None = None
        if labeled is not None:
            kind = steps.attempt(partial(self._judge, page, labeled, extent))
            if kind in TEXTLESS_KINDS and self.options.page_verdict and Label.CONTENT in labeled.labeling.labels:
                labeled = labeled.without_content()
                main = steps.attempt(partial(_write_main, page, labeled.labeling, url, arrange))
            answer = _describe(answer, self._lower_confidence(labeled, main, steps), kind)
        is_complete = labeled is not None and labeled.is_complete
        if kind not in REFUSALS and (main is None or (len(main[1]) < LEAST_LETTERS // 2 and not is_complete)):
            hidden = steps.attempt(partial(_write_hidden, page, url, arrange, main))
            if hidden is not None:
                main, steps.reason = hidden, steps.reason or "empty"
                answer = replace(
                    answer, method="structured-data", page="content", model=None, confidence=None, low_confidence=False
                )
        language = None if main is None else self._find_other_language(main[1], steps)
        if language is not None:
            answer = replace(answer, method="none", model=None, confidence=None, low_confidence=False, n_content=0)
            answer = replace(answer, metadata=Metadata(language=language))
        elif main is not None:
            content, text = main
            answer = replace(answer, text=text, **self._write_parts(page, labeled, content, steps))
        if self.options.metadata:
            metadata = _write_part(steps, partial(_read_metadata, page, url, answer.title, main))
            answer = replace(answer, metadata=metadata or answer.metadata)
        reason = "language" if language is not None else steps.reason or deep_reason(page.root)
        return replace(answer, fallback_reason=reason, error=steps.error)

    def _read(
        self, page: Page, url: str | None, arrange: _Arrange, steps: Steps, budget: Budget, extent: Extent
    ) -> tuple[Labeled | None, _Main | None]:
        """Return labels, content and text of *page*, by the rules if those of the model fail; None if they fail too."""
        labelers = self._labelers
        labeled = labelers.label(page, steps, budget, extent)
        while labeled is not None:
            # The headline of a fragment is content like the rest of it.
            arranged = partial(arrange, title="") if labeled.method == "fragment" else arrange
            main = steps.attempt(partial(_write_main, page, labeled.labeling, url, arranged))
            if main is not None:
                return labeled, main
            labeled = None if labeled.labeler is labelers.rules else labelers.label_by_rules(page, steps)
        return None, None

    def _find_title(self, page: Page) -> str:
        selector = self.options.title_selector
        return (selector and select_headline(page, selector)) or find_headline(page.root)

    def _find_other_language(self, text: str, steps: Steps) -> str | None:
        """Return the language of *text* if the options leave it out."""
        languages = self.options.languages
        language = steps.attempt(partial(identify_language, text)) if languages else None
        return None if language in languages else language

    def _judge(self, page: Page, labeled: Labeled, extent: Extent) -> PageKind:
        """Return the kind of *page*; what the caller selects or calls a fragment is content, whatever it says."""
        is_called_fragment = extent == "element" or self.options.fragment is True
        if labeled.is_complete and (labeled.method == "selector" or is_called_fragment):
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


def _check_extra(options: Options) -> None:
    """Raise an OptionError if an option needs the extra ``metadata``, which is missing, or a language that it lacks."""
    for name, packages in (("metadata", METADATA_PACKAGES), ("languages", LANGUAGE_PACKAGES)):
        if getattr(options, name) and not all(map(find_spec, packages)):
            raise OptionError(name, "needs pip install 'scrapy-web2text[metadata]'")
    unknown = {*options.languages} - known_languages() if options.languages else {}
    if unknown:
        expected = f"expected some of {', '.join(sorted(known_languages()))}"
        raise OptionError("languages", f"{expected}, got {', '.join(sorted(unknown))}")


def _read_metadata(page: Page, url: str | None, title: str, main: _Main | None) -> Metadata:
    """Return the metadata of *page*, with the language and the images of its main content."""
    if main is None:
        return read_metadata(page.root, url=url, title=title)
    content, text = main
    return read_metadata(page.root, url=url, title=title, text=text, images=content_images(content))


def _describe(answer: Extraction, labeled: Labeled, kind: PageKind | None) -> Extraction:
    """Return *answer* with the kind of the page, the labeler, the confidence and the counts of these labels."""
    labeling = labeled.labeling
    page_type, probability = (kind in TYPED_KINDS and labeling.page_type) or (None, None)
    return replace(
        answer,
        method=labeled.method,
        page=kind,
        page_type=page_type,
        page_type_probability=probability,
        model=None if labeled.is_complete else labeled.labeler.name,
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
    selected = select_content(
        page,
        labeling.blocks,
        labeling.labels,
        labeling.probabilities,
        url=url,
        selected=labeling.selected,
        omitted=labeling.omitted,
    )
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
