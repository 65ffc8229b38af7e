"""Characters that readers do not see: soft hyphens, zero-width spaces, marks of direction, variation selectors, …

Also references to characters, and characters that no answer may hold, which `content.escaping` drops. All sets are in
the syntax of `re`.
"""

from __future__ import annotations

import re
from html import unescape
from typing import Final

# Forbidden in XML 1.0 (section 2.2), so also in feeds: control characters, lone surrogates, U+FFFE and U+FFFF. XML
# allows the control characters from U+007F, but terminals interpret them.
FORBIDDEN: Final = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff"
UNSEEN: Final = "\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff"
JOINERS: Final = "\u200c\u200d"
SELECTORS: Final = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
# Characters that can encode a hidden text: Unicode tag characters, and variation selectors after another selector.
SMUGGLED: Final = f"[\U000e0000-\U000e007f]|(?<=[{SELECTORS}])[{SELECTORS}]"
SMUGGLED_BYTES: Final = rb"\xf3\xa0[\x80\x81\x84-\x87]|(?:\xef\xb8[\x80-\x8f]){2}"  # and single selectors for Chinese
_INVISIBLE: Final = re.compile(f"[{UNSEEN}]")
_NOTHING: Final = re.compile(rf"[{UNSEEN}\s]+")
# Joiners stay where scripts and emoji need them: after a letter of a script from Arabic to Mongolian; a zero-width
# joiner, also after a symbol. A variation selector stays after these, digits and Chinese characters.
_JOINED: Final = "\u0600-\u109f\u1780-\u18af\ufb50-\ufefc"
_SYMBOLS: Final = "\u200d\u203c-\u33ff\ufe0f\U0001f000-\U0003ffff"
_LONE: Final = re.compile(
    f"{SMUGGLED}|(?<![{_JOINED}])\u200c|(?<![{_JOINED}{_SYMBOLS}])\u200d"
    f"|(?<![#*0-9\u00a9\u00ae{_JOINED}{_SYMBOLS}\u3400-\u9fff])[{SELECTORS}]"
)
# Python converts only short strings of digits (`sys.set_int_max_str_digits` is 640 or more); Unicode needs seven.
_TOO_LONG: Final = re.compile("&#[0-9]{600,};?")
ASCII_BYTES: Final = bytes(range(0x80))
# All of these in UTF-8. Without its ASCII, a text is short on most pages.
_ENCODED: Final = re.compile(
    rb"\xc2\xad|\xd8\x9c|\xe2\x80[\x8b-\x8f\xaa-\xae]|\xe2\x81[\xa0-\xa9]|\xef\xb8[\x80-\x8f]|\xef\xbb\xbf|\xf3\xa0[\x80\x81\x84-\x87]"
)


def drop_invisible(text: str) -> str:
    """Return *text* without invisible characters, except where a script or an emoji needs them.

    A text of only such characters is unchanged, and a leaf like others, as in the original Web2Text.
    """
    if not has_invisible(text):
        return text
    seen = _LONE.sub("", _INVISIBLE.sub("", text))
    return text if not seen or seen.isspace() else seen


def has_invisible(text: str) -> bool:
    """Return whether *text* has any of these characters, needed or not."""
    return (
        not text.isascii() and _ENCODED.search(text.encode(errors="replace").translate(None, ASCII_BYTES)) is not None
    )


def is_unseen(text: str) -> bool:
    """Return whether *text* has only invisible characters and whitespace."""
    return _NOTHING.fullmatch(text) is not None


def replace_references(text: str) -> str:
    """Return *text* with characters in place of references; U+FFFD replaces numbers that Unicode does not have."""
    return unescape(_TOO_LONG.sub("\ufffd", text) if "&#" in text else text)
