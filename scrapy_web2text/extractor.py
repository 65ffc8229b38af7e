"""The extractor takes pages and returns extractions. The stages between them are in `answer.sequence`."""

from __future__ import annotations

import logging
import time
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from scrapy_web2text.answer.sequence import run_stages, trace_to_extraction
from scrapy_web2text.answer.trace import Trace
from scrapy_web2text.exceptions import warn_once
from scrapy_web2text.labelers.registry import Labelers
from scrapy_web2text.metadata.read import LANGUAGE_PACKAGES, METADATA_PACKAGES, known_languages
from scrapy_web2text.options import OptionError, Options
from scrapy_web2text.reasons import name_options
from scrapy_web2text.sources.source import Source

if TYPE_CHECKING:
    from scrapy_web2text.extraction import Extraction
    from scrapy_web2text.page.parse import Html
    from scrapy_web2text.page.sniffing import ResponseLike


__all__ = ["Extractor", "extract"]

logger = logging.getLogger(__name__)


def extract(
    html: Html | ResponseLike, /, url: str | None = None, *, encoding: str | None = None, **options: Any
) -> Extraction:
    """Return the main content of a page, or of a part of a page.

    :param html: the page as a response of Scrapy or web-poet, `bytes`, `str`, parsel Selector or lxml tree.
        No other thread may change a tree during the extraction, or lxml crashes.
    :param url: URL of the page, which relative links are joined to; None takes the URL of the response.
    :param encoding: encoding of `bytes`, by a name in the Encoding Standard or its name in Python; None takes the
        encoding that the response states. If it states none, the encoding is read from the page.
    :param options: the fields of :class:`Options`, by name.
    :raises TypeError: if *html* is of another type, or *url* is not a string.
    :raises ValueError: if an option is unknown or has an invalid value, or *encoding* is not the name of an encoding.
    """
    return Extractor(**options).extract(html, url, encoding=encoding)


class Extractor:
    """Extracts the main content of pages. Threads can share an extractor.

    Creating an extractor is cheap. Only the first with the option ``metadata`` or ``languages`` takes a second to load
    packages, so that no page has to wait for them.

    :param warns: whether to log options without effect, once in a process. `warnings` has them, too.
    :raises ValueError: if an option is unknown.
    :raises OptionError: if the value of an option is invalid, the model is unknown or lacks the named threshold, or a
        required extra is not installed.
    :raises ModelError: if the model folder is missing or invalid, and ``on_missing_model`` is ``error`` or ``fallback``
        is None.
    """

    def __init__(self, options: Options | None = None, /, *, warns: bool = True, **overrides: Any) -> None:
        if options is not None and not isinstance(options, Options):
            raise ValueError(
                f"options: expected Options, or options by name as in Extractor(threshold=0.5), got {options!r}"
            )
        self.options = (options or Options()).replace(**overrides)
        _load_extra(self.options)
        self._labelers = Labelers(self.options)
        self.warnings = self._labelers.warnings
        if warns:
            for option, problem in self.warnings:
                warn_once(logger, f"The option {option} {name_options(problem)}")

    def extract(
        self,
        html: Html | ResponseLike | Source,
        url: str | None = None,
        *,
        encoding: str | None = None,
        paths: bool = True,
    ) -> Extraction:
        """Return the main content of one page. Every page gets an answer, however broken it is.

        A part of the answer (the text, the blocks, a form, the title, the metadata) is left out if it takes too long or
        raises an unexpected exception. The reason is then ``timeout`` or ``error``. If there is no text yet, the rules
        answer; if they fail too, the text is empty. The first exception of each class in a process is logged with its
        traceback. Only `MemoryError` and other subclasses of `Exception` are caught; a crash or an endless loop of a
        library is not.

        :param html, url, encoding: see :func:`extract`. The reason is ``not_html`` for a response that is not HTML.
        :param paths: whether to find the XPaths of blocks, which takes 5 % of the time; `Block.path` is None otherwise.
        :raises TypeError: if *html* is of another type, or *url* is not a string.
        :raises ValueError: if *encoding* is not the name of an encoding.
        """
        return trace_to_extraction(self.trace(html, url, encoding=encoding, paths=paths))

    def trace(
        self,
        html: Html | ResponseLike | Source,
        url: str | None = None,
        *,
        encoding: str | None = None,
        paths: bool = True,
    ) -> Trace:
        """Return all that an extraction finds out about a page, for tools that show pages. See `extract`."""
        start = time.thread_time()
        source = Source.of(html, url, encoding)
        trace = Trace(self.options, self._labelers, source, source.url if url is None else url, paths)
        run_stages(trace)
        trace.elapsed = time.thread_time() - start
        return trace


def _load_extra(options: Options) -> None:
    """Load the packages that the options need; otherwise the first page would, within its time limit.

    :raises OptionError: if the extra ``metadata`` is missing, or lacks a language.
    """
    for name, packages in (("metadata", METADATA_PACKAGES), ("languages", LANGUAGE_PACKAGES)):
        if not getattr(options, name):
            continue
        if not all(map(find_spec, packages)):
            raise OptionError(name, "needs pip install 'scrapy-web2text[metadata]'")
        for package in packages:
            import_module(package)
        unknown = {*options.languages} - known_languages()  # loads the model of py3langid
        if unknown:
            expected = f"expected some of {', '.join(sorted(known_languages()))}"
            raise OptionError("languages", f"{expected}, got {', '.join(sorted(unknown))}")
