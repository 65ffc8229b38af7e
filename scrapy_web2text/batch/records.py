"""What the readers of archives share: the records that they yield, compression, and a count of bytes."""

from __future__ import annotations

import errno
import gzip
import io
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO, Final, Literal, TypeAlias, cast

from scrapy_web2text.content.display import shorten

# How a page is incomplete: cut by the crawler or by the end of the file, or with wrong chunks or compressed data.
Damage = Literal["truncated", "chunked", "compressed"]

# A body with its chunk sizes can be longer than the page in it.
_TRANSFERRED_PER_BYTE = 2
_MOST_NAMES: Final = 10
_LONGEST_NAME: Final = 60  # characters


@dataclass(frozen=True, slots=True)
class Record:
    """A page as an archive holds it.

    :param html: the body as it was sent, compressed and chunked as the next fields say; or text.
    :param url: URL of the page.
    :param encoding: encoding that the header states.
    :param transfer_encoding: value of the header Transfer-Encoding.
    :param content_encoding: value of the header Content-Encoding.
    :param damage: how the record is damaged, as far as its reader knows.
    :param fields: what else the line of the page says about the record.
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
    """A record that cannot be read.

    :param is_gap: whether a part of the input cannot be read, so that more records may be missing.
    """

    error: str
    is_gap: bool = False


Item: TypeAlias = Record | Skipped | Broken


def read_limit(max_bytes: int | None) -> int:
    """Return how many bytes of a body are read, for the option *max_bytes*; -1 for all.

    It is enough to see that the page is longer.
    """
    return -1 if max_bytes is None else _TRANSFERRED_PER_BYTE * max_bytes + 1


def list_names(names: Sequence[str]) -> str:
    """Return the first names of columns, for a message on a terminal: an archive may name them as it likes."""
    shown = [shorten(name, _LONGEST_NAME) for name in names[:_MOST_NAMES]]
    listed = ", ".join(name if name.isprintable() else repr(name) for name in shown)
    n_more = len(names) - len(shown)
    return f"{listed} and {n_more:,} more" if n_more else listed


GZIP_LEVEL: Final = 6  # as the program gzip
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


def choose_compression(name: str) -> Callable[[bytes], bytes]:
    """Return what compresses a part of the feed *name*; compressed parts one after another are a compressed file.

    :raises ValueError: if the module for that is not installed.
    """
    if name.lower().endswith(".gz"):
        return lambda data: gzip.compress(data, GZIP_LEVEL, mtime=0)
    if name.lower().endswith(".zst"):
        compress: Callable[[bytes], bytes] = find_zstd(name).compress
        return compress
    return bytes


def find_zstd(name: str) -> ModuleType:
    zstd = load_zstd()
    if zstd is None:
        raise ValueError(f"--out: {name}: expected backports.zstd to be installed")
    return zstd


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


class Meter:
    """Counts the bytes of files that have been read.

    :param has_files: whether files of single pages are counted, which takes a look at each.
    """

    def __init__(self, *, has_files: bool = False) -> None:
        self._has_files = has_files
        self._n_before = 0
        self._stream: BinaryIO | None = None

    @property
    def n_bytes(self) -> int:
        """The number of bytes up to here."""
        return self._n_before + (0 if self._stream is None else self._stream.tell())

    def add_file(self, path: Path) -> None:
        """Count the bytes of the file of a page; none if it cannot be read."""
        if self._has_files:
            with suppress(OSError):
                self._n_before += path.stat().st_size

    def add(self, n_bytes: int) -> None:
        """Count bytes that have been read."""
        self._n_before += n_bytes

    @contextmanager
    def following(self, stream: BinaryIO) -> Iterator[None]:
        """Count the bytes of *stream* as they are read."""
        self._stream = stream
        try:
            yield
        finally:
            self._n_before += stream.tell()
            self._stream = None
