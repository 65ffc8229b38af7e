"""The rule that fits the labeled pages of a site."""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Final

from scrapy_web2text.common.budget import Budget
from scrapy_web2text.exceptions import PageError, PageTimeout
from scrapy_web2text.labelers.registry import get_labeler
from scrapy_web2text.labels.files import PageLabels
from scrapy_web2text.labels.pages import PageBlocks
from scrapy_web2text.labels.site_rule import LabeledLeaves, SiteRule, find_rule, mean_score, read_labeled_leaves
from scrapy_web2text.sources.files import read_whole_page

_SECONDS: Final = 10.0  # of CPU time, to read the labeled pages and to find a rule


@lru_cache(maxsize=32)
def fit_rule(labeled: tuple[tuple[Path, PageLabels], ...], model: str) -> tuple[SiteRule, dict[str, float]]:
    """Return the rule for pages of a site, the number of pages, and their mean F1 by the rule and by the model.

    The rule is scored on the pages on which it is found. Pages that cannot be read, or no longer fit their labels, are
    left out. For fewer than two pages, or if the search takes too long, the rule is empty.
    """
    pages: list[LabeledLeaves] = []
    with suppress(PageTimeout), Budget(_SECONDS).running():
        for file, labels in labeled:
            with suppress(OSError, ValueError, PageError):
                pages.append(_read(file, labels, model))
        if len(pages) > 1:
            rule = find_rule(pages)
            scores = {"f1": rule, "model_f1": SiteRule()}.items()
            return rule, {"n_pages": len(pages)} | {key: mean_score(pages, each) for key, each in scores}
    return SiteRule(), {"n_pages": 0}


def label_by_rule(page: PageBlocks, rule: SiteRule, model: str) -> list[int]:
    """Return the label of each block of a page by *rule*."""
    with Budget(_SECONDS).running():
        return read_labeled_leaves(page, None, get_labeler(model)).label_blocks(rule)


@lru_cache(maxsize=32)
def _read(file: Path, labels: PageLabels | None, model: str) -> LabeledLeaves:
    return read_labeled_leaves(read_whole_page(file), labels, get_labeler(model))
