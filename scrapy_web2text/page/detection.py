"""Guesses the encoding of a page from a sample of its bytes."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["detect"]

# Bytes of the sample. A longer one is not more often right: docs/guarantees.md has the figures.
_SAMPLED_BYTES = 32_768
_TEXT: Final = re.compile(rb"[^<>\n]+")
# Encodings of the Encoding Standard, by chardet's names. Without ISO-8859-3, -4, -10, -13 and -16, which pages hardly
# use but which look like others.
_CANDIDATES: Final = [
    *("utf-8", "cp866", "koi8-r", "koi8-u", "mac-roman", "mac-cyrillic", "cp874"),
    *(f"cp{number}" for number in range(1250, 1259)),
    *(f"iso8859-{number}" for number in (2, 5, 6, 7, 8, 14, 15)),
    *("gb18030", "big5hkscs", "euc_jis_2004", "cp932", "shift_jis_2004", "euc_kr", "cp949"),
]
# Few bytes can look like these by chance.
_RARE: Final = {"cp866", "mac-roman", "mac-cyrillic", "iso8859-6", "iso8859-14", "koi8-u"}
_MIN_NON_ASCII = 8  # bytes that are evidence for one of them
_NONE = "ascii"  # which a sample never is


def detect(body: bytes) -> str | None:
    """Return Python's name of the encoding that *body*, which is not ASCII, is most likely in; None if none fits.

    Only text with bytes outside ASCII is looked at, at most 32 kB of it.
    """
    import chardet  # noqa: PLC0415  takes 0.1 s to load, which most crawls never need

    sample = _sample(body)
    is_short = len(sample) - len(sample.decode("ascii", "ignore")) < _MIN_NON_ASCII
    guess = chardet.detect(
        sample,
        max_bytes=_SAMPLED_BYTES,
        include_encodings=[_NONE, *(name for name in _CANDIDATES if not (is_short and name in _RARE))],
        no_match_encoding=_NONE,
        compat_names=False,
        prefer_superset=False,
    )["encoding"]
    return None if guess == _NONE else guess


def _sample(body: bytes) -> bytes:
    parts, n_bytes = [], 0
    for text in _TEXT.finditer(body):
        part = text[0]
        if not part.isascii():
            parts.append(part[:_SAMPLED_BYTES].strip())
            n_bytes += len(parts[-1]) + 1
            if n_bytes >= _SAMPLED_BYTES:
                break
    return b"\n".join(parts)
