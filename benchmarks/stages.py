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

from timing import PARSE, Sample, parse

from scrapy_web2text.extractor import Extractor

# The functions of each stage, by the names under which they are called. Time in a function that belongs to another
# stage counts for that one. What several stages share is computed by the first of them.
STAGES = {
    "parse": ["extractor.parse"],
    "arrays": ["extractor.tree_to_page"],
    "title": ["extractor.find_title"],
    "fragment": ["labelers.choice.LabelerChoice._label_fragment"],
    "blocks": ["labelers.chain.segment", "labelers.rules.segment"],
    "features": ["labelers.modern.ModernLabeler.features", "labelers.cnn_hmm.CnnHmmLabeler.features"],
    "network or rules": [
        "labelers.modern.ModernLabeler._read",
        "labelers.cnn_hmm.CnnHmmLabeler._log_potentials",
        "labelers.shallow.rules.ShallowRules.decide",
    ],
    "decoding": ["labelers.chain.decode"],
    "finish": ["labelers.modern.ModernLabeler._finish"],
    "text": ["extractor.write_main"],
    "page kind": ["extractor.judge_page"],
    "rest": ["extractor.Extractor.extract"],
}

# What the features of the default model need besides their columns.
FEATURE_PARTS = {
    "hints: title, kinds": ["labelers.modern.labeler.read_hints", "features.modern.context.hash_words"],
    "attributes": ["features.modern.context.read_attributes"],
    "bags of words and names": ["features.modern.page.word_bags", "labelers.modern.network.embed_bags"],
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
