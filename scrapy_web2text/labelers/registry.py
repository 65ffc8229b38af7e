"""Labelers by name: models and rules, each loaded once per process, and the labelers that the options name."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from scrapy_web2text.common.option import find_idle
from scrapy_web2text.exceptions import ModelError
from scrapy_web2text.labelers.base import Labeler
from scrapy_web2text.labelers.bte import BTE
from scrapy_web2text.labelers.cnn_hmm import CnnHmmLabeler
from scrapy_web2text.labelers.modern.labeler import ModernLabeler
from scrapy_web2text.labelers.rules import RuleLabeler
from scrapy_web2text.labelers.shallow.rules import parse_shallow_rules
from scrapy_web2text.labelers.weights import Model, find_model, load_model
from scrapy_web2text.options import LabelerFacts, OptionError, Options

# The kinds of model folders, as the entry `labeler` of the manifest names them. `research` adds its own.
KINDS: Final[dict[str, Callable[[Model], Labeler]]] = {"cnn-hmm": CnnHmmLabeler, "modern": ModernLabeler}
# Rules by name, except the shallow rules; `options.OTHER_RULES` names them in messages.
RULES: Final[dict[str, RuleLabeler]] = {BTE.name: BTE}
_SHALLOW: Final = re.compile(r"shallow(?:$|[:+?])")

_loaded: dict[tuple[str, int], Labeler] = {}
_lock = threading.Lock()


def get_labeler(name: str) -> Labeler:
    """Return the labeler called *name*: a shipped model, the path of a model folder, or rules (shallow or of `RULES`).

    :raises OptionError: if *name* is none of these.
    :raises ModelError: if the folder has no valid model.
    """
    if name in RULES or _SHALLOW.match(name):
        try:
            return get_rules(name)
        except ValueError as error:
            raise OptionError("model", str(error)) from error
    folder = find_model(name)
    try:
        changed = (folder / "manifest.json").stat().st_mtime_ns  # a retrained model is loaded again
    except OSError:
        changed = 0
    key = (str(folder), changed)
    with _lock:
        if key not in _loaded:
            model = load_model(folder)
            kind = model.entry("labeler", str)
            if kind not in KINDS:
                raise ModelError(
                    f"{folder}: expected labeler {' or '.join(map(repr, KINDS))}, got {kind!r}. In a clone of the "
                    "repository, python -m research in place of web2text loads the kinds for comparison"
                )
            _loaded[key] = KINDS[kind](model)
        return _loaded[key]


@lru_cache(maxsize=64)
def get_rules(name: str) -> Labeler:
    """Return the rules called *name*.

    :raises ValueError: if there are no such rules.
    """
    return RULES[name] if name in RULES else parse_shallow_rules(name)


class Labelers:
    """The labelers that the options name.

    :raises OptionError: if the model is unknown or lacks the named threshold, or the fallback is unknown.
    :raises ModelError: if the model folder is missing or invalid. If ``on_missing_model`` is ``fallback`` and there are
        rules, this is a warning, and *first* is None.
    """

    def __init__(self, options: Options) -> None:
        try:
            self.rules = None if options.fallback is None else get_rules(options.fallback)
        except ValueError as error:
            raise OptionError("fallback", str(error)) from error
        self.first: Labeler | None = None
        self.warnings: list[tuple[str, str]] = []
        """Pairs of an option and its problem, in which backticks enclose the names of options."""
        try:
            self.first = get_labeler(options.model)
        except ModelError as error:
            if self.rules is None:
                raise
            if options.on_missing_model == "error":
                raise ModelError(f'{error}. For answers by rules, set `on_missing_model`="fallback"') from error
            self.warnings.append(("model", f"cannot be loaded, and the rules {self.rules.name} answer: {error}"))
        self.threshold = _find_threshold(options, self.first)
        by_rules = self.first is not None and self.first.method != "model"
        has_roles = self.first is None or self.first.has_roles
        idle = find_idle(options, LabelerFacts(by_rules, has_roles))
        self.warnings += [(name, f"has no effect: {why}") for name, why in idle]


def _find_threshold(options: Options, labeler: Labeler | None) -> float | None:
    """Return the threshold that the options give, by value or by name; None for the labeler's own."""
    threshold = options.threshold
    if not isinstance(threshold, str):
        return threshold
    if labeler is None or labeler.method != "model":
        return None
    if threshold not in labeler.thresholds:
        named = ", ".join(map(repr, labeler.thresholds))
        expected = f"one of {named}" if named else "a number, as it has no named thresholds"
        raise OptionError("threshold", f"{labeler.name} has no threshold {threshold!r}; expected {expected}")
    return labeler.thresholds[threshold]
