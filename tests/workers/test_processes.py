"""Worker processes that live, die and hang, alone and in whole crawls."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from mockserver import ADDON, SENTENCE, CrawlResult, MockSite, article, crawl, spider_of
from scrapy import Request, Spider
from scrapy.utils.test import get_crawler
from subprocesses import loaded_by

from scrapy_web2text import Extractor, Options
from scrapy_web2text.crawl.extractor import CrawlExtractor
from scrapy_web2text.crawl.pool import Pool
from scrapy_web2text.exceptions import ModelError, WorkerDied, WorkerNotStarted
from scrapy_web2text.workers import process, processes
from scrapy_web2text.workers.processes import WorkerProcesses

RULES = Options(model="shallow:numwords", blocks="none")


@pytest.fixture
def workers(fate):
    workers = WorkerProcesses()
    yield workers
    workers.close()
    assert fate.left == []


def extract(workers: WorkerProcesses, html: str | bytes, **options: Any):
    return workers.extract(RULES.replace(**options), html, "https://example.org/", None)


def in_thread(function, *args) -> threading.Thread:
    thread = threading.Thread(target=function, args=args)
    thread.start()
    return thread


def test_a_page_is_extracted_as_in_this_process(workers):
    theirs = workers.extract(RULES, article().encode(), "https://example.org/", "utf-8")
    ours = Extractor(RULES).extract(article().encode(), "https://example.org/", encoding="utf-8")
    assert theirs.elapsed > 0
    assert theirs.to_dict() | {"elapsed": 0} == ours.to_dict() | {"elapsed": 0}


def test_each_thread_keeps_a_worker_of_its_own_whatever_pages_print_or_interrupt(workers, fate, capfd):
    for words in ("a-page-that-prints ", "a-page-that-interrupts ", ""):
        assert SENTENCE in extract(workers, article(words + SENTENCE)).text
    assert len(fate.started) == 1
    out, err = capfd.readouterr()
    assert out == ""
    assert "printed by the page\n" in err
    assert "written by the page" in err
    in_thread(extract, workers, article()).join()
    assert len(fate.started) == 2


def test_an_error_is_raised_with_the_traceback_of_the_worker(workers, fate):
    with pytest.raises(LookupError, match="on purpose") as error:
        extract(workers, article("a-page-that-fails"))
    assert "extract_or_not" in str(error.value.__cause__)
    assert SENTENCE in extract(workers, article()).text
    assert len(fate.started) == 1


def test_a_page_that_cannot_be_sent_is_an_error_and_the_next_page_is_extracted(workers):
    with pytest.raises(Exception, match="local object"):  # the class and the rest differ between versions of Python
        workers.extract(RULES, lambda: "<p>", None, None)
    assert SENTENCE in extract(workers, article()).text


def test_a_worker_that_dies_over_a_page_is_an_error_and_between_pages_none_and_is_replaced(workers, fate):
    with pytest.raises(WorkerDied, match=f"status {-signal.SIGSEGV}"):
        extract(workers, "<p>a-page-that-kills-all")
    assert SENTENCE in extract(workers, article()).text
    assert fate.left == fate.started[1:]
    os.kill(fate.started[1], signal.SIGKILL)
    os.waitid(os.P_PID, fate.started[1], os.WEXITED | os.WNOWAIT)
    assert SENTENCE in extract(workers, article()).text
    assert len(fate.started) == 3


@pytest.mark.parametrize(
    ("program", "problem"),
    [(shutil.which("false"), "did not start and ended with status 1"), ("/nowhere/python", "/nowhere/python")],
    ids=["ends", "missing"],
)
def test_a_worker_that_cannot_start_is_an_error_each_time(workers, fate, monkeypatch, program, problem):
    with pytest.raises(WorkerDied):
        extract(workers, "<p>a-page-that-kills-all")
    with monkeypatch.context() as patch:
        patch.setattr(sys, "executable", program)
        for _ in range(2):
            with pytest.raises(WorkerNotStarted, match=problem):
                extract(workers, article())
    assert SENTENCE in extract(workers, article()).text


def test_a_worker_that_takes_too_long_is_killed_and_replaced(workers, fate, monkeypatch):
    extract(workers, article())
    with monkeypatch.context() as patch:
        patch.setattr(processes, "_GRACE", 0.1)
        answer = extract(workers, article("a-page-that-hangs"), timeout=0.05)
    assert (answer.method, answer.reason, answer.text) == ("none", "timeout", "")
    assert answer.url == "https://example.org/"
    assert answer.elapsed >= 4 * 0.05 + 0.1  # its work may take twice as long by the clock
    assert fate.left == []
    assert SENTENCE in extract(workers, article()).text


def test_the_start_of_a_worker_does_not_count_as_work(workers, fate, monkeypatch, tmp_path):
    monkeypatch.setattr(processes, "_GRACE", 0.3)
    with (tmp_path / "sitecustomize.py").open("a") as module:
        module.write("time.sleep(2.5)\n")
    assert SENTENCE in extract(workers, article(), timeout=0.5).text  # killed after 4 * 0.5 + 0.3 s


def test_a_worker_that_was_killed_just_after_its_answer_is_replaced(workers, fate, monkeypatch):
    def kill_late(worker):
        worker._deadline = 0
        worker.kill_late()

    extract(workers, article())
    (worker,) = workers._workers
    read_frame = process.read_frame
    with monkeypatch.context() as patch:
        patch.setattr(process, "read_frame", lambda *args: (read_frame(*args), kill_late(worker))[0])
        assert SENTENCE in extract(workers, article()).text
    assert SENTENCE in extract(workers, article()).text
    assert len(fate.started) == 2


def test_without_a_limit_nothing_is_killed(workers):
    for timeout in (None, 1e300):
        assert SENTENCE in extract(workers, article(), timeout=timeout).text


def test_a_worker_computes_with_one_thread_unless_the_environment_names_more(workers, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    assert workers.run(os.getenv, "OMP_NUM_THREADS", seconds=None) == "3"
    assert workers.run(os.getenv, "MKL_NUM_THREADS", seconds=None) == "1"


@pytest.mark.parametrize("has_masks", [True, False])
def test_a_worker_starts_with_interrupts_blocked_where_the_system_can(workers, monkeypatch, has_masks):
    if not has_masks:
        monkeypatch.delattr(signal, "pthread_sigmask")
    pid = workers.run(os.getpid, seconds=None)
    (blocked,) = re.findall(r"^SigBlk:\s*(\w+)$", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    assert bool(int(blocked, 16) & 1 << (signal.SIGINT - 1)) is has_masks
    assert bool(int(blocked, 16) & 1 << (signal.SIGTERM - 1)) is has_masks


def test_a_running_page_ends_with_the_workers(workers, fate):
    errors = []

    def hang() -> None:
        try:
            extract(workers, article("a-page-that-hangs"), timeout=None)
        except WorkerDied as error:
            errors.append(error)

    thread = in_thread(hang)
    fate.wait_for_hanging()
    workers.kill()
    thread.join()
    assert len(errors) == 1
    with pytest.raises(RuntimeError, match="closed"):
        extract(workers, article())


def list_open_files() -> set[str]:
    return {path.name for path in Path("/proc/self/fd").iterdir() if path.exists()}  # the listing itself is closed


def test_a_closed_pool_ends_the_running_page(fate):
    async def run() -> None:
        pool = Pool("process", 2)
        page = article("a-page-that-hangs")
        work = asyncio.create_task(pool.extract(RULES.replace(timeout=None), page, None, None))
        await asyncio.to_thread(fate.wait_for_hanging)
        pool.close()
        assert fate.left == []
        with pytest.raises(WorkerDied):
            await work

    asyncio.run(run())


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts open files as Linux lists them")
def test_no_open_file_is_left(fate):
    extract_once = WorkerProcesses()
    extract(extract_once, article())
    extract_once.close()  # what Python opens at the first time
    before = list_open_files()
    workers = WorkerProcesses()
    extract(workers, article())
    for _ in range(2):
        with pytest.raises(WorkerDied):
            extract(workers, "<p>a-page-that-kills-all")
    with ThreadPoolExecutor(2) as threads:
        assert all(threads.map(lambda _: extract(workers, article()).text, range(8)))
    workers.close()
    assert list_open_files() == before
    assert fate.left == []


def test_workers_end_during_a_page_when_the_parent_is_killed(fate, tmp_path):
    script = (
        "import sys; from scrapy_web2text import Options\n"
        "from scrapy_web2text.workers.processes import WorkerProcesses\n"
        f"sys.path.insert(0, {str(tmp_path)!r})\n"
        "WorkerProcesses().extract(Options(model='shallow', timeout=None), b'a-page-that-hangs', None, None)"
    )
    with subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE) as parent:
        fate.wait_for_hanging()
        parent.kill()
        _, err = parent.communicate(timeout=600)  # until the worker, too, has closed it
    assert b"Traceback" not in err


def crawl_in_processes(spider: type[Spider], **settings: Any) -> CrawlResult:
    settings = {"WEB2TEXT_EXECUTOR": "process", "WEB2TEXT_WORKERS": 2, "WEB2TEXT_BLOCKS": "none", **settings}
    result = crawl(spider, {**ADDON, **settings})
    assert result.stats["finish_reason"] == "finished"
    assert (result.dropped, result.errors) == ([], [])
    return result


def add_pages(site: MockSite, n_pages: int) -> list[str]:
    return [site.add(f"/page/{n}", article(f"{SENTENCE} This is page number {n}.")) for n in range(n_pages)]


def check_pages(result: CrawlResult, urls: list[str]) -> None:
    """Check that each page of :func:`add_pages` has its own text on one item."""
    assert Counter(item["url"] for item in result.items) >= Counter(urls)
    for n, url in enumerate(urls):
        assert f"This is page number {n}." in result.by_url[url]["main_content"]


def test_a_worker_killed_during_a_page_is_replaced_and_the_page_extracted(site, fate, caplog):
    urls = add_pages(site, 30)
    hanging = site.add("/hangs", article(f"{SENTENCE} This is a-page-that-waits."))
    killer = in_thread(lambda: os.kill(fate.wait_for_hanging(), signal.SIGKILL))
    result = crawl_in_processes(spider_of(*urls[:5], hanging, *urls[5:]))
    killer.join()
    check_pages(result, urls)
    assert len(result.items) == 31
    assert "a-page-that-waits" in result.by_url[hanging]["main_content"]
    assert result.web2text_stats == {
        "pages": 31,
        "method/rules": 31,
        "errors/WorkerDied": 1,
        "lost_workers/died": 1,
    }
    assert fate.left == []
    assert [record.levelname for record in caplog.records if "A worker process died" in record.message] == ["WARNING"]


def test_pages_that_kill_each_worker_or_hang_have_no_answer_and_cost_no_other_page(site, fate, monkeypatch, caplog):
    monkeypatch.setattr(processes, "_GRACE", 0.1)
    urls = add_pages(site, 20)
    deadly = [site.add(f"/deadly/{n}", article("a-page-that-kills-all")) for n in range(2)]
    hanging = site.add("/hangs", article("a-page-that-hangs"))

    async def start(self):
        for url in (*deadly, hanging, *urls):
            yield Request(url, meta={"web2text": {"timeout": 0.1, "in_middleware": True} if url == hanging else {}})

    result = crawl_in_processes(spider_of(start=start), WEB2TEXT_IN_MIDDLEWARE=True, WEB2TEXT_BLOCKS="all")
    check_pages(result, urls)
    assert len(result.items) == 23
    assert result.by_url[urls[0]]["blocks"]
    for url, reason in {**dict.fromkeys(deadly, "worker_died"), hanging: "timeout"}.items():
        summary = result.by_url[url]["web2text"]
        assert (summary["method"], summary["reason"]) == ("none", reason)
        assert result.by_url[url]["main_content"] == ""
    assert result.web2text_stats == {
        "pages": 23,
        "method/rules": 20,
        "method/none": 3,
        "fallback/worker_died": 2,
        "fallback/timeout": 1,
        "errors/WorkerDied": 4,
        "lost_workers/died": 4,
        "lost_workers/timeout": 1,
    }
    assert [record.levelname for record in caplog.records if "status -11 while" in record.message] == ["WARNING"]
    assert fate.left == []


@pytest.mark.parametrize(("field", "n_pages"), [(None, 1), ("html", 300)], ids=["response", "html"])
def test_three_hundred_items_share_one_extraction_unless_each_has_html_of_its_own(site, fate, field, n_pages):
    def parse(self, response):
        for n in range(300):
            yield {"url": f"{response.url}#{n}", "n": n, "html": article(f"{SENTENCE} This is item number {n}.")}

    result = crawl_in_processes(spider_of(site.url("/article"), parse=parse), WEB2TEXT_HTML_FIELD=field)
    assert sorted(item["n"] for item in result.items) == list(range(300))
    for item in result.items:
        expected = SENTENCE if field is None else f"This is item number {item['n']}."
        assert expected in item["main_content"]
    assert result.web2text_stats == {"pages": n_pages, "method/rules": n_pages}
    assert len(fate.started) <= 2


def test_all_executors_give_the_same_items(site, fate):
    odd = [
        site.add("/odd/empty", b""),
        site.add("/odd/png", b"\x89PNG\r\n\x1a\n" + bytes(range(256))),
        site.add("/odd/encoding", article("Größe " * 30).encode("cp1252"), content_type="text/html; charset=cp1252"),
        site.add("/odd/deep", b"<div>" * 1900 + article().encode()),
        site.add("/odd/long", article().encode() + b" " * 100_000),
    ]
    urls = [*odd, *add_pages(site, 5), site.url("/missing")]
    settings = {"WEB2TEXT_BLOCKS": "all", "WEB2TEXT_MAX_BYTES": 50_000, "HTTPERROR_ALLOW_ALL": True}
    results = [
        crawl_in_processes(spider_of(*urls), WEB2TEXT_EXECUTOR=executor, WEB2TEXT_MODEL="web2text-2026", **settings)
        for executor in ("process", "thread", "inline")
    ]
    assert len(results[0].items) == len(urls)
    assert results[0].by_url == results[1].by_url == results[2].by_url
    assert results[0].web2text_stats == results[1].web2text_stats == results[2].web2text_stats


@pytest.mark.parametrize("executor", ["process", "thread", "inline"])
def test_the_crawl_logs_once_what_an_extractor_warns_of(site, fate, caplog, executor):
    settings = {"WEB2TEXT_MIN_CONFIDENCE": 0.5, "WEB2TEXT_EXECUTOR": executor, "WEB2TEXT_WORKERS": None}
    result = crawl_in_processes(spider_of(site.url("/article")), **settings)
    assert SENTENCE in result.items[0]["main_content"]
    warnings = [record.getMessage() for record in caplog.records if "has no effect" in record.getMessage()]
    assert len(warnings) == 1
    assert "WEB2TEXT_MIN_CONFIDENCE has no effect: WEB2TEXT_ON_LOW_CONFIDENCE is" in warnings[0]


def test_a_model_that_a_worker_cannot_load_stops_the_crawl_at_the_start(tmp_path, fate):
    crawler = get_crawler(settings_dict={"WEB2TEXT_MODEL": str(tmp_path)})
    with pytest.raises(ModelError, match=r"^WEB2TEXT_MODEL: .* expected a model folder, with manifest\.json"):
        CrawlExtractor(crawler)
    assert fate.left == []


def test_a_crawl_leaves_models_and_numpy_to_its_workers():
    code = f"""
import asyncio
from scrapy.utils.test import get_crawler
from scrapy_web2text.crawl.extractor import CrawlExtractor
extractor = CrawlExtractor(get_crawler())
threads, options = extractor._pool._threads, extractor.settings.options
page = threads.submit(threads.processes.extract, options, {article()!r}, None, None).result()
assert page.method == "model" and page.field("blocks"), page
asked = options.replace(threshold=0.4, fallback=None), options.replace(model="none-such")
assert asyncio.run(extractor._pool.check_later(asked[0])) == []
try:
    asyncio.run(extractor._pool.check_later(asked[1]))
except ValueError as error:
    assert error.option == "model", error
else:
    raise AssertionError(asked[1])
extractor._pool.close()
"""
    assert loaded_by(code, "numpy", "scrapy_web2text.extractor") == ""
