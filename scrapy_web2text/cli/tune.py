"""``web2text tune``: tunes a model to labeled pages of a site, and refuses to write one that is not better."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from scrapy_web2text.cli.arguments import argument_name, seed_number, whole_number
from scrapy_web2text.cli.labeled import add_label_arguments, read_labeled_pages
from scrapy_web2text.cli.output import check_out_folder, show_progress
from scrapy_web2text.common.display import format_share
from scrapy_web2text.sources.sites import name_source_of_errors

if TYPE_CHECKING:
    import argparse

_NEEDS: Final = (
    "needs {}: pip install 'scrapy-web2text[train]' --extra-index-url https://download.pytorch.org/whl/cpu "
    "(the index has torch without CUDA, which suffices)"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to *parser*."""
    parser.description = (
        "Tune a model to labeled pages of a site with wrong answers, and write it as a folder. Pages are held out. If "
        "the tuned model is not better on them, nothing is written."
    )
    add = parser.add_argument
    add_label_arguments(parser)
    add("--out", required=True, type=Path, metavar="FOLDER", help="the model folder to write")
    add("--base", default="web2text-2026", metavar="MODEL", help="the model that is tuned (default: %(default)s)")
    add("--seed", type=seed_number, default=0, metavar="N", help="seed of the tuning (default: %(default)s)")
    add("--threads", type=whole_number, default=1, metavar="N", help="threads of torch (default: %(default)s)")
    add("--force", action="store_true", help="replace the model in the folder of --out")


def run(args: argparse.Namespace) -> int:
    """Tune the model that *args* name, write its folder, print its scores, and return the exit status."""
    check_out_folder(args.out, is_replaced=args.force)
    try:  # Only a tuning needs torch; the help does not.
        from scrapy_web2text.training.fitting import torch_threads
        from scrapy_web2text.training.modern.tuning import (
            TuningChoice,
            load_base,
            read_own_page,
            tune_model,
            write_tuned,
        )
    except ModuleNotFoundError as error:
        raise ValueError(_NEEDS.format(error.name)) from error
    started = time.monotonic()
    with name_source_of_errors(lambda option: "--base" if option == "model" else argument_name(option)):
        base = load_base(args.base)
    pages = [page for _, page in read_labeled_pages(args, read_own_page)]
    try:
        with torch_threads(args.threads):
            tuned = tune_model(base, pages, choice=TuningChoice(), seed=args.seed, track=show_progress)
    except ValueError as error:
        raise ValueError(f"{args.out} was not written: {error}") from error
    write_tuned(args.out, base, tuned, len(pages))
    how = f"each held out once, in {tuned.n_folds} parts" if tuned.n_folds > 1 else "not held out: label more pages"
    print(f"labeled pages    {len(pages):,}, {how}")
    print(f"their F1         {format_share(tuned.before)} -> {format_share(tuned.after)}")
    print(f"written          {args.out}, after {time.monotonic() - started:,.0f} s")
    return 0
