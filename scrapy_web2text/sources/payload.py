"""The page in the body of an HTTP response as it was sent: joined from chunks, and decompressed."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from scrapy_web2text.sources.records import GZIP_MAGIC, GZIP_WINDOW, ZSTD_MAGICS, Damage, load_zstd

_LONGEST_SIZE: Final = 100  # bytes of a line with the size of a chunk and the extensions that servers add
_MOST_ENCODINGS: Final = 5  # as in Scrapy; a response has one
_UNLIMITED: Final = 1 << 62
_PART: Final = 1 << 14  # bytes


def decode_payload(
    body: bytes, transfer_encoding: str, content_encoding: str, max_bytes: int | None
) -> tuple[bytes, Damage | None]:
    """Return the page in a body as it was sent, as far as it can be decoded, and its damage.

    Many archives decode bodies but keep the headers. So a body that does not begin as its headers say is returned
    unchanged.

    :param max_bytes: decompress at most this number of bytes and one more, which shows that the page is longer; None
        for no limit.
    """
    damage: Damage | None = None
    if "chunked" in transfer_encoding.lower():
        body, is_whole = _join_chunks(body)
        damage = None if is_whole else "chunked"
    names = [name.strip() for name in content_encoding.lower().split(",")]
    limit = _UNLIMITED if max_bytes is None else max_bytes + 1
    for name in reversed(names[-_MOST_ENCODINGS:]):
        decompress = _DECOMPRESSORS.get(name.removeprefix("x-"))
        if decompress is not None:
            body, is_whole = decompress(body, limit)
            damage = damage if is_whole else "compressed"
    return body, damage


def _join_chunks(body: bytes) -> tuple[bytes, bool]:
    """Return the joined chunks of *body*, and whether they are complete."""
    parts: list[bytes] = []
    place = 0
    while True:
        end = body.find(b"\n", place, place + _LONGEST_SIZE)
        digits = body[place:end].partition(b";")[0].strip() if end >= 0 else b""
        size = int(digits, 16) if digits.isalnum() and not digits.strip(b"0123456789abcdefABCDEF") else None
        if size is None:
            return (b"".join(parts), False) if parts else (body, True)
        if size == 0:
            return b"".join(parts), True
        parts.append(body[end + 1 : end + 1 + size])
        if len(parts[-1]) < size:
            return b"".join(parts), False
        place = end + 1 + size
        place += 2 if body[place : place + 2] == b"\r\n" else body[place : place + 1] == b"\n"


def _unzip(body: bytes, limit: int) -> tuple[bytes, bool]:
    return _decompress(zlib.decompressobj(GZIP_WINDOW), body, limit) if body.startswith(GZIP_MAGIC) else (body, True)


def _inflate(body: bytes, limit: int) -> tuple[bytes, bool]:
    """Decompress data in zlib's format, or raw data, which some servers call by the same name."""
    for window in (15, -15):
        data, is_whole = _decompress(zlib.decompressobj(window), body, limit)
        if data:
            return data, is_whole
    return body, True


def _decompress_brotli(body: bytes, limit: int) -> tuple[bytes, bool]:
    try:
        from brotli import Decompressor, error  # an optional dependency of Scrapy
    except ImportError:
        return b"", False
    decompressor, parts, n_left = Decompressor(), [], limit
    try:
        data = decompressor.process(body, output_buffer_limit=_PART)
        while data:
            parts.append(data)
            n_left -= len(data)
            if n_left <= 0 or decompressor.is_finished():
                return b"".join(parts)[:limit], True
            data = decompressor.process(b"", output_buffer_limit=_PART)
    except error:
        # Brotli has no signature. But if the body begins with markup, it is the page itself, not compressed.
        return (body, True) if body.lstrip()[:1] == b"<" else (b"".join(parts), False)
    return b"".join(parts), False


def _decompress_zstd(body: bytes, limit: int) -> tuple[bytes, bool]:
    zstd = load_zstd()
    if not body.startswith(ZSTD_MAGICS[:1]):
        return body, True
    return _decompress(zstd.ZstdDecompressor(), body, limit, zstd.ZstdError) if zstd else (b"", False)


def _decompress(decompressor: Any, body: bytes, limit: int, error: type[Exception] = zlib.error) -> tuple[bytes, bool]:
    """Return at most *limit* bytes, and whether the data are whole or reach the limit."""
    parts: list[bytes] = []
    n_left = limit
    with suppress(error):
        # The data are decompressed in parts, since an error loses the output of the call that raises it.
        for start in range(0, len(body), _PART):
            parts.append(decompressor.decompress(body[start : start + _PART], n_left))
            n_left -= len(parts[-1])
            if n_left <= 0 or decompressor.eof:
                return b"".join(parts), True
    return b"".join(parts), False


_DECOMPRESSORS: Final[dict[str, Callable[[bytes, int], tuple[bytes, bool]]]] = {
    "gzip": _unzip,
    "deflate": _inflate,
    "br": _decompress_brotli,
    "zstd": _decompress_zstd,
}
