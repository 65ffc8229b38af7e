"""The answers of ``web2text batch`` on Spark: for pages in a column, and for WARC files and records (extra ``spark``).

The package has to be installed on all workers. A task gets the options and nothing else: the models are in the wheel.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, cast

from scrapy_web2text.batch.engine import run_task
from scrapy_web2text.batch.page_answers import PageAnswer, PageWork, answer_page
from scrapy_web2text.batch.schema import RECORD_COLUMNS, TableColumns, answer_columns, arrow_schema, fill_row, write_ddl
from scrapy_web2text.common.checks import require
from scrapy_web2text.extractor import Extractor
from scrapy_web2text.options import Options
from scrapy_web2text.sources.pages import PageSources
from scrapy_web2text.sources.records import ArchiveItem, Broken, PageRecord, Skipped
from scrapy_web2text.sources.warc import read_warc
from scrapy_web2text.workers.processes import WorkerProcesses

if TYPE_CHECKING:
    from pyarrow import RecordBatch
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["extract", "extract_ranges", "extract_warc"]

_ROWS_PER_BATCH: Final = 64  # rows that are in Python's memory at once
_BUFFER: Final = 8 << 20  # bytes; each read of a remote file is a request
_SCHEMES: Final = {"s3a": "s3", "s3n": "s3"}  # name in Spark -> name in Arrow


@dataclass(frozen=True, slots=True)
class _Job:
    """The work on each page, and the columns of its answer."""

    work: PageWork
    columns: TableColumns
    is_isolated: bool

    @classmethod
    def of(cls, options: dict[str, Any], *, of_warc: bool = False, is_isolated: bool) -> _Job:
        """Return a job with these options; the answers of WARC files say where a page is."""
        if of_warc:
            require("fastwarc", "spark", "WARC files")
        chosen = Options(blocks="none").replace(**options)
        Extractor(chosen)  # so that an error appears here, not on a worker
        return cls(
            PageWork(PageSources(chosen)),
            {**(RECORD_COLUMNS if of_warc else {}), **answer_columns(chosen)},
            is_isolated,
        )

    def answer(self, where: Mapping[str, Any], page: ArchiveItem) -> PageAnswer:
        if self.is_isolated:
            return run_task(_processes(), where, page, self.work)
        return answer_page(where, page, self.work)

    def to_batch(self, lines: Sequence[PageAnswer]) -> RecordBatch:
        from pyarrow import RecordBatch  # the extra `spark`

        rows = [fill_row(self.columns, json.loads(line.json)) for line in lines]
        return RecordBatch.from_pylist(rows, schema=arrow_schema(self.columns))


@cache
def _processes() -> WorkerProcesses:
    """Return the process that extracts the pages of this Python worker. It is replaced if it is lost."""
    return WorkerProcesses()


def extract(
    df: DataFrame,
    html: str = "html",
    url: str | None = "url",
    *,
    keep: Sequence[str] = (),
    isolated: bool = True,
    **options: Any,
) -> DataFrame:
    """Return a row with the answer for each page of *df*.

    A page without an answer has a row with its reason in the column ``reason``.

    :param html: the column of the pages: text, or bytes as they were sent.
    :param url: the column of their URLs, which relative links are joined to; None if there is none.
    :param keep: columns of *df* that are copied into the rows, before the columns of the answer.
    :param isolated: whether a process beside each Python worker of Spark extracts the pages, so that a page that
        crashes it, hangs or fills its memory costs only its row. Otherwise, such a page fails the task.
    :param options: the fields of :class:`~scrapy_web2text.options.Options`, by name; *blocks* is ``none`` by default.
    :raises ValueError: if an option is invalid, or a column is missing or has the name of a column of the answer.
    """
    job = _Job.of(options, is_isolated=isolated)
    names = [html] if url is None else [html, url]
    return _map_rows(df, names, keep, job, partial(_list_pages, html, url))


def extract_warc(
    spark: SparkSession, paths: str | Iterable[str], *, isolated: bool = True, **options: Any
) -> DataFrame:
    """Return a row with the answer for each page of WARC files. Each file is a task of its own.

    :param paths: files that all workers can read: on a shared file system, or ``s3://…``, ``gs://…``, ``hdfs://…``,
        which pyarrow reads. A file that cannot be opened or read fails its task, and Spark repeats the task. A damaged
        file does not.
    :param isolated, options: see :func:`extract`.
    :raises ValueError: if an option is invalid, or there are no files.
    """
    files = [os.fspath(path) for path in ([paths] if isinstance(paths, str | os.PathLike) else paths)]
    if not files:
        raise ValueError("paths: expected one or more WARC files")
    job = _Job.of(options, of_warc=True, is_isolated=isolated)
    # A range has exactly one row in each partition. Repartitioning by hash would put several rows into some partitions.
    numbers = spark.range(0, len(files), 1, len(files))
    return numbers.mapInArrow(partial(_map_files, job, files), write_ddl(job.columns))


def extract_ranges(
    df: DataFrame,
    path: str = "warc_filename",
    offset: str = "warc_record_offset",
    length: str = "warc_record_length",
    *,
    root: str = "s3://commoncrawl/",
    keep: Sequence[str] = (),
    isolated: bool = True,
    **options: Any,
) -> DataFrame:
    """Return a row with the answer for each WARC record that *df* names, as Common Crawl's columnar index does.

    A record that is not a page has a row with the reason ``not_html``.

    :param path: the column of the files, relative to *root*.
    :param offset: the column of the offsets of records in their files, in bytes.
    :param length: the column of the lengths of records, in bytes.
    :param keep, isolated, options: see :func:`extract`.
    :raises ValueError: if an option is invalid, or a column is missing or has the name of a column of the answer.
    """
    job = _Job.of(options, of_warc=True, is_isolated=isolated)
    names = [path, offset, length]
    return _map_rows(df, names, keep, job, partial(_list_records, names, root, job.work.sources.options.max_bytes))


# Yields where the page of each row is, and the page.
_ListPages = Callable[["RecordBatch"], Iterator[tuple[dict[str, Any], ArchiveItem]]]


def _map_rows(df: DataFrame, names: Sequence[str], keep: Sequence[str], job: _Job, list_pages: _ListPages) -> DataFrame:
    """Return the columns *keep* of each row of *df*, and the answer; *list_pages* reads the columns *names*."""
    missing = sorted({*names, *keep} - {*df.columns})
    if missing:
        raise ValueError(f"expected columns {', '.join(missing)}, got {', '.join(df.columns)}")
    doubled = sorted({*keep} & {*job.columns})
    if doubled:
        raise ValueError(f"keep: the answer has columns with the names {', '.join(doubled)}, too; rename yours")
    schema = write_ddl(job.columns)
    if keep:
        schema = f"{df.select(*keep).schema.toDDL()}, {schema}"
    chosen = df.select(*dict.fromkeys([*names, *keep]))
    return chosen.mapInArrow(partial(_answer_rows, job, list(keep), list_pages), schema)


def _answer_rows(
    job: _Job, keep: list[str], list_pages: _ListPages, batches: Iterable[RecordBatch]
) -> Iterator[RecordBatch]:
    """Yield the rows of pages, in parts that fit in memory."""
    from pyarrow import RecordBatch

    for batch in batches:
        for start in range(0, batch.num_rows, _ROWS_PER_BATCH):
            part = batch.slice(start, _ROWS_PER_BATCH)
            lines = [job.answer(where, page) for where, page in list_pages(part)]
            written = [number for number, line in enumerate(lines) if line.json]
            answers = job.to_batch([lines[number] for number in written])
            kept = [part.column(name).take(written) for name in keep]
            yield RecordBatch.from_arrays([*kept, *answers.columns], names=[*keep, *answers.schema.names])


def _list_pages(html: str, url: str | None, batch: RecordBatch) -> Iterator[tuple[dict[str, Any], ArchiveItem]]:
    urls = batch.column(url).to_pylist() if url is not None else [None] * batch.num_rows
    for page, its_url in zip(batch.column(html).to_pylist(), urls, strict=True):
        where = {"path": ""} if its_url is None else {"path": "", "url": its_url}  # an answer must have a path
        missing = Broken(f"{html}: expected a string or bytes, got null")
        yield where, missing if page is None else PageRecord(page, its_url)


def _list_records(
    names: Sequence[str], root: str, max_bytes: int | None, batch: RecordBatch
) -> Iterator[tuple[dict[str, Any], ArchiveItem]]:
    for path, offset, length in zip(*(batch.column(name).to_pylist() for name in names), strict=True):
        with closing(_open(f"{root}{path}", buffer=length)) as file:
            file.seek(offset)
            data = file.read(length)
        yield {"path": path}, next(read_warc(io.BytesIO(data), max_bytes), Broken("expected a WARC record"))


def _map_files(job: _Job, paths: Sequence[str], batches: Iterable[RecordBatch]) -> Iterator[RecordBatch]:
    """Yield the rows of the pages of the files whose numbers are in *batches*."""
    for path in (paths[number] for batch in batches for number in batch.column(0).to_pylist()):
        with closing(_open(path)) as file:
            lines = _answer_records(job, path, read_warc(file, job.work.sources.options.max_bytes))
            while part := [*islice(lines, _ROWS_PER_BATCH)]:
                yield job.to_batch(part)


def _answer_records(job: _Job, path: str, items: Iterable[ArchiveItem]) -> Iterator[PageAnswer]:
    for number, item in enumerate(items):
        if not isinstance(item, Skipped):
            line = job.answer({"path": path, "record": number}, item)
            if line.json:
                yield line


def _open(path: str, buffer: int = _BUFFER) -> BinaryIO:
    """Open a file of this machine, or a remote file by pyarrow.

    :param path: path of the file; a remote file has its scheme, such as ``s3://``.
    :param buffer: bytes that are read at once.
    :raises OSError: if it cannot be opened.
    """
    scheme, separator, rest = path.partition("://")
    if not separator:
        return cast("BinaryIO", _FailingFile(Path(path).open("rb", buffering=buffer), path))
    from pyarrow.fs import FileSystem

    system, place = FileSystem.from_uri(f"{_SCHEMES.get(scheme, scheme)}{separator}{rest}")
    return cast("BinaryIO", _FailingFile(io.BufferedReader(system.open_input_file(place), buffer), path))


class _FailingFile:
    """A file whose errors fail the task, so that Spark repeats it.

    Readers of archives treat an OSError as damage of the file, and read on after it.
    """

    def __init__(self, file: BinaryIO, path: str) -> None:
        self._file = file
        self._path = path

    def read(self, size: int = -1) -> bytes:
        try:
            return self._file.read(size)
        except OSError as error:
            raise RuntimeError(f"{self._path}: {error}") from error

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)
