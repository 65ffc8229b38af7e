"""Files in object storage, read with fsspec."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Final, cast

from scrapy_web2text.common.checks import require
from scrapy_web2text.common.display import shorten

_PASSWORD: Final = re.compile(r"""(?<=://)[^\s/:'"]*+:[^\s/'"]*@""")
_QUERY: Final = re.compile(r"""(https?://[^\s?"]*+)\??[^\s'"]*+""")  # a query may be a signature


@dataclass(frozen=True, slots=True)
class RemotePath:
    """A file in object storage, or at another URL of fsspec.

    :param fs: the file system of fsspec.
    :param info: the file system's facts about the file.
    """

    fs: Any
    path: str
    info: Mapping[str, Any] = field(default_factory=dict, compare=False)

    def __str__(self) -> str:
        path = self.path.partition("?")[0] if "://" in self.path else self.path  # a URL of HTTP may be signed
        return hide_secrets(self.fs.unstrip_protocol(path))

    def open(self, mode: str) -> BinaryIO:
        """Return the open file. It is read ahead, in blocks."""
        return cast("BinaryIO", self.fs.open(self.path, mode))

    def find(self) -> list[RemotePath]:
        """Return the files that the path names, sorted: the file itself, files below it, or matches of a pattern."""
        with explained(str(self)):
            try:
                info = self.fs.info(self.path)
                found = {self.path: info} if info["type"] == "file" else self.fs.find(self.path, detail=True)
            except FileNotFoundError as error:
                found = self.fs.glob(self.path, detail=True)
                if not found and error.__cause__ is not None and "://" in self.path:  # HTTP: any failure is "not found"
                    raise error.__cause__ from None
        return [RemotePath(self.fs, path, info) for path, info in sorted(found.items()) if info["type"] == "file"]


def connect(name: str) -> RemotePath | None:
    """Return the file at a URL; None for a path on this machine.

    :raises ValueError: if a package is missing, which the message names, or for a URL with ``file://``.
    """
    if "://" not in name:
        return None
    require("fsspec", "cloud", hide_secrets(name))
    from fsspec.core import url_to_fs  # the extra `cloud`

    with explained(name):
        fs, path = url_to_fs(name)
    if "file" in fs.protocol:
        raise ValueError(f"{name}: expected a path without file://")
    return RemotePath(fs, path)


def hide_secrets(text: str) -> str:
    """Return *text* without the passwords and the queries in its URLs."""
    return _QUERY.sub(r"\1", _PASSWORD.sub("", text))


@contextmanager
def explained(what: str) -> Iterator[None]:
    """Turn exceptions of a storage and its libraries into ValueErrors or OSErrors; the message begins with *what*."""
    try:
        yield
    except Exception as error:
        kind = ValueError if isinstance(error, ImportError | ValueError) else OSError
        raise kind(hide_secrets(f"{what}: {type(error).__name__}: {shorten(str(error), length=300)}")) from error
