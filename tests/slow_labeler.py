"""A labeler that is never done."""

from __future__ import annotations

from scrapy_web2text.common.budget import check_time
from scrapy_web2text.labelers.base import Labeler
from scrapy_web2text.page.blocks import SHALLOW_BLOCKS


class SlowLabeler(Labeler):
    """Works until its time is used up."""

    name = "slow"
    method = "model"
    segmentation = SHALLOW_BLOCKS

    def label(self, page: object, **options: object) -> None:
        while True:
            check_time()
