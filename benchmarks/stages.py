"""The cost of each stage of an extraction: the functions of a stage are timed where they are called."""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pkgutil import resolve_name
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.timing import PARSE, Contestant, Sample, measure, parse
from scrapy_web2text.extractor import Extractor
from scrapy_web2text.features.modern.columns import ColumnPlan
from scrapy_web2text.features.modern.context import Context
from scrapy_web2text.features.modern.tables import TABLES
from scrapy_web2text.page.arrays import Page, tree_to_page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, BlockSequence, segment

# The functions of each stage, by the names under which they are called. Time in a function that belongs to another
# stage counts for that one. What several stages share is computed by the first of them.
STAGES = {
    "parse": ["sources.source.parse"],
    "arrays": ["answer.sequence.tree_to_page"],
    "title": ["answer.sequence.find_headline"],
    "fragment": ["labelers.fragment.labeler.FragmentLabeler.label_markup"],
    "blocks": ["labelers.chain.segment", "labelers.rules.segment"],
    "features": ["labelers.modern.labeler.ModernLabeler.features", "labelers.cnn_hmm.CnnHmmLabeler.features"],
    "network or rules": [
        "labelers.modern.labeler.ModernLabeler._run",
        "labelers.cnn_hmm.CnnHmmLabeler._run",
        "labelers.shallow.rules.ShallowRules.decide",
    ],
    "decoding": ["labelers.chain.decode"],
    "finish": ["labelers.modern.labeler.ModernLabeler._finish"],
    "text": ["answer.sequence._select_main"],
    "page kind": ["answer.sequence.judge_page"],
    "rest": ["extractor.Extractor.extract"],
}

# What the features of the default model need besides their columns.
FEATURE_PARTS = {
    "hints: title, kinds": [
        "features.modern.context.find_title",
        "features.modern.page.read_kinds",
        "features.modern.context.hash_words",
    ],
    "attributes": ["page.reader.read_attributes"],
    "bags of words and names": ["labelers.modern.network.embed_bags"],
}


class StageClock:
    """Adds up the CPU seconds of each stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._inner = [0.0]  # time of the stages within each running one

    def wrap(self, stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return *function*, with its time counted for *stage*."""

        def timed(*args: Any, **kwargs: Any) -> Any:
            self._inner.append(0.0)
            start = time.thread_time()
            try:
                return function(*args, **kwargs)
            finally:
                seconds = time.thread_time() - start
                self.seconds[stage] += seconds - self._inner.pop()
                self._inner[-1] += seconds

        return timed


@contextmanager
def stage_clock(stages: Mapping[str, Sequence[str]]) -> Iterator[StageClock]:
    """Time the *stages* of all extractions in the block."""
    clock = StageClock()
    with ExitStack() as stack:
        for stage, names in stages.items():
            for name in names:
                target = f"scrapy_web2text.{name}"
                stack.enter_context(patch(target, clock.wrap(stage, resolve_name(target))))
        yield clock


def measure_stages(
    extractor: Extractor, samples: Sequence[Sample], rounds: int, stages: Mapping[str, Sequence[str]] = STAGES
) -> dict[str, float]:
    """Return the CPU seconds of a parse and of each of *stages* for all pages: for each page, the fastest round."""
    total = dict.fromkeys((PARSE, *stages), 0.0)
    with stage_clock(stages) as clock:
        parse_timed = clock.wrap(PARSE, parse)
        extractor.extract(samples[0].body)  # Python specializes the changed functions
        for sample in samples:
            best = dict.fromkeys(total, math.inf)
            for _ in range(rounds):
                clock.seconds.clear()
                parse_timed(sample)
                extractor.extract(sample.body)
                best = {stage: min(seconds, clock.seconds[stage]) for stage, seconds in best.items()}
            total = {stage: total[stage] + best[stage] for stage in total}
    return total


ALL = "all families"
FAMILIES = tuple(table.name for table in TABLES)


def measure_families(samples: Sequence[Sample], rounds: int) -> dict[str, float]:
    """Return the CPU seconds of a parse, of the columns of all families, and of each family, for all pages.

    The last rows are what the features need besides the columns of families.
    """
    pages: dict[int, tuple[Page, BlockSequence]] = {}
    for sample in samples:
        page = tree_to_page(sample.tree)
        blocks = segment(page, MODERN_BLOCKS)
        if blocks.n_blocks:
            pages[id(sample)] = page, blocks

    def with_plan(plan: ColumnPlan) -> Contestant:
        def fill(sample: Sample) -> None:
            context = Context(*pages[id(sample)])
            plan.fill(context, np.empty((context.n_blocks, len(plan.names)), dtype=np.float32))

        return fill

    plans = {name: ColumnPlan([other for other in TABLES if other.name != name]) for name in (ALL, *FAMILIES)}
    runs = {PARSE: parse} | {name: with_plan(plan) for name, plan in plans.items()}
    times = measure([sample for sample in samples if id(sample) in pages], runs, rounds, runs[ALL])
    seconds = {name: sum(each) for name, each in times.items()}
    saved = {name: max(0.0, seconds[ALL] - seconds[name]) for name in FAMILIES}
    parts = measure_stages(Extractor(blocks="none"), samples, rounds, FEATURE_PARTS)
    return {PARSE: seconds[PARSE], ALL: seconds[ALL], **saved, **{part: parts[part] for part in FEATURE_PARTS}}
