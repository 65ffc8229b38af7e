"""The trace of an extraction: the results of its stages. A stage that is too slow, or fails, has no result."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Concatenate, NamedTuple, ParamSpec, TypeVar

from scrapy_web2text.common.arrays import IntArray
from scrapy_web2text.common.budget import Budget, check_time
from scrapy_web2text.content.content import Content
from scrapy_web2text.content.nodes import Document
from scrapy_web2text.exceptions import PageError, escape_line
from scrapy_web2text.extraction import Block, Label, Metadata, PageKind
from scrapy_web2text.labelers.base import Labeler, Labeling
from scrapy_web2text.labelers.confidence import expected_f1
from scrapy_web2text.labelers.registry import Labelers
from scrapy_web2text.labelers.roles import exclude_roles, include_roles
from scrapy_web2text.labelers.selector import drop_hidden, exclude_elements
from scrapy_web2text.options import Options
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.reasons import Reason

if TYPE_CHECKING:
    from scrapy_web2text.sources.source import Source

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")

# For tests: whether unexpected errors of an extraction are raised.
RAISE_ERRORS = False

logger = logging.getLogger(__name__)

_logged_errors: set[str] = set()


@dataclass(frozen=True, slots=True, eq=False)
class Labeled:
    """The labels of a page, the labeler that gave them, and the confidence in them.

    :param labels: the labels of *labeling*, with BOILERPLATE for roles that the options exclude.
        *Shape:* ``(n,)``
    """

    labeler: Labeler
    labeling: Labeling
    confidence: float | None
    labels: IntArray

    @classmethod
    def create(cls, options: Options, page: Page, labeler: Labeler, labeling: Labeling) -> Labeled:
        """Return the labels after the options have included, excluded and hidden content.

        The confidence is given by the labeler, or else computed from the probabilities.
        """
        labeling = exclude_elements(page, include_roles(labeling, options), options.exclude)
        if labeling.selected is None or options.hidden == "drop":
            labeling = drop_hidden(page, labeling, options.hidden)
        confidence = labeling.confidence
        if confidence is None and labeling.probabilities is not None:
            confidence = expected_f1(labeling.labels, labeling.probabilities, labeling.n_tokens)
        return cls(labeler, labeling, confidence, exclude_roles(labeling, options))

    def without_content(self) -> Labeled:
        """Return the labels with no content. The confidence is unknown, since the labeler did not give this answer."""
        labeling = self.labeling.without_content()
        return Labeled(self.labeler, labeling, None, labeling.labels)

    def is_low(self, options: Options) -> bool:
        """Return whether the confidence is below the option ``min_confidence``, and an option acts on that."""
        if options.min_confidence is None or options.on_low_confidence == "keep" or self.confidence is None:
            return False
        return self.confidence < options.min_confidence

    @property
    def has_content(self) -> bool:
        """Whether any block is content."""
        return Label.CONTENT in self.labeling.labels

    @property
    def is_complete(self) -> bool:
        """Whether the page certainly has no other content: it is a fragment, or the user has selected elements."""
        return self.labeler.method in ("fragment", "selector")


class MainText(NamedTuple):
    """The main content of a page, and its text."""

    content: Content
    text: str


@dataclass(slots=True, eq=False)
class Trace:
    """The input of an extraction, and the results of its stages.

    :param paths: whether to find the XPaths of blocks, and their roles.
    :param first_half: the limits for the model, which has half of the time, so that the rules can still answer.
    :param page: None if the page was not parsed.
    :param max_form_characters: maximum length of a form such as HTML, in characters.
    :param main: the content that the labels select, or else the content of a script; None if there is no answer.
    :param emptied: the labels of a page whose kind has no content; None for other pages.
    :param other_language: the language of the text, if the options do not list the language; the text is then left out.
    :param document: the content as a tree, from which its forms are written.
    :param parts: the parts of the answer that options ask for, by name, and the paragraphs that chunks are made of.
    :param reason: the reason of the last stage that failed, or of an answer that is not the model's.
    :param error: class of the last unexpected exception; None if there was none.
    :param elapsed: CPU time of the extraction, in seconds.
    """

    options: Options
    labelers: Labelers
    source: Source
    url: str | None = None
    paths: bool = True
    first_half: Budget = field(default_factory=Budget)
    page: Page | None = None
    max_form_characters: int = 0
    title: str = ""
    labeled: Labeled | None = None
    main: MainText | None = None
    kind: PageKind | None = None
    emptied: Labeled | None = None
    other_language: Metadata | None = None
    blocks: tuple[Block, ...] = ()
    document: Document | None = None
    parts: dict[str, Any] = field(default_factory=dict)
    reason: Reason | None = None
    error: str | None = None
    elapsed: float = 0.0

    @property
    def shown(self) -> MainText | None:
        """The content of the answer; None if the options leave out its language."""
        return self.main if self.other_language is None else None


def attempt(
    trace: Trace,
    stage: Callable[Concatenate[Trace, _Arguments], _Result],
    *args: _Arguments.args,
    **kwargs: _Arguments.kwargs,
) -> _Result | None:
    """Return the result of *stage*. If it fails, return None and write the reason into *trace*.

    No stage begins after the time is used up. Of unexpected exceptions, the first of each class in a process is logged.
    """
    try:
        check_time()
        return stage(trace, *args, **kwargs)
    except PageError as error:
        trace.reason = error.reason
    except Exception as error:  # a bug of this package or of a library
        if RAISE_ERRORS:
            raise
        trace.reason, trace.error = "error", type(error).__name__
        if trace.error not in _logged_errors:
            _logged_errors.add(trace.error)
            url = escape_line(trace.url or "a page")
            logger.exception("Unexpected %s while extracting %s. It is logged once", trace.error, url)
    return None
