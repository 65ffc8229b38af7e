"""Measure what hostile pages cost, up to 10 MB: growth with size, CPU time, memory and length of each form.

    python benchmarks/hostile.py [--quick] [--families NAME ...] [--check MOST]

Each family of `tests/families.py` is extracted by the default model with all forms, in a process of its own, with no
limit of the package. It ends at a size that takes longer than the limit. A cell has the worst exponent between two
sizes, seconds per MB, MB of memory, and length as a multiple of the page; what breaks a bound has an exclamation mark.
Text is what all forms need: the parse, the labels and the text.
"""

from __future__ import annotations

import argparse
import math
import os
import resource
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is imported

import costs  # noqa: E402
from families import FAMILIES  # noqa: E402
from msgspec.structs import asdict  # noqa: E402

from scrapy_web2text.answer import sequence  # noqa: E402
from scrapy_web2text.extraction import Record  # noqa: E402

SIZES = (100_000, 1_000_000, 10_000_000)
# The functions that make the parts of an answer besides its text.
PARTS = {"blocks": "export_blocks", "document": "build_document", "html": "html", "markdown": "markdown"}
PARTS |= {"paragraphs": "write_paragraphs", "posts": "find_posts", "metadata": "read_metadata"}
MOST_EXPONENT, JUDGED_SECONDS = 1.15, 0.5  # the exponent of shorter times is noise
MOST_LENGTH, FIXED_LENGTH = 4, 10_000  # times the page, and characters
Taken = tuple[int, float, int, int]  # bytes of the page, CPU seconds, peak of the memory in bytes, characters


def count_characters(value: Any) -> int:
    """Return the number of characters in all texts of *value*, without the paths of blocks."""
    if isinstance(value, dict | list | tuple):
        return sum(map(count_characters, value.values() if isinstance(value, dict) else value))
    if isinstance(value, Record):
        return sum(count_characters(part) for name, part in asdict(value).items() if name != "path")
    return len(value) if isinstance(value, str) else 0


def measure_page(page: bytes, extract: Any) -> dict[str, Taken]:
    """Return what each part of an answer takes. The process ends after some pages, so functions stay replaced."""
    taken = dict.fromkeys(("text", *PARTS), (len(page), 0.0, 0, 0))
    base, start = costs.reset_peak(), time.thread_time()

    def end(part: str, value: Any = "") -> None:
        nonlocal start
        n_bytes, seconds, memory, length = taken[part]
        seconds += time.thread_time() - start
        memory = max(memory, costs.read_memory("VmHWM") - base)
        taken[part] = n_bytes, seconds, memory, length + count_characters(value)
        costs.reset_peak()
        start = time.thread_time()

    def run(part: str, function: Any, *args: Any, **kwargs: Any) -> Any:
        end("text")
        value = function(*args, **kwargs)
        end(part, value)
        return value

    for part, name in PARTS.items():
        functions = sequence.FORMS if name in sequence.FORMS else vars(sequence)
        function = functions[name]
        original = function.args[1] if isinstance(function, partial) else function  # of the page before
        functions[name] = partial(run, part, original)
    end("text", extract(page).text)
    return taken


def measure_family(name: str, sizes: tuple[int, ...], limit: int) -> list[dict[str, Taken]]:
    """Return what the parts of the answer for each size take; without the sizes that take too long."""
    extractor = costs.new_extractor(costs.model_of(name), **costs.ALL, max_bytes=None)

    def measure(send: Any) -> None:
        costs.limit_process(resource.RLIMIT_AS, costs.read_memory("VmSize") + costs.MOST_MEMORY)
        for size in (10_000, *sizes):  # the first loads what the others need
            page = FAMILIES[name].write(size)
            costs.limit_process(resource.RLIMIT_CPU, math.ceil(time.process_time()) + limit)
            send(measure_page(page, extractor.extract))

    measured: list[dict[str, Taken]] = costs.run_forked(measure)
    return measured[1:]


def write_cell(taken: list[Taken]) -> str:
    """Return the worst exponent, seconds per MB, memory and length of a part for all sizes."""
    exponents = [
        math.log(last[1] / max(first[1], 1e-3)) / math.log(last[0] / first[0])
        for first, last in pairwise(taken)
        if last[1] > JUDGED_SECONDS
    ]
    growth = max(exponents, default=0.0)
    is_large = any(memory > costs.MOST_BYTES * size + costs.FIXED_BYTES for size, _, memory, _ in taken)
    is_long = any(length > MOST_LENGTH * size + FIXED_LENGTH for size, _, _, length in taken)
    return (
        f"{f'{growth:.2f}' if exponents else '-'}{'!' * (growth > MOST_EXPONENT)}"
        f" {max((1e6 * seconds / size for size, seconds, _, _ in taken), default=0):.2f} s"
        f" {max((memory for _, _, memory, _ in taken), default=0) / 1e6:.0f} MB{'!' * is_large}"
        f" {max((length / size for size, _, _, length in taken), default=0):.1f}{'!' * is_long}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="up to 1 MB")
    parser.add_argument("--families", nargs="*", metavar="NAME", choices=FAMILIES, default=[*FAMILIES])
    parser.add_argument("--limit", type=int, default=20, help="CPU seconds for one page (%(default)s)")
    parser.add_argument("--check", type=int, metavar="MOST", help="exit with 1 if more families break a bound")
    args = parser.parse_args()
    costs.warm_up([costs.new_extractor(model, **costs.ALL) for model in ("2026", "fragment")])
    measure = partial(measure_family, sizes=SIZES[: 2 if args.quick else 3], limit=args.limit)
    names, n_broken = ["text", *PARTS], 0
    print(f"| family | sizes | {' | '.join(names)} |\n|---|---|{'---|' * len(names)}")
    with ProcessPoolExecutor(os.cpu_count(), get_context("fork")) as pool:
        for name, measured in zip(args.families, pool.map(measure, args.families), strict=True):
            is_late = len(measured) < len(measure.keywords["sizes"])
            cells = [write_cell([parts[part] for parts in measured]) for part in names]
            row = f"| {name} | {len(measured)}{'!' * is_late} | {' | '.join(cells)} |"
            n_broken += "!" in row
            print(row, flush=True)
    print(f"\n{n_broken} of {len(args.families)} families break a bound.")
    return int(args.check is not None and n_broken > args.check)


if __name__ == "__main__":
    sys.exit(main())
