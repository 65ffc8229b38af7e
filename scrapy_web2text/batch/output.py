"""An output that grows input by input, so that a run can be resumed.

Answers are written to ``FILE.part``. After each input, ``FILE.manifest`` is replaced; it says how much of the part is
from finished inputs. At the end, the part becomes FILE. A resumed run cuts off the answers of the input that was
interrupted, and starts this input again. ``FILE.seen`` lists the texts of earlier answers. It is locked while a process
writes the output.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from scrapy_web2text.batch.manifest import RunDescription, RunManifest, read_run_manifest
from scrapy_web2text.common.files import check_out_file, naming, remove_parts, sync

if TYPE_CHECKING:
    from scrapy_web2text.batch.file_formats import Output

_SECONDS_BETWEEN: Final = 1.0  # a manifest for each of many small inputs would take longer than their pages
_MOST_BUFFERED: Final = 4_000_000  # bytes


class GrowingOutput:
    """Writes answers to the part of an output. Answers are safe as soon as their input is finished.

    :param manifest: how far the run had come.
    :param seen: the file that lists earlier texts.
    :param is_resumable: whether the manifest is written, so that the run can be resumed.
    :raises ValueError: if a file of the earlier run is missing or too short.
    """

    def __init__(self, output: Output, manifest: RunManifest, seen: BinaryIO, *, is_resumable: bool) -> None:
        self.manifest = manifest
        self.n_inputs = manifest.n_inputs
        """The number of inputs that are finished."""
        self._output = output
        self._seen = seen
        self._is_resumable = is_resumable
        self._buffer: list[bytes] = []
        self._n_buffered = 0
        self._committed = time.monotonic()
        _cut(seen, manifest.n_seen_bytes, output.place("seen"))
        path = output.place("part")
        if not manifest.n_bytes:
            path.unlink(missing_ok=True)  # it is left from an earlier run, or is a link that another user planted
        self._part = path.open("ab")
        _cut(self._part, manifest.n_bytes, path)

    def write(self, line: str) -> None:
        """Write an answer; *line* is its JSON."""
        data = self._output.encode(line)
        self._buffer.append(data)
        self._n_buffered += len(data)
        if self._n_buffered >= _MOST_BUFFERED:
            self._flush()

    def remember(self, seen: bytes) -> None:
        """Add *seen* to the list of texts that the run has to know when it is resumed."""
        if self._is_resumable:
            self._seen.write(seen)

    def read_seen(self) -> bytes:
        """Return the data passed to `remember` so far."""
        self._seen.seek(0)
        return self._seen.read()

    def end_input(self, count: Callable[[], dict[str, Any]]) -> None:
        """Note that an input is finished. At most once a second, also commit the answers so far, with their counts."""
        self.n_inputs += 1
        if time.monotonic() - self._committed >= _SECONDS_BETWEEN:
            self.commit(count())

    def commit(self, counts: dict[str, Any], *, is_finished: bool = False) -> None:
        """Secure the answers so far: put them on the disk, then replace the manifest."""
        self._flush()
        n_bytes = sync(self._part)
        if self._is_resumable:
            n_seen_bytes = 0 if is_finished else sync(self._seen)
            manifest = RunManifest(self.manifest.run, self.n_inputs, n_bytes, n_seen_bytes, is_finished, counts)
            manifest.write(self._output.place("manifest"))
        self._committed = time.monotonic()
        if is_finished:
            self._part.close()
            self._output.finish(self._output.place("part"), self._output.path)
            self._seen.truncate(0)

    def close(self) -> None:
        """Close the files. If the run cannot be resumed, its part keeps all lines so far."""
        if self._part.closed:
            return
        with self._part:
            if not self._is_resumable:
                self._flush()
            is_empty = not self._part.tell()
        if is_empty:
            self._output.place("part").unlink()

    def _flush(self) -> None:
        data = b"".join(self._buffer)
        self._buffer.clear()
        self._n_buffered = 0
        if data:
            self._part.write(self._output.compress(data))


@contextmanager
def open_output(
    output: Output, run: RunDescription | None, *, overwrite: bool
) -> Iterator[GrowingOutput | RunManifest]:
    """Open the output of a run as an earlier process has left it, or a new output.

    Yield the manifest in place of the output if the run is finished.

    :param run: from :func:`describe_run`; None for a run that will not be resumed.
    :param overwrite: whether to start anew, even if files of an earlier run exist.
    :raises FileExistsError: if there is an output without a manifest.
    :raises ValueError: if the manifest is invalid or from another run, or its files are missing or too short.
    :raises OSError: if a file cannot be read or written, or another process is writing the output.
    """
    _check_place(output)
    path = output.place("manifest")
    with _locked(output.place("seen")) as seen:
        if run is None and path.exists() and not overwrite:
            raise FileExistsError(f"--out: {path} belongs to a run with --resume; --force starts anew")
        manifest = None if overwrite or run is None else read_run_manifest(path, run)
        if manifest is not None and manifest.is_finished:
            _finish_again(output)
            yield manifest
            return
        if manifest is None and output.is_used and not overwrite:
            raise FileExistsError(f"--out: {output.path} exists; --force overwrites it")
        if output.is_folder:
            output.path.mkdir(exist_ok=True)
        if manifest is None:
            manifest = RunManifest(run or RunDescription("", ""))
            path.unlink(missing_ok=True)
            if run is not None:
                manifest.write(path)
        growing = GrowingOutput(output, manifest, seen, is_resumable=run is not None)
        remove_parts(path)  # the output is locked, so they are from killed processes
        with naming(output.path), closing(growing):
            yield growing


def _finish_again(output: Output) -> None:
    """Give the part of a finished run its final name, if the run was killed before that."""
    part = output.place("part")
    if part.exists():
        output.finish(part, output.path)
    elif not output.path.exists():
        raise ValueError(f"--resume: {output.path} is missing; --force starts anew")


def _check_place(output: Output) -> None:
    path = output.path
    is_other = path.exists() and not path.is_dir() and (output.is_folder or not path.is_file())
    if output.name == "-" or is_other:
        raise ValueError(f"--out: expected {'a folder' if output.is_folder else 'a file'}, got {output.name!r}")
    if not output.is_folder or not path.is_dir():
        check_out_file(path, may_overwrite=True)


@contextmanager
def _locked(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading and appending, locked for this process. At the end, an empty file is removed."""
    if path.is_symlink():  # another user may have planted it
        path.unlink()
    file = path.open("a+b")
    with suppress(ImportError):
        import fcntl  # only on POSIX

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            file.close()
            raise BlockingIOError(error.errno, "another process is writing this output", str(path)) from error
    try:
        yield file
    finally:
        is_empty = not file.seek(0, os.SEEK_END)
        file.close()
        if is_empty:
            path.unlink()


def _cut(file: BinaryIO, n_bytes: int, path: Path) -> None:
    """Cut off what was written after the first *n_bytes* of a file.

    :raises ValueError: if the file is shorter.
    """
    if file.seek(0, os.SEEK_END) < n_bytes:
        file.close()
        raise ValueError(f"--resume: {path} is missing or shorter than its manifest says; --force starts anew")
    file.truncate(n_bytes)
    file.seek(n_bytes)
