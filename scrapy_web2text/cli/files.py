"""Reads pages from files, plain or compressed by gzip."""

from __future__ import annotations

import errno
import gzip
import zlib
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_web2text.readings.reading import Reading

__all__ = ["read_labeled_page", "read_page_file", "read_whole_page"]

_MOST_BYTES: Final = 10_000_000  # of a page that is read whole, as in Options


def read_page_file(path: Path, max_bytes: int | None = None) -> bytes:
    """Return the bytes of a page, decompressed if the file name ends in ``.gz``.

    :param max_bytes: read at most one byte more, which shows that the page is longer; None for no limit.
    :raises OSError: if the file cannot be read or decompressed.
    """
    length = -1 if max_bytes is None else max_bytes + 1
    if path.suffix.lower() != ".gz":
        with path.open("rb") as file:
            return file.read(length)
    try:
        with gzip.open(path) as file:
            return file.read(length)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise OSError(errno.EINVAL, f"invalid gzip file: {error}", str(path)) from error


def read_labeled_page(reading: Reading, folder: Path) -> bytes:
    """Return the page that *reading* labels, whose file is relative to *folder*.

    :raises ValueError: if it cannot be read; the message says why.
    """
    if reading.file is None:
        raise ValueError("no file is named")
    if reading.record is not None:
        raise ValueError("the page is in a WARC file, which is not read")
    return read_whole_page(folder / reading.file)


def read_whole_page(path: Path) -> bytes:
    """Return the content of a page file that is not too long.

    :raises ValueError: if it cannot be read, or is longer than the pages that are extracted by default.
    """
    try:
        if path.exists() and not path.is_file():  # a device or a pipe may never end
            raise OSError(errno.EINVAL, "expected a file")
        body = read_page_file(path, _MOST_BYTES)
    except (OSError, ValueError) as error:  # ValueError: a name that cannot be that of a file
        raise ValueError(f"{path}: {getattr(error, 'strerror', error)}") from error
    if len(body) > _MOST_BYTES:
        raise ValueError(f"{path}: expected at most {_MOST_BYTES:,} bytes")
    return body
