"""Archives of many pages: their kinds by their names, and the reader for each."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO, Final, Literal, cast
from zipfile import BadZipFile, ZipFile

from scrapy_web2text.batch.records import Broken, Item, Meter
from scrapy_web2text.batch.tables import Columns, check_columns, check_fields, read_json_lines, read_parquet
from scrapy_web2text.batch.warc import read_warc

ArchiveKind = Literal["warc", "jsonl", "parquet", "wacz"]

_PACKED: Final = ("", ".gz", ".zst")
_SUFFIXES: Final[dict[str, ArchiveKind]] = {
    **{f".{name}{packed}": "warc" for name in ("warc", "wet") for packed in _PACKED},
    **{f".{name}{packed}": "jsonl" for name in ("jsonl", "jsonlines", "jl", "ndjson") for packed in _PACKED},
    ".parquet": "parquet",
    ".wacz": "wacz",
}
_PACKAGES: Final = {"warc": ("fastwarc", "warc"), "wacz": ("fastwarc", "warc"), "parquet": ("pyarrow", "parquet")}
_WARC_IN_WACZ: Final = ("archive/", (".warc", ".warc.gz"))


@dataclass(frozen=True, slots=True)
class Archive:
    """A file with many pages.

    :param name: what the lines of its pages call it.
    :param path: its path; None for standard input.
    :param member: the name of a WARC file in a WACZ file.
    """

    name: str
    kind: ArchiveKind
    path: Path | None
    member: str | None = None


def archive_kind(name: str) -> ArchiveKind | None:
    """Return the kind of the archive with this file name; None if it is not an archive."""
    lowered = name.lower()
    return next((kind for suffix, kind in _SUFFIXES.items() if lowered.endswith(suffix)), None)


def is_feed(name: str) -> bool:
    """Return whether a file with this name is JSON Lines, plain or compressed."""
    return archive_kind(name) == "jsonl" and "://" not in name


def check_archive(archive: Archive, columns: Columns) -> None:
    """Check whether an archive can be read at all.

    :raises ValueError: if an extra is not installed, or no page has the column of HTML.
    :raises OSError: if it is not a file that can be read.
    """
    package, extra = _PACKAGES.get(archive.kind, ("json", ""))
    if find_spec(package) is None:
        raise ValueError(f"{archive.name}: needs pip install 'scrapy-web2text[{extra}]'")
    if archive.path is not None:
        with archive.path.open("rb") as file:
            if archive.kind == "jsonl":
                try:
                    check_fields(file, columns)
                except ValueError as error:
                    raise ValueError(f"{archive.name}: {error}") from None
        if archive.kind == "parquet":
            check_columns(archive.path, columns)


def split_wacz(archive: Archive) -> list[Archive]:
    """Return the WARC files in a WACZ file, as archives.

    :raises OSError: if it cannot be read.
    :raises ValueError: if it is not a WACZ file.
    """
    folder, suffixes = _WARC_IN_WACZ
    path = cast("Path", archive.path)
    try:
        with ZipFile(path) as file:
            members = [name for name in file.namelist() if name.startswith(folder) and name.endswith(suffixes)]
    except BadZipFile as error:
        raise ValueError(f"{archive.name}: expected a WACZ file: {error}") from error
    return [Archive(f"{archive.name}/{member}", "warc", path, member) for member in sorted(members)]


def read_archive(
    archive: Archive, columns: Columns, max_bytes: int | None, meter: Meter | None = None
) -> Iterator[Item]:
    """Yield what each record of an archive is. Nothing is raised for a damaged archive.

    :param max_bytes: the longest page, in bytes; None for no limit.
    :param meter: counts what is read of the file.
    """
    meter = meter or Meter()
    try:
        if archive.kind == "parquet" and archive.path is not None:
            yield from read_parquet(archive.path, columns, meter)
            return
        with ExitStack() as stack:
            stream = _open(archive, stack, meter)
            if archive.kind == "warc":
                yield from read_warc(stream, max_bytes)
            else:
                yield from read_json_lines(stream, columns, max_bytes)
    except (OSError, ValueError, BadZipFile) as error:
        yield Broken(str(error), is_gap=True)


def _open(archive: Archive, stack: ExitStack, meter: Meter) -> BinaryIO:
    if archive.path is None:
        return sys.stdin.buffer
    stream = stack.enter_context(archive.path.open("rb"))
    if archive.member is None:
        stack.enter_context(meter.following(stream))
        return stream
    zipped = stack.enter_context(ZipFile(stream))
    stack.callback(meter.add, zipped.getinfo(archive.member).compress_size)
    return cast("BinaryIO", stack.enter_context(zipped.open(archive.member)))


def count_archive_bytes(archive: Archive) -> int | None:
    """Return how many bytes of an archive a :class:`~scrapy_web2text.batch.records.Meter` counts; None if unknown."""
    if archive.path is None:
        return None
    if archive.member is None:
        return archive.path.stat().st_size
    with ZipFile(archive.path) as file:
        return file.getinfo(archive.member).compress_size
