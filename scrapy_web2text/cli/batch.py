"""``web2text batch``: extracts folders of HTML files and archives into JSON Lines."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING

from scrapy_web2text.cli.arguments import add_option_arguments, arguments_to_options, number_or_none, whole_number
from scrapy_web2text.cli.feed import delayed_interrupts, open_feed
from scrapy_web2text.cli.filters import Filters, add_filter_arguments, read_filters
from scrapy_web2text.cli.inputs import add_input_arguments, count_pages, is_input, list_sources, read_columns
from scrapy_web2text.cli.output import INTERRUPTED
from scrapy_web2text.cli.progress import show_progress
from scrapy_web2text.cli.resuming import describe_run, open_resumable
from scrapy_web2text.cli.sites import add_sites_argument, load_sites, url_sources
from scrapy_web2text.cli.steps import Position, Step, Work, extract_sources
from scrapy_web2text.cli.tally import Tally
from scrapy_web2text.cli.urls import add_url_argument
from scrapy_web2text.crawl.child import WORKER_MEMORY
from scrapy_web2text.crawl.setting_values import LEAST_WORKER_MEMORY, read_worker_memory
from scrapy_web2text.crawl.settings import n_cpus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_web2text.cli.inputs import Source

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to *parser*."""
    parser.description = (
        "Write the main content of all HTML files under a folder, or of all pages in archives, as JSON Lines, in the "
        "order of the inputs. The line of a page that cannot be extracted gives the reason; the exit status is 0 even "
        "then, 1 if a part of an archive cannot be read, and 130 if interrupted."
    )
    add_input_arguments(parser)
    parser.add_argument(
        "--out",
        required=True,
        metavar="FILE",
        help="JSON Lines file to write, compressed if its name ends in .gz or .zst; - for standard output",
    )
    parser.add_argument("--force", action="store_true", help="overwrite FILE if it exists")
    parser.add_argument(
        "--resume",
        action="store_true",
        help="go on where a run with --resume was interrupted or killed; FILE.manifest says where",
    )
    parser.add_argument(
        "--jobs", type=whole_number, default=n_cpus(), metavar="N", help="worker processes (%(default)s)"
    )
    parser.add_argument(
        "--worker-memory",
        type=number_or_none(read_worker_memory, f"at least {LEAST_WORKER_MEMORY:,} bytes"),
        default=WORKER_MEMORY,
        metavar="BYTES",
        help="memory of each worker process, where the system can limit it (%(default)s), or none",
    )
    add_filter_arguments(parser)
    add_url_argument(parser)
    add_sites_argument(parser)
    add_option_arguments(parser, blocks="none")


def run(args: argparse.Namespace) -> int:
    """Write the feed and return the exit status.

    :raises OSError: if an input cannot be found or the feed cannot be written.
    :raises ValueError: if no file matches, an option is impossible, or the feed would overwrite an input.
    :raises ModelError: if the model is broken.
    """
    from scrapy_web2text.extractor import Extractor  # noqa: PLC0415

    options = arguments_to_options(args)
    Extractor(options)  # so that errors and warnings appear once, not from every worker
    work = Work(options, url_sources(args), load_sites(args, options), read_columns(args))
    sources = list_sources(args)
    if is_input(args.out, sources):
        raise ValueError(f"--out: expected another file than the pages, got {args.out!r}")
    tally = Tally(options.min_confidence)
    is_interrupted = (_resume if args.resume else _begin)(args, sources, work, tally)
    print(f"web2text batch: {_describe_end(is_interrupted, count_pages(sources), tally)}{tally}", file=sys.stderr)
    return INTERRUPTED if is_interrupted else int(tally.has_gaps)


def _begin(args: argparse.Namespace, sources: Sequence[Source], work: Work, tally: Tally) -> bool:
    """Write the feed, and return whether Ctrl-C ended that."""
    with open_feed(args.out, overwrite=args.force) as feed:
        steps = extract_sources(sources, work, tally.lost, n_jobs=args.jobs, memory=args.worker_memory)
        return _write_steps(steps, count_pages(sources), feed.write, read_filters(args), tally)


def _resume(args: argparse.Namespace, sources: Sequence[Source], work: Work, tally: Tally) -> bool:
    """Write what is missing of the feed, and return whether Ctrl-C ended that."""
    with open_resumable(args.out, describe_run(args, sources), overwrite=args.force) as feed:
        if feed.counts:
            tally.restore(feed.counts)
        if feed.is_finished:
            return False
        position = start = feed.position

        def commit_if_due(reached: Position) -> None:
            nonlocal position
            position = reached
            if feed.is_due():
                feed.commit(position, tally.to_dict())

        steps = extract_sources(sources, work, tally.lost, start=start, n_jobs=args.jobs, memory=args.worker_memory)
        is_interrupted = _write_steps(steps, count_pages(sources), feed.write, read_filters(args), tally, commit_if_due)
        with delayed_interrupts():
            feed.commit(position, tally.to_dict(), is_finished=not is_interrupted)
        return is_interrupted


def _write_steps(
    steps: Generator[Step, None, None],
    n_pages: int | None,
    write: Callable[[bytes], object],
    filters: Filters,
    tally: Tally,
    commit_if_due: Callable[[Position], None] = lambda _: None,
) -> bool:
    """Write whole lines until the last one or Ctrl-C, and return whether that was Ctrl-C.

    :param commit_if_due: called with the position after each step.
    """
    try:
        for step in show_progress(steps, n_pages):
            with delayed_interrupts():
                if step.line is None:
                    tally.add_other(step.others)
                else:
                    filtered = filters.find_reason(step.line)
                    if filtered is None:
                        write(step.line.json.encode())
                    tally.add(step.line, filtered)
                commit_if_due(step.position)
    except KeyboardInterrupt:
        return True
    finally:
        steps.close()  # ends the workers now, not when the generator is collected
    return False


def _describe_end(is_interrupted: bool, n_pages: int | None, tally: Tally) -> str:
    if not is_interrupted:
        return ""
    total = "" if n_pages is None else f" of {n_pages:,}"
    return f"interrupted after {tally.summary.n_pages:,}{total}: "
