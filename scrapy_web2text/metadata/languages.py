"""The language of a text, by py3langid (extra ``metadata``)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final

__all__ = ["LANGUAGE_PACKAGES", "identify_language", "known_languages"]

LANGUAGE_PACKAGES: Final = ("py3langid",)

# The language of a text with fewer characters, or with fewer letters among those that are read, is not identified.
_LEAST_TEXT: Final = 100
_LEAST_LETTERS: Final = 50
_READ_TEXT: Final = 2000
_NO_LANGUAGE: Final = "zxx"  # ISO 639-2: no linguistic content


def identify_language(text: str) -> str | None:
    """Return the ISO 639 code of the language of *text*; None if it has too few letters, or is not in any."""
    beginning = text[:_READ_TEXT]
    if len(text) < _LEAST_TEXT or sum(map(str.isalpha, beginning)) < _LEAST_LETTERS:
        return None
    code, _ = _identifier()(beginning)
    return None if code == _NO_LANGUAGE else code


@cache
def known_languages() -> frozenset[str]:
    """Return the codes of the languages that can be identified."""
    import py3langid  # noqa: PLC0415  loads its model

    return frozenset(code for code, _ in py3langid.rank("")) - {_NO_LANGUAGE}


@cache
def _identifier() -> Callable[[str], tuple[str, float]]:
    import py3langid  # noqa: PLC0415  loads its model

    identify: Callable[[str], tuple[str, float]] = py3langid.classify
    return identify
