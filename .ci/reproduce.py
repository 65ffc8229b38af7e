"""Build sdist and wheel in dist/, and once more from a copy that differs in all that must not matter.

The copy has another folder, other times and permissions of its files, and was written in another order. Both builds
have the time of the last commit (https://reproducible-builds.org/specs/source-date-epoch/). Where a hash differs, the
exit status is 1: a file that is not committed is the likely reason.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
OTHER_TIME = 1_000_000_000


def run(*command: str, **options: object) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def build(folder: Path, time: str, umask: int) -> dict[str, str]:
    """Return the hash of each file that a build of *folder* writes to its dist/; the wheel has no compiled reader."""
    environment = {**os.environ, "SOURCE_DATE_EPOCH": time, "WEB2TEXT_NO_NATIVE": "1"}
    run(sys.executable, "-m", "build", "--no-isolation", cwd=folder, env=environment, umask=umask)
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted((folder / "dist").iterdir())}


def copy_tracked_files(target: Path) -> None:
    names = run("git", "ls-files", "-z", cwd=ROOT).split("\0")
    for name in sorted(filter(None, names), reverse=True):
        copy = target / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes((ROOT / name).read_bytes())
        copy.chmod(0o700 if os.access(ROOT / name, os.X_OK) else 0o600)
        os.utime(copy, (OTHER_TIME, OTHER_TIME))


def main() -> int:
    time = run("git", "log", "-1", "--format=%ct", cwd=ROOT).strip()
    with TemporaryDirectory() as folder:
        copy_tracked_files(Path(folder))
        first, second = build(ROOT, time, 0o022), build(Path(folder), time, 0o077)
    for name, digest in first.items():
        print(f"{digest}  {name}")
    if first != second:
        print(f"expected the same hashes from a second build, got {second}", file=sys.stderr)
    return int(first != second)


if __name__ == "__main__":
    sys.exit(main())
