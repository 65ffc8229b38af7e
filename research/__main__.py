"""``python -m research``: the command ``web2text`` with the labelers and the trainings of the comparison systems."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from research.labelers import register_labelers
from scrapy_web2text.cli.main import main as run_web2text


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with *argv* (default: the arguments of the process) and return its exit status."""
    arguments = sys.argv[1:] if argv is None else argv
    register_labelers()
    if arguments[:1] == ["train"]:
        from research.trainings import register_trainings  # loads torch

        register_trainings()
    return run_web2text(arguments)


if __name__ == "__main__":
    sys.exit(main())
