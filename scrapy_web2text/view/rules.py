"""The rule that fits the labeled pages of a site."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from scrapy_web2text.common.arrays import BoolArray
from scrapy_web2text.common.budget import Budget, check_time
from scrapy_web2text.exceptions import PageError, PageTimeout
from scrapy_web2text.labels.files import PageLabels
from scrapy_web2text.labels.site_rule import LabeledLeaves, SiteRule, find_rule, label_leaves, mean_score
from scrapy_web2text.page.blocks import labels_to_mask

if TYPE_CHECKING:
    from scrapy_web2text.view.session import LoadedPage

_SECONDS: Final = 10.0  # of CPU time, to read the labeled pages and to find a rule


@lru_cache(maxsize=32)
def fit_rule(labeled: tuple[tuple[Callable[[], LoadedPage], PageLabels], ...]) -> tuple[SiteRule, dict[str, float]]:
    """Return the rule for pages of a site, the number of pages, and their mean F1 by the rule and by the model.

    The rule is scored on the pages on which it is found. Pages that cannot be read, or no longer fit their labels, are
    left out. For fewer than two pages, or if the search takes too long, the rule is empty.
    """
    pages: list[LabeledLeaves] = []
    with suppress(PageTimeout), Budget(_SECONDS).running():
        for load, labels in labeled:
            check_time()
            with suppress(OSError, ValueError, PageError):
                pages.append(_read(load, labels))
        if len(pages) > 1:
            rule = find_rule(pages)
            scores = {"f1": mean_score(pages, rule), "model_f1": mean_score(pages, SiteRule())}
            return rule, {"n_pages": len(pages), **scores}
    return SiteRule(), {"n_pages": 0}


def label_by_rule(page: LoadedPage, rule: SiteRule) -> list[int]:
    """Return the label of each block of a page by *rule*."""
    with Budget(_SECONDS).running():
        return label_leaves(page.found, None, _label_by_model(page)).label_blocks(rule)


@lru_cache(maxsize=32)
def _read(load: Callable[[], LoadedPage], labels: PageLabels) -> LabeledLeaves:
    page = load()
    return label_leaves(page.found, labels, _label_by_model(page))


def _label_by_model(page: LoadedPage) -> BoolArray:
    """Return which leaves are content by the labels that the editor opens the page with."""
    return labels_to_mask(np.array(page.facts["labels"]))[page.found.blocks.leaf_blocks]
