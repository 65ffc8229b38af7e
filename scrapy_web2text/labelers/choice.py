"""Who labels a page: the model or, if it is missing, late or in doubt, the rules."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Literal

from scrapy_web2text.combinations import find_idle_options
from scrapy_web2text.exceptions import ModelError
from scrapy_web2text.labelers.base import Labeler, Labeling
from scrapy_web2text.labelers.confidence import expected_f1
from scrapy_web2text.labelers.fallback import holds_main_content, misses_content
from scrapy_web2text.labelers.fragment import FRAGMENT
from scrapy_web2text.labelers.registry import get_labeler, get_rules
from scrapy_web2text.labelers.selector import SelectorLabeler, exclude_elements
from scrapy_web2text.options import OptionError, Options
from scrapy_web2text.page.blocks import Label

if TYPE_CHECKING:
    from scrapy_web2text.budget import Budget
    from scrapy_web2text.page.arrays import Page
    from scrapy_web2text.page.fragments import Extent
    from scrapy_web2text.reasons import FallbackReason
    from scrapy_web2text.steps import Steps

__all__ = ["Labeled", "LabelerChoice"]

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class Labeled:
    """The labels of a page, the labeler that gave them, and the confidence in them."""

    labeler: Labeler
    labeling: Labeling
    confidence: float | None
    low_confidence: bool

    @classmethod
    def create(cls, labeler: Labeler, labeling: Labeling, options: Options) -> Labeled:
        """Return the labels with their confidence, from the labeler or from the probabilities."""
        confidence = labeling.confidence
        if confidence is None and labeling.probabilities is not None:
            confidence = expected_f1(labeling.labels, labeling.probabilities, labeling.n_tokens)
        return cls(labeler, labeling, confidence, is_low(confidence, options))

    def lower(self, share: float, options: Options) -> Labeled:
        """Return the same labels with *share* of the confidence."""
        confidence = None if self.confidence is None else self.confidence * share
        return replace(self, confidence=confidence, low_confidence=is_low(confidence, options))

    def without_content(self) -> Labeled:
        """Return the answer that nothing is content. Its confidence is unknown: it is not that of the labeler."""
        return Labeled(self.labeler, self.labeling.without_content(), None, low_confidence=False)

    @property
    def is_complete(self) -> bool:
        """Whether the page has no other content, however little this is: a fragment, or selected elements."""
        return self.method in ("fragment", "selector")

    @property
    def method(self) -> Literal["model", "rules", "fragment", "selector"]:
        """How the labels were found, for the answer."""
        if isinstance(self.labeler, SelectorLabeler):
            return "selector"
        if self.labeler is FRAGMENT:
            return "fragment"
        return "model" if self.labeler.is_model else "rules"


def is_low(confidence: float | None, options: Options) -> bool:
    """Return whether *confidence* is below the least one, if there is an action for that."""
    least = options.min_confidence
    return least is not None and confidence is not None and confidence < least and options.on_low_confidence != "keep"


class LabelerChoice:
    """The labelers that the options name, and the choice between them for each page.

    :raises OptionError: if the model is unknown or lacks the preset, or the fallback is unknown.
    :raises ModelError: if the model folder is missing or invalid, unless the rules may answer in its place, by
        ``on_missing_model`` and ``fallback``.
    """

    def __init__(self, options: Options) -> None:
        self._options = options
        try:
            self.rules = None if options.fallback is None else get_rules(options.fallback)
        except ValueError as error:
            raise OptionError("fallback", str(error)) from error
        self.first: Labeler | None = None
        try:
            self.first = get_labeler(options.model)
        except ModelError as error:
            if self.rules is None:
                raise
            if options.on_missing_model == "error":
                raise ModelError(f'{error}. For answers by rules, set on_missing_model="fallback"') from error
            _warn_once(f"Model not loaded, falling back to the rules {self.rules.name}: {error}")
        except ValueError as error:
            raise OptionError("model", str(error)) from error
        self._threshold = _find_threshold(options, self.first)
        for name, why in find_idle_options(options, by_rules=self.first is not None and not self.first.is_model):
            _warn_once(f"The option {name} has no effect: {why}")

    def label(self, page: Page, steps: Steps, budget: Budget, extent: Extent) -> Labeled | None:
        """Return the labels by the model or, with the reason, by the rules; None if neither gives any.

        If *page* has elements that the option ``include`` selects, or is a fragment, neither is asked.

        :param extent: how much of a page it is.
        """
        found = self._label_elements(page, steps) or self._label_fragment(page, steps, budget, extent)
        if found is not None:
            return found
        if self.first is None:
            steps.reason = "no_model"
            return self.label_by_rules(page, steps)
        options = self._options
        labeler, half = self.first, budget.with_timeout(options.timeout)
        label = partial(labeler.label, page, threshold=self._threshold, decoder=options.decoder)
        with half.running():
            first = steps.attempt(lambda: self._create(labeler, page, label()))
        if first is None:
            return self.label_by_rules(page, steps)
        doubt = self._find_doubt(first)
        if doubt is None:
            return first
        if self.rules is None:
            steps.reason = doubt
            return None
        # In half of the time too, so that the text of the model can still be written.
        with half.running():
            second = self.label_by_rules(page, steps, only_main_content=True)
        if second is not None:
            steps.reason = doubt
        return second or first

    def _label_elements(self, page: Page, steps: Steps) -> Labeled | None:
        """Return the labels by the option ``include``; None if it is empty, or selects no text."""
        if not self._options.include:
            return None
        selector = SelectorLabeler(self._options.include)

        def label() -> Labeled | None:
            labeling = selector.label(page)
            return self._create(selector, page, labeling) if Label.CONTENT in labeling.labels else None

        return steps.attempt(label)

    def _create(self, labeler: Labeler, page: Page, labeling: Labeling) -> Labeled:
        """Return the labels with their confidence, without content that the option ``exclude`` selects."""
        return Labeled.create(labeler, exclude_elements(page, labeling, self._options.exclude), self._options)

    def _label_fragment(self, page: Page, steps: Steps, budget: Budget, extent: Extent) -> Labeled | None:
        """Return the labels of a fragment; None if *page* is not one, or if labeling it fails."""
        option = self._options.fragment
        if option is False or (option == "auto" and extent == "page"):
            return None
        find_labels = FRAGMENT.label_markup if option == "auto" and extent == "markup" else FRAGMENT.label

        def label() -> Labeled | None:
            labeling = find_labels(page)
            return None if labeling is None else self._create(FRAGMENT, page, labeling)

        with budget.with_timeout(self._options.timeout).running():
            return steps.attempt(label)

    def label_by_rules(self, page: Page, steps: Steps, *, only_main_content: bool = False) -> Labeled | None:
        """Return the labels by the rules; None if they give none.

        :param only_main_content: whether to return None if the rules do not find main content either, so that a page
            without main content is not answered with its cookie banner.
        """
        rules = self.rules
        if rules is None:
            return None

        def label() -> Labeled | None:
            labeled = self._create(rules, page, rules.label(page))
            return None if only_main_content and not holds_main_content(page, labeled.labeling) else labeled

        return steps.attempt(label)

    def _find_doubt(self, labeled: Labeled) -> FallbackReason | None:
        """Return the reason to prefer the rules to the labels of the model; None to keep them."""
        labeler, labeling = labeled.labeler, labeled.labeling
        if self.rules is not None and self.rules.name == labeler.name:
            return None  # the rules would give the same answer
        if labeler.is_model and misses_content(labeling):
            return "empty"
        if labeled.low_confidence and self._options.on_low_confidence == "fallback":
            return "low_confidence"
        return None


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
