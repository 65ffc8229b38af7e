"""Archives of many pages: their kinds, told by their names, and the reader of each kind."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO, Final, Literal, cast
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from scrapy_web2text.common.display import shorten
from scrapy_web2text.sources.records import Broken, CountingStream, Item, Meter
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
_MOST_LISTED: Final = 100_000  # entries of a WACZ file; they are listed again for each WARC file in it
_LONGEST_ERROR: Final = 300  # characters


@dataclass(frozen=True, slots=True)
class Archive:
    """A file with many pages, or standard input.

    :param path: None for standard input.
    :param member: the WARC file to read in a WACZ file; None for other archives.
    """

    name: str
    kind: ArchiveKind
    path: Path | RemotePath | None
    member: ZipInfo | None = None

    @property
    def n_bytes(self) -> int | None:
        """The size of the archive; None for standard input, and if a storage does not tell the size."""
        if self.member is not None:
            return self.member.compress_size
        if isinstance(self.path, RemotePath):
            return self.path.info.get("size")
        return None if self.path is None else self.path.stat().st_size


def archive_kind(name: str) -> ArchiveKind | None:
    """Return the kind of the archive with this file name; None if it is not an archive."""
    lowered = name.lower()
    return next((kind for suffix, kind in _SUFFIXES.items() if lowered.endswith(suffix)), None)


def is_feed(name: str) -> bool:
    """Return whether a file with this name is JSON Lines, plain or compressed."""
    return archive_kind(name) == "jsonl" and "://" not in name


def check_archive(archive: Archive, columns: Columns) -> None:
    """Raise a ValueError if an extra is not installed, or no page has HTML."""
    package, extra = _PACKAGES.get(archive.kind, ("json", ""))
    if find_spec(package) is None:
        raise ValueError(f"{archive.name}: needs pip install 'scrapy-web2text[{extra}]'")
    names: list[str] | None = None
    if archive.kind in ("jsonl", "parquet") and archive.path is not None:
        with suppress(Exception), archive.path.open("rb") as file:  # `read_archive` reports damage
            names = list_columns(file) if archive.kind == "parquet" else list_fields(file, columns.html)
    if names or (names is not None and archive.kind == "parquet"):  # a feed may be empty
        check_names(names, columns, f"{archive.name}: ")


def split_wacz(name: str, path: Path | RemotePath) -> list[Archive]:
    """Return the WARC files in a WACZ file, as archives; if they cannot be listed, the WACZ file itself."""
    try:
        return [Archive(f"{name}/{member.filename}", "warc", path, member) for member in _list_members(path)]
    except Exception:  # noqa: BLE001  reported when it is read
        return [Archive(name, "wacz", path)]


def _list_members(path: Path | RemotePath) -> list[ZipInfo]:
    """Return the WARC files in a WACZ file. Of several with the same name, the last counts, as in unpacking."""
    folder, suffixes = _WARC_IN_WACZ
    with path.open("rb") as stream, ZipFile(stream) as file:
        entries = file.infolist()
    names = {entry.filename: entry for entry in entries}
    found = [names[name] for name in sorted(names) if name.startswith(folder) and name.endswith(suffixes)]
    if not 0 < len(entries) * len(found) <= _MOST_LISTED:
        raise ValueError(f"expected WARC files in {folder}, got {len(found):,} among {len(entries):,} entries")
    return found


def read_archive(
    archive: Archive, columns: Columns, max_bytes: int | None, meter: Meter | None = None
) -> Iterator[Item]:
    """Yield an item for each record of an archive. Errors while it is opened or read are yielded as `Broken`.

    :param meter: tells how far the file has been read, except for a member of a WACZ file.
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
                    if archive.member.compress_type != ZIP_STORED:  # seeking back would decompress it again
                        stream = cast("BinaryIO", CountingStream(stream))
                else:
                    meter.stream = stream
            if archive.kind == "warc":
                yield from read_warc(stream, max_bytes)
            elif archive.kind == "parquet":
                yield from read_parquet(stream, columns, max_bytes)
            elif archive.kind == "jsonl":
                yield from read_json_lines(stream, columns, max_bytes)
            elif archive.path is not None:
                _list_members(archive.path)  # raises the error that kept the file from being split
    except Exception as error:  # noqa: BLE001  the boundary between many archives and their libraries
        yield Broken(shorten(hide_secrets(repr(error)), _LONGEST_ERROR), is_gap=True)
    finally:
        meter.stream = None
