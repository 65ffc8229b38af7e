"""The cost of each family of the dense columns of `web2text-2026`: what leaving it out saves."""

from __future__ import annotations

from collections.abc import Sequence

from stages import FEATURE_PARTS, measure_stages
from timing import PARSE, Contestant, Sample, measure, parse

from scrapy_web2text.extractor import Extractor
from scrapy_web2text.features.modern import (
    FAMILIES,
    ColumnPlan,
    PageHints,
    modern_features,
    plan_columns,
    read_hints,
)
from scrapy_web2text.page.arrays import Page, tree_to_page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, BlockSequence, segment

ALL = "all families"


def measure_families(samples: Sequence[Sample], rounds: int) -> dict[str, float]:
    """Return the CPU seconds of a parse, of the features with all families, and of each family, for all pages.

    The last rows are what the features need besides the columns of families.
    """
    pages: dict[int, tuple[Page, BlockSequence, PageHints]] = {}
    for sample in samples:
        page = tree_to_page(sample.tree)
        blocks = segment(page, MODERN_BLOCKS)
        if blocks.n_blocks:
            pages[id(sample)] = page, blocks, read_hints(page.document_landmarks)

    def with_plan(plan: ColumnPlan) -> Contestant:
        return lambda sample: modern_features(*pages[id(sample)], plan)

    plans = {name: plan_columns([other for other in FAMILIES if other != name]) for name in (ALL, *FAMILIES)}
    runs = {PARSE: parse} | {name: with_plan(plan) for name, plan in plans.items()}
    times = measure([sample for sample in samples if id(sample) in pages], runs, rounds, runs[ALL])
    seconds = {name: sum(each) for name, each in times.items()}
    saved = {name: max(0.0, seconds[ALL] - seconds[name]) for name in FAMILIES}
    parts = measure_stages(Extractor(blocks="none"), samples, rounds, FEATURE_PARTS)
    return {PARSE: seconds[PARSE], ALL: seconds[ALL], **saved, **{part: parts[part] for part in FEATURE_PARTS}}
