"""Measure the time of an extraction relative to a parse of the same page, its growth with page size, and memory.

    make bench WEB2TEXT_DATA=DIR      # DIR: the unpacked corpora, with DIR/wcxb/dev/html and DIR/cleaneval/orig
    python benchmarks/speed.py --data DIR [--pages 150] [--rounds 5] [--peers]

All systems of a table run in turn on each page, and the fastest round of each page counts. Times are CPU seconds of
the thread, so other load on the machine has little effect. Without corpora, the handwritten pages of tests/ are used.
"""

from __future__ import annotations

import argparse
import gzip
import math
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import lxml.html

from scrapy_web2text.extractor import Extractor
from scrapy_web2text.options import DEFAULT_MODEL
from scrapy_web2text.page.encoding import decode
from scrapy_web2text.page.parse import to_tree

ROOT = Path(__file__).parents[1]
Contestant = Callable[[bytes, str], object]

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


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("WEB2TEXT_DATA"), help="the unpacked corpora")
    parser.add_argument("--pages", type=int, default=150)
    parser.add_argument("--model", default=DEFAULT_MODEL, help="model name or folder (%(default)s)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peers", action="store_true", help="also trafilatura, resiliparse, readability (extra bench)")
    args = parser.parse_args()
    contestants = own_contestants(args.model) | (peers() if args.peers else {})
    for title, pages in corpora(args.data and Path(args.data), args.pages):
        print_table(title, pages, contestants, args.rounds)
    print_growth(args.model)
    print_memory(args.model)


def own_contestants(model: str) -> dict[str, Contestant]:
    plain, listing = Extractor(model=model, blocks="none"), Extractor(model=model, blocks="all")
    rules = Extractor(model="shallow", blocks="none")
    trees: dict[int, object] = {}

    def on_tree(body: bytes, _text: str) -> object:
        return plain.extract(trees[id(body)])

    def keep_tree(body: bytes, _text: str) -> object:
        return trees.setdefault(id(body), to_tree(body))

    return {
        "parse (lxml.html.fromstring)": lambda _body, text: lxml.html.fromstring(text),
        "parse (ours, kept for the next row)": keep_tree,
        "extract, on a parsed tree": on_tree,
        "extract, from bytes": lambda body, _text: plain.extract(body),
        "extract, from bytes, with blocks and paths": lambda body, _text: listing.extract(body),
        "shallow rules, from bytes": lambda body, _text: rules.extract(body),
    }


def peers() -> dict[str, Contestant]:
    import readability  # noqa: PLC0415
    import trafilatura  # noqa: PLC0415
    from resiliparse.extract.html2text import extract_plain_text  # noqa: PLC0415

    return {
        "resiliparse (main content)": lambda _body, text: extract_plain_text(text, main_content=True),
        "readability-lxml": lambda _body, text: readability.Document(text).summary(),
        "trafilatura": lambda _body, text: trafilatura.extract(text),
    }


def corpora(data: Path | None, n_pages: int) -> Iterable[tuple[str, list[bytes]]]:
    if data is None or not data.is_dir():
        yield "handwritten pages", [path.read_bytes() for path in sorted((ROOT / "tests/pages").glob("*.html"))]
        return
    for title, pattern in (
        ("WCXB dev (modern)", "wcxb/dev/html/*.html.gz"),
        ("CleanEval (2007)", "cleaneval/orig/*.html"),
    ):
        paths = sorted(data.glob(pattern))
        chosen = random.Random(0).sample(paths, min(n_pages, len(paths)))
        yield (
            title,
            [gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes() for path in chosen],
        )


def print_table(title: str, pages: list[bytes], contestants: dict[str, Contestant], rounds: int) -> None:
    texts = [decode(page) for page in pages]
    best = {name: [math.inf] * len(pages) for name in contestants}
    for _ in range(rounds):
        for i, (page, text) in enumerate(zip(pages, texts, strict=True)):
            for name, run in contestants.items():
                start = time.thread_time()
                run(page, text)
                best[name][i] = min(best[name][i], time.thread_time() - start)
    base = sum(next(iter(best.values())))
    print(f"\n{title}: {len(pages)} pages, {sum(map(len, pages)) / len(pages) / 1000:.0f} kB each")
    for name, times in best.items():
        if "kept for" not in name:
            print(f"  {name:44} {sum(times) / base:6.2f} x  {1000 * sum(times) / len(pages):8.2f} ms")


def print_growth(model: str) -> None:
    """Print the exponent with which the time grows from 10 kB to 1 MB of HTML with many leaves."""
    extractor = Extractor(model=model, blocks="none", max_blocks=None)
    unit = '<li>Item <a href="#">one</a> of <b>many</b>, and some words.</li>'
    sizes = [10_000, 30_000, 100_000, 300_000, 1_000_000]
    times = []
    for size in sizes:
        page = ("<body><ul>" + unit * (size // len(unit)) + "</ul>").encode()
        runs = []
        for _ in range(5):
            start = time.thread_time()
            extractor.extract(page)
            runs.append(time.thread_time() - start)
        times.append(min(runs))
    exponent = math.log(times[-1] / times[0]) / math.log(sizes[-1] / sizes[0])
    print("\ngrowth:", ", ".join(f"{s // 1000} kB {1000 * t:.1f} ms" for s, t in zip(sizes, times, strict=True)))
    print(f"  exponent from {sizes[0] // 1000} kB to {sizes[-1] // 1000} kB: {exponent:.2f}")


def print_memory(model: str) -> None:
    """Print the memory that the model adds to a process that has imported Scrapy."""
    bare, loaded = (
        int(subprocess.run([sys.executable, "-c", MEMORY_PROBE, *arg], check=True, capture_output=True).stdout)
        for arg in ([], [model])
    )
    added = (loaded - bare) / 1024
    print(f"\nmemory: Scrapy alone {bare / 1024:.0f} MB, and {added:.0f} MB more with the model loaded and used")


if __name__ == "__main__":
    main()
