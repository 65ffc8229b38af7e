"""The inputs of ``web2text batch``: folders and lists of page files, and archives."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from glob import glob
from pathlib import Path
from typing import Final, TypeAlias

from scrapy_web2text.archives.sources import Archive, ArchiveKind, Columns, archive_kind, check_archive, split_wacz
from scrapy_web2text.archives.sources import count_bytes as count_archive_bytes
from scrapy_web2text.cli.listing import list_files

__all__ = [
    "Pages",
    "Source",
    "add_input_arguments",
    "count_bytes",
    "count_pages",
    "has_inputs",
    "is_input",
    "list_sources",
    "read_columns",
]

_FORMATS: Final[tuple[ArchiveKind, ...]] = ("warc", "jsonl")
_SIGNS: Final = "*?["  # of a pattern


@dataclass(frozen=True, slots=True)
class Pages:
    """Files that hold one page each, by their paths in *folder*."""

    folder: Path
    paths: Sequence[Path]


Source: TypeAlias = Pages | Archive


def add_input_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments to *parser*."""
    parser.add_argument(
        "inputs",
        nargs="*",
        metavar="INPUT",
        help="a folder of HTML files, plain or .gz; a page; an archive: .warc, .wacz, .jsonl, .parquet, the first and "
        "third also with .gz or .zst; a pattern of files, such as 'crawl/*.warc.gz'; or - for standard input",
    )
    parser.add_argument("--files-from", metavar="LIST", help="a file with an INPUT on each line; - for standard input")
    parser.add_argument("--format", choices=_FORMATS, help="what standard input is")
    parser.add_argument(
        "--glob",
        action="append",
        metavar="PATTERN",
        help="files under a folder, such as '**/*.php'; can be repeated. Default: .html, .htm, .xhtml, also with .gz, "
        "in upper or lower case",
    )
    parser.add_argument(
        "--follow-links", action="store_true", help="read files outside a folder that symbolic links in it lead to"
    )
    for name, what in (("html", "the HTML of a page"), ("url", "its URL")):
        parser.add_argument(
            f"--{name}-column",
            default=name,
            metavar="NAME",
            help=f"column of Parquet or field of JSON Lines with {what} (%(default)s)",
        )


def read_columns(args: argparse.Namespace) -> Columns:
    """Return the columns that the parsed arguments name."""
    return Columns(args.html_column, args.url_column)


def list_sources(args: argparse.Namespace) -> list[Source]:
    """Return what the parsed arguments name, in that order; the files of a folder are sorted.

    :raises OSError: if an input cannot be found or opened.
    :raises ValueError: if a pattern matches no file, an extra is not installed, or arguments contradict each other.
    """
    names = [*args.inputs, *(_read_list(args.files_from) if args.files_from is not None else ())]
    names = [*dict.fromkeys(names)]
    if not names:
        raise ValueError("expected an INPUT or --files-from")
    if "-" in names and args.files_from == "-":
        raise ValueError("expected one use of standard input, got - as an INPUT and for --files-from")
    if args.format is not None and "-" not in names:
        raise ValueError("--format: expected - as an INPUT; the names of files say what they are")
    if len(names) == 1 and Path(names[0]).is_dir():
        folder = Path(names[0])
        sources = [*_group(folder, _list_folder(folder, args))]
    else:
        sources = [*_group(Path(), [path for name in names for path in _find(name, args)], args.format)]
    sources = [part for source in sources for part in _split(source)]
    columns, checked = read_columns(args), set()
    for source in sources:
        # A look into each of many files would take long, and the others are reported when they are read.
        if isinstance(source, Archive) and source.kind not in checked:
            check_archive(source, columns)
            checked.add(source.kind)
    return sources


def count_pages(sources: Iterable[Source]) -> int | None:
    """Return the number of pages, where it is known: not in archives."""
    counts = [len(source.paths) if isinstance(source, Pages) else None for source in sources]
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def count_bytes(sources: Iterable[Source]) -> int | None:
    """Return the size of all inputs, as the files say; None for standard input."""
    total = 0
    for source in sources:
        n_bytes = count_archive_bytes(source) if isinstance(source, Archive) else _count_page_bytes(source)
        if n_bytes is None:
            return None
        total += n_bytes
    return total


def _count_page_bytes(pages: Pages) -> int:
    total = 0
    for path in pages.paths:
        with suppress(OSError):  # as when it is read
            total += (pages.folder / path).stat().st_size
    return total


def is_input(out: str, sources: Iterable[Source]) -> bool:
    """Return whether the feed *out* is one of the files of *sources*."""
    if out == "-" or not Path(out).is_file():
        return False
    real = os.path.realpath(out)
    return any(os.path.realpath(path) == real for source in sources for path in _list_paths(source))


def has_inputs(folder: Path, sources: Iterable[Source]) -> bool:
    """Return whether a file of *sources* is in *folder*, as their names say."""
    if not folder.is_dir():
        return False
    root = os.path.join(os.path.realpath(folder), "")  # noqa: PTH118  with the separator
    return any(os.path.abspath(path).startswith(root) for source in sources for path in _list_paths(source))  # noqa: PTH100


def _list_paths(source: Source) -> Iterator[Path]:
    if isinstance(source, Pages):
        yield from (source.folder / path for path in source.paths)
    elif source.path is not None:
        yield source.path


def _list_folder(folder: Path, args: argparse.Namespace) -> list[Path]:
    hint = " (--follow-links reads them)"
    return list_files(folder, args.glob, with_links=args.follow_links, hint=hint)


def _read_list(name: str) -> list[str]:
    """Return the lines of a list of files; a name may hold bytes that are not text."""
    data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    return [os.fsdecode(line) for line in data.splitlines() if line.strip()]


def _find(name: str, args: argparse.Namespace) -> Iterator[Path | None]:
    """Yield the files that an input names; None for standard input.

    :raises OSError: if it does not exist.
    :raises ValueError: if it is a pattern that matches no file.
    """
    path = Path(name)
    if name == "-":
        yield None
    elif path.is_file():
        yield path
    elif path.is_dir():
        yield from (path / found for found in _list_folder(path, args))
    elif any(sign in name for sign in _SIGNS):
        found = sorted(file for file in map(Path, glob(name, recursive=True)) if file.is_file())  # noqa: PTH207  any place
        if not found:
            raise ValueError(f"no file matches {name}")
        yield from found
    else:
        raise FileNotFoundError(f"{name}: expected a folder, a file or a pattern of files")


def _group(folder: Path, paths: Iterable[Path | None], kind: ArchiveKind | None = None) -> Iterator[Source]:
    """Yield neighboring pages together, and each archive.

    :param paths: None for standard input.
    :param kind: what standard input is.
    """
    pages: list[Path] = []
    for path in paths:
        found = kind if path is None else archive_kind(path.name)
        if found is None and path is not None:
            pages.append(path)
            continue
        if found is None:
            raise ValueError(f"-: expected --format {' or '.join(_FORMATS)}")
        if pages:
            yield Pages(folder, tuple(pages))
            pages.clear()
        yield Archive("-", found, None) if path is None else Archive(path.as_posix(), found, folder / path)
    if pages:
        yield Pages(folder, tuple(pages))


def _split(source: Source) -> Sequence[Source]:
    return split_wacz(source) if isinstance(source, Archive) and source.kind == "wacz" else (source,)
