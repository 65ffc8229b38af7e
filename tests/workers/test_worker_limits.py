"""Worker processes at their limits: memory, messages that are not answers, and programs that start none."""

from __future__ import annotations

import os
import pickle
import sys
from contextlib import closing
from pathlib import Path

import pytest
from mockserver import ADDON, SENTENCE, MockSite, article, crawl, spider_of

from scrapy_web2text import Extraction, Options
from scrapy_web2text.exceptions import WorkerNotStarted, WorkerRefused
from scrapy_web2text.workers import process
from scrapy_web2text.workers.processes import WorkerProcesses

RULES = Options(model="shallow:numwords", blocks="none")
LITTLE = 500_000_000  # bytes

has_proc = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs limits of memory as on Linux")


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
        assert (answer.method, answer.reason, answer.error) == ("none", "error", "MemoryError")
        assert SENTENCE in extract(workers, article()).text
        assert len(fate.started) - len(workers.take_losses()) == 1  # one that has kept its memory is replaced
    assert fate.left == []


def test_an_answer_that_does_not_fit_into_the_memory_of_the_worker_has_the_reason_error(workers, fate):
    answer = workers.extract(RULES, "<p>a-page-with-too-long-an-answer", "https://example.org/", None)
    assert answer == Extraction(reason="error", error="MemoryError", url="https://example.org/")
    assert SENTENCE in extract(workers, article()).text
    assert len(fate.started) == 1


@has_proc
@pytest.mark.parametrize(("memory", "losses"), [(LITTLE, ["memory"]), (None, [])])
def test_a_worker_that_keeps_its_memory_is_replaced_between_pages_if_it_has_a_limit(fate, memory, losses):
    with closing(WorkerProcesses(memory)) as workers:
        extract(workers, article("a-page-that-leaks"))
        assert SENTENCE in extract(workers, article()).text
        assert workers.take_losses() == losses
        assert workers.take_losses() == []
    assert len(fate.started) == 1 + len(losses)


@has_proc
def test_a_worker_that_has_only_loaded_everything_is_kept_under_the_least_limit(workers, fate):
    everything = Options(html=True, markdown=True, metadata=True)
    for _ in range(2):
        assert SENTENCE in workers.extract(everything, article(), None, None).text
    assert (workers.take_losses(), len(fate.started)) == ([], 1)


class Code:
    """Runs when it is unpickled."""

    def __reduce__(self) -> tuple[object, ...]:
        return os.system, ("touch forged",)


def frame(message: bytes) -> bytes:
    return len(message).to_bytes(8, "big") + message


@pytest.mark.parametrize(
    ("forged", "error"),
    [
        ((2**62).to_bytes(8, "big"), "sent 4,611,686,018,427,387,904 bytes, expected at most 62,500,000"),
        (frame(pickle.dumps(Code())), "sent something other than an answer: "),
        (frame(b'[{"os.system": ["touch forged"]}, null]'), r"sent something other than an answer: b'\[{"),
    ],
    ids=["endless", "pickle", "json"],
)
def test_what_is_not_an_answer_is_refused(workers, fate, tmp_path, monkeypatch, forged, error):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "forged-frame").write_bytes(forged)
    with pytest.raises(WorkerRefused, match=f"^A worker process {error}"):
        extract(workers, "<p>a-page-that-forges")
    assert not (tmp_path / "forged").exists()
    assert SENTENCE in extract(workers, article()).text
    assert workers.take_losses() == ["answer"]


def test_lost_answers_are_counted_and_cost_no_other_page(site: MockSite, fate, tmp_path, caplog):
    (tmp_path / "forged-frame").write_bytes(frame(pickle.dumps(Code())))
    urls = [site.add("/lost", article("a-page-that-forges")), site.url("/article")]
    result = crawl_with_workers(spider_of(*urls))
    assert result.by_url[urls[0]]["web2text"]["reason"] == "worker_died"
    assert SENTENCE in result.by_url[urls[1]]["main_content"]
    assert result.web2text_stats == {
        "pages": 2,
        "method/rules": 1,
        "method/none": 1,
        "fallback/worker_died": 1,
        "errors/WorkerRefused": 2,
        "lost_workers/answer": 2,
    }
    assert "something other than an answer" in caplog.text


@pytest.mark.parametrize(("attribute", "value"), [("executable", ""), ("executable", None), ("frozen", True)])
def test_a_program_that_embeds_python_starts_no_worker(workers, fate, monkeypatch, attribute, value):
    monkeypatch.setattr(sys, attribute, value, raising=False)
    with pytest.raises(WorkerNotStarted, match="no Python interpreter"):
        extract(workers, article())


def test_a_worker_that_does_not_become_ready_is_killed(workers, fate, monkeypatch, tmp_path):
    monkeypatch.setattr(process, "_LONGEST_START", 0.5)
    with (tmp_path / "sitecustomize.py").open("a") as module:
        module.write("time.sleep(600)\n")
    with pytest.raises(WorkerNotStarted, match=r"did not start in 0\.5 s"):
        extract(workers, article())
    assert workers.take_losses() == ["start"]


def crawl_with_workers(spider, **settings):
    settings = {"WEB2TEXT_EXECUTOR": "process", "WEB2TEXT_WORKERS": 1, "WEB2TEXT_BLOCKS": "none", **settings}
    return crawl(spider, {**ADDON, **settings})


def test_where_no_process_can_start_threads_extract_and_one_warning_says_so(site, monkeypatch, caplog):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    urls = [site.add(f"/page/{n}", article(f"{SENTENCE} Number {n}.")) for n in range(3)]
    result = crawl_with_workers(spider_of(*urls))
    assert sorted(item["url"] for item in result.items) == urls
    assert all(SENTENCE in item["main_content"] for item in result.items)
    stats = result.web2text_stats
    assert stats.pop("lost_workers/start") >= 2
    stats.pop("errors/WorkerNotStarted", None)  # the first one, unless both fail before it is counted
    assert stats == {"pages": 3, "method/rules": 3}
    warnings = [record.message for record in caplog.records if record.levelname == "WARNING"]
    (warning,) = [message for message in warnings if "Pages are extracted in threads" in message]
    assert "/nowhere/python" in warning


def test_where_processes_have_started_one_that_does_not_is_an_error_of_its_page(site, fate):
    pages = [site.url("/article"), site.add("/deadly", article("a-page-that-ends-all-starts"))]
    pages.append(site.add("/after", article()))

    def parse(self, response):
        yield {"url": response.url}
        yield from map(response.follow, pages[pages.index(response.url) + 1 :][:1])

    result = crawl_with_workers(spider_of(pages[0], parse=parse), WEB2TEXT_IN_MIDDLEWARE=True)
    assert SENTENCE in result.by_url[pages[0]]["main_content"]
    assert [result.by_url[url]["web2text"]["reason"] for url in pages[1:]] == ["worker_died"] * 2
    stats = result.web2text_stats
    assert stats["fallback/worker_died"] == 2
    assert (stats["lost_workers/died"], stats["lost_workers/start"]) == (1, 3)
    assert (stats["errors/WorkerDied"], stats["errors/WorkerNotStarted"]) == (1, 3)
