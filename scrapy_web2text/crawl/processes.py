"""Extraction in worker processes: one for each thread that asks, replaced when it dies or takes too long."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, BinaryIO, cast

from scrapy_web2text._version import __version__
from scrapy_web2text.crawl.worker import READY, read_frame, write_frame
from scrapy_web2text.exceptions import WorkerDied
from scrapy_web2text.extraction import Extraction

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_web2text.crawl.worker import Answer, Task
    from scrapy_web2text.options import Options

__all__ = ["WorkerProcesses"]

# A worker counts its processor's time and ends by itself; from here only the clock is seen. Its limits (one for the
# model, one for the rules) may take longer by the clock, as workers share the processors with each other, with the
# crawl and with what else runs there. Beyond that a model is loaded, and a parse cannot be interrupted.
_CLOCK_PER_WORK = 2.0
_GRACE = 5.0  # seconds


class WorkerProcesses:
    """The worker processes of one crawl. A thread's worker starts with the first page that the thread brings.

    Blocking calls from threads of one's own work with every reactor and without any, which no event loop's own
    subprocesses do; and unlike multiprocessing's, these processes do not import the user's ``__main__``.
    """

    def __init__(self) -> None:
        self._own = threading.local()
        self._lock = threading.Lock()
        self._workers: set[_Worker] = set()
        self._is_closed = False

    def extract(self, options: Options, html: str | bytes, url: str | None, encoding: str | None) -> Extraction:
        """Return what a worker finds on the page, or an empty answer with reason ``timeout`` when it is killed.

        It is killed when, by the clock, the page takes twice its limits (one for the model, one for the rules) and a
        few seconds more. Nobody knows then how much of that was work, so all of it is :attr:`Extraction.elapsed`.

        :raises WorkerDied: if the worker dies over the page; the thread's next page gets a new one.
        :raises RuntimeError: if the workers are closed.
        """
        worker = self._own_worker()
        start = time.perf_counter()
        seconds = None if options.timeout is None else _CLOCK_PER_WORK * 2 * options.timeout + _GRACE
        try:
            answer = worker.ask((options, html, url, encoding), seconds)
        except TimeoutError:
            return Extraction(fallback_reason="timeout", url=url, elapsed=time.perf_counter() - start)
        if isinstance(answer, Extraction):
            return answer
        error, trace = answer
        raise error from RuntimeError(f"in a worker process:\n{trace}")

    def kill(self) -> None:
        """End all workers now, and let none start again. Threads that wait for one get :class:`WorkerDied`."""
        with self._lock:
            self._is_closed = True
            for worker in self._workers:
                worker.kill()

    def close(self) -> None:
        """Free what the workers held; no thread may ask any more."""
        self.kill()
        while self._workers:
            self._workers.pop().close()

    def _own_worker(self) -> _Worker:
        """Return the worker of this thread."""
        worker: _Worker | None = getattr(self._own, "worker", None)
        if worker is not None and worker.is_usable():
            return worker
        with self._lock:
            if self._is_closed:
                raise RuntimeError("the worker processes are closed")
            if worker is not None:
                self._workers.discard(worker)
                worker.close()
            self._own.worker = worker = _Worker()
            self._workers.add(worker)
        return worker


class _Worker:
    """One worker process, and the pipes to and from it."""

    def __init__(self) -> None:
        # On a machine of many cores each worker would start as many threads for its arithmetic.
        one_thread = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        # The worker finds the modules that this process finds; scripts and Scrapyd's eggs change the path at run time.
        path = {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONSAFEPATH": "1"}
        self._process = subprocess.Popen(  # noqa: S603  our own program
            [sys.executable, "-m", "scrapy_web2text.crawl.worker", __version__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=one_thread | os.environ | path,
        )
        self._tasks, self._answers = cast("tuple[BinaryIO, BinaryIO]", (self._process.stdin, self._process.stdout))
        self._is_ready = False
        self._is_late = False
        self._is_usable = True

    def ask(self, task: Task, seconds: float | None) -> Answer:
        """Return the answer to *task*.

        :param seconds: of work after which the process is killed; None waits for ever.
        :raises TimeoutError: if it was killed for that.
        :raises WorkerDied: if it died of something else.
        """
        self._is_usable = False  # whatever happens in the middle, the next task must not get this one's answer
        try:
            self._wait_until_ready()
            with self._time_limit(seconds):
                write_frame(self._tasks, task)
                answer: Answer = read_frame(self._answers)
        except (EOFError, OSError):
            status = self._process.wait()
            if self._is_late:
                raise TimeoutError from None
            raise WorkerDied(status) from None
        self._is_usable = not self._is_late
        return answer

    def is_usable(self) -> bool:
        """Return whether the process lives and waits for a task."""
        return self._is_usable and self._process.poll() is None

    def kill(self) -> None:
        """End the process now; to be called from any thread."""
        self._process.kill()

    def close(self) -> None:
        """End the process and free what it held; nobody may wait for its answer."""
        self._process.kill()
        self._process.wait()
        self._answers.close()
        with suppress(OSError):  # part of a task may still be on its way
            self._tasks.close()

    def _wait_until_ready(self) -> None:
        """Wait until the worker has started, which is no work on a page."""
        while not self._is_ready:
            line = self._answers.readline()
            if not line:
                raise EOFError
            self._is_ready = line.endswith(READY)

    @contextmanager
    def _time_limit(self, seconds: float | None) -> Iterator[None]:
        """Kill the process if the block takes longer."""
        if seconds is None:
            yield
            return
        timer = threading.Timer(min(seconds, threading.TIMEOUT_MAX), self._kill_late)
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()  # from here on it kills nothing

    def _kill_late(self) -> None:
        self._is_late = True
        self._process.kill()
