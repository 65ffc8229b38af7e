"""A crawl that is stopped goes on where it was, with Scrapy's ``JOBDIR``."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from mockserver import SENTENCE, article, crawl
from scrapy import Request, Spider

N_PAGES = 120


# Old versions of Scrapy leave files of the queue open.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_crawl_that_is_stopped_and_goes_on_has_every_page_once(site, tmp_path):
    feed = tmp_path / "feed.jsonl"
    urls = [site.add(f"/job/{n}", article(title=f"Page {n}")) for n in range(N_PAGES)]

    class Pages(Spider):
        name = "pages"

        async def start(self):
            for url in urls:
                yield Request(url, meta={"web2text": {"threshold": 0.4}})

        def parse(self, response):
            yield {"url": response.url}

    settings = {
        "ADDONS": {"scrapy_web2text.Addon": 300},
        "JOBDIR": str(tmp_path / "job"),
        "FEEDS": {feed: {"format": "jsonlines"}},
    }
    stopped = crawl(Pages, {**settings, "CLOSESPIDER_ITEMCOUNT": 20})
    n_before = len(stopped.items)
    assert 20 <= n_before < N_PAGES
    finished = crawl(Pages, settings)
    assert len(finished.items) == N_PAGES - n_before
    items = [json.loads(line) for line in feed.read_text(encoding="utf-8").splitlines()]
    assert Counter(item["url"] for item in items) == Counter(urls)
    assert all(SENTENCE in item["main_content"] for item in items)
