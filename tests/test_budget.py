"""The time that a page may cost is that of the processor: waiting costs nothing."""

from __future__ import annotations

import threading
import time

import pytest
from mockserver import article

from scrapy_web2text import extract
from scrapy_web2text import extractor as extractor_module
from scrapy_web2text.exceptions import PageTimeout
from scrapy_web2text.labelers.budget import Budget
from scrapy_web2text.page.blocks import SHALLOW_BLOCKS

RULES = "shallow:numwords"
RULES_OF = extractor_module.get_rules


class WaitingLabeler:
    """Waits far longer than its time, then answers as the rules."""

    name = "waiting"
    is_model = True
    segmentation = SHALLOW_BLOCKS

    def label(self, page: object, *, budget: Budget, **options: object) -> object:
        time.sleep(5 * budget.timeout)
        budget.check_time()
        return RULES_OF(RULES).label(page)


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


def test_a_page_that_waits_is_answered_by_its_model_and_the_wait_is_no_work(monkeypatch):
    monkeypatch.setattr(extractor_module, "get_labeler", lambda name: WaitingLabeler())
    extraction = extract(article(), model="waiting", timeout=0.3)
    assert (extraction.method, extraction.model, extraction.fallback_reason) == ("model", "waiting", None)
    assert 0 < extraction.elapsed < 5 * 0.3
