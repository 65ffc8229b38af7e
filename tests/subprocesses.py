"""What a fresh interpreter loads and prints."""

from __future__ import annotations

import subprocess
import sys


def run_python(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


def loaded_by(code: str, *names: str) -> str:
    return run_python(f"{code}\nimport sys\nprint(*sorted({set(names)!r} & set(sys.modules)))")
