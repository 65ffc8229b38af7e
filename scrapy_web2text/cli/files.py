"""Reads pages from files, plain or compressed by gzip."""

from __future__ import annotations

import errno
import gzip
import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["read_page_file"]


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
