"""Pages of the corpora, and CPU time on them: what the benchmarks of speed share."""

from __future__ import annotations

import gzip
import math
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import lxml.html
from lxml import etree

from scrapy_web2text.page.encoding import decode_html
from scrapy_web2text.page.parse import to_tree

ROOT = Path(__file__).parents[1]
PARSE = "parse by `lxml.html.fromstring`"
# A page of ten blocks, of a site without a template: what it costs is what every page costs.
TEN_BLOCKS = (
    "<html><head><title>Ten blocks</title></head><body><nav><a href=/>Home</a></nav><h1>A page of ten blocks</h1>"
    + "".join(f"<p>Paragraph {i} of a small page, which has a few words and ends here.</p>" for i in range(7))
    + "<footer>Imprint</footer></body></html>"
)


@dataclass(frozen=True, eq=False)
class Sample:
    """A page in the forms that extractors read: bytes, text and a parsed tree."""

    body: bytes
    text: str
    tree: etree._Element

    @classmethod
    def of(cls, body: bytes) -> Sample:
        return cls(body, decode_html(body), to_tree(body))


Contestant = Callable[[Sample], object]


@dataclass(frozen=True)
class PageSet:
    """Pages that are measured together.

    :param title: a few words for the head of a table.
    :param in_parses: whether costs are given in parses, too. The parse of a very small page takes hardly any time.
    """

    title: str
    samples: Sequence[Sample]
    in_parses: bool = True

    @property
    def units(self) -> list[str]:
        """The units of its costs."""
        return ["parses", "ms"] if self.in_parses else ["ms"]

    def format_cost(self, seconds: float, unit: float) -> list[str]:
        """Return a cost in its units: *seconds* for all pages, where their parse takes *unit* seconds."""
        cells = [f"{seconds / unit:.2f}"] if self.in_parses else []
        return [*cells, f"{1000 * seconds / len(self.samples):.2f}"]


def read_page_sets(data: Path | None, n_pages: int) -> Iterator[PageSet]:
    """Return modern and small pages of the corpora in *data*, or the handwritten pages of tests/; and ten blocks."""
    if data is None:
        yield _page_set("tests/pages", sorted((ROOT / "tests/pages").glob("*.html"))[:n_pages])
    else:
        for name, pattern in {"WCXB": "wcxb/dev/html/*.html.gz", "CleanEval": "cleaneval/orig/*.html"}.items():
            paths = sorted(data.glob(pattern))
            yield _page_set(name, random.Random(0).sample(paths, min(n_pages, len(paths))))
    yield PageSet("ten blocks", [Sample.of(TEN_BLOCKS.encode())] * 20, in_parses=False)


def _page_set(name: str, paths: Sequence[Path]) -> PageSet:
    if not paths:
        raise SystemExit(f"expected pages of {name}, found none")
    bodies = [gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes() for path in paths]
    return PageSet(f"{name}, {sum(map(len, bodies)) / len(bodies) / 1000:.0f} kB", [*map(Sample.of, bodies)])


def parse(sample: Sample) -> object:
    """Parse a page, the unit of all costs."""
    return lxml.html.fromstring(sample.text)


def measure(
    samples: Sequence[Sample], contestants: Mapping[str, Contestant], rounds: int, before: Contestant | None = None
) -> dict[str, list[float]]:
    """Return the CPU seconds of this thread that each of *contestants* takes for each page: its fastest round.

    They take turns at each page, so other load on the machine affects all equally. Their order differs between rounds,
    since one that follows its like finds more of its own in the caches of the processor.

    :param before: what runs before each of them, for comparisons of contestants that differ by little.
    """
    best = {name: [math.inf] * len(samples) for name in contestants}
    in_turn = list(contestants.items())
    for number in range(rounds):
        random.Random(number).shuffle(in_turn)
        for i, sample in enumerate(samples):
            for name, run in in_turn:
                if before is not None:
                    before(sample)
                start = time.thread_time()
                run(sample)
                best[name][i] = min(best[name][i], time.thread_time() - start)
    return best
