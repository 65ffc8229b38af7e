"""``web2text batch``: extracts a folder of HTML files into JSON Lines."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import sys
from collections import Counter, deque
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from scrapy_web2text.cli.arguments import add_option_arguments, arguments_to_options, number_or_none
from scrapy_web2text.cli.files import read_page_file
from scrapy_web2text.cli.output import INTERRUPTED
from scrapy_web2text.cli.progress import show_progress
from scrapy_web2text.crawl.child import WORKER_MEMORY, blocked_signals
from scrapy_web2text.crawl.processes import MOST_WORKERS_PER_PAGE, WorkerThreads, clock_limit
from scrapy_web2text.crawl.setting_values import LEAST_WORKER_MEMORY, read_worker_memory
from scrapy_web2text.crawl.settings import n_cpus
from scrapy_web2text.crawl.summary import Summary, format_counts, page_without_content
from scrapy_web2text.crawl.tasks import get_extractor
from scrapy_web2text.exceptions import WorkerDied, WorkerNotStarted, WorkerTimeout
from scrapy_web2text.reasons import REASONS

if TYPE_CHECKING:
    from concurrent.futures import Future

    from scrapy_web2text.crawl.processes import WorkerProcesses
    from scrapy_web2text.extraction import Extraction
    from scrapy_web2text.options import Options
    from scrapy_web2text.reasons import FallbackReason

__all__ = ["add_arguments", "run"]

_GLOBS: Final = tuple(f"**/*.{suffix}{packed}" for suffix in ("html", "htm", "xhtml") for packed in ("", ".gz"))
_AHEAD_PER_WORKER: Final = 8


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to *parser*."""
    parser.description = (
        "Write the main content of all HTML files under a folder as JSON Lines, in the order of their paths. The line "
        "of a file that cannot be extracted gives the reason; the exit status is 0 even then, and 130 if interrupted."
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder of HTML files, plain or .gz")
    parser.add_argument("--out", required=True, metavar="FILE", help="JSON Lines file to write; - for standard output")
    parser.add_argument("--jobs", type=_read_jobs, default=n_cpus(), metavar="N", help="worker processes (%(default)s)")
    parser.add_argument(
        "--glob",
        action="append",
        metavar="PATTERN",
        help="files under DIR, such as '**/*.php'; can be repeated. Default: .html, .htm, .xhtml, also with .gz",
    )
    parser.add_argument(
        "--follow-links", action="store_true", help="read files outside DIR that symbolic links in it lead to"
    )
    parser.add_argument(
        "--worker-memory",
        type=number_or_none(read_worker_memory, f"at least {LEAST_WORKER_MEMORY:,} bytes"),
        default=WORKER_MEMORY,
        metavar="BYTES",
        help="memory of each worker process, where the system can limit it (%(default)s), or none",
    )
    add_option_arguments(parser, blocks="none")


def run(args: argparse.Namespace) -> int:
    """Write the feed and return the exit status.

    :raises OSError: if the folder is not a folder or the feed cannot be written.
    :raises ValueError: if no file matches, an option is impossible, or the feed would overwrite a page.
    :raises ModelError: if the model is broken.
    """
    from scrapy_web2text.extractor import Extractor  # noqa: PLC0415

    options = arguments_to_options(args)
    Extractor(options)  # so that errors and warnings appear once, not from every worker
    paths = _list_files(args.folder, args.glob or _GLOBS, with_links=args.follow_links)
    if _is_page(args.out, args.folder, paths):
        raise ValueError(f"--out: expected another file than the pages, got {args.out!r}")
    summary = Summary()
    with _open_feed(args.out) as feed:
        lost: Counter[str] = Counter()
        lines = _extract_files(args.folder, paths, options, lost, n_jobs=args.jobs, memory=args.worker_memory)
        status = _write_lines(lines, len(paths), feed, summary)
    interrupted = f"interrupted after {summary.n_pages:,} of {len(paths):,}: " if status else ""
    losses = f"; lost worker processes: {format_counts(lost)}" if lost else ""
    print(f"web2text batch: {interrupted}{summary}{losses}", file=sys.stderr)
    return status


def _write_lines(lines: Generator[_Line, None, None], n_files: int, feed: BinaryIO, summary: Summary) -> int:
    """Write whole lines until the last one or Ctrl-C, count them in *summary*, and return the exit status."""
    try:
        for line in show_progress(lines, n_files):
            with _delayed_interrupts():
                feed.write(line.json.encode())
                summary.add(line.method, line.reason, line.confidence, line.seconds, page=line.page)
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        lines.close()  # ends the workers now, not when the generator is collected
    return 0


@dataclass(frozen=True, slots=True)
class _Line:
    """The line of one file, and its values for the summary."""

    json: str
    method: str
    reason: str | None
    confidence: float | None
    seconds: float
    page: str | None = None
    """The kind of the page if it has no main content."""


def _read_jobs(text: str) -> int:
    jobs = int(text) if text.isdecimal() else 0
    if jobs < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number above 0, got {text!r}")
    return jobs


def _list_files(folder: Path, globs: Iterable[str], *, with_links: bool) -> list[Path]:
    """Return the sorted paths of the files that match, relative to *folder*.

    :param with_links: whether links may lead out of the folder. They could lead anywhere, and the folder may come from
        another person.
    """
    if not folder.is_dir():
        raise NotADirectoryError(f"{folder}: expected a folder")
    for pattern in globs:
        path = Path(pattern)
        if not pattern or path.anchor or ".." in path.parts:
            raise ValueError(f"--glob: expected a pattern of paths under {folder}, such as '**/*.php', got {pattern!r}")
    found = {path.relative_to(folder) for pattern in globs for path in folder.glob(pattern) if path.is_file()}
    root = folder.resolve()
    outside = set() if with_links else {path for path in found if root not in (folder / path).resolve().parents}
    skipped = f"skipped links out of {folder}: {len(outside):,} (--follow-links reads them)" if outside else ""
    if found == outside:
        raise ValueError(f"{folder}: no file matches {', '.join(globs)}{f'; {skipped}' if skipped else ''}")
    if skipped:
        print(f"web2text batch: {skipped}", file=sys.stderr)
    return sorted(found - outside)


def _is_page(out: str, folder: Path, paths: Iterable[Path]) -> bool:
    """Return whether the feed *out* is one of the files."""
    if out == "-" or not Path(out).is_file():
        return False
    root = folder.resolve()
    return Path(out).resolve() in {(root / path).resolve() for path in paths}


@contextmanager
def _open_feed(name: str) -> Iterator[BinaryIO]:
    """Open the feed for writing. Its file is replaced only at the end of the block, or at a Ctrl-C inside it.

    After an error, the lines so far are in ``NAME.PROCESS.part``, and an older file is as it was.
    """
    if name == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = Path(name)
    if path.exists() and not path.is_file():  # a device or a pipe; for a folder, this is an error
        with path.open("wb") as file:
            yield file
        return
    path = path.resolve()  # a link stays one
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with part.open("xb") as file:
            if path.exists():
                shutil.copymode(path, part)
            yield file
    except Exception:
        if part.exists() and not part.stat().st_size:
            part.unlink()
        raise
    except KeyboardInterrupt:
        part.replace(path)
        raise
    part.replace(path)


def _extract_files(
    folder: Path, paths: Iterable[Path], options: Options, lost: Counter[str], *, n_jobs: int, memory: int | None
) -> Generator[_Line, None, None]:
    """Yield the line of each file, in order. The workers run ahead by a bounded number of files.

    :param lost: counts the workers that are lost, by cause.
    """
    n_ahead = _AHEAD_PER_WORKER * n_jobs
    with WorkerThreads(n_jobs, memory) as threads:
        pending: deque[Future[_Line]] = deque()
        for path in paths:
            pending.append(threads.submit(_extract_in_worker, threads.processes, folder, path, options))
            if len(pending) == n_ahead:
                yield pending.popleft().result()
                lost.update(threads.processes.take_losses())
        while pending:
            yield pending.popleft().result()
        lost.update(threads.processes.take_losses())


def _extract_in_worker(processes: WorkerProcesses, folder: Path, path: Path, options: Options) -> _Line:
    """Return the line of a file, from the worker process of this thread."""
    seconds = clock_limit(options.timeout)
    for _ in range(MOST_WORKERS_PER_PAGE):
        try:
            return _Line(*processes.run(extract_values, folder, path, options, seconds=seconds))
        except WorkerTimeout as error:
            return _failed_line(path, "timeout", str(error), seconds=error.seconds)
        except WorkerDied:
            continue
        except WorkerNotStarted:
            if processes.cannot_start:
                raise
    return _failed_line(path, "worker_died", REASONS["worker_died"])


@contextmanager
def _delayed_interrupts() -> Iterator[None]:
    """Delay the KeyboardInterrupt of Ctrl-C until the end of the block, so that no line is cut.

    The signal is also blocked, since it can cut short a write to an unbuffered output.
    """
    received: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda number, _: received.append(number))
    try:
        with blocked_signals():
            yield
    finally:
        signal.signal(signal.SIGINT, handler)
    if received and handler is not signal.SIG_IGN:  # which a shell sets for a command in the background
        raise KeyboardInterrupt


def extract_values(folder: Path, path: Path, options: Options) -> tuple[Any, ...]:
    """Return the values of a file's :class:`_Line`, as plain data; a worker process calls this."""
    return astuple(extract_file(folder, path, options))


def extract_file(folder: Path, path: Path, options: Options) -> _Line:
    """Return the line of one file."""
    try:
        body = read_page_file(folder / path, options.max_bytes)
    except OSError as error:
        return _failed_line(path, "unreadable", str(error))
    try:
        return _to_line(path, get_extractor(options).extract(body))
    except Exception as error:  # noqa: BLE001  the boundary between many files and bugs of this package
        return _failed_line(path, "error", repr(error))


def _failed_line(path: Path, reason: FallbackReason, error: str, *, seconds: float = 0.0) -> _Line:
    from scrapy_web2text.extraction import Extraction  # noqa: PLC0415  loads numpy

    return _to_line(path, Extraction(fallback_reason=reason, elapsed=seconds), error=error)


def _to_line(path: Path, extraction: Extraction, **more: str) -> _Line:
    values = {"path": path.as_posix(), **extraction.to_dict(), **more}
    del values["url"]  # a file has none
    # File names may hold bytes that are not text, as lone surrogates. Python escapes these as JSON does.
    text = json.dumps(values, ensure_ascii=False, allow_nan=False)
    line = f"{text}\n".encode(errors="backslashreplace").decode()
    page = page_without_content(extraction)
    return _Line(line, extraction.method, extraction.fallback_reason, extraction.confidence, extraction.elapsed, page)
