"""``web2text batch``: extracts folders of HTML files and archives."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final, get_args

from scrapy_web2text.answer.summary import Summary
from scrapy_web2text.batch.duplicates import DuplicateSearch
from scrapy_web2text.batch.file_formats import FormatName, choose_format
from scrapy_web2text.batch.manifest import describe_run
from scrapy_web2text.batch.page_answers import PageWork
from scrapy_web2text.batch.run import BatchRun, Tally
from scrapy_web2text.cli.arguments import (
    add_option_arguments,
    arguments_to_options,
    number,
    option_type,
    page_sources,
    whole_number,
)
from scrapy_web2text.cli.output import INTERRUPTED, show_progress
from scrapy_web2text.common.checks import Rule, require
from scrapy_web2text.crawl.settings import CRAWL_SETTINGS, n_cpus
from scrapy_web2text.exceptions import say
from scrapy_web2text.sources.inputs import StreamKind, has_input, list_inputs
from scrapy_web2text.sources.tables import Columns
from scrapy_web2text.workers.processes import WORKER_MEMORY

# Arguments that do not change the answers.
_OF_THE_RUN: Final = {"command", "files_from", "force", "inputs", "jobs", "out", "resume", "run", "worker_memory"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to *parser*."""
    parser.description = (
        "Write the main content of all HTML files under a folder, or of all pages in archives, in the order of the "
        "inputs: as JSON Lines, as Parquet, or a file for each page. The answer for a page that cannot be extracted "
        "gives the reason; the exit status is 0 even then, 1 if a part of an archive cannot be read, and 130 if "
        "interrupted."
    )
    _add_input(parser)
    _add_output(parser)
    _add_run(parser)
    _add_duplicates(parser)
    add_option_arguments(parser, blocks="none")


def _add_input(parser: argparse.ArgumentParser) -> None:
    inputs = (
        "a folder of HTML files, plain or .gz; a page; an archive: .parquet, .warc or .jsonl, the last two also with "
        ".gz or .zst; s3://… of archives; or - (stdin)"
    )
    parser.add_argument("inputs", nargs="*", metavar="INPUT", help=inputs)
    parser.add_argument("--files-from", metavar="LIST", help="a file with an INPUT on each line; - for standard input")
    parser.add_argument("--input-format", choices=get_args(StreamKind), help="format of standard input")
    glob = (
        "files under a folder, such as '**/*.php'; can be repeated. Default: .html, .htm, .xhtml, also with .gz, in "
        "upper or lower case"
    )
    parser.add_argument("--glob", action="append", metavar="PATTERN", help=glob)
    for name, what in (("html", "the HTML of a page"), ("url", "its URL")):
        column = f"column of Parquet or field of JSON Lines with {what} (default: {name})"
        parser.add_argument(f"--{name}-column", default=name, metavar="NAME", help=column)


def _add_output(parser: argparse.ArgumentParser) -> None:
    out = "file to write: .parquet; else JSON Lines, compressed if its name ends in .gz or .zst; - for standard output"
    parser.add_argument("--out", required=True, metavar="FILE", help=out)
    form = "what FILE is, if its name does not say so; markdown and text write a file for each page in a folder FILE"
    parser.add_argument("--format", choices=get_args(FormatName), help=form)
    parser.add_argument("--front-matter", action="store_true", help="begin files of Markdown with YAML front matter")
    parser.add_argument("--force", action="store_true", help="overwrite the file of --out if it exists")


def _add_run(parser: argparse.ArgumentParser) -> None:
    resume = (
        "continue a run with --resume that was interrupted or killed, at the first file that it had not finished; an "
        "archive is read again from its beginning. FILE.manifest keeps the state of the run"
    )
    parser.add_argument("--resume", action="store_true", help=resume)
    limit = "end the run after the first N pages (default: all pages)"
    parser.add_argument("--limit", type=whole_number, metavar="N", help=limit)
    jobs = "worker processes (default: %(default)s)"
    parser.add_argument("--jobs", type=whole_number, default=n_cpus(), metavar="N", help=jobs)
    memory = f"most bytes of memory for each worker process, or none (default: {WORKER_MEMORY:,})"
    n_bytes = option_type(CRAWL_SETTINGS["worker_memory"])
    parser.add_argument("--worker-memory", type=n_bytes, default=WORKER_MEMORY, metavar="N", help=memory)


def _add_duplicates(parser: argparse.ArgumentParser) -> None:
    duplicates = "what happens to a text that an earlier page has: its answer names that page, or is left out"
    parser.add_argument("--duplicates", choices=("mark", "drop"), help=duplicates)
    similar = "with --duplicates: also find texts that share this part of their runs of five words, such as 0.8"
    share = number(float, Rule("a number above 0, up to 1", lambda share: share is not None and 0 < share <= 1))
    parser.add_argument("--similarity", type=share, metavar="NUMBER", help=similar)


def run(args: argparse.Namespace) -> int:
    """Write the answers and return the exit status."""
    search = _read_search(args)
    output, options = choose_format(
        args.out,
        args.format,
        arguments_to_options(args),
        front_matter=args.front_matter,
        has_marks=args.duplicates == "mark",
    )
    columns = Columns(args.html_column, args.url_column)
    fingerprints = None if search is None else search.fingerprints
    work = PageWork(page_sources(args, options), columns, fingerprints)
    inputs = list_inputs(
        args.inputs, files_from=args.files_from, stream_kind=args.input_format, globs=args.glob, columns=columns
    )
    if has_input(output.path, inputs, is_folder=output.is_folder):
        raise ValueError(f"--out: expected a place other than the pages, got {args.out!r}")
    description = None
    if args.resume:
        asked = {name: value for name, value in vars(args).items() if name not in _OF_THE_RUN}
        rules = Path(args.sites).read_bytes() if args.sites is not None else b""
        description = describe_run(inputs, asked, rules)
    batch = BatchRun(
        inputs,
        work,
        output,
        Tally(Summary(options.min_confidence)),
        search,
        description,
        overwrite=args.force,
        n_jobs=args.jobs,
        memory=args.worker_memory,
        limit=args.limit,
        track=show_progress,
    )
    is_interrupted = batch.write()
    if work.sources.sites.by_host and not batch.tally.has_url:
        say("web2text batch: no page has a URL, so no rule of --sites applies; see --url-from")
    nothing = "" if is_interrupted or batch.tally.summary.n_pages else ": no input has a page"
    say(f"web2text batch: {batch.describe(is_interrupted=is_interrupted)}{nothing}")
    return INTERRUPTED if is_interrupted else int(bool(batch.tally.counts["gaps"]))


def _read_search(args: argparse.Namespace) -> DuplicateSearch | None:
    if args.duplicates is None and args.similarity is not None:
        raise ValueError("--similarity: expected --duplicates, too")
    if args.similarity is not None:
        require("rensa", "dedup", "--similarity")
    return None if args.duplicates is None else DuplicateSearch(args.duplicates == "drop", args.similarity)
