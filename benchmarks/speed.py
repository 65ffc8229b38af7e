"""Measure the cost of extractions: in parses of the same page, by stage, by feature family and page size; and memory.

    make bench WEB2TEXT_DATA=DIR      # DIR: the unpacked corpora, with DIR/wcxb/dev/html and DIR/cleaneval/orig
    python benchmarks/speed.py [cost] [stages] [families] [growth] [memory] --data DIR [--pages 150] [--peers]

All contestants of a table run in turn on each page, and the fastest round of each page counts. Times are CPU seconds of
the thread, so other load on the machine has little effect. Without corpora, the handwritten pages of tests/ are used.
The tables are Markdown; research/docs/experiments.md has the first, docs/performance.md figures of the others.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from benchmarks.formats import format_table
from benchmarks.stages import STAGES, measure_families, measure_stages
from benchmarks.timing import PARSE, Contestant, PageSet, Sample, measure, parse, read_page_sets
from scrapy_web2text.evaluation.peers import PEERS, Peer, get_peer
from scrapy_web2text.extractor import Extractor
from scrapy_web2text.labelers.weights import PACKAGED_MODELS
from scrapy_web2text.options import DEFAULT_BLOCK_FIELDS, DEFAULT_MODEL
from scrapy_web2text.page.reader import READER_NAME

TABLES = ("cost", "stages", "families", "growth", "memory")
MODELS = (DEFAULT_MODEL, *(name for name in PACKAGED_MODELS if name != DEFAULT_MODEL))
SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
PARAGRAPH = f"<p>{'A paragraph of prose with <b>some</b> words, and one more clause. ' * 6}</p>"
ITEM = '<li>Item <a href="#">one</a> of <b>many</b>, and some words.</li>'

MEMORY_PROBE = """
import pathlib, re, resource, sys
import scrapy.crawler, scrapy.http
if len(sys.argv) > 1:
    from scrapy_web2text import Extractor
    paragraph = b"<p>Some words of the main text, with <a href='#'>a link</a>.</p>"
    Extractor(model=sys.argv[1]).extract(b"<body>" + paragraph * 500)
assert "torch" not in sys.modules
status = pathlib.Path("/proc/self/status")
if status.exists():  # ru_maxrss would include the memory of the parent process before exec
    print(re.search(r"VmHWM:\\s+(\\d+)", status.read_text())[1])
else:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1024 if sys.platform == "darwin" else 1))
"""


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=f"some of {', '.join(TABLES)} (all)")
    parser.add_argument("--data", type=Path, default=os.environ.get("WEB2TEXT_DATA"), help="the unpacked corpora")
    parser.add_argument("--pages", type=int, default=150, help="of each corpus (%(default)s)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--model", action="append", help="name or folder, more than once if wanted (the shipped ones)")
    parser.add_argument("--peers", action="store_true", help=f"also {', '.join(PEERS)} (extra bench)")
    parser.add_argument("--json", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args(arguments)
    unknown = {*args.tables} - {*TABLES}
    if unknown:
        parser.error(f"expected tables from {', '.join(TABLES)}, got {', '.join(sorted(unknown))}")
    args.data = args.data and Path(args.data)
    args.model = args.model or MODELS
    if args.json:
        print(json.dumps(measure_models(args.model, list(read_page_sets(args.data, args.pages)), args.rounds)))
        return
    for table in args.tables or TABLES:
        print(f"\n{table}\n", flush=True)
        PRINTERS[table](args)


def print_cost(args: argparse.Namespace) -> None:
    """Print the cost of each extractor, in parses and ms, and that of the models with the reader in Python."""
    sets = list(read_page_sets(args.data, args.pages))
    costs = [measure(page_set.samples, contestants(args.model, args.peers), args.rounds) for page_set in sets]
    print_costs(sets, [{name: sum(times) for name, times in cost.items()} for cost in costs])
    print(f"\nAbove: {READER_NAME}. In Python only:\n", flush=True)
    print_costs(sets, measure_in_python(args))


def measure_in_python(args: argparse.Namespace) -> list[dict[str, float]]:
    """Return the costs of the models in a process that reads pages in Python."""
    command = [sys.executable, __file__, "--json", "--pages", str(args.pages), "--rounds", str(args.rounds)]
    command += ["--data", str(args.data)] if args.data else []
    command += [option for model in args.model for option in ("--model", model)]
    environment = {**os.environ, "WEB2TEXT_NO_NATIVE": "1"}
    output = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE).stdout
    return json.loads(output)


def measure_models(names: Sequence[str], sets: Sequence[PageSet], rounds: int) -> list[dict[str, float]]:
    """Return the CPU seconds of a parse and of each model for all pages of each set."""
    models = {f"`{name}`": from_bytes(name) for name in names}
    costs = [measure(page_set.samples, {PARSE: parse, **models}, rounds) for page_set in sets]
    return [{name: sum(times) for name, times in cost.items()} for cost in costs]


def print_costs(sets: Sequence[PageSet], costs: Sequence[dict[str, float]]) -> None:
    """Print the CPU time of all contestants on all sets of pages."""
    rows = []
    for name in costs[0]:
        cells = [page_set.format_cost(cost[name], cost[PARSE]) for page_set, cost in zip(sets, costs, strict=True)]
        rows.append([name, *chain.from_iterable(cells)])
    header = [f"{page_set.title}: {unit}" for page_set in sets for unit in page_set.units]
    print(format_table(["", *header], rows))


def from_bytes(model: str, **options: Any) -> Contestant:
    extractor = Extractor(model=model, **{"blocks": "none", **options})
    return lambda sample: extractor.extract(sample.body)


def from_text(peer: Peer) -> Contestant:
    return lambda sample: peer(sample.text)


def contestants(models: Sequence[str], with_peers: bool) -> dict[str, Contestant]:
    """Return all extractors by their rows, the unit first. The first model has rows for what adds to its cost."""
    first = models[0]
    plain = Extractor(model=first, blocks="none")
    paths = {"blocks": "all", "block_fields": (*DEFAULT_BLOCK_FIELDS, "path")}
    own: dict[str, Contestant] = {PARSE: parse}
    for model in models:
        own[f"`{model}`"] = from_bytes(model)
        if model == first:
            own["  on a parsed tree"] = lambda sample: plain.extract(sample.tree)
            own["  with all blocks"] = from_bytes(model, blocks="all")
            own["  with all blocks and their paths"] = from_bytes(model, **paths)
            own["  with HTML and Markdown"] = from_bytes(model, html=True, markdown=True)
    return own | {name: from_text(get_peer(name)) for name in PEERS if with_peers}


def print_stages(args: argparse.Namespace) -> None:
    """Print the cost of each stage, for each model and set of pages."""
    rows = []
    for page_set in read_page_sets(args.data, args.pages):
        for model in args.model:
            costs = measure_stages(Extractor(model=model, blocks="none"), page_set.samples, args.rounds)
            unit = costs.pop(PARSE)
            cells = [page_set.format_cost(seconds, unit)[0] if seconds else "" for seconds in costs.values()]
            rows.append([f"`{model}`, {page_set.title}, {page_set.units[0]}", *cells])
            rows[-1] += page_set.format_cost(sum(costs.values()), unit)[:1]
    print(format_table(["", *STAGES, "all"], rows))


def print_families(args: argparse.Namespace) -> None:
    """Print the cost of the features with all families of columns, and what leaving out each family saves."""
    sets = list(read_page_sets(args.data, args.pages))
    print_costs(sets, [measure_families(page_set.samples, args.rounds) for page_set in sets])


def print_growth(args: argparse.Namespace) -> None:
    """Print the time for pages of each size, and the exponent with which it grows from the second size on.

    Pages of prose have a block for each 400 bytes; pages of items for each 60, and are short of the largest size, for
    which the features would take more than a gigabyte.
    """
    rows = []
    for title, unit, sizes in (("prose", PARAGRAPH, SIZES), ("items", ITEM, SIZES[:-1])):
        pages = [Sample.of(f"<body>{unit * (size // len(unit))}".encode()) for size in sizes]
        runs = {"parse": parse} | {
            f"`{model}`": from_bytes(model, max_blocks=None, max_bytes=None, timeout=None) for model in args.model
        }
        for name, times in measure(pages, runs, min(args.rounds, 3)).items():
            cells = [f"{1000 * seconds:.1f} ms" for seconds in times] + [""] * (len(SIZES) - len(sizes))
            exponent = math.log(times[-1] / times[1]) / math.log(sizes[-1] / sizes[1])
            rows.append([f"{title}, {name}", *cells, f"{exponent:.2f}"])
    print(format_table(["", *(f"{size // 1000:,} kB" for size in SIZES), "exponent"], rows))


def print_memory(args: argparse.Namespace) -> None:
    """Print the memory that each model adds to a process that has imported Scrapy."""
    rows = [["Scrapy alone", f"{peak_memory() / 1024:.0f} MB"]]
    rows += [[f"with `{model}`", f"+{(peak_memory(model) - peak_memory()) / 1024:.0f} MB"] for model in args.model]
    print(format_table(["", "memory"], rows))


def peak_memory(*model: str) -> int:
    """Return the most memory of a process, in KiB."""
    return int(subprocess.run([sys.executable, "-c", MEMORY_PROBE, *model], check=True, capture_output=True).stdout)


PRINTERS = {
    "cost": print_cost,
    "stages": print_stages,
    "families": print_families,
    "growth": print_growth,
    "memory": print_memory,
}

if __name__ == "__main__":
    main()
