"""An output that grows input by input, so that a run can be resumed.

Answers go to a part, ``FILE.part``, one after another where the output has several files. When an input is finished,
``FILE.manifest`` is replaced; it says how much of the parts is from finished inputs. The parts that are full then get
their names. A run that is resumed cuts off what an interrupted input had written, and begins this input anew.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from scrapy_web2text._version import __version__
from scrapy_web2text.batch.inputs import Pages
from scrapy_web2text.common.files import remove_parts, replace_file

if TYPE_CHECKING:
    from scrapy_web2text.batch.file_formats import Output
    from scrapy_web2text.batch.inputs import BatchInput


_SECONDS_BETWEEN: Final = 1.0  # a manifest for each of many small inputs would take longer than their pages
_MOST_BUFFERED: Final = 4_000_000  # bytes


@dataclass(frozen=True, slots=True)
class RunManifest:
    """How far a run has come.

    :param run: digests of what the run depends on, see :func:`describe_run`.
    :param n_inputs: number of inputs that are finished.
    :param n_shards: number of files that are full.
    :param n_answers: number of answers in the file after them.
    :param n_bytes: its length.
    :param n_seen_bytes: length of the list of texts that have been seen.
    :param is_finished: whether the run is at its end.
    :param counts: what has been counted.
    """

    run: Mapping[str, str]
    n_inputs: int = 0
    n_shards: int = 0
    n_answers: int = 0
    n_bytes: int = 0
    n_seen_bytes: int = 0
    is_finished: bool = False
    counts: Mapping[str, Any] = field(default_factory=dict)


def describe_run(inputs: Sequence[BatchInput], options: Mapping[str, Any], rules: bytes) -> dict[str, str]:
    """Return digests of what the answers and their order depend on.

    Archives are described by their names, sizes and times, page files by their names.

    :param options: the arguments of the command that change the answers.
    :param rules: the file with the options of sites.
    :raises ValueError: if standard input is among the inputs, which cannot be read again.
    """
    described: list[Any] = []
    for each in inputs:
        if isinstance(each, Pages):
            described.append([str(each.folder), *map(str, each.paths)])
        elif each.path is None:
            raise ValueError("--resume: expected inputs that can be read again, got standard input")
        else:
            found = each.path.stat()
            described.append([each.name, each.kind, found.st_size, found.st_mtime_ns])
    return {"inputs": _digest(repr(described)), "options": _digest(repr((__version__, sorted(options.items()), rules)))}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _read_run_manifest(path: Path, run: Mapping[str, str]) -> RunManifest | None:
    """Return the manifest of *run*; None if there is none.

    :raises ValueError: if it is from another run, or cannot be read.
    """
    try:
        manifest = RunManifest(**json.loads(path.read_bytes()))
    except FileNotFoundError:
        return None
    except (ValueError, TypeError) as error:
        raise ValueError(f"--resume: {path}: expected a manifest: {error}; --force begins anew") from error
    changed = [what for what in run if manifest.run.get(what) != run[what]]
    if changed:
        raise ValueError(f"--resume: {path} is of a run with other {' and '.join(changed)}; --force begins anew")
    return manifest


class GrowingOutput:
    """Writes answers to the files of an output, and keeps them from the end of their input on.

    :param manifest: how far the run has come.
    :param is_resumable: whether the manifest is written, so that the run can be resumed.
    """

    def __init__(self, output: Output, manifest: RunManifest, *, is_resumable: bool) -> None:
        self._output = output
        self._is_resumable = is_resumable
        self._manifest = manifest
        self._number = manifest.n_shards  # of the file that is being written
        self._n_answers = manifest.n_answers  # in it
        self._buffer: list[bytes] = []
        self._n_buffered = 0
        self._full: list[tuple[int, BinaryIO]] = []  # parts that are full, but not of finished inputs alone
        self._part: BinaryIO | None = None
        self._seen: BinaryIO | None = None
        self._committed = time.monotonic()

    @property
    def manifest(self) -> RunManifest:
        """How far the run had come at the last commit."""
        return self._manifest

    def open(self) -> None:
        """Make the files what the manifest says.

        :raises ValueError: if a file is missing or too short.
        :raises OSError: if a file cannot be read or written, or another process writes it.
        """
        for number in range(self._manifest.n_shards):
            part, path = self._output.part(number), self._output.shard(number)
            if part.exists():
                _open_until(part, 0, is_cut=False).close()  # no other process writes it
                self._output.format.finish(part, path)
            elif self._output.shard_size is None and not path.exists():
                raise ValueError(f"--resume: {path} is missing; --force begins anew")
        if self._manifest.is_finished:
            return
        if self._manifest.n_bytes and not self._output.part(self._number).exists():
            raise ValueError(f"--resume: {self._output.part(self._number)} is missing; --force begins anew")
        self._part = self._open_part(self._manifest.n_bytes)
        _remove_parts_from(self._output, self._number + 1)
        if self._manifest.n_seen_bytes:
            self._seen = _open_until(self._output.place("seen"), self._manifest.n_seen_bytes)

    def write(self, line: str) -> None:
        """Write an answer; *line* is its JSON."""
        data = self._output.format.encode(line)
        if not data:
            return
        if self._part is None:
            self._part = self._open_part(0)
        self._buffer.append(data)
        self._n_buffered += len(data)
        self._n_answers += 1
        is_full = self._n_answers == self._output.shard_size
        if is_full or self._n_buffered >= _MOST_BUFFERED:
            self._flush()
        if is_full:
            self._full.append((self._number, self._part))
            self._part, self._number, self._n_answers = None, self._number + 1, 0
            if not self._is_resumable:
                self._finish_full()

    def read_seen(self) -> bytes:
        """Return what has been passed to `commit` as *seen*."""
        return self._output.place("seen").read_bytes() if self._manifest.n_seen_bytes else b""

    def is_due(self) -> bool:
        """Return whether it is time for the next commit, if an input is finished."""
        return time.monotonic() - self._committed >= _SECONDS_BETWEEN

    def commit(
        self, n_inputs: int, counts: Mapping[str, Any], *, seen: Iterable[bytes] = (), is_finished: bool = False
    ) -> None:
        """Keep the answers so far: put them on the disk, then replace the manifest.

        :param n_inputs: number of inputs that are finished.
        :param seen: what the run has to know of these answers when it is resumed.
        :param is_finished: whether no more answers come.
        """
        self._flush()
        if is_finished and self._part is not None:
            if self._n_answers or not self._number:
                self._full.append((self._number, self._part))
                self._number += 1
            else:  # the file before was full with the last answer
                self._part.close()
                self._output.part(self._number).unlink()
            self._part, self._n_answers = None, 0
        found = b"".join(seen)
        if found and self._seen is None:
            self._seen = _open_until(self._output.place("seen"), 0)
        if found and self._seen is not None:
            self._seen.write(found)
        self._manifest = replace(
            self._manifest,
            n_inputs=n_inputs,
            n_shards=self._number,
            n_answers=self._n_answers,
            n_bytes=self._part.tell() if self._part is not None else 0,
            n_seen_bytes=self._seen.tell() if self._seen is not None else 0,
            is_finished=is_finished,
            counts=counts,
        )
        if self._is_resumable:
            for file in self._list_open():
                _sync(file)
            _write_run_manifest(self._output.place("manifest"), self._manifest)
        self._finish_full()
        self._committed = time.monotonic()

    def close(self) -> None:
        """Close the files."""
        for file in self._list_open():
            file.close()
        if self._manifest.is_finished:
            self._output.place("seen").unlink(missing_ok=True)

    def _list_open(self) -> list[BinaryIO]:
        return [*filter(None, (*(part for _, part in self._full), self._part, self._seen))]

    def _flush(self) -> None:
        data = b"".join(self._buffer)
        self._buffer.clear()
        self._n_buffered = 0
        if data and self._part is not None:
            self._part.write(self._output.format.compress(data))

    def _finish_full(self) -> None:
        """Give the parts that are full their names."""
        for number, part in self._full:
            _sync(part)
            part.close()
            self._output.format.finish(self._output.part(number), self._output.shard(number))
        self._full.clear()

    def _open_part(self, n_bytes: int) -> BinaryIO:
        part = _open_until(self._output.part(self._number), n_bytes)
        if not n_bytes:
            part.write(self._output.format.head)
        return part


@contextmanager
def open_output(output: Output, run: Mapping[str, str] | None, *, overwrite: bool) -> Iterator[GrowingOutput]:
    """Open the output of a run where an earlier process has left it, or a new one.

    :param run: from :func:`describe_run`; None for a run that will not be resumed.
    :param overwrite: whether to begin anew, whatever there is.
    :raises FileExistsError: if there is an output without a manifest.
    :raises ValueError: if the manifest is from another run, or its files are missing or too short.
    :raises OSError: if a file cannot be read or written, or another process writes it.
    """
    _check_place(output, is_resumed=run is not None)
    path = output.place("manifest")
    if run is None and path.exists() and not overwrite:
        raise FileExistsError(f"--out: {path} is of a run with --resume; --force begins anew")
    manifest = None if overwrite or run is None else _read_run_manifest(path, run)
    older = output.list_older()
    if manifest is None and older and not overwrite:
        raise FileExistsError(f"--out: {older[0]} exists; --force overwrites it")
    if output.format.is_folder:
        Path(output.name).mkdir(exist_ok=True)
    growing = GrowingOutput(output, manifest or RunManifest(run or {}), is_resumable=run is not None)
    if manifest is None:
        _lock_and_clear(output, older)
        if run is not None:
            _write_run_manifest(path, growing.manifest)
    try:
        growing.open()
        remove_parts(path)  # the output is locked, so they are from killed processes
        yield growing
    finally:
        growing.close()


def _write_run_manifest(path: Path, manifest: RunManifest) -> None:
    replace_file(path, json.dumps(asdict(manifest)).encode())


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
    with _open_until(output.part(0), 0, is_cut=False) as file:
        output.place("manifest").unlink(missing_ok=True)
        file.truncate(0)
        _remove_parts_from(output, 1)
        for path in older if output.shard_size is not None else ():
            path.unlink()


def _remove_parts_from(output: Output, number: int) -> None:
    """Remove the parts with this number and later ones, whose answers are from an input that was not finished."""
    while output.shard_size is not None and output.part(number).exists():
        output.part(number).unlink()
        number += 1


def _sync(file: BinaryIO) -> None:
    """Put the data of *file* on the disk, so that they outlive the system."""
    file.flush()
    os.fsync(file.fileno())


def _open_until(path: Path, n_bytes: int, *, is_cut: bool = True) -> BinaryIO:
    """Open and lock a file for appending, without what was written after its first *n_bytes*, if *is_cut*.

    :raises ValueError: if it is shorter.
    :raises BlockingIOError: if another process has locked it.
    """
    file = path.open("ab")
    with suppress(ImportError):
        import fcntl  # only on POSIX

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            file.close()
            raise BlockingIOError(error.errno, "another process writes the feed", str(path)) from error
    if file.seek(0, os.SEEK_END) < n_bytes:
        file.close()
        raise ValueError(f"--resume: {path} is shorter than its manifest says; --force begins anew")
    if is_cut:
        file.truncate(n_bytes)
        file.seek(n_bytes)
    return file
