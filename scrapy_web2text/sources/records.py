"""Code that the readers of archives share: records and decompression."""

from __future__ import annotations

import errno
import gzip
import io
import sys
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from types import ModuleType
from typing import Any, BinaryIO, Final, Literal, TypeAlias, cast

from scrapy_web2text.common.display import shorten

# The damage of a page: cut off by the crawler or by the end of the file, wrong chunks, or wrong compressed data.
Damage = Literal["truncated", "chunked", "compressed"]

_MOST_NAMES: Final = 50
_LONGEST_NAME: Final = 100  # characters


@dataclass(frozen=True, slots=True)
class PageRecord:
    """A page as an archive holds it.

    :param html: the body as it was sent, compressed and chunked as the headers say; or text.
    :param encoding: encoding that the header states.
    :param damage: damage of the record that its reader has found; None if it has found none.
    :param fields: further fields of the record for the output line of the page.
    """

    html: bytes | str
    url: str | None = None
    encoding: str | None = None
    transfer_encoding: str = ""
    content_encoding: str = ""
    damage: Damage | None = None
    fields: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Skipped:
    """A record that is not a page; *kind* names its type."""

    kind: str


@dataclass(frozen=True, slots=True)
class Broken:
    """A record that cannot be read. At a gap, further records may be missing."""

    error: str
    is_gap: bool = False


ArchiveItem: TypeAlias = PageRecord | Skipped | Broken


GZIP_MAGIC: Final = b"\x1f\x8b"
GZIP_WINDOW: Final = 31  # tells zlib to read the format of gzip
# The first bytes of a frame, and of the dictionary that may precede the frames of a WARC file.
ZSTD_MAGICS: Final = (b"\x28\xb5\x2f\xfd", b"\x5d\x2a\x4d\x18")


class CountingStream(io.RawIOBase):
    """A stream that cannot seek, with the two methods that FastWARC needs: `read` and `tell`."""

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
    """Return the module for Zstandard; None if none is installed."""
    try:
        return import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
    except ImportError:
        return None


@contextmanager
def decompressed(stream: BinaryIO) -> Iterator[BinaryIO]:
    """Give *stream*, decompressed if it begins like gzip or Zstandard. Errors in its data become OSErrors."""
    zstd = load_zstd()
    buffered: Any = stream if hasattr(stream, "peek") else io.BufferedReader(cast("io.RawIOBase", stream))
    head = buffered.peek(4)[:4]
    if head.startswith(ZSTD_MAGICS) and zstd is None:
        raise OSError(errno.ENOTSUP, "expected backports.zstd to be installed, which reads Zstandard")
    errors: tuple[type[Exception], ...] = (EOFError, gzip.BadGzipFile, zlib.error, *([zstd.ZstdError] if zstd else []))
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


def count_name(counts: Counter[str], name: str, n: int = 1) -> None:
    """Add *n* to the count of a name. Archives choose names, so long names are cut, and further names are ``other``."""
    name = shorten(name, _LONGEST_NAME)
    counts[name if name in counts or len(counts) < _MOST_NAMES else "other"] += n
