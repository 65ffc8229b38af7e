"""A Parquet format for feeds, with the columns that ``web2text batch`` and Spark write (extra ``parquet``).

::

    FEED_EXPORTERS = {"parquet": "example_project.parquet.ParquetExporter"}
    FEEDS = {"s3://bucket/%(name)s-%(time)s-%(batch_id)05d.parquet": {"format": "parquet", "batch_item_count": 1000}}
"""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Any, Self

from itemadapter import ItemAdapter
from pyarrow import RecordBatch
from pyarrow.parquet import ParquetWriter
from scrapy.exporters import BaseItemExporter

from scrapy_web2text import Options, Web2TextSettings
from scrapy_web2text.batch.schema import answer_columns, arrow_schema, fill_row

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

__all__ = ["ParquetExporter"]

_ROWS_PER_GROUP = 500  # which are in memory together


class ParquetExporter(BaseItemExporter):
    """Writes the answers in the item fields that scrapy-web2text fills in by default, and the URL of each item."""

    def __init__(self, file: IO[bytes], *, options: Options | None = None, **kwargs: Any) -> None:
        super().__init__(dont_fail=True, **kwargs)
        self._columns = answer_columns(options or Options())
        self._writer = ParquetWriter(file, arrow_schema(self._columns), compression="zstd")
        self._rows: list[dict[str, Any]] = []

    @classmethod
    def from_crawler(cls, crawler: Crawler, file: IO[bytes], **kwargs: Any) -> Self:
        """Return the exporter of *crawler*, whose columns are the parts that its settings ask for."""
        return cls(file, options=Web2TextSettings.from_crawler(crawler).options, **kwargs)

    def export_item(self, item: Any) -> None:
        """Add the row of an item."""
        fields = ItemAdapter(item).asdict()
        values = {**fields, **(fields.get("web2text") or {}), "text": fields.get("main_content")}
        self._rows.append(fill_row(self._columns, values))
        if len(self._rows) == _ROWS_PER_GROUP:
            self._write_rows()

    def finish_exporting(self) -> None:
        """Write the rows that are left, and the end of the file."""
        self._write_rows()
        self._writer.close()

    def _write_rows(self) -> None:
        if self._rows:
            self._writer.write_batch(RecordBatch.from_pylist(self._rows, schema=self._writer.schema))
            self._rows.clear()
