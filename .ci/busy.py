"""Run Python three times with the given arguments, such as `-m pytest`, while all CPUs are kept busy.

The exit status is 1 if a run fails. A test that fails or is flaky only here depends on the speed of the machine.
"""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import time

RUNS = 3


def keep_busy() -> None:
    """Compute until the process that started this one has ended, by whatever cause."""
    parent = multiprocessing.parent_process()
    while parent is not None and parent.is_alive():
        sum(range(100_000))


def main() -> int:
    """Return the exit status."""
    statuses = []
    context = multiprocessing.get_context("spawn")
    for _ in range(os.cpu_count() or 1):
        context.Process(target=keep_busy, daemon=True).start()
    for number in range(1, RUNS + 1):
        start = time.monotonic()
        statuses.append(subprocess.run([sys.executable, *sys.argv[1:]], check=False).returncode)
        print(f"run {number} of {RUNS}: status {statuses[-1]}, {time.monotonic() - start:.0f} s", flush=True)
    return int(any(statuses))


if __name__ == "__main__":
    sys.exit(main())
