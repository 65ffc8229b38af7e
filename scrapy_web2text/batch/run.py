"""A run of ``web2text batch``: its pages are answered, and the answers are filtered, compared, written and counted."""

from __future__ import annotations

import gzip
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from scrapy_web2text.batch.duplicates import Duplicates, DuplicateSearch
from scrapy_web2text.batch.engine import InputEnd, PageWork, answer_pages
from scrapy_web2text.batch.inputs import count_pages
from scrapy_web2text.batch.output import open_output
from scrapy_web2text.batch.page_answers import PageAnswer
from scrapy_web2text.batch.records import GZIP_LEVEL, Meter, choose_compression, find_zstd
from scrapy_web2text.batch.tally import Tally, show_run
from scrapy_web2text.common.files import check_out_file, replacing
from scrapy_web2text.workers.worker import blocked_signals

if TYPE_CHECKING:
    from scrapy_web2text.batch.file_formats import Output
    from scrapy_web2text.batch.inputs import BatchInput


@dataclass(frozen=True, slots=True)
class Filters:
    """What an answer needs to have a line.

    :param min_words: least number of words of the text.
    :param kinds: kinds of pages; None for all.
    """

    min_words: int = 0
    kinds: tuple[str, ...] | None = None

    def find_reason(self, answer: PageAnswer) -> str | None:
        """Return the argument by which *answer* is left out; None if it is kept, as are pages without an answer."""
        if answer.method == "none" or answer.is_left_out:
            return None
        if self.kinds is not None and (answer.kind or "content") not in self.kinds:
            return "--page"
        return "--min-words" if answer.n_words < self.min_words else None


@dataclass(frozen=True)
class BatchRun:
    """A run: what it reads, does and writes.

    :param description: what an interrupted run is recognized by, see
        :func:`~scrapy_web2text.batch.output.describe_run`; None for a run that cannot be resumed.
    :param overwrite: whether older files are replaced.
    :param memory: bytes of each worker process; None for no limit.
    """

    inputs: Sequence[BatchInput]
    work: PageWork
    output: Output
    tally: Tally
    filters: Filters
    search: DuplicateSearch | None
    description: Mapping[str, str] | None
    overwrite: bool
    is_ordered: bool
    n_jobs: int
    memory: int | None

    def write(self) -> bool:
        """Write the answers, and return whether Ctrl-C ended that.

        :raises OSError: if the output exists or cannot be written.
        :raises ValueError: if what an earlier run left cannot be continued.
        """
        form = self.output.format
        if form.is_stream and self.output.shard_size is None and self.description is None:
            return self._write_feed()
        return self._write_by_inputs()

    def _write_feed(self) -> bool:
        """Write one file, which is replaced at the end, or to standard output."""
        form, duplicates = self.output.format, self._open_duplicates(b"")
        with open_feed(self.output.name, is_packed=form.is_packed, overwrite=self.overwrite) as feed:
            feed.write(form.head)
            return self._answer(lambda line: feed.write(form.encode(line)), duplicates)

    def _write_by_inputs(self) -> bool:
        """Write what is missing of the output, and keep what is from finished inputs."""
        with open_output(self.output, self.description, overwrite=self.overwrite) as growing:
            if growing.manifest.counts:
                self.tally.restore(growing.manifest.counts)
            if growing.manifest.is_finished:
                return False
            duplicates = self._open_duplicates(growing.read_seen())
            n_done = growing.manifest.n_inputs

            def commit(*, is_finished: bool = False) -> None:
                seen = () if duplicates is None else duplicates.take_new()
                growing.commit(n_done, self.tally.to_dict(), seen=seen, is_finished=is_finished)

            def end_input() -> None:
                nonlocal n_done
                n_done += 1
                if growing.is_due():
                    commit()

            is_interrupted = self._answer(growing.write, duplicates, n_done, end_input)
            if not (is_interrupted and self.description is not None):  # else the interrupted input begins anew
                with delayed_interrupts():
                    commit(is_finished=True)
            return is_interrupted

    def _open_duplicates(self, seen: bytes) -> Duplicates | None:
        return None if self.search is None else Duplicates(self.search, seen)

    def _answer(
        self,
        write: Callable[[str], object],
        duplicates: Duplicates | None,
        n_done: int = 0,
        end_input: Callable[[], None] = lambda: None,
    ) -> bool:
        """Write whole answers until the last one or Ctrl-C.

        :param n_done: number of inputs that are finished already.
        :param end_input: called at the end of each input.
        """
        meter = Meter(has_files=count_pages(self.inputs) is None)
        outcomes = answer_pages(
            self.inputs[n_done:],
            self.work,
            self.tally.lost,
            is_ordered=self.is_ordered,
            n_jobs=self.n_jobs,
            memory=self.memory,
            meter=meter,
        )
        before, began = self.tally.seconds, time.monotonic()
        try:
            with closing(outcomes):  # ends the workers now, not when the generator is collected
                for outcome in show_run(outcomes, self.inputs, self.tally, meter, n_done=n_done):
                    with delayed_interrupts():
                        self.tally.seconds = before + time.monotonic() - began
                        if isinstance(outcome, PageAnswer):
                            self._add(outcome, write, duplicates)
                        elif isinstance(outcome, InputEnd):
                            end_input()
                        else:
                            self.tally.add_other(outcome)
        except KeyboardInterrupt:
            return True
        return False

    def _add(self, answer: PageAnswer, write: Callable[[str], object], duplicates: Duplicates | None) -> None:
        """Write the answer for a page, if it is not left out, and count it."""
        filtered = self.filters.find_reason(answer)
        text = answer.json
        if filtered is None and duplicates is not None:
            found = duplicates.find(answer)
            if found is not None:
                self.tally.add_duplicate(found.kind)
                text = "" if duplicates.are_dropped else found.mark(text)
        if filtered is None and text:
            write(text)
        self.tally.add(answer, filtered)

    def describe(self, *, is_interrupted: bool) -> str:
        """Return the last line of the command."""
        if not is_interrupted:
            return str(self.tally)
        n_pages = count_pages(self.inputs)
        total = "" if n_pages is None else f" of {n_pages:,}"
        return f"interrupted after {self.tally.n_pages:,}{total}: {self.tally}"


@contextmanager
def open_feed(name: str, *, is_packed: bool = False, overwrite: bool = False) -> Iterator[BinaryIO]:
    """Open the feed for writing. Its file is replaced only at the end of the block, or at a Ctrl-C inside it.

    After an error, the lines so far are in ``NAME.PROCESS.part``, and an older file is as it was. The feed is
    compressed if the name ends in ``.gz`` or ``.zst``.

    :param name: name of the file; ``-`` for standard output.
    :param is_packed: whether what is written is compressed already.
    :param overwrite: whether an older file may be replaced.
    :raises FileExistsError: if there is an older file that may not be replaced.
    :raises OSError: if the file cannot be written.
    :raises ValueError: if it cannot be compressed as its name says.
    """
    choose_compression(name)
    if name == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = Path(name)
    if path.exists() and not path.is_file() and not path.is_dir():  # a device or a pipe
        with path.open("wb") as device, _compressed(device, "" if is_packed else name) as feed:
            yield feed
        return
    check_out_file(path, may_overwrite=overwrite)
    n_bytes = 0
    interrupt: KeyboardInterrupt | None = None
    compression = "" if is_packed else name
    with replacing(path, is_kept=lambda: n_bytes > 0) as file, _compressed(file, compression) as feed:
        try:
            yield feed
        except KeyboardInterrupt as error:
            interrupt = error
        finally:
            n_bytes = feed.tell()
    if interrupt is not None:
        raise interrupt


@contextmanager
def _compressed(file: BinaryIO, name: str) -> Iterator[BinaryIO]:
    """Return *file*, or one that compresses what is written to it, as *name* says."""
    if name.lower().endswith(".gz"):
        with gzip.GzipFile("", "wb", GZIP_LEVEL, file, mtime=0) as feed:  # the same feed is the same file
            yield cast("BinaryIO", feed)
    elif name.lower().endswith(".zst"):
        with find_zstd(name).ZstdFile(file, "wb") as packed:
            yield packed
    else:
        yield file


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
    if received and handler is not signal.SIG_IGN:  # which a shell sets for a command in the background
        raise KeyboardInterrupt
