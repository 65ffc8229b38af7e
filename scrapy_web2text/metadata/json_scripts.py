"""The JSON in the scripts of a page: JSON-LD, which describes the page, and the state of the program that fills it."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from typing import Any, Final

from lxml import etree

from scrapy_web2text.budget import check_time, watched

__all__ = ["JSON_LD", "STATE", "read_json_scripts", "walk_json"]

JSON_LD: Final = "application/ld+json"
STATE: Final = "application/json"

_MOST_VALUES: Final = 200_000

_find_anywhere: Final = etree.XPath("//script[@type=$kind]")
_find_below: Final = etree.XPath("descendant-or-self::script[@type=$kind]")
_script_text: Final = etree.XPath("string()", smart_strings=False)


def read_json_scripts(
    root: etree._Element,
    kind: str = JSON_LD,
    *,
    whole_document: bool = True,
    longest: int | None = None,
    repair: Callable[[etree._Element], Any] | None = None,
) -> Iterator[Any]:
    """Yield the value of each script of the *kind*, in document order.

    :param whole_document: whether to read scripts outside *root* too: libxml2 puts those after ``</html>`` there.
    :param longest: length of the longest script that is read, in characters; None sets no limit.
    :param repair: function that returns the value of a script that is not valid JSON; None skips such scripts.
    """
    for script in (_find_anywhere if whole_document else _find_below)(root, kind=kind):
        check_time()
        text = _script_text(script)
        if longest is not None and len(text) > longest:
            continue
        try:
            value = json.loads(text, strict=False)
        except (ValueError, RecursionError):
            if repair is None:
                continue
            value = repair(script)
        yield value


def walk_json(value: Any, *, into: Collection[str] | None = None) -> Iterator[tuple[str, Any]]:
    """Yield pairs of key and value for *value* and all values inside it, in document order.

    The key of *value* is empty; the parts of a list have the key of the list. At most 200,000 values are visited.

    :param into: the keys of a dict to descend into, in this order; None descends into all.
    """
    waiting = [("", value)]  # not recursive: hostile pages nest deeply
    for _ in watched(range(_MOST_VALUES)):
        if not waiting:
            return
        key, value = waiting.pop()
        yield key, value
        if isinstance(value, dict):
            waiting += reversed(
                value.items() if into is None else [(name, value[name]) for name in into if name in value]
            )
        elif isinstance(value, list):
            waiting += [(key, part) for part in reversed(value)]
