"""The time limit of a page counts CPU time, so waiting costs nothing. Loops check the budget that runs."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from mockserver import article
from slow_labeler import SlowLabeler

from scrapy_web2text import extract
from scrapy_web2text.common import budget as budget_module
from scrapy_web2text.common.budget import UNLIMITED, Budget, batches, check_blocks, check_time, watched
from scrapy_web2text.exceptions import PageError, PageTimeout
from scrapy_web2text.labelers import registry
from scrapy_web2text.labelers.registry import get_rules

RULES = "shallow:numwords"
TIMEOUT = 1  # second


class WaitingLabeler(SlowLabeler):
    """Waits longer than its time limit, then answers like the rules."""

    name = "waiting"

    def label(self, page: object, **options: object) -> object:
        time.sleep(1.1 * TIMEOUT)
        check_time()
        return get_rules(RULES).label(page)


def test_only_more_blocks_than_allowed_are_too_many():
    check_blocks(1_000_000)
    with Budget(max_blocks=2).running():
        check_blocks(2)
        with pytest.raises(PageError, match="the page has 3 blocks, more than 2") as caught:
            check_blocks(3)
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


def exhausted() -> Budget:
    return Budget(1, _start=time.thread_time() - 2)


def test_only_the_innermost_running_budget_is_checked():
    check_time()
    with exhausted().running():
        with Budget(1).running() as inner:
            inner.check_time()
            check_time()
        with pytest.raises(PageTimeout):
            check_time()
        with UNLIMITED.running():
            check_time()
        with pytest.raises(PageTimeout):
            check_time()
    check_time()


def test_a_budget_runs_in_its_own_thread_only():
    with exhausted().running(), ThreadPoolExecutor(1) as pool:
        assert pool.submit(check_time).result() is None


def test_the_cpu_time_is_not_read_before_it_can_be_used_up(monkeypatch):
    readings = []
    monkeypatch.setattr(budget_module, "monotonic", lambda: 100 + len(readings) * 0.5)
    monkeypatch.setattr(budget_module, "thread_time", lambda: readings.append(None) or 0.0)
    budget = Budget(10, _start=0.0)
    for _ in range(5):
        budget.check_time()
    assert len(readings) == 1


def same(items: range) -> range:
    return items


@pytest.mark.parametrize("n", [0, 1, 512, 513, 2000])
@pytest.mark.parametrize("kind", [list, same, iter, dict.fromkeys], ids=["list", "range", "iterator", "dict"])
def test_no_item_is_lost(n, kind):
    items = [*range(n)]
    assert [item for batch in batches(kind(range(n))) for item in batch] == items
    assert [*watched(kind(range(n)))] == [*watched(kind(range(n)), n)] == items


def test_an_error_ends_the_running_of_a_budget():
    with pytest.raises(LookupError), exhausted().running():
        raise LookupError
    check_time()


@pytest.mark.parametrize("kind", [list, same, iter])
@pytest.mark.parametrize("loop", [watched, lambda items: (item for batch in batches(items) for item in batch)])
def test_the_time_is_checked_at_least_every_512_items(loop, kind):
    budget, seen = Budget(1), []

    def read_on() -> None:
        for i in loop(kind(range(2000))):
            seen.append(i)
            if i == 300:
                budget.timeout, budget.earliest_end = -1, 0

    with budget.running(), pytest.raises(PageTimeout):
        read_on()
    assert 300 < len(seen) <= 300 + 512


def test_a_model_that_waits_answers_and_the_wait_does_not_count(monkeypatch):
    monkeypatch.setattr(registry, "get_labeler", lambda name: WaitingLabeler())
    extraction = extract(article(), model="waiting", timeout=TIMEOUT)
    assert (extraction.method, extraction.model, extraction.reason) == ("model", "waiting", None)
    assert 0 < extraction.elapsed < TIMEOUT
