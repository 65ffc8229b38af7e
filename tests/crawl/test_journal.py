"""The journal of a crawl, without a crawl: its counts, its log, its summary, and its watch on confidences."""

from __future__ import annotations

import asyncio
import gc
import logging
from types import SimpleNamespace
from weakref import ref

import pytest
from scrapy.settings import Settings
from scrapy.statscollectors import StatsCollector

from scrapy_web2text import Block, Extraction, Label
from scrapy_web2text.crawl import journal as journal_module
from scrapy_web2text.crawl.journal import ConfidenceWatch, Journal


class Crawler(SimpleNamespace):
    """The attributes of a crawler that a journal uses."""

    def __init__(self) -> None:
        super().__init__(settings=Settings(), spider=SimpleNamespace(name="pages"))
        self.stats = StatsCollector(self)


@pytest.fixture
def crawler(caplog):
    caplog.set_level(logging.DEBUG)
    return Crawler()


@pytest.fixture
def journal(crawler):
    return Journal(crawler)


def levels(caplog) -> list[str]:
    return [record.levelname for record in caplog.records]


def test_stats_are_named_by_stat_and_kind(journal, crawler):
    journal.count("pages")
    journal.count("errors", "LookupError")
    journal.count("errors", "LookupError")
    journal.count("extraction_seconds", amount=0.5)
    expected = {"web2text/pages": 1, "web2text/errors/LookupError": 2, "web2text/extraction_seconds": 0.5}
    assert crawler.stats.get_stats() == expected
    with pytest.raises(KeyError):
        journal.count("paiges")


def test_a_topic_is_logged_once_at_its_level_and_then_at_debug(journal, caplog):
    for number in range(3):
        journal.log_once("topic", "message %d", number)
    journal.log_once("another", "message", level=logging.ERROR)
    assert levels(caplog) == ["WARNING", "DEBUG", "DEBUG", "ERROR"]
    assert caplog.messages == ["message 0", "message 1", "message 2", "message"]
    assert {record.spider.name for record in caplog.records} == {"pages"}
    for number in range(2_000):
        journal.log_once(str(number), "message")
    assert levels(caplog).count("WARNING") == 999  # a bounded number of topics, of which another is an error


def test_a_text_of_a_page_can_neither_begin_a_line_of_the_log_nor_fill_it(journal, caplog):
    journal.log(logging.INFO, "No answer for %s", "http://a.example/\r\n2026 [core] ERROR: forged\x1b[2J\u202e")
    journal.log_once("long", "No answer for %s", "x" * 100_000)
    assert "a.example/\\r\\n2026 [core] ERROR: forged\\x1b[2J\\u202e" in caplog.messages[0]
    assert len(caplog.messages[1]) < 3_000


BLOCKS = tuple(Block(i, "a", Label.CONTENT, None, "p", path) for i, path in enumerate(("/p", None, None)))
CONTENT = {"method": "model", "n_content": 1}


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        (
            [{"method": "rules", "n_content": 1, "reason": "error", "error": "LookupError"}],
            {"method/rules": 1, "fallback/error": 1, "errors/LookupError": 1},
        ),
        ([{"method": "model"}], {"method/model": 1, "no_main_content": 1}),
        (
            [{**CONTENT, "page_kind": kind} for kind in ("content", "login", "content", None)],
            {"method/model": 4, "page_kind/content": 2, "page_kind/login": 1},
        ),
        (
            [
                {**CONTENT, "encoding": "koi8-r", "encoding_source": source}
                for source in ("bom", "argument", "meta", "utf-8", "detected", "default", None)
            ],
            {"method/model": 7, "encodings_detected": 2},
        ),
        (
            [
                *({**CONTENT, "confidence": confidence} for confidence in (0.69, 0.7, None)),
                {**CONTENT, "confidence": 0.9, "reason": "low_confidence"},
                {**CONTENT, "confidence": 0.8, "low_confidence": True},
            ],
            {"method/model": 5, "fallback/low_confidence": 1, "low_confidence": 3},
        ),
    ],
    ids=["error", "no-content", "kinds", "encodings", "low-confidence"],
)
def test_answers_are_counted_by_what_they_are(crawler, answers, expected):
    journal = Journal(crawler, least_confidence=0.7)
    for answer in answers:
        journal.add(Extraction(**answer))
    stats = {name.removeprefix("web2text/"): n for name, n in crawler.stats.get_stats().items()}
    assert stats == {"pages": len(answers), "extraction_seconds": 0.0} | expected


@pytest.mark.parametrize(("has_paths", "n_missing"), [(True, 2), (False, None)])
def test_missing_paths_are_counted_if_items_get_them(journal, crawler, has_paths, n_missing):
    journal.add(Extraction(**CONTENT, blocks=BLOCKS), has_paths=has_paths)
    assert crawler.stats.get_value("web2text/missing_paths") == n_missing


def test_an_answer_is_counted_by_method_and_reason(journal, crawler, caplog):
    for _ in range(2):
        journal.add(Extraction(method="rules", reason="timeout", n_content=1, n_blocks=3, elapsed=0.25, url="u"))
    assert crawler.stats.get_stats() == {
        "web2text/pages": 2,
        "web2text/method/rules": 2,
        "web2text/fallback/timeout": 2,
        "web2text/extraction_seconds": 0.5,
    }
    assert levels(caplog) == ["INFO", "DEBUG", "DEBUG", "DEBUG"]
    assert caplog.messages[0] == (
        "The model did not answer for u: the work on the page took longer than WEB2TEXT_TIMEOUT. "
        "Such pages are counted as web2text/fallback/timeout"
    )
    assert caplog.messages[1] == "Extracted u by rules: 1 of 3 blocks in 0.250 s"
    journal.add(Extraction(text="a", method="model", reason="empty", n_content=1, url="u"))
    assert caplog.messages[4].startswith("The answer is incomplete for u: ")


@pytest.mark.parametrize(
    ("reason", "costs"), [("not_html", {}), ("max_bytes", {}), ("language", {"web2text/extraction_seconds": 0.5})]
)
def test_a_page_that_the_extractor_refuses_is_counted_as_skipped(journal, crawler, caplog, reason, costs):
    journal.add(Extraction(reason=reason, elapsed=0.5))
    journal.close()
    assert crawler.stats.get_stats() == {f"web2text/skipped/{reason}": 1, **costs}
    assert caplog.messages == [f"Main content of pages: 0 pages; skipped 1 ({reason} 1)"]


def test_an_error_is_counted_and_logged_once_with_its_traceback(journal, crawler, caplog):
    def fail() -> None:
        try:
            raise LookupError("on purpose")
        except LookupError as error:
            journal.add_error(error, "https://example.org/")

    fail()
    fail()
    assert crawler.stats.get_stats() == {"web2text/errors/LookupError": 2}
    assert levels(caplog) == ["ERROR", "DEBUG"]
    assert caplog.messages[0] == "Error extracting https://example.org/: LookupError('on purpose')"
    assert [bool(record.exc_info) for record in caplog.records] == [True, False]


def test_the_summary_is_logged_at_the_end_if_anything_was_counted(journal, caplog):
    journal.close()
    assert caplog.messages == []
    journal.add(Extraction(method="model", n_content=1, elapsed=0.01))
    journal.count("errors", "WorkerDied")
    journal.close()
    line = "Main content of pages: 1 page; content 1; errors 1 (WorkerDied 1); 10.0 ms per page"
    assert caplog.messages[-1].startswith(line)


def test_the_summary_is_logged_at_intervals_if_it_has_changed(journal, caplog):
    caplog.set_level(logging.INFO)

    async def run() -> None:
        journal.start(0.01)
        journal.start(0.01)
        journal.add(Extraction(method="model", n_content=1))
        await asyncio.sleep(0.05)
        journal.add(Extraction(method="model"))
        await asyncio.sleep(0.05)
        journal.close()
        await asyncio.sleep(0.05)

    asyncio.run(run())
    first = "Main content of pages: 1 page; content 1; 0.0 ms per page"
    second = "Main content of pages: 2 pages; content 1; no content 1 (no_main_content 1); 0.0 ms per page"
    assert [message.partition(" with the ")[0] for message in caplog.messages] == [first, second, second]


@pytest.mark.parametrize("interval", [None, 0.0])
def test_intervals_can_be_switched_off(journal, interval):
    journal.start(interval)  # would need an event loop


def test_a_fall_of_the_confidence_for_a_host_is_warned_of_once(journal, crawler, caplog):
    caplog.set_level(logging.INFO)
    for confidence, n_pages in ((0.9, 50), (0.5, 100)):
        for _ in range(n_pages):
            journal.add(Extraction(method="model", n_content=1, confidence=confidence, url="https://www.a.org/x"))
    journal.add(Extraction(method="model", n_content=1, confidence=0.5))
    journal.add(Extraction(method="model", n_content=1, confidence=None, url="https://www.a.org/x"))
    (message,) = caplog.messages
    assert message == (
        "The mean confidence for a.org fell from 0.90 for its first 50 pages to 0.70 for its latest 50. Has the site "
        "changed its pages? The latest is https://www.a.org/x"
    )
    assert levels(caplog) == ["WARNING"]
    assert crawler.stats.get_value("web2text/confidence_drops") == 1


def test_a_journal_does_not_keep_its_crawl_alive():
    crawler = Crawler()
    journal, dead = Journal(crawler), ref(crawler)
    del crawler
    gc.collect()
    assert dead() is None
    del journal


def test_pages_without_selected_elements_are_logged_once_for_each_selection(journal, crawler, caplog):
    caplog.set_level(logging.INFO)
    for include in ((".a",), (".a",), (".b", "//c")):
        journal.add_unmatched(include, "https://a.example/")
    assert crawler.stats.get_stats() == {"web2text/sites/unmatched": 3}
    assert [text.partition("(")[2].partition(")")[0] for text in caplog.messages] == [".a", ".b, //c"]


def feed(watch, host, *runs):
    """Add runs of equal confidences; return the number of pages and the means at each fall."""
    confidences = [confidence for confidence, n_pages in runs for _ in range(n_pages)]
    falls = [(n, watch.add(host, confidence)) for n, confidence in enumerate(confidences, 1)]
    return [(n, means) for n, means in falls if means is not None]


def test_a_fall_is_found_once_as_soon_as_the_mean_of_the_latest_pages_is_low():
    ((n_pages, means),) = feed(ConfidenceWatch(), "a.org", (0.9, 60), (0.4, 200), (0.1, 200))
    assert n_pages == 60 + 20  # 20 of the latest 50 pages are lower by 0.5
    assert means == pytest.approx((0.9, 0.7))


@pytest.mark.parametrize(
    "runs",
    [
        ((0.9, 49), (0.1, 1), (0.9, 100)),
        ((0.9, 50), (0.75, 200)),
        ((0.5, 50), (0.9, 50), (0.5, 50)),
        ((0.9, 1), (0.1, 1)) * 60,
        ((0.9, 20), (0.1, 29)),
    ],
    ids=["one", "small", "after-a-rise", "mixed-from-the-start", "few-pages"],
)
def test_other_courses_are_not_a_fall(runs):
    assert feed(ConfidenceWatch(), "a.org", *runs) == []


def test_hosts_do_not_mix():
    watch = ConfidenceWatch()
    assert feed(watch, "a.org", (0.9, 200)) == feed(watch, "b.org", (0.3, 200)) == []


def test_the_host_that_was_seen_least_recently_is_forgotten(monkeypatch):
    monkeypatch.setattr(journal_module, "_MOST_HOSTS", 2)
    watch = ConfidenceWatch()
    for host in ("a.org", "b.org"):
        feed(watch, host, (0.9, 50))
    feed(watch, "a.org", (0.9, 1))
    feed(watch, "c.org", (0.9, 50))
    assert [len(feed(watch, host, (0.4, 30))) for host in ("a.org", "c.org", "b.org")] == [1, 1, 0]
