"""Files that are checked before they are written, and replaced atomically: readers see the old file or the new file."""

from __future__ import annotations

import glob
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other processes and threads out of their blocks with the same *folder*; without effect on Windows."""
    if sys.platform == "win32":
        yield
        return
    import fcntl

    number = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(number, fcntl.LOCK_EX)
        yield
    finally:
        os.close(number)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Let the system errors of the block, such as one of a full disk, name *path* if they name no file."""
    try:
        yield
    except OSError as error:
        if error.errno is not None and error.filename is None:
            error.filename = str(path)
        raise


@contextmanager
def replacing(path: Path, *, is_synced: bool = True) -> Iterator[BinaryIO]:
    """Give a new file, which replaces the file *path* at the end of the block.

    Until then, the new file is ``NAME.PROCESS.part`` in the same folder. After an error, the file *path* is unchanged.
    If *path* is a link, its target is replaced. Threads must not replace the same file at the same time.

    :param is_synced: whether to wait until the data are on the disk, so that even a crash of the machine leaves the old
        file or the new file.
    """
    path = path.resolve()
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    part.unlink(missing_ok=True)  # left by a killed process with this number, or a link that another user made
    try:
        with naming(path), part.open("xb") as file:
            if path.exists():
                shutil.copymode(path, part)
            yield file
            if is_synced:
                sync(file)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)  # after an error


def sync(file: BinaryIO) -> int:
    """Put the data of *file* on the disk, so that they survive a crash of the system, and return their length."""
    file.flush()
    os.fsync(file.fileno())
    return file.tell()


def move_into_place(part: Path, path: Path) -> None:
    """Move *part* to *path* or, if *path* is a link, to its target. The mode of the replaced file is kept."""
    path = path.resolve()
    if path.exists():
        shutil.copymode(path, part)
    part.replace(path)


def remove_parts(path: Path) -> None:
    """Remove all parts of *path*, of killed processes and of processes that are writing *path* now."""
    for part in path.parent.glob(f"{glob.escape(path.name)}.*.part"):
        if part.suffixes[-2].removeprefix(".").isdigit():
            with suppress(OSError):
                part.unlink()


def replace_file(path: Path, data: bytes, *, is_synced: bool = True) -> None:
    """Write *data* to *path*, so that readers see the old file or the new file."""
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
