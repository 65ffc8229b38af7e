"""Pages of a crawl, kept in a folder as they were, so that other models and settings can be tried on them.

``HOST/NAME.html.gz`` is the page, and ``HOST/NAME.html.gz.json`` its URL. All commands read such folders, since they
are folders of HTML files. A name depends only on the URL, so a page is kept once. ``settings.json`` has the options of
the latest crawl, which ``web2text diff`` shows.
"""

from __future__ import annotations

import gzip
import json
import re
from codecs import BOM_UTF8
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path, PurePosixPath
from threading import Lock
from typing import TYPE_CHECKING, Final, Literal
from urllib.parse import urlsplit

from scrapy_web2text.common.files import replace_file
from scrapy_web2text.options import Options
from scrapy_web2text.page.encoding import read_page
from scrapy_web2text.sources.files import facts_path

if TYPE_CHECKING:
    from scrapy_web2text.crawl.settings import Web2TextSettings

_UNSAFE_IN_HOST: Final = re.compile(r"[^a-z0-9.-]+")
_UNSAFE_IN_NAME: Final = re.compile(r"[^a-z0-9]+")
_DEVICE: Final = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)")  # names that Windows takes for a device
_LONGEST_HOST: Final = 100  # characters
_LONGEST_NAME: Final = 60  # characters
_LEVEL: Final = 6  # of gzip


def name_page(url: str) -> PurePosixPath:
    """Return the path in a snapshot of the page with this URL. The name is safe on all systems."""
    try:
        parts = urlsplit(url)
        host, path = parts.hostname or "", parts.path
    except ValueError:
        host = path = ""
    folder = _UNSAFE_IN_HOST.sub("-", host.lower())[:_LONGEST_HOST].strip(".-") or "other"
    folder = f"_{folder}" if _DEVICE.match(folder) else folder
    name = _UNSAFE_IN_NAME.sub("-", path.lower()).strip("-")[-_LONGEST_NAME:].strip("-")
    digest = blake2b(url.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    return PurePosixPath(folder, f"{name or 'index'}-{digest}.html.gz")


def pack_page(url: str, body: bytes, encoding: str | None) -> tuple[bytes, bytes]:
    """Return what the two files of a page hold.

    The page is kept as it was sent, with one exception: if only the header of the response states its encoding, the
    page is converted to UTF-8 with a byte order mark, so that the file states the encoding.

    :param encoding: the encoding in the header of the response.
    """
    if encoding is not None:
        reading = read_page(body, encoding)
        if reading.source == "argument" and read_page(body).encoding != reading.encoding:
            body = BOM_UTF8 + reading.page
    facts = json.dumps({"url": url}).encode() + b"\n"
    return gzip.compress(body, _LEVEL, mtime=0), facts


# The outcome for a page: it was kept, the folder already had it, or the folder has reached its limit.
Outcome = Literal["kept", "known", "full"]


class Snapshot:
    """A folder of pages. Threads and crawls may share it. A page that is already in the folder is not replaced.

    :param folder: created if it is missing.
    :param most_bytes: limit of the size of all files together; None for no limit. Of several crawls at the same time,
        each counts only what the others wrote before it began.
    :param options: options of the crawl, recorded in the folder if possible.
    :raises ValueError: if the folder cannot be created.
    """

    def __init__(self, folder: Path, most_bytes: int | None, options: Options) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ValueError(f"WEB2TEXT_SNAPSHOT_DIR: expected a folder: {error}") from error
        with suppress(OSError, TypeError):  # options may hold values that JSON lacks, such as numbers of numpy
            replace_file(folder / "settings.json", json.dumps({"settings": options.to_settings()}).encode())
        self._folder = folder.resolve()
        self._most_bytes = most_bytes
        self._n_bytes: int | None = None  # of all files
        self._lock = Lock()

    @classmethod
    def of(cls, settings: Web2TextSettings) -> Snapshot | None:
        """Return the folder ``WEB2TEXT_SNAPSHOT_DIR``; None if the setting is None."""
        folder = settings.snapshot_dir
        return None if folder is None else cls(Path(folder).absolute(), settings.snapshot_bytes, settings.options)

    def keep(self, url: str, body: bytes, encoding: str | None) -> Outcome:
        """Keep a page.

        :param encoding: the encoding in the header of the response.
        :raises OSError: if the page cannot be written. No part of it is left in the folder.
        """
        path = self._folder / name_page(url)
        if path.exists():
            return "known"
        packed, facts = pack_page(url, body, encoding)
        n_bytes = len(packed) + len(facts)
        with self._lock:  # one file is written at a time, so two responses of a URL do not meet
            if path.exists():
                return "known"
            if self._n_bytes is None:
                self._n_bytes = sum(file.stat().st_size for file in self._folder.rglob("*") if file.is_file())
            if self._most_bytes is not None and self._n_bytes + n_bytes > self._most_bytes:
                return "full"
            path.parent.mkdir(exist_ok=True)
            try:  # the page is written last, so a killed crawl leaves no page without its URL
                replace_file(facts_path(path), facts, is_synced=False)
                replace_file(path, packed, is_synced=False)
            except OSError:
                with suppress(OSError):
                    facts_path(path).unlink(missing_ok=True)
                raise
            self._n_bytes += n_bytes
        return "kept"
