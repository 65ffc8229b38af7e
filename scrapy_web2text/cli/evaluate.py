"""``web2text evaluate``: scores labelers on a corpus."""

from __future__ import annotations

import json
import math
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args

from scrapy_web2text.cli.progress import show_progress
from scrapy_web2text.evaluation.corpora import Corpus, open_corpus, read_split
from scrapy_web2text.evaluation.peers import PEERS, get_peer
from scrapy_web2text.evaluation.read_pages import judge_by_readings
from scrapy_web2text.evaluation.report import N_SAMPLES, Report
from scrapy_web2text.evaluation.run import evaluate_all
from scrapy_web2text.labelers.registry import get_labeler
from scrapy_web2text.labelers.weights import find_model, shipped_models
from scrapy_web2text.options import DEFAULT_MODEL, Decoder, Options
from scrapy_web2text.readings.files import read_readings

if TYPE_CHECKING:
    import argparse

    from scrapy_web2text.labelers.base import Labeler

__all__ = ["add_arguments", "run"]

# Files of the page ids of a corpus: in the data folder, and in the folder of a shipped model.
_SPLIT_FILES: Final = {"cleaneval": "cleaneval.json", "wcxb": "wcxb-dev.json"}
_SHIPPED_SPLITS: Final = {"cleaneval": "web2text-2018"}
_CHOSEN: Final = ("corpus", "split", "part", "readings", "pages", "threshold", "decoder", "samples", "seed")
_COLUMNS: Final = ("accuracy", "precision", "recall", "f1", "word_f1")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to *parser*."""
    parser.add_argument("--corpus", required=True, help="cleaneval, wcxb, or a folder under DIR with html/ and text/")
    parser.add_argument("--data", required=True, type=Path, metavar="DIR", help="the folder of the corpora")
    parser.add_argument(
        "--split", help="name of a split, such as web2text or original for cleaneval; default: that named as the corpus"
    )
    parser.add_argument(
        "--part",
        help="part of the split, or all for all pages of the corpus; default: test if --split or --splits "
        "is given or the splits.json of the model has it, else all",
    )
    parser.add_argument(
        "--splits",
        type=Path,
        metavar="FILE",
        help="JSON file of page ids; default: DIR/splits/…, the splits.json of the model, or the shipped one",
    )
    parser.add_argument(
        "--model",
        action="append",
        metavar="NAME",
        help=f"shipped model, model folder, or rules: shallow:…, bte; can be repeated (default: {DEFAULT_MODEL})",
    )
    parser.add_argument(
        "--peers",
        type=lambda names: names.split(","),
        default=[],
        metavar="NAME,…",
        help=f"other extractors to compare with: any of {', '.join(PEERS)} (extra bench)",
    )
    parser.add_argument(
        "--readings",
        type=Path,
        metavar="FILE",
        help="judge each page that has a reading in FILE by the reading, not by the published text",
    )
    parser.add_argument("--pages", type=int, metavar="N", help="a random sample of N pages; default: all")
    parser.add_argument("--threshold", type=float, help="least content probability; default: the model's own")
    parser.add_argument("--decoder", choices=get_args(Decoder), help="how labels are chosen; default: the model's own")
    parser.add_argument(
        "--lam",
        action="append",
        type=float,
        metavar="WEIGHT",
        help="weight of the pairwise term, 0 for the unary network alone; can be repeated; default: the model's own",
    )
    parser.add_argument(
        "--samples", type=int, default=N_SAMPLES, metavar="N", help="bootstrap samples of the pages (%(default)s)"
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the page sample and the bootstrap (%(default)s)")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: %(default)s")


def run(args: argparse.Namespace) -> int:
    """Evaluate the models that *args* name, print their scores and return the exit status.

    :raises ValueError: if a value is impossible, or the corpus or the split is missing.
    :raises ModelError: if a model folder is missing or invalid.
    """
    options = Options(threshold=args.threshold, decoder=args.decoder)
    if args.samples < 1:
        raise ValueError(f"--samples: expected a number above 0, got {args.samples}")
    if args.pages is not None and args.pages < 1:
        raise ValueError(f"--pages: expected a number above 0, got {args.pages}")
    labelers = _name_labelers(args.model or [DEFAULT_MODEL], args.lam or [])
    peers = {name: get_peer(name) for name in args.peers}
    readings = read_readings(args.readings) if args.readings else {}
    corpus = open_corpus(args.corpus, args.data, needs_texts=not readings)
    ids = _find_ids(corpus, args)
    if args.pages is not None and args.pages < len(ids):
        ids = tuple(random.Random(args.seed).sample(sorted(ids), args.pages))  # noqa: S311
    pages = judge_by_readings(show_progress(corpus.pages(ids), len(ids)), corpus.name, readings)
    reports = evaluate_all(labelers, pages, threshold=options.threshold, decoder=options.decoder, peers=peers)
    chosen = {key: getattr(args, key) for key in _CHOSEN} | {"readings": args.readings and args.readings.name}
    if args.format == "json":
        results = [report.to_dict(n_samples=args.samples, seed=args.seed) for report in reports]
        output = json.dumps({**chosen, "results": results}, allow_nan=False, indent=1)
    else:
        output = "\n\n".join([_format_table(reports, chosen), _format_words(reports, chosen)])
    sys.stdout.write(output + "\n")
    return 0


def _name_labelers(models: Sequence[str], lams: Sequence[float]) -> dict[str, Labeler]:
    """Return each model, once for each of *lams*, by the name for its scores."""
    labelers = {}
    for model in models:
        labeler = get_labeler(model)
        if not lams:
            labelers[model] = labeler
        for lam in lams:
            if not (lam >= 0 and math.isfinite(lam)):
                raise ValueError(f"--lam: expected a number from 0, got {lam}")
            with_lam = getattr(labeler, "with_lam", None)
            if with_lam is None:
                raise ValueError(f"--lam: expected models with a pairwise term, got {model}")
            labelers[f"{model} lam={lam:g}"] = with_lam(lam)
    return labelers


def _find_ids(corpus: Corpus, args: argparse.Namespace) -> tuple[str, ...]:
    """Return the ids of the pages to score, and set the part in *args* if it follows from the other arguments.

    Unless the user chooses, a model is not scored on the pages that it was trained on.
    """
    models = args.model or [DEFAULT_MODEL]
    path: Path | None = args.splits
    if args.part is None and args.split is None and path is None:
        path = _find_own_splits(models, corpus.name, "test")
        if path is None:
            return corpus.ids
    if args.part == "all":
        return corpus.ids
    args.part = args.part or "test"
    path = path or _find_split_file(corpus.name, args.data, () if args.split else models, args.part)
    return read_split(path, args.split, args.part, corpus=corpus.name)


def _find_split_file(corpus: str, data: Path, models: Sequence[str], part: str) -> Path:
    """Return the page ids in the data folder, in the folder of one of *models*, or in that of a shipped model."""
    path = data / "splits" / _SPLIT_FILES.get(corpus, f"{corpus.replace('/', '-')}.json")
    if path.exists():
        return path
    own = _find_own_splits(models, corpus, part)
    if own is not None:
        return own
    model = shipped_models().get(_SHIPPED_SPLITS.get(corpus, ""))
    if model is not None and (model / "splits.json").exists():
        return model / "splits.json"
    raise ValueError(
        f"corpus {corpus!r}: expected its page ids in {path}, which does not exist; --splits names another file"
    )


def _find_own_splits(models: Sequence[str], corpus: str, part: str) -> Path | None:
    """Return the first page ids in the folder of a model that list a *part* of *corpus*; None if none do."""
    for model in models:
        try:
            path = find_model(model) / "splits.json"
            table = json.loads(path.read_text(encoding="utf-8"))
        except (ValueError, OSError):  # rules, or a folder without them
            continue
        if isinstance(table, dict) and isinstance(table.get(corpus), dict) and part in table[corpus]:
            return path
    return None


def _format_table(reports: Sequence[Report], chosen: dict[str, Any]) -> str:
    """Return the scores as a table, with their intervals."""
    total = reports[0].counts.sum(axis=0)
    where = " ".join(str(chosen[key]) for key in ("corpus", "split", "part") if chosen[key] is not None)
    share = (total[0] + total[2]) / max(int(total.sum()), 1)
    width = max(len(report.name) for report in reports)
    lines = [
        f"{where}: {len(reports[0].pages)} pages, {total.sum()} leaves, {share:.1%} of them content",
        "Scores of the leaves of all pages together; word_f1: mean over the pages; in brackets: 95 % intervals.",
        "",
        " " * width + "".join(f"  {name:<20}" for name in _COLUMNS),
    ]
    for report in reports:
        scores = {**report.blocks.to_dict(), "word_f1": report.words.f1}
        intervals = report.intervals(n_samples=chosen["samples"], seed=chosen["seed"])
        cells = [f"{scores[name]:.4f} [{intervals[name][0]:.3f}, {intervals[name][1]:.3f}]" for name in _COLUMNS]
        lines.append(f"{report.name:<{width}}" + "".join(f"  {cell:<20}" for cell in cells))
        n_errors = sum(page.error is not None for page in report.pages)
        if n_errors:
            lines.append(f"{'':<{width}}  no answer for {n_errors} of the pages")
    return "\n".join(line.rstrip() for line in lines)


def _format_words(reports: Sequence[Report], chosen: dict[str, Any]) -> str:
    """Return word F1 by page type, snippets, split paragraphs, cost, and how each report differs from the first one."""
    by_kind = [report.word_f1_by_kind() for report in reports]
    kinds = list(by_kind[0])
    width = max(len(report.name) for report in reports)
    columns = [f"{kind} ({by_kind[0][kind][0]})" for kind in kinds] + ["wanted", "unwanted", "split", "time"]
    first = reports[0]
    has_snippets = any(any(page.snippets) for page in first.pages)
    lines = [
        "Mean word F1 (number of pages); share of snippets found; paragraphs of content that were split, of those that",
        "could be; CPU time relative to parsing by lxml.",
        "",
        " " * width + "".join(f"  {column:<{max(len(column), 7)}}" for column in columns),
    ]
    for report, values in zip(reports, by_kind, strict=True):
        cells = [f"{values[kind][1]:.4f}" for kind in kinds]
        cells += [f"{share:.3f}" if has_snippets else "-" for share in report.snippets]
        cells += ["-" if report.paragraphs is None else "{}/{}".format(*report.paragraphs), f"{report.cost:.1f}"]
        line = "".join(f"  {cell:<{max(len(column), 7)}}" for cell, column in zip(cells, columns, strict=True))
        lines.append(f"{report.name:<{width}}{line}")
    for report in reports[1:]:
        mean, low, high = first.difference(report, n_samples=chosen["samples"], seed=chosen["seed"])
        lines.append(f"{report.name} - {first.name}: {mean:+.4f} [{low:+.4f}, {high:+.4f}] word F1, page by page")
    return "\n".join(line.rstrip() for line in lines)
