"""Archives of many pages: their kinds, recognized by names, and the reader of each kind."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import Final, Literal, cast

from scrapy_web2text.common.checks import require
from scrapy_web2text.common.display import shorten
from scrapy_web2text.sources.records import ArchiveItem, Broken
from scrapy_web2text.sources.remote import RemotePath, hide_secrets
from scrapy_web2text.sources.tables import (
    Columns,
    check_names,
    list_columns,
    list_fields,
    read_json_lines,
    read_parquet,
)
from scrapy_web2text.sources.warc import read_warc

ArchiveKind = Literal["warc", "jsonl", "parquet"]

_PACKED: Final = ("", ".gz", ".zst")
_SUFFIXES: Final[dict[str, ArchiveKind]] = {
    **{f".{name}{packed}": "warc" for name in ("warc", "wet") for packed in _PACKED},
    **{f".{name}{packed}": "jsonl" for name in ("jsonl", "jsonlines", "jl", "ndjson") for packed in _PACKED},
    ".parquet": "parquet",
}
# Endings of files that have to be unpacked first.
TO_UNPACK: Final = (".wacz", ".zip", ".7z", ".rar", ".tar", ".tgz", ".tar.gz", ".tar.bz2", ".tar.xz", ".tar.zst")
_PACKAGES: Final = {"warc": ("fastwarc", "warc"), "parquet": ("pyarrow", "parquet")}
_LONGEST_ERROR: Final = 300  # characters


@dataclass(frozen=True, slots=True)
class Archive:
    """A file with many pages, or standard input.

    :param path: None for standard input.
    """

    name: str
    kind: ArchiveKind
    path: Path | RemotePath | None


def archive_kind(name: str) -> ArchiveKind | None:
    """Return the kind of the archive with this file name; None if it is not an archive.

    :raises ValueError: for a file that has to be unpacked first, such as a WACZ file.
    """
    lowered = name.lower()
    if lowered.endswith(TO_UNPACK):
        raise ValueError(
            f"{hide_secrets(name)}: expected pages, or WARC files and other archives of pages; unpack it first"
        )
    return next((kind for suffix, kind in _SUFFIXES.items() if lowered.endswith(suffix)), None)


def is_feed(name: str) -> bool:
    """Return whether a file with this name is JSON Lines, plain or compressed."""
    return archive_kind(name) == "jsonl" and "://" not in name


def check_archive(archive: Archive, columns: Columns) -> None:
    """Raise a ValueError if an extra is not installed, or no page has HTML."""
    if archive.kind in _PACKAGES:
        require(*_PACKAGES[archive.kind], archive.name)
    names: list[str] | None = None
    if archive.kind in ("jsonl", "parquet"):
        # Of standard input, only what is there first is read, and not taken away. `read_archive` reports damage.
        with (
            suppress(Exception),
            BytesIO(cast(BufferedReader, sys.stdin.buffer).peek())
            if archive.path is None
            else archive.path.open("rb") as file,
        ):
            names = list_columns(file) if archive.kind == "parquet" else list_fields(file, columns.html)
    if names or (names is not None and archive.kind == "parquet"):  # a feed may be empty
        check_names(names, columns, f"{archive.name}: ")


def read_archive(archive: Archive, columns: Columns, max_bytes: int | None) -> Iterator[ArchiveItem]:
    """Yield an item for each record of an archive. Errors while it is opened or read are yielded as `Broken`."""
    try:
        with nullcontext(sys.stdin.buffer) if archive.path is None else archive.path.open("rb") as stream:
            if archive.kind == "warc":
                yield from read_warc(stream, max_bytes)
            elif archive.kind == "parquet":
                yield from read_parquet(stream, columns, max_bytes)
            else:
                yield from read_json_lines(stream, columns, max_bytes)
    except Exception as error:  # noqa: BLE001  the boundary between many archives and their libraries
        yield Broken(shorten(hide_secrets(repr(error)), _LONGEST_ERROR), is_gap=True)
