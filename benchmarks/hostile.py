"""Measure what hostile pages cost: CPU time in parses, growth with size, memory, and length of the text.

    python benchmarks/hostile.py [--size 25000] [--families NAME ...] [--check]

Each family of `tests/families.py` is extracted at a size, twice and four times the size, by rules and both models, and
as a fragment: as text, in all forms with all blocks, and with metadata. The limit of time is off. The table has the
worst value of each column and where it was measured. Its last columns say what the default limits lead to at the
largest size, with all outputs at once, and which bounds of `tests/costs.py` are broken.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is imported

from costs import ALL, MODELS, OUTPUTS, Cost, broken_bounds, exponent, measure, new_extractor, warm_up  # noqa: E402
from families import FAMILIES, Family  # noqa: E402

# Text, the text with blocks and three forms, and text with metadata.
N_OUTPUTS = {"text": 1, "forms": 5, "metadata": 2}
HEADER = "| family | of | parses | exponent | MB | text | default limits | broken |\n|---|---|---|---|---|---|---|---|"
Costs = dict[tuple[str, str], list[Cost]]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--size", type=int, default=25_000, help="the smallest size in bytes (%(default)s)")
    parser.add_argument("--families", nargs="*", metavar="NAME", choices=FAMILIES, help="only these")
    parser.add_argument("--models", nargs="*", choices=MODELS, default=[*MODELS])
    parser.add_argument("--outputs", nargs="*", choices=OUTPUTS, default=[*OUTPUTS])
    parser.add_argument("--limit", type=int, default=20, help="CPU seconds for one page (%(default)s)")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a bound is broken")
    args = parser.parse_args()
    extractors = {
        (model, output): new_extractor(model, **OUTPUTS[output]) for model in args.models for output in args.outputs
    }
    usual = new_extractor("2026", **ALL, timeout=10.0)
    warm_up([*extractors.values(), usual])
    sizes = [args.size, 2 * args.size, 4 * args.size]
    print(HEADER)
    n_broken = 0
    for name in args.families or FAMILIES:
        costs: Costs = {
            key: measure(FAMILIES[name], sizes, extractor, limit=args.limit) for key, extractor in extractors.items()
        }
        [default] = measure(FAMILIES[name], sizes[-1:], usual, limit=60)
        broken = sorted(
            {bound for key, measured in costs.items() for bound in broken_bounds(measured, N_OUTPUTS[key[1]])}
        )
        n_broken += bool(broken)
        print(table_row(FAMILIES[name], costs, default, broken), flush=True)
    print(f"\n{n_broken} of {len(args.families or FAMILIES)} families break a bound.")
    return int(args.check and n_broken > 0)


def table_row(family: Family, costs: Costs, default: Cost, broken: list[str]) -> str:
    def worst(value: Callable[[list[Cost]], float], digits: int) -> str:
        key = max(costs, key=lambda key: value(costs[key]))
        return f"{value(costs[key]):.{digits}f} ({' '.join(key)})"

    taken = "over 60 s" if default.seconds is None else f"{default.seconds:.2f} s"
    cells = [
        family.name,
        family.purpose,
        worst(lambda measured: max(cost.ratio for cost in measured[1:] or measured), 0),
        worst(growth, 1),
        worst(lambda measured: max((cost.memory or 0) / 1e6 for cost in measured), 0),
        f"{max(cost.n_text / cost.n_bytes for measured in costs.values() for cost in measured):.1f}",
        " ".join(filter(None, (taken, default.method, default.reason, default.error))),
        ", ".join(broken),
    ]
    return f"| {' | '.join(cells)} |"


def growth(measured: list[Cost]) -> float:
    found = exponent(measured)
    return math.inf if found is None else found


if __name__ == "__main__":
    sys.exit(main())
