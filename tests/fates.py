"""Worker processes that words on a page kill, interrupt or hang."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

# Python imports a module of this name when it starts. Words on a page decide what happens to the worker.
SITECUSTOMIZE = """
import mmap, os, signal, sys, time
import msgspec
from pathlib import Path
from types import SimpleNamespace
from scrapy_web2text.extractor import Extractor

folder = Path(__file__).parent
with open(folder / "started", "a") as started:
    started.write(f"{os.getpid()}\\n")
if (folder / "no-more-starts").exists():
    os._exit(1)
leaked = []
print("not a frame, and no end of line", end="")
extract = Extractor.extract

def fail_once(*values, **options):
    sys.modules["scrapy_web2text.workers.answers"].msgspec = msgspec
    raise MemoryError

def extract_or_not(self, html, url=None, **options):
    body = getattr(html, "html", html)  # a Source has the page
    body = body if isinstance(body, bytes) else body.encode()
    if b"a-page-that-prints" in body:
        print("printed by the page")
        os.write(1, b"written by the page")
        assert os.read(0, 1) == b""
    if b"a-page-that-kills-all" in body:
        os.kill(os.getpid(), signal.SIGSEGV)
    if b"a-page-that-kills-once" in body and not (folder / "killed").exists():
        (folder / "killed").touch()
        os.kill(os.getpid(), signal.SIGSEGV)
    if b"a-page-that-interrupts" in body:
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGTERM)
    if b"a-page-that-leaks" in body:
        # Up to 460 MB, too much of a limit of 500 MB. What the worker has itself depends on the versions of libraries.
        statm = Path("/proc/self/statm")
        own = int(statm.read_text().split()[0]) * mmap.PAGESIZE if statm.exists() else 200_000_000
        leaked.append(mmap.mmap(-1, 460_000_000 - own))
    if b"a-page-that-forges" in body:
        forged = (folder / "forged-frame").read_bytes()
        length = sys.modules["__main__"]._LENGTH
        forging = SimpleNamespace(pack=lambda _: forged, unpack=length.unpack, size=length.size)
        sys.modules["__main__"]._LENGTH = forging  # the answer follows it
    if b"a-page-with-too-long-an-answer" in body:
        failing = SimpleNamespace(json=SimpleNamespace(encode=fail_once))
        sys.modules["scrapy_web2text.workers.answers"].msgspec = failing
    if b"a-page-that-ends-all-starts" in body:
        (folder / "no-more-starts").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    if b"a-page-that-fails" in body:
        raise LookupError("on purpose")
    if b"a-page-that-hangs" in body or b"a-page-that-waits" in body and not (folder / "hanging").exists():
        (folder / "pid").write_text(str(os.getpid()))
        (folder / "pid").rename(folder / "hanging")
        time.sleep(600)
    return extract(self, html, url, **options)

Extractor.extract = extract_or_not
"""


class Fate:
    """The worker processes of a test, and what happens to them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def prepare(cls, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Fate:
        """Let the worker processes of this test import `SITECUSTOMIZE`, and treat warnings as errors."""
        (folder / "sitecustomize.py").write_text(SITECUSTOMIZE)
        monkeypatch.syspath_prepend(folder)
        monkeypatch.setenv("PYTHONWARNINGS", "error")
        return cls(folder)

    def shorten_hanging(self, seconds: float) -> None:
        """Let pages that hang do so for *seconds*."""
        path = self.folder / "sitecustomize.py"
        path.write_text(path.read_text().replace("time.sleep(600)", f"time.sleep({seconds})"))

    @property
    def started(self) -> list[int]:
        """The processes that were started."""
        return [int(line) for line in (self.folder / "started").read_text().split()]

    @property
    def left(self) -> list[int]:
        """Those of them that run or are zombies."""
        return [pid for pid in self.started if Path(f"/proc/{pid}").exists()]

    def wait_for_hanging(self) -> int:
        """Wait for the page that hangs and return the process that works on it."""
        path = self.folder / "hanging"
        for _ in range(6000):
            if path.exists():
                return int(path.read_text())
            time.sleep(0.01)
        raise TimeoutError("no page hangs")
