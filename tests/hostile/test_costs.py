"""What hostile pages cost stays within bounds: CPU time, its growth with size, memory, and length of the text.

One process measures small pages of all families, each in a forked process with limits of CPU time and memory.
`benchmarks/hostile.py` measures larger pages, with all models and each output by itself.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from places import ROOT

if sys.platform != "linux":
    pytest.skip("the limits and the memory of a process need Linux", allow_module_level=True)

from costs import FIXED_BYTES, Cost, broken_bounds, exponent
from families import FAMILIES

pytestmark = pytest.mark.slow
KINDS = {"linear": "len(page)", "quadratic": "len(page) ** 2 // 50_000"}


def run_with_tests(*arguments: str) -> str:
    """Return the output of Python, which finds the modules of tests; with one thread, so that it can fork."""
    paths = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    environment = {**os.environ, "PYTHONPATH": paths, "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=True).stdout


@pytest.fixture(scope="module")
def measured():
    lines = run_with_tests(str(ROOT / "tests" / "costs.py")).splitlines()
    return {row["family"]: row for row in map(json.loads, lines)}


@pytest.mark.parametrize("name", FAMILIES)
def test_a_hostile_page_costs_no_more_than_the_bounds(measured, name):
    assert (measured[name]["broken"], measured[name]["costs"]) == ([], measured[name]["costs"])


def test_pages_are_about_as_long_as_asked_and_grow():
    for family in FAMILIES.values():
        small, large = (len(family.write(size)) for size in (20_000, 80_000))
        assert 13_000 < small < 27_000, family.name
        assert 3 < large / small < 5, family.name
        assert family.write(20_000) == family.write(20_000)


@pytest.mark.parametrize(("end", "sizes"), [("-comments", (200_000, 800_000)), ("pres", (50_000, 150_000))])
def test_the_time_for_larger_pages_is_linear(end, sizes):
    code = f"""
from costs import ALL, broken_bounds, measure, new_extractor, warm_up
from families import FAMILIES

extractor = new_extractor("2026", **ALL)
warm_up([extractor])
for name in FAMILIES:
    if name.endswith("{end}"):
        found = measure(FAMILIES[name], {sizes}, extractor, limit=20)
        print(*[name] * bool(broken_bounds(found, 9)), end="")
"""
    assert run_with_tests("-c", code) == ""


@pytest.mark.parametrize(("kind", "broken"), [("linear", False), ("quadratic", True)])
def test_an_extraction_whose_time_grows_faster_than_the_page_is_found(kind, broken):
    code = f"""
from costs import MARGIN, broken_bounds, measure
from families import FAMILIES
from scrapy_web2text.extraction import Extraction

class Stub:
    def extract(self, page):
        for _ in range(100 * ({KINDS[kind]})):
            pass
        return Extraction()

costs = measure(FAMILIES["sentences"], (5_000, 80_000), Stub(), limit=20, rounds=3)
print("growth" in broken_bounds(costs, 1, MARGIN))
"""
    assert run_with_tests("-c", code).strip() == str(broken)


def test_a_process_that_exceeds_its_time_is_ended_and_breaks_the_bounds():
    code = """
from costs import broken_bounds, measure
from families import FAMILIES
from scrapy_web2text.extraction import Extraction

class Stub:
    def extract(self, page):
        while len(page) > 6_000:
            pass
        return Extraction()

costs = measure(FAMILIES["sentences"], (10_000, 20_000), Stub(), limit=1)
print(len(costs), costs[0].seconds, *broken_bounds(costs, 1))
"""
    assert run_with_tests("-c", code).strip() == "1 None time"


@pytest.mark.parametrize(
    ("change", "broken"),
    [
        ({}, []),
        ({"seconds": 0.07}, []),
        ({"seconds": 0.071}, ["time"]),
        ({"seconds": None}, ["time"]),
        ({"memory": 25_000 + FIXED_BYTES}, []),
        ({"memory": 25_001 + FIXED_BYTES}, ["memory"]),
        ({"memory": None}, []),
        ({"n_text": 3001}, ["text"]),
        ({"error": "ValueError"}, ["error"]),
    ],
)
def test_each_bound_is_judged(change, broken):
    cost = Cost(n_bytes=1000, parse=0.001, seconds=0.06, memory=0, n_text=3000)
    assert broken_bounds([cost._replace(**change)], 1) == broken


@pytest.mark.parametrize(
    ("seconds", "broken"), [((0.06, 0.48), []), ((0.06, 0.8), ["growth"]), ((0.15, 0.15), ["time"])]
)
def test_times_may_be_longer_by_a_margin(seconds, broken):
    costs = [Cost(n_bytes=1000 * 4**i, parse=0.001 * 8**i, seconds=second) for i, second in enumerate(seconds)]
    assert broken_bounds(costs, 1, margin=2) == broken


@pytest.mark.parametrize(
    ("seconds", "found", "broken"),
    [
        ((0.02, 0.08), 1.0, []),
        ((0.02, 0.128), 1.339, ["growth"]),
        ((0.001, 0.04), 2.661, []),  # too short to judge
        ((0.02, None), float("inf"), ["growth", "time"]),
        ((None,), None, ["time"]),
    ],
)
def test_the_growth_of_long_times_is_judged(seconds, found, broken):
    costs = [Cost(n_bytes=1000 * 4**i, parse=0.01, seconds=second) for i, second in enumerate(seconds)]
    assert exponent(costs) == (None if found is None else pytest.approx(found, abs=1e-3))
    assert sorted(broken_bounds(costs, 1)) == broken
