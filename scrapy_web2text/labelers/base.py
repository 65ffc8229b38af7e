"""What every labeler has in common: its protocol, its answer, and the limits of the work on one page."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from scrapy_web2text.arrays import DoubleArray, IntArray
from scrapy_web2text.exceptions import PageError, PageTimeout
from scrapy_web2text.options import Decoder
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence, Segmentation

__all__ = ["UNLIMITED", "Budget", "Labeler", "Labelling"]


@dataclass(frozen=True, slots=True)
class Budget:
    """What the work on one page may cost, from now on, in the thread that does it.

    What counts is the processor's time in this thread: one that waits for the others of its process, which Python runs
    one at a time, or for a busy machine, works on nothing.

    :param timeout: seconds of the processor; None for no limit.
    :param max_blocks: most blocks; None for no limit.
    """

    timeout: float | None = None
    max_blocks: int | None = None
    _start: float = field(default_factory=time.thread_time)

    def check_time(self) -> None:
        """Raise :class:`PageTimeout` if the time is used up; to be called between the stages of the work."""
        if self.timeout is not None and time.thread_time() - self._start > self.timeout:
            raise PageTimeout(self.timeout)

    def check_blocks(self, n_blocks: int) -> None:
        """Raise :class:`PageError` with reason ``too_large`` if the page has too many blocks."""
        if self.max_blocks is not None and n_blocks > self.max_blocks:
            raise PageError("too_large", f"the page has {n_blocks} blocks, more than {self.max_blocks}")


UNLIMITED: Final = Budget()


@dataclass(frozen=True, slots=True, eq=False)
class Labelling:
    """A labeler's answer for the n blocks of a page.

    :param labels: 0 for BOILERPLATE, 1 for CONTENT. *Shape:* ``(n,)``
    :param probabilities: calibrated probability of CONTENT; None if the labeler knows none. *Shape:* ``(n,)``
    :param n_tokens: words of each block. *Shape:* ``(n,)``
    :param confidence: predicted word F1 of the answer, in [0, 1]; None leaves it to the probabilities.
    """

    blocks: BlockSequence
    labels: IntArray
    probabilities: DoubleArray | None
    n_tokens: IntArray
    confidence: float | None = None


class Labeler(Protocol):
    """Labels the blocks of a page. One labeler serves all threads and keeps no state of a page."""

    @property
    def name(self) -> str:
        """The name under which it is known."""
        ...

    @property
    def is_model(self) -> bool:
        """Whether it has learnt weights; rules have none."""
        ...

    @property
    def segmentation(self) -> Segmentation:
        """How it cuts a page into blocks."""
        ...

    @property
    def presets(self) -> Mapping[str, float]:
        """The thresholds that have a name; rules and some models have none."""
        ...

    def label(
        self, page: Page, *, threshold: float | None = None, decoder: Decoder | None = None, budget: Budget = UNLIMITED
    ) -> Labelling:
        """Return the labels of the blocks of *page*.

        :param threshold: least content probability, in (0, 1); None takes the labeler's own.
        :param decoder: how labels come out of potentials; None takes the labeler's own. Rules have no use for it.
        :raises PageError: if the page is beyond *budget*, or the labeler has no answer for it.
        """
        ...
