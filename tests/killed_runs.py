"""``python killed_runs.py ENDING OPTION …``: runs `web2text batch --resume` again and again, killed at random moments.

A process for each run is forked from this one, so that modules are imported once. The outputs are finished in turn:
``whole`` without kills, then ``killed0``, ``killed1``, …, each with ENDING. What is printed is the number of kills.
"""

from __future__ import annotations

import os
import random
import signal
import sys

import inline_workers

from scrapy_web2text.batch import output
from scrapy_web2text.cli.main import main
from scrapy_web2text.extractor import Extractor
from scrapy_web2text.workers.processes import WorkerProcesses

N_KILLS = 30


def start(out: str, arguments: list[str], seconds: float | None) -> tuple[bool, float]:
    """Run the command in a process; return whether it has finished, and its CPU time.

    :param seconds: CPU time after which it is killed; None for no limit.
    """
    child = os.fork()
    if not child:
        if seconds is not None:
            # The system ends the process at this signal as at SIGKILL. CPU time does not depend on the machine's load.
            signal.signal(signal.SIGPROF, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_PROF, seconds)
        os._exit(main(["batch", *arguments, "--out", out, "--resume"]))
    _, status, usage = os.wait4(child, 0)
    assert status in (0, signal.SIGPROF)
    return status == 0, usage.ru_utime + usage.ru_stime


def run(ending: str, arguments: list[str]) -> None:
    """Finish outputs until enough runs have been killed."""
    chosen = random.Random(1)
    WorkerProcesses.run = inline_workers.run
    Extractor(model="shallow:numwords").extract("<p>x")  # loads what every run would load
    _, longest = start(f"whole{ending}", arguments, None)
    n_kills = n_feeds = 0
    while n_kills < N_KILLS:
        output._SECONDS_BETWEEN = chosen.choice([0, 0.01, 0.1])
        is_finished, _ = start(f"killed{n_feeds}{ending}", arguments, chosen.uniform(0, longest / 2))
        n_feeds += is_finished
        n_kills += not is_finished
    start(f"killed{n_feeds}{ending}", arguments, None)
    sys.stdout.write(str(n_kills))


if __name__ == "__main__":
    run(sys.argv[1], sys.argv[2:])
