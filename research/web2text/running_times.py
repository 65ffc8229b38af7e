"""Time an extraction as section 4.4.1 of the Web2Text paper does: parsing and features, then networks and decoding.

    python -m research.web2text.running_times --data DIR [--pages 150]

The paper took 35 and 19 ms per page, on a computer of 2017. Times here are CPU milliseconds per page of CleanEval, the
fastest of several rounds. All other stages of an extraction, such as finding the title, are not in the paper.
"""

from __future__ import annotations

import random
from collections.abc import Mapping

from benchmarks.formats import format_table
from benchmarks.stages import measure_stages
from benchmarks.timing import Sample
from research.commands import make_parser
from scrapy_web2text.extractor import Extractor

MODELS = ("web2text-2018", "web2text-2026")
# The parts of the paper by the stages of an extraction, and its milliseconds per page.
PARTS = {
    "parsing": (["parse", "arrays"], None),
    "blocks and features": (["blocks", "features"], None),
    "parsing and features together": (["parse", "arrays", "blocks", "features"], 35),
    "networks and decoding": (["network or rules", "decoding"], 19),
    "all of the paper's": (["parse", "arrays", "blocks", "features", "network or rules", "decoding"], 54),
    "the rest: title, text, kind of the page": (["title", "fragment", "finish", "text", "page kind", "rest"], None),
}


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("--pages", type=int, default=150)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    paths = sorted((args.data / "cleaneval" / "orig").glob("*.html"))
    chosen = random.Random(0).sample(paths, min(args.pages, len(paths)))
    samples = [Sample.of(path.read_bytes()) for path in chosen]
    seconds = {model: measure_stages(Extractor(model=model), samples, args.rounds) for model in MODELS}
    print(format_times(seconds, len(samples)))


def format_times(seconds: Mapping[str, Mapping[str, float]], n_pages: int) -> str:
    """Return the milliseconds per page of each part as Markdown.

    :param seconds: CPU seconds of each stage on all pages, by model.
    """
    rows = []
    for part, (stages, paper) in PARTS.items():
        times = (1000 * sum(found[stage] for stage in stages) / n_pages for found in seconds.values())
        rows.append([part, *(f"{time:.2f}" for time in times), "" if paper is None else str(paper)])
    return format_table(["ms per page", *(f"`{model}`" for model in seconds), "paper"], rows)


if __name__ == "__main__":
    main()
