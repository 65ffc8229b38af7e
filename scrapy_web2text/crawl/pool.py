"""Where the work of a crawl is done: in threads or processes of its own, or inline; a few pages at a time."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from scrapy.utils.asyncio import is_asyncio_available

from scrapy_web2text.crawl.processes import WorkerProcesses

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from concurrent.futures import Future

    from scrapy_web2text.crawl.settings import Executor
    from scrapy_web2text.extraction import Extraction
    from scrapy_web2text.extractor import Extractor

__all__ = ["Pool", "Semaphore", "make_semaphore"]

_T = TypeVar("_T")


class Semaphore(Protocol):
    """What asyncio's and Twisted's semaphores have in common."""

    def acquire(self) -> Awaitable[Any]:
        """Wait for a free slot and take it."""
        ...

    def release(self) -> Any:
        """Give the slot back."""
        ...


def make_semaphore(n_slots: int) -> Semaphore:
    """Return a semaphore that can be awaited in the running crawl, with or without asyncio."""
    if is_asyncio_available():
        return asyncio.Semaphore(n_slots)
    from twisted.internet.defer import DeferredSemaphore  # noqa: PLC0415  only a crawl without asyncio needs Twisted

    return DeferredSemaphore(n_slots)


class Pool:
    """Runs functions off the event loop, ``2 * workers`` at a time with those that wait for a thread.

    The threads are the pool's own, since long work in the loop's default pool delays its name look-ups.
    They start with the first function. With ``process``, each has a process that extracts pages for it.
    """

    def __init__(self, executor: Executor, workers: int) -> None:
        self._workers = workers
        self._threads = None if executor == "inline" else ThreadPoolExecutor(workers, "web2text")
        self._processes = WorkerProcesses() if executor == "process" else None
        self._slots: Semaphore | None = None

    async def extract(
        self, extractor: Extractor, html: str | bytes, url: str | None, encoding: str | None
    ) -> Extraction:
        """Return what *extractor*, or its like in a process, finds on one page; raise what it raises.

        :raises WorkerDied: if the process dies over the page.
        :raises RuntimeError: if the pool is closed.
        """
        if self._processes is not None:
            return await self.run(self._processes.extract, extractor.options, html, url, encoding)
        return await self.run(extractor.extract, html, url, encoding=encoding)

    async def run(self, function: Callable[..., _T], /, *args: Any, **kwargs: Any) -> _T:
        """Return what *function* returns, or raise what it raises.

        :raises RuntimeError: if the pool is closed.
        """
        if self._threads is None:
            return function(*args, **kwargs)
        if self._slots is None:
            self._slots = make_semaphore(2 * self._workers)
        slots = self._slots
        await slots.acquire()
        try:
            return await _awaitable(self._threads.submit(partial(function, *args, **kwargs)))
        finally:
            slots.release()

    def close(self) -> None:
        """Take no more functions, forget those that wait, and let the threads end with those that run.

        Processes end at once, and with them what their threads wait for.
        """
        if self._processes is not None:
            self._processes.kill()
        if self._threads is not None:
            self._threads.shutdown(wait=self._processes is not None, cancel_futures=True)
        if self._processes is not None:
            self._processes.close()


def _awaitable(future: Future[_T]) -> Awaitable[_T]:
    """Return *future* as the running crawl can await it.

    Scrapy coroutines await asyncio's futures, and Twisted's Deferreds where another reactor runs.
    """
    if is_asyncio_available():
        return asyncio.wrap_future(future)
    from twisted.internet import reactor  # noqa: PLC0415  its import installs a reactor
    from twisted.internet.defer import Deferred  # noqa: PLC0415

    deferred: Deferred[_T] = Deferred()

    def fire() -> None:
        try:
            result = future.result()
        except BaseException as e:  # noqa: BLE001  whatever it is, such as that the pool has forgotten the function
            deferred.errback(e)
        else:
            deferred.callback(result)

    future.add_done_callback(lambda _: reactor.callFromThread(fire))
    return deferred
