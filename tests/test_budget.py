"""The time limit of a page counts CPU time: waiting costs nothing."""

from __future__ import annotations

import threading
import time

import pytest
from mockserver import article

from scrapy_web2text import extract
from scrapy_web2text import extractor as extractor_module
from scrapy_web2text.budget import UNLIMITED, Budget
from scrapy_web2text.exceptions import PageError, PageTimeout
from scrapy_web2text.labelers.registry import get_rules
from scrapy_web2text.page.blocks import SHALLOW_BLOCKS

RULES = "shallow:numwords"


class WaitingLabeler:
    """Waits far longer than its time limit, then answers like the rules."""

    name = "waiting"
    is_model = True
    segmentation = SHALLOW_BLOCKS

    def label(self, page: object, *, budget: Budget, **options: object) -> object:
        time.sleep(5 * budget.timeout)
        budget.check_time()
        return get_rules(RULES).label(page)


def test_only_more_blocks_than_allowed_are_too_many():
    Budget(max_blocks=2).check_blocks(2)
    UNLIMITED.check_blocks(1_000_000)
    with pytest.raises(PageError, match="the page has 3 blocks, more than 2") as caught:
        Budget(max_blocks=2).check_blocks(3)
    assert caught.value.reason == "too_large"


def test_waiting_does_not_use_up_the_time():
    budget = Budget(0.05)
    time.sleep(0.1)
    budget.check_time()


def test_work_uses_up_the_time():
    budget = Budget(0.05)

    def work() -> None:
        while True:
            budget.check_time()

    with pytest.raises(PageTimeout, match=r"0\.05 s"):
        work()


def test_the_work_of_other_threads_does_not_use_up_the_time():
    done = threading.Event()

    def work() -> None:
        start = time.thread_time()
        while time.thread_time() < start + 0.1:
            pass
        done.set()

    thread = threading.Thread(target=work)
    budget = Budget(0.05)
    thread.start()
    done.wait()
    thread.join()
    budget.check_time()


def test_a_model_that_waits_answers_and_the_wait_does_not_count(monkeypatch):
    monkeypatch.setattr(extractor_module, "get_labeler", lambda name: WaitingLabeler())
    extraction = extract(article(), model="waiting", timeout=0.3)
    assert (extraction.method, extraction.model, extraction.fallback_reason) == ("model", "waiting", None)
    assert 0 < extraction.elapsed < 5 * 0.3
