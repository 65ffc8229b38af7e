"""Score Unfluff, the JavaScript extractor of Table 1 of the Web2Text paper, on its two sets of CleanEval pages.

    npm install --prefix FOLDER unfluff@3.2.0
    python -m research.comparison.unfluff --data DIR --modules FOLDER/node_modules    # needs node

Its text is aligned with the page like that of every other extractor, so all are scored on the same leaves.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

from benchmarks.formats import format_estimate, format_table
from research.commands import make_parser
from research.leaf_scores import LeafReport, evaluate_leaves
from scrapy_web2text.evaluation.corpora import CorpusPage, open_corpus, read_split

# Pages come in as a JSON list of strings; their texts go out in the same way, null where Unfluff fails.
PROGRAM = """
const unfluff = require('unfluff');
const pages = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const texts = pages.map(page => { try { return unfluff(page, 'en').text; } catch (error) { return null; } });
process.stdout.write(JSON.stringify(texts));
"""
# Test pages: split of CleanEval, and accuracy, precision, recall and F1 in the paper.
SETS = {
    "676 pages": ("original", (0.71, 0.90, 0.57, 0.70)),
    "148 pages": ("web2text", (0.68, 0.90, 0.51, 0.65)),
}


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("--modules", required=True, type=Path, help="the folder node_modules that has unfluff")
    args = parser.parse_args()
    rows = []
    for title, (split, paper) in SETS.items():
        ids = read_split(args.data / "splits" / "cleaneval.json", split, "test")
        pages = list(open_corpus("cleaneval", args.data).pages(ids))
        texts = extract_all([str(page.html) for page in pages], args.modules)
        rows.append([title, *format_report(score(pages, texts), paper)])
    print(format_table(["", "accuracy", "precision", "recall", "F1", "word F1", "failed"], rows))


def extract_all(pages: Sequence[str], modules: Path) -> list[str | None]:
    """Return the text of each page; None where Unfluff fails."""
    found = subprocess.run(
        ["node", "-e", PROGRAM],
        input=json.dumps(pages),
        capture_output=True,
        text=True,
        check=True,
        env={"NODE_PATH": str(modules.resolve()), "PATH": "/usr/local/bin:/usr/bin:/bin"},
    )
    return json.loads(found.stdout)


def score(pages: Sequence[CorpusPage], texts: Sequence[str | None]) -> LeafReport:
    """Return the scores of *texts*, which are those of *pages* in their order."""
    by_page = {str(page.html): text for page, text in zip(pages, texts, strict=True)}

    def answer(html: str) -> str:
        text = by_page[html]
        if text is None:
            raise ValueError("Unfluff failed")
        return text

    return evaluate_leaves({}, pages, peers={"unfluff": answer})[0]


def format_report(report: LeafReport, paper: Sequence[float]) -> list[str]:
    """Return the scores, with the figures of the paper in parentheses, and the number of pages without an answer."""
    blocks, intervals = report.blocks, report.intervals()
    values = [f"{value:.3f}" for value in (blocks.accuracy, blocks.precision, blocks.recall)]
    values.append(format_estimate(blocks.f1, intervals["f1"]))
    failed = sum(page.error is not None for page in report.pages)
    cells = [f"{value} ({theirs:.2f})" for value, theirs in zip(values, paper, strict=True)]
    return [*cells, format_estimate(report.words.f1, intervals["word_f1"]), str(failed)]


if __name__ == "__main__":
    main()
