"""Worker processes at their limits: memory, messages that are not answers, and programs that start none."""

from __future__ import annotations

import os
import pickle
import sys
from contextlib import closing
from pathlib import Path

import pytest
from fates import Fate
from mockserver import SENTENCE, CrawlResult, MockSite, article, crawl
from scrapy import Spider

from scrapy_web2text import Extraction, Options
from scrapy_web2text.crawl import child
from scrapy_web2text.crawl.processes import WorkerProcesses
from scrapy_web2text.exceptions import WorkerNotStarted, WorkerRefused

RULES = Options(model="shallow:numwords", blocks="none")
LITTLE = 500_000_000  # bytes

has_proc = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs limits of memory as on Linux")


@pytest.fixture
def fate(tmp_path, monkeypatch) -> Fate:
    return Fate.prepare(tmp_path, monkeypatch)


@pytest.fixture
def workers(fate):
    """Workers with little memory."""
    workers = WorkerProcesses(LITTLE)
    yield workers
    workers.close()
    (fate.folder / "started").touch()  # if none has got as far
    assert fate.left == []


def extract(workers: WorkerProcesses, html: str | bytes) -> Extraction:
    return workers.extract(RULES, html, None, None)


@has_proc
def test_a_page_that_does_not_fit_into_memory_has_the_reason_error_and_the_next_one_is_extracted(fate):
    page = "<body>" + "words " * 1_600_000 + "\U0001f600"  # Python stores it in four bytes a character
    with closing(WorkerProcesses(LITTLE // 2)) as workers:
        answer = extract(workers, page)
        assert (answer.method, answer.fallback_reason, answer.error) == ("none", "error", "MemoryError")
        assert SENTENCE in extract(workers, article()).text
        assert len(fate.started) - len(workers.take_losses()) == 1  # one that has kept its memory is replaced
    assert fate.left == []


def test_an_answer_that_does_not_fit_into_the_memory_of_the_worker_has_the_reason_error(workers, fate):
    answer = workers.extract(RULES, "<p>a-page-with-too-long-an-answer", "https://example.org/", None)
    assert (answer.method, answer.fallback_reason, answer.error) == ("none", "error", "MemoryError")
    assert answer.url == "https://example.org/"
    assert SENTENCE in extract(workers, article()).text
    assert len(fate.started) == 1


def test_an_answer_that_does_not_fit_is_counted_and_costs_no_item(site: MockSite, fate):
    urls = [site.add("/long", article("a-page-with-too-long-an-answer")), site.url("/article")]
    check_that_one_answer_is_lost(crawl_with_workers(urls), urls, "error", {"errors/MemoryError": 1})


@has_proc
def test_a_worker_that_keeps_its_memory_is_replaced_between_pages(workers, fate):
    extract(workers, article("a-page-that-leaks"))
    assert SENTENCE in extract(workers, article()).text
    assert workers.take_losses() == ["memory"]
    assert workers.take_losses() == []
    assert len(fate.started) == 2


@has_proc
def test_a_worker_that_has_only_loaded_everything_is_kept_under_the_least_limit(workers, fate):
    everything = Options(html=True, markdown=True, metadata=True)
    for _ in range(3):
        assert SENTENCE in workers.extract(everything, article(), None, None).text
    assert workers.take_losses() == []
    assert len(fate.started) == 1


def test_without_a_limit_a_worker_may_keep_its_memory(fate):
    unlimited = WorkerProcesses(None)
    extract(unlimited, article("a-page-that-leaks"))
    extract(unlimited, article())
    unlimited.close()
    assert unlimited.take_losses() == []
    assert len(fate.started) == 1


class Code:
    """Runs when it is unpickled."""

    def __reduce__(self) -> tuple[object, ...]:
        return os.system, ("touch forged",)


def frame(message: bytes) -> bytes:
    return len(message).to_bytes(8, "big") + message


@pytest.mark.parametrize(
    ("forged", "error"),
    [
        ((2**62).to_bytes(8, "big"), "at most 62,500,000 bytes, got one of 4,611,686,018,427,387,904"),
        (frame(pickle.dumps(Code())), "expected an answer"),
        (frame(b'[{"os.system": ["touch forged"]}, null]'), "expected an extraction, got"),
    ],
    ids=["endless", "pickle", "json"],
)
def test_what_is_not_an_answer_is_refused(workers, fate, tmp_path, monkeypatch, forged, error):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "forged-frame").write_bytes(forged)
    with pytest.raises(WorkerRefused, match=error) as refused:
        extract(workers, "<p>a-page-that-forges")
    assert refused.value.status is None
    assert not (tmp_path / "forged").exists()
    assert SENTENCE in extract(workers, article()).text
    assert workers.take_losses() == ["answer"]


def test_forged_answers_are_counted_and_cost_no_other_page(site: MockSite, fate, tmp_path, caplog):
    (tmp_path / "forged-frame").write_bytes(frame(pickle.dumps(Code())))
    urls = [site.add("/forges", article("a-page-that-forges")), site.url("/article")]
    result = crawl_with_workers(urls)
    check_that_one_answer_is_lost(result, urls, "worker_died", {"errors/WorkerRefused": 2, "lost_workers/answer": 2})
    assert "A worker process was killed: expected an answer" in caplog.text


@pytest.mark.parametrize(("attribute", "value"), [("executable", ""), ("executable", None), ("frozen", True)])
def test_a_program_that_embeds_python_starts_no_worker(workers, fate, monkeypatch, attribute, value):
    monkeypatch.setattr(sys, attribute, value, raising=False)
    with pytest.raises(WorkerNotStarted, match="no Python interpreter"):
        extract(workers, article())


def test_a_worker_that_does_not_become_ready_is_killed(workers, fate, monkeypatch, tmp_path):
    monkeypatch.setattr(child, "_LONGEST_START", 0.5)
    with (tmp_path / "sitecustomize.py").open("a") as module:
        module.write("time.sleep(600)\n")
    with pytest.raises(WorkerNotStarted, match=r"did not start in 0\.5 s"):
        extract(workers, article())
    assert workers.take_losses() == ["start"]


def check_that_one_answer_is_lost(result: CrawlResult, urls: list[str], reason: str, errors: dict[str, int]) -> None:
    """Check that the first of two pages has no text for *reason*, that the other has, and the whole stats."""
    assert result.by_url[urls[0]]["web2text"]["fallback_reason"] == reason
    assert SENTENCE in result.by_url[urls[1]]["main_content"]
    counts = {"pages": 2, "method/rules": 1, "method/none": 1, f"fallback/{reason}": 1}
    assert result.web2text_stats == counts | errors


def crawl_with_workers(urls, **settings):
    class Pages(Spider):
        name = "pages"
        start_urls = urls

        def parse(self, response):
            yield {"url": response.url}

    settings = {"WEB2TEXT_EXECUTOR": "process", "WEB2TEXT_WORKERS": 1, **settings}
    return crawl(Pages, {"ADDONS": {"scrapy_web2text.Addon": 300}, "WEB2TEXT_BLOCKS": "none", **settings})


def test_where_no_process_can_start_threads_extract_and_one_warning_says_so(site, monkeypatch, caplog):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    urls = [site.add(f"/page/{n}", article(f"{SENTENCE} Number {n}.")) for n in range(3)]
    result = crawl_with_workers(urls)
    assert sorted(item["url"] for item in result.items) == urls
    assert all(SENTENCE in item["main_content"] for item in result.items)
    stats = result.web2text_stats
    assert stats.pop("lost_workers/start") >= 2
    stats.pop("errors/WorkerNotStarted", None)  # the first one, unless both fail before it is counted
    assert stats == {"pages": 3, "method/rules": 3}
    warnings = [record.message for record in caplog.records if record.levelname == "WARNING"]
    (warning,) = [message for message in warnings if "Pages are extracted in threads" in message]
    assert "/nowhere/python" in warning


def test_where_processes_have_started_one_that_does_not_is_an_error_of_its_page(site, fate, monkeypatch, tmp_path):
    deadly = site.add("/deadly", article("a-page-that-ends-all-starts"))
    after = site.add("/after", article())

    class Pages(Spider):
        name = "pages"
        start_urls = (site.url("/article"),)

        def parse(self, response):
            yield {"url": response.url}
            if response.url == site.url("/article"):
                yield response.follow(deadly)
            elif response.url == deadly:
                yield response.follow(after)

    result = crawl(
        Pages,
        {
            "ADDONS": {"scrapy_web2text.Addon": 300},
            "WEB2TEXT_BLOCKS": "none",
            "WEB2TEXT_IN_MIDDLEWARE": True,
            "WEB2TEXT_EXECUTOR": "process",
            "WEB2TEXT_WORKERS": 1,
        },
    )
    assert SENTENCE in result.by_url[site.url("/article")]["main_content"]
    assert {result.by_url[url]["web2text"]["fallback_reason"] for url in (deadly, after)} == {"worker_died"}
    stats = result.web2text_stats
    assert stats["fallback/worker_died"] == 2
    assert (stats["lost_workers/died"], stats["lost_workers/start"]) == (1, 3)
    assert (stats["errors/WorkerDied"], stats["errors/WorkerNotStarted"]) == (1, 3)
