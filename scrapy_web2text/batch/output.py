"""An output that grows input by input, so that a run can be resumed.

Answers are written to ``FILE.part``; an output of several files fills one part after another. When an input is
finished, ``FILE.manifest`` is replaced; it says how much of the parts is from finished inputs. Full parts then get
their final names. A resumed run cuts off the answers of the input that was interrupted, and begins this input anew.
``FILE.seen`` lists the texts that have been seen. It is locked while a process writes the output.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from scrapy_web2text._version import __version__
from scrapy_web2text.common.files import check_out_file, remove_parts, replace_file
from scrapy_web2text.sources.inputs import Pages
from scrapy_web2text.sources.remote import RemotePath

if TYPE_CHECKING:
    from scrapy_web2text.batch.file_formats import Output
    from scrapy_web2text.batch.tally import Tally
    from scrapy_web2text.sources.inputs import BatchInput

_SECONDS_BETWEEN: Final = 1.0  # a manifest for each of many small inputs would take longer than their pages
_MOST_BUFFERED: Final = 4_000_000  # bytes
_VERSION: Final = {"etag", "lastmodified", "last_modified", "last-modified", "mtime", "updated"}  # fsspec's names


@dataclass(frozen=True, slots=True)
class RunManifest:
    """How far a run has come.

    :param run: what the run depends on, see :func:`describe_run`.
    :param n_inputs: number of inputs that are finished.
    :param n_shards: number of files that are full; the next one has *n_answers* answers in *n_bytes*.
    :param n_seen_bytes: length of the list of texts that have been seen.
    :param counts: what has been counted, from :meth:`~scrapy_web2text.batch.tally.Tally.to_dict`.
    """

    run: Mapping[str, Any]
    n_inputs: int = 0
    n_shards: int = 0
    n_answers: int = 0
    n_bytes: int = 0
    n_seen_bytes: int = 0
    is_finished: bool = False
    counts: Mapping[str, Any] = field(default_factory=dict)

    def write(self, path: Path) -> None:
        """Replace the file *path* with this manifest."""
        replace_file(path, json.dumps(asdict(self)).encode())


def describe_run(
    inputs: Sequence[BatchInput], options: Mapping[str, Any], rules: bytes, settings: Mapping[str, Any]
) -> dict[str, Any]:
    """Return digests of everything that the answers and their order depend on, and the settings in readable form.

    Archives are described by their names, sizes and times or versions, page files by their names.

    :param options: the arguments of the command that change the answers.
    :param rules: the file with the options of sites.
    :param settings: from `Options.to_settings`.
    :raises ValueError: if standard input is among the inputs, which cannot be read again.
    """
    described: list[Any] = []
    for each in inputs:
        if isinstance(each, Pages):
            described.append([str(each.folder), *map(str, each.paths)])
        elif each.path is None:
            raise ValueError("--resume: expected inputs that can be read again, got standard input")
        elif isinstance(each.path, RemotePath):
            version = sorted(f"{key} {value}" for key, value in each.path.info.items() if key.lower() in _VERSION)
            described.append([each.name, each.kind, each.n_bytes, *version])
        else:
            found = each.path.stat()
            described.append([each.name, each.kind, found.st_size, found.st_mtime_ns])
    chosen = _digest(repr((__version__, sorted(options.items()), rules)))
    return {"inputs": _digest(repr(described)), "options": chosen, "settings": settings}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _read_run_manifest(path: Path, run: Mapping[str, Any]) -> RunManifest | None:
    """Return the manifest of *run*; None if no file exists. The manifest of another run is a ValueError."""
    try:
        manifest = RunManifest(**json.loads(path.read_bytes()))
    except FileNotFoundError:
        return None
    except (ValueError, TypeError) as error:
        raise ValueError(f"--resume: {path}: expected a manifest: {error}; --force begins anew") from error
    changed = [what for what in ("inputs", "options") if manifest.run.get(what) != run[what]]
    if changed:
        raise ValueError(f"--resume: {path} is of a run with other {' and '.join(changed)}; --force begins anew")
    return manifest


class GrowingOutput:
    """Writes answers to the files of an output. Answers are safe as soon as their input is finished.

    :param manifest: how far the run had come.
    :param seen: the list of texts that have been seen.
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
        self._number = manifest.n_shards  # of the file that is being written
        self._n_answers = manifest.n_answers  # in it
        self._part: BinaryIO | None = None  # its part, from the first answer on
        self._full: list[int] = []  # full files that also have answers of an unfinished input
        self._buffer: list[bytes] = []
        self._n_buffered = 0
        self._committed = time.monotonic()
        for number in range(self._number):
            part, path = output.part(number), output.shard(number)
            if part.exists():
                output.finish(part, path)
            elif output.shard_size is None and not path.exists():
                raise ValueError(f"--resume: {path} is missing; --force begins anew")
        _cut(seen, manifest.n_seen_bytes, output.place("seen"))
        if self._n_answers:
            self._part = self._open_part(manifest.n_bytes)
        _remove_parts_from(output, self._number + bool(self._n_answers))

    def write(self, line: str) -> None:
        """Write an answer; *line* is its JSON."""
        data = self._output.encode(line)
        if not data:
            return
        if self._part is None:
            self._part = self._open_part()
        self._buffer.append(data)
        self._n_buffered += len(data)
        self._n_answers += 1
        if self._n_answers == self._output.shard_size:
            self._close_part(self._part)
        elif self._n_buffered >= _MOST_BUFFERED:
            self._flush()

    def remember(self, seen: bytes) -> None:
        """Add *seen* to the list of texts that the run has to know when it is resumed."""
        if self._is_resumable:
            self._seen.write(seen)

    def read_seen(self) -> bytes:
        """Return what has been passed to `remember`."""
        self._seen.seek(0)
        return self._seen.read()

    def end_input(self, tally: Tally) -> None:
        """Note that an input is finished. At most once a second, also commit the answers so far."""
        self.n_inputs += 1
        if time.monotonic() - self._committed >= _SECONDS_BETWEEN:
            self.commit(tally)

    def commit(self, tally: Tally, *, is_finished: bool = False) -> None:
        """Secure the answers so far: put them on the disk, then replace the manifest."""
        if is_finished and (self._n_answers or not self._number):
            self._close_part(self._part or self._open_part())
        self._flush()
        if self._is_resumable:
            manifest = RunManifest(
                self.manifest.run,
                self.n_inputs,
                self._number,
                self._n_answers,
                n_bytes=0 if self._part is None else _sync(self._part),
                n_seen_bytes=0 if is_finished else _sync(self._seen),
                is_finished=is_finished,
                counts=tally.to_dict(),
            )
            manifest.write(self._output.place("manifest"))
        for number in self._full:
            self._output.finish(self._output.part(number), self._output.shard(number))
        self._full.clear()
        self._committed = time.monotonic()
        if is_finished:
            self._seen.truncate(0)

    def close(self) -> None:
        """Close the files. If the run cannot be resumed, its part keeps all lines so far."""
        if self._part is not None:
            with self._part:
                if not self._is_resumable:
                    self._flush()

    def _flush(self) -> None:
        if self._buffer and self._part is not None:
            data = b"".join(self._buffer)
            self._buffer.clear()
            self._n_buffered = 0
            self._part.write(self._output.compress(data))

    def _open_part(self, n_bytes: int = 0) -> BinaryIO:
        path = self._output.part(self._number)
        if not n_bytes:
            path.unlink(missing_ok=True)  # of an earlier run, or a link of another user
        part = path.open("ab")
        _cut(part, n_bytes, path)
        if not n_bytes:
            part.write(self._output.head)
        return part

    def _close_part(self, part: BinaryIO) -> None:
        self._flush()
        _sync(part)
        part.close()
        number, self._part, self._number, self._n_answers = self._number, None, self._number + 1, 0
        if self._is_resumable:
            self._full.append(number)
        else:
            self._output.finish(self._output.part(number), self._output.shard(number))


@contextmanager
def open_output(output: Output, run: Mapping[str, Any] | None, *, overwrite: bool) -> Iterator[GrowingOutput]:
    """Open the output of a run as an earlier process has left it, or a new output.

    :param run: from :func:`describe_run`; None for a run that will not be resumed.
    :param overwrite: whether to begin anew, even if files of an earlier run exist.
    :raises FileExistsError: if there is an output without a manifest.
    :raises ValueError: if the manifest is from another run, or its files are missing or too short.
    :raises OSError: if a file cannot be read or written, or another process is writing the output.
    """
    _check_place(output)
    path = output.place("manifest")
    with _locked(output.place("seen")) as seen:
        if run is None and path.exists() and not overwrite:
            raise FileExistsError(f"--out: {path} is of a run with --resume; --force begins anew")
        manifest = None if overwrite or run is None else _read_run_manifest(path, run)
        older = output.list_older()
        if manifest is None and older and not overwrite:
            raise FileExistsError(f"--out: {older[0]} exists; --force overwrites it")
        if output.is_folder:
            Path(output.name).mkdir(exist_ok=True)
        if manifest is None:
            manifest = RunManifest(run or {})
            path.unlink(missing_ok=True)
            for file in older if output.shard_size is not None else ():  # a single file is replaced at the end
                file.unlink()
            if run is not None:
                manifest.write(path)
        growing = GrowingOutput(output, manifest, seen, is_resumable=run is not None)
        remove_parts(path)  # the output is locked, so they are from killed processes
        try:
            yield growing
        finally:
            growing.close()


def _check_place(output: Output) -> None:
    path = Path(output.name)
    is_other = path.exists() and not path.is_dir() and (output.is_folder or not path.is_file())
    if output.name == "-" or is_other:
        raise ValueError(f"--out: expected {'a folder' if output.is_folder else 'a file'}, got {output.name!r}")
    if not output.is_folder or not path.is_dir():
        check_out_file(path, may_overwrite=True)


@contextmanager
def _locked(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading and appending, locked for this process. At the end, an empty file is removed."""
    if path.is_symlink():  # of another user
        path.unlink()
    file = path.open("a+b")
    with suppress(ImportError):
        import fcntl  # only on POSIX

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            file.close()
            raise BlockingIOError(error.errno, "another process writes the feed", str(path)) from error
    try:
        yield file
    finally:
        is_empty = not file.seek(0, os.SEEK_END)
        file.close()
        if is_empty:
            path.unlink()


def _remove_parts_from(output: Output, number: int) -> None:
    """Remove the parts with this number and later ones, whose answers are from an input that was not finished."""
    while output.shard_size is not None and output.part(number).exists():
        output.part(number).unlink()
        number += 1


def _sync(file: BinaryIO) -> int:
    """Put the data of *file* on the disk, so that they survive a crash of the system, and return their length."""
    file.flush()
    os.fsync(file.fileno())
    return file.tell()


def _cut(file: BinaryIO, n_bytes: int, path: Path) -> None:
    """Cut off what was written after the first *n_bytes* of a file. A shorter file is a ValueError."""
    if file.seek(0, os.SEEK_END) < n_bytes:
        file.close()
        raise ValueError(f"--resume: {path} is missing or shorter than its manifest says; --force begins anew")
    file.truncate(n_bytes)
    file.seek(n_bytes)
