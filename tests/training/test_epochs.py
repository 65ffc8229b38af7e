"""The loop over epochs, and its batches."""

from __future__ import annotations

import numpy as np
from modern_training import training_page

from scrapy_web2text.training.epochs import draw_batches


def test_each_page_is_drawn_once_an_epoch():
    pages = [training_page(number) for number in range(7)]
    batches = list(draw_batches(pages, 3, np.random.default_rng(0)))
    assert sorted(page.id for batch in batches for page in batch) == sorted(page.id for page in pages)
    assert max(len(batch) for batch in batches) <= 3
