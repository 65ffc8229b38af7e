"""What the commands of research share: a parser, and the labelers of the comparison systems."""

from __future__ import annotations

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path

from research.labelers import register_labelers


def make_parser(doc: str | None, prog: str | None = None) -> ArgumentParser:
    """Return the parser of a command that has ``--data``, and register the labelers whose models it may name.

    :param doc: what the command prints.
    """
    register_labelers()
    parser = ArgumentParser(prog=prog, description=doc, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=Path, metavar="DIR", help="the folder of the unpacked corpora")
    return parser
