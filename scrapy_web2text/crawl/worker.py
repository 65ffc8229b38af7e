"""A worker process, ``python -m scrapy_web2text.crawl.worker VERSION``: extracts the pages that come in by its input.

Both directions carry frames: 8 bytes of length, then as many of a pickle. A task is :data:`Task`, its answer is
:data:`Answer`. Nothing but plain data travels, and whatever a page or a library prints goes to standard error.
"""

from __future__ import annotations

import os
import pickle
import signal
import struct
import sys
import threading
import traceback
from functools import lru_cache
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, BinaryIO

from scrapy_web2text._version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from scrapy_web2text.extraction import Extraction
    from scrapy_web2text.options import Options

    Task: TypeAlias = "tuple[Options, str | bytes, str | None, str | None]"  # the options, the page, its URL, encoding
    Answer: TypeAlias = "Extraction | tuple[Exception, str]"  # or what went wrong, and its traceback as text

__all__ = ["READY", "main", "read_frame", "serve", "write_frame"]

# The first line of a worker's that means anything: what Python printed while it started, comes before it.
READY = b"scrapy-web2text worker is ready\n"

_LENGTH = struct.Struct("!Q")
_MOST_EXTRACTORS = 64


def main() -> None:
    """Work until the standard input is closed, which is also how the end of the parent shows.

    The argument is the parent's version of this package: another one's answers would be misread.
    """
    if sys.argv[1:] != [__version__]:
        sys.exit(f"scrapy-web2text worker: this is version {__version__}, not that of the crawl: {sys.argv[1:]}")
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the crawl decides what it means
    tasks, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    serve(tasks, answers, lambda: os._exit(0))


def serve(tasks: BinaryIO, answers: BinaryIO, leave: Callable[[], object]) -> None:
    """Answer each of *tasks* in turn, and call *leave* in a thread of its own as soon as no more can come.

    A page that is in work then is of no use to anybody, so *leave* may end the process.
    """
    import logging  # noqa: PLC0415  after the signals are set

    from scrapy_web2text.extractor import Extractor  # noqa: PLC0415

    # The parent has made the same extractors, and has logged what there is to say about them.
    logging.getLogger("scrapy_web2text").addHandler(logging.NullHandler())
    extractor_for = lru_cache(_MOST_EXTRACTORS)(Extractor)
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
    while (task := queue.get()) is not None:
        options, html, url, encoding = task
        answer: Answer
        try:
            answer = extractor_for(options).extract(html, url, encoding=encoding)
        except Exception as e:  # noqa: BLE001  the boundary between a page and the worker
            answer = _portable(e), traceback.format_exc()
        try:
            write_frame(answers, answer)
        except OSError:
            return  # the parent has gone


def write_frame(stream: BinaryIO, content: Any) -> None:
    """Send *content*, pickled.

    :raises OSError: if nobody reads.
    """
    data = pickle.dumps(content, pickle.HIGHEST_PROTOCOL)
    stream.write(_LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()


def read_frame(stream: BinaryIO) -> Any:
    """Wait for what :func:`write_frame` sent.

    :raises EOFError: if the stream ends before it is complete.
    """
    return pickle.loads(_read(stream, *_LENGTH.unpack(_read(stream, _LENGTH.size))))  # noqa: S301  our own process


def _read(stream: BinaryIO, n_bytes: int) -> bytes:
    data = stream.read(n_bytes)
    if len(data) < n_bytes:
        raise EOFError(f"expected {n_bytes} bytes, got {len(data)}")
    return data


def _portable(error: Exception) -> Exception:
    """Return *error*, or one that says the same where it cannot travel between processes."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301
    except Exception:  # noqa: BLE001  some can be pickled and not be read again
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


if __name__ == "__main__":
    main()
