"""Runs a command and shows the last line of its output in place, so that a long installation is not silent.

Without a terminal, the steps of pip are printed, each as a line. If the command fails, all lines are printed.
"""

from __future__ import annotations

import shutil
import subprocess
import sys

_DETAILS = (" ", "Requirement already satisfied")


def main(command: list[str]) -> int:
    """Run *command*, and return its exit status."""
    columns = shutil.get_terminal_size().columns - 1
    is_terminal = sys.stderr.isatty()
    lines = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        for line in process.stdout or ():
            lines.append(line)
            if is_terminal:
                sys.stderr.write(f"{line.strip()[:columns]:{columns}}\r")
            elif not line.startswith(_DETAILS):
                sys.stderr.write(line)
            sys.stderr.flush()
    if is_terminal:
        sys.stderr.write(f"{' ' * columns}\r")
    if process.returncode:
        sys.stderr.writelines(lines)
    return process.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
