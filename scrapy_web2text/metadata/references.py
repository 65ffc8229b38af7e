"""Character references such as ``&amp;`` in the texts of a page."""

from __future__ import annotations

import re
from html import unescape
from typing import Final

__all__ = ["replace_references"]

# Python converts only short digits (`sys.set_int_max_str_digits`, at least 640), and Unicode needs seven.
_TOO_LONG: Final = re.compile("&#[0-9]{600,};?")


def replace_references(text: str) -> str:
    """Return *text* with the characters that its references name; U+FFFD for numbers that Unicode does not have."""
    return unescape(_TOO_LONG.sub("\ufffd", text) if "&#" in text else text)
