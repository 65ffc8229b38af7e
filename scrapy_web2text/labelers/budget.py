"""The limits of the work on one page: CPU time and number of blocks."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Final

from scrapy_web2text.exceptions import PageError, PageTimeout

__all__ = ["UNLIMITED", "Budget"]


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of the work on one page. The thread that does the work creates the budget, which starts the clock.

    Only the CPU time of this thread counts. Waiting is free, whether for the other threads of the process, of which
    Python runs one at a time, or for a busy machine.

    :param timeout: seconds of CPU time; None for no limit.
    :param max_blocks: maximum number of blocks; None for no limit.
    """

    timeout: float | None = None
    max_blocks: int | None = None
    _start: float = field(default_factory=time.thread_time)

    def check_time(self) -> None:
        """Raise :class:`PageTimeout` if the time is used up; call it between the stages of the work."""
        if self.timeout is not None and time.thread_time() - self._start > self.timeout:
            raise PageTimeout(self.timeout)

    def check_blocks(self, n_blocks: int) -> None:
        """Raise :class:`PageError` with reason ``too_large`` if the page has too many blocks."""
        if self.max_blocks is not None and n_blocks > self.max_blocks:
            raise PageError("too_large", f"the page has {n_blocks} blocks, more than {self.max_blocks}")


UNLIMITED: Final = Budget()
