"""The names of settings, and the warning about misspelled ones."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Final

from scrapy_web2text.suggestions import did_you_mean, find_similar

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
        message = "Ignoring unknown settings: %s%s. Known settings: %s"
        logger.warning(message, ", ".join(unknown), did_you_mean(unknown, known), ", ".join(known))
