"""Keeps the pages of a crawl in a folder, so that other models and settings can be tried on them."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Literal
from weakref import WeakSet

from scrapy_web2text.archives.snapshots import facts_path, name_page, pack_page
from scrapy_web2text.crawl.gates import stated_encoding
from scrapy_web2text.replacement import replace_file

if TYPE_CHECKING:
    from scrapy.http import Response

    from scrapy_web2text.crawl.journal import Journal
    from scrapy_web2text.crawl.pool import Pool
    from scrapy_web2text.crawl.settings import Web2TextSettings

__all__ = ["Fate", "Snapshot", "SnapshotKeeper"]

# What became of a page: it was kept, the folder has it already, or the folder is as large as it may be.
Fate = Literal["kept", "known", "full"]


class Snapshot:
    """A folder of pages. Threads may share it, and so may crawls; a page that it has stays as it is.

    :param folder: created if it is missing.
    :param most_bytes: the largest size of all its files; None for no limit. With several crawls at the same time, each
        counts what the others wrote before it began.
    :raises OSError: if the folder cannot be created.
    """

    def __init__(self, folder: Path, most_bytes: int | None) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder.resolve()
        self._most_bytes = most_bytes
        self._n_bytes: int | None = None
        self._lock = Lock()

    def keep(self, url: str, body: bytes, encoding: str | None) -> Fate:
        """Keep a page.

        :param encoding: encoding by the header of the response.
        :raises OSError: if it cannot be written; the folder then has no part of it.
        """
        path = self._folder / name_page(url)
        if path.exists():
            return "known"
        packed, facts = pack_page(url, body, encoding)
        n_bytes = len(packed) + len(facts)
        with self._lock:  # one file is written at a time, so two responses of a URL do not meet
            if path.exists():
                return "known"
            if self._most_bytes is not None and self._count() + n_bytes > self._most_bytes:
                return "full"
            path.parent.mkdir(exist_ok=True)
            _write(path, packed, facts)
            self._n_bytes = self._count() + n_bytes
        return "kept"

    def _count(self) -> int:
        """Return the size of all files; the folder is read once."""
        if self._n_bytes is None:
            self._n_bytes = sum(path.stat().st_size for path in self._folder.rglob("*") if path.is_file())
        return self._n_bytes


def _write(path: Path, packed: bytes, facts: bytes) -> None:
    """Write both files of a page, the page last: a crawl that is killed leaves no page without its URL."""
    try:
        replace_file(facts_path(path), facts, is_synced=False)
        replace_file(path, packed, is_synced=False)
    except OSError:
        with suppress(OSError):
            facts_path(path).unlink(missing_ok=True)
        raise


class SnapshotKeeper:
    """Keeps the responses of a crawl that are extracted, each once, if ``WEB2TEXT_SNAPSHOT_DIR`` names a folder.

    :raises ValueError: if this folder cannot be created.
    """

    def __init__(self, settings: Web2TextSettings, pool: Pool, journal: Journal) -> None:
        self._pool = pool
        self._journal = journal
        self._seen: WeakSet[Response] = WeakSet()
        self._snapshot: Snapshot | None = None
        if settings.snapshot_dir is not None:
            try:
                self._snapshot = Snapshot(Path(settings.snapshot_dir), settings.snapshot_bytes)
            except OSError as error:
                raise ValueError(f"WEB2TEXT_SNAPSHOT_DIR: expected a folder: {error}") from error

    async def keep(self, response: Response) -> None:
        """Keep *response*. An error is counted, and costs nothing else."""
        if self._snapshot is None or response in self._seen:
            return
        self._seen.add(response)
        try:
            keep = self._snapshot.keep
            fate = await self._pool.run(keep, response.url, response.body, stated_encoding(response))
            self._journal.count("snapshots", fate)
            if fate == "full":
                message = "%s is not in the snapshot, which is as large as WEB2TEXT_SNAPSHOT_BYTES allows"
                self._journal.log_once("snapshots/full", message, response.url)
        except Exception as error:  # noqa: BLE001  a full disk, or a bug: the page has its answer all the same
            self._journal.count("snapshots", "failed")
            self._journal.log_once("snapshots/failed", "Cannot keep %s in the snapshot: %r", response.url, error)
