"""The command ``web2text``: extract one page, train a model, evaluate labelers."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from scrapy_web2text import __version__
from scrapy_web2text.exceptions import PageError, Web2TextError
from scrapy_web2text.options import DEFAULT_MODEL, BlocksExport, Decoder, Options, Preset

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with *argv* (default: the process's own) and return its exit status.

    0 for success, 1 for a page, file or model that cannot be used, 2 for wrong arguments.
    """
    parser = argparse.ArgumentParser(prog="web2text", description="Clean text out of web pages.")
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _add_extract(commands)
    # What a command needs is imported when it is named: `train` alone needs torch.
    wanted = (argv if argv is not None else sys.argv[1:])[:1]
    _add_command(commands, "evaluate", "score labelers on a corpus", loaded="evaluate" in wanted)
    _add_command(commands, "train", "train a model from a recipe", loaded="train" in wanted)
    args = parser.parse_args(argv)
    try:
        status: int = args.run(args)
    except (Web2TextError, ValueError, OSError) as error:
        print(f"web2text {args.command}: {error}", file=sys.stderr)
        return 1
    return status


def _add_extract(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("extract", help="print the main content of a page", description=_run_extract.__doc__)
    parser.add_argument("page", metavar="FILE|URL|-", help="an HTML file, an http(s) address, or - for standard input")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: %(default)s")
    parser.add_argument("--encoding", help="how the page is encoded; default: what it or its server declares")
    parser.add_argument("--model", default=DEFAULT_MODEL, help="shipped model, folder or shallow:… (%(default)s)")
    parser.add_argument("--threshold", type=float, help="least content probability; default: the model's own")
    parser.add_argument("--preset", choices=get_args(Preset), help="a threshold by name, for models that have presets")
    parser.add_argument("--decoder", choices=get_args(Decoder), help="default: the model's own")
    parser.add_argument("--blocks", choices=get_args(BlocksExport), default="all", help="blocks in json (%(default)s)")
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
    else:
        from scrapy_web2text.evaluation import command  # type: ignore[no-redef]  # noqa: PLC0415
    command.add_arguments(parser)
    parser.set_defaults(run=command.run)


def _run_extract(args: argparse.Namespace) -> int:
    """Print the main content of one page."""
    from scrapy_web2text.extractor import Extractor  # noqa: PLC0415

    options = Options(
        model=args.model,
        threshold=args.threshold,
        preset=args.preset,
        decoder=args.decoder,
        blocks=args.blocks if args.format == "json" else "none",
    )
    extractor = Extractor(options)
    body, url, encoding = _read_page(args.page)
    extraction = extractor.extract(body, url, encoding=args.encoding or encoding)
    if extraction.method == "none":
        raise PageError(str(extraction.fallback_reason), f"{args.page}: no answer ({extraction.fallback_reason})")
    if args.format == "json":
        print(json.dumps(extraction.to_dict(), ensure_ascii=False, indent=2))
    else:
        print(extraction.text)
        if extraction.fallback_reason is not None:
            print(f"web2text extract: answered by {extraction.model}: {extraction.fallback_reason}", file=sys.stderr)
    return 0


def _read_page(page: str) -> tuple[bytes, str | None, str | None]:
    """Return the bytes of a page, its address and its encoding, as far as they are known."""
    if page == "-":
        return sys.stdin.buffer.read(), None, None
    if page.startswith(("http://", "https://")):
        from scrapy_web2text.fetching import fetch  # noqa: PLC0415

        response = fetch(page)
        return response.body, response.url, getattr(response, "encoding", None)
    return Path(page).read_bytes(), None, None
