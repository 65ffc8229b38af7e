"""Worker processes, one for each thread that uses them; replaced when they die, take too long or grow too large."""

from __future__ import annotations

import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakSet

from scrapy_web2text.crawl.child import WORKER_MEMORY, Worker
from scrapy_web2text.crawl.tasks import extract_page
from scrapy_web2text.exceptions import Web2TextError, WorkerDied, WorkerNotStarted, WorkerRefused, WorkerTimeout
from scrapy_web2text.extraction import Extraction

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_web2text.crawl.child import Loss
    from scrapy_web2text.options import Options

__all__ = ["MOST_WORKERS_PER_PAGE", "WorkerProcesses", "WorkerThreads", "clock_limit"]

MOST_WORKERS_PER_PAGE: Final = 2  # the first may have died of another cause, such as a lack of memory

_LOSSES: Final[dict[type[Web2TextError], Loss]] = {
    WorkerDied: "died",
    WorkerTimeout: "timeout",
    WorkerRefused: "answer",
    WorkerNotStarted: "start",
}

# A worker measures its CPU time and stops by itself; the parent sees only wall-clock time. A page has twice
# the timeout of CPU time, which may take longer by the clock, since workers share the CPUs with each other, with the
# crawl and with other programs. Loading a model is not limited, and a parse cannot be interrupted.
_CLOCK_PER_WORK = 2.0
_GRACE = 5.0  # seconds


# Those that have not been closed when Python ends, such as after a second Ctrl-C.
_OPEN: WeakSet[WorkerProcesses] = WeakSet()


def clock_limit(timeout: float | None) -> float | None:
    """Return the wall-clock seconds after which a worker is killed, for the option *timeout*; None for no limit."""
    return None if timeout is None else _CLOCK_PER_WORK * 2 * timeout + _GRACE


class WorkerProcesses:
    """A worker process for each thread, started with the first task of the thread.

    Calls block, so they work with every reactor and without one, unlike subprocesses of an event loop. Unlike those of
    multiprocessing, the processes do not import the user's ``__main__``.

    :param memory: the most address space of a worker, in bytes; also bounds its answers. None for no limit.
    """

    def __init__(self, memory: int | None = WORKER_MEMORY) -> None:
        self._memory = memory
        self._losses: deque[Loss] = deque()
        self._own = threading.local()
        self._lock = threading.Lock()
        self._workers: set[Worker] = set()
        _kill_at_exit(self)
        self._is_closed = False
        self.has_answered = False
        """Whether a worker has started and answered."""
        self._n_failed_starts = 0

    def extract(
        self, options: Options, html: str | bytes, url: str | None, encoding: str | None, *, paths: bool = True
    ) -> Extraction:
        """Return the answer of a worker for a page; if the worker is killed, an empty one with reason ``timeout``.

        :attr:`Extraction.elapsed` is then the wall-clock time: the CPU time of a killed worker is not known.

        :param paths: whether to find the XPaths of blocks.
        :raises WorkerDied: if the worker dies while it extracts the page, or sends something else than an answer.
        :raises WorkerNotStarted: if it does not start.
        :raises RuntimeError: if the workers are closed.
        """
        seconds = clock_limit(options.timeout)
        try:
            answer = self.run(partial(extract_page, paths=paths), options, html, url, encoding, seconds=seconds)
        except WorkerTimeout as e:
            return Extraction(fallback_reason="timeout", url=url, elapsed=e.seconds)
        except MemoryError:  # the extraction did fit, its message did not
            return Extraction(fallback_reason="error", error="MemoryError", url=url)
        if not isinstance(answer, Extraction):
            self._own.worker.kill()
            self._own.worker.is_reported = True
            self._lose("answer")
            raise WorkerRefused(f"expected an extraction, got {answer!r:.100}")
        return answer

    def run(self, function: Callable[..., Any], /, *args: Any, seconds: float | None) -> Any:
        """Return what *function* returns in the worker of this thread, or raise what it raises.

        :param function: a function at the top of a module, or a partial of one. It returns an extraction or plain data,
            see :mod:`~scrapy_web2text.crawl.answers`.
        :param seconds: wall-clock time after which the worker is killed; None for no limit.
        :raises WorkerTimeout: if the worker is killed; the thread's next task gets a new one.
        :raises WorkerDied: if the worker dies of another cause, likewise, or sends something else than an answer.
        :raises WorkerNotStarted: if it does not start.
        :raises RuntimeError: if the workers are closed.
        """
        try:
            result, error, trace = self._own_worker().ask((function, args), seconds)
        except (WorkerDied, WorkerNotStarted, WorkerTimeout) as e:
            self._n_failed_starts += isinstance(e, WorkerNotStarted)
            self._lose(_LOSSES[type(e)])
            raise
        self.has_answered = True
        if error is not None:
            raise error from RuntimeError(f"in a worker process:\n{trace}")
        return result

    @property
    def cannot_start(self) -> bool:
        """Whether several workers have not started, and none has answered."""
        return not self.has_answered and self._n_failed_starts >= MOST_WORKERS_PER_PAGE

    def take_losses(self) -> list[Loss]:
        """Return why workers were lost since the last call; may be called from any thread."""
        return [self._losses.popleft() for _ in range(len(self._losses))]

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

    def _own_worker(self) -> Worker:
        """Return the worker of this thread."""
        worker: Worker | None = getattr(self._own, "worker", None)
        if worker is not None:
            loss = worker.find_loss()
            if loss is None:
                return worker
            if not worker.is_reported:
                self._lose(loss)
        with self._lock:
            if self._is_closed:
                raise RuntimeError("the worker processes are closed")
            if worker is not None:
                self._workers.discard(worker)
                worker.close()
            self._own.worker = None  # if the next one cannot start
            self._own.worker = worker = Worker(self._memory)
            self._workers.add(worker)
        return worker

    def _lose(self, loss: Loss) -> None:
        if not self._is_closed:
            self._losses.append(loss)


def _kill_at_exit(workers: WorkerProcesses) -> None:
    """Let *workers* be killed when Python ends. Their threads would wait for the answers, and Python for the threads.

    Functions of :mod:`atexit` run after that. Without this private function, the exit waits for the pages in progress.
    """
    _register_kill()
    _OPEN.add(workers)


@cache
def _register_kill() -> None:
    def kill_open() -> None:
        for workers in list(_OPEN):
            workers.kill()

    register = getattr(threading, "_register_atexit", None)
    if register is not None:
        register(kill_open)


class WorkerThreads(ThreadPoolExecutor):
    """Threads that each have a worker process; the functions that they run reach it through :attr:`processes`."""

    def __init__(self, n_workers: int, memory: int | None = WORKER_MEMORY) -> None:
        super().__init__(n_workers, "web2text")
        self.processes = WorkerProcesses(memory)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = True) -> None:  # noqa: ARG002  both always on
        """End the processes now, and with them the threads; cancel the functions that have not begun."""
        self.processes.kill()
        super().shutdown(wait=True, cancel_futures=True)
        self.processes.close()
