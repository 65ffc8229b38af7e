"""A worker process, ``python -m scrapy_web2text.workers.worker VERSION MEMORY``: runs tasks from its standard input.

Frames travel in both directions: 8 bytes of length, then a message of that length. A task is a pickled :data:`Task`,
in which a function is sent by name. Its answer is JSON, see :mod:`~scrapy_web2text.workers.answers`. What libraries
print goes to standard error.
"""

from __future__ import annotations

import os
import pickle
import signal
import struct
import sys
import threading
import traceback
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, BinaryIO

from scrapy_web2text._version import __version__
from scrapy_web2text.exceptions import WorkerRefused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeAlias

    from scrapy_web2text.extraction import Extraction
    from scrapy_web2text.extractor import Extractor
    from scrapy_web2text.options import Options

    Task: TypeAlias = tuple[Callable[..., Any], tuple[Any, ...]]  # a function of a module, and its arguments

# The worker's first line. Lines that Python printed at startup may come before it and are skipped.
READY = b"scrapy-web2text worker is ready\n"

_LENGTH = struct.Struct("!Q")
_MOST_EXTRACTORS = 64


@lru_cache(_MOST_EXTRACTORS)
def get_extractor(options: Options) -> Extractor:
    """Return the extractor of this process with *options*, which logs no warnings."""
    from scrapy_web2text.extractor import Extractor  # loads numpy, which a crawl leaves to its workers

    return Extractor(options, warns=False)


def extract_page(
    options: Options, html: str | bytes, url: str | None, encoding: str | None, *, paths: bool = True
) -> Extraction:
    """Return the answer for one page."""
    from scrapy_web2text.sources.source import Source  # loads numpy

    # A server can state any encoding, so it is not an argument.
    return get_extractor(options).extract(replace(Source.of(html), encoding=encoding), url, paths=paths)


def check_options(options: Options) -> list[tuple[str, str]]:
    """Return the warnings of the extractor with *options*. Raise its errors."""
    return get_extractor(options).warnings


def main() -> None:
    """Work until the standard input is closed, which also happens when the parent process ends.

    The first argument is the parent's version of this package: tasks and answers of another version may differ. The
    second is the limit of the address space of this process, in bytes; 0 for no limit.
    """
    if sys.argv[1:2] != [__version__]:
        sys.exit(f"scrapy-web2text worker: expected the argument {__version__}, its version, got {sys.argv[1:]}")
    _limit_memory(int(sys.argv[2]))
    open_missing_streams()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole process group; the parent handles it
    tasks, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    serve(tasks, answers, lambda: os._exit(0))


def serve(tasks: BinaryIO, answers: BinaryIO, leave: Callable[[], object]) -> None:
    """Answer each of *tasks* in turn. As soon as the stream of tasks ends, call *leave* in another thread.

    A task may still be running then. Its answer would have no reader, so *leave* may end the process.
    """
    # Loaded before the first task, which has a time limit.
    import scrapy_web2text.extractor
    import scrapy_web2text.workers.answers  # noqa: F401

    queue: SimpleQueue[Task | None] = SimpleQueue()

    def read_tasks() -> None:
        try:
            while True:
                queue.put(pickle.loads(read_frame(tasks)))  # noqa: S301  from our parent
        except EOFError:
            pass
        except Exception:  # noqa: BLE001  such as a page that does not fit into memory
            traceback.print_exc()
        queue.put(None)
        leave()

    answers.write(READY)
    answers.flush()
    threading.Thread(target=read_tasks, daemon=True).start()
    with suppress(OSError):  # the parent has ended
        while (task := queue.get()) is not None:
            write_frame(answers, _run(*task))


def open_missing_streams() -> None:
    """Open the standard streams that are closed, as with ``2>&-``: empty input, and output that goes nowhere.

    Otherwise, the next file that is opened would get the descriptor of the stream, and its output.
    """
    if all((sys.stdin, sys.stdout, sys.stderr)):
        return
    while (nowhere := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(nowhere, True)
    sys.stdin = sys.stdin or os.fdopen(nowhere, closefd=False)
    sys.stdout = sys.stdout or os.fdopen(nowhere, "w", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(nowhere, "w", closefd=False)


@contextmanager
def blocked_signals() -> Iterator[None]:
    """Block Ctrl-C and SIGTERM in this thread and in processes that it starts in the block, except on Windows.

    Both can reach the whole process group, and the parent may still have items to finish.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def write_frame(stream: BinaryIO, message: bytes) -> None:
    """Send *message*; an OSError says that the reader has closed the stream."""
    stream.write(_LENGTH.pack(len(message)))
    stream.write(message)
    stream.flush()


def read_frame(stream: BinaryIO, most_bytes: int | None = None) -> bytes:
    """Return the message that :func:`write_frame` sent; wait for it if necessary.

    :param most_bytes: length of the longest message; None for no limit.
    :raises EOFError: if the stream ends before the frame is complete.
    :raises WorkerRefused: if the message is longer. None of it is read then.
    """
    (n_bytes,) = _LENGTH.unpack(_read(stream, _LENGTH.size))
    if most_bytes is not None and n_bytes > most_bytes:
        raise WorkerRefused(f"A worker process sent {n_bytes:,} bytes, expected at most {most_bytes:,}")
    return _read(stream, n_bytes)


def _limit_memory(n_bytes: int) -> None:
    """Limit the address space of this process to *n_bytes*, where the system can: Windows and macOS cannot."""
    with suppress(ImportError, ValueError, OSError):  # only on POSIX; macOS may refuse
        import resource

        limits = [
            limit
            for limit in (n_bytes, *resource.getrlimit(resource.RLIMIT_AS))
            if limit not in (0, resource.RLIM_INFINITY)
        ]
        if limits:
            resource.setrlimit(resource.RLIMIT_AS, (min(limits), min(limits)))


def _run(function: Callable[..., Any], args: tuple[Any, ...]) -> bytes:
    """Return the message with the result of a task, or with its error."""
    from scrapy_web2text.workers.answers import encode_answer  # loads lxml, which `web2text --help` does not need

    try:
        return encode_answer(function(*args))
    except Exception as e:  # noqa: BLE001  the boundary between a task and the worker
        return encode_answer(None, e, traceback.format_exc())


def _read(stream: BinaryIO, n_bytes: int) -> bytes:
    data = stream.read(n_bytes)
    if len(data) < n_bytes:
        raise EOFError(f"expected {n_bytes} bytes, got {len(data)}")
    return data


if __name__ == "__main__":
    sys.modules["scrapy_web2text.workers.worker"] = sys.modules["__main__"]  # tasks name functions of this module
    main()
