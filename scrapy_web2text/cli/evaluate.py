"""``web2text evaluate``: scores labelers on a corpus."""

from __future__ import annotations

import argparse
import json
import random
import sys
from pathlib import Path
from typing import Any, Final, get_args

from scrapy_web2text.cli.arguments import fraction, seed_number, whole_number
from scrapy_web2text.cli.output import show_progress
from scrapy_web2text.evaluation.corpora import find_ids, open_corpus
from scrapy_web2text.evaluation.peers import PEERS, get_peer
from scrapy_web2text.evaluation.run import evaluate_all, judge_by_labels
from scrapy_web2text.evaluation.scores import N_SAMPLES
from scrapy_web2text.evaluation.tables import format_scores, format_words
from scrapy_web2text.labelers.registry import get_labeler
from scrapy_web2text.labels.files import read_labels
from scrapy_web2text.options import DEFAULT_MODEL, RULE_NAMES, Decoder

_CHOSEN: Final = ("corpus", "split", "part", "labels", "pages", "threshold", "decoder", "samples", "seed")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to *parser*."""
    add = parser.add_argument
    add("--corpus", required=True, metavar="NAME", help="cleaneval, wcxb, or a folder under DIR with html/ and text/")
    add("--data", required=True, type=Path, metavar="DIR", help="the folder of the corpora")
    add(
        "--split",
        metavar="NAME",
        help="name of a split, such as web2text or original for cleaneval; default: the split named like the corpus",
    )
    add(
        "--part",
        metavar="NAME",
        help=(
            "part of the split, or all for all pages of the corpus; default: test if --split or --splits is given, or "
            "if the splits.json of the model has a part test; else all"
        ),
    )
    add(
        "--splits",
        type=Path,
        metavar="FILE",
        help="JSON file of page ids; default: DIR/splits/…, the splits.json of the model, or the shipped one",
    )
    add(
        "--model",
        action="append",
        metavar="NAME",
        help=f"shipped model, model folder, or rules: {RULE_NAMES}; can be repeated (default: {DEFAULT_MODEL})",
    )
    add(
        "--peers",
        type=lambda names: names.split(","),
        default=[],
        metavar="NAME,…",
        help=f"other extractors to compare with: any of {', '.join(PEERS)} (extra bench)",
    )
    add(
        "--labels",
        type=Path,
        metavar="FILE",
        help="judge each page that has labels in FILE by these, not by the published text",
    )
    add("--pages", type=whole_number, metavar="N", help="a random sample of N pages; default: all")
    add("--threshold", type=fraction, metavar="NUMBER", help="least probability of content; default: the model's own")
    add("--decoder", choices=get_args(Decoder), help="how labels are chosen; default: the model's own")
    add(
        "--samples",
        type=whole_number,
        default=N_SAMPLES,
        metavar="N",
        help=f"bootstrap samples of the pages (default: {N_SAMPLES:,})",
    )
    add(
        "--seed",
        type=seed_number,
        default=0,
        metavar="N",
        help="seed of the page sample and the bootstrap (default: %(default)s)",
    )
    add("--format", choices=("text", "json"), default="text", help="form of the output (default: %(default)s)")


def load(args: argparse.Namespace) -> dict[str, Any]:
    """Return the models, pages and other arguments of `evaluate_all` that *args* name; ``args.part`` is filled in."""
    models = args.model or [DEFAULT_MODEL]
    labels = read_labels(args.labels) if args.labels else {}
    corpus = open_corpus(args.corpus, args.data, needs_texts=not labels)
    args.part, ids = find_ids(corpus, args.data, models, split=args.split, part=args.part, path=args.splits)
    if args.pages is not None and args.pages < len(ids):
        ids = tuple(random.Random(args.seed).sample(sorted(ids), args.pages))  # noqa: S311
    return {
        "labelers": {model: get_labeler(model) for model in models},
        "pages": judge_by_labels(show_progress(corpus.pages(ids), len(ids)), corpus.name, labels),
        "threshold": args.threshold,
        "decoder": args.decoder,
        "peers": {name: get_peer(name) for name in args.peers},
    }


def run(args: argparse.Namespace) -> int:
    """Evaluate the models that *args* name, print their scores and return the exit status."""
    reports = evaluate_all(**load(args))
    chosen = {key: getattr(args, key) for key in _CHOSEN} | {"labels": args.labels and args.labels.name}
    if args.format == "json":
        results = [report.to_dict(n_samples=args.samples, seed=args.seed) for report in reports]
        output = json.dumps({**chosen, "results": results}, allow_nan=False, indent=1)
    else:
        output = "\n\n".join([format_scores(reports, chosen), format_words(reports, chosen)])
    sys.stdout.write(output + "\n")
    return 0
