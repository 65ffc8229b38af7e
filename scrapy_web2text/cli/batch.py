"""``web2text batch``: extracts a folder of HTML files into JSON Lines."""

from __future__ import annotations

import argparse
import sys
from collections import Counter, deque
from collections.abc import Generator, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from scrapy_web2text.cli.arguments import add_option_arguments, arguments_to_options, number_or_none
from scrapy_web2text.cli.feed import delayed_interrupts, open_feed
from scrapy_web2text.cli.lines import Line, extract_values, failed_line
from scrapy_web2text.cli.listing import is_page, list_files
from scrapy_web2text.cli.output import INTERRUPTED
from scrapy_web2text.cli.progress import show_progress
from scrapy_web2text.cli.sites import add_sites_argument, load_sites, url_sources
from scrapy_web2text.cli.urls import add_url_argument
from scrapy_web2text.crawl.child import WORKER_MEMORY
from scrapy_web2text.crawl.processes import MOST_WORKERS_PER_PAGE, WorkerThreads, clock_limit
from scrapy_web2text.crawl.setting_values import LEAST_WORKER_MEMORY, read_worker_memory
from scrapy_web2text.crawl.settings import n_cpus
from scrapy_web2text.crawl.summary import Summary, format_counts
from scrapy_web2text.exceptions import WorkerDied, WorkerNotStarted, WorkerTimeout
from scrapy_web2text.reasons import REASONS

if TYPE_CHECKING:
    from concurrent.futures import Future
    from typing import TypeAlias

    from scrapy_web2text.crawl.processes import WorkerProcesses
    from scrapy_web2text.crawl.sites import SiteIndex
    from scrapy_web2text.options import Options

    # The options, where the URLs of pages are from, and the options of sites.
    _Work: TypeAlias = tuple[Options, Sequence[str], SiteIndex]

__all__ = ["add_arguments", "run"]

_AHEAD_PER_WORKER: Final = 8


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to *parser*."""
    parser.description = (
        "Write the main content of all HTML files under a folder as JSON Lines, in the order of their paths. The line "
        "of a file that cannot be extracted gives the reason; the exit status is 0 even then, and 130 if interrupted."
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder of HTML files, plain or .gz")
    parser.add_argument(
        "--out",
        required=True,
        metavar="FILE",
        help="JSON Lines file to write, compressed if its name ends in .gz; - for standard output",
    )
    parser.add_argument("--force", action="store_true", help="overwrite FILE if it exists")
    parser.add_argument("--jobs", type=_read_jobs, default=n_cpus(), metavar="N", help="worker processes (%(default)s)")
    parser.add_argument(
        "--glob",
        action="append",
        metavar="PATTERN",
        help="files under DIR, such as '**/*.php'; can be repeated. Default: .html, .htm, .xhtml, also with .gz, in "
        "upper or lower case",
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
    add_url_argument(parser)
    add_sites_argument(parser)
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
    sites = load_sites(args, options)
    paths = list_files(args.folder, args.glob, with_links=args.follow_links)
    if is_page(args.out, args.folder, paths):
        raise ValueError(f"--out: expected another file than the pages, got {args.out!r}")
    summary = Summary(options.min_confidence)
    counts: Counter[str] = Counter()
    with open_feed(args.out, overwrite=args.force) as feed:
        lost: Counter[str] = Counter()
        work = (options, url_sources(args), sites)
        lines = _extract_files(args.folder, paths, work, lost, n_jobs=args.jobs, memory=args.worker_memory)
        status = _write_lines(lines, len(paths), feed, summary, counts)
    interrupted = f"interrupted after {summary.n_pages:,} of {len(paths):,}: " if status else ""
    counted = "".join(f"; {what}: {n:,}" for what, n in counts.items())
    losses = f"; lost worker processes: {format_counts(lost)}" if lost else ""
    print(f"web2text batch: {interrupted}{summary}{counted}{losses}", file=sys.stderr)
    return status


def _write_lines(
    lines: Generator[Line, None, None], n_files: int, feed: BinaryIO, summary: Summary, counts: Counter[str]
) -> int:
    """Write whole lines until the last one or Ctrl-C, and return the exit status.

    :param summary: counts all answers.
    :param counts: counts those that are left out, by what the message calls them.
    """
    try:
        for line in show_progress(lines, n_files):
            with delayed_interrupts():
                feed.write(line.json.encode())
                summary.add(line.method, line.reason, line.confidence, line.seconds, page=line.page)
                if line.is_unmatched:
                    summary.add_unmatched()
                if line.is_left_out:
                    counts["left out for low confidence"] += 1
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        lines.close()  # ends the workers now, not when the generator is collected
    return 0


def _read_jobs(text: str) -> int:
    jobs = int(text) if text.isdecimal() else 0
    if jobs < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number above 0, got {text!r}")
    return jobs


def _extract_files(
    folder: Path, paths: Iterable[Path], work: _Work, lost: Counter[str], *, n_jobs: int, memory: int | None
) -> Generator[Line, None, None]:
    """Yield the line of each file, in order. The workers run ahead by a bounded number of files.

    :param lost: counts the workers that are lost, by cause.
    """
    n_ahead = _AHEAD_PER_WORKER * n_jobs
    with WorkerThreads(n_jobs, memory) as threads:
        pending: deque[Future[Line]] = deque()
        for path in paths:
            pending.append(threads.submit(_extract_in_worker, threads.processes, folder, path, work))
            if len(pending) == n_ahead:
                yield pending.popleft().result()
                lost.update(threads.processes.take_losses())
        while pending:
            yield pending.popleft().result()
        lost.update(threads.processes.take_losses())


def _extract_in_worker(processes: WorkerProcesses, folder: Path, path: Path, work: _Work) -> Line:
    """Return the line of a file, from the worker process of this thread."""
    seconds = clock_limit(work[0].timeout)
    for _ in range(MOST_WORKERS_PER_PAGE):
        try:
            return Line(*processes.run(extract_values, folder, path, *work, seconds=seconds))
        except WorkerTimeout as error:
            return failed_line(path, "timeout", str(error), seconds=error.seconds)
        except MemoryError:  # the line did fit, its message did not
            return failed_line(path, "error", "MemoryError")
        except WorkerDied:
            continue
        except WorkerNotStarted:
            if processes.cannot_start:
                raise
    return failed_line(path, "worker_died", REASONS["worker_died"])
