"""A labeler that is never done."""

from __future__ import annotations

from scrapy_web2text.common import budget
from scrapy_web2text.labelers.base import Labeler
from scrapy_web2text.page.blocks import SHALLOW_BLOCKS


class SlowLabeler(Labeler):
    """Uses up its time at once: the clock of its budget began that much earlier."""

    name = "slow"
    method = "model"
    segmentation = SHALLOW_BLOCKS

    def label(self, page: object, **options: object) -> None:
        running = budget._running.budget
        running._start -= running.timeout
        running.earliest_end = float("-inf")
        running.check_time()
