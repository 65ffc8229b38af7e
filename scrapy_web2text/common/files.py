"""Files that are checked before they are written, and replaced at once: readers see the old file or the new one."""

from __future__ import annotations

import glob
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


@contextmanager
def replacing(path: Path, *, is_synced: bool = True) -> Iterator[BinaryIO]:
    """Give a new file, which takes the place of *path* at the end of the block.

    Until then it is ``NAME.PROCESS.part`` in the same folder. After an error, the file *path* is as it was. If it is a
    link, it stays one, and what it leads to is replaced. Threads must not replace the same file at the same time.

    :param is_synced: whether the data are on the disk before the file takes the place, so that a machine that stops
        leaves the old file or the new one, too.
    """
    path = path.resolve()
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    part.unlink(missing_ok=True)  # of a killed process with this number, or a link of another user
    try:
        with part.open("xb") as file:
            if path.exists():
                shutil.copymode(path, part)
            yield file
            if is_synced:
                file.flush()
                os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)  # after an error


def remove_parts(path: Path) -> None:
    """Remove the parts of *path* that killed processes left, and those of processes that are writing it now."""
    for part in path.parent.glob(f"{glob.escape(path.name)}.*.part"):
        if part.suffixes[-2].removeprefix(".").isdigit():
            with suppress(OSError):
                part.unlink()


def replace_file(path: Path, data: bytes, *, is_synced: bool = True) -> None:
    """Write *data* to *path*, at once."""
    with replacing(path, is_synced=is_synced) as file:
        file.write(data)


def check_out_file(path: Path, *, may_overwrite: bool) -> None:
    """Raise an error if a command cannot write *path*."""
    if path.is_dir():
        raise IsADirectoryError(f"--out: {path}: expected a file, got a folder")
    if not path.resolve().parent.is_dir():
        raise FileNotFoundError(f"--out: {path}: expected a file in a folder that exists")
    if path.exists() and not may_overwrite:
        raise FileExistsError(f"--out: {path} exists; --force overwrites it")
