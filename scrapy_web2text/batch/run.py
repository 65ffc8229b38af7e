"""A run of ``web2text batch``: its pages are answered, and the answers are filtered, compared, written and counted."""

from __future__ import annotations

import json
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final

from msgspec import Struct, convert, field, to_builtins

from scrapy_web2text.answer.summary import Summary, format_counts
from scrapy_web2text.batch.duplicates import Duplicates, DuplicateSearch, mark_duplicate
from scrapy_web2text.batch.engine import InputEnd, answer_inputs
from scrapy_web2text.batch.file_formats import Output
from scrapy_web2text.batch.manifest import RunDescription, RunManifest
from scrapy_web2text.batch.output import open_output
from scrapy_web2text.batch.page_answers import PageAnswer, PageWork
from scrapy_web2text.common.files import check_out_file, naming, replace_file
from scrapy_web2text.sources.inputs import BatchInput, count_pages
from scrapy_web2text.sources.records import count_name
from scrapy_web2text.workers.worker import blocked_signals

# Counter -> its name in the last line.
_DETAILS: Final = {
    "methods": "methods",
    "duplicates": "duplicates",
    "filtered": "left out by filters",
    "other": "not HTML pages",
    "damaged": "damaged pages",
    "lost": "lost worker processes",
    "gaps": "archives with parts that cannot be read",
}
_WITHOUT_TOTAL: Final = {"methods", "lost"}


class Tally(Struct):
    """Counts the answers of a run; a manifest can keep the counts, so that a resumed run continues them.

    :param has_url: whether a page has a URL.
    :param seconds: wall-clock time, including the time before the run was resumed.
    """

    summary: Summary
    has_url: bool = False
    seconds: float = 0.0
    counts: dict[str, Counter[str]] = field(default_factory=lambda: {name: Counter() for name in _DETAILS})

    def add(self, answer: PageAnswer) -> None:
        """Count the answer for a page."""
        self.summary.add(answer.method, answer.reason, answer.confidence, answer.seconds, no_content=answer.no_content)
        self.has_url |= answer.has_url
        if answer.is_unmatched:
            self.summary.add_unmatched()
        found = {
            "methods": answer.method,
            "filtered": None if answer.json else "--min-confidence",
            "damaged": answer.damage,
            "gaps": answer.gap,
        }
        for name, what in found.items():
            if what is not None:
                count_name(self.counts[name], what)

    def __str__(self) -> str:
        parts = [str(self.summary)]
        if self.summary.n_pages and self.seconds:
            parts.append(f"in {timedelta(seconds=round(self.seconds))}")
        for name, counter in self.counts.items():
            if counter.keys() - ({"model"} if name == "methods" else ()):
                shown = format_counts(counter)
                parts.append(
                    f"{_DETAILS[name]}: {shown if name in _WITHOUT_TOTAL else f'{counter.total():,} ({shown})'}"
                )
        return "; ".join(parts)


@dataclass
class BatchRun:
    """A run: what it reads, does and writes.

    :param description: identifies an interrupted run; None for a run that cannot be resumed.
    :param limit: the number of pages after which the run ends, with those before it was resumed; None for all pages.
    :param track: returns the answers, and shows how many pages are done, and the number of all pages if it is known.
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
    limit: int | None
    track: Callable[[Iterator[PageAnswer], int | None], Iterable[PageAnswer]]

    def write(self) -> bool:
        """Write the answers, and return whether Ctrl-C interrupted the run."""
        if self.output.is_stream and self.description is None:
            return self._write_stream()
        settings_file = self.output.place("settings.json")
        with open_output(self.output, self.description, overwrite=self.overwrite) as growing:
            check_out_file(settings_file, may_overwrite=self.overwrite or self.description is not None)
            manifest = growing if isinstance(growing, RunManifest) else growing.manifest
            if manifest.counts:
                self.tally = convert(manifest.counts, Tally, dec_hook=lambda kind, counts: kind(counts))
            if isinstance(growing, RunManifest):
                return False
            seen = growing.read_seen()
            duplicates = None if self.search is None else Duplicates(self.search, seen, growing.remember)
            end_input = partial(growing.end_input, partial(to_builtins, self.tally))
            is_interrupted = self._answer(growing.write, duplicates, manifest.n_inputs, end_input)
            if not is_interrupted or self.description is None:  # else, the interrupted input starts again later
                with delayed_interrupts():
                    growing.commit(to_builtins(self.tally), is_finished=True)
                    settings = {"settings": self.work.sources.options.to_settings()}
                    settings_file.unlink(missing_ok=True)  # perhaps a link of another user, which would be followed
                    replace_file(settings_file, json.dumps(settings).encode())
            return is_interrupted

    def _write_stream(self) -> bool:
        """Write to standard output, a device or a pipe."""
        name, compress, encode = self.output.name, self.output.compress, self.output.encode
        with (
            naming(self.output.path),
            nullcontext(sys.stdout.buffer) if name == "-" else Path(name).open("wb") as stream,
        ):
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
        """Write the answers of the inputs after the first *n_done*, and return whether Ctrl-C interrupted the run."""
        inputs, lost = self.inputs[n_done:], self.tally.counts["lost"]
        outcomes = answer_inputs(inputs, self.work, lost, n_jobs=self.n_jobs, memory=self.memory)
        n_left = None if self.limit is None else max(0, self.limit - self.tally.summary.n_pages)
        answers = islice(self._take_answers(outcomes, end_input), n_left)
        before, began = self.tally.seconds, time.monotonic()
        try:
            with closing(outcomes):  # ends the workers now, not when the generator is collected
                for answer in self.track(answers, count_pages(inputs)):
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
        if self.search is not None and not self.search.drops_duplicates:
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
