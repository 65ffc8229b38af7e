"""Worker processes, from the side of their parent. Each thread that extracts pages has its own.

They are replaced when they die, take too long or grow too large.
"""

from __future__ import annotations

import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from math import inf
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakSet, finalize

from scrapy_web2text.exceptions import (
    Web2TextError,
    WorkerDied,
    WorkerNotStarted,
    WorkerRefused,
    WorkerTimeout,
)
from scrapy_web2text.extraction import Extraction
from scrapy_web2text.workers.process import Worker
from scrapy_web2text.workers.worker import extract_page

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_web2text.options import Options
    from scrapy_web2text.workers.process import Loss

# The address space of a worker after a hundred pages is 260 MB, or 380 MB with metadata. A page of 10 MB, the default
# limit, takes 500 MB more.
WORKER_MEMORY: Final = 2_000_000_000
_WATCH = 0.1  # seconds between two checks of the time limits of all workers
MOST_WORKERS_PER_PAGE: Final = 2  # the first may have died of another cause, such as a lack of memory

_LOSSES: Final[dict[type[Web2TextError], Loss]] = {
    WorkerDied: "died",
    WorkerTimeout: "timeout",
    WorkerRefused: "answer",
    WorkerNotStarted: "start",
}

# A worker measures its CPU time and stops by itself; each page has twice the timeout. The parent sees only wall-clock
# time, which is longer, since other workers, the crawl and other programs need the CPUs too.
# Loading a model is not limited, and a parse cannot be interrupted.
_CLOCK_PER_WORK = 2.0
_GRACE = 5.0  # seconds


def clock_limit(timeout: float | None) -> float | None:
    """Return the wall-clock seconds after which a worker is killed, for the option *timeout*; None for no limit."""
    return None if timeout is None else _CLOCK_PER_WORK * 2 * timeout + _GRACE


class WorkerProcesses:
    """A worker process for each thread, started with the first task of the thread.

    Calls block. So they work with every reactor and without a reactor, unlike subprocesses of an event loop. Unlike
    processes of multiprocessing, the workers do not import the user's ``__main__``.

    :param memory: limit of the address space of a worker, in bytes; it also bounds the answers. None for no limit.
    """

    def __init__(self, memory: int | None = WORKER_MEMORY) -> None:
        self._memory = memory
        self._losses: deque[Loss] = deque()
        self._own = threading.local()
        self._lock = threading.Lock()
        self._workers: set[Worker] = set()
        _OPEN.add(self)
        _kill_at_exit()
        self._closed = threading.Event()
        finalize(self, self._closed.set)
        threading.Thread(target=_watch, args=(self._workers, self._lock, self._closed), daemon=True).start()
        self._n_failed_starts = 0.0  # minus infinity once a worker has answered

    def extract(
        self, options: Options, html: str | bytes, url: str | None, encoding: str | None, *, paths: bool = True
    ) -> Extraction:
        """Return the answer of a worker for a page; if the worker is late, an empty answer with the reason ``timeout``.

        :attr:`Extraction.elapsed` is then the wall-clock time: the CPU time of a killed worker is not known.

        :raises WorkerDied, WorkerNotStarted, RuntimeError: as :meth:`run`.
        """
        try:
            answer = self.run(
                partial(extract_page, paths=paths), options, html, url, encoding, seconds=clock_limit(options.timeout)
            )
        except WorkerTimeout as e:
            return Extraction(reason="timeout", url=url, elapsed=e.seconds)
        except MemoryError:  # the extraction fit into memory, its message did not
            return Extraction(reason="error", error="MemoryError", url=url)
        if not isinstance(answer, Extraction):
            self._drop_own_worker("answer")
            raise WorkerRefused(f"A worker process was killed: expected an extraction, got {answer!r:.100}")
        return answer

    def run(self, function: Callable[..., Any], /, *args: Any, seconds: float | None) -> Any:
        """Return what *function* returns in the worker of this thread, or raise what it raises.

        :param function: a function at the top of a module, or a partial of one. It returns an extraction or plain data,
            see :mod:`~scrapy_web2text.workers.answers`.
        :param seconds: wall-clock time after which the worker is killed; None for no limit.
        :raises WorkerTimeout: if the worker is killed after *seconds*.
        :raises WorkerDied: if the worker dies of another cause, or sends something other than an answer.
        :raises WorkerNotStarted: if the worker does not start.
        :raises RuntimeError: if the workers are closed.
        """
        try:
            result, error, trace = self._own_worker().ask((function, args), seconds)
        except tuple(_LOSSES) as e:
            self._n_failed_starts += isinstance(e, WorkerNotStarted)
            self._drop_own_worker(_LOSSES[type(e)])
            raise
        self._n_failed_starts = -inf
        if error is not None:
            raise error from RuntimeError(f"in a worker process:\n{trace}")
        return result

    @property
    def cannot_start(self) -> bool:
        """Whether several workers have not started, and none has answered."""
        return self._n_failed_starts >= MOST_WORKERS_PER_PAGE

    def take_losses(self) -> list[Loss]:
        """Return why workers were lost since the last call; may be called from any thread."""
        return [self._losses.popleft() for _ in range(len(self._losses))]

    def kill(self) -> None:
        """End all workers now and start no more. Threads that wait for an answer get :class:`WorkerDied`."""
        with self._lock:
            self._closed.set()
            for worker in self._workers:
                worker.kill()

    def close(self) -> None:
        """Free what the workers held. No thread may still be waiting for an answer."""
        self.kill()
        while self._workers:
            self._workers.pop().close()

    def _own_worker(self) -> Worker:
        """Return the worker of this thread. If the last worker is lost, return a new one."""
        worker: Worker | None = getattr(self._own, "worker", None)
        if worker is not None and (loss := worker.find_loss()) is not None:
            self._drop_own_worker(loss)
            worker = None
        with self._lock:
            if self._closed.is_set():
                raise RuntimeError("the worker processes are closed")
            if worker is None:
                self._own.worker = worker = Worker(self._memory)
                self._workers.add(worker)
        return worker

    def _drop_own_worker(self, loss: Loss) -> None:
        """End the worker of this thread, if it has started, and note why."""
        worker: Worker | None = getattr(self._own, "worker", None)
        self._own.worker = None
        with self._lock:
            if worker is not None:
                self._workers.discard(worker)
                worker.close()
            if not self._closed.is_set():
                self._losses.append(loss)


def _watch(workers: set[Worker], lock: threading.Lock, end: threading.Event) -> None:
    """End late workers until *end*. A timer for each task would cost more than sending it."""
    while not end.wait(_WATCH):
        with lock:
            for worker in workers:
                worker.kill_late()


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


# The processes to kill if they have not been closed when Python ends, such as after a second Ctrl-C.
_OPEN: WeakSet[WorkerProcesses] = WeakSet()


@cache
def _kill_at_exit() -> None:
    """Kill the workers in `_OPEN` when Python ends. Otherwise Python would wait for threads that wait for answers.

    Functions of :mod:`atexit` would run too late, after Python has waited. If Python lacks the private function that is
    used here, the exit waits for the pages in progress.
    """

    def kill_open() -> None:
        for workers in list(_OPEN):
            workers.kill()

    register = getattr(threading, "_register_atexit", None)
    if register is not None:
        register(kill_open)
