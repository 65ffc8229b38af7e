"""Keeps labels in files: labels of finished pages, and drafts of other pages. Files are complete at any time.

Drafts are in a second file, whose name is the name of the first file with ``.drafts`` at its end.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryFile
from threading import Lock

from scrapy_web2text.common.files import locked, remove_parts, replacing
from scrapy_web2text.labels.files import PageLabels, read_lines, write_line

_Key = tuple[str, str]


class LabelStore:
    """The labels of one reader. Threads may share it.

    :param path: JSON Lines; created if it is missing. Lines of other pages stay, with keys of other programs.
    """

    def __init__(self, path: Path) -> None:
        if path.suffix in (".xz", ".gz"):
            raise ValueError(f"--out: expected a file without compression, got {path}")
        if not path.parent.is_dir():
            raise FileNotFoundError(f"{path}: expected a file in a folder that exists")
        path = path.resolve()
        self._lock = Lock()
        with locked(path.parent):
            remove_parts(path)
            TemporaryFile(prefix=f"{path.name}.", dir=path.parent).close()  # fails now, not at the first label
        self._done = _File(path)
        self._drafts = _File(path.with_name(f"{path.name}.drafts"))

    def find(self, key: _Key) -> tuple[PageLabels | None, str]:
        """Return the labels of a page, and their state: ``done``, ``draft``, or an empty string without labels.

        :raises OSError: if another program has written lines that are not labels.
        """
        with self._lock:
            for file, state in ((self._drafts, "draft"), (self._done, "done")):
                file.refresh()
                if key in file.labels:
                    return file.labels[key][0], state
        return None, ""

    def save(self, given: PageLabels, *, is_done: bool) -> None:
        """Write the labels of a page. They are on the disk when this returns.

        :raises OSError: if they cannot be written, or another program has written lines that are not labels. The files
            are then unchanged.
        """
        key = (given.corpus, given.id)
        with self._lock:
            if is_done:
                self._done.put(key, given)
                self._drafts.put(key, None)
            else:
                self._drafts.put(key, given)

    def n_done(self) -> int:
        """Return the number of finished pages in the file."""
        with self._lock:
            return len(self._done.labels)


class _File:
    """A file of labels and its content: the labels of each page, and their line."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.labels: dict[_Key, tuple[PageLabels, str]] = {}
        self._seen: tuple[int, ...] | None = None
        self._read()

    def refresh(self) -> None:
        """Read the file again if it has changed."""
        if self._stamp() == self._seen:
            return
        try:
            self._read()
        except ValueError as error:
            raise OSError(str(error)) from error

    def put(self, key: _Key, given: PageLabels | None) -> None:
        """Replace the labels of a page; None removes them. Lines that other programs wrote meanwhile are kept."""
        with locked(self._path.parent):
            self.refresh()
            labels = {**self.labels}
            if given:
                labels[key] = given, write_line(given)
            elif labels.pop(key, None) is None:
                return
            with replacing(self._path) as file:
                file.writelines(f"{line}\n".encode() for _, line in labels.values())
            self.labels = labels
            self._seen = self._stamp()

    def _read(self) -> None:
        seen = self._stamp()  # taken before the file is read, so that later writes are noticed
        found = read_lines(self._path) if self._path.exists() else []
        self.labels = {(given.corpus, given.id): (given, line) for given, line in found}
        self._seen = seen

    def _stamp(self) -> tuple[int, ...] | None:
        try:
            stat = self._path.stat()
        except FileNotFoundError:
            return None
        return stat.st_mtime_ns, stat.st_size, stat.st_ino
