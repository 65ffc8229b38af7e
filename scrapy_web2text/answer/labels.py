"""Who labels a page: the model or, if it is missing, late or in doubt, the rules."""

from __future__ import annotations

from dataclasses import dataclass

from scrapy_web2text.answer.stages import Work, stage
from scrapy_web2text.common.arrays import IntArray
from scrapy_web2text.common.budget import Budget
from scrapy_web2text.labelers.base import Labeler, Labeling
from scrapy_web2text.labelers.confidence import expected_f1, holds_main_content, misses_content
from scrapy_web2text.labelers.fragment.labeler import FRAGMENT
from scrapy_web2text.labelers.registry import Labelers
from scrapy_web2text.labelers.roles import exclude_roles, include_roles
from scrapy_web2text.labelers.selector import SelectorLabeler, drop_hidden, exclude_elements
from scrapy_web2text.options import Decoder, Options
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import Label
from scrapy_web2text.page.sniffing import Extent
from scrapy_web2text.reasons import FallbackReason


@dataclass(frozen=True, slots=True, eq=False)
class Labeled:
    """The labels of a page, the labeler that gave them, and the confidence in them.

    :param labels: the labels of the answer: those of *labeling*, without what the options exclude by its role.
        *Shape:* ``(n,)``
    """

    labeler: Labeler
    labeling: Labeling
    confidence: float | None
    labels: IntArray

    @classmethod
    def create(cls, work: Work, page: Page, labeler: Labeler, labeling: Labeling) -> Labeled:
        """Return the labels with what the options include, exclude or hide.

        The confidence is that of the labeler, or else computed from the probabilities.
        """
        labeling = exclude_elements(page, include_roles(labeling, work.options), work.options.exclude)
        if labeling.selected is None or work.options.hidden == "drop":
            labeling = drop_hidden(page, labeling, work.options.hidden)
        confidence = labeling.confidence
        if confidence is None and labeling.probabilities is not None:
            confidence = expected_f1(labeling.labels, labeling.probabilities, labeling.n_tokens)
        return cls(labeler, labeling, confidence, exclude_roles(labeling, work.options))

    def without_content(self) -> Labeled:
        """Return the answer that nothing is content. Its confidence is unknown: the labeler did not give it."""
        labeling = self.labeling.without_content()
        return Labeled(self.labeler, labeling, None, labeling.labels)

    def is_low(self, options: Options) -> bool:
        """Return whether the confidence is below the option ``min_confidence``, and there is an action for it."""
        if options.min_confidence is None or options.on_low_confidence == "keep" or self.confidence is None:
            return False
        return self.confidence < options.min_confidence

    @property
    def has_content(self) -> bool:
        """Whether any block is content."""
        return Label.CONTENT in self.labeling.labels

    @property
    def is_complete(self) -> bool:
        """Whether the page has no other content, however little this is: a fragment, or selected elements."""
        return self.labeler.method in ("fragment", "selector")


def label_page(work: Work, page: Page, labelers: Labelers, budget: Budget, extent: Extent) -> Labeled | None:
    """Return the labels by the model or, with the reason, by the rules; None if neither gives any.

    If *page* has elements that the option ``include`` selects, or is a fragment, neither is asked.
    """
    options = work.options
    first_half = budget.with_timeout(options.timeout)
    found = _label_elements(work, page) if options.include else None
    if found is None and (options.fragment is True or (options.fragment == "auto" and extent != "page")):
        with first_half.running():
            found = _label_fragment(work, page, may_be_page=options.fragment == "auto" and extent == "markup")
    if found is not None:
        return found
    if labelers.first is None:
        work.reason = "no_model"
        return label_by_rules(work, page, labelers)
    with first_half.running():
        first = _label(work, page, labelers.first, threshold=labelers.threshold, decoder=options.decoder)
    if first is None:
        return label_by_rules(work, page, labelers)
    doubt = _find_doubt(first, labelers, options)
    if doubt is None:
        return first
    if labelers.rules is None:
        work.reason = doubt
        return None
    with first_half.running():  # so that there is time to write the text of the model
        second = label_by_rules(work, page, labelers, only_main_content=True)
    if second is not None:
        work.reason = doubt
    return second or first


def label_by_rules(work: Work, page: Page, labelers: Labelers, *, only_main_content: bool = False) -> Labeled | None:
    """Return the labels by the rules; None if they give none.

    :param only_main_content: whether to return None if the rules do not find main content either, so that a page
        without main content is not answered with its cookie banner.
    """
    rules = labelers.rules
    return None if rules is None else _label(work, page, rules, only_main_content=only_main_content)


@stage
def _label_elements(work: Work, page: Page) -> Labeled | None:
    """Return the labels by the option ``include``; None if it selects no text."""
    selector = SelectorLabeler(work.options.include)
    labeling = selector.label(page)
    return Labeled.create(work, page, selector, labeling) if Label.CONTENT in labeling.labels else None


@stage
def _label_fragment(work: Work, page: Page, *, may_be_page: bool) -> Labeled | None:
    """Return the labels of a fragment; None if *page* is not one."""
    labeling = FRAGMENT.label_markup(page) if may_be_page else FRAGMENT.label(page)
    return None if labeling is None else Labeled.create(work, page, FRAGMENT, labeling)


@stage
def _label(
    work: Work,
    page: Page,
    labeler: Labeler,
    *,
    threshold: float | None = None,
    decoder: Decoder | None = None,
    only_main_content: bool = False,
) -> Labeled | None:
    """Return the labels by a model or by rules; None if these have to be main content and are not."""
    labeled = Labeled.create(work, page, labeler, labeler.label(page, threshold=threshold, decoder=decoder))
    return None if only_main_content and not holds_main_content(page, labeled.labeling) else labeled


def _find_doubt(labeled: Labeled, labelers: Labelers, options: Options) -> FallbackReason | None:
    """Return the reason to prefer the rules to the labels of the model; None to keep them."""
    if labelers.rules is not None and labelers.rules.name == labeled.labeler.name:
        return None  # the rules would give the same answer
    if labeled.labeler.method == "model" and misses_content(labeled.labeling):
        return "empty"
    if labeled.is_low(options) and options.on_low_confidence == "fallback":
        return "low_confidence"
    return None
