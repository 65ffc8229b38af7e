"""Measure what hostile pages cost: CPU time in parses, growth with size, memory, and size of the answer.

    python benchmarks/hostile.py [--size 100000] [--families NAME ...] [--check] [--out FILE]

Each family of `tests/families.py` is extracted at a size, twice and four times the size, by rules and both models, as
text, in all forms with all blocks, and with metadata. The limit of time is off. The worst of each column is printed,
with the combination that it belongs to. A last column says what happens at the largest size with the default limits.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from costs import ALL, MODELS, OUTPUTS, Cost, exponent, measure, new_extractor, warm_up  # noqa: E402
from families import FAMILIES, Family  # noqa: E402

MOST_PARSES = 50
MOST_EXPONENT = 1.3
JUDGED_SECONDS = 0.05  # the exponent of shorter times is noise


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--size", type=int, default=100_000, help="the smallest size in bytes (%(default)s)")
    parser.add_argument("--families", nargs="*", metavar="NAME", help="only these")
    parser.add_argument("--models", nargs="*", choices=MODELS, default=[*MODELS])
    parser.add_argument("--outputs", nargs="*", choices=OUTPUTS, default=[*OUTPUTS])
    parser.add_argument("--limit", type=int, default=20, help="CPU seconds for one page (%(default)s)")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a bound is broken")
    parser.add_argument("--json", type=Path, help="also write all measurements to this file")
    args = parser.parse_args()
    extractors = {
        (model, output): new_extractor(model, **OUTPUTS[output]) for model in args.models for output in args.outputs
    }
    usual = new_extractor("2026", **ALL, timeout=10.0)
    warm_up([*extractors.values(), usual])
    sizes = [args.size, 2 * args.size, 4 * args.size]
    print("| family | parses | exponent | memory | text | default limits |\n|---|---|---|---|---|---|")
    n_broken = 0
    rows = []
    for name in args.families or FAMILIES:
        family = FAMILIES[name]
        costs = {key: measure(family, sizes, extractor, limit=args.limit) for key, extractor in extractors.items()}
        default = measure(family, sizes[-1:], usual, limit=60)
        print(row(family, costs, default[0]), flush=True)
        n_broken += any(broken_bounds(measured) for measured in costs.values())
        rows += [
            {"family": name, "key": key, "costs": [c._asdict() for c in measured]} for key, measured in costs.items()
        ]
    if args.json:
        args.json.write_text("\n".join(map(json.dumps, rows)))
    print(f"\n{n_broken} of {len(args.families or FAMILIES)} families break a bound.")
    return int(args.check and n_broken > 0)


def _growth(costs: list[Cost]) -> float:
    growth = exponent(costs)
    return math.inf if growth is None else growth


Costs = dict[tuple[str, str], list[Cost]]


def broken_bounds(costs: list[Cost]) -> list[str]:
    broken = []
    last = costs[-1]
    growth = exponent(costs)
    if max(cost.ratio for cost in costs) > MOST_PARSES:
        broken.append("parses")
    if growth is not None and growth > MOST_EXPONENT and (last.seconds is None or last.seconds > JUDGED_SECONDS):
        broken.append("exponent")
    if any(cost.memory is not None and cost.memory > 25 * cost.n_bytes + 60_000_000 for cost in costs):
        broken.append("memory")
    if any(cost.error for cost in costs):
        broken.append("error")
    return broken


def row(family: Family, costs: Costs, default: Cost) -> str:
    def worst(value, text):
        key = max(costs, key=lambda key: value(costs[key]))
        return f"{text(value(costs[key]))} {'/'.join(key)}"

    broken = sorted({name for measured in costs.values() for name in broken_bounds(measured)})
    cells = [
        family.name,
        worst(lambda c: max(x.ratio for x in c), lambda x: f"{x:.1f}"),
        worst(lambda c: _growth(c), lambda x: f"{x:.2f}"),
        worst(lambda c: max((x.memory or 0) / 1e6 for x in c), lambda x: f"{x:.0f} MB"),
        f"{max(x.n_text / x.n_bytes for c in costs.values() for x in c):.2f}",
        f"{default.seconds or math.inf:.2f} s {default.method} {default.reason or ''} {default.error or ''}",
        ", ".join(broken),
    ]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.exit(main())
