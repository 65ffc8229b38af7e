"""The item filter for feeds: confidence, method and length of the answers."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final, get_args

from scrapy.extensions.feedexport import ItemFilter

from scrapy_web2text.common.checks import NOT_NEGATIVE, SHARE, TEXT, Rule, is_number, one_of, one_or_more
from scrapy_web2text.common.suggestions import did_you_mean, find_similar
from scrapy_web2text.crawl.items import ItemValues, name_fields
from scrapy_web2text.crawl.settings import Web2TextSettings
from scrapy_web2text.extraction import Method
from scrapy_web2text.verdicts.kinds import PAGE_KINDS, PAGE_TYPES

logger = logging.getLogger(__name__)


def _some_of(names: Sequence[str]) -> Rule:
    return one_or_more(one_of(*names), f"one or more of {', '.join(map(repr, names))}")


# Options of `ContentFilter` that list names -> the value of the summary that the option limits, and its rule.
_NAME_RULES: Final = {
    "methods": ("method", _some_of(get_args(Method))),
    "page_kinds": ("page_kind", _some_of(PAGE_KINDS)),
    "page_types": ("page_type", _some_of(PAGE_TYPES)),
}
_RULES: Final = {
    "min_confidence": SHARE,
    "max_confidence": SHARE,
    "min_words": NOT_NEGATIVE,
    **dict.fromkeys(("text_field", "summary_field"), Rule("the name of an item field", TEXT.allows)),
}
FILTER_CONDITIONS: Final = ("min_confidence", "max_confidence", *_NAME_RULES, "min_words")
_FILTER_OPTIONS: Final = (*FILTER_CONDITIONS, "text_field", "summary_field")


class ContentFilter(ItemFilter):
    """Selects the items of a feed by their confidence.

    It is the ``item_filter`` of the feed, and reads its limits from the options of the feed::

        FEEDS = {"sure.jsonl": {"format": "jsonlines", "item_filter": "scrapy_web2text.exporters.ContentFilter",
                                "min_confidence": 0.7, "min_words": 50}}

    :param feed_options: the options of the feed. ``min_confidence`` and ``max_confidence``: limits from 0 to 1, both
        included; a page without a confidence counts as 0. ``methods``: a method such as ``"model"``, or a list of them.
        ``page_kinds``: a kind of page such as ``"content"``, or a list of them. ``page_types``: a type of page
        such as ``"article"``, or a list of them.
        ``min_words``: the least number of words of the text; in scripts that do not separate words by spaces, each
        letter counts as one. ``text_field`` and ``summary_field``: item fields, if not those of ``WEB2TEXT_FIELDS``.
        None unsets an option.
    :raises ValueError: if a value is invalid; the message names the option and what was expected.
    """

    def __init__(self, feed_options: dict[str, Any] | None) -> None:
        super().__init__(feed_options)
        # Other names are options of Scrapy, or of other packages.
        similar = {str(name) for name in feed_options or () if find_similar(name, _FILTER_OPTIONS, 0.75)}
        warn_of_unknown("feed options", similar - {*_FILTER_OPTIONS}, _FILTER_OPTIONS)
        options = {name: value for name, value in (feed_options or {}).items() if value is not None}
        for name, rule in _RULES.items():
            if name in options:
                rule.check(options[name], f"FEEDS: {name}")
        self._least, self._most = options.get("min_confidence", 0), options.get("max_confidence", 1)
        if self._least > self._most:
            raise ValueError(
                f"FEEDS: min_confidence: expected at most max_confidence, {self._most!r}, got {self._least!r}"
            )
        self._least_words = options.get("min_words", 0)
        # Option -> the value of the summary that it limits, and the names that pass.
        self._names = {
            name: (value, _read_names(options[name], name, rule))
            for name, (value, rule) in _NAME_RULES.items()
            if name in options
        }
        self._chosen = {value: options.get(f"{value}_field") for value in ("text", "summary")}
        self._values = ItemValues(None, self._chosen)
        self.left_out: Counter[str] = Counter()
        self.advice = ""

    def read_settings(self, settings: Web2TextSettings) -> str | None:
        """Read the fields of ``WEB2TEXT_FIELDS``. If they lack values that the options need, return a message."""
        self._values = ItemValues(settings, self._chosen)
        needed = ["confidence"] if self._least > 0 or self._most < 1 else []
        needed += [value for value, _ in self._names.values()]
        needed += ["text"] if self._least_words > 0 else []
        lacking = [name for name in needed if not self._values.can_find(name)]
        if not lacking:
            return None
        return f"its filter needs {' and '.join(lacking)}, which no item field of WEB2TEXT_FIELDS has"

    def accepts(self, item: Any) -> bool:
        """Return whether *item* goes into the feed. An item without a summary has neither confidence nor method."""
        if not super().accepts(item):
            return False
        found = self._find_cause(item)
        if found is None:
            return True
        cause, value = found
        if not self._values.has_field(item, value):
            cause = "missing_field"
            self.advice = f". Its filter reads the item field {name_fields(self._values.fields_of(value))}"
        self.left_out[cause] += 1
        return False

    def _find_cause(self, item: Any) -> tuple[str, str] | None:
        """Return the option that leaves *item* out, and the value that it limits; None if the item is kept."""
        confidence = self._values.find(item, "confidence")
        confidence = confidence if is_number(confidence) else 0
        if not self._least <= confidence <= self._most:
            return "max_confidence" if confidence > self._most else "min_confidence", "confidence"
        for option, (value, names) in self._names.items():
            if self._values.find(item, value) not in names:
                return option, value
        if self._least_words:
            from scrapy_web2text.features.texts import count_tokens  # loads numpy

            text = self._values.find(item, "text")
            if count_tokens([text if isinstance(text, str) else ""])[0] < self._least_words:
                return "min_words", "text"
        return None


def warn_of_unknown(what: str, names: Iterable[str], known: Iterable[str]) -> None:
    """Log a warning about unknown *names*, with the *known* names; do nothing if *names* is empty."""
    unknown = sorted(names)
    if unknown:
        message = "FEEDS: ignoring unknown %s: %s%s. Known: %s"
        logger.warning(message, what, ", ".join(unknown), did_you_mean(unknown, known), ", ".join(known))


def _read_names(value: Any, name: str, rule: Rule) -> tuple[str, ...]:
    """Return the one or more names in an option."""
    names = tuple(value) if isinstance(value, Iterable) and not isinstance(value, str) else (value,)
    if not rule.allows(names):
        raise ValueError(f"FEEDS: {name}: expected {rule.expected}, got {value!r}")
    return names
