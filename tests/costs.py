"""What an extraction costs: CPU time, memory and size of the answer, each page in a forked process with limits.

The parent loads the models once and forks, so that each child starts warmed up. POSIX only; memory needs Linux. Times
are those of the thread: under a limit of CPU time, Linux updates the time of a process with each tick of a clock only.
"""

from __future__ import annotations

import ctypes
import gc
import json
import math
import re
import resource
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final, NamedTuple

from families import FAMILIES, Family, ordinary_page
from lxml import etree

from scrapy_web2text.extractor import Extractor
from scrapy_web2text.options import OPTIONAL_PARTS

# What answers. For "fragment", each page is one, and neither model nor rules are asked.
MODELS: Final = {
    "rules": "shallow:numwords",
    "2026": "web2text-2026",
    "2018": "web2text-2018",
    "fragment": "shallow:numwords",
    "lang": "web2text-2026",
}
OUTPUTS: Final[dict[str, dict[str, Any]]] = {
    "text": {"blocks": "none"},
    "forms": {"blocks": "all", "html": True, "markdown": True, "paragraphs": True},
    "metadata": {"blocks": "none", "metadata": True},
}
ALL: Final = {"blocks": "all", **dict.fromkeys(OPTIONAL_PARTS, True), "chunks": 250}
N_OUTPUTS: Final = len(ALL) + 1
SMALL_SIZES: Final = (5_000, 20_000)
LARGE_SIZES: Final = (20_000, 40_000, 80_000)
# The bounds. Each output has the parses for itself: text, blocks, HTML, Markdown, paragraphs, metadata.
MOST_PARSES: Final = 50
FIXED_SECONDS: Final = 0.02  # of a page of any size, for each output
MOST_EXPONENT: Final = 1.3
JUDGED_SECONDS: Final = 0.05  # the exponent of shorter times is noise
# In tests. Time that is quadratic in the size grows to 16 times from the smallest page to the largest, and linear time
# to 4 times; this leaves 12. benchmarks/hostile.py measures larger pages, without a margin.
MARGIN: Final = 2
MOST_BYTES: Final = 25  # of memory for each byte of the page
FIXED_BYTES: Final = 60_000_000
MOST_TEXT: Final = 3  # times the length of the page
MOST_MEMORY: Final = 3 << 30  # bytes that a child may have beyond those of its parent
_STATUS: Final = Path("/proc/self/status")
_CLEAR: Final = Path("/proc/self/clear_refs")


class Cost(NamedTuple):
    """The cost of one page.

    :param n_bytes: size of the page.
    :param parse: seconds of CPU time of a parse, see `parse_seconds`.
    :param seconds: seconds of CPU time of the extraction, the least of all rounds; None if it reached the limit.
    :param memory: peak beyond the warmed-up process, in bytes; None if it is unknown.
    :param n_text: length of the text, in bytes.
    """

    n_bytes: int
    parse: float
    seconds: float | None = None
    memory: int | None = None
    method: str | None = None
    reason: str | None = None
    error: str | None = None
    n_text: int = 0

    @property
    def ratio(self) -> float:
        """CPU time in parses; infinite if the time reached the limit."""
        return math.inf if self.seconds is None else self.seconds / self.parse


def new_extractor(model: str, **options: Any) -> Extractor:
    """Return an extractor for a model by its key in `MODELS`, with no limit of time unless *options* give one."""
    exclude = ["p:lang(en)"] if model == "lang" else []
    own = {"timeout": None, "fragment": model == "fragment", "exclude": exclude}
    return Extractor(model=MODELS[model], **{**own, **options})


def model_of(family: str) -> str:
    """Return the key in `MODELS` for a family, by the beginning of its name."""
    return next((key for key in ("fragment", "lang") if family.startswith(f"{key}-")), "2026")


def warm_up(extractors: Iterable[Extractor]) -> None:
    """Extract an ordinary page with all *extractors*, and keep the garbage collector from touching their memory.

    Forked processes inherit the speed of the parser, too.
    """
    for extractor in extractors:
        extractor.extract(ordinary_page(50_000))
    _ordinary_seconds_per_byte()
    gc.collect()
    gc.freeze()


def parse_seconds(page: bytes, rounds: int = 1) -> float:
    """Return the CPU seconds of one parse by libxml2.

    It is the slower one of a parse of *page* and of a parse of an ordinary page of the same length: a page that is
    parsed faster than ordinary pages, such as one long text, may cost no more than them, but need not cost less.
    """
    body = page.replace(b"\0", b"")
    return max(_least(rounds, lambda: _parse(body)), len(page) * _ordinary_seconds_per_byte())


def exponent(costs: list[Cost]) -> float | None:
    """Return the exponent with which CPU time grows with the size, from the first to the last of *costs*.

    It is infinite if the last reached the limit of time, and None if there is nothing to compare.
    """
    first, last = costs[0], costs[-1]
    if first.seconds is None or first is last:
        return None
    if last.seconds is None:
        return math.inf
    return math.log(last.seconds / first.seconds) / math.log(last.n_bytes / first.n_bytes)


def broken_bounds(costs: list[Cost], n_outputs: int, margin: float = 1) -> list[str]:
    """Return what exceeds its bound at one of the sizes, the smallest first: ``time``, ``growth``, ``memory``, …

    :param margin: how many times as long as by its bound a time may be, on a busy machine.
    """
    growth, first, last = exponent(costs), costs[0], costs[-1]
    most_growth = MOST_EXPONENT + (math.log(margin, last.n_bytes / first.n_bytes) if first is not last else 0)
    is_judged = last.seconds is None or last.seconds > JUDGED_SECONDS
    checks = {
        "time": any(
            cost.seconds is None or cost.seconds > margin * n_outputs * (MOST_PARSES * cost.parse + FIXED_SECONDS)
            for cost in costs
        ),
        "growth": is_judged and growth is not None and growth > most_growth,
        "memory": any((cost.memory or 0) > MOST_BYTES * cost.n_bytes + FIXED_BYTES for cost in costs),
        "text": any(cost.n_text > MOST_TEXT * cost.n_bytes for cost in costs),
        "error": any(cost.error for cost in costs),
    }
    return [name for name, is_broken in checks.items() if is_broken]


def measure(family: Family, sizes: Iterable[int], extractor: Extractor, *, limit: int, rounds: int = 1) -> list[Cost]:
    """Return the costs of *family* at all *sizes*.

    Each page is measured in its own forked process: what is promised is the memory of one extraction, and pieces that
    an earlier page leaves in the heap would count as memory of the next.

    :param limit: seconds of CPU time for each page, all rounds together; after it, no larger pages are measured.
    :param rounds: how often each page is extracted; the least time counts.
    """
    costs: list[Cost] = []
    for size in sizes:
        page = family.write(size)
        # A cost without the time comes first; the second is missing if a limit ended the process.
        costs.append(run_forked(lambda send, page=page: _measure_page(page, extractor, limit, rounds, send))[-1])
        if costs[-1].seconds is None:
            break
    return costs


def main() -> None:
    """Print the costs of each family at small sizes, as JSON; one that breaks a bound is measured up to thrice more."""
    extractors = {what: new_extractor(what, **ALL) for what in ("2026", "fragment", "lang")}
    warm_up(extractors.values())
    for family in FAMILIES.values():
        extractor = extractors[model_of(family.name)]
        for rounds in (1, 3, 10):  # on a busy machine, a time can be much too long
            costs = measure(family, SMALL_SIZES, extractor, limit=20, rounds=rounds)
            broken = broken_bounds(costs, N_OUTPUTS, MARGIN)
            if not broken:
                break
        if broken == ["growth"]:
            # Where only the larger pages have content, the time grows faster once. Does it keep growing?
            costs = measure(family, LARGE_SIZES, extractor, limit=20, rounds=3)
            broken = broken_bounds(costs, N_OUTPUTS, MARGIN)
        sys.stdout.write(json.dumps({"family": family.name, "broken": broken, "costs": costs}) + "\n")


def _measure_page(page: bytes, extractor: Extractor, limit: int, rounds: int, send: Callable[[Cost], None]) -> None:
    limit_process(resource.RLIMIT_AS, read_memory("VmSize") + MOST_MEMORY)
    extractor.extract(ordinary_page(2_000))
    limit_process(resource.RLIMIT_CPU, math.ceil(time.thread_time()) + limit)
    known = Cost(len(page), parse_seconds(page, rounds))
    send(known)
    free_rest()
    base = reset_peak()
    start = time.thread_time()
    answer = extractor.extract(page)
    seconds = time.thread_time() - start
    memory = read_memory("VmHWM") - base if base else None
    if rounds > 1:
        seconds = min(seconds, _least(rounds - 1, lambda: extractor.extract(page)))
    facts = answer.method, answer.reason, answer.error, len(answer.text.encode())
    send(Cost(known.n_bytes, known.parse, seconds, memory, *facts))


def run_forked(task: Callable[[Callable[[Cost], None]], None]) -> list[Cost]:
    """Return what *task* sends from a forked process, until it ends or a limit ends it."""
    context = get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=task, args=(sender.send,))
    child.start()
    sender.close()
    received = []
    with suppress(EOFError):
        while True:
            received.append(receiver.recv())
    child.join()
    return received


def limit_process(what: int, most: int) -> None:
    resource.setrlimit(what, (most, resource.getrlimit(what)[1]))


def read_memory(name: str) -> int:
    """Return a value of the status of this process, in bytes; 0 if the system does not say."""
    match = re.search(rf"{name}:\s+(\d+) kB", _STATUS.read_text()) if _STATUS.exists() else None
    return 0 if match is None else 1024 * int(match[1])


def free_rest() -> None:
    """Give back what earlier extractions left in the heap, so that it is not part of the measured base."""
    gc.collect()
    with suppress(OSError, AttributeError):  # a C library that is not glibc
        ctypes.CDLL(None).malloc_trim(0)


def reset_peak() -> int:
    """Make the peak of the memory start anew, and return what is in use, in bytes; 0 if the system does not say."""
    if not _CLEAR.exists():
        return 0
    _CLEAR.write_text("5")
    return read_memory("VmRSS")


def _least(rounds: int, run: Callable[[], object]) -> float:
    times = []
    for _ in range(rounds):
        start = time.thread_time()
        run()
        times.append(time.thread_time() - start)
    return min(times)


def _parse(body: bytes) -> etree._Element | None:
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, collect_ids=False)
    try:
        return etree.fromstring(body, parser)
    except etree.XMLSyntaxError:
        return None


_known_speed: list[float] = []


def _ordinary_seconds_per_byte() -> float:
    if not _known_speed:
        page = ordinary_page(200_000)
        _known_speed.append(_least(5, lambda: _parse(page)) / len(page))
    return _known_speed[0]


if __name__ == "__main__":
    main()
