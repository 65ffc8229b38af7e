"""The names of settings, and the warning about misspelled ones."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Final

from scrapy_web2text.suggestions import find_similar

__all__ = ["PREFIX", "setting_name", "warn_of_unknown"]

PREFIX: Final = "WEB2TEXT_"
# Least share of equal characters of a setting without the prefix and one of this package, such as WEBTEXT_MODEL.
_LEAST_SIMILARITY: Final = 0.85

logger = logging.getLogger(__name__)


def setting_name(name: str) -> str:
    """Return the setting of an option or of a field of the settings."""
    return f"{PREFIX}{name.upper()}"


def warn_of_unknown(settings: Iterable[str], known: Iterable[str]) -> None:
    """Log a warning about *settings* that are not *known* but have the prefix, or look as if they should have it."""
    known = sorted(known)
    others = {name for name in map(str, settings) if name.upper() not in known}
    unknown = sorted(name for name in others if name.startswith(PREFIX))
    # Names of Scrapy and of other packages are not similar; few of them have to be compared.
    alike = sorted(name for name in others if name.startswith("WEB") and not name.startswith(PREFIX))
    unknown += [name for name in alike if find_similar(name, known, _LEAST_SIMILARITY)]
    if unknown:
        hints = {name: _find_meant(name, known) for name in unknown}
        names = [f"{name} (did you mean {hint}?)" if hint else name for name, hint in hints.items()]
        rest = "" if all(hints.values()) else f". Known settings: {', '.join(known)}"
        logger.warning("Ignoring unknown settings: %s%s", ", ".join(names), rest)


def _find_meant(name: str, known: Iterable[str]) -> str | None:
    """Return the setting that *name* probably means; None if none is similar. The prefix does not count."""
    if not name.startswith(PREFIX):
        return find_similar(name, known)
    found = find_similar(name.removeprefix(PREFIX), (other.removeprefix(PREFIX) for other in known))
    return found and f"{PREFIX}{found}"
