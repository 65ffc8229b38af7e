"""One worker process, from the side of its parent."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from contextlib import contextmanager, suppress
from math import inf
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, cast

from scrapy_web2text._version import __version__
from scrapy_web2text.exceptions import WorkerDied, WorkerNotStarted, WorkerTimeout
from scrapy_web2text.workers.answers import decode_answer
from scrapy_web2text.workers.worker import READY, blocked_signals, read_frame, write_frame

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_web2text.workers.worker import Task

# Why a worker was lost. docs/guarantees.md explains each.
Loss = Literal["died", "timeout", "answer", "memory", "start"]
# An answer is in the worker's memory several times before it is sent: as the tree, as objects and as text.
_MEMORY_PER_ANSWER = 8
# If a worker holds more than this share of its memory after a page, it is replaced before it has to refuse other pages.
# The memory for modules does not count: every worker needs it, however small its limit is.
_MODULE_BYTES = 350_000_000
_LARGEST_SHARE = 0.5
_LONGEST_START = 60.0  # seconds; usually 0.3
_LONGEST_END = 5.0  # seconds
_LONGEST_LINE = 100_000  # bytes that Python may print at startup before each end of line


class Worker:
    """One worker process, and the pipes to and from it.

    :param memory: limit of the address space of the process, in bytes; None for no limit.
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
        most = _MODULE_BYTES + _LARGEST_SHARE * (self._memory - _MODULE_BYTES)
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
