"""Worker processes, one for each thread that uses them; replaced when they die or take too long."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, BinaryIO, Final, TypeVar, cast

from scrapy_web2text._version import __version__
from scrapy_web2text.crawl.tasks import extract_page
from scrapy_web2text.crawl.worker import READY, read_frame, write_frame
from scrapy_web2text.exceptions import WorkerDied, WorkerTimeout
from scrapy_web2text.extraction import Extraction

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scrapy_web2text.crawl.worker import Answer, Task
    from scrapy_web2text.options import Options

__all__ = ["MOST_WORKERS_PER_PAGE", "WorkerProcesses", "WorkerThreads", "blocked_interrupts", "clock_limit"]

MOST_WORKERS_PER_PAGE: Final = 2  # the first may have died of another cause, such as a lack of memory

# A worker measures its CPU time and stops by itself; the parent sees only wall-clock time. The two limits (one for the
# model, one for the rules) may take longer by the clock, since workers share the CPUs with each other, with the crawl
# and with other programs. Loading a model is not limited, and a parse cannot be interrupted.
_CLOCK_PER_WORK = 2.0
_GRACE = 5.0  # seconds

_T = TypeVar("_T")


def clock_limit(timeout: float | None) -> float | None:
    """Return the wall-clock seconds after which a worker is killed, for the option *timeout*; None for no limit."""
    return None if timeout is None else _CLOCK_PER_WORK * 2 * timeout + _GRACE


class WorkerProcesses:
    """A worker process for each thread, started with the first task of the thread.

    Calls block, so they work with every reactor and without one, unlike subprocesses of an event loop. Unlike those of
    multiprocessing, the processes do not import the user's ``__main__``.
    """

    def __init__(self) -> None:
        self._own = threading.local()
        self._lock = threading.Lock()
        self._workers: set[_Worker] = set()
        self._is_closed = False

    def extract(self, options: Options, html: str | bytes, url: str | None, encoding: str | None) -> Extraction:
        """Return the answer of a worker for a page; if the worker is killed, an empty one with reason ``timeout``.

        :attr:`Extraction.elapsed` is then the wall-clock time: the CPU time of a killed worker is not known.

        :raises WorkerDied: if the worker dies while it extracts the page.
        :raises RuntimeError: if the workers are closed.
        """
        seconds = clock_limit(options.timeout)
        try:
            return self.run(extract_page, options, html, url, encoding, seconds=seconds)
        except WorkerTimeout as e:
            return Extraction(fallback_reason="timeout", url=url, elapsed=e.seconds)

    def run(self, function: Callable[..., _T], /, *args: Any, seconds: float | None) -> _T:
        """Return what *function* returns in the worker of this thread, or raise what it raises.

        :param function: a function at the top of a module.
        :param seconds: wall-clock time after which the worker is killed; None for no limit.
        :raises WorkerTimeout: if the worker is killed; the thread's next task gets a new one.
        :raises WorkerDied: if the worker dies of another cause, likewise.
        :raises RuntimeError: if the workers are closed.
        """
        result, error, trace = self._own_worker().ask((function, args), seconds)
        if error is not None:
            raise error from RuntimeError(f"in a worker process:\n{trace}")
        return cast("_T", result)

    def kill(self) -> None:
        """End all workers now and start no more. Threads that wait for an answer get :class:`WorkerDied`."""
        with self._lock:
            self._is_closed = True
            for worker in self._workers:
                worker.kill()

    def close(self) -> None:
        """Free what the workers held. No thread may still be waiting for an answer."""
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


class WorkerThreads(ThreadPoolExecutor):
    """Threads that each have a worker process; the functions that they run reach it through :attr:`processes`."""

    def __init__(self, n_workers: int) -> None:
        super().__init__(n_workers, "web2text")
        self.processes = WorkerProcesses()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = True) -> None:  # noqa: ARG002  both always on
        """End the processes now, and with them the threads; cancel the functions that have not begun."""
        self.processes.kill()
        super().shutdown(wait=True, cancel_futures=True)
        self.processes.close()


class _Worker:
    """One worker process, and the pipes to and from it."""

    def __init__(self) -> None:
        # Otherwise each worker would start as many threads for its arithmetic as the machine has cores.
        one_thread = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        # The worker must find the same modules as this process; scripts and Scrapyd's eggs change the path at run time.
        path = {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONSAFEPATH": "1"}
        with blocked_interrupts():
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

        :param seconds: wall-clock time after which the process is killed, without its start; None for no limit.
        :raises WorkerTimeout: if it is killed for that reason.
        :raises WorkerDied: if it dies of another cause.
        """
        self._is_usable = False  # if this call is interrupted, the next one must not get its answer
        try:
            self._wait_until_ready()
            with self._time_limit(seconds):
                write_frame(self._tasks, task)
                answer: Answer = read_frame(self._answers)
        except (EOFError, OSError):
            status = self._process.wait()
            if self._is_late and seconds is not None:
                raise WorkerTimeout(seconds) from None
            raise WorkerDied(status) from None
        self._is_usable = not self._is_late
        return answer

    def is_usable(self) -> bool:
        """Return whether the process is alive and waiting for a task."""
        return self._is_usable and self._process.poll() is None

    def kill(self) -> None:
        """End the process now; may be called from any thread."""
        self._process.kill()

    def close(self) -> None:
        """End the process and free what it held. No thread may still be waiting for its answer."""
        self._process.kill()
        self._process.wait()
        self._answers.close()
        with suppress(OSError):  # part of a task may not have been sent
            self._tasks.close()

    def _wait_until_ready(self) -> None:
        """Wait until the worker has started; the time limit of a task does not include this."""
        while not self._is_ready:
            line = self._answers.readline()
            if not line:
                raise EOFError
            self._is_ready = line.endswith(READY)

    @contextmanager
    def _time_limit(self, seconds: float | None) -> Iterator[None]:
        """Kill the process if the block takes longer than *seconds*."""
        if seconds is None:
            yield
            return
        timer = threading.Timer(min(seconds, threading.TIMEOUT_MAX), self._kill_late)
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()  # it can no longer kill

    def _kill_late(self) -> None:
        self._is_late = True
        self._process.kill()


@contextmanager
def blocked_interrupts() -> Iterator[None]:
    """Block Ctrl-C in this thread, except on Windows; a process that starts in the block inherits that.

    Ctrl-C reaches the whole process group. A worker ignores it only after it has imported its modules.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
