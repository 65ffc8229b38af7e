"""A run of ``web2text batch``: its pages are answered, and the answers are filtered, compared, written and counted."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

from scrapy_web2text.batch.duplicates import Duplicates, DuplicateSearch, mark_duplicate
from scrapy_web2text.batch.engine import InputEnd, answer_pages
from scrapy_web2text.batch.file_formats import Output
from scrapy_web2text.batch.output import RunDescription, RunManifest, open_output
from scrapy_web2text.batch.page_answers import PageAnswer, PageWork
from scrapy_web2text.batch.tally import Tally
from scrapy_web2text.sources.inputs import BatchInput, count_pages
from scrapy_web2text.sources.records import count_name
from scrapy_web2text.workers.worker import blocked_signals

_T = TypeVar("_T")


class ShowProgress(Protocol):
    """Returns the items of a loop, and shows how many of *n_items* are done; None for an unknown number."""

    def __call__(self, items: Iterable[_T], n_items: int | None, /) -> Iterable[_T]: ...


@dataclass(frozen=True)
class BatchRun:
    """A run: what it reads, does and writes.

    :param description: what an interrupted run is recognized by; None for a run that cannot be resumed.
    """

    inputs: Sequence[BatchInput]
    work: PageWork
    output: Output
    tally: Tally
    search: DuplicateSearch | None
    description: RunDescription | None
    overwrite: bool
    n_jobs: int
    memory: int | None
    track: ShowProgress

    def write(self) -> bool:
        """Write the answers, and return whether Ctrl-C interrupted the run."""
        if self.output.is_stream and self.description is None:
            return self._write_stream()
        with open_output(self.output, self.description, overwrite=self.overwrite) as growing:
            manifest = growing if isinstance(growing, RunManifest) else growing.manifest
            if manifest.counts:
                self.tally.restore(manifest.counts)
            if isinstance(growing, RunManifest):
                return False
            seen = growing.read_seen()
            duplicates = None if self.search is None else Duplicates(self.search, seen, growing.remember)
            end_input = partial(growing.end_input, self.tally)
            is_interrupted = self._answer(growing.write, duplicates, manifest.n_inputs, end_input)
            if not is_interrupted or self.description is None:  # else, the interrupted input starts again later
                with delayed_interrupts():
                    growing.commit(self.tally, is_finished=True)
            return is_interrupted

    def _write_stream(self) -> bool:
        """Write to standard output, a device or a pipe."""
        name, compress, encode = self.output.name, self.output.compress, self.output.encode
        with nullcontext(sys.stdout.buffer) if name == "-" else Path(name).open("wb") as stream:
            duplicates = None if self.search is None else Duplicates(self.search)
            is_interrupted = self._answer(lambda line: stream.write(compress(encode(line))), duplicates)
            stream.flush()
            return is_interrupted

    def _answer(
        self,
        write: Callable[[str], object],
        duplicates: Duplicates | None,
        n_done: int = 0,
        end_input: Callable[[], None] = lambda: None,
    ) -> bool:
        """Write the answers of all but the first *n_done* inputs, and return whether Ctrl-C interrupted the run."""
        inputs, lost = self.inputs[n_done:], self.tally.counts["lost"]
        outcomes = answer_pages(inputs, self.work, lost, n_jobs=self.n_jobs, memory=self.memory)
        before, began = self.tally.seconds, time.monotonic()
        try:
            with closing(outcomes):  # ends the workers now, not when the generator is collected
                for answer in self.track(self._take_answers(outcomes, end_input), count_pages(inputs)):
                    with delayed_interrupts():
                        self.tally.seconds = before + time.monotonic() - began
                        self._add(answer, write, duplicates)
        except KeyboardInterrupt:
            return True
        return False

    def _take_answers(
        self, outcomes: Iterable[PageAnswer | InputEnd], end_input: Callable[[], None]
    ) -> Iterator[PageAnswer]:
        """Yield the answers, and count the other records of each input at its end."""
        for outcome in outcomes:
            if not isinstance(outcome, InputEnd):
                yield outcome
                continue
            with delayed_interrupts():
                for kind, n in outcome.other.items():
                    count_name(self.tally.counts["other"], kind, n)
                end_input()

    def _add(self, answer: PageAnswer, write: Callable[[str], object], duplicates: Duplicates | None) -> None:
        """Count the answer for a page, and write it if it is not left out."""
        self.tally.add(answer)
        if not answer.json:
            return
        found = None if duplicates is None else duplicates.find(answer)
        if found is None:
            write(answer.json)
            return
        self.tally.counts["duplicates"][found[0]] += 1
        if self.search is not None and not self.search.are_dropped:
            write(mark_duplicate(answer.json, *found))

    def describe(self, *, is_interrupted: bool) -> str:
        """Return the last line of the command."""
        if not is_interrupted:
            return str(self.tally)
        n_pages = count_pages(self.inputs)
        total = "" if n_pages is None else f" of {n_pages:,}"
        return f"interrupted after {self.tally.summary.n_pages:,}{total}: {self.tally}"


@contextmanager
def delayed_interrupts() -> Iterator[None]:
    """Delay the KeyboardInterrupt of Ctrl-C until the end of the block, so that no line is cut.

    The signal is also blocked, since it can cut short a write to an unbuffered output.
    """
    received: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda number, _: received.append(number))
    try:
        with blocked_signals():
            yield
    finally:
        signal.signal(signal.SIGINT, handler)
    if received and handler is not signal.SIG_IGN:  # a shell sets SIG_IGN for a command in the background
        raise KeyboardInterrupt
