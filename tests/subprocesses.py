"""Python code in a fresh interpreter: its output, and the modules that it loads."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from places import ROOT


def run_python(code: str) -> str:
    """Return the output of *code*, which must not print any warning or error."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


def run_script(code: str, folder: Path, **environment: str) -> None:
    """Run *code* in *folder*, as a script."""
    script = folder / "recipe.py"
    script.write_text(code, encoding="utf-8")
    path = os.pathsep.join([str(ROOT), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, str(script)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def loaded_by(code: str, *names: str) -> str:
    """Return which modules of *names* are loaded after *code*, sorted and separated by spaces."""
    return run_python(f"{code}\nimport sys\nprint(*sorted({set(names)!r} & set(sys.modules)))")
