"""The feed of a run that can be resumed: it grows in steps, and a manifest says how far the run has come.

Each step appends lines to ``FILE.part``, then replaces ``FILE.manifest``. A run that is killed between the two has more
lines than its manifest says; the next run cuts them off and writes them again.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from scrapy_web2text._version import __version__
from scrapy_web2text.cli.feed import choose_compression
from scrapy_web2text.cli.inputs import Pages
from scrapy_web2text.cli.steps import START, Position
from scrapy_web2text.replacement import remove_parts, replace_file

if TYPE_CHECKING:
    import argparse

    from scrapy_web2text.cli.inputs import Source

__all__ = ["ResumableFeed", "describe_run", "open_resumable"]

_SECONDS_BETWEEN: Final = 1.0
_MOST_BUFFERED: Final = 4_000_000  # bytes
# Arguments that do not change the answers.
_OF_THE_RUN: Final = {"command", "files_from", "force", "inputs", "jobs", "out", "resume", "run", "worker_memory"}


@dataclass(frozen=True, slots=True)
class _Manifest:
    """How far a run has come.

    :param run: digests of what the run depends on, see :func:`describe_run`.
    :param n_bytes: length of the feed up to the position.
    :param counts: what has been counted up to the position.
    """

    run: Mapping[str, str]
    position: Position = START
    n_bytes: int = 0
    is_finished: bool = False
    counts: Mapping[str, Any] = field(default_factory=dict)


def describe_run(args: argparse.Namespace, sources: Sequence[Source]) -> dict[str, str]:
    """Return digests of what the answers and their order depend on: the inputs, and the other arguments.

    Archives are described by their names, sizes and times, page files by their names.

    :raises ValueError: if standard input is among the inputs, which cannot be read again.
    """
    inputs: list[Any] = []
    for source in sources:
        if isinstance(source, Pages):
            inputs.append([str(source.folder), *map(str, source.paths)])
        elif source.path is None:
            raise ValueError("--resume: expected inputs that can be read again, got standard input")
        else:
            found = source.path.stat()
            inputs.append([source.name, source.kind, found.st_size, found.st_mtime_ns])
    options = {name: value for name, value in vars(args).items() if name not in _OF_THE_RUN}
    rules = b"" if args.sites is None else Path(args.sites).read_bytes()
    return {"inputs": _digest(repr(inputs)), "options": _digest(repr((__version__, sorted(options.items()), rules)))}


class ResumableFeed:
    """A feed that keeps its lines until the next step.

    :param file: ``FILE.part``, which has the lines up to the position of *manifest*.
    """

    def __init__(self, name: str, file: BinaryIO, manifest: _Manifest) -> None:
        self._compress = choose_compression(name)
        self._file = file
        self._path = _manifest_path(Path(name))
        self._manifest = manifest
        self._lines: list[bytes] = []
        self._n_buffered = 0
        self._committed = time.monotonic()

    @property
    def position(self) -> Position:
        """Where the run goes on."""
        return self._manifest.position

    @property
    def counts(self) -> Mapping[str, Any]:
        """What had been counted up to there; empty for a run that begins."""
        return self._manifest.counts

    @property
    def is_finished(self) -> bool:
        """Whether nothing is left to do."""
        return self._manifest.is_finished

    def write(self, data: bytes) -> None:
        """Write whole lines, at the next step."""
        self._lines.append(data)
        self._n_buffered += len(data)

    def is_due(self) -> bool:
        """Return whether it is time for the next step."""
        return self._n_buffered >= _MOST_BUFFERED or time.monotonic() - self._committed >= _SECONDS_BETWEEN

    def commit(self, position: Position, counts: Mapping[str, Any], *, is_finished: bool = False) -> None:
        """Append the lines that were written up to *position* to the file, then replace the manifest."""
        data = b"".join(self._lines)
        if data:
            self._file.write(self._compress(data))
            self._file.flush()
            os.fsync(self._file.fileno())
        self._lines.clear()
        self._n_buffered = 0
        n_bytes = self._file.tell()
        self._manifest = replace(
            self._manifest, position=position, n_bytes=n_bytes, is_finished=is_finished, counts=counts
        )
        _write_manifest(self._path, self._manifest)
        self._committed = time.monotonic()


@contextmanager
def open_resumable(name: str, run: Mapping[str, str], *, overwrite: bool) -> Iterator[ResumableFeed]:
    """Open the feed of a run where an earlier process has left it, or a new one. A finished feed gets its name.

    :param name: name of the feed, compressed as it says.
    :param run: from :func:`describe_run`.
    :param overwrite: whether to begin anew, whatever there is.
    :raises FileExistsError: if there is a feed without a manifest.
    :raises ValueError: if the manifest is that of another run, or its feed is missing or too short.
    :raises OSError: if a file cannot be read or written, or another process writes the feed.
    """
    choose_compression(name)
    path = Path(name)
    if name == "-" or (path.exists() and not path.is_file()):
        raise ValueError(f"--resume: expected a file for --out, got {name!r}")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"--out: {name}: expected a file in a folder that exists")
    part = path.with_name(f"{path.name}.part")
    manifest = None if overwrite else _read_manifest(_manifest_path(path), run)
    if manifest is None and path.exists() and not overwrite:
        raise FileExistsError(f"--out: {name} exists; --force overwrites it")
    if manifest is not None and not part.exists() and not (manifest.is_finished and path.exists()):
        raise ValueError(f"--resume: {part} is missing; --force begins anew")
    if manifest is not None and manifest.is_finished and not part.exists():
        with path.open("rb") as file:
            yield ResumableFeed(name, file, manifest)
        return
    with part.open("ab") as file:
        _lock(file, part)
        remove_parts(_manifest_path(path))
        if manifest is None:
            manifest = _Manifest(run)
            _manifest_path(path).unlink(missing_ok=True)
            file.truncate(0)
            _write_manifest(_manifest_path(path), manifest)
        if file.seek(0, os.SEEK_END) < manifest.n_bytes:
            raise ValueError(f"--resume: {part} is shorter than its manifest says; --force begins anew")
        file.truncate(manifest.n_bytes)
        file.seek(manifest.n_bytes)
        feed = ResumableFeed(name, file, manifest)
        yield feed
    if feed.is_finished:
        part.replace(path.resolve())  # a link stays one


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _manifest_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.manifest")


def _read_manifest(path: Path, run: Mapping[str, str]) -> _Manifest | None:
    """Return the manifest of *run*; None if there is none.

    :raises ValueError: if it is that of another run, or cannot be read.
    """
    try:
        values = json.loads(path.read_bytes())
        manifest = _Manifest(**{**values, "position": Position(*values["position"])})
    except FileNotFoundError:
        return None
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(f"--resume: {path}: expected a manifest: {error}; --force begins anew") from error
    changed = [what for what in run if manifest.run.get(what) != run[what]]
    if changed:
        raise ValueError(f"--resume: {path} is of a run with other {' and '.join(changed)}; --force begins anew")
    return manifest


def _write_manifest(path: Path, manifest: _Manifest) -> None:
    values = {part.name: getattr(manifest, part.name) for part in fields(manifest)}
    replace_file(path, json.dumps(values).encode())


def _lock(file: BinaryIO, path: Path) -> None:
    """Lock *file* until it is closed, where the system can."""
    with suppress(ImportError):
        import fcntl  # noqa: PLC0415  only on POSIX

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise BlockingIOError(error.errno, "another process writes the feed", str(path)) from error
