"""Runs the work of a crawl, a few pages at a time: in threads or processes of its own, or inline."""

from __future__ import annotations

import asyncio
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from scrapy_web2text.exceptions import WorkerDied, WorkerNotStarted
from scrapy_web2text.workers.processes import WORKER_MEMORY, WorkerThreads
from scrapy_web2text.workers.worker import check_options, extract_page, get_extractor

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_web2text.crawl.settings import Executor
    from scrapy_web2text.extraction import Extraction
    from scrapy_web2text.options import Options
    from scrapy_web2text.workers.process import Loss

_T = TypeVar("_T")


class Pool:
    """Runs functions off the event loop; at most ``2 * workers`` at a time are running or waiting for a thread.

    The pool has threads of its own, since long work in the default pool of the event loop delays DNS lookups. With
    ``process``, each thread has a process that extracts pages for it; if none can start, the thread itself does.

    :param worker_memory: limit of the address space of a process, in bytes; None for no limit.
    """

    def __init__(self, executor: Executor, workers: int, worker_memory: int | None = WORKER_MEMORY) -> None:
        self._n_slots = 2 * workers
        self._slots = asyncio.Semaphore(self._n_slots)
        self._threads: ThreadPoolExecutor | None = None
        if executor == "process":
            self._threads = WorkerThreads(workers, worker_memory)
        elif executor == "thread":
            self._threads = ThreadPoolExecutor(workers, "web2text")
        self._checked: deque[Options] = deque(maxlen=64)
        self.start_error: WorkerNotStarted | None = None
        """Why pages are extracted in threads although processes were asked for; None if processes extract them."""

    def check(self, options: Options) -> list[tuple[str, str]]:
        """Return the warnings of an extractor with *options*, created where pages are extracted: often in a worker.

        :raises OptionError, ModelError: as :class:`Extractor`. The pool is then closed.
        """
        try:
            return (
                self._check(options) if self._threads is None else self._threads.submit(self._check, options).result()
            )
        except Exception:
            self.close()
            raise

    async def check_later(self, options: Options) -> list[tuple[str, str]]:
        """Return the warnings as :meth:`check` does, while the crawl goes on; none for options checked before."""
        if options in self._checked:
            return []
        found = await self.run(self._check, options)
        self._checked.append(options)
        return found

    def _check(self, options: Options) -> list[tuple[str, str]]:
        if not isinstance(self._threads, WorkerThreads) or self.start_error is not None:
            return get_extractor(options).warnings
        with suppress(WorkerDied, WorkerNotStarted):
            return [*self._threads.processes.run(check_options, options, seconds=None)]
        return []

    async def extract(
        self, options: Options, html: str | bytes, url: str | None, encoding: str | None, *, paths: bool = True
    ) -> Extraction:
        """Return the answer of an extractor with *options* for one page; raise what it raises.

        :raises WorkerDied: if the process dies while it extracts the page.
        :raises WorkerNotStarted: if the process does not start; a later one may start.
        :raises RuntimeError: if the pool is closed.
        """
        if isinstance(self._threads, WorkerThreads) and self.start_error is None:
            processes = self._threads.processes
            try:
                return await self.run(processes.extract, options, html, url, encoding, paths=paths)
            except WorkerNotStarted as e:
                if not processes.cannot_start:
                    raise
                self.start_error = e
        return await self.run(extract_page, options, html, url, encoding, paths=paths)

    async def run(self, function: Callable[..., _T], /, *args: Any, **kwargs: Any) -> _T:
        """Return what *function* returns, or raise what it raises.

        :raises RuntimeError: if the pool is closed.
        """
        if self._threads is None:
            return function(*args, **kwargs)
        async with self._slots:
            return await asyncio.wrap_future(self._threads.submit(partial(function, *args, **kwargs)))

    def take_losses(self) -> list[Loss]:
        """Return why worker processes were lost since the last call."""
        return self._threads.processes.take_losses() if isinstance(self._threads, WorkerThreads) else []

    async def finish(self) -> None:
        """Let the functions in progress end, and close the pool. Items of ``scrapy parse`` outlive their spider."""
        for _ in range(self._n_slots):
            await self._slots.acquire()
        self.close()
        for _ in range(self._n_slots):
            self._slots.release()

    def close(self) -> None:
        """Take no more functions, cancel the functions that have not begun, and let the threads end.

        Worker processes end at once; functions that run in threads run to their end.
        """
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)
