"""The file that ``web2text batch`` writes: replaced only at the end, and always with whole lines."""

from __future__ import annotations

import gzip
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, cast

from scrapy_web2text.archives.streams import load_zstd
from scrapy_web2text.cli.out_file import check_out_file
from scrapy_web2text.crawl.child import blocked_signals
from scrapy_web2text.replacement import replacing

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["choose_compression", "delayed_interrupts", "open_feed"]

_GZIP_LEVEL: Final = 6  # as the program gzip


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
        with gzip.GzipFile("", "wb", _GZIP_LEVEL, file, mtime=0) as feed:  # the same feed is the same file
            yield cast("BinaryIO", feed)
    elif name.lower().endswith(".zst"):
        with _find_zstd(name).ZstdFile(file, "wb") as packed:
            yield packed
    else:
        yield file


def choose_compression(name: str) -> Callable[[bytes], bytes]:
    """Return what compresses a part of the feed *name*; compressed parts one after another are a compressed file.

    :raises ValueError: if the module for that is not installed.
    """
    if name.lower().endswith(".gz"):
        return lambda data: gzip.compress(data, _GZIP_LEVEL, mtime=0)
    if name.lower().endswith(".zst"):
        compress: Callable[[bytes], bytes] = _find_zstd(name).compress
        return compress
    return bytes


def _find_zstd(name: str) -> ModuleType:
    zstd = load_zstd()
    if zstd is None:
        raise ValueError(f"--out: {name}: expected backports.zstd to be installed")
    return zstd


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
