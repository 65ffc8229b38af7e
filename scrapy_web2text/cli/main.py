"""The command ``web2text``: its subcommands and their exit statuses."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from typing import Any, Final, NoReturn

from scrapy_web2text._version import __version__
from scrapy_web2text.cli.output import INTERRUPTED, run_until_closed
from scrapy_web2text.common.suggestions import did_you_mean
from scrapy_web2text.exceptions import Web2TextError, explain, say
from scrapy_web2text.workers.worker import open_missing_streams

# Each command is the module of its name in this folder: what it does, and examples. Its `run` raises a Web2TextError,
# ValueError or OSError for a page, file, model or option that cannot be used.
_COMMANDS: Final = {
    "extract": (
        "print the main content of a page",
        "web2text extract page.html",
        "web2text extract https://example.com/ --format markdown",
    ),
    "batch": (
        "extract the HTML files of folders, or the pages of archives",
        "web2text batch saved_pages --out clean.jsonl",
        "web2text batch crawl.warc.gz --out clean.parquet --jobs 4 --resume",
    ),
    "view": (
        "write an HTML file that shows pages, their labels and their text",
        "web2text view page.html",
        "web2text view saved_pages --limit 20 --out view.html",
    ),
    "diff": (
        "show what changed between two feeds",
        "web2text diff before.jsonl after.jsonl",
        "web2text diff before.jsonl after.jsonl --min-f1 .99 --out diff.html",
    ),
    "serve": (
        "try the extractor on pages in the browser",
        "web2text serve",
        "web2text serve --port 8000 --no-browser",
    ),
    "label": (
        "correct the labels of pages in the browser",
        "web2text label saved_pages",
        "web2text label page.html --out labels.jsonl --reader me",
    ),
    "rule": (
        "find selectors for a site from labeled pages",
        "web2text rule labels.jsonl",
        "web2text rule labels.jsonl --pages saved_pages --out sites.toml",
    ),
    "evaluate": (
        "score labelers on a corpus",
        "web2text evaluate --corpus wcxb --data corpora",
        "web2text evaluate --corpus wcxb --data corpora --model shallow --pages 100",
    ),
    "train": (
        "train a model from a recipe",
        "web2text train recipe.toml --data corpora --out my-model",
        "web2text train recipe.toml --data corpora --out my-model --seed 0 1 2",
    ),
    "tune": (
        "tune a model to labeled pages of a site",
        "web2text tune labels.jsonl --out my-model",
        "web2text tune labels.jsonl --out my-site --pages saved_pages",
    ),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with *argv* (default: the arguments of the process) and return its exit status.

    The status is 0 for success, 1 for a page, file, model or option that cannot be used, 2 for arguments that cannot
    be parsed, 130 if interrupted, 141 if the reader of the output has closed it.
    """
    open_missing_streams()
    try:
        return run_until_closed(partial(_run, argv))
    except KeyboardInterrupt:
        say("web2text: interrupted")
        return INTERRUPTED


def _run(argv: Sequence[str] | None) -> int:
    parser = _Parser(
        prog="web2text",
        description="Extract clean text from web pages.",
        epilog="web2text help COMMAND describes a command",
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show version and reader of pages, and exit")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    arguments = [*(sys.argv[1:] if argv is None else argv)]
    if arguments[:1] == ["help"]:
        arguments = [*(name for name in arguments[1:] if name != "help"), "--help"]
    for name, (summary, *examples) in _COMMANDS.items():
        command = commands.add_parser(name, help=summary, description=summary.capitalize() + ".")
        command.examples = "\n  ".join(["\nexamples:", *examples]) + "\n"
        if name in arguments[:1]:  # only this command is imported, which is faster
            module = import_module(f"scrapy_web2text.cli.{name}")
            module.add_arguments(command)
            command.set_defaults(run=module.run)
    if not arguments:
        parser.print_help()
        return 0
    args, unknown = parser.parse_known_args(arguments)
    if unknown or args.command is None:
        commands.choices.get(args.command, parser).refuse(unknown or arguments)
    try:
        status: int = args.run(args)
    except BrokenPipeError:
        raise
    except (Web2TextError, ValueError, OSError) as error:
        from scrapy_web2text.cli.arguments import argument_name  # not every command has loaded it

        say(f"web2text {args.command}: {explain(error, argument_name)}")
        return 1
    return status


class _Parser(argparse.ArgumentParser):
    examples = ""

    def format_help(self) -> str:
        """Return the help, with the examples at its end."""
        return super().format_help() + self.examples

    def refuse(self, unknown: Sequence[str]) -> NoReturn:
        """End the command with a message that names *unknown* arguments, and similar ones that it has."""
        given = [name.partition("=")[0] for name in unknown if name.startswith("--")]
        hint = did_you_mean(given, [name for action in self._actions for name in action.option_strings])
        is_page = self.prog.endswith(" extract") and not any(name.startswith("-") for name in unknown)
        more = "; web2text batch reads several pages" if is_page else ""
        self.error(f"unrecognized arguments: {' '.join(unknown)}{hint}{more}")

    def error(self, message: str) -> NoReturn:
        """End the command with *message*, without the usage, which can fill a screen."""
        message = message.removeprefix("argument ").replace("invalid int value:", "expected a whole number, got")
        what, is_choice, rest = message.partition("invalid choice: ")
        if is_choice:
            given, _, choices = rest.removesuffix(")").rpartition(" (choose from ")
            choices = choices.replace("'", "")
            hint = did_you_mean([given.strip("'")], choices.split(", "))
            message = f"{what.lower()}expected one of {choices}, got {given}{hint}"
        say(f"{self.prog}: {message}; see {self.prog} --help")
        self.exit(2)


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_args: Any) -> NoReturn:
        """Print the version, and which reader of pages works here."""
        from scrapy_web2text.page.reader import READER_COST, READER_NAME  # loads numpy

        print(", ".join(filter(None, (f"{parser.prog} {__version__}", READER_NAME, READER_COST))))
        parser.exit()
