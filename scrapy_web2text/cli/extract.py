"""``web2text extract``: prints the main content of one page."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from scrapy_web2text.cli.arguments import (
    add_option_arguments,
    allowed,
    argument_name,
    arguments_to_options,
    page_sources,
)
from scrapy_web2text.cli.output import print_answer, report_unmatched
from scrapy_web2text.common.checks import Rule
from scrapy_web2text.common.display import format_share
from scrapy_web2text.common.option import find_idle
from scrapy_web2text.content.forms import FORMATS, FRONT_MATTER, Format, ask_for_metadata, write_front_matter
from scrapy_web2text.exceptions import PageError, say
from scrapy_web2text.extraction import Extraction
from scrapy_web2text.options import OPTIONAL_PARTS, Options
from scrapy_web2text.page.encoding import find_name
from scrapy_web2text.reasons import MARKED_REASONS, describe_failure, name_options

_ENCODING: Final = Rule("the name of an encoding of the Encoding Standard", lambda name: find_name(name) is not None)
_ONLY_IN_JSON: Final = (*OPTIONAL_PARTS, "blocks", "block_fields")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to *parser*."""
    parser.add_argument("page", metavar="FILE|URL|-", help="an HTML file, an http(s) URL, or - for standard input")
    parser.add_argument(
        "--format", choices=tuple(FORMATS), default="text", help="form of the output (default: %(default)s)"
    )
    parser.add_argument(
        "--encoding",
        type=allowed(str, _ENCODING),
        metavar="NAME",
        help="encoding of the page; default: what the page or its server declares",
    )
    parser.add_argument(
        "--front-matter",
        action="store_true",
        help=(
            "begin Markdown with YAML front matter: url, title, confidence; the extra metadata adds author, date and "
            "others"
        ),
    )
    add_option_arguments(parser, blocks="all")


def run(args: argparse.Namespace) -> int:
    """Print the main content of one page and return the exit status."""
    from scrapy_web2text.extractor import Extractor

    if Path(args.page).is_dir():
        raise ValueError(f"{args.page}: expected one page, got a folder: see web2text batch")
    form = FORMATS[args.format]
    _warn_of_idle(args)
    sources = page_sources(args, _find_options(args, form))
    (place,) = sources.list_pages(args.page)
    page = sources.load(place, args.encoding)
    options = page.options
    extraction = Extractor(options, warns=False).extract(page.source, page.url)
    _check_answer(args.page, extraction, options)
    report_unmatched("web2text extract", args.page, extraction, options.include)
    output = form.write(extraction, options.block_fields)
    if args.front_matter and output:
        facts = {name: extraction.field(name) for name in (*FRONT_MATTER, "confidence")}
        output = f"{write_front_matter(facts)}\n{output}"
    print_answer("web2text extract", args.page, extraction, output)
    reason = extraction.reason
    if args.format != "json" and reason not in (None, "no_model"):  # the log names the model
        why = name_options(MARKED_REASONS[reason], argument_name)
        say(f"web2text extract: answered by {extraction.model or extraction.method}: {why} ({reason})")
    return 0


def _check_answer(page: str, extraction: Extraction, options: Options) -> None:
    """Raise a PageError if *page* has no answer, and report a low confidence."""
    if extraction.method == "none" and extraction.reason is not None:
        raise PageError(extraction.reason, f"{page}: {describe_failure(extraction.reason)}")
    if extraction.low_confidence:
        confidence, least = extraction.confidence or 0.0, options.min_confidence or 0.0
        low = f"confidence {format_share(confidence)} is below {format_share(least, 'g')}"
        if options.on_low_confidence == "drop":
            raise PageError("low_confidence", f"{page}: no answer: {low}")
        if extraction.reason != "low_confidence":
            say(f"web2text extract: {page}: {low}")


def _warn_of_idle(args: argparse.Namespace) -> None:
    """Name the arguments that only JSON shows, if the format is another one."""
    unread = {} if args.format == "json" else dict.fromkeys(_ONLY_IN_JSON, f"with --format {args.format}")
    for name, why in find_idle(arguments_to_options(args), unread=unread):
        say(f"web2text extract: {argument_name(name)} has no effect {why}")


def _find_options(args: argparse.Namespace, form: Format) -> Options:
    """Return the options of the arguments; front matter asks for metadata if its packages are installed."""
    if args.front_matter and args.format != "markdown":
        raise ValueError(f"--front-matter: expected --format markdown, got {args.format}")
    options = arguments_to_options(args).replace(**form.options)
    return ask_for_metadata(options) if args.front_matter else options
