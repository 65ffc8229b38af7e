"""Labelers by name: models and rules, each loaded once per process."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from scrapy_web2text.exceptions import ModelError
from scrapy_web2text.labelers.base import Labeler
from scrapy_web2text.labelers.bte import BTE
from scrapy_web2text.labelers.cnn_hmm import CnnHmmLabeler
from scrapy_web2text.labelers.modern.labeler import ModernLabeler
from scrapy_web2text.labelers.shallow.rules import parse_shallow_rules
from scrapy_web2text.labelers.weights import Model, find_model, load_model

# The kinds of model folders, as the entry `labeler` of the manifest names them. `research` adds its own.
KINDS: Final[dict[str, Callable[[Model], Labeler]]] = {"cnn-hmm": CnnHmmLabeler, "modern": ModernLabeler}
_SHALLOW: Final = re.compile(r"shallow(?:$|[:+?])")

_loaded: dict[tuple[str, int], Labeler] = {}
_lock = threading.Lock()


def get_labeler(name: str) -> Labeler:
    """Return the labeler called *name*: a shipped model, the path of a model folder, or rules (``shallow:…``, ``bte``).

    :raises ValueError: if *name* is none of these.
    :raises ModelError: if the folder has no valid model.
    """
    if name == BTE.name or _SHALLOW.match(name):
        return get_rules(name)
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
    return BTE if name == BTE.name else parse_shallow_rules(name)
