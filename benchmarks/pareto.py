"""Score extractors on WCXB val and measure their cost: the chart and the table of docs/performance.md.

    python benchmarks/pareto.py --data DIR --out docs/performance.svg [--rounds 3]    # extra bench

The extractors run with their defaults and write text only. All take turns at each page; costs are CPU time in parses of
the same page, of the fastest round. Those that are not installed are skipped. The default model was trained on these
pages; its score is that of its cross-validation, by networks that have not seen the sites.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import fmean

from benchmarks.chart import Point, draw_chart, find_front
from benchmarks.folds import read_pages
from benchmarks.formats import format_table
from benchmarks.timing import PARSE, Contestant, Sample, measure, parse
from scrapy_web2text.evaluation.corpora import CorpusPage, open_corpus, read_split
from scrapy_web2text.evaluation.peers import PEERS, Peer, get_peer
from scrapy_web2text.evaluation.scores import word_scores
from scrapy_web2text.extractor import Extractor
from scrapy_web2text.labelers.weights import find_model
from scrapy_web2text.options import DEFAULT_MODEL

OWN = ("web2text-2026", "web2text-2018", "shallow", "bte")
# A function from a page to its text.
System = Callable[[Sample], str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=Path, metavar="DIR", help="the unpacked corpora")
    parser.add_argument("--out", required=True, type=Path, metavar="FILE", help="the chart, as SVG")
    parser.add_argument("--pages", type=int, help="at most this many (all)")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    ids = read_split(args.data / "splits" / "wcxb-dev.json", None, "val")[: args.pages]
    pages = list(open_corpus("wcxb", args.data).pages(ids))
    points = [
        Point(point.name, point.parses, score_folds(set(ids))) if point.name == DEFAULT_MODEL else point
        for point in measure_points(pages, load_systems(), args.rounds)
    ]
    args.out.write_text(draw_chart(points, with_front=True), encoding="utf-8")
    front = find_front(points)
    rows = [
        [f"`{point.name}`", f"{point.word_f1:.3f}".removeprefix("0"), f"{point.parses:.2f}", "✓" * (point in front)]
        for point in sorted(points, key=lambda point: -point.word_f1)
    ]
    print(format_table([f"{len(pages)} pages of WCXB val", "word F1", "parses", "none is better for less"], rows))


def score_folds(ids: set[str]) -> float:
    """Return the word F1 of the cross-validation of the default model, judged by the published texts."""
    pages = read_pages(find_model(DEFAULT_MODEL) / "folds.json.xz")
    return fmean(page["published_f1"] for page in pages if page["id"] in ids)


def load_systems() -> dict[str, System]:
    """Return this package's labelers and the other extractors that are installed, by name."""
    systems: dict[str, System] = {name: from_bytes(name) for name in OWN}
    for name in PEERS:
        try:
            peer = get_peer(name)
        except ValueError as error:
            print(f"Skipping {name}: {error}", file=sys.stderr)
        else:
            systems[name] = from_text(peer)
    return systems


def from_text(peer: Peer) -> System:
    return lambda sample: peer(sample.text)


def from_bytes(model: str) -> System:
    extractor = Extractor(model=model, blocks="none")
    return lambda sample: extractor.extract(sample.body).text


def measure_points(pages: list[CorpusPage], systems: dict[str, System], rounds: int) -> list[Point]:
    """Return the score and the cost of each system. The text of a page with an error is empty."""
    samples = [Sample.of(page.html if isinstance(page.html, bytes) else page.html.encode()) for page in pages]
    texts: dict[str, dict[int, str]] = {name: {} for name in systems}

    def keep_text(name: str, system: System) -> Contestant:
        def run(sample: Sample) -> None:
            try:
                texts[name][id(sample)] = system(sample)
            except Exception as error:  # noqa: BLE001  errors of others cost them the page
                texts[name][id(sample)] = ""
                print(f"{name}: {error!r}", file=sys.stderr)

        return run

    times = measure(samples, {PARSE: parse, **{name: keep_text(name, run) for name, run in systems.items()}}, rounds)
    points = []
    for name, by_sample in texts.items():
        scores = [word_scores(by_sample[id(sample)], page.text).f1 for sample, page in zip(samples, pages, strict=True)]
        points.append(Point(name, sum(times[name]) / sum(times[PARSE]), fmean(scores)))
    return points


if __name__ == "__main__":
    main()
