"""``web2text import-original``: the weights that the authors of Web2Text published, as a model folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_web2text.cli.output import check_out_folder
from scrapy_web2text.training.export import import_original

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to *parser*."""
    what = "folder with unary.ckpt.data-* and edge.ckpt.data-* of a split"
    parser.add_argument("checkpoints", type=Path, metavar="DIR", help=what)
    parser.add_argument("--out", required=True, type=Path, metavar="FOLDER", help="the model folder to write")
    parser.add_argument("--force", action="store_true", help="replace the model in the folder of --out")


def run(args: argparse.Namespace) -> int:
    """Write the model folder and return the exit status."""
    check_out_folder(args.out, is_replaced=args.force)
    import_original(args.checkpoints, args.out)
    print(f"wrote {args.out}: the networks of {args.checkpoints}, lam 0.1, not calibrated")
    return 0
