"""A worker process, ``python -m scrapy_web2text.crawl.worker VERSION``: runs tasks from its standard input.

Frames travel in both directions: 8 bytes of length, then a pickle of that length. A task is a :data:`Task`, its answer
an :data:`Answer`, both plain data; a function is sent by name. What libraries print goes to standard error.
"""

from __future__ import annotations

import os
import pickle
import signal
import struct
import sys
import threading
import traceback
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, BinaryIO

from scrapy_web2text._version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    Task: TypeAlias = tuple[Callable[..., Any], tuple[Any, ...]]  # a function of a module, and its arguments
    Answer: TypeAlias = tuple[Any, Exception | None, str]  # its result, or the error and the traceback as text

__all__ = ["READY", "main", "open_missing_streams", "read_frame", "serve", "write_frame"]

# The worker's first line. What Python printed at startup may come before it and is skipped.
READY = b"scrapy-web2text worker is ready\n"

_LENGTH = struct.Struct("!Q")


def main() -> None:
    """Work until the standard input is closed, which also happens when the parent process ends.

    The argument is the parent's version of this package: tasks and answers of another version may differ.
    """
    if sys.argv[1:] != [__version__]:
        sys.exit(f"scrapy-web2text worker: expected the argument {__version__}, its version, got {sys.argv[1:]}")
    open_missing_streams()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole process group; the parent handles it
    tasks, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    import logging  # noqa: PLC0415  after the signals are set

    # The parent has created the same extractors and has logged their warnings. Errors go to standard error.
    logging.getLogger("scrapy_web2text").setLevel(logging.ERROR)
    serve(tasks, answers, lambda: os._exit(0))


def serve(tasks: BinaryIO, answers: BinaryIO, leave: Callable[[], object]) -> None:
    """Answer each of *tasks* in turn. As soon as the stream of tasks ends, call *leave* in another thread.

    A task may still be running then. Its answer would have no reader, so *leave* may end the process.
    """
    import scrapy_web2text.extractor  # noqa: F401, PLC0415  loaded before the first task, which has a time limit

    queue: SimpleQueue[Task | None] = SimpleQueue()

    def read_tasks() -> None:
        try:
            while True:
                queue.put(read_frame(tasks))
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

    Otherwise the next file that is opened would get the number of the stream, and what is written to it.
    """
    if all((sys.stdin, sys.stdout, sys.stderr)):
        return
    while (nowhere := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(nowhere, True)
    sys.stdin = sys.stdin or os.fdopen(nowhere, closefd=False)
    sys.stdout = sys.stdout or os.fdopen(nowhere, "w", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(nowhere, "w", closefd=False)


def write_frame(stream: BinaryIO, content: Any) -> None:
    """Send *content*, pickled.

    :raises OSError: if the reader has closed the stream.
    """
    data = pickle.dumps(content, pickle.HIGHEST_PROTOCOL)
    stream.write(_LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()


def read_frame(stream: BinaryIO) -> Any:
    """Return what :func:`write_frame` sent; wait for it if necessary.

    :raises EOFError: if the stream ends before the frame is complete.
    """
    return pickle.loads(_read(stream, *_LENGTH.unpack(_read(stream, _LENGTH.size))))  # noqa: S301  our own process


def _run(function: Callable[..., Any], args: tuple[Any, ...]) -> Answer:
    try:
        return function(*args), None, ""
    except Exception as e:  # noqa: BLE001  the boundary between a task and the worker
        return None, _make_picklable(e), traceback.format_exc()


def _read(stream: BinaryIO, n_bytes: int) -> bytes:
    data = stream.read(n_bytes)
    if len(data) < n_bytes:
        raise EOFError(f"expected {n_bytes} bytes, got {len(data)}")
    return data


def _make_picklable(error: Exception) -> Exception:
    """Return *error*, or if it cannot be pickled, a RuntimeError with the same message."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301
    except Exception:  # noqa: BLE001  some errors can be pickled but not unpickled
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


if __name__ == "__main__":
    main()
