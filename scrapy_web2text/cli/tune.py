"""``web2text tune``: tunes a model to labeled pages of a site, and refuses to write one that is worse."""

from __future__ import annotations

import math
import random
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from scrapy_web2text.cli.files import read_labeled_page, read_whole_page
from scrapy_web2text.cli.listing import list_files
from scrapy_web2text.cli.out_folder import check_out_folder
from scrapy_web2text.cli.output import escape_line
from scrapy_web2text.cli.progress import show_progress
from scrapy_web2text.exceptions import PageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable

    from scrapy_web2text.labelers.weights import Model
    from scrapy_web2text.training.modern.data import JudgedPage
    from scrapy_web2text.training.modern.tuning import TunedModel, TuningScore

__all__ = ["add_arguments", "run"]

_NEEDS: Final = (
    "needs {}: pip install 'scrapy-web2text[train]' --extra-index-url https://download.pytorch.org/whl/cpu "
    "(the index has torch without CUDA, which suffices)"
)
# More pages of other sites would take long, and hardly say more.
_MOST_KEPT: Final = 200
_MOST_SEED: Final = 2**32 - 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to *parser*."""
    parser.description = (
        "Tune a model to labeled pages, such as those of a site that comes out wrong, and write it as a folder. Pages "
        "are held out to see whether it is better; if it is not, or worse on other sites, nothing is written."
    )
    what = "labels in JSON Lines, as web2text label writes them"
    parser.add_argument("labels", type=Path, metavar="FILE", help=what)
    parser.add_argument("--out", required=True, type=Path, metavar="FOLDER", help="the model folder to write")
    parser.add_argument(
        "--base", default="web2text-2026", metavar="MODEL", help="the model that is tuned (%(default)s)"
    )
    pages = "folder of the pages that FILE names; default: that of FILE"
    parser.add_argument("--pages", type=Path, metavar="DIR", help=pages)
    keep = f"folder of pages whose answers are to stay; {_MOST_KEPT} of them are drawn if there are more"
    parser.add_argument("--keep", type=Path, metavar="DIR", help=keep)
    only = "write the model even if other sites come out worse: it is used for the pages of FILE's sites alone"
    parser.add_argument("--site-only", action="store_true", help=only)
    parser.add_argument("--seed", type=int, default=0, help="seed of the tuning (%(default)s)")
    parser.add_argument("--threads", type=int, default=1, help="threads of torch (%(default)s)")
    parser.add_argument("--force", action="store_true", help="replace the model in the folder of --out")


def run(args: argparse.Namespace) -> int:
    """Tune the model that *args* name, write its folder, print its scores, and return the exit status.

    :raises OSError: if a file or folder cannot be read or written.
    :raises ValueError: if torch is missing, an argument is wrong, no page has labels that fit, or the tuned model is
        not better than the base model.
    :raises ModelError: if there is no valid base model.
    """
    if not 0 <= args.seed <= _MOST_SEED or args.threads < 1:
        expected = f"--seed from 0 to {_MOST_SEED} and --threads above 0"
        raise ValueError(f"expected {expected}, got {args.seed} and {args.threads}")
    check_out_folder(args.out, is_replaced=args.force)
    try:  # Only a tuning needs torch; the help does not.
        from scrapy_web2text.cli.trainings import torch_threads  # noqa: PLC0415
        from scrapy_web2text.training.modern.adaptation import TuningChoice  # noqa: PLC0415
        from scrapy_web2text.training.modern.tuning import tune_model  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise ValueError(_NEEDS.format(error.name)) from error
    started = time.monotonic()
    base = _load_base(args.base)
    pages = _read_labeled(args, base)
    kept = _read_kept(args, base)
    choice = TuningChoice(most_lost=1.0) if args.site_only else TuningChoice()
    try:
        with torch_threads(args.threads):
            tuned = tune_model(base, pages, kept, choice=choice, seed=args.seed, track=show_progress)
    except ValueError as error:
        raise ValueError(f"{args.out} was not written: {error}") from error
    _write(args.out, base, tuned, len(pages))
    _report(args.out, tuned, len(pages), len(kept), time.monotonic() - started)
    return 0


def _load_base(name: str) -> Model:
    """Return the base model, which must be of the kind that can be tuned."""
    from scrapy_web2text.labelers.modern import ModernLabeler  # noqa: PLC0415
    from scrapy_web2text.labelers.weights import find_model, load_model  # noqa: PLC0415

    model = load_model(find_model(name))
    if model.manifest.get("labeler") != "modern":
        raise ValueError(f"--base: expected a model of the kind 'modern', got {model.manifest.get('labeler')!r}")
    ModernLabeler(model)  # so that errors come before pages are read
    return model


def _read_labeled(args: argparse.Namespace, base: Model) -> list[JudgedPage]:
    """Return the labeled pages; those that cannot be used are reported."""
    from scrapy_web2text.readings.files import read_readings  # noqa: PLC0415
    from scrapy_web2text.training.modern.own_pages import plan_of, read_own_page  # noqa: PLC0415

    folder, plan = args.pages or args.labels.parent, plan_of(base)
    readings = [*read_readings(args.labels).values()]

    pages = _read_all(
        show_progress(readings, len(readings)),
        lambda reading: reading.id,
        lambda reading: read_own_page(read_labeled_page(reading, folder), reading.id, reading, plan),
    )
    if not pages:
        raise ValueError(f"{args.labels}: expected labels that fit their pages, found none (see web2text labels check)")
    return pages


def _read_kept(args: argparse.Namespace, base: Model) -> list[JudgedPage]:
    """Return pages of other sites: those that come with the base model, and those that the user names."""
    from scrapy_web2text.training.modern.adaptation import label_by_model  # noqa: PLC0415
    from scrapy_web2text.training.modern.own_pages import judge_by_labels, plan_of, read_own_page  # noqa: PLC0415
    from scrapy_web2text.training.modern.rehearsal import read_rehearsal  # noqa: PLC0415

    kept = [judge_by_labels(page) for page in read_rehearsal(base)]
    if args.keep is None:
        return kept
    plan, files = plan_of(base), list_files(args.keep)
    if len(files) > _MOST_KEPT:
        files = sorted(random.Random(args.seed).sample(files, _MOST_KEPT))  # noqa: S311
    own = _read_all(
        show_progress(files, len(files), title="kept"),
        str,
        lambda file: read_own_page(read_whole_page(args.keep / file), str(file), None, plan),
    )
    return kept + label_by_model(base, own)


def _read_all(
    sources: Iterable[Any], name: Callable[[Any], str], read: Callable[[Any], JudgedPage]
) -> list[JudgedPage]:
    pages = []
    for source in sources:
        try:
            pages.append(read(source))
        except (OSError, ValueError, PageError) as error:
            print(escape_line(f"web2text tune: skipped {name(source)}: {error}"), file=sys.stderr)
    return pages


def _write(out: Path, base: Model, tuned: TunedModel, n_pages: int) -> None:
    from scrapy_web2text.training.export import write_model  # noqa: PLC0415

    left_out = {"format_version", "weights", "corpora", "n_pages", "seeds", "scores"}  # those of the base model
    manifest = {key: value for key, value in base.manifest.items() if key not in left_out}
    tuning = {
        "base": {"name": base.name, "sha256": base.manifest["weights"]["sha256"]},
        "n_pages": n_pages,
        "n_folds": tuned.n_folds,
        "rounds": tuned.rounds,
        "before": _to_json(tuned.before),
        "after": _to_json(tuned.after),
    }
    write_model(out, tuned.tensors, {**manifest, "name": out.resolve().name, "tuning": tuning}, {})


def _to_json(score: TuningScore) -> dict[str, float | None]:
    return {"own": score.own, "kept": None if math.isnan(score.kept) else score.kept}


def _report(out: Path, tuned: TunedModel, n_pages: int, n_kept: int, seconds: float) -> None:
    before, after = tuned.before, tuned.after
    how = f"each held out once, in {tuned.n_folds} parts" if tuned.n_folds > 1 else "not held out: label more pages"
    print(f"labeled pages    {n_pages:,}, {how}")
    print(f"their F1         {before.own:.3f} -> {after.own:.3f}")
    if math.isnan(before.kept):
        print("other sites      unknown: the base model has no pages of them, and --keep names none")
    else:
        print(f"other sites      {n_kept:,} pages, F1 {before.kept:.3f} -> {after.kept:.3f}")
    print(f"written          {out}, after {seconds:,.0f} s")
