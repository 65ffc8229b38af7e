"""The limits of the work on one page: CPU time and number of blocks.

A budget runs in the thread that works on a page. Loops and stages anywhere in the package check it by calling
`check_time`, `check_blocks`, `batches` or `watched`, so no function needs it as a parameter. Where no budget runs, as
in training, these calls check nothing.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from time import monotonic, thread_time
from typing import Final, TypeVar

from scrapy_web2text.exceptions import PageError, PageTimeout

_Item = TypeVar("_Item")

_BATCH: Final = 512  # items


@dataclass(slots=True)
class Budget:
    """The limits of the work on one page. The thread that does the work creates the budget, which starts the clock.

    Only the CPU time of this thread counts, in seconds. Time spent waiting, for other threads of the process or on a
    busy machine, does not count.
    """

    timeout: float | None = None
    max_blocks: int | None = None
    _start: float = field(default_factory=thread_time)
    # Before this time by the wall clock, the thread cannot have used up its CPU time. Reading the wall clock is faster.
    earliest_end: float = field(default=float("-inf"), init=False)

    def check_time(self) -> None:
        """Raise :class:`PageTimeout` if the time is used up."""
        now = monotonic()
        if self.timeout is None or now < self.earliest_end:
            return
        seconds_left = self._start + self.timeout - thread_time()
        if seconds_left < 0:
            raise PageTimeout(self.timeout)
        self.earliest_end = now + seconds_left

    @contextmanager
    def running(self) -> Iterator[Budget]:
        """Run the budget in this thread during a ``with`` block. Of nested budgets, the innermost is checked."""
        outer, _running.budget = _running.budget, self
        try:
            yield self
        finally:
            _running.budget = outer


@contextmanager
def share(part: float) -> Iterator[None]:
    """Limit a ``with`` block to the share *part* of the running budget's time; :class:`PageTimeout` then ends it."""
    timeout = _running.budget.timeout
    with Budget(None if timeout is None else part * timeout).running():
        yield


UNLIMITED: Final = Budget()
UNLIMITED.earliest_end = float("inf")


class _Running(threading.local):
    """The budget that runs in each thread."""

    budget: Budget = UNLIMITED


_running = _Running()


def check_time() -> None:
    """Raise :class:`PageTimeout` if the time of the running budget is used up; call it between stages of the work."""
    budget = _running.budget
    if monotonic() >= budget.earliest_end:  # rarely true; the comparison saves the call, which takes longer
        budget.check_time()


def check_blocks(n_blocks: int) -> None:
    """Raise :class:`PageError` with reason ``too_large`` if the running budget allows fewer than *n_blocks* blocks."""
    most = _running.budget.max_blocks
    if most is not None and n_blocks > most:
        raise PageError("too_large", f"the page has {n_blocks} blocks, more than {most}")


def batches(items: Iterable[_Item]) -> Iterator[Sequence[_Item]]:
    """Yield *items* as runs of at most 512, and check the running budget before each.

    Use it in loops whose length grows with the page. A check for each batch costs hardly any time::

        lines = [write(line) for batch in batches(lines) for line in batch]
    """
    if isinstance(items, list):
        for start in range(0, len(items), _BATCH):
            check_time()
            yield items[start : start + _BATCH]
        return
    remaining = iter(items)
    while batch := tuple(islice(remaining, _BATCH)):
        check_time()
        yield batch


def watched(items: Iterable[_Item], n: int | None = None) -> Iterable[_Item]:
    """Return *items*. If there are many, or their number is unknown, reading them checks the running budget.

    :param n: number of items of an iterator, if it is known. Few items are read without a check, which is faster.
    """
    if n is None:
        n = len(items) if isinstance(items, list | range) else sys.maxsize
    return items if n <= _BATCH else (item for batch in batches(items) for item in batch)
