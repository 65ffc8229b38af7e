"""An output that grows in steps, so that a run can be resumed, and its shards.

Each step appends answers to ``FILE.part``, then replaces ``FILE.manifest``. A run that is killed between the two has
more answers than its manifest says; the next run cuts them off and writes them again. A file that is complete is
closed: the manifest says so before the file gets its name, and only then the next one begins. A run that is killed in
between closes the file once more.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from scrapy_web2text.cli.manifest import Manifest, read_manifest, write_manifest
from scrapy_web2text.replacement import remove_parts

if TYPE_CHECKING:
    from scrapy_web2text.cli.formats import Output
    from scrapy_web2text.cli.steps import Position

__all__ = ["ResumableFeed", "open_resumable"]

_SECONDS_BETWEEN: Final = 1.0
_MOST_BUFFERED: Final = 4_000_000  # bytes


class ResumableFeed:
    """Writes answers that are kept in memory until the next step.

    :param manifest: how far the run has come, and ``FILE.part`` with it.
    :param is_kept: whether the manifest is written, so that the run can be resumed.
    """

    def __init__(self, output: Output, manifest: Manifest, *, is_kept: bool) -> None:
        self._output = output
        self._is_kept = is_kept
        self._manifest = manifest
        self._part: BinaryIO | None = None
        self._seen: BinaryIO | None = None
        self._parts: list[bytes] = []
        self._n_buffered = 0
        self._n_answers = manifest.n_answers
        self._committed = time.monotonic()

    @property
    def manifest(self) -> Manifest:
        """How far the run has come at the last step."""
        return self._manifest

    def open(self) -> None:
        """Make the files those of the manifest.

        :raises ValueError: if a file is missing or too short.
        :raises OSError: if a file cannot be read or written, or another process writes it.
        """
        part, closed = self._output.place("part"), self._output.shard(self._manifest.n_shards)
        if self._manifest.is_closed:
            if part.exists():
                with part.open("ab") as file:
                    _lock(file, part)
                self._finish_file()
            elif not closed.exists() and self._manifest.n_answers:
                raise ValueError(f"--resume: {closed} is missing; --force begins anew")
            if self._manifest.is_finished:
                return
            self._begin_file()
        else:
            if self._manifest.n_bytes and not part.exists():
                raise ValueError(f"--resume: {part} is missing; --force begins anew")
            self._open_part()
        if self._manifest.n_seen_bytes:
            self._seen = _open_until(self._output.place("seen"), self._manifest.n_seen_bytes)

    def write(self, line: str) -> None:
        """Write an answer, at the next step; *line* is its JSON."""
        data = self._output.format.encode(line)
        if data:
            self._parts.append(data)
            self._n_buffered += len(data)
            self._n_answers += 1

    def read_seen(self) -> bytes:
        """Return what has been passed as *seen* up to the last step."""
        return self._output.place("seen").read_bytes() if self._manifest.n_seen_bytes else b""

    def is_due(self) -> bool:
        """Return whether it is time for the next step."""
        is_late = time.monotonic() - self._committed >= _SECONDS_BETWEEN
        return self._is_full() or self._n_buffered >= _MOST_BUFFERED or is_late

    def commit(
        self,
        position: Position,
        counts: Mapping[str, Any],
        *,
        ahead: Collection[Position] = (),
        seen: Iterable[bytes] = (),
        is_finished: bool = False,
    ) -> None:
        """Append the answers up to *position* to the file, then replace the manifest.

        :param ahead: places after *position* whose answers are among them.
        :param seen: what the run has to know of these answers when it is resumed.
        """
        data = b"".join(self._parts)
        self._parts.clear()
        self._n_buffered = 0
        n_bytes = _append(self._part, self._output.format.compress(data) if data else b"")
        found = b"".join(seen)
        if found and self._seen is None:
            self._seen = _open_until(self._output.place("seen"), 0)
        self._save(
            position=position,
            ahead=sorted(ahead),
            n_answers=self._n_answers,
            n_bytes=n_bytes,
            n_seen_bytes=_append(self._seen, found),
            is_closed=self._is_full() or is_finished,
            is_finished=is_finished,
            counts=counts,
        )
        if self._manifest.is_closed:
            self._finish_file()
            if not is_finished:
                self._begin_file()
        self._committed = time.monotonic()

    def close(self) -> None:
        """Close the files."""
        for file in (self._part, self._seen):
            if file is not None:
                file.close()
        if self._manifest.is_finished:
            self._output.place("seen").unlink(missing_ok=True)

    def _is_full(self) -> bool:
        return self._output.shard_size is not None and self._n_answers >= self._output.shard_size

    def _save(self, **changes: Any) -> None:
        self._manifest = replace(self._manifest, **changes)
        if self._is_kept:
            write_manifest(self._output.place("manifest"), self._manifest)

    def _finish_file(self) -> None:
        if self._part is not None:
            self._part.close()
        part = self._output.place("part")
        if self._manifest.n_shards and not self._manifest.n_answers:
            part.unlink()  # the one before was full with the last answer
        else:
            self._output.format.finish(part, self._output.shard(self._manifest.n_shards))

    def _begin_file(self) -> None:
        self._n_answers = 0
        self._save(n_shards=self._manifest.n_shards + 1, n_answers=0, n_bytes=0, is_closed=False)
        self._open_part()

    def _open_part(self) -> None:
        path = self._output.place("part")
        self._part = _open_until(path, self._manifest.n_bytes)
        if not self._manifest.n_bytes:
            self._part.write(self._output.format.head)


@contextmanager
def open_resumable(output: Output, run: Mapping[str, str] | None, *, overwrite: bool) -> Iterator[ResumableFeed]:
    """Open the output of a run where an earlier process has left it, or a new one. A finished file gets its name.

    :param run: from :func:`~scrapy_web2text.cli.manifest.describe_run`; None for a run that will not be resumed.
    :param overwrite: whether to begin anew, whatever there is.
    :raises FileExistsError: if there is an output without a manifest.
    :raises ValueError: if the manifest is that of another run, or its file is missing or too short.
    :raises OSError: if a file cannot be read or written, or another process writes it.
    """
    _check_place(output, is_resumed=run is not None)
    path = output.place("manifest")
    if run is None and path.exists() and not overwrite:
        raise FileExistsError(f"--out: {path} is of a run with --resume; --force begins anew")
    manifest = None if overwrite or run is None else read_manifest(path, run)
    older = output.list_older()
    if manifest is None and older and not overwrite:
        raise FileExistsError(f"--out: {older[0]} exists; --force overwrites it")
    if output.format.is_folder:
        Path(output.name).mkdir(exist_ok=True)
    feed = ResumableFeed(output, manifest or Manifest(run or {}), is_kept=run is not None)
    if manifest is None:
        _lock_and_clear(output, older)
        if run is not None:
            write_manifest(path, feed.manifest)
    try:
        feed.open()
        remove_parts(path)  # the feed is locked, so they are those of killed processes
        yield feed
    finally:
        feed.close()


def _check_place(output: Output, *, is_resumed: bool) -> None:
    path, why = Path(output.name), "--resume" if is_resumed else "--out"
    is_other = path.exists() and not (path.is_dir() if output.format.is_folder else path.is_file())
    if output.name == "-" or is_other:
        what = "a folder" if output.format.is_folder else "a file"
        raise ValueError(f"{why}: expected {what} for --out, got {output.name!r}")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"--out: {output.name}: expected a file in a folder that exists")


def _lock_and_clear(output: Output, older: Iterable[Path]) -> None:
    """Remove what an earlier run has left: all but its one file or folder, which the new one replaces in the end."""
    part = output.place("part")
    with part.open("ab") as file:
        _lock(file, part)
        output.place("manifest").unlink(missing_ok=True)
        file.truncate(0)
        for path in older if output.shard_size is not None else ():
            path.unlink()


def _open_until(path: Path, n_bytes: int) -> BinaryIO:
    """Open and lock a file, without what was written after its first *n_bytes*.

    :raises ValueError: if it is shorter.
    """
    file = path.open("ab")
    _lock(file, path)
    if file.seek(0, os.SEEK_END) < n_bytes:
        file.close()
        raise ValueError(f"--resume: {path} is shorter than its manifest says; --force begins anew")
    file.truncate(n_bytes)
    file.seek(n_bytes)
    return file


def _append(file: BinaryIO | None, data: bytes) -> int:
    """Write *data*, so that it outlives the system, and return the length of the file."""
    if file is None:
        return 0
    if data:
        file.write(data)
    file.flush()
    if data:
        os.fsync(file.fileno())
    return file.tell()


def _lock(file: BinaryIO, path: Path) -> None:
    """Lock *file* until it is closed, where the system can."""
    with suppress(ImportError):
        import fcntl  # noqa: PLC0415  only on POSIX

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            file.close()
            raise BlockingIOError(error.errno, "another process writes the feed", str(path)) from error
