"""Suggestions for misspelled names."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

_LEAST_SIMILARITY = 0.7
_LONGEST_NAME = 100  # characters; the comparison takes quadratic time


def find_similar(name: object, known: Iterable[str], least: float = _LEAST_SIMILARITY) -> str | None:
    """Return the name in *known* that *name* probably means; None if no name is similar.

    Case, ``-`` and ``_`` do not count.

    :param least: least share of equal characters, in [0, 1].
    """
    by_form = {_normalize(other): other for other in known}
    found = get_close_matches(_normalize(str(name)[:_LONGEST_NAME]), by_form, 1, least)
    return by_form[found[0]] if found else None


def did_you_mean(unknown: Iterable[object], known: Iterable[str], least: float = _LEAST_SIMILARITY) -> str:
    """Return `` (did you mean …?)`` as the end of a message; empty if no name in *known* is similar."""
    known = tuple(known)
    found = dict.fromkeys(filter(None, (find_similar(name, known, least) for name in unknown)))
    return f" (did you mean {', '.join(found)}?)" if found else ""


def suggest(unknown: Iterable[object], known: Iterable[str], least: float = _LEAST_SIMILARITY) -> str:
    """Return the end of a message about *unknown* names: similar names, and all *known* names if one has none."""
    unknown, known = tuple(unknown), tuple(known)
    is_clear = all(find_similar(name, known, least) for name in unknown)
    return did_you_mean(unknown, known, least) + ("" if is_clear else f"; expected some of {', '.join(known)}")


def _normalize(name: str) -> str:
    return name.casefold().replace("-", "_").strip("_")
