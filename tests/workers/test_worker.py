from __future__ import annotations

import io
import os
import pickle
import subprocess
import sys
import threading

import pytest
from mockserver import SENTENCE, article
from subprocesses import loaded_by

from scrapy_web2text import Extraction, Options, __version__
from scrapy_web2text.exceptions import WorkerRefused
from scrapy_web2text.options import OptionError
from scrapy_web2text.workers import worker as worker_module
from scrapy_web2text.workers.answers import decode_answer
from scrapy_web2text.workers.worker import (
    READY,
    extract_page,
    get_extractor,
    read_frame,
    serve,
    write_frame,
)

RULES = Options(model="shallow:numwords")


@pytest.fixture(autouse=True)
def no_extractors():
    """This process has no extractors of other tests, and keeps none for them."""
    get_extractor.cache_clear()
    yield
    get_extractor.cache_clear()


class BrokenPipe(io.BytesIO):
    """Takes the first line of a worker, and no answers."""

    def write(self, data) -> int:
        if data != READY:
            raise BrokenPipeError
        return len(data)


def serve_all(*tasks: object, cut: int = 0) -> tuple[bytes, list[object], list[threading.Thread]]:
    """Return the worker's first line, its answers to *tasks* less *cut* bytes, and the threads that called `leave`."""
    sent, received = io.BytesIO(), io.BytesIO()
    for task in tasks:
        write_frame(sent, pickle.dumps(task))
    sent.truncate(sent.tell() - cut)
    sent.seek(0)
    left: list[threading.Thread] = []
    serve(sent, received, lambda: left.append(threading.current_thread()))
    received.seek(0)
    first = received.readline()
    answers = []
    while received.tell() < len(received.getvalue()):
        answers.append(decode_answer(read_frame(received)))
    return first, answers, left


def test_a_frame_is_read_as_it_was_written():
    stream = io.BytesIO()
    write_frame(stream, b"\x00\n" * 1000)
    write_frame(stream, b"")
    stream.seek(0)
    assert read_frame(stream) == b"\x00\n" * 1000
    assert read_frame(stream, 0) == b""


def test_a_frame_that_is_too_long_is_refused_by_its_length_alone():
    stream = io.BytesIO((2**62).to_bytes(8, "big"))
    with pytest.raises(WorkerRefused, match="sent 4,611,686,018,427,387,904 bytes, expected at most 1,000"):
        read_frame(stream, 1000)


@pytest.mark.parametrize("n_bytes", [0, 1, 7, 8, 20])
def test_a_cut_frame_is_the_end_of_its_stream(n_bytes):
    stream = io.BytesIO()
    write_frame(stream, b"a text of some length")
    with pytest.raises(EOFError):
        read_frame(io.BytesIO(stream.getvalue()[:n_bytes]))


def page(html: str | bytes, url: str | None = None, encoding: str | None = None, **options: object) -> tuple:
    """Return the task of extracting a page."""
    return extract_page, (RULES.replace(**options), html, url, encoding)


def test_tasks_are_answered_in_turn():
    first, answers, _ = serve_all(
        page(article("Größe " * 30).encode("cp1252"), "https://example.org/1", "cp1252"),
        page("<body><p>Too short.", blocks="none"),
    )
    assert first == READY
    (one, error, trace), (two, _, _) = answers
    assert (error, trace) == (None, "")
    assert "Größe" in one.text
    assert (one.url, one.method, len(one.blocks)) == ("https://example.org/1", "rules", one.n_blocks)
    assert (two.text, two.url, two.blocks) == ("", None, ())


def test_an_extractor_is_made_once_for_its_options(monkeypatch):
    made = []

    class Counting:
        def __init__(self, options: Options, *, warns: bool) -> None:
            made.append(options)
            assert not warns

        def extract(self, source: object, url: object, *, paths: bool) -> Extraction:
            return Extraction()

    monkeypatch.setattr("scrapy_web2text.extractor.Extractor", Counting)
    other = RULES.replace(threshold=0.7)
    serve_all(*(page(b"", threshold=options.threshold) for options in (RULES, other, RULES, other)))
    assert made == [RULES, other]


def test_an_error_is_the_answer_with_its_traceback_and_the_next_task_follows():
    _, ((nothing, error, trace), (answer, _, _)), _ = serve_all(page(b"", model="no-such-model"), page(article()))
    assert nothing is None
    assert isinstance(error, OptionError)
    assert error.option == "model"
    assert error.problem.startswith("unknown model 'no-such-model'")
    assert "get_labeler" in trace
    assert SENTENCE in answer.text


def test_an_incomplete_task_is_ignored_and_the_end_of_the_tasks_noticed_in_another_thread():
    _, answers, left = serve_all(page(b"<p>one"), page(b"<p>two"), cut=3)
    assert (len(answers), len(left)) == (1, 1)
    assert left[0] is not threading.current_thread()


def test_a_task_that_cannot_be_read_ends_the_worker_with_a_traceback(monkeypatch, capsys):
    def fail(stream: object) -> None:
        raise MemoryError("no room for the page")

    monkeypatch.setattr(worker_module, "read_frame", fail)
    left: list[bool] = []
    serve(io.BytesIO(), io.BytesIO(), lambda: left.append(True))
    assert left == [True]
    assert "no room for the page" in capsys.readouterr().err


def test_a_worker_ends_when_its_parent_has_ended():
    reader, writer = os.pipe()
    with os.fdopen(reader, "rb") as tasks, os.fdopen(writer, "wb") as sent:
        write_frame(sent, pickle.dumps(page(b"<p>one")))
        serve(tasks, BrokenPipe(), lambda: None)  # returns, although more tasks may come


def run_worker(version: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-W", "error", "-m", "scrapy_web2text.workers.worker", version, "0"]
    return subprocess.run(command, input=b"", capture_output=True, timeout=600, check=False)


def test_a_worker_process_ends_with_its_input_and_prints_nothing():
    done = run_worker(__version__)
    assert (done.returncode, done.stdout, done.stderr) == (0, READY, b"")


def test_a_worker_refuses_a_parent_of_another_version():
    done = run_worker("0.0.1")
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"'0.0.1'" in done.stderr


def test_a_worker_process_loads_no_scrapy():
    code = "from io import BytesIO; from scrapy_web2text.workers.worker import serve; serve(BytesIO(), BytesIO(), list)"
    assert loaded_by(code, "numpy", "scrapy", "torch", "twisted") == "numpy"
