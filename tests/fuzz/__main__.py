"""``make fuzz``: runs each target under atheris, guided by the coverage of the package.

    python -m fuzz SECONDS           # all targets for SECONDS each, as many at a time as there are CPUs
    python -m fuzz SECONDS changed   # those for rooms with changes: of this branch, or of the last commit of main
    python -m fuzz SECONDS TARGET    # one of them; with a third argument, in this process

An input for which an oracle does not hold is written to ``.fuzz/found``, and the exit status is 1. The
inputs that reach new code are kept in ``.fuzz/TARGET/corpus`` for the next run.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import time
import traceback
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from places import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

FOLDER = ROOT / ".fuzz"
FOUND = FOLDER / "found"
BYTES_SHARE = 0.1  # of mutations that change any bytes
CHANGED = "changed"
MOST_CHANGED = 4  # targets; more of them share the time of this many


def main() -> int:
    """Run the command and return the exit status."""
    try:
        import atheris  # noqa: F401
    except ImportError as error:
        print(f"make fuzz: skipped: {error}. atheris has wheels for CPython on Linux, x86-64")
        return 0
    seconds, name, here = (*sys.argv[1:], "", "")[:3]
    if here:
        return fuzz_target(name, int(seconds))
    names, each = choose_targets(name, int(seconds))
    if not names:
        print("make fuzz: no target is for what changed")
    start = time.time()
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        [*pool.map(lambda target: _run_target(target, each), names)]
    found = [path for path in sorted(FOUND.glob("*")) if path.stat().st_mtime >= start]
    for path in found:
        print(f"found: {path.relative_to(ROOT)}")
    if found:
        print("Add a test for each; copy pages to tests/pages/hostile/ under a name that says what they are.")
    return 1 if found else 0


def choose_targets(name: str, seconds: int) -> tuple[list[str], int]:
    """Return the names of the targets to run, and the seconds for each."""
    from fuzz.targets import TARGETS

    if name != CHANGED:
        return ([name] if name else [*TARGETS]), seconds
    rooms = find_changed_rooms()
    names = [name for name, target in TARGETS.items() if rooms is None or not rooms.isdisjoint(target.rooms)]
    return names, seconds * MOST_CHANGED // max(MOST_CHANGED, len(names))


def find_changed_rooms() -> set[str] | None:
    """Return the rooms and modules of the package that this branch changes, or the last commit of main.

    None for all of them: git has no earlier commit here, or the targets themselves are changed.
    """
    for main in ("origin/main", "main", "HEAD~1"):
        base = _git("merge-base", main, "HEAD")
        if base and base != _git("rev-parse", "HEAD"):
            break
    else:
        return None
    parts = [Path(path).parts for path in (_git("diff", "--name-only", base) or "").splitlines()]
    if any(part[:2] == ("tests", "fuzz") for part in parts):
        return None
    return {Path(part[1]).stem for part in parts if part[0] == "scrapy_web2text"}


def _git(*arguments: str) -> str | None:
    """Return what git prints, without the last end of line; None if it fails."""
    try:
        done = subprocess.run(["git", *arguments], capture_output=True, text=True, cwd=ROOT, check=False)
    except OSError:
        return None
    return done.stdout.rstrip("\n") if done.returncode == 0 else None


def _run_target(name: str, seconds: int) -> None:
    """Fuzz one target in a process of its own, and print its figures."""
    FOUND.mkdir(parents=True, exist_ok=True)
    log = FOLDER / f"{name}.log"
    with log.open("wb") as output:
        command = [sys.executable, "-m", "fuzz", str(seconds), name, "here"]
        done = subprocess.run(command, stdout=output, stderr=output, check=False)
    text = log.read_text(encoding="utf-8", errors="replace")
    runs = re.findall(r"^#(\d+)\s", text, re.MULTILINE)
    coverage = re.findall(r"\bcov: (\d+)", text)
    n_runs, covered = int(runs[-1]) if runs else 0, coverage[-1] if coverage else "0"
    ended = "" if done.returncode == 0 else f", exit status {done.returncode}, see {log.relative_to(ROOT)}"
    print(f"{name:10} {n_runs:,} executions in {seconds} s, {covered} edges{ended}", flush=True)
    if done.returncode and not any(FOUND.glob(f"{name}-*")):  # the target itself does not work
        raise SystemExit(text[-4000:])


def fuzz_target(name: str, seconds: int) -> int:
    """Fuzz one target in this process, which libFuzzer ends."""
    import atheris

    sys.setswitchinterval(1e-4)
    with atheris.instrument_imports(include=["scrapy_web2text"], enable_loader_override=False):
        from fuzz.targets import TARGETS
        from scrapy_web2text.answer import trace
    trace.RAISE_ERRORS = True
    warnings.simplefilter("error")
    target = TARGETS[name]
    seeds, corpus = FOLDER / name / "seeds", FOLDER / name / "corpus"
    for folder in (seeds, corpus, FOUND):
        folder.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(target.seeds()):
        (seeds / f"{number:03}").write_bytes(seed)

    def mutate(data: bytes, max_size: int, seed: int) -> bytes:
        choice = random.Random(seed)
        if choice.random() < BYTES_SHARE:
            return bytes(atheris.Mutate(data, max_size))
        return target.mutate(data, choice)[:max_size]

    collector = _Collector(name, target.run)
    arguments = [
        sys.argv[0],
        f"-max_total_time={seconds}",
        f"-max_len={target.longest}",
        "-timeout=120",
        "-report_slow_units=120",  # the first page of a kind loads what it needs, which takes 10 s here
        "-rss_limit_mb=3000",
    ]
    arguments += ["-len_control=0", f"-artifact_prefix={FOUND}/{name}-", str(corpus), str(seeds)]
    atheris.Setup(arguments, collector.run, custom_mutator=mutate)
    atheris.Fuzz()
    return 0


class _Collector:
    """Runs a target and keeps the shortest input for each failure, so that the run goes on after the first one."""

    def __init__(self, name: str, run: Callable[[bytes], None]) -> None:
        self._name = name
        self._run = run
        self._shortest: dict[str, int] = {}

    def run(self, data: bytes) -> None:
        failure = self._failure(data)
        if failure is None or len(data) >= self._shortest.get(failure, sys.maxsize):
            return
        self._shortest[failure] = len(data)
        (FOUND / f"{self._name}-{failure}").write_bytes(data)
        print(f"FOUND {failure}: {len(data)} bytes", file=sys.stderr)
        try:
            self._run(data)
        except Exception:
            traceback.print_exc()

    def _failure(self, data: bytes) -> str | None:
        """Return a name for the failure of *data*, from the place where it was raised; None if all oracles hold."""
        try:
            self._run(data)
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            ours = [frame for frame in frames if str(ROOT) in frame.filename and ".venv" not in frame.filename]
            place = (ours or frames)[-1]
            return f"{type(error).__name__}-{Path(place.filename).stem}-{place.lineno}"
        return None


if __name__ == "__main__":
    os.chdir(ROOT)
    raise SystemExit(main())
