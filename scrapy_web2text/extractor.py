"""The extractor: all steps from a page to its extraction."""

from __future__ import annotations

import time
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from scrapy_web2text.budget import Budget
from scrapy_web2text.exceptions import PageError
from scrapy_web2text.extraction import Extraction
from scrapy_web2text.labelers.choice import Labeled, LabelerChoice
from scrapy_web2text.labelers.confidence import share_of_read_words
from scrapy_web2text.metadata.languages import LANGUAGE_PACKAGES, known_languages
from scrapy_web2text.metadata.read import METADATA_PACKAGES, Metadata
from scrapy_web2text.options import OptionError, Options
from scrapy_web2text.page.arrays import Page, tree_to_page
from scrapy_web2text.page.blocks import Label
from scrapy_web2text.page.bounds import is_longer, most_blocks
from scrapy_web2text.page.events import deep_reason
from scrapy_web2text.page.parse import check_types, is_empty, parse
from scrapy_web2text.page.responses import is_html, is_response, stated_encoding
from scrapy_web2text.parts import (
    MainText,
    describe,
    find_other_language,
    find_title,
    read_all_metadata,
    without_labeler,
    write_hidden,
    write_main,
    write_part,
    write_parts,
)
from scrapy_web2text.steps import Steps, log_error
from scrapy_web2text.verdicts.judge import judge_page
from scrapy_web2text.verdicts.kinds import REFUSALS, TEXTLESS_KINDS

if TYPE_CHECKING:
    from scrapy_web2text.page.fragments import Extent
    from scrapy_web2text.page.parse import Html
    from scrapy_web2text.page.responses import ResponseLike
    from scrapy_web2text.verdicts.kinds import PageKind


__all__ = ["Extractor", "extract"]

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

    def extract(
        self,
        html: Html | ResponseLike,
        url: str | None = None,
        *,
        encoding: str | None = None,
        paths: bool = True,
    ) -> Extraction:
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
        :param paths: whether to find the XPaths of blocks, which takes 5 % of the time; `Block.path` is None otherwise.
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
            answer = self._answer(html, url, encoding, paths=paths)
        except Exception as error:  # the boundary between a page and bugs of this package and of libraries
            if RAISE_ERRORS:
                raise
            answer = {"fallback_reason": "error", "error": log_error(error, url)}
        elapsed = time.thread_time() - start
        return Extraction(**answer, url=url, elapsed=elapsed, block_fields=self.options.block_fields)

    def _answer(self, html: Html, url: str | None, encoding: str | None, *, paths: bool) -> dict[str, Any]:
        """Return the answer for a page in any form, by field; its URL and elapsed time are not set."""
        options = self.options
        if is_longer(html, options.max_bytes):
            return {"fallback_reason": "max_bytes"}
        if is_empty(html):
            return {"page": "empty", "fallback_reason": "empty_body"}
        limit = most_blocks(html, options.max_blocks, self._labelers.first.block_bytes if self._labelers.first else 0)
        # The model has half of the time, so that the rules can still answer.
        budget = Budget(options.timeout and 2 * options.timeout, limit)
        with budget.running():
            try:
                parsed = parse(html, encoding=encoding)
                page = tree_to_page(parsed.root)
            except PageError as error:
                return {"fallback_reason": error.reason}
            answer = self._answer_page(page, url, budget, parsed.extent, paths=paths)
            return answer | {"encoding": parsed.encoding, "encoding_source": parsed.source}

    def _answer_page(
        self, page: Page, url: str | None, budget: Budget, extent: Extent, *, paths: bool
    ) -> dict[str, Any]:
        """Return the answer for *page*, one part after another; each is written once, and can fail by itself."""
        options, steps = self.options, Steps(url, raises=RAISE_ERRORS)
        title = write_part(steps, partial(find_title, page, options.title_selector)) or ""
        answer: dict[str, Any] = {"title": title}
        labeled, main = self._read(page, url, title, steps, budget, extent)
        if labeled is not None:
            kind = steps.attempt(partial(self._judge, page, labeled, extent))
            if kind in TEXTLESS_KINDS and options.page_verdict and Label.CONTENT in labeled.labeling.labels:
                labeled = labeled.without_content()
                main = steps.attempt(partial(write_main, page, labeled.labeling, url, options, title))
            answer |= describe(self._lower_confidence(labeled, main, steps), kind)
        is_complete = labeled is not None and labeled.is_complete
        if answer.get("page") not in REFUSALS and (main is None or (main.is_short and not is_complete)):
            hidden = steps.attempt(partial(write_hidden, page, url, options, title, main))
            if hidden is not None:
                main, steps.reason = hidden, steps.reason or "empty"
                answer |= without_labeler("structured-data", page="content")
        language = None if main is None else find_other_language(main.text, options.languages, steps)
        if language is not None:
            answer |= without_labeler("none", n_content=0, metadata=Metadata(language=language))
        elif main is not None:
            answer |= {"text": main.text, **write_parts(page, labeled, main.content, options, steps, paths=paths)}
        if options.metadata:
            metadata = write_part(steps, partial(read_all_metadata, page, url, title, main))
            answer["metadata"] = metadata or answer.get("metadata")
        reason = "language" if language is not None else steps.reason or deep_reason(page.root)
        return answer | {"fallback_reason": reason, "error": steps.error}

    def _read(
        self, page: Page, url: str | None, title: str, steps: Steps, budget: Budget, extent: Extent
    ) -> tuple[Labeled | None, MainText | None]:
        """Return labels, content and text of *page*, by the rules if those of the model fail; None if they fail too."""
        labelers = self._labelers
        labeled = labelers.label(page, steps, budget, extent)
        while labeled is not None:
            # The headline of a fragment is content like the rest of it.
            own_title = "" if labeled.method == "fragment" else title
            main = steps.attempt(partial(write_main, page, labeled.labeling, url, self.options, own_title))
            if main is not None:
                return labeled, main
            labeled = None if labeled.labeler is labelers.rules else labelers.label_by_rules(page, steps)
        return None, None

    def _judge(self, page: Page, labeled: Labeled, extent: Extent) -> PageKind:
        """Return the kind of *page*; what the caller selects or calls a fragment is content, whatever it says."""
        is_called_fragment = extent == "element" or self.options.fragment is True
        if labeled.is_complete and (labeled.method == "selector" or is_called_fragment):
            return "content" if Label.CONTENT in labeled.labeling.labels else "empty"
        return judge_page(page, labeled.labeling)

    def _lower_confidence(self, labeled: Labeled, main: MainText | None, steps: Steps) -> Labeled:
        """Return *labeled* with a lower confidence if characters of the text could not be decoded."""
        if main is None or "\ufffd" not in main.text:
            return labeled
        share = steps.attempt(partial(share_of_read_words, main.text))
        return labeled if share is None else labeled.lower(share, self.options)


def _check_extra(options: Options) -> None:
    """Raise an OptionError if an option needs the extra ``metadata``, which is missing, or a language that it lacks."""
    for name, packages in (("metadata", METADATA_PACKAGES), ("languages", LANGUAGE_PACKAGES)):
        if getattr(options, name) and not all(map(find_spec, packages)):
            raise OptionError(name, "needs pip install 'scrapy-web2text[metadata]'")
    unknown = {*options.languages} - known_languages() if options.languages else {}
    if unknown:
        expected = f"expected some of {', '.join(sorted(known_languages()))}"
        raise OptionError("languages", f"{expected}, got {', '.join(sorted(unknown))}")
