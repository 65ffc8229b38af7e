"""Archives of many pages: their kinds by their names, and the reader for each."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO, Final, Literal, cast
from zipfile import BadZipFile, ZipFile, ZipInfo

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
    """A file with many pages, or standard input, which has no path; *member* is a WARC file in a WACZ file."""

    name: str
    kind: ArchiveKind
    path: Path | None
    member: ZipInfo | None = None

    @property
    def files(self) -> list[Path]:
        """Its file, if it is not standard input."""
        return [] if self.path is None else [self.path]

    @property
    def n_bytes(self) -> int | None:
        """Its size; None for standard input."""
        if self.member is not None:
            return self.member.compress_size
        return None if self.path is None else self.path.stat().st_size


def archive_kind(name: str) -> ArchiveKind | None:
    """Return the kind of the archive with this file name; None if it is not an archive."""
    lowered = name.lower()
    return next((kind for suffix, kind in _SUFFIXES.items() if lowered.endswith(suffix)), None)


def is_feed(name: str) -> bool:
    """Return whether a file with this name is JSON Lines, plain or compressed."""
    return archive_kind(name) == "jsonl" and "://" not in name


def check_archive(archive: Archive, columns: Columns) -> None:
    """Raise an error if an archive cannot be read at all, an extra is not installed, or no page has HTML."""
    package, extra = _PACKAGES.get(archive.kind, ("json", ""))
    if find_spec(package) is None:
        raise ValueError(f"{archive.name}: needs pip install 'scrapy-web2text[{extra}]'")
    if archive.path is None:
        return
    with archive.path.open("rb") as file:
        try:
            if archive.kind == "jsonl":
                check_fields(file, columns)
            elif archive.kind == "parquet":
                check_columns(file, columns)
        except ValueError as error:
            raise ValueError(f"{archive.name}: {error}") from error


def split_wacz(name: str, path: Path) -> list[Archive]:
    """Return the WARC files in a WACZ file, as archives. Other files are a ValueError."""
    folder, suffixes = _WARC_IN_WACZ
    try:
        with ZipFile(path) as file:
            members = sorted(file.infolist(), key=lambda member: member.filename)
    except BadZipFile as error:
        raise ValueError(f"{name}: expected a WACZ file: {error}") from error
    return [
        Archive(f"{name}/{member.filename}", "warc", path, member)
        for member in members
        if member.filename.startswith(folder) and member.filename.endswith(suffixes)
    ]


def read_archive(
    archive: Archive, columns: Columns, max_bytes: int | None, meter: Meter | None = None
) -> Iterator[Item]:
    """Yield what each record of an archive is. Nothing is raised for a damaged archive.

    :param meter: says how far the file has been read, except for a member of a WACZ file.
    """
    meter = meter or Meter()
    try:
        with ExitStack() as stack:
            if archive.path is None:
                stream = cast("BinaryIO", sys.stdin.buffer)
            else:
                stream = stack.enter_context(archive.path.open("rb"))
                if archive.member is not None:
                    zipped = stack.enter_context(ZipFile(stream))
                    stream = cast("BinaryIO", stack.enter_context(zipped.open(archive.member)))
                else:
                    meter.stream = stream
            if archive.kind == "warc":
                yield from read_warc(stream, max_bytes)
            elif archive.kind == "parquet":
                yield from read_parquet(stream, columns)
            else:
                yield from read_json_lines(stream, columns, max_bytes)
    except (OSError, ValueError, BadZipFile) as error:
        yield Broken(str(error), is_gap=True)
    finally:
        meter.stream = None
