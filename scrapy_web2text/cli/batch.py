"""``web2text batch``: a folder of HTML files in, JSON Lines out."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context, resource_tracker
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from scrapy_web2text.cli.arguments import INTERRUPTED, add_option_arguments, arguments_to_options
from scrapy_web2text.cli.files import read_page_file
from scrapy_web2text.cli.progress import show_progress
from scrapy_web2text.crawl.settings import Web2TextSettings
from scrapy_web2text.crawl.summary import Summary

if TYPE_CHECKING:
    from scrapy_web2text.extractor import Extractor
    from scrapy_web2text.options import Options

__all__ = ["add_arguments", "run"]

_GLOBS: Final = tuple(f"**/*.{suffix}{packed}" for suffix in ("html", "htm", "xhtml") for packed in ("", ".gz"))
_AHEAD_PER_WORKER: Final = 8


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to *parser*."""
    parser.description = (
        "Write the main content of all HTML files under a folder as JSON Lines, in the order of their paths. A file "
        "that cannot be extracted is a line with the reason. The exit status is 0 even then; 130 if interrupted."
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder of HTML files, plain or .gz")
    parser.add_argument("--out", required=True, metavar="FILE", help="the JSON Lines; - for standard output")
    n_cpus = Web2TextSettings(executor="process").n_workers
    parser.add_argument("--jobs", type=_read_jobs, default=n_cpus, metavar="N", help="worker processes (%(default)s)")
    parser.add_argument(
        "--glob",
        action="append",
        metavar="PATTERN",
        help="which files under DIR, as '**/*.php' (may be repeated); default: .html, .htm, .xhtml, and these with .gz",
    )
    add_option_arguments(parser, blocks="none")


def run(args: argparse.Namespace) -> int:
    """Write the feed and return the exit status.

    :raises OSError: if the folder is none or the feed cannot be written.
    :raises ValueError: if no file matches, or an option is impossible.
    :raises ModelError: if the model is broken.
    """
    from scrapy_web2text.extractor import Extractor  # noqa: PLC0415

    options = arguments_to_options(args)
    Extractor(options)  # what is wrong with it shows here and not in every worker
    paths = _list_files(args.folder, args.glob or _GLOBS)
    summary = Summary()
    status = 0
    with _open_feed(args.out) as feed:
        lines = _extract_files(args.folder, paths, options, n_workers=args.jobs, n_ahead=_AHEAD_PER_WORKER * args.jobs)
        # Closed here and not by the garbage collector: the workers end with it.
        with closing(lines):
            try:
                for line in show_progress(lines, len(paths)):
                    with _interrupts_later():
                        feed.write(line.json)
                        summary.add(line.method, line.reason, line.confidence, line.seconds)
            except KeyboardInterrupt:
                status = INTERRUPTED
    interrupted = f"interrupted after {summary.n_pages:,} of {len(paths):,}: " if status else ""
    print(f"web2text batch: {interrupted}{summary}", file=sys.stderr)
    return status


@dataclass(frozen=True, slots=True)
class _Line:
    """One file's line of the feed, and what the summary counts of it."""

    json: bytes
    method: str
    reason: str | None
    confidence: float | None
    seconds: float


def _read_jobs(text: str) -> int:
    jobs = int(text) if text.isdecimal() else 0
    if jobs < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number above 0, got {text!r}")
    return jobs


def _list_files(folder: Path, globs: Iterable[str]) -> list[Path]:
    """Return the files, relative to *folder*, sorted."""
    if not folder.is_dir():
        raise NotADirectoryError(f"{folder}: expected a folder")
    for pattern in globs:
        path = Path(pattern)
        if not pattern or path.anchor or ".." in path.parts:
            raise ValueError(f"--glob: expected a pattern of paths under {folder}, such as '**/*.php', got {pattern!r}")
    found = {path.relative_to(folder) for pattern in globs for path in folder.glob(pattern) if path.is_file()}
    if not found:
        raise ValueError(f"{folder}: no file matches {', '.join(globs)}")
    return sorted(found)


@contextmanager
def _open_feed(name: str) -> Iterator[BinaryIO]:
    if name == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with Path(name).open("wb") as file:
        yield file


def _extract_files(
    folder: Path, paths: Iterable[Path], options: Options, *, n_workers: int, n_ahead: int
) -> Generator[_Line, None, None]:
    """Yield the line of each file, in order.

    :param n_ahead: most files that are handed to the workers before their lines are taken.
    """
    work = iter(paths)
    while True:
        pending: deque[Path] = deque()
        futures: deque[Future[_Line]] = deque()
        with _workers(n_workers, folder, options) as pool:
            try:
                while True:
                    for path in islice(work, n_ahead - len(pending)):
                        pending.append(path)
                        with _interrupts_later():
                            futures.append(pool.submit(_extract_file, path))
                    if not pending:
                        return
                    line = futures[0].result()
                    pending.popleft()
                    futures.popleft()
                    yield line
            except BrokenProcessPool:
                pass
        # A worker has died of one of the pending files, and only by themselves do they tell of which.
        if len(pending) == 1:
            yield _failed_line(pending[0], "crashed", "the worker process died")
        else:
            yield from _extract_files(folder, pending, options, n_workers=1, n_ahead=1)


@contextmanager
def _interrupts_later() -> Iterator[None]:
    """Hold Ctrl-C back, so that no line is cut, and no worker interrupted in its imports."""
    asked: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda number, _: asked.append(number))
    try:
        with _blocked_interrupts():
            yield
    finally:
        signal.signal(signal.SIGINT, handler)
    if asked:
        raise KeyboardInterrupt


@contextmanager
def _blocked_interrupts() -> Iterator[None]:
    """Block Ctrl-C where that is known: processes that start meanwhile inherit it."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    resource_tracker.ensure_running()  # else it starts with the first worker, and lets Ctrl-C through
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


@contextmanager
def _workers(n_workers: int, folder: Path, options: Options) -> Iterator[ProcessPoolExecutor]:
    # "spawn" behaves alike on all systems, and copies no threads of a progress bar.
    pool = ProcessPoolExecutor(n_workers, get_context("spawn"), initializer=_start_worker, initargs=(folder, options))
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


# What follows runs in the workers.

_extractor: Extractor
_folder: Path


def _start_worker(folder: Path, options: Options) -> None:
    global _extractor, _folder
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the command ends its workers
    for library in ("OPENBLAS", "OMP", "MKL"):
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")  # numpy reads it when it is imported
    from scrapy_web2text.extractor import Extractor  # noqa: PLC0415

    _folder, _extractor = folder, Extractor(options)


def _extract_file(path: Path) -> _Line:
    try:
        body = read_page_file(_folder / path, _extractor.options.max_bytes)
        extraction = _extractor.extract(body)
    except OSError as error:
        return _failed_line(path, "unreadable", str(error))
    except Exception as error:  # noqa: BLE001  the boundary between a run over many files and our bugs
        return _failed_line(path, "error", repr(error))
    values = extraction.to_dict()
    del values["url"]  # a file has none
    return _Line(
        _to_json({"path": path.as_posix(), **values}),
        *(extraction.method, extraction.fallback_reason, extraction.confidence, extraction.elapsed),
    )


def _failed_line(path: Path, reason: str, message: str) -> _Line:
    from scrapy_web2text.extraction import Extraction  # noqa: PLC0415

    values = Extraction(fallback_reason=reason).to_dict()
    del values["url"]
    return _Line(_to_json({"path": path.as_posix(), **values, "error": message}), "none", reason, None, 0.0)


def _to_json(values: dict[str, Any]) -> bytes:
    # Names of files may hold bytes that are no text; their escapes are JSON's too.
    return f"{json.dumps(values, ensure_ascii=False)}\n".encode(errors="backslashreplace")
