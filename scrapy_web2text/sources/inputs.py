"""The inputs of ``web2text batch``: page files, also those of folders and lists, and archives."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from scrapy_web2text.sources.archives import TO_UNPACK, Archive, ArchiveKind, archive_kind, check_archive
from scrapy_web2text.sources.files import list_files
from scrapy_web2text.sources.remote import RemotePath, connect, hide_secrets
from scrapy_web2text.sources.tables import Columns

StreamKind = Literal["warc", "jsonl"]


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file with one page.

    :param name: the path as the user gave it or, for a file of a folder, the path in the folder.
    """

    name: str
    path: Path


BatchInput: TypeAlias = PageFile | Archive
_Place: TypeAlias = Path | RemotePath | None  # None is standard input


def list_inputs(
    given: Sequence[str],
    *,
    files_from: str | None = None,
    stream_kind: StreamKind | None = None,
    globs: Sequence[str] | None = None,
    columns: Columns = Columns(),  # noqa: B008  frozen
) -> list[BatchInput]:
    """Return the inputs in the order of their names; the files of a folder are sorted.

    :param given: folders and files; ``-`` for standard input.
    :param files_from: a file with more names.
    :param stream_kind: the kind of archive that standard input is, if it is an input.
    :param globs: patterns of files under a folder; None for HTML files.
    :raises OSError: if an input cannot be found or opened.
    :raises ValueError: if no file of a folder matches, an extra is missing, or the arguments contradict each other.
    """
    names = [*dict.fromkeys([*given, *(_read_list(files_from) if files_from is not None else ())])]
    if not names:
        raise ValueError("expected an INPUT or --files-from")
    if "-" in names and files_from == "-":
        raise ValueError("expected one use of standard input, got - as an INPUT and for --files-from")
    if stream_kind is not None and "-" not in names:
        raise ValueError("--input-format: expected - as an INPUT; the names of files say what they are")
    list_folder = partial(list_files, globs=globs)
    if len(names) == 1 and Path(names[0]).is_dir():
        folder = Path(names[0])
        inputs = [_to_input(folder, path) for path in list_folder(folder)]
    else:
        inputs = [_to_input(Path(), path, stream_kind) for name in names for path in _find(name, list_folder)]
    checked = set()
    for each in inputs:
        # Only the first archive of each kind is checked, since opening many files takes long. Errors in the others are
        # reported when they are read.
        if isinstance(each, Archive) and each.kind not in checked:
            check_archive(each, columns)
            checked.add(each.kind)
    return inputs


def _find(name: str, list_folder: Callable[[Path], list[Path]]) -> Iterator[_Place]:
    """Yield the files that an input names."""
    path = Path(name)
    if name == "-":
        yield None
    elif (remote := connect(name)) is not None:
        names = {str(file): file for file in remote.find() if not str(file).lower().endswith(TO_UNPACK)}
        yield from (archives := [file for name, file in names.items() if archive_kind(name) is not None])
        if not archives:
            raise ValueError(f"{hide_secrets(name)}: expected archives there, such as .warc.gz or .parquet, found none")
    elif path.is_file():
        yield path
    elif path.is_dir():
        yield from (path / found for found in list_folder(path))
    else:
        raise FileNotFoundError(f"{name}: expected a folder or a file; a shell expands patterns that are not in quotes")


def _read_list(name: str) -> list[str]:
    """Return the lines of a list of files. A name may contain bytes that are not text."""
    data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    return [os.fsdecode(line) for line in data.splitlines() if line.strip()]


def _to_input(folder: Path, path: _Place, stream_kind: ArchiveKind | None = None) -> BatchInput:
    kind = stream_kind if path is None else archive_kind(str(path))
    if isinstance(path, Path) and kind is None:
        return PageFile(path.as_posix(), folder / path)
    if kind is None:
        raise ValueError(f"-: expected --input-format {' or '.join(get_args(StreamKind))}")
    if path is None:
        return Archive("-", kind, None)
    if isinstance(path, RemotePath):
        return Archive(str(path), kind, path)
    return Archive(path.as_posix(), kind, folder / path)


def count_pages(inputs: Sequence[BatchInput]) -> int | None:
    """Return the number of pages; None if it is unknown, as with archives."""
    return len(inputs) if all(isinstance(each, PageFile) for each in inputs) else None


def has_input(path: Path, inputs: Iterable[BatchInput], *, is_folder: bool) -> bool:
    """Return whether a file of *inputs* is the file *path* or is in the folder *path*, judged by their names."""
    files, real = [each.path for each in inputs if isinstance(each.path, Path)], Path(os.path.realpath(path))
    if path.is_dir():
        return is_folder and any(real in Path(os.path.abspath(file)).parents for file in files)  # noqa: PTH100
    return path.is_file() and any(Path(os.path.realpath(file)) == real for file in files)
