"""The names of settings, and readers for the values of ``WEB2TEXT_FIELDS`` and ``WEB2TEXT_STATUSES``."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import chain
from typing import Final

from scrapy_web2text.common.suggestions import did_you_mean, find_similar, suggest
from scrapy_web2text.extraction import EXTRACTION_FIELDS
from scrapy_web2text.options import OPTIONAL_PARTS, RENAMED

PREFIX: Final = "WEB2TEXT_"
META_KEY: Final = "web2text"
_NAME: Final = META_KEY.upper()

# Least share of equal characters of an unknown setting, such as WEBTEXT_MODEL, and a setting of this package.
_LEAST_SIMILARITY: Final = 0.85

_STATUSES: Final = re.compile(r"\s*([1-5]\d\d)\s*(?:-\s*([1-5]\d\d)\s*)?")

logger = logging.getLogger(__name__)


def setting_name(name: str) -> str:
    """Return the setting of an option or of a field of the settings."""
    return f"{PREFIX}{name.upper()}"


def refuse_old_names(settings: Iterable[str]) -> None:
    """Raise a ValueError if *settings* have a name that is no longer in use."""
    names = {
        **{setting_name(name): f"renamed to {setting_name(new)}" for name, new in RENAMED.items()},
        **{
            setting_name(name): f'expected {setting_name("fields")} with a field for it, such as {{"{name}": "{name}"}}'
            for name in OPTIONAL_PARTS
        },
    }
    names[setting_name("chunks")] += f"; {setting_name('chunk_words')} is the size of chunks"
    for name in settings:
        if name in names:
            raise ValueError(f"{name}: {names[name]}")


def warn_of_unknown(settings: Iterable[str], known: Iterable[str]) -> None:
    """Log a warning about *settings* that are not *known* but have the prefix, or look as if they should have it."""
    known = sorted(known)
    others = sorted({*map(str, settings)} - {*known})
    unknown = [name for name in others if name.upper().startswith(_NAME) or _is_like_setting(name, known)]
    if unknown:
        named = ", ".join(unknown)
        logger.warning("Ignoring unknown settings: %s%s", named, suggest(unknown, known, _LEAST_SIMILARITY))


def warn_of_attributes(spider: object, known: Iterable[str]) -> None:
    """Log a warning about attributes of *spider* with names like the *known* names."""
    for name in dir(spider):
        if name != META_KEY and _is_like_setting(name, known):
            logger.warning(
                "Ignoring the attribute %s of the spider. Expected custom_settings, or options in its attribute %s",
                name,
                META_KEY,
            )


def _is_like_setting(name: str, known: Iterable[str]) -> bool:
    return name.upper().startswith("WEB") and find_similar(name, known, _LEAST_SIMILARITY) is not None


def read_fields(value: object) -> Mapping[str, str]:
    """Return the attribute for each item field, from a dict or its JSON."""
    expected = f"expected a dict from item fields to attributes, each one of {', '.join(EXTRACTION_FIELDS)}"
    given = value
    with suppress(ValueError):
        given = json.loads(value) if isinstance(value, str) else value
    if not isinstance(given, Mapping):
        raise ValueError(f"{expected}, or its JSON, got {value!r}")
    for name, attribute in given.items():
        if not isinstance(name, str) or attribute not in EXTRACTION_FIELDS:
            raise ValueError(f"{expected}, got {name!r}: {attribute!r}{did_you_mean([attribute], EXTRACTION_FIELDS)}")
    return dict(given)


def read_statuses(value: object) -> frozenset[int]:
    """Return the statuses in a list such as ``[200, "400-499"]`` or a string such as ``200,400-499``."""
    given = value.split(",") if isinstance(value, str) else value
    parts = given if isinstance(given, Iterable) else [given]
    found = [_STATUSES.fullmatch(str(part)) for part in parts]
    ranges = [range(int(part[1]), int(part[2] or part[1]) + 1) for part in found if part]
    if not found or len(ranges) < len(found) or not all(ranges):
        raise ValueError(f"expected HTTP statuses from 100 to 599, such as 200,400-499, got {value!r}")
    return frozenset(chain(*ranges))
