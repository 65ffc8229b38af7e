"""The scores of leaves for a model, on a part of a tiny corpus."""

from __future__ import annotations

from argparse import ArgumentParser

from research.leaf_scores import evaluate_leaves
from scrapy_web2text.cli import evaluate


def report_on(arguments):
    """Return the report of the only model that *arguments* of ``evaluate`` name."""
    parser = ArgumentParser()
    evaluate.add_arguments(parser)
    (report,) = evaluate_leaves(**evaluate.load(parser.parse_args(arguments)))
    return report
