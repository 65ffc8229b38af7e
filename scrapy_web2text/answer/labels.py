"""Chooses the labeler of a page: the model or, if it is missing, too slow or in doubt, the rules."""

from __future__ import annotations

from scrapy_web2text.answer.trace import Labeled, Trace, attempt
from scrapy_web2text.extraction import Label
from scrapy_web2text.labelers.base import Labeler
from scrapy_web2text.labelers.confidence import holds_main_content, misses_content
from scrapy_web2text.labelers.fragment.labeler import FRAGMENT
from scrapy_web2text.labelers.selector import SelectorLabeler
from scrapy_web2text.options import Decoder
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.reasons import Reason


def label_elements(trace: Trace, page: Page) -> None:
    """Label the elements that the option ``include`` selects. If they have text, no other labeler runs."""
    if trace.options.include:
        selector = SelectorLabeler(trace.options.include)
        labeling = selector.label(page)
        if Label.CONTENT in labeling.labels:
            trace.labeled = Labeled.create(trace.options, page, selector, labeling)


def label_fragment(trace: Trace, page: Page) -> None:
    """Label a fragment, if the page is one. Then neither the model nor the rules run."""
    fragment, extent = trace.options.fragment, trace.source.parsed.extent
    if trace.labeled is None and (fragment is True or (fragment == "auto" and extent != "page")):
        is_doubtful = fragment == "auto" and extent == "markup"
        with trace.first_half.running():
            labeling = FRAGMENT.label_markup(page) if is_doubtful else FRAGMENT.label(page)
            if labeling is not None:
                trace.labeled = Labeled.create(trace.options, page, FRAGMENT, labeling)


def label_by_model(trace: Trace, page: Page) -> None:
    """Label the page by the model or, if its labels are in doubt, by the rules."""
    if trace.labeled is not None:
        return
    labelers = trace.labelers
    if labelers.first is None:
        trace.reason = "no_model"
        return
    with trace.first_half.running():  # leaves time for the rules, or to write the text
        first = label(trace, page, labelers.first, threshold=labelers.threshold, decoder=trace.options.decoder)
        doubt = _find_doubt(trace, first)
        if doubt is None:
            trace.labeled = first
        elif labelers.rules is None:
            trace.reason = doubt
        else:
            second = attempt(trace, _label_main_content, page, labelers.rules)
            if second is not None:
                trace.reason = doubt
            trace.labeled = second or first


def label_by_rules(trace: Trace, page: Page) -> None:
    """Label the page by the rules if the model has no labels."""
    if trace.labeled is None and trace.labelers.rules is not None:
        trace.labeled = label(trace, page, trace.labelers.rules)


def label(
    trace: Trace, page: Page, labeler: Labeler, *, threshold: float | None = None, decoder: Decoder | None = None
) -> Labeled:
    """Return the labels by a model or by rules."""
    labeling = labeler.label(page, threshold=threshold, decoder=decoder)
    return Labeled.create(trace.options, page, labeler, labeling)


def _label_main_content(trace: Trace, page: Page, rules: Labeler) -> Labeled | None:
    """Return the labels by *rules*; None if the rules find no main content, either.

    Without this check, the answer for a page without main content would be its cookie banner.
    """
    labeled = label(trace, page, rules)
    return labeled if holds_main_content(page, labeled.labeling) else None


def _find_doubt(trace: Trace, labeled: Labeled) -> Reason | None:
    """Return the reason to prefer the rules to the labels of the model; None to keep them."""
    rules, options = trace.labelers.rules, trace.options
    if rules is not None and rules.name == labeled.labeler.name:
        return None  # the rules have given this answer
    if labeled.labeler.method == "model" and misses_content(labeled.labeling):
        return "empty"
    if labeled.is_low(options) and options.on_low_confidence == "fallback":
        return "low_confidence"
    return None
