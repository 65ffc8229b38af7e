"""A step of a Spark job that kills the Python workers of the steps before it, once."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def kill_workers(flag: str, batches: Iterator[Any]) -> Iterator[Any]:
    """Yield *batches*; after the first one in all tasks, kill the other workers of this machine.

    :param flag: path of a file that is created then, with the number of workers that were killed.
    """
    for batch in batches:
        yield batch
        try:
            Path(flag).touch(exist_ok=False)
        except FileExistsError:
            continue
        others = [pid for pid in _list_siblings() if pid != os.getpid()]
        Path(flag).write_text(str(len(others)))
        for pid in others:
            os.kill(pid, signal.SIGKILL)


def _list_siblings() -> Iterator[int]:
    """Yield the processes with the parent of this one: the workers that Spark's daemon has forked."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = stat.read_text().rpartition(")")[2].split()[1]
        except OSError:  # it has ended
            continue
        if int(parent) == os.getppid():
            yield int(stat.parent.name)
