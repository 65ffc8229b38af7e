"""Score labelers and other extractors by the text leaves of pages, as in Table 1 of Web2Text.

    python -m research.leaves --corpus cleaneval --data DIR --split web2text --part test --model models/semtext

The options are those of `web2text evaluate`.
"""

from __future__ import annotations

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Sequence

from research.labelers import register_labelers
from research.leaf_scores import LeafReport, evaluate_leaves
from scrapy_web2text.cli import evaluate
from scrapy_web2text.evaluation.tables import format_scores


def describe_leaves(reports: Sequence[LeafReport]) -> str:
    """Return how many leaves were compared."""
    found, _, missed, _ = total = reports[0].counts.sum(axis=0)
    share = (found + missed) / max(int(total.sum()), 1)
    return f"{total.sum()} leaves, {share:.1%} of them content. Their scores are those of all pages together."


def main() -> None:
    register_labelers()
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    evaluate.add_arguments(parser)
    args = parser.parse_args()
    reports = evaluate_leaves(**evaluate.load(args))
    print(describe_leaves(reports))
    print(format_scores(reports, vars(args)))


if __name__ == "__main__":
    main()
