"""The answers for many pages: pages go to worker processes, and answers come back, input after input."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import closing
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from scrapy_web2text.batch.archives import read_archive
from scrapy_web2text.batch.inputs import Pages
from scrapy_web2text.batch.page_answers import PageAnswer, answer_failure, answer_file_values, answer_record_values
from scrapy_web2text.batch.records import Meter, Record, Skipped
from scrapy_web2text.batch.tables import Columns
from scrapy_web2text.exceptions import WorkerDied, WorkerNotStarted, WorkerTimeout
from scrapy_web2text.reasons import REASONS
from scrapy_web2text.workers.processes import MOST_WORKERS_PER_PAGE, WorkerThreads, clock_limit

if TYPE_CHECKING:
    from scrapy_web2text.batch.duplicates import Fingerprints
    from scrapy_web2text.batch.inputs import BatchInput
    from scrapy_web2text.batch.records import Item
    from scrapy_web2text.crawl.sites import SiteIndex
    from scrapy_web2text.options import Options
    from scrapy_web2text.workers.processes import WorkerProcesses


_AHEAD_PER_WORKER: Final = 8


@dataclass(frozen=True, slots=True)
class PageWork:
    """What is done with each page.

    :param url_sources: where the URLs of pages are from, see :func:`~scrapy_web2text.batch.urls.find_url`.
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
        """What the function of a :data:`PageTask` is called with after its own arguments."""
        return self.options, self.url_sources, self.sites, self.fingerprints


class InputEnd:
    """All pages of the next input have their answers."""


# What a worker does with a page, its arguments before those of all pages, and where the page is, for its answer.
PageTask: TypeAlias = tuple[Callable[..., tuple[Any, ...]], tuple[Any, ...], dict[str, Any]]
# The answer for a page, records that are not pages by their types, or the end of an input.
Outcome: TypeAlias = PageAnswer | Counter[str] | InputEnd


def answer_pages(
    inputs: Sequence[BatchInput],
    work: PageWork,
    lost: Counter[str],
    *,
    is_ordered: bool = True,
    n_jobs: int,
    memory: int | None,
    meter: Meter,
) -> Generator[Outcome, None, None]:
    """Yield the answers, input after input. The workers run ahead by a bounded number of pages.

    :param lost: counts the workers that are lost, by cause.
    :param is_ordered: whether the answers of an input come in the order of its pages, or as they are finished.
    :param meter: counts the bytes that are read.
    """
    n_ahead = _AHEAD_PER_WORKER * n_jobs
    queue = _Queue(is_ordered=is_ordered)
    tasks = _list_tasks(inputs, work, meter)
    with WorkerThreads(n_jobs, memory) as threads, closing(tasks):
        for task in tasks:
            if isinstance(task, tuple):
                queue.add(threads.submit(run_task, threads.processes, task, work))
            else:
                queue.add(task)
            while len(queue) >= n_ahead or queue.is_ready():
                yield queue.take()
                lost.update(threads.processes.take_losses())
        while len(queue):
            yield queue.take()
        lost.update(threads.processes.take_losses())


class _Queue:
    """The pages on their way through the workers, in their order."""

    def __init__(self, *, is_ordered: bool) -> None:
        self._is_ordered = is_ordered
        self._results: deque[Future[PageAnswer] | Outcome] = deque()

    def __len__(self) -> int:
        return len(self._results)

    def add(self, result: Future[PageAnswer] | Outcome) -> None:
        """Add the answer for a page, or what is known without a worker."""
        last = self._results[-1] if self._results else None
        if isinstance(result, Counter) and isinstance(last, Counter):
            last.update(result)
        else:
            self._results.append(result)

    def is_ready(self) -> bool:
        """Return whether an answer can be taken without waiting."""
        return self._find_done() is not None

    def take(self) -> Outcome:
        """Return the next answer. It waits for one."""
        place = self._find_done()
        if place is None:
            wait([each for each in self._list_next() if isinstance(each, Future)], return_when=FIRST_COMPLETED)
            place = self._find_done()
        result = self._results[place or 0]
        del self._results[place or 0]
        return result.result() if isinstance(result, Future) else result

    def _list_next(self) -> Iterable[Future[PageAnswer] | Outcome]:
        """Return what may come next: the first, or all of the same input."""
        if self._is_ordered or isinstance(self._results[0], InputEnd):
            return [self._results[0]]
        return takewhile(lambda each: not isinstance(each, InputEnd), self._results)

    def _find_done(self) -> int | None:
        """Return the place of the first result that may come next and is there; None if there is none."""
        if not self._results:
            return None
        done = (place for place, each in enumerate(self._list_next()) if not isinstance(each, Future) or each.done())
        return next(done, None)


def _list_tasks(
    inputs: Sequence[BatchInput], work: PageWork, meter: Meter
) -> Generator[PageTask | Outcome, None, None]:
    """Yield a task for each page, or what is known of a record without one, and the end of each input."""
    for each in inputs:
        if isinstance(each, Pages):
            for path in each.paths:
                meter.add_file(each.folder / path)
                yield answer_file_values, (each.folder, path), {"path": path.as_posix()}
        else:
            yield from list_records(each.name, read_archive(each, work.columns, work.options.max_bytes, meter))
        yield InputEnd()


def list_records(name: str, items: Iterable[Item]) -> Iterator[PageTask | PageAnswer | Counter[str]]:
    """Yield a task for each page of an archive, or what is known of a record without one.

    :param name: what the answers call the archive.
    """
    for number, item in enumerate(items):
        where = {"path": name, "record": number}
        if isinstance(item, Record):
            yield answer_record_values, (where, item), where
        elif isinstance(item, Skipped):
            yield Counter([item.kind])
        else:
            yield answer_failure(where, "unreadable", item.error, gap=name if item.is_gap else None)


def run_task(processes: WorkerProcesses, task: PageTask, work: PageWork) -> PageAnswer:
    """Return the answer for a page, from the worker process of this thread."""
    function, own, where = task
    seconds = clock_limit(work.options.timeout)
    for _ in range(MOST_WORKERS_PER_PAGE):
        try:
            return PageAnswer(*processes.run(function, *own, *work.arguments, seconds=seconds))
        except WorkerTimeout as error:
            return answer_failure(where, "timeout", str(error), seconds=error.seconds)
        except MemoryError:  # the answer did fit, its message did not
            return answer_failure(where, "error", "MemoryError")
        except WorkerDied:
            continue
        except WorkerNotStarted:
            if processes.cannot_start:
                raise
    return answer_failure(where, "worker_died", REASONS["worker_died"])
