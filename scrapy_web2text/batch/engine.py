"""The answers for many pages: pages go to worker processes, and answers come back, input after input."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

from scrapy_web2text.batch.page_answers import PageAnswer, PageWork, answer_failure, answer_page, answer_values
from scrapy_web2text.exceptions import WorkerDied, WorkerNotStarted, WorkerTimeout
from scrapy_web2text.reasons import REASONS
from scrapy_web2text.sources.archives import read_archive
from scrapy_web2text.sources.inputs import BatchInput, PageFile
from scrapy_web2text.sources.records import ArchiveItem, Broken, Skipped, count_name
from scrapy_web2text.workers.processes import MOST_WORKERS_PER_PAGE, WorkerProcesses, WorkerThreads, clock_limit

_AHEAD_PER_WORKER: Final = 8  # pages
_MOST_BROKEN: Final = 1_000  # lines for each archive about records that cannot be read


@dataclass(frozen=True, slots=True)
class InputEnd:
    """Marks the end of an input, whose pages are all answered. *other* counts its records without a page, by type."""

    other: Counter[str] = field(default_factory=Counter)


# Where a page is, and the page, as for `answer_page`.
PageTask: TypeAlias = tuple[Mapping[str, Any], Path | ArchiveItem]


def answer_inputs(
    inputs: Sequence[BatchInput], work: PageWork, lost: Counter[str], *, n_jobs: int, memory: int | None
) -> Generator[PageAnswer | InputEnd, None, None]:
    """Yield the answers in the order of the pages. The workers run ahead by a bounded number of pages.

    :param lost: counts the workers that are lost, by cause.
    """
    n_ahead = _AHEAD_PER_WORKER * n_jobs
    results: deque[Future[PageAnswer] | InputEnd] = deque()
    with WorkerThreads(n_jobs, memory) as threads, closing(_list_tasks(inputs, work)) as tasks:

        def take_down_to(n_left: int) -> Iterator[PageAnswer | InputEnd]:
            while results:
                first = results[0]
                is_ready = isinstance(first, InputEnd) or first.done()
                if not is_ready and sum(isinstance(each, Future) for each in results) <= n_left:
                    return
                results.popleft()
                yield first if isinstance(first, InputEnd) else first.result()
                lost.update(threads.processes.take_losses())

        for task in tasks:
            if isinstance(task, InputEnd):
                results.append(task)
            else:
                results.append(threads.submit(run_task, threads.processes, *task, work))
            yield from take_down_to(n_ahead - 1)
        yield from take_down_to(0)
        lost.update(threads.processes.take_losses())


def _list_tasks(inputs: Sequence[BatchInput], work: PageWork) -> Generator[PageTask | InputEnd, None, None]:
    """Yield a task for each page, and the end of each input."""
    for each in inputs:
        other: Counter[str] = Counter()
        n_broken: Counter[bool] = Counter()
        if isinstance(each, PageFile):
            yield {"path": each.name}, each.path
        else:
            for number, item in enumerate(read_archive(each, work.columns, work.sources.options.max_bytes)):
                if isinstance(item, Broken):
                    n_broken[item.is_gap] += 1
                if isinstance(item, Skipped) or (isinstance(item, Broken) and n_broken[item.is_gap] > _MOST_BROKEN):
                    count_name(other, getattr(item, "kind", "unreadable"))
                else:
                    yield {"path": each.name, "record": number}, item
        yield InputEnd(other)


def run_task(
    processes: WorkerProcesses, where: Mapping[str, Any], page: Path | ArchiveItem, work: PageWork
) -> PageAnswer:
    """Return the answer for a page, from the worker process of this thread."""
    if isinstance(page, Broken | Skipped):
        return answer_page(where, page, work)
    seconds = clock_limit(work.sources.options.timeout)
    for _ in range(MOST_WORKERS_PER_PAGE):
        try:
            return PageAnswer(*processes.run(answer_values, where, page, work, seconds=seconds))
        except WorkerTimeout as error:
            return answer_failure(where, "timeout", str(error), seconds=error.seconds)
        except MemoryError:  # the answer fit into memory, its message did not
            return answer_failure(where, "error", "MemoryError")
        except WorkerDied:
            continue
        except WorkerNotStarted:
            if processes.cannot_start:
                raise
    return answer_failure(where, "worker_died", REASONS["worker_died"])
