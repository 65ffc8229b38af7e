"""Opens files that may be compressed, by their first bytes."""

from __future__ import annotations

import errno
import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, BinaryIO, Final, cast

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["GZIP_MAGIC", "ZSTD_MAGICS", "CountingStream", "decompressed", "load_zstd"]

GZIP_MAGIC: Final = b"\x1f\x8b"
# A frame, and the dictionary that may precede the frames of a WARC file.
ZSTD_MAGICS: Final = (b"\x28\xb5\x2f\xfd", b"\x5d\x2a\x4d\x18")


class CountingStream:
    """A stream that cannot seek, as FastWARC reads one: it asks for the place and for no more bytes than there are."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._place = 0

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes, at most *size*."""
        data = self._stream.read(size)
        self._place += len(data)
        return data

    def tell(self) -> int:
        """Return the number of bytes that have been read."""
        return self._place


def load_zstd() -> ModuleType | None:
    """Return the module for Zstandard; None where there is none."""
    try:
        return import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
    except ImportError:
        return None


@contextmanager
def decompressed(stream: BinaryIO) -> Iterator[BinaryIO]:
    """Give *stream* decompressed, if it begins like gzip or Zstandard. Errors in its data are OSErrors."""
    zstd = load_zstd()
    buffered: Any = stream if hasattr(stream, "peek") else io.BufferedReader(cast("io.RawIOBase", stream))
    head = buffered.peek(4)[:4]
    if head.startswith(ZSTD_MAGICS) and zstd is None:
        raise OSError(errno.ENOTSUP, "expected backports.zstd to be installed, which reads Zstandard")
    errors: tuple[type[Exception], ...] = (EOFError, zlib.error, *([zstd.ZstdError] if zstd else []))
    try:
        if head.startswith(GZIP_MAGIC):
            with gzip.GzipFile(fileobj=buffered, mode="rb") as unpacked:
                yield cast("BinaryIO", unpacked)
        elif zstd and head.startswith(ZSTD_MAGICS):
            with zstd.ZstdFile(buffered) as unpacked:
                yield unpacked
        else:
            yield buffered
    except errors as error:
        raise OSError(errno.EINVAL, f"invalid compressed data: {error}") from error
