"""Guesses the encoding of a page that nothing states, from a sample of its bytes."""

from __future__ import annotations

from typing import Final

# Bytes of the sample. A longer sample is not right more often.
_SAMPLED_BYTES = 32_768
# Tags end a text, as lines do.
_BREAKS: Final = bytes.maketrans(b"<>", b"\n\n")
# Encodings of the Encoding Standard, by chardet's names. Without ISO-8859-3, -4, -10, -13 and -16, which pages hardly
# use but which look like others.
_CANDIDATES: Final = [
    *("utf-8", "cp866", "koi8-r", "koi8-u", "mac-roman", "mac-cyrillic", "cp874"),
    *(f"cp{number}" for number in range(1250, 1259)),
    *(f"iso8859-{number}" for number in (2, 5, 6, 7, 8, 14, 15)),
    *("gb18030", "big5hkscs", "euc_jis_2004", "cp932", "shift_jis_2004", "euc_kr", "cp949"),
]
# Encodings that a few letters can look like by chance.
_RARE: Final = {
    *("cp866", "koi8-u", "mac-roman", "mac-cyrillic", "cp1250", "cp1254", "cp1257", "cp1258"),
    *(f"iso8859-{number}" for number in (2, 6, 14, 15)),
}
_N_ASCII: Final = 0x80
_MIN_LETTERS = 6  # outside ASCII that are evidence for a rare encoding
# The bytes that are not letters in windows-1252. English pages have only such bytes: signs, quotes and spaces.
_SIGNS: Final = bytes(
    set(range(0xC0)) - {0x81, 0x8D, 0x8F, 0x90, 0x9D, *b"\x83\x8a\x8c\x8e\x9a\x9c\x9e\x9f"} | {*b"\xd7\xf7"}
)
_NONE = "ascii"  # which a sample never is


def detect(body: bytes) -> str | None:
    """Return Python's name of the encoding that *body*, which is not ASCII, is most likely in; None if none fits.

    Only text with bytes outside ASCII is looked at, at most 32 kB of it.
    """
    sample = _sample(body)
    n_letters = len(sample.translate(None, _SIGNS))
    if n_letters == 0:
        return "cp1252"
    import chardet  # takes 0.1 s to load, which most crawls never need

    guess = chardet.detect(
        sample,
        max_bytes=_SAMPLED_BYTES,
        include_encodings=[_NONE, *(name for name in _CANDIDATES if n_letters >= _MIN_LETTERS or name not in _RARE)],
        no_match_encoding=_NONE,
        compat_names=False,
        prefer_superset=False,
    )["encoding"]
    return None if guess == _NONE else guess


def _sample(body: bytes) -> bytes:
    import numpy as np  # most pages need it only later

    lines = body.translate(_BREAKS)
    places = (np.frombuffer(body, dtype=np.uint8) >= _N_ASCII).nonzero()[0]
    parts, n_bytes, i = [], 0, 0
    while i < len(places) and n_bytes < _SAMPLED_BYTES:
        start = lines.rfind(b"\n", 0, places[i]) + 1
        end = lines.find(b"\n", places[i])
        end = len(lines) if end < 0 else end
        parts.append(lines[start : min(end, start + _SAMPLED_BYTES)].strip())
        n_bytes += len(parts[-1]) + 1
        i = int(places.searchsorted(end))
    return b"\n".join(parts)


def count_non_ascii(body: bytes) -> tuple[int, int]:
    """Return the number of bytes outside ASCII, and how many have no neighbor outside ASCII, unlike in UTF-8."""
    import numpy as np  # most pages need it only later

    places = (np.frombuffer(body, dtype=np.uint8) >= _N_ASCII).nonzero()[0]
    is_apart = np.diff(places, prepend=-2, append=len(body) + 1) > 1
    return len(places), int(np.count_nonzero(is_apart[1:] & is_apart[:-1]))
