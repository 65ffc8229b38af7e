"""Measure what hostile pages cost, up to 10 MB: growth with size, CPU time, memory and length of each form.

    python benchmarks/hostile.py [--quick] [--families NAME ...] [--check]

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
from dataclasses import fields, is_dataclass
from functools import partial
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is imported

import costs  # noqa: E402
from families import FAMILIES  # noqa: E402

from scrapy_web2text.answer import sequence  # noqa: E402

SIZES = (100_000, 1_000_000, 10_000_000)
# The functions that make the parts of an answer besides its text.
PARTS = {"blocks": "_export_blocks", "html": "content_html", "markdown": "html_to_markdown"}
PARTS |= {"paragraphs": "content_paragraphs", "posts": "_list_posts", "metadata": "_read_metadata"}
MOST_EXPONENT, JUDGED_SECONDS = 1.15, 0.5  # the exponent of shorter times is noise
MOST_LENGTH, FIXED_LENGTH = 4, 10_000  # times the page, and characters


class Part(NamedTuple):
    """What a part of an answer took: seconds of CPU time, the peak of the memory in bytes, and its characters."""

    seconds: float = 0.0
    memory: int = 0
    length: int = 0


class Clock:
    """Measures the parts of one extraction; what is between them is the text."""

    def __init__(self) -> None:
        self.parts: dict[str, Part] = {}
        self._base, self._start = costs.reset_peak(), time.thread_time()

    def end(self, name: str, value: Any = "") -> None:
        """Add what happened since the last end to the part *name*, which has made *value*."""
        before, seconds = self.parts.get(name, Part()), time.thread_time() - self._start
        memory = max(before.memory, costs.read_memory("VmHWM") - self._base)
        self.parts[name] = Part(before.seconds + seconds, memory, before.length + count_characters(value))
        costs.reset_peak()
        self._start = time.thread_time()

    def run(self, name: str, function: Any, *args: Any, **kwargs: Any) -> Any:
        """Call a *function* that makes the part *name*."""
        self.end("text")
        value = function(*args, **kwargs)
        self.end(name, value)
        return value


def count_characters(value: Any) -> int:
    """Return the number of characters in all texts of *value*, without the paths of blocks."""
    if isinstance(value, dict | list | tuple):
        return sum(map(count_characters, value.values() if isinstance(value, dict) else value))
    if is_dataclass(value):
        return sum(count_characters(getattr(value, each.name)) for each in fields(value) if each.name != "path")
    return len(value) if isinstance(value, str) else 0


def measure_family(name: str, sizes: tuple[int, ...], limit: int) -> list[tuple[int, dict[str, Part]]]:
    """Return the size of each page of a family, and what its parts took; without the sizes that take too long."""
    model = "fragment" if name.startswith("fragment-") else "2026"
    extractor = costs.new_extractor(model, **costs.ALL, max_bytes=None)
    originals = {part: getattr(sequence, function) for part, function in PARTS.items()}

    def measure(send: Any) -> None:
        costs.limit_process(resource.RLIMIT_AS, costs.read_memory("VmSize") + costs.MOST_MEMORY)
        for size in (10_000, *sizes):
            page = FAMILIES[name].write(size)
            costs.limit_process(resource.RLIMIT_CPU, math.ceil(time.process_time()) + limit)
            clock = Clock()
            for part, original in originals.items():
                setattr(sequence, PARTS[part], partial(clock.run, part, original))
            clock.end("text", extractor.extract(page).text)
            send((len(page), clock.parts))

    return costs.run_forked(measure)[1:]  # the first loads what the others need


def write_cell(part: str, measured: list[tuple[int, dict[str, Part]]]) -> str:
    """Return the worst exponent, seconds per MB, memory in MB and length of a part; what breaks a bound has a mark."""
    taken = [(size, parts.get(part, Part())) for size, parts in measured]
    exponents = [
        math.log(last.seconds / max(first.seconds, 1e-3)) / math.log(size / before)
        for (before, first), (size, last) in pairwise(taken)
        if last.seconds > JUDGED_SECONDS
    ]
    growth = max(exponents, default=0.0)
    is_large = any(each.memory > costs.MOST_BYTES * size + costs.FIXED_BYTES for size, each in taken)
    is_long = any(each.length > MOST_LENGTH * size + FIXED_LENGTH for size, each in taken)
    cells = {
        f"{growth:.2f}" if exponents else "-": growth > MOST_EXPONENT,
        f"{max((each.seconds / size * 1e6 for size, each in taken), default=0):.2f} s": False,
        f"{max((each.memory for _, each in taken), default=0) / 1e6:.0f} MB": is_large,
        f"{max((each.length / size for size, each in taken), default=0):.1f}": is_long,
    }
    return " ".join(text + "!" * is_broken for text, is_broken in cells.items())


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="up to 1 MB")
    parser.add_argument("--families", nargs="*", metavar="NAME", choices=FAMILIES, default=[*FAMILIES])
    parser.add_argument("--limit", type=int, default=20, help="CPU seconds for one page (%(default)s)")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a bound is broken")
    args = parser.parse_args()
    costs.warm_up([costs.new_extractor(model, **costs.ALL, max_bytes=None) for model in ("2026", "fragment")])
    sizes = SIZES[:2] if args.quick else SIZES
    names = ["text", *PARTS]
    print(f"| family | MB | {' | '.join(names)} |\n|---|---|{'---|' * len(names)}")
    n_broken = 0
    measure = partial(measure_family, sizes=sizes, limit=args.limit)
    with ProcessPoolExecutor(os.cpu_count(), get_context("fork")) as pool:
        for name, measured in zip(args.families, pool.map(measure, args.families), strict=True):
            is_late = len(measured) < len(sizes)
            largest = f"{measured[-1][0] / 1e6:.1f}" if measured else "0"
            row = f"| {name} | {largest}{'!' * is_late} | {' | '.join(write_cell(each, measured) for each in names)} |"
            n_broken += "!" in row
            print(row, flush=True)
    print(f"\n{n_broken} of {len(args.families)} families break a bound.")
    return int(args.check and n_broken > 0)


if __name__ == "__main__":
    sys.exit(main())
