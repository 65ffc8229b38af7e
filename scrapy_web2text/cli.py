"""The command ``web2text``: extract one page or many files, train a model, evaluate labelers."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from scrapy_web2text import __version__
from scrapy_web2text.arguments import (
    BROKEN_PIPE,
    INTERRUPTED,
    add_option_arguments,
    arguments_to_options,
    close_output,
)
from scrapy_web2text.exceptions import PageError, Web2TextError
from scrapy_web2text.files import read_page_file
from scrapy_web2text.formats import FORMATS

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with *argv* (default: the process's own) and return its exit status.

    0 for success, 1 for a page, file or model that cannot be used, 2 for wrong arguments, 130 if interrupted, 141
    if nobody reads the output any more.
    """
    try:
        status = _run(argv)
        sys.stdout.flush()  # here a closed pipe still ends it quietly
    except KeyboardInterrupt:
        print("web2text: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        close_output()
        return BROKEN_PIPE
    return status


def _run(argv: Sequence[str] | None) -> int:
    parser = argparse.ArgumentParser(prog="web2text", description="Clean text out of web pages.")
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _add_extract(commands)
    # What a command needs is imported when it is named: `train` alone needs torch.
    wanted = (argv if argv is not None else sys.argv[1:])[:1]
    _add_command(commands, "batch", "extract all HTML files of a folder", loaded="batch" in wanted)
    _add_command(commands, "evaluate", "score labelers on a corpus", loaded="evaluate" in wanted)
    _add_command(commands, "train", "train a model from a recipe", loaded="train" in wanted)
    args = parser.parse_args(argv)
    try:
        status: int = args.run(args)
    except BrokenPipeError:
        raise
    except (Web2TextError, ValueError, OSError) as error:
        print(f"web2text {args.command}: {error}", file=sys.stderr)
        return 1
    return status


def _add_extract(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("extract", help="print the main content of a page", description=_run_extract.__doc__)
    parser.add_argument("page", metavar="FILE|URL|-", help="an HTML file, an http(s) address, or - for standard input")
    parser.add_argument("--format", choices=tuple(FORMATS), default="text", help="default: %(default)s")
    parser.add_argument(
        "--encoding", type=_read_encoding, help="how the page is encoded; default: what it or its server declares"
    )
    add_option_arguments(parser, blocks="all")
    parser.set_defaults(run=_run_extract)


def _add_command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], name: str, summary: str, *, loaded: bool
) -> None:
    parser = commands.add_parser(name, help=summary, description=summary.capitalize() + ".")
    if not loaded:
        return
    if name == "train":
        try:
            from scrapy_web2text.training import command  # noqa: PLC0415
        except ModuleNotFoundError as error:
            parser.error(f"needs {error.name}: pip install 'scrapy-web2text[train]'")
    elif name == "evaluate":
        from scrapy_web2text.evaluation import command  # type: ignore[no-redef]  # noqa: PLC0415
    else:
        from scrapy_web2text import batch as command  # type: ignore[no-redef]  # noqa: PLC0415
    command.add_arguments(parser)
    parser.set_defaults(run=command.run)


def _run_extract(args: argparse.Namespace) -> int:
    """Print the main content of one page."""
    from scrapy_web2text.extractor import Extractor  # noqa: PLC0415

    form = FORMATS[args.format]
    extractor = Extractor(arguments_to_options(args).replace(**form.options))
    body, url, encoding = _read_page(args.page, extractor.options.max_bytes)
    extraction = extractor.extract(body, url, encoding=args.encoding or encoding)
    if extraction.method == "none":
        raise _no_answer(args.page, str(extraction.fallback_reason))
    printed = form.write(extraction)
    if printed:
        print(printed)
    if extraction.no_main_content:
        print(f"web2text extract: {args.page}: no main content", file=sys.stderr)
    if args.format != "json" and extraction.fallback_reason is not None:
        print(f"web2text extract: answered by {extraction.model}: {extraction.fallback_reason}", file=sys.stderr)
    return 0


def _read_page(page: str, max_bytes: int | None) -> tuple[bytes, str | None, str | None]:
    """Return the bytes of a page, its address and its encoding, as far as they are known.

    :param max_bytes: of a longer page little more is read than shows that it is longer; None sets no limit.
    :raises PageError: if it is fetched, and is none by its headers.
    """
    if page == "-":
        return sys.stdin.buffer.read(-1 if max_bytes is None else max_bytes + 1), None, None
    if page.startswith(("http://", "https://")):
        from scrapy_web2text.fetching import fetch  # noqa: PLC0415
        from scrapy_web2text.gates import skip_reason  # noqa: PLC0415

        response = fetch(page)
        reason = skip_reason(response, statuses=(response.status,), max_bytes=max_bytes)
        if reason is not None:
            raise _no_answer(page, reason)
        return response.body, response.url, getattr(response, "encoding", None)
    return read_page_file(Path(page), max_bytes), None, None


def _no_answer(page: str, reason: str) -> PageError:
    return PageError(reason, f"{page}: no answer ({reason})")


def _read_encoding(name: str) -> str:
    from scrapy_web2text.dom import is_encoding  # noqa: PLC0415

    if not is_encoding(name):
        raise argparse.ArgumentTypeError(f"expected the name of an encoding that Python reads texts in, got {name!r}")
    return name
