"""How much of the inputs has been read, in bytes, for the progress of a run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

__all__ = ["Meter"]


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
