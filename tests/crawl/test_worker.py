from __future__ import annotations

import io
import os
import subprocess
import sys
import threading

import pytest
from mockserver import SENTENCE, article

from scrapy_web2text import Extraction, Options, PageError, __version__
from scrapy_web2text.crawl import worker as worker_module
from scrapy_web2text.crawl.worker import READY, read_frame, serve, write_frame

RULES = Options(model="shallow:numwords")


class BrokenPipe(io.BytesIO):
    """Takes what a worker says of itself, and no answers."""

    def write(self, data) -> int:
        if data != READY:
            raise BrokenPipeError
        return len(data)


def serve_all(*tasks: object, cut: int = 0) -> tuple[bytes, list[object], list[threading.Thread]]:
    """Return the worker's first line, its answers to *tasks* less *cut* bytes, and who was told to leave."""
    sent, received = io.BytesIO(), io.BytesIO()
    for task in tasks:
        write_frame(sent, task)
    sent.truncate(sent.tell() - cut)
    sent.seek(0)
    left: list[threading.Thread] = []
    serve(sent, received, lambda: left.append(threading.current_thread()))
    received.seek(0)
    first = received.readline()
    answers = []
    while received.tell() < len(received.getvalue()):
        answers.append(read_frame(received))
    return first, answers, left


def test_a_frame_is_read_as_it_was_written():
    stream = io.BytesIO()
    write_frame(stream, ("page", b"\x00\n" * 1000))
    write_frame(stream, None)
    stream.seek(0)
    assert read_frame(stream) == ("page", b"\x00\n" * 1000)
    assert read_frame(stream) is None


@pytest.mark.parametrize("n_bytes", [0, 1, 7, 8, 20])
def test_a_cut_frame_is_the_end_of_its_stream(n_bytes):
    stream = io.BytesIO()
    write_frame(stream, "a text of some length")
    with pytest.raises(EOFError):
        read_frame(io.BytesIO(stream.getvalue()[:n_bytes]))


def test_tasks_are_answered_in_turn():
    first, answers, _ = serve_all(
        (RULES, article().encode(), "https://example.org/1", "utf-8"),
        (RULES.replace(blocks="none"), "<p>Too short.", None, None),
    )
    assert first == READY
    one, two = answers
    assert SENTENCE in one.text
    assert (one.url, one.method, len(one.blocks)) == ("https://example.org/1", "rules", one.n_blocks)
    assert (two.text, two.url, two.blocks) == ("", None, ())


def test_the_encoding_counts():
    _, (answer,), _ = serve_all((RULES, article("Größe " * 30).encode("cp1252"), None, "cp1252"))
    assert "Größe" in answer.text


def test_an_extractor_is_made_once_for_its_options(monkeypatch):
    made = []

    class Counting:
        def __init__(self, options: Options) -> None:
            made.append(options)

        def extract(self, html, url, encoding) -> Extraction:
            return Extraction()

    monkeypatch.setattr("scrapy_web2text.extractor.Extractor", Counting)
    other = RULES.replace(threshold=0.7)
    serve_all(*((options, b"", None, None) for options in (RULES, other, RULES, other)))
    assert made == [RULES, other]


def test_an_error_is_the_answer_with_its_traceback_and_the_next_task_follows():
    _, ((error, trace), answer), _ = serve_all(
        (RULES.replace(model="no-such-model"), b"", None, None), (RULES, article(), None, None)
    )
    assert isinstance(error, ValueError)
    assert "no-such-model" in str(error)
    assert "get_labeler" in trace
    assert SENTENCE in answer.text


def test_an_error_that_cannot_travel_is_told_in_words(monkeypatch):
    def fail(*args: object, **options: object) -> None:
        raise PageError("odd", "it wants two arguments")  # as pickle does not know

    monkeypatch.setattr("scrapy_web2text.extractor.Extractor.extract", fail)
    _, ((error, trace),), _ = serve_all((RULES, b"", None, None))
    assert (type(error), str(error)) == (RuntimeError, "PageError: it wants two arguments")
    assert 'raise PageError("odd"' in trace


def test_the_end_of_the_tasks_is_noticed_beside_the_work():
    _, _, left = serve_all()
    assert len(left) == 1
    assert left[0] is not threading.current_thread()


def test_half_a_task_is_none():
    _, answers, left = serve_all((RULES, b"<p>one", None, None), (RULES, b"<p>two", None, None), cut=3)
    assert (len(answers), len(left)) == (1, 1)


def test_a_task_that_cannot_be_read_ends_the_worker_with_a_traceback(monkeypatch, capsys):
    def fail(stream: object) -> None:
        raise MemoryError("no room for the page")

    monkeypatch.setattr(worker_module, "read_frame", fail)
    left: list[bool] = []
    serve(io.BytesIO(), io.BytesIO(), lambda: left.append(True))
    assert left == [True]
    assert "no room for the page" in capsys.readouterr().err


def test_a_worker_whose_parent_has_gone_ends():
    reader, writer = os.pipe()
    with os.fdopen(reader, "rb") as tasks, os.fdopen(writer, "wb") as sent:
        write_frame(sent, (RULES, b"<p>one", None, None))
        serve(tasks, BrokenPipe(), lambda: None)  # returns, although more tasks may come


def run_worker(version: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-W", "error", "-m", "scrapy_web2text.crawl.worker", version]
    return subprocess.run(command, input=b"", capture_output=True, timeout=60, check=False)


def test_a_worker_process_ends_with_its_input_and_prints_nothing():
    done = run_worker(__version__)
    assert (done.returncode, done.stdout, done.stderr) == (0, READY, b"")


def test_a_worker_does_not_work_for_a_crawl_of_another_version():
    done = run_worker("0.0.1")
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"'0.0.1'" in done.stderr


def test_a_worker_process_loads_no_scrapy():
    code = "import sys; from scrapy_web2text.crawl import worker; worker.serve({0}, {0}, print); print(*sys.modules)"
    code = code.format("__import__('io').BytesIO()")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert "numpy" in done.stdout.split()
    assert not {"scrapy", "twisted", "torch"} & set(done.stdout.split())
