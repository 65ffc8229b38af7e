"""Python code in a fresh interpreter: its output, and the modules that it loads."""

from __future__ import annotations

import subprocess
import sys


def run_python(code: str) -> str:
    """Return the output of *code*, which must not print any warning or error."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


def loaded_by(code: str, *names: str) -> str:
    """Return which modules of *names* are loaded after *code*, sorted and separated by spaces."""
    return run_python(f"{code}\nimport sys\nprint(*sorted({set(names)!r} & set(sys.modules)))")
