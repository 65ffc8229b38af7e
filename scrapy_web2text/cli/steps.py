"""The answers of ``web2text batch``: pages go to worker processes, and lines come back."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import closing
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from scrapy_web2text.archives.meter import Meter
from scrapy_web2text.archives.records import Record, Skipped
from scrapy_web2text.archives.sources import Columns, read_archive
from scrapy_web2text.cli.inputs import Pages
from scrapy_web2text.cli.lines import Line, extract_values, failed_line, record_values
from scrapy_web2text.crawl.processes import MOST_WORKERS_PER_PAGE, WorkerThreads, clock_limit
from scrapy_web2text.exceptions import WorkerDied, WorkerNotStarted, WorkerTimeout
from scrapy_web2text.reasons import REASONS

if TYPE_CHECKING:
    from scrapy_web2text.archives.records import Item
    from scrapy_web2text.cli.duplicates import Fingerprints
    from scrapy_web2text.cli.inputs import Source
    from scrapy_web2text.crawl.processes import WorkerProcesses
    from scrapy_web2text.crawl.sites import SiteIndex
    from scrapy_web2text.options import Options

__all__ = ["START", "Position", "Step", "Task", "Work", "extract_sources", "list_records", "run_task"]

_AHEAD_PER_WORKER: Final = 8


class Position(NamedTuple):
    """A place between two pages.

    :param n_sources: how many sources are finished.
    :param n_items: how many pages or records of the next one are.
    """

    n_sources: int
    n_items: int


START: Final = Position(0, 0)


@dataclass(frozen=True, slots=True)
class Work:
    """What is done with each page.

    :param url_sources: where the URLs of pages are from, see :func:`~scrapy_web2text.cli.urls.find_url`.
    :param sites: the options of pages by their URLs.
    :param columns: where archives hold the HTML and the URL of a page.
    :param fingerprints: what is compared of the texts.
    """

    options: Options
    url_sources: Sequence[str]
    sites: SiteIndex
    columns: Columns = Columns()  # noqa: RUF009  frozen
    fingerprints: Fingerprints = None

    @property
    def arguments(self) -> tuple[Any, ...]:
        """What a :data:`Task` is called with after its own arguments."""
        return self.options, self.url_sources, self.sites, self.fingerprints


@dataclass(frozen=True, slots=True)
class Step:
    """The next line, or records that are not pages, by their types.

    :param position: all pages before it have come.
    :param ahead: those after it that have come, too, if lines come out of order. It changes with the next step.
    """

    position: Position
    line: Line | None = None
    others: Counter[str] = field(default_factory=Counter)
    ahead: Collection[Position] = ()


_Result: TypeAlias = "Future[Line] | Line | Counter[str]"
# What a worker does with a page, its arguments before those of all pages, and where the page is, for its line.
Task: TypeAlias = tuple[Callable[..., tuple[Any, ...]], tuple[Any, ...], dict[str, Any]]


def extract_sources(
    sources: Sequence[Source],
    work: Work,
    lost: Counter[str],
    *,
    start: Position = START,
    ahead: Collection[Position] = (),
    is_ordered: bool = True,
    n_jobs: int,
    memory: int | None,
    meter: Meter | None = None,
) -> Generator[Step, None, None]:
    """Yield the answers. The workers run ahead by a bounded number of pages.

    :param lost: counts the workers that are lost, by cause.
    :param start: where to begin.
    :param ahead: places after *start* that are finished.
    :param is_ordered: whether the answers come in the order of the pages, or as soon as they are there.
    :param meter: counts the bytes that are read.
    """
    n_ahead = _AHEAD_PER_WORKER * n_jobs
    queue = _Queue(start, ahead, is_ordered=is_ordered)
    tasks = _list_tasks(sources, work, start, meter or Meter())
    with WorkerThreads(n_jobs, memory) as threads, closing(tasks):
        for task, position in tasks:
            if position in ahead:
                queue.pass_by(position)
            elif isinstance(task, tuple):
                queue.add(threads.submit(run_task, threads.processes, task, work), position)
            else:
                queue.add(task, position)
            while len(queue) >= n_ahead or queue.is_ready():
                yield queue.take()
                lost.update(threads.processes.take_losses())
        while len(queue):
            yield queue.take()
        lost.update(threads.processes.take_losses())


class _Queue:
    """The pages on their way through the workers, and how far all pages before them have come.

    :param start: see :func:`extract_sources`, as for *ahead* and *is_ordered*.
    """

    def __init__(self, start: Position, ahead: Collection[Position], *, is_ordered: bool) -> None:
        self._is_ordered = is_ordered
        self._position = start
        self._ahead = {*ahead}
        self._places: deque[Position] = deque()  # those after the position, in the order of the pages
        self._pending: dict[Position, _Result] = {}
        self._done: SimpleQueue[Position] = SimpleQueue()  # those of the pending that are done, if that is the order

    def __len__(self) -> int:
        return len(self._pending)

    def add(self, result: _Result, position: Position) -> None:
        """Add the answer for a page, or records that are not pages, with the *position* after them."""
        if isinstance(result, Counter) and self._places and self._is_ordered:
            last = self._pending.get(self._places[-1])
            if isinstance(last, Counter):
                del self._pending[self._places.pop()]
                result = last + result
        self._places.append(position)
        self._pending[position] = result
        if self._is_ordered:
            return
        if isinstance(result, Future):
            result.add_done_callback(lambda _: self._done.put(position))
        else:
            self._done.put(position)

    def pass_by(self, position: Position) -> None:
        """Add a page whose answer came before this run."""
        self._places.append(position)

    def is_ready(self) -> bool:
        """Return whether a step can be taken without waiting, or almost."""
        if not self._is_ordered:
            return not self._done.empty()
        return isinstance(next(iter(self._pending.values()), None), Line | Counter)

    def take(self) -> Step:
        """Return the next step. It waits for one."""
        position = next(iter(self._pending)) if self._is_ordered else self._done.get()
        result = self._pending.pop(position)
        self._ahead.add(position)
        while self._places and self._places[0] in self._ahead:
            self._position = self._places.popleft()
            self._ahead.discard(self._position)
        if isinstance(result, Counter):
            return Step(self._position, others=result, ahead=self._ahead)
        return Step(self._position, result if isinstance(result, Line) else result.result(), ahead=self._ahead)


def _list_tasks(
    sources: Sequence[Source], work: Work, start: Position, meter: Meter
) -> Generator[tuple[Task | Line | Counter[str], Position], None, None]:
    """Yield a task for each page after *start*, or what is known of a record without one; and the position after it."""
    n_done = start.n_items
    for n_sources, source in enumerate(sources[start.n_sources :], start.n_sources):
        if isinstance(source, Pages):
            tasks: Iterator[Task | Line | Counter[str]] = _list_files(source, n_done, meter)
        else:
            items = read_archive(source, work.columns, n_done, work.options.max_bytes, meter)
            tasks = list_records(source.name, items, n_done)
        for n_items, task in enumerate(tasks, n_done + 1):
            yield task, Position(n_sources, n_items)
        n_done = 0


def _list_files(pages: Pages, n_done: int, meter: Meter) -> Iterator[Task]:
    for path in pages.paths[n_done:]:
        meter.add_file(pages.folder / path)
        yield extract_values, (pages.folder, path), {"path": path.as_posix()}


def list_records(name: str, items: Iterable[Item], n_done: int = 0) -> Iterator[Task | Line | Counter[str]]:
    """Yield a task for each page of an archive, or what is known of a record without one.

    :param name: what the lines call the archive.
    :param items: its records after the first *n_done*.
    """
    for number, item in enumerate(items, n_done):
        where = {"path": name, "record": number}
        if isinstance(item, Record):
            yield record_values, (where, item), where
        elif isinstance(item, Skipped):
            yield Counter([item.kind])
        else:
            yield failed_line(where, "unreadable", item.error, gap=name if item.is_gap else None)


def run_task(processes: WorkerProcesses, task: Task, work: Work) -> Line:
    """Return the line of a page, from the worker process of this thread."""
    function, own, where = task
    seconds = clock_limit(work.options.timeout)
    for _ in range(MOST_WORKERS_PER_PAGE):
        try:
            return Line(*processes.run(function, *own, *work.arguments, seconds=seconds))
        except WorkerTimeout as error:
            return failed_line(where, "timeout", str(error), seconds=error.seconds)
        except MemoryError:  # the line did fit, its message did not
            return failed_line(where, "error", "MemoryError")
        except WorkerDied:
            continue
        except WorkerNotStarted:
            if processes.cannot_start:
                raise
    return failed_line(where, "worker_died", REASONS["worker_died"])
