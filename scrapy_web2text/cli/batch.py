"""``web2text batch``: extracts folders of HTML files and archives."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_web2text.archives.meter import Meter
from scrapy_web2text.cli.arguments import add_option_arguments, arguments_to_options, number_or_none, whole_number
from scrapy_web2text.cli.duplicates import add_duplicate_arguments, choose_fingerprints, open_duplicates
from scrapy_web2text.cli.feed import delayed_interrupts, open_feed
from scrapy_web2text.cli.filters import Filters, add_filter_arguments, read_filters
from scrapy_web2text.cli.formats import Format, Output, add_format_arguments, choose_format
from scrapy_web2text.cli.inputs import (
    add_input_arguments,
    count_pages,
    has_inputs,
    is_input,
    list_sources,
    read_columns,
)
from scrapy_web2text.cli.manifest import Manifest, describe_run
from scrapy_web2text.cli.output import INTERRUPTED
from scrapy_web2text.cli.resuming import open_resumable
from scrapy_web2text.cli.run_progress import show_run
from scrapy_web2text.cli.sites import add_sites_argument, load_sites, url_sources
from scrapy_web2text.cli.steps import START, Step, Work, extract_sources
from scrapy_web2text.cli.tally import Tally
from scrapy_web2text.cli.urls import add_url_argument
from scrapy_web2text.crawl.child import WORKER_MEMORY
from scrapy_web2text.crawl.setting_values import LEAST_WORKER_MEMORY, read_worker_memory
from scrapy_web2text.crawl.settings import n_cpus

if TYPE_CHECKING:
    from scrapy_web2text.cli.duplicates import Duplicates
    from scrapy_web2text.cli.inputs import Source
    from scrapy_web2text.cli.lines import Line
    from scrapy_web2text.cli.steps import Position

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to *parser*."""
    parser.description = (
        "Write the main content of all HTML files under a folder, or of all pages in archives, in the order of the "
        "inputs: as JSON Lines, Parquet, WET, or a file for each page. The answer for a page that cannot be extracted "
        "gives the reason; the exit status is 0 even then, 1 if a part of an archive cannot be read, and 130 if "
        "interrupted."
    )
    add_input_arguments(parser)
    add_format_arguments(parser)
    parser.add_argument("--force", action="store_true", help="overwrite FILE if it exists")
    parser.add_argument(
        "--resume",
        action="store_true",
        help="go on where a run with --resume was interrupted or killed; FILE.manifest says where",
    )
    parser.add_argument(
        "--unordered",
        action="store_true",
        help="write answers as soon as they are there, not in the order of the pages",
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
    add_duplicate_arguments(parser)
    add_url_argument(parser)
    add_sites_argument(parser)
    add_option_arguments(parser, blocks="none")


def run(args: argparse.Namespace) -> int:
    """Write the answers and return the exit status.

    :raises OSError: if an input cannot be found or the output cannot be written.
    :raises ValueError: if no file matches, an option is impossible, or the output would overwrite an input.
    :raises ModelError: if the model is broken.
    """
    from scrapy_web2text.extractor import Extractor  # noqa: PLC0415

    form, options = choose_format(args, arguments_to_options(args))
    Extractor(options)  # so that errors and warnings appear once, not from every worker
    fingerprints = choose_fingerprints(args)
    work = Work(options, url_sources(args), load_sites(args, options), read_columns(args), fingerprints)
    sources = list_sources(args)
    output = Output(args.out, form, args.shard_size)
    for path in (Path(args.out), *(output.list_older() if args.force else ())):
        if is_input(str(path), sources):
            raise ValueError(f"--out: expected another file than the pages, got {str(path)!r}")
    if form.is_folder and has_inputs(Path(args.out), sources):
        raise ValueError(f"--out: expected another folder than that of the pages, got {args.out!r}")
    batch = _Run(args, sources, work, Tally(options.min_confidence))
    is_stream = form.is_stream and args.shard_size is None and not args.resume
    is_interrupted = batch.write_stream(form) if is_stream else batch.write_steps(output)
    print(f"web2text batch: {batch.describe(is_interrupted)}", file=sys.stderr)
    return INTERRUPTED if is_interrupted else int(batch.tally.has_gaps)


@dataclass(frozen=True)
class _Run:
    """A run of the command. Its methods write the answers, and return whether Ctrl-C ended that."""

    args: argparse.Namespace
    sources: Sequence[Source]
    work: Work
    tally: Tally

    def write_stream(self, form: Format) -> bool:
        """Write the answers to one file, which is replaced at the end, or to standard output."""
        with open_feed(self.args.out, is_packed=form.is_packed, overwrite=self.args.force) as feed:
            feed.write(form.head)
            return self._write(lambda line: feed.write(form.encode(line)), open_duplicates(self.args))

    def write_steps(self, output: Output) -> bool:
        """Write what is missing of the output, step by step."""
        described = describe_run(self.args, self.sources) if self.args.resume else None
        with open_resumable(output, described, overwrite=self.args.force) as feed:
            if feed.manifest.counts:
                self.tally.restore(feed.manifest.counts)
            if feed.manifest.is_finished:
                return False
            duplicates = open_duplicates(self.args, feed.read_seen())
            reached: tuple[Position, Collection[Position]] = (feed.manifest.position, feed.manifest.ahead)

            def commit(*, is_finished: bool = False) -> None:
                position, ahead = reached
                seen = () if duplicates is None else duplicates.take_new()
                feed.commit(position, self.tally.to_dict(), ahead=ahead, seen=seen, is_finished=is_finished)

            def commit_if_due(step: Step) -> None:
                nonlocal reached
                reached = step.position, step.ahead
                if feed.is_due():
                    commit()

            is_interrupted = self._write(feed.write, duplicates, feed.manifest, commit_if_due)
            with delayed_interrupts():  # what cannot be resumed is finished with what there is
                commit(is_finished=not (is_interrupted and self.args.resume))
            return is_interrupted

    def _write(
        self,
        write: Callable[[str], object],
        duplicates: Duplicates | None,
        start: Manifest | None = None,
        commit_if_due: Callable[[Step], None] = lambda _: None,
    ) -> bool:
        """Write whole answers until the last one or Ctrl-C.

        :param start: where to begin.
        :param commit_if_due: called after each step.
        """
        steps = extract_sources(
            self.sources,
            self.work,
            self.tally.lost,
            start=START if start is None else start.position,
            ahead=() if start is None else start.ahead,
            is_ordered=not self.args.unordered,
            n_jobs=self.args.jobs,
            memory=self.args.worker_memory,
            meter=(meter := Meter(has_files=count_pages(self.sources) is None)),
        )
        filters = read_filters(self.args)
        before, began = self.tally.seconds, time.monotonic()
        try:
            for step in show_run(steps, self.sources, self.tally, meter):
                with delayed_interrupts():
                    self.tally.seconds = before + time.monotonic() - began
                    if step.line is None:
                        self.tally.add_other(step.others)
                    else:
                        self._add(step.line, write, filters, duplicates)
                    commit_if_due(step)
        except KeyboardInterrupt:
            return True
        finally:
            steps.close()  # ends the workers now, not when the generator is collected
        return False

    def _add(self, line: Line, write: Callable[[str], object], filters: Filters, duplicates: Duplicates | None) -> None:
        """Write the answer for a page, if it is not left out, and count it."""
        filtered = filters.find_reason(line)
        text = line.json
        if filtered is None and duplicates is not None:
            found = duplicates.find(line)
            if found is not None:
                self.tally.add_duplicate(found.kind)
                text = "" if duplicates.are_dropped else found.mark(text)
        if filtered is None and text:
            write(text)
        self.tally.add(line, filtered)

    def describe(self, is_interrupted: bool) -> str:
        """Return the last line of the command."""
        if not is_interrupted:
            return str(self.tally)
        n_pages = count_pages(self.sources)
        total = "" if n_pages is None else f" of {n_pages:,}"
        return f"interrupted after {self.tally.n_pages:,}{total}: {self.tally}"
