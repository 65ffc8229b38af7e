"""``web2text tune``: tunes a model to labeled pages of a site, and refuses to write one that is worse."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from scrapy_web2text.cli.arguments import argument_name, seed_number, whole_number
from scrapy_web2text.cli.output import check_out_folder, show_progress
from scrapy_web2text.common.display import format_share
from scrapy_web2text.exceptions import say
from scrapy_web2text.sources.sites import name_source_of_errors

if TYPE_CHECKING:
    import argparse

    from scrapy_web2text.training.modern.tuning import TunedModel

_NEEDS: Final = (
    "needs {}: pip install 'scrapy-web2text[train]' --extra-index-url https://download.pytorch.org/whl/cpu "
    "(the index has torch without CUDA, which suffices)"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to *parser*."""
    parser.description = (
        "Tune a model to labeled pages, such as pages of a site with wrong answers, and write it as a folder. Pages "
        "are held out. If the tuned model is not better on them, or is worse on other sites, nothing is written."
    )
    add = parser.add_argument
    add("labels", type=Path, metavar="FILE", help="labels in JSON Lines, as web2text label writes them")
    add("--out", required=True, type=Path, metavar="FOLDER", help="the model folder to write")
    add("--base", default="web2text-2026", metavar="MODEL", help="the model that is tuned (default: %(default)s)")
    add("--pages", type=Path, metavar="DIR", help="folder of the pages that FILE names; default: the folder of FILE")
    only = "write the model even if it is worse on other sites, for a model that is used only for the sites of FILE"
    add("--site-only", action="store_true", help=only)
    add("--seed", type=seed_number, default=0, metavar="N", help="seed of the tuning (default: %(default)s)")
    add("--threads", type=whole_number, default=1, metavar="N", help="threads of torch (default: %(default)s)")
    add("--force", action="store_true", help="replace the model in the folder of --out")


def run(args: argparse.Namespace) -> int:
    """Tune the model that *args* name, write its folder, print its scores, and return the exit status."""
    check_out_folder(args.out, is_replaced=args.force)
    try:  # Only a tuning needs torch; the help does not.
        from scrapy_web2text.training.fitting import torch_threads
        from scrapy_web2text.training.modern.tuning import TuningChoice, tune_model
        from scrapy_web2text.training.modern.tuning_pages import load_base, read_kept, read_labeled, write_tuned
    except ModuleNotFoundError as error:
        raise ValueError(_NEEDS.format(error.name)) from error
    started = time.monotonic()
    with name_source_of_errors(lambda option: "--base" if option == "model" else argument_name(option)):
        base = load_base(args.base)
    folder = args.pages or args.labels.parent
    pages = read_labeled(
        args.labels, folder, base, show_progress, lambda message: say(f"web2text tune: skipped {message}")
    )
    kept = read_kept(base)
    choice = TuningChoice(most_lost=1.0) if args.site_only else TuningChoice()
    try:
        with torch_threads(args.threads):
            tuned = tune_model(base, pages, kept, choice=choice, seed=args.seed, track=show_progress)
    except ValueError as error:
        raise ValueError(f"{args.out} was not written: {error}") from error
    write_tuned(args.out, base, tuned, len(pages))
    _report(args.out, tuned, len(pages), len(kept), time.monotonic() - started)
    return 0


def _report(out: Path, tuned: TunedModel, n_pages: int, n_kept: int, seconds: float) -> None:
    before, after = tuned.before, tuned.after
    how = f"each held out once, in {tuned.n_folds} parts" if tuned.n_folds > 1 else "not held out: label more pages"
    print(f"labeled pages    {n_pages:,}, {how}")
    print(f"their F1         {format_share(before.own)} -> {format_share(after.own)}")
    if math.isnan(before.kept):
        print("other sites      unknown: the base model has no pages of them")
    else:
        print(f"other sites      {n_kept:,} pages, F1 {format_share(before.kept)} -> {format_share(after.kept)}")
    print(f"written          {out}, after {seconds:,.0f} s")
