"""Worker processes, from the side of their parent. Each thread that extracts pages has its own.

They are replaced when they die, take too long or grow too large.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import cache, partial
from math import inf
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Literal, cast
from weakref import WeakSet, finalize

from scrapy_web2text._version import __version__
from scrapy_web2text.exceptions import (
    AnswerError,
    Web2TextError,
    WorkerDied,
    WorkerNotStarted,
    WorkerRefused,
    WorkerTimeout,
)
from scrapy_web2text.extraction import Extraction
from scrapy_web2text.workers.answers import decode_answer
from scrapy_web2text.workers.worker import READY, blocked_signals, extract_page, read_frame, write_frame

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scrapy_web2text.options import Options
    from scrapy_web2text.workers.worker import Task

# Why a worker was lost. docs/guarantees.md explains each.
Loss = Literal["died", "timeout", "answer", "memory", "start"]

# The address space of a worker after a hundred pages is 260 MB, or 380 MB with metadata. A page of 10 MB, the default
# limit, takes 500 MB more.
WORKER_MEMORY: Final = 2_000_000_000
# An answer is in the worker's memory several times before it is sent: as the tree, as objects and as text.
_MEMORY_PER_ANSWER = 8
# If a worker holds more than this share of its memory after a page, it is replaced before it has to refuse other pages.
# The memory for modules does not count: every worker needs it, however small its limit is.
_OF_MODULES = 350_000_000
_LARGEST_SHARE = 0.5
_LONGEST_START = 60.0  # seconds; usually 0.3
_LONGEST_END = 5.0  # seconds
_WATCH = 0.1  # seconds between two checks of the time limits of all workers
_LONGEST_LINE = 100_000  # bytes that Python may print at startup before each end of line
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


class Worker:
    """One worker process, and the pipes to and from it.

    :param memory: the most address space of the process, in bytes; None for no limit.
    :raises WorkerNotStarted: if there is no program to start, or if the system refuses another process.
    """

    def __init__(self, memory: int | None) -> None:
        self._memory = memory
        # A program that embeds Python would start itself again.
        if not sys.executable or getattr(sys, "frozen", False):
            raise WorkerNotStarted(f"A worker process cannot start: no Python interpreter, got {sys.executable!r}")
        # Otherwise each worker would start as many threads for its arithmetic as the machine has cores.
        one_thread = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        # The worker must find the same modules as this process; scripts and Scrapyd's eggs change the path at run time.
        path = {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONSAFEPATH": "1"}
        command = [sys.executable, "-m", "scrapy_web2text.workers.worker", __version__, str(memory or 0)]
        try:
            with blocked_signals():
                self._process = subprocess.Popen(  # noqa: S603  our own program
                    command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=one_thread | os.environ | path
                )
        except OSError as e:
            raise WorkerNotStarted(f"A worker process cannot start: {e}") from e
        self._tasks, self._answers = cast("tuple[BinaryIO, BinaryIO]", (self._process.stdin, self._process.stdout))
        self._lock = threading.Lock()
        self._deadline = inf  # of `monotonic`
        self._is_ready = False
        self._is_late = False
        self._is_usable = True

    def ask(self, task: Task, seconds: float | None) -> tuple[Any, Exception | None, str]:
        """Return the answer to *task*: its result, its error and the traceback of the error.

        :param seconds: wall-clock time after which the process is killed, not counting its start; None for no limit.
        :raises WorkerNotStarted, WorkerTimeout, WorkerDied: as :meth:`WorkerProcesses.run`.
        """
        message = pickle.dumps(task, pickle.HIGHEST_PROTOCOL)
        # If this call is interrupted, the next one must not get its answer.
        self._is_usable = False
        try:
            self._wait_until_ready()
            with self._time_limit(seconds):
                write_frame(self._tasks, message)
                most = None if self._memory is None else self._memory // _MEMORY_PER_ANSWER
                message = read_frame(self._answers, most)
            answer = decode_answer(message)
        except (EOFError, OSError):
            status = self._end()
            if self._is_late and seconds is not None:
                raise WorkerTimeout(seconds) from None
            raise WorkerDied(f"A worker process died with status {status}") from None
        except AnswerError as e:
            raise WorkerRefused(f"A worker process was killed: {e}") from None
        self._is_usable = True
        return answer

    def find_loss(self) -> Loss | None:
        """Return why the process cannot do the next task; None if it can."""
        if self._is_late:
            return "timeout"
        if not self._is_usable or self._process.poll() is not None:
            return "died"
        if self._memory is None:
            return None
        most = _OF_MODULES + _LARGEST_SHARE * (self._memory - _OF_MODULES)
        return "memory" if self._address_space() > most else None

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
        if self._is_ready:
            return
        with self._time_limit(_LONGEST_START):
            while not self._is_ready and (line := self._answers.readline(_LONGEST_LINE)):
                self._is_ready = line.endswith(READY)
        if self._is_ready and not self._is_late:
            return
        late = f" in {_LONGEST_START:g} s" if self._is_late else ""
        raise WorkerNotStarted(f"A worker process did not start{late} and ended with status {self._end()}")

    def _end(self) -> int:
        """Return the status of the process, which has closed its pipe and is about to end."""
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(_LONGEST_END)
        self._process.kill()
        return self._process.wait()

    def _address_space(self) -> int:
        """Return the size of the process, in bytes; 0 where there is no ``/proc``."""
        with suppress(OSError, IndexError):
            n_pages = Path(f"/proc/{self._process.pid}/statm").read_bytes().split()[0]
            return int(n_pages) * os.sysconf("SC_PAGE_SIZE")
        return 0

    @contextmanager
    def _time_limit(self, seconds: float | None) -> Iterator[None]:
        """Let :meth:`kill_late` kill the process if the block takes longer than *seconds*."""
        self._deadline = inf if seconds is None else monotonic() + seconds
        try:
            yield
        finally:
            with self._lock:
                self._deadline = inf

    def kill_late(self) -> None:
        """End the process if a time limit has passed; may be called from any thread."""
        with self._lock:
            if monotonic() > self._deadline:
                self._is_late = True
                self._process.kill()


class WorkerProcesses:
    """A worker process for each thread, started with the first task of the thread.

    Calls block. So they work with every reactor and without a reactor, unlike subprocesses of an event loop. Unlike
    processes of multiprocessing, the workers do not import the user's ``__main__``.

    :param memory: the most address space of a worker, in bytes; also bounds its answers. None for no limit.
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
