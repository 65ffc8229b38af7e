"""The schemes of the URLs of links and images that are kept."""

from __future__ import annotations

from typing import Final

__all__ = ["ALLOWED_SCHEMES", "has_allowed_scheme"]

ALLOWED_SCHEMES: Final = frozenset({"http", "https", "mailto", "tel"})


def has_allowed_scheme(url: str) -> bool:
    """Return whether nh3 would keep the ``href`` of a link to *url*; otherwise the link is written as plain text."""
    scheme, colon, _ = url.partition(":")
    return not colon or scheme.lower() in ALLOWED_SCHEMES or not scheme.isalnum()
