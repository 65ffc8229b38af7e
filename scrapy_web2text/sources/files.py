"""Page files, plain or compressed by gzip: the files of a folder, their content, and their URLs in a snapshot."""

from __future__ import annotations

import errno
import json
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from scrapy_web2text.exceptions import explain, say
from scrapy_web2text.options import OPTIONS
from scrapy_web2text.sources.records import decompressed

_MOST_BYTES: Final = OPTIONS["max_bytes"].default
_LONGEST_FACTS: Final = 100_000  # bytes
_SUFFIXES: Final = tuple(f".{suffix}{packed}" for suffix in ("html", "htm", "xhtml") for packed in ("", ".gz"))


def list_files(folder: Path, globs: Sequence[str] | None = None) -> list[Path]:
    """Return the sorted paths of the files that match, relative to *folder*.

    Broken links and files that cannot be read are included; they are reported when they are read. Folders that cannot
    be read are reported here. So are links out of the folder, which are skipped: such a link could lead to any file,
    and the folder may come from another person.

    :param globs: patterns of paths in the folder; None for files with suffixes of HTML, in lower or upper case.
    """
    if not folder.is_dir():
        raise NotADirectoryError(f"{folder}: expected a folder")
    _check_globs(folder, globs or ())
    matching = _walk(folder) if globs is None else (path for glob in globs for path in folder.glob(glob))
    found = {path.relative_to(folder) for path in matching if _is_possible_file(path)}
    root = Path(os.path.realpath(folder))
    # In Python 3.11 and 3.12, Path.resolve raises an error for a loop of links.
    real = {path: Path(os.path.realpath(folder / path)) for path in found}
    outside = {path for path in found if root not in real[path].parents}
    skipped = f"skipped links out of {folder}: {len(outside):,}" if outside else ""
    if found == outside:
        patterns = ", ".join(globs or [f"**/*{suffix}" for suffix in _SUFFIXES])
        deeper = [f"**/{glob} would match" for glob in globs or () if not outside and any(folder.glob(f"**/{glob}"))]
        raise ValueError("; ".join(filter(None, (f"{folder}: no file matches {patterns}", *deeper, skipped))))
    if skipped:
        say(f"web2text: {skipped}")
    return sorted(found - outside)


def _check_globs(folder: Path, globs: Iterable[str]) -> None:
    for pattern in globs:
        path = Path(pattern)
        if not pattern or path.anchor or ".." in path.parts:
            raise ValueError(f"--glob: expected a pattern of paths under {folder}, such as '**/*.php', got {pattern!r}")


def _walk(folder: Path) -> Iterator[Path]:
    """Yield the files under *folder* with suffixes of HTML; links to folders are not followed."""
    for parent, _, names in os.walk(folder, onerror=lambda error: say(f"web2text: skipped a folder: {explain(error)}")):
        for name in names:
            if name.lower().endswith(_SUFFIXES):
                yield Path(parent, name)


def _is_possible_file(path: Path) -> bool:
    """Return whether *path* is a file, or cannot be read, which is reported in the output line of the file."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return True


def read_page_file(path: Path, max_bytes: int | None = None) -> bytes:
    """Return the bytes of a page, decompressed if the file begins like gzip or Zstandard.

    :param max_bytes: read at most this number of bytes and one more, which shows that the page is longer; None for no
        limit.
    :raises OSError: if the file cannot be read or decompressed.
    """
    try:
        with path.open("rb") as file, decompressed(file) as page:
            return page.read(bytes_to_read(max_bytes))
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def bytes_to_read(max_bytes: int | None) -> int:
    """Return the size for a `read` that shows whether a page is longer than *max_bytes*; -1, for all, if it is None."""
    return -1 if max_bytes is None else max_bytes + 1


def read_whole_page(path: Path) -> bytes:
    """Return the content of a page file.

    :raises ValueError: if the file cannot be read, or is longer than the default of ``max_bytes``.
    """
    try:
        if path.exists() and not path.is_file():  # a device or a pipe may never end
            raise OSError(errno.EINVAL, "expected a file")
        body = read_page_file(path, _MOST_BYTES)
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        raise ValueError(f"{path}: {getattr(error, 'strerror', error)}") from error
    if len(body) > _MOST_BYTES:
        raise ValueError(f"{path}: expected at most {_MOST_BYTES:,} bytes")
    return body


def facts_path(page: Path) -> Path:
    """Return the path of the file that states the URL of the page in the file *page*."""
    return page.with_name(f"{page.name}.json")


def read_kept_url(page: Path) -> str | None:
    """Return the URL of the page in the file *page*, if the file is part of a snapshot; else None."""
    path = facts_path(page)
    try:
        if path.is_symlink() or not path.is_file():  # a link could lead anywhere, and a pipe may never end
            return None
        with path.open("rb") as file:
            facts = json.loads(file.read(_LONGEST_FACTS))
    except (OSError, ValueError, RecursionError):
        return None
    url = facts.get("url") if isinstance(facts, dict) else None
    return url if isinstance(url, str) and url.startswith(("http://", "https://")) else None
