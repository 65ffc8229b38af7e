"""The answers of ``web2text batch``, in the order of its inputs: pages go to worker processes, and lines come back."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from scrapy_web2text.archives.records import Record, Skipped
from scrapy_web2text.archives.sources import Columns, read_archive
from scrapy_web2text.cli.inputs import Pages
from scrapy_web2text.cli.lines import Line, extract_values, failed_line, record_values
from scrapy_web2text.crawl.processes import MOST_WORKERS_PER_PAGE, WorkerThreads, clock_limit
from scrapy_web2text.exceptions import WorkerDied, WorkerNotStarted, WorkerTimeout
from scrapy_web2text.reasons import REASONS

if TYPE_CHECKING:
    from concurrent.futures import Future

    from scrapy_web2text.archives.records import Item
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
    """

    options: Options
    url_sources: Sequence[str]
    sites: SiteIndex
    columns: Columns = Columns()  # noqa: RUF009  frozen


@dataclass(frozen=True, slots=True)
class Step:
    """The next line, or records that are not pages, by their types; and the position after them."""

    position: Position
    line: Line | None = None
    others: Counter[str] = field(default_factory=Counter)


# What a worker does with a page, its arguments before those of all pages, and where the page is, for its line.
Task: TypeAlias = tuple[Callable[..., tuple[Any, ...]], tuple[Any, ...], dict[str, Any]]


def extract_sources(
    sources: Sequence[Source],
    work: Work,
    lost: Counter[str],
    *,
    start: Position = START,
    n_jobs: int,
    memory: int | None,
) -> Generator[Step, None, None]:
    """Yield the answers in order. The workers run ahead by a bounded number of pages.

    :param lost: counts the workers that are lost, by cause.
    :param start: where to begin.
    """
    n_ahead = _AHEAD_PER_WORKER * n_jobs
    pending: deque[tuple[Future[Line] | Line | Counter[str], Position]] = deque()
    with WorkerThreads(n_jobs, memory) as threads, closing(_list_tasks(sources, work, start)) as tasks:
        for task, position in tasks:
            if isinstance(task, tuple):
                pending.append((threads.submit(run_task, threads.processes, task, work), position))
            elif isinstance(task, Counter) and pending and isinstance(pending[-1][0], Counter):
                pending[-1] = (pending[-1][0] + task, position)
            else:
                pending.append((task, position))
            while len(pending) >= n_ahead or (pending and isinstance(pending[0][0], Line | Counter)):
                yield _finish(*pending.popleft())
                lost.update(threads.processes.take_losses())
        while pending:
            yield _finish(*pending.popleft())
        lost.update(threads.processes.take_losses())


def _finish(result: Future[Line] | Line | Counter[str], position: Position) -> Step:
    if isinstance(result, Counter):
        return Step(position, others=result)
    return Step(position, result if isinstance(result, Line) else result.result())


def _list_tasks(
    sources: Sequence[Source], work: Work, start: Position
) -> Generator[tuple[Task | Line | Counter[str], Position], None, None]:
    """Yield a task for each page after *start*, or what is known of a record without one; and the position after it."""
    n_done = start.n_items
    for n_sources, source in enumerate(sources[start.n_sources :], start.n_sources):
        if isinstance(source, Pages):
            tasks: Iterator[Task | Line | Counter[str]] = _list_files(source, n_done)
        else:
            items = read_archive(source, work.columns, n_done, work.options.max_bytes)
            tasks = list_records(source.name, items, n_done)
        for n_items, task in enumerate(tasks, n_done + 1):
            yield task, Position(n_sources, n_items)
        n_done = 0


def _list_files(pages: Pages, n_done: int) -> Iterator[Task]:
    for path in pages.paths[n_done:]:
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
            common = work.options, work.url_sources, work.sites
            return Line(*processes.run(function, *own, *common, seconds=seconds))
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
